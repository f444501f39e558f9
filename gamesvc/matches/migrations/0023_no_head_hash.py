from django.db import migrations


class Migration(migrations.Migration):

    dependencies = [
        ("matches", "0022_removals"),
    ]

    operations = [
        migrations.RemoveField("match", "head_hash"),
    ]
