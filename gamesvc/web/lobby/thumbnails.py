"""Thumbnails of boards: the picture of a match without text, as its reader may see it."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.cache import get_conditional_response
from django.views.decorators.http import require_safe

from gamesvc.games.drawing.thumbnails import thumbnail
from gamesvc.games.kernel import intake
from gamesvc.games.kernel.game import Caption
from gamesvc.web.common.access import find
from gamesvc.web.templatetags.around_tags import game_picture

DAY = 24 * 3600


@require_safe
def match_thumbnail(request: HttpRequest, ident: str) -> HttpResponse:
    """Return the board as a small picture. With the newest version as `v`, browsers keep it; without, they ask if it changed."""
    access = find(request, ident)
    match = access.match
    loaded = access.load()
    if not loaded.started:
        return redirect(game_picture(match.game))
    version = loaded.viewer_version(access.viewer)
    lasts = intake.whole(request.GET.get("v", "")) == version
    tag = f'"{match.number}-{access.viewer}-{version}"'
    answer = get_conditional_response(request, etag=tag)
    if answer is None:
        view = loaded.game.view(loaded.timeline.state, access.viewer)
        picture = loaded.game.picture(view, Caption(str(match.number), (), header=False))
        answer = HttpResponse(thumbnail(picture), content_type="image/svg+xml")
    answer["ETag"] = tag
    answer["Cache-Control"] = f"private, max-age={DAY}" if lasts else "private, no-cache"
    answer["Vary"] = "Cookie"
    answer["Content-Security-Policy"] = "default-src 'none'; style-src 'unsafe-inline'"
    return answer
