"""Checks for a public server, in `manage.py check --deploy`."""

from __future__ import annotations

from django.conf import settings
from django.core import checks

from accounts import network


@checks.register(deploy=True)
def proxies_are_named(app_configs: object, **_: object) -> list[checks.CheckMessage]:
    """Warn if there is a proxy that is not configured: then all users share the limits of one address.

    The web server itself speaks no TLS, so a `BASE_URL` with https means a proxy.
    """
    if network.trusts_everybody():
        hint = "Name only the addresses of your own proxies: any other client could forge X-Forwarded-For."
        return [checks.Warning("TRUSTED_PROXIES trusts every address.", hint=hint, id="accounts.W002")]
    if settings.BASE_URL.startswith("https:") and not settings.TRUSTED_PROXIES:
        hint = (
            "Name the address from which your proxy connects, such as TRUSTED_PROXIES=127.0.0.1,::1 (deploy/README.md, Settings)."
        )
        told = "TRUSTED_PROXIES is empty, though https needs a proxy: wrong passwords of one client lock all users out."
        return [checks.Warning(told, hint=hint, id="accounts.W001")]
    return []
