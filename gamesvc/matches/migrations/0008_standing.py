import uuid

import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("matches", "0007_press"), migrations.swappable_dependency(settings.AUTH_USER_MODEL)]
    operations = [
        migrations.CreateModel(
            name="Premove",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ("seat", models.PositiveSmallIntegerField()),
                ("number", models.PositiveSmallIntegerField()),
                ("condition", models.JSONField()),
                ("commands", models.JSONField()),
                (
                    "status",
                    models.CharField(
                        choices=[("waiting", "Waiting"), ("armed", "Armed"), ("done", "Done"), ("dropped", "Dropped")],
                        default="waiting",
                        max_length=10,
                    ),
                ),
                ("made_at", models.DateTimeField(default=django.utils.timezone.now)),
                ("armed_version", models.IntegerField(null=True)),
                ("ended_at", models.DateTimeField(null=True)),
                ("given", models.PositiveSmallIntegerField(default=0)),
                ("why", models.TextField(blank=True)),
                (
                    "match",
                    models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name="premoves", to="matches.match"),
                ),
                (
                    "user",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "indexes": [
                    models.Index(
                        condition=models.Q(("status__in", ["waiting", "armed"])), fields=["match"], name="premove_open"
                    )
                ],
                "constraints": [models.UniqueConstraint(fields=("match", "seat", "number"), name="premove_number_once")],
            },
        ),
    ]
