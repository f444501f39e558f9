import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

HOLDERS = """
INSERT INTO matches_holding (holder, match_id, seat, user_id)
SELECT s.holder, s.match_id, s.index, s.user_id FROM matches_seat s WHERE s.holder IS NOT NULL AND s.user_id IS NOT NULL
ON CONFLICT DO NOTHING
"""


class Migration(migrations.Migration):
    dependencies = [("matches", "0005_absence"), migrations.swappable_dependency(settings.AUTH_USER_MODEL)]
    operations = [
        migrations.CreateModel(
            name="FeedCursor",
            fields=[
                ("name", models.CharField(max_length=40, primary_key=True, serialize=False)),
                ("epoch", models.PositiveSmallIntegerField(default=0)),
                ("xid", models.BigIntegerField(default=0)),
                ("pos", models.BigIntegerField(default=0)),
            ],
        ),
        migrations.CreateModel(
            name="Reckoned",
            fields=[
                (
                    "match",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="+",
                        serialize=False,
                        to="matches.match",
                    ),
                ),
                ("version", models.IntegerField(default=0)),
                ("notes", models.JSONField(default=dict)),
                ("fault", models.TextField(blank=True)),
            ],
        ),
        migrations.CreateModel(
            name="Holding",
            fields=[
                ("holder", models.UUIDField(primary_key=True, serialize=False)),
                ("seat", models.PositiveSmallIntegerField()),
                ("counts", models.BooleanField(db_default=True, default=True)),
                ("contested", models.BooleanField(db_default=False, default=False)),
                ("answers", models.IntegerField(db_default=0, default=0)),
                ("answer_seconds", models.BigIntegerField(db_default=0, default=0)),
                ("timeouts", models.IntegerField(db_default=0, default=0)),
                ("excused", models.IntegerField(db_default=0, default=0)),
                ("finished", models.BooleanField(db_default=False, default=False)),
                ("vacated", models.BooleanField(db_default=False, default=False)),
                ("place", models.PositiveSmallIntegerField(null=True)),
                ("shared", models.BooleanField(db_default=False, default=False)),
                ("last_at", models.DateTimeField(null=True)),
                (
                    "match",
                    models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name="+", to="matches.match"),
                ),
                (
                    "user",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={"indexes": [models.Index(fields=["user", "-last_at"], name="holding_user")]},
        ),
        migrations.AddField(model_name="match", name="reliability", field=models.JSONField(null=True)),
        migrations.RunSQL(HOLDERS, migrations.RunSQL.noop),
    ]
