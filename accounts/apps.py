"""The app of users: accounts, addresses, API tokens."""

from django.apps import AppConfig


class AccountsConfig(AppConfig):
    name = "accounts"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        # Models may only be imported once all apps are loaded.
        from accounts import (
            checks,  # noqa: F401
            network,
            signins,
        )

        network.check_settings()
        signins.listen()
