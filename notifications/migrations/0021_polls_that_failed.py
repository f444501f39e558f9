from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("notifications", "0020_backlogs")]

    operations = [migrations.AddField("mailbox", "failed_at", models.DateTimeField(null=True))]
