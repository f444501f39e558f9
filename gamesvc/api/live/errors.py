"""Errors of live streams."""

from __future__ import annotations

from gamesvc.errors import GamesvcError, TooMany


class TooManyStreams(TooMany):
    """A user, token or network has as many streams open as it may."""

    code = "too_many_streams"
    title = "Too many open streams"
    detail = "You have as many streams open as you may."
    advice = "Close a stream first, or follow all of your matches with one: `/api/v1/me/stream/`."


class NoStreams(GamesvcError):
    """The web server knows no process of live streams to hand over to."""

    code = "no_streams"
    status = 404
    title = "There are no live streams here"
    detail = "This server offers no live streams. Ask for the view with If-None-Match instead."
    advice = "Ask for the `view/` with the ETag you have in If-None-Match. Operators: see `deploy/README.md`."


class TicketRefused(GamesvcError):
    """A ticket to a stream that is forged, late or for another stream."""

    code = "bad_ticket"
    status = 401
    title = "This ticket is not valid"
    detail = "A ticket opens one stream within half a minute. Ask for the stream again at its own address."
    advice = "Ask for the stream at its own address, without a ticket."
