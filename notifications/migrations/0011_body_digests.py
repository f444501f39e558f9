from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("notifications", "0010_plain_words")]

    operations = [
        migrations.AddField("inboundmail", "body_digests", models.JSONField(null=True)),
    ]
