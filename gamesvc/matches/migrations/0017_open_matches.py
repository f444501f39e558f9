"""Indexes for the lobby: open matches, newest first; free seats in the order of their list."""

from django.contrib.postgres.operations import RemoveIndexConcurrently
from django.db import migrations, models

from gamesvc.database.indexes import AddIndexAgain


class Migration(migrations.Migration):
    # Only outside a transaction can an index be built while others write.
    atomic = False
    dependencies = [("matches", "0016_ages")]

    operations = [
        AddIndexAgain(
            "match", models.Index(fields=["-number"], name="match_open", condition=models.Q(status="open"))
        ),
        AddIndexAgain(
            "seat",
            models.Index(
                fields=["vacated_at", "id"], name="seat_waits", condition=models.Q(vacated_at__isnull=False)
            ),
        ),
        RemoveIndexConcurrently("seat", "seat_vacated"),
    ]
