import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("matches", "0002_undo")]
    operations = [
        migrations.AddField(
            model_name="match",
            name="board",
            field=models.BooleanField(db_default=False, default=False),
        ),
        migrations.CreateModel(
            name="Beginning",
            fields=[
                (
                    "match",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="beginning",
                        serialize=False,
                        to="matches.match",
                    ),
                ),
                ("version", models.IntegerField(null=True)),
                ("seat", models.PositiveSmallIntegerField(null=True)),
                ("position", models.TextField()),
                ("salt", models.CharField(max_length=32)),
                (
                    "origin",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="forks",
                        to="matches.match",
                    ),
                ),
            ],
        ),
    ]
