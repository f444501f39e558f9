import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models

REPORTS = [
    ("hard", "there is no such mailbox"),
    ("soft", "the mailbox did not take it this time"),
    ("complaint", "its owner called it unwanted"),
]
SOURCES = [
    ("smtp", "the mail server, while taking the mail"),
    ("dsn", "a delivery report by mail"),
    ("provider", "the mail provider"),
]


def owner():
    return models.ForeignKey(
        null=True, on_delete=django.db.models.deletion.CASCADE, related_name="+", to=settings.AUTH_USER_MODEL
    )


class Migration(migrations.Migration):
    dependencies = [
        ("notifications", "0003_reminders"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]
    operations = [
        migrations.CreateModel(
            name="Bounce",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("key", models.CharField(max_length=64, unique=True)),
                ("delivery", models.UUIDField(db_index=True, null=True)),
                ("kind", models.CharField(blank=True, max_length=60)),
                ("address_hash", models.CharField(max_length=64)),
                ("report", models.CharField(choices=REPORTS, max_length=10)),
                ("source", models.CharField(choices=SOURCES, max_length=10)),
                ("status", models.CharField(blank=True, max_length=12)),
                ("detail", models.CharField(blank=True, max_length=300)),
                ("happened_at", models.DateTimeField(default=django.utils.timezone.now)),
                ("user", owner()),
            ],
            options={
                "db_table": "notifications_bounce",
                "indexes": [models.Index(fields=["address_hash", "happened_at"], name="notifications_bounce_address")],
            },
        ),
        migrations.CreateModel(
            name="Suppression",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("address_hash", models.CharField(max_length=64)),
                ("kind", models.CharField(blank=True, max_length=60)),
                ("report", models.CharField(choices=REPORTS, max_length=10)),
                ("status", models.CharField(blank=True, max_length=12)),
                ("detail", models.CharField(blank=True, max_length=300)),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now)),
                ("lifted_at", models.DateTimeField(null=True)),
                ("user", owner()),
            ],
            options={
                "db_table": "notifications_suppression",
                "constraints": [
                    models.UniqueConstraint(fields=("address_hash", "kind"), name="notifications_suppression_once")
                ],
            },
        ),
        migrations.AddField(
            model_name="outbox",
            name="sent_to",
            field=models.CharField(blank=True, db_default="", max_length=64),
        ),
    ]
