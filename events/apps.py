"""The event store as a Django app."""

from django.apps import AppConfig
from django.core.checks import register
from django.db.models.signals import post_migrate


class EventsConfig(AppConfig):
    name = "events"
    label = "events"
    verbose_name = "Event store"

    def ready(self) -> None:
        from events import epochs, roles  # here, because both need the settings
        from events.proofs import checkpoints

        register(roles.check_two_roles)
        register(checkpoints.check_key)

        def after_migrate(using: str, **_: object) -> None:
            roles.grant(using)
            epochs.bump_if_restored(using)

        post_migrate.connect(after_migrate, sender=self, weak=False, dispatch_uid="events.after_migrate")
