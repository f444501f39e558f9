import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("accounts", "0001_initial")]
    operations = [
        migrations.AddField("user", "quiet_from", models.TimeField(blank=True, null=True)),
        migrations.AddField("user", "quiet_until", models.TimeField(blank=True, null=True)),
        migrations.CreateModel(
            name="Absence",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("first_day", models.DateField()),
                ("last_day", models.DateField()),
                ("zone", models.CharField(max_length=64)),
                ("starts_at", models.DateTimeField()),
                ("ends_at", models.DateTimeField()),
                ("announced_at", models.DateTimeField(default=django.utils.timezone.now)),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="absences", to=settings.AUTH_USER_MODEL
                    ),
                ),
            ],
            options={"indexes": [models.Index(fields=["user", "ends_at"], name="accounts_ab_user_id_790576_idx")]},
        ),
    ]
