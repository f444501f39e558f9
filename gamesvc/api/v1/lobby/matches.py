"""Matches in the lobby: list, open, join, leave, start, cancel. Views only translate; the services decide."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from django.db.models import QuerySet
from drf_spectacular.utils import OpenApiParameter
from rest_framework.exceptions import NotAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.bots import bots
from gamesvc import paging, request_limits
from gamesvc.api.errors import BadQuery
from gamesvc.api.idempotency import once
from gamesvc.api.v1 import schemas
from gamesvc.api.v1.base import KEY, PROBLEMS, REFUSALS, View, documented, place_parameter
from gamesvc.api.v1.lobby import filters
from gamesvc.games import catalog
from gamesvc.json_types import JsonObject
from gamesvc.matches.access import selectors
from gamesvc.matches.access.selectors import Access, access_match
from gamesvc.matches.lobby import forks, invitations, links, opening, rematches
from gamesvc.matches.models import Match
from gamesvc.matches.reading import lists, summaries

PLACE = r"^(\d{1,17})?$"


class Matches(View):
    made_at = "matches/{id}/"

    @documented(
        parameters=[
            OpenApiParameter("status", str, enum=Match.Status.values),
            OpenApiParameter("mine", bool, description="Only matches you play in or host (default); false: those you can join."),
            OpenApiParameter(
                "public",
                bool,
                description="Instead: the running matches that everyone may watch; with `status=finished` the archive of them.",
            ),
            OpenApiParameter("game", str, description="Only matches of this game."),
            place_parameter(PLACE),
            *filters.RELIABILITY,
        ],
        responses={200: schemas.MatchPage, **PROBLEMS},
        operation_id="matches_list",
    )
    def get(self, request: Request) -> Response:
        """List your matches, with `mine=false` the open ones you can join, with `public=true` those to watch; newest first.

        Without a token only the last two.
        """
        matches = self._wanted(request.query_params)
        if (game := request.query_params.get("game")) is not None:
            matches = matches.filter(game=game)
        matches = filters.by_reliability(matches, self.reader, request.query_params)
        page, following = _page(matches, request.query_params.get("cursor"))
        return Response({"results": summaries.of_matches(self.reader, page), "next": following})

    def _wanted(self, query: Mapping[str, str]) -> QuerySet[Match]:
        """Return the list that the caller asks for. Raises `BadQuery`, and `NotAuthenticated` for a guest's own matches."""
        status = query.get("status")
        if status is not None and status not in Match.Status.values:
            raise BadQuery(f"`status` is one of {', '.join(Match.Status.values)}.", "status", code="bad_status")
        if query.get("public") == "true":
            shown = lists.archived(None) if status == Match.Status.FINISHED else lists.watched()
            return shown if status in (None, *lists.PUBLIC) else shown.none()
        if query.get("mine") == "false":
            matches = selectors.open_matches(self.reader)
        elif self.reader is None:
            raise NotAuthenticated("Send a token to list your matches, or ask with `public=true` for those to watch.")
        else:
            matches = selectors.matches_of(self.reader)
        return matches if status is None else matches.filter(status=status)

    @documented(
        request=schemas.NewMatch, responses={201: schemas.MatchShape, **REFUSALS}, parameters=[KEY], operation_id="matches_create"
    )
    def post(self, request: Request) -> Response:
        """Open a match. You take its first free seat unless `take_seat` is false. It may begin from a given `position`."""
        body = self.body(schemas.NewMatch)

        def create() -> tuple[int, JsonObject]:
            start = None
            if body["position"] is not None:
                # Checking a position takes as long as folding a match.
                request_limits.count(request._request, {"history": bots.root(self.user)})
                start = forks.described(catalog.game(body["game"]), body["position"])
            match = opening.create_match(
                by=self.user,
                start=start,
                game=body["game"],
                options=body["options"],
                seats=body["seats"],
                hours=body["hours"],
                clock=body["clock"],
                entry=body["entry"],
                watch=body["watch"],
                watch_delay=body["watch_delay"],
                press=body["press"],
                anonymous=body["anonymous"],
                undo=body["undo"],
                reliability=body["reliability"],
                bots=body["bots"],
                take_seat=body["take_seat"],
                contribution_text=body["contribution"],
            )
            return 201, summaries.summary(self.access(str(match.pk)))

        return once(request, create)


def _page(matches: QuerySet[Match], cursor: str | None) -> tuple[list[Match], str | None]:
    if cursor:
        if not cursor.isdecimal() or len(cursor) > 17:
            raise BadQuery("`cursor` must be the `next` of the page before.", "cursor", code="bad_cursor")
        matches = matches.filter(number__lt=int(cursor))
    page, last = paging.cut(matches.order_by("-number"), paging.MATCHES)
    return page, str(last.number) if last is not None else None


