from django.db import migrations, models
from django.db.models import F


def keep_zone(apps, schema_editor):
    """Quiet hours that are set stay in the zone that their owner has now."""
    apps.get_model("accounts", "User").objects.filter(quiet_from__isnull=False).update(quiet_zone=F("timezone"))


class Migration(migrations.Migration):
    dependencies = [("accounts", "0007_token_ages")]

    operations = [
        migrations.AddField("user", "quiet_zone", models.CharField(blank=True, db_default="", default="", max_length=64)),
        migrations.AddField("user", "quiet_since", models.DateTimeField(blank=True, null=True)),
        migrations.RunPython(keep_zone, migrations.RunPython.noop),
    ]
