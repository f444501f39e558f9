"""Signed checkpoints over the heads of all streams, append-only like the log."""

from django.db import migrations

from events.proofs import checkpoint_schema


class Migration(migrations.Migration):
    dependencies = [("events", "0001_store")]
    operations = [migrations.RunSQL(checkpoint_schema.CREATE, checkpoint_schema.DROP)]
