import django.db.models.deletion
from django.db import migrations, models


def split_admin(apps, schema_editor):
    """Replace the scope `admin` of tokens by each scope. Tokens with `play` keep it, but may no longer change the account."""
    keys = apps.get_model("accounts", "ApiToken").objects.filter(scopes__contains=["admin"])
    keys.update(scopes=["read", "play", "account", "organise", "operate"])


def join_admin(apps, schema_editor):
    """Restore the scope `admin`, which older code takes for all scopes."""
    keys = apps.get_model("accounts", "ApiToken").objects.filter(scopes__contains=["operate"])
    keys.update(scopes=["read", "play", "admin"])


class Migration(migrations.Migration):
    dependencies = [("accounts", "0005_absence_changes_written_at")]

    operations = [
        migrations.AddField(
            model_name="apitoken",
            name="parent",
            field=models.ForeignKey(
                editable=False,
                null=True,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="children",
                to="accounts.apitoken",
            ),
        ),
        migrations.AddField(
            model_name="apitoken", name="proven_at", field=models.DateTimeField(editable=False, null=True)
        ),
        migrations.RunPython(split_admin, join_admin),
    ]
