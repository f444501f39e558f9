import uuid

import django.utils.timezone
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("matches", "0008_standing"),
        ("notifications", "0005_mail_in"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]
    operations = [
        migrations.CreateModel(
            name="HeldOrders",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, primary_key=True, serialize=False)),
                ("seat", models.PositiveSmallIntegerField()),
                ("question", models.CharField(max_length=100)),
                ("mail", models.UUIDField()),
                (
                    "first",
                    models.PositiveSmallIntegerField(
                        help_text="The number of the first line: what a mail leaves is kept once."
                    ),
                ),
                ("lines", models.JSONField()),
                ("version", models.IntegerField()),
                ("kept_at", models.IntegerField()),
                ("counts_at", models.DateTimeField()),
                (
                    "until",
                    models.CharField(
                        choices=[
                            ("deadline", "until the deadline, or until the player says ready"),
                            ("window", "until the others have answered"),
                        ],
                        max_length=10,
                    ),
                ),
                (
                    "state",
                    models.CharField(
                        choices=[("held", "Held"), ("done", "Done"), ("replaced", "Replaced")],
                        default="held",
                        max_length=10,
                    ),
                ),
                ("looked_at", models.IntegerField(default=0)),
                ("done_by", models.UUIDField(help_text="The mail that said ready.", null=True)),
                ("report", models.JSONField(null=True)),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now)),
                (
                    "match",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to="matches.match"
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
                "db_table": "matches_held_orders",
                "indexes": [
                    models.Index(
                        condition=models.Q(("state", "held")), fields=["match", "seat"], name="held_orders_open"
                    )
                ],
                "constraints": [
                    models.UniqueConstraint(fields=("mail", "first", "until"), name="held_orders_once")
                ],
            },
        ),
        migrations.CreateModel(
            name="DoneWord",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("number", models.PositiveSmallIntegerField()),
                ("state", models.CharField(max_length=10)),
                ("detail", models.TextField(blank=True)),
                (
                    "mail",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="notifications.inboundmail",
                    ),
                ),
            ],
            options={
                "db_table": "matches_done_word",
                "constraints": [models.UniqueConstraint(fields=("mail", "number"), name="done_word_once")],
            },
        ),
    ]
