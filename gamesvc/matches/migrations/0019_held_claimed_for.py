"""`HeldOrders.claimed_for`: the deadline for which the clock carries orders out. They count from it, also after a crash."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("matches", "0018_question_look_at")]

    operations = [
        migrations.AddField("heldorders", "claimed_for", models.DateTimeField(null=True)),
    ]
