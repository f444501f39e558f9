from django.db import migrations, models

# Existing premoves are checked from the next act on: earlier acts were checked when they were appended.
LOOKED = """
UPDATE matches_premove p SET looked_version = m.version FROM matches_match m
WHERE m.id = p.match_id AND p.status IN ('waiting', 'armed')
"""


class Migration(migrations.Migration):
    dependencies = [("matches", "0014_tenures")]
    operations = [
        migrations.AddField("premove", "looked_version", models.IntegerField(default=0)),
        migrations.RunSQL(LOOKED, migrations.RunSQL.noop),
    ]
