from django.db import migrations, models

# Bounces of notices that are already deleted keep an empty topic.
FILL = """UPDATE notifications_bounce AS bounce SET topic = notice.topic
FROM notifications_outbox AS notice WHERE notice.id = bounce.delivery"""


class Migration(migrations.Migration):
    dependencies = [("notifications", "0007_mailbox_waiting")]

    operations = [
        migrations.AddField("bounce", "topic", models.CharField(blank=True, db_default="", max_length=100)),
        migrations.RunSQL(FILL, migrations.RunSQL.noop),
    ]
