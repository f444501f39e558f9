import uuid

import django.contrib.postgres.fields
import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("matches", "0006_projections"), migrations.swappable_dependency(settings.AUTH_USER_MODEL)]
    operations = [
        migrations.AddField(
            model_name="match",
            name="press",
            field=models.CharField(
                choices=[("none", "None"), ("public", "Public"), ("private", "Private")],
                db_default="private",
                default="private",
                max_length=10,
            ),
        ),
        migrations.AddField(
            model_name="match",
            name="anonymous",
            field=models.BooleanField(db_default=False, default=False),
        ),
        migrations.CreateModel(
            name="Press",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ("seat", models.PositiveSmallIntegerField()),
                (
                    "to",
                    django.contrib.postgres.fields.ArrayField(base_field=models.PositiveSmallIntegerField(), size=None),
                ),
                ("text", models.TextField()),
                ("channel", models.CharField(max_length=10)),
                ("said_at", models.DateTimeField(default=django.utils.timezone.now)),
                (
                    "match",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="press_messages", to="matches.match"
                    ),
                ),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to=settings.AUTH_USER_MODEL
                    ),
                ),
            ],
            options={"indexes": [models.Index(fields=["match", "-said_at", "-id"], name="press_newest")]},
        ),
        migrations.CreateModel(
            name="Look",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ("seat", models.PositiveSmallIntegerField()),
                ("version", models.IntegerField(help_text="The version that was looked at.")),
                ("words", models.TextField()),
                ("at", models.DateTimeField(default=django.utils.timezone.now)),
                (
                    "match",
                    models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name="looks", to="matches.match"),
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
            options={"indexes": [models.Index(fields=["match", "-at"], name="look_newest")]},
        ),
    ]
