from django.contrib.postgres.operations import RemoveIndexConcurrently
from django.db import migrations, models
from django.db.models import Q

from gamesvc.database.indexes import AddIndexAgain


class Migration(migrations.Migration):

    atomic = False

    dependencies = [
        ("notifications", "0019_rests"),
    ]

    operations = [
        AddIndexAgain(
            "handover",
            models.Index(
                fields=["claimed_until"],
                condition=Q(status="waiting", claimed_until__isnull=False),
                name="notifications_handover_held",
            ),
        ),
        AddIndexAgain(
            "webhookdelivery",
            models.Index(fields=["hook", "due_at", "id"], condition=Q(status="waiting"), name="notifications_delivery_next"),
        ),
        AddIndexAgain(
            "webhookdelivery",
            models.Index(
                fields=["hook", "claimed_until"],
                condition=Q(status="waiting", claimed_until__isnull=False),
                name="notifications_delivery_held",
            ),
        ),
        RemoveIndexConcurrently("webhookdelivery", "notifications_delivery_due"),
    ]
