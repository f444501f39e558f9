"""The app of notices: an outbox, its sender, and who does not want which. It knows no game and no match."""

from django.apps import AppConfig


class NotificationsConfig(AppConfig):
    name = "notifications"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        # Models may only be imported once all apps are loaded.
        from accounts import erasure
        from notifications.eraser import erase_notices

        erasure.register("notifications", erase_notices)
