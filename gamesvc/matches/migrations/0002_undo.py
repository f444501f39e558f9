import uuid

import django.contrib.postgres.fields
import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [migrations.swappable_dependency(settings.AUTH_USER_MODEL), ("matches", "0001_initial")]
    operations = [
        migrations.AddField(
            model_name="match",
            name="undo",
            field=models.CharField(
                choices=[("free", "Free"), ("consent", "Consent"), ("never", "Never")],
                db_default="free",
                default="free",
                max_length=10,
            ),
        ),
        migrations.CreateModel(
            name="UndoRequest",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("version", models.IntegerField()),
                ("seat", models.PositiveSmallIntegerField()),
                ("to", models.IntegerField()),
                (
                    "asked",
                    django.contrib.postgres.fields.ArrayField(base_field=models.PositiveSmallIntegerField(), size=None),
                ),
                (
                    "accepted",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.PositiveSmallIntegerField(), default=list, size=None
                    ),
                ),
                ("until", models.DateTimeField()),
                ("settled_at", models.DateTimeField(null=True)),
                (
                    "match",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="undo_requests", to="matches.match"
                    ),
                ),
            ],
            options={
                "constraints": [models.UniqueConstraint(fields=("match", "version"), name="undo_request_once")],
                "indexes": [
                    models.Index(condition=models.Q(("settled_at", None)), fields=["until"], name="undo_request_until")
                ],
            },
        ),
        migrations.CreateModel(
            name="Reason",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ("words", models.TextField()),
                ("written_at", models.DateTimeField(default=django.utils.timezone.now)),
                (
                    "match",
                    models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name="reasons", to="matches.match"),
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
        ),
    ]
