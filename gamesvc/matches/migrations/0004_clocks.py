from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("matches", "0003_forks")]
    operations = [
        migrations.CreateModel(
            name="Heartbeat",
            fields=[
                ("name", models.CharField(max_length=20, primary_key=True, serialize=False)),
                ("beat_at", models.DateTimeField()),
            ],
        ),
        migrations.AddField(
            model_name="match",
            name="clock",
            field=models.JSONField(db_default=models.Value({}, models.JSONField()), default=dict),
        ),
        migrations.AddField("match", "paused_at", models.DateTimeField(null=True)),
        migrations.AddField("question", "grace_from", models.DateTimeField(null=True)),
        migrations.CreateModel(
            name="Outage",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("started_at", models.DateTimeField()),
                ("ended_at", models.DateTimeField()),
                ("settled_at", models.DateTimeField(null=True)),
                ("claimed_until", models.DateTimeField(null=True)),
            ],
            options={
                "indexes": [
                    models.Index(condition=models.Q(("settled_at", None)), fields=["started_at"], name="outage_open")
                ],
                "constraints": [models.UniqueConstraint(fields=("started_at",), name="outage_once")],
            },
        ),
    ]
