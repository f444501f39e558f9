import uuid

import django.contrib.postgres.fields
import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("notifications", "0002_inbound_mail"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]
    operations = [
        migrations.CreateModel(
            name="CalendarEntry",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("topic", models.CharField(max_length=100)),
                ("subject", models.CharField(max_length=120)),
                ("due_at", models.DateTimeField()),
                ("sequence", models.PositiveIntegerField(default=0)),
                ("cancelled", models.BooleanField(default=False)),
                ("changed_at", models.DateTimeField(default=django.utils.timezone.now)),
            ],
            options={
                "db_table": "notifications_calendar_entry",
            },
        ),
        migrations.CreateModel(
            name="CalendarFeed",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now)),
            ],
            options={
                "db_table": "notifications_calendar_feed",
            },
        ),
        migrations.CreateModel(
            name="Handover",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ("channel", models.CharField(max_length=20)),
                ("due_at", models.DateTimeField()),
                ("claimed_until", models.DateTimeField(null=True)),
                ("attempts", models.IntegerField(default=0)),
                (
                    "status",
                    models.CharField(
                        choices=[
                            ("waiting", "its time has not come"),
                            ("sent", "taken by the receiver's side"),
                            ("refused", "refused for good"),
                            ("dropped", "not sent, because it no longer held or was acted upon"),
                            ("failed", "not sent, because it could not be"),
                        ],
                        default="waiting",
                        max_length=10,
                    ),
                ),
                ("done_at", models.DateTimeField(null=True)),
                ("error", models.CharField(blank=True, max_length=500)),
            ],
            options={
                "db_table": "notifications_handover",
            },
        ),
        migrations.CreateModel(
            name="Preference",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("topic", models.CharField(blank=True, default="", max_length=100)),
                (
                    "reminders",
                    django.contrib.postgres.fields.ArrayField(base_field=models.CharField(max_length=8), null=True, size=None),
                ),
                ("batch_minutes", models.PositiveSmallIntegerField(null=True)),
                ("immediate_below", models.PositiveSmallIntegerField(null=True)),
                ("digest_hour", models.PositiveSmallIntegerField(null=True)),
                ("digest_at", models.DateTimeField(null=True)),
                ("digested_at", models.DateTimeField(null=True)),
                (
                    "channels",
                    django.contrib.postgres.fields.ArrayField(base_field=models.CharField(max_length=20), null=True, size=None),
                ),
                ("channel_minutes", models.PositiveSmallIntegerField(null=True)),
            ],
            options={
                "db_table": "notifications_preference",
            },
        ),
        migrations.CreateModel(
            name="Presence",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("topic", models.CharField(max_length=100)),
                ("seen_at", models.DateTimeField()),
            ],
            options={
                "db_table": "notifications_presence",
            },
        ),
        migrations.CreateModel(
            name="Reminder",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("topic", models.CharField(max_length=100)),
                ("subject", models.CharField(max_length=120)),
                ("point", models.CharField(max_length=8)),
                ("deadline", models.DateTimeField()),
                ("notice", models.UUIDField(null=True)),
                ("made_at", models.DateTimeField(default=django.utils.timezone.now)),
            ],
            options={
                "db_table": "notifications_reminder",
            },
        ),
        migrations.CreateModel(
            name="Webhook",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ("url", models.URLField(max_length=500)),
                ("generation", models.PositiveIntegerField(default=1)),
                ("rotated_at", models.DateTimeField(default=django.utils.timezone.now)),
                ("failing_since", models.DateTimeField(null=True)),
                ("disabled_at", models.DateTimeField(null=True)),
            ],
            options={
                "db_table": "notifications_webhook",
            },
        ),
        migrations.AddField(
            model_name="outbox",
            name="acted_at",
            field=models.DateTimeField(null=True),
        ),
        migrations.AddField(
            model_name="outbox",
            name="merged_into",
            field=models.UUIDField(null=True),
        ),
        migrations.AlterField(
            model_name="outbox",
            name="status",
            field=models.CharField(
                choices=[
                    ("queued", "waiting or being sent"),
                    ("sent", "taken by the mail server"),
                    ("dropped", "not sent, because it no longer held or is not wanted"),
                    ("failed", "not sent, because it could not be"),
                    ("merged", "told in another mail, with other notices"),
                ],
                db_default="queued",
                max_length=10,
            ),
        ),
        migrations.AddIndex(
            model_name="outbox",
            index=models.Index(
                condition=models.Q(("merged_into__isnull", False)), fields=["merged_into"], name="notifications_outbox_merged"
            ),
        ),
        migrations.AddField(
            model_name="calendarentry",
            name="user",
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name="+", to=settings.AUTH_USER_MODEL),
        ),
        migrations.AddField(
            model_name="calendarfeed",
            name="user",
            field=models.OneToOneField(
                on_delete=django.db.models.deletion.CASCADE, related_name="+", to=settings.AUTH_USER_MODEL
            ),
        ),
        migrations.AddField(
            model_name="handover",
            name="notice",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE, related_name="handovers", to="notifications.outbox"
            ),
        ),
        migrations.AddField(
            model_name="preference",
            name="user",
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name="+", to=settings.AUTH_USER_MODEL),
        ),
        migrations.AddField(
            model_name="presence",
            name="user",
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name="+", to=settings.AUTH_USER_MODEL),
        ),
        migrations.AddField(
            model_name="reminder",
            name="user",
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name="+", to=settings.AUTH_USER_MODEL),
        ),
        migrations.AddField(
            model_name="webhook",
            name="user",
            field=models.OneToOneField(
                on_delete=django.db.models.deletion.CASCADE, related_name="+", to=settings.AUTH_USER_MODEL
            ),
        ),
        migrations.AddIndex(
            model_name="calendarentry",
            index=models.Index(fields=["changed_at"], name="notifications_calendar_age"),
        ),
        migrations.AddConstraint(
            model_name="calendarentry",
            constraint=models.UniqueConstraint(fields=("user", "topic", "subject"), name="notifications_calendar_entry_once"),
        ),
        migrations.AddIndex(
            model_name="handover",
            index=models.Index(condition=models.Q(("status", "waiting")), fields=["due_at"], name="notifications_handover_due"),
        ),
        migrations.AddConstraint(
            model_name="handover",
            constraint=models.UniqueConstraint(fields=("notice", "channel"), name="notifications_handover_once"),
        ),
        migrations.AddIndex(
            model_name="preference",
            index=models.Index(
                condition=models.Q(("digest_at__isnull", False)), fields=["digest_at"], name="notifications_digest_due"
            ),
        ),
        migrations.AddConstraint(
            model_name="preference",
            constraint=models.UniqueConstraint(fields=("user", "topic"), name="notifications_preference_once"),
        ),
        migrations.AddConstraint(
            model_name="presence",
            constraint=models.UniqueConstraint(fields=("user", "topic"), name="notifications_presence_once"),
        ),
        migrations.AddIndex(
            model_name="reminder",
            index=models.Index(fields=["deadline"], name="notifications_reminder_age"),
        ),
        migrations.AddConstraint(
            model_name="reminder",
            constraint=models.UniqueConstraint(
                fields=("topic", "subject", "user", "point", "deadline"), name="notifications_reminder_once"
            ),
        ),
    ]
