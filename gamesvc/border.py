"""The border of HTTP: requests are read whole; those with forbidden text, or beyond a rate limit, are refused at once.

Address, query, headers, cookies and form fields are checked here for pages and API alike. The API's parser checks its bodies
(`gamesvc.api.rendering`), by the same rules (`gamesvc.games.kernel.intake`).
"""

from __future__ import annotations

import codecs
from collections.abc import Callable, Mapping
from urllib.parse import unquote_to_bytes

from django.conf import settings
from django.core.exceptions import RequestDataTooBig
from django.http import HttpRequest, HttpResponse, UnreadablePostError
from whitenoise.middleware import WhiteNoiseFileResponse  # type: ignore[import-untyped]

from accounts.models import User
from accounts.signing_in import known_browsers
from gamesvc import request_limits
from gamesvc.api import unanswered
from gamesvc.games.kernel import intake
from gamesvc.games.kernel.intake import Fault
from gamesvc.request_limits import computing_time, long_answers
from gamesvc.request_limits.parsers import has_readable_type

LONGEST_FIELD = 32 * 1024
"""Longest value of a form field, in characters."""
_READ = ("utf-8", "ascii")


HEALTH = "/health/"


def is_provider(path: str) -> bool:
    """Return True for the addresses to which providers post whole mails."""
    return path.startswith("/mail/provider/")


class WholeBody:
    """Middleware that reads the body of a request before anything looks at its user, its time or the match it is for.

    A body may arrive long after its headers. What it asks for is decided by who its sender is, and what time it is, when all of
    it has come. Bodies larger than `FORM_BYTES` are left unread: the API reads and refuses them in pieces, and a provider of mail
    has to prove itself before they are read.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        try:
            if int(request.META.get("CONTENT_LENGTH") or 0) <= settings.FORM_BYTES:
                _ = request.body
            elif not unanswered.is_api(request) and not is_provider(request.path_info):
                raise RequestDataTooBig("The form is too large.")
        except UnreadablePostError as broken:
            return unanswered.bad_request(request, broken)
        return self.get_response(request)


class Border:
    """Middleware that refuses forbidden text. A view that reads other bodies than text fields has the attribute `takes_bytes`."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if fault := _envelope_fault(request):
            return unanswered.bad_request(request, fault)
        return self.get_response(request)

    def process_view(self, request: HttpRequest, view: object, args: object, kwargs: object) -> HttpResponse | None:
        if getattr(view, "takes_bytes", False):
            return None
        fault = _encoding_fault(request) or _form_fault(request)
        return unanswered.bad_request(request, fault) if fault else None


class RateLimits:
    """Middleware that counts each request once for its network, and page requests for their user as well.

    It comes before everything that refuses requests. A request that reaches a view is counted first; another one (wrong host,
    unknown address, forbidden text) is counted with its response. Static files are free. API requests count for their user and
    token once these are known (`gamesvc.api.throttling`). The computing time of a request counts with its response.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        begun, response = computing_time.begin(), None
        try:
            if not (is_provider(request.path_info) or request.path_info == HEALTH):
                computing_time.refuse_known(request)
            response = self.get_response(request)
            long_answers.begin(request, response)
        except computing_time.OneAtATime as refused:
            return unanswered.too_many(request, refused)
        except long_answers.TooManyLong as refused:
            response = unanswered.too_many(request, refused)
        finally:
            computing_time.leave(request, response, begun)
        if not (hasattr(request, "came_to_view") or isinstance(response, WhiteNoiseFileResponse)):
            response = _counted(request, request_limits.of_network(request, "address")) or response
        request_limits.add_headers(request, response)
        return response

    def process_view(self, request: HttpRequest, view: object, args: object, kwargs: object) -> HttpResponse | None:
        request.came_to_view = True  # type: ignore[attr-defined]
        if getattr(view, "uncounted", False):
            return None
        who, guest = request_limits.of_network(request, "address"), True
        if unanswered.is_api(request):
            guest = not computing_time.knows(request)
        elif isinstance(request.user, User):
            who, guest = who | request_limits.holders(request, request.user), False
        else:
            guest = not known_browsers.is_known(request)
            if request_limits.folds(request):
                who |= request_limits.of_network(request, "history")
        return _counted(request, who, guest=guest) or _beside_others(request)


def _beside_others(request: HttpRequest) -> HttpResponse | None:
    """Return the refusal of a page to a user who has used much computing time and has another request running."""
    if unanswered.is_api(request) or request.path_info == HEALTH:
        return None
    try:
        computing_time.enter(request, request.user)
    except computing_time.OneAtATime as refused:
        return unanswered.too_many(request, refused)
    return None


def _counted(request: HttpRequest, who: Mapping[str, object], *, guest: bool = True) -> HttpResponse | None:
    """Count a request. Return its refusal if it exceeds a limit."""
    try:
        request_limits.count(request, who, guest=guest)
    except request_limits.Exceeded as exceeded:
        return unanswered.too_many(request, exceeded)
    return None


def _envelope_fault(request: HttpRequest) -> Fault | None:
    """Return the fault of a request outside its body. Checks bytes only, since nothing is decoded yet."""
    if not has_readable_type(request):
        detail = "The Content-Type cannot be read: it is too long, or one of its parameters has an encoding that nobody knows."
        return Fault("bad_encoding", detail)
    if detail := intake.text_fault(request.path_info):
        return Fault("bad_text", f"The address: {detail}")
    query = request.META.get("QUERY_STRING", "").encode("latin-1", "replace")
    if b"\x00" in unquote_to_bytes(query):
        return Fault("bad_text", "The query of the address holds the character U+0000 (%00). Leave it out.")
    headers = [*request.META.items(), *((f"HTTP_COOKIE {name}", value) for name, value in request.COOKIES.items())]
    for name, value in headers:
        if name.startswith(("HTTP_", "CONTENT_")) and (intake.text_fault(name) or intake.text_fault(str(value))):
            return Fault("bad_text", "A header of the request holds the character U+0000. Leave it out.")
    return None


def _encoding_fault(request: HttpRequest) -> Fault | None:
    """Refuse encodings other than UTF-8: they could hide anything, and some cannot be decoded at all."""
    # Django keeps the encoding that the request names, if Python knows it.
    named = request.encoding
    if named is None or codecs.lookup(named).name in _READ:
        return None
    return Fault("bad_encoding", f"The text is encoded as {named[:40]}; send it in UTF-8.")


def _form_fault(request: HttpRequest) -> Fault | None:
    """Return the fault of a form's fields."""
    if request.method != "POST" or unanswered.is_api(request):
        return None
    for name, values in request.POST.lists():
        for text in (name, *values):
            if detail := intake.text_fault(text):
                return Fault("bad_text", detail, (name,))
            if len(text) > LONGEST_FIELD:
                return Fault("too_long", f"A field of a form has at most {LONGEST_FIELD} characters; shorten it.", (name,))
    return None
