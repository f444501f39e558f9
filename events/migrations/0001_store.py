"""The event log, its epoch and the snapshots. Written in SQL, since Django's models cannot express most of its guarantees."""

from django.db import migrations

from events import schema


class Migration(migrations.Migration):
    initial = True
    dependencies: list[tuple[str, str]] = []
    operations = [migrations.RunSQL(schema.CREATE, schema.DROP)]
