import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("matches", "0004_clocks"), migrations.swappable_dependency(settings.AUTH_USER_MODEL)]
    operations = [
        migrations.AddField("seat", "vacated_at", models.DateTimeField(null=True)),
        migrations.AddIndex(
            "seat",
            models.Index(fields=["vacated_at"], name="seat_vacated", condition=models.Q(("vacated_at__isnull", False))),
        ),
        migrations.CreateModel(
            name="PauseWish",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("seat", models.PositiveSmallIntegerField()),
                ("wished_at", models.DateTimeField(default=django.utils.timezone.now)),
                (
                    "match",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="pause_wishes", to="matches.match"
                    ),
                ),
            ],
            options={"constraints": [models.UniqueConstraint(fields=("match", "seat"), name="pause_wish_once")]},
        ),
        migrations.CreateModel(
            name="Follow",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("game", models.CharField(blank=True, max_length=40)),
                ("since", models.DateTimeField(default=django.utils.timezone.now)),
                (
                    "organiser",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="followers",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to=settings.AUTH_USER_MODEL
                    ),
                ),
            ],
            options={
                "indexes": [models.Index(fields=["game"], name="follow_game")],
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("organiser", None)), fields=("user", "game"), name="follow_game_once"
                    ),
                    models.UniqueConstraint(
                        condition=models.Q(("organiser__isnull", False)),
                        fields=("user", "organiser"),
                        name="follow_organiser_once",
                    ),
                ],
            },
        ),
    ]
