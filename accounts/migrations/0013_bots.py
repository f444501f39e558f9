import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("accounts", "0012_blocks")]

    operations = [
        migrations.AddField(
            model_name="user",
            name="is_bot",
            field=models.BooleanField(db_default=False, default=False, editable=False),
        ),
        migrations.AddField(
            model_name="user",
            name="bot_owner",
            field=models.ForeignKey(
                editable=False,
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="bots",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AddField(
            model_name="user",
            name="bot_matches",
            field=models.PositiveSmallIntegerField(db_default=8, default=8, editable=False),
        ),
        migrations.AddField(
            model_name="user",
            name="plays_bots",
            field=models.BooleanField(db_default=False, default=False, verbose_name="bots may challenge me"),
        ),
    ]
