from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("notifications", "0004_mail_out")]
    operations = [
        migrations.AlterField(
            model_name="replyaddress",
            name="user",
            field=models.ForeignKey(
                null=True, on_delete=models.deletion.CASCADE, related_name="+", to=settings.AUTH_USER_MODEL
            ),
        ),
        migrations.AddField(
            model_name="replyaddress",
            name="email",
            field=models.CharField(blank=True, db_default="", max_length=254),
        ),
        migrations.CreateModel(
            name="Mailbox",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("name", models.CharField(max_length=300, unique=True)),
                ("uid_validity", models.BigIntegerField(default=0)),
                ("last_uid", models.BigIntegerField(default=0)),
                ("tries", models.IntegerField(default=0)),
                ("polled_at", models.DateTimeField(null=True)),
                ("claimed_until", models.DateTimeField(null=True)),
            ],
            options={"db_table": "notifications_mailbox"},
        ),
    ]
