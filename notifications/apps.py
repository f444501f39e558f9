"""The app of notices: an outbox, its sender, mutes, and inbound mail. It knows no game."""

from django.apps import AppConfig
from django.core import checks


class NotificationsConfig(AppConfig):
    name = "notifications"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        # Models may only be imported once all apps are loaded.
        from accounts import erasure
        from notifications.erasing import erase_notices
        from notifications.inbound import held, standing, stopping, tasks  # noqa: F401
        from notifications.inbound.doors import webhooks
        from notifications.other_channels import chats, subscriptions, web_push
        from notifications.other_channels import webhooks as hooks
        from notifications.returned import bounces
        from notifications.sending import digests, dkim
        from notifications.wanted import muting

        erasure.register("notifications", erase_notices)
        held.register()
        muting.register()
        standing.register()
        stopping.register()
        bounces.register()
        checks.register(dkim.check)
        webhooks.register()
        digests.register()
        hooks.register()
        subscriptions.register()
        web_push.register()
        chats.register()
