from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("matches", "0029_branches")]

    operations = [
        migrations.AddIndex(
            model_name="report",
            index=models.Index(condition=models.Q(("closed_at__isnull", False)), fields=["closed_at"], name="report_closed"),
        ),
    ]
