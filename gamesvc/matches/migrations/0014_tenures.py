"""Make `Holding` the lasting record of who has held a seat of a running match.

Players who left before the start are removed, and players of older matches are added as far as the database still knows them.
"""

import json
import uuid
from collections import defaultdict

from django.conf import settings
from django.db import migrations

SEATING = ("match.joined", "match.seated", "match.left", "match.vacated")
# What a user did or learned as the holder of a seat, and when.
TRACES = """
SELECT match_id, seat, user_id, said_at FROM matches_press WHERE match_id = ANY(%(matches)s)
UNION ALL SELECT match_id, seat, user_id, received_at FROM matches_refusal WHERE match_id = ANY(%(matches)s) AND seat IS NOT NULL
UNION ALL SELECT match_id, seat, user_id, made_at FROM matches_premove WHERE match_id = ANY(%(matches)s)
UNION ALL SELECT match_id, seat, user_id, created_at FROM matches_held_orders WHERE match_id = ANY(%(matches)s)
UNION ALL SELECT topic::uuid, (payload->>'seat')::int, user_id, due_at FROM notifications_outbox
    WHERE topic = ANY(%(topics)s) AND kind IN ('match_started', 'your_turn', 'last_one') AND payload ? 'seat'
"""


def tenures(cursor, matches):
    """Return the seat tenures in the log by holder: match, seat, start, end, and True if begun before the start."""
    cursor.execute(
        "SELECT stream, type, payload, occurred_at FROM events_event WHERE stream = ANY(%s::uuid[]) AND type = ANY(%s)"
        " ORDER BY stream, version",
        [[str(match) for match in matches], list(SEATING)],
    )
    found, current = {}, {}
    for match, kind, payload, moment in cursor.fetchall():
        data = json.loads(payload)
        place = (match, data["seat"])
        if (holder := current.pop(place, None)) is not None:
            found[holder].update(until=moment, left=kind == "match.left")
        if "holder" in data:
            holder = current[place] = uuid.UUID(data["holder"])
            found[holder] = {"match": match, "seat": data["seat"], "since": moment, "until": None, "left": False}
    return found


def forget_those_before_the_start(apps, schema_editor):
    """Delete rows of users who left their seat before the start: nothing had been dealt to them."""
    Holding = apps.get_model("matches", "Holding")
    with schema_editor.connection.cursor() as cursor:
        cursor.execute("SELECT DISTINCT stream FROM events_event WHERE type = 'match.left'")
        found = tenures(cursor, [match for (match,) in cursor.fetchall()])
    Holding.objects.filter(holder__in=[holder for holder, tenure in found.items() if tenure["left"]]).delete()


def link_players(apps, schema_editor):
    """Link a tenure of an unfinished match to its user, if all traces of it name one user who is not erased."""
    Holding, User = apps.get_model("matches", "Holding"), apps.get_model(*settings.AUTH_USER_MODEL.split("."))
    unknown = {row.holder: row for row in Holding.objects.filter(user=None, match__status__in=["open", "running"])}
    matches = list({row.match_id for row in unknown.values()})
    if not matches:
        return
    traces = defaultdict(list)
    with schema_editor.connection.cursor() as cursor:
        found = tenures(cursor, matches)
        cursor.execute(TRACES, {"matches": matches, "topics": [str(match) for match in matches]})
        for match, seat, user, moment in cursor.fetchall():
            if user is not None:
                traces[match, seat].append((user, moment))
    here = set(User.objects.filter(is_active=True).values_list("pk", flat=True))
    for holder in unknown.keys() & found.keys():
        tenure = found[holder]
        users = {
            user
            for user, moment in traces[tenure["match"], tenure["seat"]]
            if tenure["since"] <= moment and (tenure["until"] is None or moment < tenure["until"])
        }
        if len(users) == 1 and users <= here:
            Holding.objects.filter(holder=holder).update(user_id=users.pop())


class Migration(migrations.Migration):
    dependencies = [
        ("matches", "0013_old_clocks"),
        ("events", "0001_store"),
        ("notifications", "0001_initial"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]
    operations = [
        migrations.RunPython(forget_those_before_the_start, migrations.RunPython.noop),
        migrations.RunPython(link_players, migrations.RunPython.noop),
    ]
