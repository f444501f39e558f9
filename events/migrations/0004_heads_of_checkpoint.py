"""The heads of one checkpoint are found without reading those of all others."""

from django.db import migrations

CREATE = "CREATE INDEX CONCURRENTLY IF NOT EXISTS events_checkpoint_head_number ON events_checkpoint_head (checkpoint)"
DROP = "DROP INDEX CONCURRENTLY IF EXISTS events_checkpoint_head_number"


class Migration(migrations.Migration):
    # An index is built beside writers outside a transaction only.
    atomic = False
    dependencies = [("events", "0003_moved_heads")]
    operations = [migrations.RunSQL(CREATE, DROP)]
