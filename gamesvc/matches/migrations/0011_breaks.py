from django.contrib.postgres.fields import ArrayField
from django.db import migrations, models


def spans():
    return ArrayField(models.FloatField(), default=list, db_default=models.Value([], ArrayField(models.FloatField())))


class Migration(migrations.Migration):
    dependencies = [("matches", "0010_outage_failed")]
    operations = [
        migrations.AddField("question", "break_at", spans()),
        migrations.AddField("question", "break_for", spans()),
    ]
