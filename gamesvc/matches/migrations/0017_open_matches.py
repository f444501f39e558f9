"""The lobby reads open matches alone, the newest first; the list of free seats has its order from an index as well."""

from django.contrib.postgres.operations import AddIndexConcurrently, RemoveIndexConcurrently
from django.db import migrations, models


class Migration(migrations.Migration):
    # An index is built beside writers outside a transaction only.
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
