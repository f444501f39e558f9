from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("matches", "0031_bulk_export")]

    operations = [
        migrations.AddField(
            model_name="match",
            name="watch_delay",
            field=models.PositiveSmallIntegerField(db_default=0, default=0),
        ),
    ]