class MatchDetail(View):
    @documented(responses={200: schemas.MatchShape, **PROBLEMS}, operation_id="matches_retrieve")
    def get(self, request: Request, ident: str) -> Response:
        """Return a match without its position. `ident`: its uuid or its public number."""
        return Response(summaries.summary(self.access(ident)))


class _Change(View):
    """A change in the lobby: runs once per key and returns the match."""

    def change(self, ident: str, service: Callable[..., Match], **arguments: object) -> Response:
        def effect() -> tuple[int, JsonObject]:
            match = self.access(ident).match
            changed = service(by=self.user, match=match, **arguments)
            link = self.request.data.get("link", "") if isinstance(self.request.data, dict) else ""
            return 200, summaries.summary(access_match(user=self.user, ident=str(changed.pk), link=link or match.link_token))

        return once(self.request, effect)


class JoinMatch(_Change):
    @documented(
        request=schemas.Join, responses={200: schemas.MatchShape, **REFUSALS}, parameters=[KEY], operation_id="matches_join"
    )
    def post(self, request: Request, ident: str) -> Response:
        """Take a seat. `contribution`: any text of yours for the key of all draws. Only its hash is stored."""
        body = self.body(schemas.Join)
        return self.change(
            ident, opening.join_match, seat=body["seat"], contribution_text=body["contribution"], link=body["link"]
        )

    def access(self, ident: str) -> Access:
        return access_match(user=self.user, ident=ident, link=self.body(schemas.Join)["link"])


class Rematch(View):
    made_at = "matches/{id}/"

    @documented(request=None, responses={201: schemas.MatchShape, **REFUSALS}, parameters=[KEY], operation_id="matches_rematch")
    def post(self, request: Request, ident: str) -> Response:
        """Play a match that is over once more: the same game, options, clock and players. Return the new match.

        The first player who asks opens it and invites the others; each other who asks takes their seat in it. Seats move on by
        one, so that another player begins. It counts as a new match and as invitations, within the same limits.
        """

        def effect() -> tuple[int, JsonObject]:
            again = rematches.rematch(by=self.user, match=self.access(ident).match)
            return 201, summaries.summary(access_match(user=self.user, ident=str(again.pk)))

        return once(request, effect)


class LeaveMatch(_Change):
    @documented(request=None, responses={200: schemas.MatchShape, **REFUSALS}, parameters=[KEY], operation_id="matches_leave")
    def post(self, request: Request, ident: str) -> Response:
        """Leave your seat before the start."""
        return self.change(ident, opening.leave_match)


class StartMatch(_Change):
    @documented(
        request=schemas.Start, responses={200: schemas.MatchShape, **REFUSALS}, parameters=[KEY], operation_id="matches_start"
    )
    def post(self, request: Request, ident: str) -> Response:
        """Start the match now, as its host; `bot` takes the free seats. A match also starts when its last seat is taken."""
        return self.change(ident, opening.start_match, bot=self.body(schemas.Start)["bot"])


class CancelMatch(_Change):
    @documented(request=None, responses={200: schemas.MatchShape, **REFUSALS}, parameters=[KEY], operation_id="matches_cancel")
    def post(self, request: Request, ident: str) -> Response:
        """Cancel an open match, as its host."""
        return self.change(ident, opening.cancel_match)


class Link(_Change):
    @documented(request=None, responses={200: schemas.MatchShape, **REFUSALS}, parameters=[KEY], operation_id="matches_link")
    def post(self, request: Request, ident: str) -> Response:
        """Give the match a new link, as its host: `link` of the answer. The one before opens nothing from then on."""
        return self.change(ident, links.renew)


class Bots(_Change):
    @documented(
        request=schemas.AddBot, responses={200: schemas.MatchShape, **REFUSALS}, parameters=[KEY], operation_id="matches_bots"
    )
    def post(self, request: Request, ident: str) -> Response:
        """Put a bot on a free seat, as the host."""
        body = self.body(schemas.AddBot)
        return self.change(ident, opening.add_bot, seat=body["seat"], bot=body["bot"])


class SeatDetail(_Change):
    @documented(responses={200: schemas.MatchShape, **REFUSALS}, parameters=[KEY], operation_id="matches_seats_delete")
    def delete(self, request: Request, ident: str, seat: int) -> Response:
        """Remove a player or a bot from a seat before the start, as the host."""
        return self.change(ident, opening.remove_seat, seat=seat)


class Invitations(View):
    @documented(
        request=schemas.Invite, responses={201: schemas.Invitation, **REFUSALS}, parameters=[KEY], operation_id="matches_invite"
    )
    def post(self, request: Request, ident: str) -> Response:
        """Invite a user by name, or a person by mail address. The link is good for one seat."""
        body = self.body(schemas.Invite)

        def effect() -> tuple[int, JsonObject]:
            match = self.access(ident).match
            invitation, token = invitations.invite(by=self.user, match=match, username=body["user"], address=body["address"])
            return 201, {"id": str(invitation.id), "link": f"/invitations/{token}/"}

        return once(request, effect)
