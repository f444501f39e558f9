"""The list of all codes, and the page behind each problem's address (`type` of RFC 9457): the meaning of a code, and what to do.

Codes of games are explained by the sentence that comes with each. Their page says how to read a problem.
"""

from __future__ import annotations

import re

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from gamesvc.errors import GamesvcError, Meaning, Refusal
from gamesvc.refusal_codes import MEANINGS
from gamesvc.web.docs.guides import guides

_CODE = re.compile(r"\A[a-z][a-z0-9_]{1,59}\Z")


def explained(code: str) -> Meaning:
    """Return the meaning of a code: from its class, from the table of refusals, or of any game's code."""
    kind = next((kind for kind in GamesvcError.kinds() if kind.code == code), Refusal)
    return MEANINGS.get(code) or kind.meaning()


def codes() -> dict[str, Meaning]:
    """Return all codes of the service with their meanings, in alphabetical order."""
    named = {kind.code for kind in GamesvcError.kinds() if kind.code}
    return {code: explained(code) for code in sorted(named | set(MEANINGS))}


@require_safe
def problems_page(request: HttpRequest) -> HttpResponse:
    return render(request, "web/problems.html", {"codes": codes().items(), "guides": guides()})


@require_safe
def problem_page(request: HttpRequest, code: str) -> HttpResponse:
    """Explain a code. Codes of games get general advice."""
    if not _CODE.match(code):
        raise Http404("Unknown problem code.")
    answer = render(request, "web/problem.html", {"code": code, "meaning": explained(code)})
    if request.user.is_anonymous:
        answer["Cache-Control"] = "public, max-age=3600"
    return answer
