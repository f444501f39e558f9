"""Version 1 of the API. Each view translates; the services decide."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar
from uuid import UUID

from django.db.models import QuerySet
from django.http import HttpResponse, StreamingHttpResponse
from django.utils import timezone
from django.utils.dateparse import parse_datetime
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.permissions import AllowAny, BasePermission
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts import tokens
from accounts.models import User
from gamesvc.api.etags import etag, named_seat, required_version
from gamesvc.api.idempotency import once, required_key
from gamesvc.api.problems import Problem
from gamesvc.api.v1 import filters, schemas
from gamesvc.games import catalog
from gamesvc.games.kernel import Game, Refused
from gamesvc.matches import board, export, forks, history, lobby, notices, selectors, turns
from gamesvc.matches.board import Board
from gamesvc.matches.models import Match
from gamesvc.matches.png import to_png
from gamesvc.matches.recording import Actor
from gamesvc.matches.selectors import Access, access_match, access_seat
from gamesvc.matches.turns import Sender

T = TypeVar("T", bound=serializers.Serializer[Any])
PAGE = 50
EVENTS_PAGE = 500
KEY = OpenApiParameter("Idempotency-Key", str, OpenApiParameter.HEADER, required=True)
VERSION = OpenApiParameter("If-Match", str, OpenApiParameter.HEADER, required=True, description="The ETag of the view answered.")
PROBLEMS = {400: schemas.Problem, 401: schemas.Problem, 403: schemas.Problem, 404: schemas.Problem}
REFUSALS = {**PROBLEMS, 422: schemas.Problem, 429: schemas.Problem}


class Scope(BasePermission):
    """A token needs the scope of what it does: `read` to look, `play` to change. A session has all."""

    message = "This token lacks the scope for this; make one with it on your account page."

    def has_permission(self, request: Request, view: APIView) -> bool:
        if not isinstance(request.user, User):
            return False
        scopes = request.auth if isinstance(request.auth, frozenset) else None
        needed = getattr(view, "scope", None) or ("read" if request.method in ("GET", "HEAD", "OPTIONS") else "play")
        return scopes is None or needed in scopes or "admin" in scopes


class View(APIView):
    """What all views share: scopes, and how a body is validated."""

    permission_classes: Sequence[type[BasePermission]] = (Scope,)

    @property
    def user(self) -> User:
        assert isinstance(self.request.user, User)
        return self.request.user

    def body(self, kind: type[T]) -> Any:
        serializer = kind(data=self.request.data)
        serializer.is_valid(raise_exception=True)
        return serializer.validated_data

    def access(self, ident: str) -> Access:
        query = self.request.query_params
        seat = int(given) if (given := query.get("as", "")).isdecimal() and len(given) <= 2 else None
        return access_match(user=self.user, ident=ident, link=query.get("link", ""), as_seat=seat)


def game_json(game: Game[Any]) -> dict[str, Any]:
    manifest = game.manifest
    return {
        "id": manifest.id,
        "title": manifest.title,
        "designer": manifest.designer,
        "credit": manifest.credit,
        "rules_link": manifest.rules_link,
        "rules": manifest.rules,
        "summary": manifest.summary,
        "seats": {"min": manifest.min_seats, "max": manifest.max_seats},
        "bots": list(game.bots),
    }


class Games(View):
    permission_classes = (AllowAny,)

    @extend_schema(responses={200: schemas.Game(many=True)}, operation_id="games_list")
    def get(self, request: Request) -> Response:
        """The games offered."""
        return Response([game_json(game) for game in catalog.games()])


class GameDetail(View):
    permission_classes = (AllowAny,)

    @extend_schema(responses={200: schemas.GameDetail, 404: schemas.Problem}, operation_id="games_retrieve")
    def get(self, request: Request, game_id: str) -> Response:
        """One game with the JSON Schemas of its options and commands, its order grammar and rules help."""
        try:
            game = catalog.game(game_id)
        except Refused as refused:
            raise Problem(404, "unknown_game", "Not found", refused.detail) from None
        schema = {"options": game.manifest.options, "commands": game.commands}
        return Response(
            {**game_json(game), "schema": schema, "order_help": game.order_help(None), "rules_help": game.rules_help()}
        )


class Matches(View):
    @extend_schema(
        parameters=[
            OpenApiParameter("status", str, enum=Match.Status.values),
            OpenApiParameter("mine", bool, description="Only matches you play in or host (default); false: those you can join."),
            OpenApiParameter("cursor", str, description="From `next` of the page before."),
            *filters.RELIABILITY,
        ],
        responses={200: schemas.MatchPage, **PROBLEMS},
        operation_id="matches_list",
    )
    def get(self, request: Request) -> Response:
        """Your matches, or with `mine=false` the open ones you can join; newest first."""
        mine = request.query_params.get("mine", "true") != "false"
        matches = selectors.matches_of(self.user) if mine else selectors.open_matches(self.user)
        if status := request.query_params.get("status"):
            matches = matches.filter(status=status)
        matches = filters.by_reliability(matches, self.user, request.query_params)
        page, following = _page(matches, request.query_params.get("cursor"))
        return Response({"results": [board.summary(self.access(str(match.pk))) for match in page], "next": following})

    @extend_schema(
        request=schemas.NewMatch, responses={201: schemas.MatchShape, **REFUSALS}, parameters=[KEY], operation_id="matches_create"
    )
    def post(self, request: Request) -> Response:
        """Open a match; you take its first free seat unless `take_seat` is false. It may begin from a described `position`."""
        body = self.body(schemas.NewMatch)

        def create() -> tuple[int, dict[str, Any]]:
            start = forks.described(catalog.game(body["game"]), body["position"]) if body["position"] is not None else None
            match = lobby.create_match(
                by=self.user,
                start=start,
                game=body["game"],
                options=body["options"],
                seats=body["seats"],
                hours=body["hours"],
                clock=body["clock"],
                entry=body["entry"],
                watch=body["watch"],
                press=body["press"],
                anonymous=body["anonymous"],
                undo=body["undo"],
                reliability=body["reliability"],
                bots=body["bots"],
                take_seat=body["take_seat"],
                contribution_text=body["contribution"],
            )
            return 201, board.summary(self.access(str(match.pk)))

        return once(request, create)


def _page(matches: QuerySet[Match], cursor: str | None) -> tuple[list[Match], str | None]:
    if cursor:
        if not cursor.isdecimal() or len(cursor) > 17:
            raise Problem(400, "bad_cursor", "The request cannot be read", "`cursor` must be the `next` of the page before.")
        matches = matches.filter(number__lt=int(cursor))
    found = list(matches.order_by("-number")[: PAGE + 1])
    return found[:PAGE], str(found[PAGE - 1].number) if len(found) > PAGE else None


class MatchDetail(View):
    @extend_schema(responses={200: schemas.MatchShape, **PROBLEMS}, operation_id="matches_retrieve")
    def get(self, request: Request, ident: str) -> Response:
        """A match without its position. `ident`: its uuid or its public number."""
        return Response(board.summary(self.access(ident)))


class _Change(View):
    """A change of the lobby: runs once per key and answers with the match."""

    def change(self, ident: str, service: Any, **arguments: Any) -> Response:
        match = self.access(ident).match

        def effect() -> tuple[int, dict[str, Any]]:
            changed = service(by=self.user, match=match, **arguments)
            link = self.request.data.get("link", "") if isinstance(self.request.data, dict) else ""
            return 200, board.summary(access_match(user=self.user, ident=str(changed.pk), link=link or match.link_token))

        return once(self.request, effect)


class JoinMatch(_Change):
    @extend_schema(
        request=schemas.Join, responses={200: schemas.MatchShape, **REFUSALS}, parameters=[KEY], operation_id="matches_join"
    )
    def post(self, request: Request, ident: str) -> Response:
        """Take a seat. `contribution`: any text of yours that goes into the key of all draws (only its hash is kept)."""
        body = self.body(schemas.Join)
        match = access_match(user=self.user, ident=ident, link=body["link"]).match
        return self.change(
            f"{match.pk}", lobby.join_match, seat=body["seat"], contribution_text=body["contribution"], link=body["link"]
        )

    def access(self, ident: str) -> Access:
        return access_match(user=self.user, ident=ident, link=self.body(schemas.Join)["link"])


class LeaveMatch(_Change):
    @extend_schema(request=None, responses={200: schemas.MatchShape, **REFUSALS}, parameters=[KEY], operation_id="matches_leave")
    def post(self, request: Request, ident: str) -> Response:
        """Give your seat back before the start."""
        return self.change(ident, lobby.leave_match)


class StartMatch(_Change):
    @extend_schema(
        request=schemas.Start, responses={200: schemas.MatchShape, **REFUSALS}, parameters=[KEY], operation_id="matches_start"
    )
    def post(self, request: Request, ident: str) -> Response:
        """The host starts now; `bot` takes the free seats. A match starts by itself when its last seat is taken."""
        return self.change(ident, lobby.start_match, bot=self.body(schemas.Start)["bot"])


class CancelMatch(_Change):
    @extend_schema(request=None, responses={200: schemas.MatchShape, **REFUSALS}, parameters=[KEY], operation_id="matches_cancel")
    def post(self, request: Request, ident: str) -> Response:
        """The host calls an open match off."""
        return self.change(ident, lobby.cancel_match)


class Bots(_Change):
    @extend_schema(
        request=schemas.AddBot, responses={200: schemas.MatchShape, **REFUSALS}, parameters=[KEY], operation_id="matches_bots"
    )
    def post(self, request: Request, ident: str) -> Response:
        """The host puts a bot on a free seat."""
        body = self.body(schemas.AddBot)
        return self.change(ident, lobby.add_bot, seat=body["seat"], bot=body["bot"])


class SeatDetail(_Change):
    @extend_schema(responses={200: schemas.MatchShape, **REFUSALS}, parameters=[KEY], operation_id="matches_seats_delete")
    def delete(self, request: Request, ident: str, seat: int) -> Response:
        """The host takes a player or a bot off a seat before the start."""
        return self.change(ident, lobby.remove_seat, seat=seat)


class Invitations(View):
    @extend_schema(
        request=schemas.Invite, responses={201: schemas.Invitation, **REFUSALS}, parameters=[KEY], operation_id="matches_invite"
    )
    def post(self, request: Request, ident: str) -> Response:
        """Invite a user by name, or a person by mail address. The link is good for one seat."""
        body = self.body(schemas.Invite)
        match = self.access(ident).match

        def effect() -> tuple[int, dict[str, Any]]:
            invitation, token = lobby.invite(by=self.user, match=match, username=body["user"], address=body["address"])
            return 201, {"id": str(invitation.id), "link": f"/invitations/{token}/"}

        return once(request, effect)


class _Boards(View):
    def board(self, ident: str) -> Board:
        """The board as the caller sees it, or as the seat in `?as=` did when the match is over."""
        access = self.access(ident)
        return board.look(access, self.number("as", 2), self.version(access))

    def number(self, name: str, digits: int) -> int | None:
        """A whole number from the query; None where it is not given."""
        given = self.request.query_params.get(name)
        if given is not None and (not given.isdecimal() or len(given) > digits):
            raise Problem(400, f"bad_{name}", "The request cannot be read", f"`{name}` must be a whole number.")
        return None if given is None else int(given)

    def version(self, access: Access) -> int | None:
        """The past version asked for, by number or as of a moment."""
        moment = self.request.query_params.get("at")
        if moment is None:
            return self.number("version", 9)
        found = parse_datetime(moment)
        if found is None or found.tzinfo is None:
            raise Problem(400, "bad_at", "The request cannot be read", "`at` must be a moment like 2026-11-20T20:00:00Z.")
        return history.version_at(access, found)

    def tagged(self, seen: Board, answer: Response | HttpResponse) -> Response | HttpResponse:
        answer["ETag"] = etag(seen.access.match.id, seen.viewer, seen.version)
        answer["Cache-Control"] = "private, no-cache"
        answer["Vary"] = "Authorization, Cookie"
        return answer

    def unchanged(self, seen: Board) -> HttpResponse | None:
        if self.request.headers.get("If-None-Match") == etag(seen.access.match.id, seen.viewer, seen.version):
            answer = self.tagged(seen, HttpResponse(status=304))
            assert isinstance(answer, HttpResponse)
            return answer
        return None


AS = OpenApiParameter("as", int, description="Another seat's view; open when the match is over.")
THEN = [
    OpenApiParameter("version", int, description="As it was at this version."),
    OpenApiParameter("at", str, description="As it was at this moment, like 2026-11-20T20:00:00Z."),
]


class MatchView(_Boards):
    @extend_schema(responses={200: schemas.View, **PROBLEMS}, parameters=[AS, *THEN], operation_id="matches_view")
    def get(self, request: Request, ident: str) -> Response | HttpResponse:
        """The position as you may see it. The ETag is your version: send it as If-Match with your command."""
        seen = self.board(ident)
        if (same := self.unchanged(seen)) is not None:
            return same
        if seen.access.seat is not None and seen.viewer == seen.access.viewer and not seen.past:
            notices.mark_seen(seen.access.seat, seen.version)
        match = seen.access.match
        return self.tagged(
            seen,
            Response(
                {
                    "match": str(match.id),
                    "version": seen.version,
                    "seat": seen.viewer,
                    "status": match.status,
                    "view": seen.view,
                    "awaited": [board.question_json(question) for question in seen.questions],
                    "outcome": match.outcome,
                }
            ),
        )


class MatchForms(_Boards):
    @extend_schema(responses={200: schemas.Forms, **PROBLEMS}, operation_id="matches_forms")
    def get(self, request: Request, ident: str) -> Response | HttpResponse:
        """What your seat may do now: commands with their parameters as JSON Schema, narrowed to what is legal."""
        seen = self.board(ident)
        prompt = next((question.prompt for question in seen.questions if question.seat == seen.viewer), None)
        return self.tagged(
            seen,
            Response(
                {
                    "match": str(seen.access.match.id),
                    "version": seen.version,
                    "forms": [form.as_json() for form in seen.forms],
                    "help": seen.loaded.game.order_help(prompt),
                }
            ),
        )


class Picture(_Boards):
    @extend_schema(
        responses={(200, "image/svg+xml"): OpenApiTypes.STR, (200, "image/png"): OpenApiTypes.BINARY, **PROBLEMS},
        parameters=[AS, *THEN],
    )
    def get(self, request: Request, ident: str, kind: str) -> Response | HttpResponse:
        """The board as a picture."""
        seen = self.board(ident)
        svg = seen.picture
        if svg is None:
            raise Problem(404, "not_started", "Not found", "There is no board before the match has started.")
        if (same := self.unchanged(seen)) is not None:
            return same
        if kind == "png":
            return self.tagged(seen, HttpResponse(to_png(svg), content_type="image/png"))
        return self.tagged(seen, HttpResponse(svg, content_type="image/svg+xml"))


class Step(_Boards):
    @extend_schema(responses={200: schemas.Step, **PROBLEMS, 422: schemas.Problem}, parameters=[AS], operation_id="matches_step")
    def get(self, request: Request, ident: str, version: int) -> Response:
        """What changed from a version to the next one, in words and as differences of your view."""
        return Response(history.step(self.access(ident), version, self.number("as", 2)))


class MatchEvents(_Boards):
    @extend_schema(
        responses={200: schemas.Events, **PROBLEMS},
        parameters=[OpenApiParameter("after", int, description="Events after this version.")],
        operation_id="matches_events",
    )
    def get(self, request: Request, ident: str) -> Response | HttpResponse:
        """The events as you may see them: whole, redacted, or sealed (digest and hash alone)."""
        after = self.number("after", 9) or 0
        seen = self.board(ident)
        events = selectors.records_for(seen.loaded, seen.viewer, after, EVENTS_PAGE)
        more = bool(events) and events[-1]["version"] < seen.version
        following = f"?after={events[-1]['version']}" if more else None
        return self.tagged(seen, Response({"events": events, "version": seen.version, "next": following}))


class Export(_Boards):
    @extend_schema(responses={(200, "application/jsonl"): OpenApiTypes.STR, **PROBLEMS}, parameters=[AS])
    def get(self, request: Request, ident: str) -> StreamingHttpResponse:
        """The match as JSON Lines: every event as you may see it, whole after the end, and a trailer."""
        seen = self.board(ident)
        answer = StreamingHttpResponse(export.lines(seen.loaded, seen.viewer), content_type="application/jsonl")
        answer["Content-Disposition"] = f'attachment; filename="match-{seen.access.match.number}.jsonl"'
        answer["Cache-Control"] = "private, no-store"
        return answer


class Commands(View):
    @extend_schema(
        request=schemas.Command,
        responses={200: schemas.Receipt, **REFUSALS, 412: schemas.Problem, 428: schemas.Problem},
        parameters=[KEY, VERSION],
        operation_id="matches_commands",
    )
    def post(self, request: Request, ident: str) -> Response:
        """Act for your seat: one command, as one of the forms offers it. Sent again with its key, it gets the first answer."""
        received_at = timezone.now()
        access = access_seat(user=self.user, ident=ident, as_seat=named_seat(request))
        return submit_command(self, access, dict(request.data), received_at)


class Orders(View):
    @extend_schema(
        request=schemas.Order,
        responses={200: schemas.Receipt, **REFUSALS, 412: schemas.Problem, 428: schemas.Problem},
        parameters=[KEY, VERSION],
        operation_id="matches_orders",
    )
    def post(self, request: Request, ident: str) -> Response:
        """The same as text in the game's notation, as one would type it into a mail."""
        received_at = timezone.now()
        access = access_seat(user=self.user, ident=ident, as_seat=named_seat(request))
        text = self.body(schemas.Order)["text"]
        seen = board.look(access)
        return submit_command(self, access, dict(seen.loaded.game.parse(text, seen.view or {})), received_at)


