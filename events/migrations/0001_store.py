"""The event log, its epoch and the snapshots. Written in SQL: most of what they promise, Django's models cannot say."""

from django.db import migrations

from events import schema


class Migration(migrations.Migration):
    initial = True
    dependencies: list[tuple[str, str]] = []
    operations = [migrations.RunSQL(schema.CREATE, schema.DROP)]
