"""The lobby reads open matches alone, the newest first, however many others there are."""

from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models


class Migration(migrations.Migration):
    # An index is built beside writers outside a transaction only.
    atomic = False
    dependencies = [("matches", "0015_premove_looked")]

    operations = [
        AddIndexConcurrently(
            "match", models.Index(fields=["-number"], name="match_open", condition=models.Q(status="open"))
        ),
    ]
