"""No deadline and no substitute are NULL and a flag of their own, in place of a moment in the year 9000."""

from django.contrib.postgres.operations import RemoveIndexConcurrently
from django.db import migrations, models

from gamesvc.database.indexes import AddIndexAgain

# When such a seat lost its holder, the log alone can tell; nothing asks for it any more.
TO_NULL = """
UPDATE matches_question SET due_at = NULL WHERE due_at >= '9000-01-01T00:00:00Z';
UPDATE matches_seat s SET given_over = true, vacated_at = coalesce(m.started_at, m.created_at)
FROM matches_match m WHERE m.id = s.match_id AND s.vacated_at >= '9000-01-01T00:00:00Z';
"""
TO_NEVER = """
UPDATE matches_question SET due_at = '9000-01-01T00:00:00Z' WHERE due_at IS NULL;
UPDATE matches_seat SET vacated_at = '9000-01-01T00:00:00Z' WHERE given_over;
"""

# As a field is added, but not a second time where a start was killed after it.
ADD_GIVEN_OVER = "ALTER TABLE matches_seat ADD COLUMN IF NOT EXISTS given_over boolean DEFAULT false NOT NULL"
DROP_GIVEN_OVER = "ALTER TABLE matches_seat DROP COLUMN given_over"


class Migration(migrations.Migration):
    atomic = False

    dependencies = [("matches", "0019_held_claimed_for")]

    operations = [
        migrations.AlterField("question", "due_at", models.DateTimeField(null=True)),
        migrations.SeparateDatabaseAndState(
            [migrations.RunSQL(ADD_GIVEN_OVER, DROP_GIVEN_OVER)],
            [migrations.AddField("seat", "given_over", models.BooleanField(default=False, db_default=False))],
        ),
        migrations.RunSQL(TO_NULL, TO_NEVER),
        AddIndexAgain(
            "seat",
            models.Index(
                fields=["vacated_at", "id"],
                name="seat_sought",
                condition=models.Q(vacated_at__isnull=False, given_over=False),
            ),
        ),
        RemoveIndexConcurrently("seat", "seat_waits"),
    ]
