from django.db import migrations, models

ARCHIVED = models.Q(("status", "finished"), ("watch", "all"))


class Migration(migrations.Migration):
    dependencies = [("matches", "0030_report_closed")]

    operations = [
        migrations.AddIndex(
            model_name="match",
            index=models.Index(condition=ARCHIVED, fields=["ended_at", "number"], name="match_ended"),
        ),
        migrations.AddIndex(
            model_name="match",
            index=models.Index(condition=ARCHIVED, fields=["game", "ended_at", "number"], name="match_ended_game"),
        ),
    ]
