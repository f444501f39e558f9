"""Give a policy to matches opened before clocks had parts: it holds their hours."""

from django.db import migrations

FILL = "UPDATE matches_match SET clock = jsonb_build_object('hours', hours) WHERE clock = '{}'::jsonb"


class Migration(migrations.Migration):
    dependencies = [("matches", "0012_premove_course")]

    operations = [migrations.RunSQL(FILL, migrations.RunSQL.noop)]
