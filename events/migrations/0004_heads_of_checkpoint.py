"""An index to find the heads of one checkpoint without reading those of all others."""

from django.db import migrations

CREATE = "CREATE INDEX CONCURRENTLY events_checkpoint_head_number ON events_checkpoint_head (checkpoint)"
DROP = "DROP INDEX CONCURRENTLY IF EXISTS events_checkpoint_head_number"


class Migration(migrations.Migration):
    # Only outside a transaction can an index be built while others write.
    atomic = False
    dependencies = [("events", "0003_moved_heads")]
    # A start that was killed meanwhile has left an index that nothing uses.
    operations = [migrations.RunSQL([DROP, CREATE], DROP)]
