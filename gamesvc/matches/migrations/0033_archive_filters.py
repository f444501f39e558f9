from django.db import migrations, models
from django.db.models import F, Func

from gamesvc.database.indexes import AddIndexAgain

ARCHIVED = models.Q(("status", "finished"), ("watch", "all"))
PACE = Func(
    F("hours"),
    template="CASE WHEN %(expressions)s <= 24 THEN 0 WHEN %(expressions)s <= 96 THEN 1 ELSE 2 END",
    output_field=models.SmallIntegerField(),
)
INDEXES = {
    "archived_seats": [F("seat_count")],
    "archived_pace": [PACE],
    "archived_game_seats": [F("game"), F("seat_count")],
    "archived_game_pace": [F("game"), PACE],
    "archived_seats_pace": [F("seat_count"), PACE],
    "archived_all": [F("game"), F("seat_count"), PACE],
}


class Migration(migrations.Migration):
    """The archive may hold a million matches, so its indexes are built while the service runs."""

    atomic = False
    dependencies = [("matches", "0032_watch_delay")]

    operations = [
        AddIndexAgain(
            model_name="match",
            index=models.Index(*parts, F("number").desc(), name=name, condition=ARCHIVED),
        )
        for name, parts in INDEXES.items()
    ]
