"""Mail that no person wrote: robots, lists, bounces, ourselves. It is never answered (MAIL_AND_API.md section 3, loops)."""

from __future__ import annotations

import re
from email.message import EmailMessage

from django.conf import settings

from notifications.inbound.refusals import MailRefused

_BULK = {"bulk", "junk", "list", "auto_reply", "auto-reply"}
_DAEMON = re.compile(r"\A(mailer-daemon|postmaster|no-?reply|do-?not-?reply|bounces?([+=-].*)?|auto-?reply)@", re.IGNORECASE)


def check_person(message: EmailMessage, *, envelope_from: str, sender: str) -> None:
    """Refuse what a machine sent. `X-Auto-Response-Suppress` alone proves nothing: some programs put it into every mail."""
    if envelope_from in ("", "<>"):
        raise MailRefused("null_return_path")
    marked = _word(message, "Auto-Submitted")
    if marked not in ("", "no"):
        raise MailRefused("auto_submitted", marked)
    for name in ("X-Autoreply", "X-Autorespond", "X-Autoresponder", "X-Auto-Reply"):
        if _word(message, name) not in ("", "no", "false"):
            raise MailRefused("auto_submitted", name)
    if _word(message, "Precedence") in _BULK:
        raise MailRefused("bulk", _word(message, "Precedence"))
    if message.get_content_type() in ("multipart/report", "message/delivery-status", "message/disposition-notification"):
        raise MailRefused("delivery_report")
    if _DAEMON.match(sender) or _DAEMON.match(envelope_from):
        raise MailRefused("mailer_daemon")
    if sender.rpartition("@")[2] in {str(settings.MAIL_DOMAIN).lower(), str(settings.REPLY_DOMAIN).lower()}:
        raise MailRefused("our_own")
    # After our own: another instance of this service marks its mails with a List-Id too.
    if _word(message, "List-Id"):
        raise MailRefused("mailing_list")


def _word(message: EmailMessage, name: str) -> str:
    """The first word of a header, in lower case: `auto-replied; owner=...` is `auto-replied`."""
    value = str(message.get(name, "")).strip().lower()
    return value.split(";")[0].split(" ")[0].strip() if value else ""
