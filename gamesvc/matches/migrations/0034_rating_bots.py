from django.db import migrations, models

from gamesvc.database.indexes import AddIndexAgain


class Migration(migrations.Migration):
    """Ratings are written all the time, so the index is built while the service runs."""

    atomic = False
    dependencies = [("matches", "0033_archive_filters")]

    operations = [
        AddIndexAgain(
            model_name="rating",
            index=models.Index(fields=["game", "-low"], name="rating_bots", condition=models.Q(("pool", "bots"))),
        ),
    ]
