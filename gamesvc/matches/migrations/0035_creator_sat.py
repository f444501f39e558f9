from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("matches", "0034_rating_bots")]

    operations = [
        migrations.AddField(
            model_name="match",
            name="creator_sat",
            field=models.BooleanField(db_default=False, default=False),
        ),
    ]
