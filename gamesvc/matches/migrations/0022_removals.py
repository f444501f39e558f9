"""Hold no removal by an organiser against a player who had not timed out, as `record.rows.reckoning` counts now."""

from django.db import migrations

# The events are text in which a player may have written anything, so only those of these types are read as JSON.
FORGIVE = """
WITH removed AS MATERIALIZED (
    SELECT stream, version, payload FROM events_event WHERE type = 'match.vacated'
), seated AS MATERIALIZED (
    SELECT stream, version, payload FROM events_event
    WHERE type IN ('match.joined', 'match.seated') AND stream IN (SELECT stream FROM removed)
)
UPDATE matches_holding SET vacated = false FROM removed
WHERE coalesce(removed.payload::json->>'code', '') <> '' AND match_id = removed.stream AND vacated AND timeouts = 0
AND holder::text = (
    SELECT seated.payload::json->>'holder' FROM seated
    WHERE seated.stream = removed.stream AND seated.version < removed.version
    AND seated.payload::json->>'seat' = removed.payload::json->>'seat'
    ORDER BY seated.version DESC LIMIT 1
)
"""


class Migration(migrations.Migration):

    dependencies = [
        ("matches", "0021_plain_words"),
    ]

    operations = [
        migrations.RunSQL(FORGIVE, migrations.RunSQL.noop),
    ]
