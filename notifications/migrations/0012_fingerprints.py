from django.db import migrations, models
from django.db.models import Q


class Migration(migrations.Migration):
    dependencies = [("notifications", "0011_body_digests")]

    operations = [
        migrations.AddField("inboundmail", "fingerprint", models.CharField(blank=True, db_default="", max_length=64)),
        migrations.AddConstraint(
            "inboundmail",
            models.UniqueConstraint(
                fields=["fingerprint", "address"], condition=~Q(fingerprint=""), name="notifications_inbound_proved_once"
            ),
        ),
    ]
