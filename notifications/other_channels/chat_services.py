"""The chat services that Apprise may send to, and nothing else: a list of services, and of hosts for each.

Discord, Slack and Telegram have one host each, written in Apprise. Servers of Matrix and ntfy are reached on the hosts below, and
on those in `CHAT_TRUSTED_HOSTS`. Redirects are not followed, options in an address are refused, nothing is stored on disk, and
each notice goes to one place, so that no transfer takes long.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit
from uuid import UUID

from apprise import AppriseAsset, PersistentStoreMode, URLBase
from apprise.plugins.discord import NotifyDiscord
from apprise.plugins.matrix import NotifyMatrix
from apprise.plugins.ntfy import NotifyNtfy
from apprise.plugins.slack import NotifySlack
from apprise.plugins.telegram import NotifyTelegram
from django.conf import settings

from gamesvc.language import say
from notifications.channels import ChannelBusy, ChannelRefused, HostSilent
from notifications.other_channels import outward
from notifications.other_channels.chat_names import EXAMPLES, check_service
from notifications.wanted.wishes import WishRefused

LONGEST = 500
HOSTS = {"matrix": {"matrix.org", "matrix-client.matrix.org"}, "ntfy": {"ntfy.sh"}}
"""Public servers of services that anyone may run, at port 443."""
_PLUGINS: dict[str, Any] = {
    "discord": NotifyDiscord,
    "slack": NotifySlack,
    "telegram": NotifyTelegram,
    "matrix": NotifyMatrix,
    "ntfy": NotifyNtfy,
}
_SCHEMES = {
    "discord": ("discord", "https"),
    "slack": ("slack", "https"),
    "telegram": ("tgram",),
    "matrix": ("matrix", "matrixs"),
    "ntfy": ("ntfy", "ntfys", "https"),
}
# Pictures and footers of Apprise; a lookup of another host by the first one; encrypted rooms, which need keys kept on disk.
_OFF = ("include_image", "include_footer", "avatar", "discovery", "e2ee")


class ChatAddressRefused(WishRefused):
    """The address is none of the service, or leads to a server that is not on the list."""

    code = "bad_chat_address"
    title = "The address of the chat does not fit"
    detail = "Nothing can be sent there."
    advice = "Give the address as the service shows it for a webhook, or as Apprise writes it."
    parameter = "address"

    def __init__(self, detail: str) -> None:
        super().__init__(detail=detail)


def check(service: str, address: str) -> None:
    """Raise `WishRefused` for an unknown service, and for an address that cannot be used."""
    check_service(service)
    _plugin(service, address)


def prepared(service: str, address: str, identity: UUID) -> tuple[str, Callable[[str, str], None]]:
    """Return the host that an address leads to, and the function that sends title and text there. Raises `ChannelRefused`.

    `identity`: the same for each try of one message.
    """
    try:
        plugin = _plugin(service, address)
    except WishRefused as refused:
        raise ChannelRefused(str(refused)) from None
    if service == "matrix" and plugin.password and not plugin.user:
        # A server shows a message once that comes again with its id and its access token ("Transaction identifiers" in the
        # client-server API). Apprise would make up an id for each try, when it takes the password for the token.
        plugin.access_token, plugin.transaction_id = plugin.password, identity
    return _host(service, plugin), lambda title, text: _send(plugin, title, text)


def _send(plugin: Any, title: str, text: str) -> None:
    began = time.monotonic()
    if plugin.notify(body=text, title=title):
        return
    # Apprise does not say why. A server that refuses one address does so at once: others there still get theirs.
    if time.monotonic() - began >= URLBase.socket_connect_timeout:
        raise HostSilent("the service did not answer")
    raise ChannelBusy("the service did not take it")


def _plugin(service: str, address: str) -> Any:
    """Return Apprise's sender for an address. Raises `ChatAddressRefused`."""
    known = _parsed(service, address)
    if known is None:
        raise ChatAddressRefused(
            say("This is no address of the service; it should be like {example}.", example=EXAMPLES[service])
        )
    for name in _OFF:
        known[name] = False
    if service == "matrix":
        known["mode"] = "off"  # the others are webhooks on any host
    known["asset"] = AppriseAsset(
        app_id="gamesvc", app_desc="gamesvc", http_redirects=False, storage_mode=PersistentStoreMode.MEMORY
    )
    try:
        plugin = _PLUGINS[service](**known)
    except TypeError:  # how Apprise says that a part is missing
        raise ChatAddressRefused(
            say("A part of the address is missing; it should be like {example}.", example=EXAMPLES[service])
        ) from None
    if not _may_reach(service, plugin):
        raise ChatAddressRefused(say("This server is not on the list of the service; ask its operator to add it."))
    if not _names_one_place(service, plugin):
        raise ChatAddressRefused(
            say("The address names one chat, room or topic; it should be like {example}.", example=EXAMPLES[service])
        )
    # Apprise would sleep where a service is busy. Our own tries come later instead.
    plugin.throttle = lambda *_args, **_more: None
    return plugin


def _parsed(service: str, address: str) -> dict[str, Any] | None:
    """Return the parts of an address as Apprise reads them; None if it is none of the service."""
    if len(address) > LONGEST or not address.isascii() or not address.isprintable() or {"?", " ", "\\"} & set(address):
        return None
    scheme = address.partition("://")[0].lower()
    if scheme not in _SCHEMES[service]:
        return None
    plugin = _PLUGINS[service]
    read = plugin.parse_native_url if scheme == "https" else plugin.parse_url
    try:
        known: dict[str, Any] | None = read(address.replace("/#", "/%23"))
    except Exception:  # Apprise fails in several ways at an address that lacks a part
        return None
    return known


def _may_reach(service: str, plugin: Any) -> bool:
    if service not in HOSTS or _is_cloud(service, plugin):
        return True
    host, port = _server(plugin)
    if plugin.secure and port == 443 and host in HOSTS[service]:
        return True
    named = [urlsplit(f"//{entry}") for entry in settings.CHAT_TRUSTED_HOSTS]
    return any(entry.hostname == host and port in ({entry.port} if entry.port is not None else {80, 443}) for entry in named)


def _names_one_place(service: str, plugin: Any) -> bool:
    """Return True for an address with a single receiver. Apprise sends to each of several in turn, and without a room to all."""
    named = {"telegram": "targets", "ntfy": "topics"}.get(service)
    if service == "matrix":
        return len([*plugin.rooms, *plugin.users]) == 1
    return len(plugin) == 1 and (named is None or len(getattr(plugin, named)) == 1)


def _is_cloud(service: str, plugin: Any) -> bool:
    return service == "ntfy" and plugin.mode == "cloud"


def _host(service: str, plugin: Any) -> str:
    """Return the lane of transfers: the server, or the service where that has one.

    A server of Matrix asks another one for its rooms and users, and waits as long as that one pleases: those have lanes of their
    own.
    """
    if service not in HOSTS or _is_cloud(service, plugin):
        return service
    host, port = _server(plugin)
    lane = outward.lane(f"{'https' if plugin.secure else 'http'}://{host}:{port}")
    return " ".join([lane, *_other_server(plugin)]) if service == "matrix" else lane


def _other_server(plugin: Any) -> list[str]:
    """Return the server that the room or user of an address names behind a colon; nothing without one."""
    targets: list[str] = [*plugin.rooms, *plugin.users]
    return [name.lower() for name in re.split(":|%3A", targets[0], maxsplit=1, flags=re.IGNORECASE)[1:]]


def _server(plugin: Any) -> tuple[str, int]:
    return str(plugin.host).lower(), plugin.port or (443 if plugin.secure else 80)
