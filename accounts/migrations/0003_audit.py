import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("accounts", "0002_absence")]
    operations = [
        migrations.CreateModel(
            name="SignIn",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("signed_up", "signed up"),
                            ("in", "signed in"),
                            ("failed", "sign-in failed"),
                            ("out", "signed out"),
                            ("token", "token used (first time in an hour)"),
                            ("token_refused", "token refused"),
                            ("password_changed", "password changed"),
                            ("password_reset", "password reset by mail"),
                            ("factor_added", "second factor added"),
                            ("factor_removed", "second factor removed"),
                        ],
                        max_length=20,
                    ),
                ),
                ("channel", models.CharField(max_length=10)),
                ("name_hash", models.CharField(blank=True, max_length=64)),
                ("address", models.GenericIPAddressField(null=True, verbose_name="network address")),
                ("at", models.DateTimeField(default=django.utils.timezone.now)),
                (
                    "token",
                    models.ForeignKey(
                        null=True, on_delete=django.db.models.deletion.SET_NULL, related_name="+", to="accounts.apitoken"
                    ),
                ),
                (
                    "user",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="sign_ins",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "indexes": [
                    models.Index(fields=["at"], name="sign_in_at"),
                    models.Index(fields=["user", "-at"], name="sign_in_user"),
                ],
            },
        ),
    ]
