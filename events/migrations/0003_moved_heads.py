"""Checkpoints over what moved: the place of each head, the blinding between them, and the transaction to start from next time."""

from django.db import migrations

ADD = """
ALTER TABLE events_checkpoint ADD COLUMN blind bytea, ADD COLUMN epoch smallint, ADD COLUMN xid xid8;
ALTER TABLE events_checkpoint_head ADD COLUMN place int;
"""
DROP = """
ALTER TABLE events_checkpoint DROP COLUMN blind, DROP COLUMN epoch, DROP COLUMN xid;
ALTER TABLE events_checkpoint_head DROP COLUMN place;
"""


class Migration(migrations.Migration):
    dependencies = [("events", "0002_checkpoints")]
    operations = [migrations.RunSQL(ADD, DROP)]
