"""Hold no removal by an organiser against a player who had not timed out, as `record.rows.reckoning` counts now."""

import json

from django.db import migrations

REMOVED = "SELECT stream, version, payload FROM events_event WHERE type = 'match.vacated'"
SEATED = (
    "SELECT payload FROM events_event WHERE stream = %s AND version < %s AND type IN ('match.joined', 'match.seated')"
    " ORDER BY version DESC"
)
FORGIVE = "UPDATE matches_holding SET vacated = false WHERE match_id = %s AND holder = %s AND vacated AND timeouts = 0"


def forgive(apps, schema_editor):
    """The texts of the log are parsed here: PostgreSQL's `json` refuses what a player may have written."""
    with schema_editor.connection.cursor() as cursor:
        cursor.execute(REMOVED)
        for stream, version, payload in cursor.fetchall():
            removed = json.loads(payload)
            if not removed.get("code"):
                continue
            cursor.execute(SEATED, [stream, version])
            seated = (json.loads(row[0]) for row in cursor.fetchall())
            holder = next((one["holder"] for one in seated if one["seat"] == removed["seat"]), None)
            cursor.execute(FORGIVE, [stream, holder])


class Migration(migrations.Migration):

    dependencies = [
        ("matches", "0021_plain_words"),
    ]

    operations = [
        migrations.RunPython(forgive, migrations.RunPython.noop),
    ]
