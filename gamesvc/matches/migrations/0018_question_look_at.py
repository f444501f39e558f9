"""`Question.look_at`: when the reminder sweep must look at a question next. A trigger resets it when the clock changes."""

from datetime import UTC, datetime

from django.db import migrations, models

AT_ONCE = datetime(1970, 1, 1, tzinfo=UTC)
TRIGGER = """
CREATE FUNCTION matches_question_look() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.look_at = '1970-01-01T00:00:00Z';
  RETURN NEW;
END $$;
CREATE TRIGGER matches_question_look BEFORE UPDATE OF asked_at, due_at, grace_from, break_at, break_for, bot
ON matches_question FOR EACH ROW EXECUTE FUNCTION matches_question_look();
"""
NO_TRIGGER = "DROP TRIGGER matches_question_look ON matches_question; DROP FUNCTION matches_question_look();"


class Migration(migrations.Migration):
    dependencies = [("matches", "0017_open_matches")]

    operations = [
        migrations.AddField(
            "question", "look_at", models.DateTimeField(null=True, default=AT_ONCE, db_default=AT_ONCE)
        ),
        migrations.AddIndex(
            "question", models.Index(fields=["look_at"], name="question_looks", condition=models.Q(bot=False))
        ),
        migrations.RunSQL(TRIGGER, NO_TRIGGER),
    ]
