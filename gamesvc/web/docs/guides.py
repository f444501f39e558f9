"""The guides for developers, written beside this module in Markdown, and the meta-schema of forms."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.utils.safestring import mark_safe
from django.views.decorators.http import require_safe

from gamesvc.games.kernel import vocabulary
from gamesvc.web.common import markdown

PYTHON = {"package": "gamesvc.clients.python", "name": "gamesvc_client.py", "kind": "text/x-python"}
BRIDGE = {"package": "gamesvc.clients.python", "name": "gamesvc_bot.py", "kind": "text/x-python"}
TYPESCRIPT = {"package": "gamesvc.clients.typescript", "name": "gamesvc-client.js", "kind": "text/javascript"}
TITLES = {
    "first-bot": "Your first bot",
    "signing-in": "Signing in",
    "forms": "Forms",
    "bots": "Bots and challenges",
    "streams": "Streams",
    "webhooks": "Webhooks",
    "errors": "Errors",
    "limits": "Limits",
    "mail": "Playing by mail",
    "proof": "Proof: the export format",
    "changes": "Changes and promises",
}


@dataclass(frozen=True, slots=True)
class Guide:
    """A guide: its address, its title, and its text in Markdown."""

    slug: str
    title: str
    source: str


@functools.cache
def guides() -> tuple[Guide, ...]:
    """Return all guides in order. The format of the proof is described beside the code that writes it, in `events`."""
    folder = resources.files("gamesvc.web.docs") / "guides"
    proof = Path(settings.BASE_DIR) / "events" / "README.md"
    return tuple(
        Guide(slug, title, proof.read_text() if slug == "proof" else (folder / f"{slug}.md").read_text())
        for slug, title in TITLES.items()
    )


@require_safe
def contents(request: HttpRequest) -> HttpResponse:
    """List the guides and the parts of the reference."""
    return render(request, "web/docs/contents.html", {"guides": guides()})


@require_safe
def guide(request: HttpRequest, slug: str) -> HttpResponse:
    found = next((one for one in guides() if one.slug == slug), None)
    if found is None:
        raise Http404("There is no such guide.")
    context = {"guides": guides(), "guide": found, "text": mark_safe(markdown.render(found.source))}
    return render(request, "web/docs/guide.html", context)


@require_safe
def client(request: HttpRequest, package: str, name: str, kind: str) -> HttpResponse:
    """Return a client as a file."""
    source = (resources.files(package) / name).read_text()
    return HttpResponse(source, content_type=f"{kind}; charset=utf-8")


@require_safe
def form_schema(request: HttpRequest) -> JsonResponse:
    """Return the meta-schema of the parameters of forms (JSON Schema, draft 2020-12)."""
    address = f"{settings.BASE_URL}/api/docs/forms.schema.json"
    return JsonResponse(vocabulary.meta_schema(address))
