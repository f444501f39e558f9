"""The page behind each problem's address (`type` of RFC 9457): the meaning of a code, and what to do.

Codes of games are explained by the sentence that comes with each. Their page says how to read a problem.
"""

from __future__ import annotations

import re

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from gamesvc.errors import GamesvcError, Meaning, Refusal
from gamesvc.refusal_codes import MEANINGS

_CODE = re.compile(r"\A[a-z][a-z0-9_]{1,59}\Z")


def explained(code: str) -> Meaning:
    """Return the meaning of a code: from its class, from the table of refusals, or of any game's code."""
    kind = next((kind for kind in GamesvcError.kinds() if kind.code == code), Refusal)
    return MEANINGS.get(code) or kind.meaning()


@require_safe
def problem_page(request: HttpRequest, code: str) -> HttpResponse:
    """Explain a code. Codes of games get general advice."""
    if not _CODE.match(code):
        raise Http404("Unknown problem code.")
    answer = render(request, "web/problem.html", {"code": code, "meaning": explained(code)})
    answer["Cache-Control"] = "public, max-age=3600" if request.user.is_anonymous else "private, no-cache"
    return answer
