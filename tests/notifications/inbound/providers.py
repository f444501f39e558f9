"""The posts of each provider for a parsed mail: the same fields, each in its own format."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import time
from collections.abc import Callable, Sequence
from typing import Any

from django.test import RequestFactory

SIGNING_KEY = "a signing key"
SETTINGS = {
    "WEBHOOK_SECRET": ["old:secret", "new:secret"],
    "MAILGUN_WEBHOOK_SIGNING_KEY": SIGNING_KEY,
    "BREVO_API_KEY": "unused",
}
Headers = Sequence[tuple[str, str]]
Attachment = dict[str, str]


def basic(secret: str = "new:secret") -> dict[str, str]:
    return {"HTTP_AUTHORIZATION": "Basic " + base64.b64encode(secret.encode()).decode()} if secret else {}


def _json(body: Any) -> dict[str, Any]:
    return {"data": json.dumps(body), "content_type": "application/json"}


def _grouped(headers: Headers) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for name, value in headers:
        found.setdefault(name, []).append(value)
    return found


def postmark(to: str, headers: Headers, text: str, attachments: Sequence[Attachment] = ()) -> dict[str, Any]:
    own = {name: value for name, value in headers if name in ("From", "To", "Cc", "Subject")}
    full = {f"{name}Full": [{"Email": said, "Name": ""} for said in own.get(name, "").split(", ")] for name in ("To", "Cc")}
    named = [{"Name": name, "Value": value} for name, value in headers if name not in own]
    body = {"FromFull": {"Email": own.get("From", ""), "Name": ""}, **full, "Subject": own.get("Subject", ""), "TextBody": text}
    return _json({**body, "OriginalRecipient": to, "HtmlBody": "", "Headers": named, "Attachments": attachments})


def mailjet(to: str, headers: Headers, text: str, attachments: Sequence[Attachment] = ()) -> dict[str, Any]:
    parts, contents = [], {}
    for number, one in enumerate(attachments, 1):
        disposition = f'attachment; filename="{one["Name"]}"'
        parts.append(
            {
                "Headers": {"Content-Type": one["ContentType"], "Content-Disposition": disposition},
                "ContentRef": f"Attachment{number}",
            }
        )
        contents[f"Attachment{number}"] = one["Content"]
    return _json({"Headers": _grouped(headers), "Parts": parts, "Text-part": text, "Recipient": to, **contents})


def brevo(to: str, headers: Headers, text: str, _attachments: Sequence[Attachment] = ()) -> dict[str, Any]:
    """Return Brevo's post. Its attachments are fetched later."""
    return _json({"items": [{"Headers": _grouped([("Delivered-To", to), *headers]), "RawTextBody": text, "Uuid": ["u"]}]})


def mailgun(to: str, headers: Headers, text: str, _attachments: Sequence[Attachment] = ()) -> dict[str, Any]:
    stamp, token = str(int(time.time())), hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()
    form = {"recipient": to, "message-headers": json.dumps([*map(list, headers)]), "body-plain": text}
    seal = hmac.new(SIGNING_KEY.encode(), (stamp + token).encode(), hashlib.sha256).hexdigest()
    return {"data": {**form, "timestamp": stamp, "token": token, "signature": seal}}


def sendgrid(to: str, headers: Headers, text: str, _attachments: Sequence[Attachment] = ()) -> dict[str, Any]:
    above = "".join(f"{name}: {value}\n" for name, value in headers)
    return {"data": {"headers": above, "text": text, "envelope": json.dumps({"to": [to], "from": ""})}}


FORMATS: dict[str, tuple[str, Callable[..., dict[str, Any]]]] = {
    "Postmark": ("postmark/inbound/", postmark),
    "Mailjet": ("mailjet/inbound/", mailjet),
    "Brevo": ("brevo/inbound/", brevo),
    "Mailgun": ("mailgun/inbound/", mailgun),
    "SendGrid": ("sendgrid/inbound/", sendgrid),
}


def raw(provider: str, headers: Headers, text: str, attachments: Sequence[Attachment] = ()) -> bytes:
    """Return the mail that the service makes of a provider's post, before it looks anything up."""
    from anymail.urls import urlpatterns

    path, body = FORMATS[provider]
    view = next(entry.callback.view_class for entry in urlpatterns if entry.pattern.match(path))  # type: ignore[attr-defined]
    request = RequestFactory().post("/", **body("turn+x@reply.x.example", headers, text, attachments))
    (event,) = view(webhook_secret="new:secret").parse_events(request)
    return bytes(event.message.mail.raw)


def posted_raw(provider: str, to: str, raw: bytes) -> tuple[str, dict[str, Any]]:
    """Return the address and the post of a raw mail."""
    said = raw.decode()
    if provider == "postmark":
        return "/mail/provider/postmark/inbound/", _json({"Headers": [], "OriginalRecipient": to, "RawEmail": said})
    sealed = mailgun(to, [], "x")["data"]
    return "/mail/provider/mailgun/inbound_mime/", {"data": {**sealed, "body-mime": said}}
