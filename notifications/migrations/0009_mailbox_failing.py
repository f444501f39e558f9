from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("notifications", "0008_bounce_topic")]

    operations = [
        migrations.AddField("mailbox", "failing", models.JSONField(default=dict)),
    ]
