"""Indexes for the lobby: open matches, newest first; free seats in the order of their list."""

from django.contrib.postgres.operations import AddIndexConcurrently, RemoveIndexConcurrently
from django.db import migrations, models


class Migration(migrations.Migration):
    # Only outside a transaction can an index be built while others write.
    atomic = False
    dependencies = [("matches", "0016_ages")]

    operations = [
        AddIndexConcurrently(
            "match", models.Index(fields=["-number"], name="match_open", condition=models.Q(status="open"))
        ),
        AddIndexConcurrently(
            "seat",
            models.Index(
                fields=["vacated_at", "id"], name="seat_waits", condition=models.Q(vacated_at__isnull=False)
            ),
        ),
        RemoveIndexConcurrently("seat", "seat_vacated"),
    ]