def submit_command(view: View, access: Access, command: dict[str, Any], received_at: Any) -> Response:
    """Answer a request that carries a command for the caller's seat, with its key and version in the headers."""
    assert access.seat is not None
    key = required_key(view.request)
    seat = access.seat.index
    command_id = turns.command_id(sender=f"user {view.user.pk} {access.match.id}", key=key)
    sender = Sender(Actor("seat", seat), "api", received_at, view.user.pk)
    # A known key is answered before the version is looked at: the retry of a success is stale by its own doing.
    if view.request.headers.get("If-Match") is None and not turns.known(access.match, command_id):
        required_version(view.request, access.match.id, seat)
    version = required_version(view.request, access.match.id, seat) if "If-Match" in view.request.headers else 0
    receipt = turns.submit(
        match=access.match, sender=sender, command=command, expected_version=version, command_id=command_id, seats=access.seats
    )
    answer = Response(receipt.as_json())
    answer["ETag"] = etag(access.match.id, seat, receipt.version)
    answer["Cache-Control"] = "private, no-cache"
    if receipt.repeated:
        answer["Idempotent-Replayed"] = "true"
    return answer


class Tokens(View):
    scope = "play"

    @extend_schema(responses={200: schemas.Token(many=True), **PROBLEMS}, operation_id="tokens_list")
    def get(self, request: Request) -> Response:
        """Your API tokens; their texts are not kept."""
        return Response([token_json(token) for token in self.user.api_tokens.filter(revoked_at=None)])

    @extend_schema(request=schemas.NewToken, responses={201: schemas.TokenOnce, **PROBLEMS}, operation_id="tokens_create")
    def post(self, request: Request) -> Response:
        """Make a token. Its text is in this answer and nowhere else, so a repetition makes another."""
        body = self.body(schemas.NewToken)
        if isinstance(request.auth, frozenset) and not set(body["scopes"]) <= request.auth:
            raise Problem(403, "forbidden", "Not allowed", "A token makes only tokens with scopes that it has itself.")
        token, plain = tokens.create_token(user=self.user, name=body["name"], scopes=body["scopes"])
        return Response({**token_json(token), "token": plain}, status=201)


class TokenDetail(View):
    scope = "play"

    @extend_schema(responses={204: None, **PROBLEMS}, operation_id="tokens_delete")
    def delete(self, request: Request, token_id: UUID) -> Response:
        """Revoke a token."""
        if not tokens.revoke_token(user=self.user, token_id=token_id):
            raise selectors.Unknown(str(token_id))
        return Response(status=204)


def token_json(token: Any) -> dict[str, Any]:
    return {
        "id": str(token.pk),
        "name": token.name,
        "scopes": list(token.scopes),
        "created_at": token.created_at,
        "last_used_at": token.last_used_at,
    }
