from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("matches", "0011_breaks")]
    operations = [
        migrations.AddField("premove", "given_version", models.IntegerField(null=True)),
        migrations.AddField("premove", "before", models.JSONField(null=True)),
    ]
