"""A notice as a title and a link, for channels that show it at a glance: push and chats. Nothing of the position."""

from __future__ import annotations

from django.conf import settings
from django.utils import translation
from django.utils.translation import gettext as _

from notifications import registry
from notifications.models import Outbox


def of(notice: Outbox) -> tuple[str, str]:
    """Return the kind of the notice with its match, in the user's language, and the page to open."""
    assert notice.user is not None
    kind, number = registry.find(notice.kind), registry.facts_of(notice).get("number")
    with translation.override(notice.user.language):
        title = _(kind.label) if kind is not None else ""
    path = f"/matches/{number}/" if number is not None else "/"
    return f"{title} ({number})" if number is not None else title, f"{settings.BASE_URL}{path}"
