"""A tour through the API: two players and an operator make every request that is answered in JSON, in matches of Stratastar.

The examples of the OpenAPI document are its requests and answers.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

from events.proofs import checkpoints
from tests.conftest import Program

SECRETS = frozenset({"token", "secret", "address"})
SERVICE = "http://localhost:8000"
KEPT_ITEMS = 2
LONG = 6000
"""Characters."""


class Tour:
    """Programs of two players and an operator, and the first good answer in JSON of each operation with its request."""

    def __init__(self, anna: Program, ben: Program, operator: Program) -> None:
        self.anna, self.ben, self.operator = anna, ben, operator
        self.taken: dict[str, dict[str, Any]] = {}

    def ask(self, who: Program, method: str, path: str, body: Any = None, *, etag: str | None = None, **named: object) -> Any:
        """Make a request that is not refused, and return its answer. `named`: the parameters of the path."""
        answer = who.call(method, path.format(**named), body, etag=etag)
        assert answer.status_code < 300, (method, path, answer.content)
        if not answer.content:
            return None
        told = answer.json()
        example = {"answer": shortened(masked(told))} | ({} if body is None else {"request": masked(body)})
        self.taken.setdefault(f"{method.lower()} /api/v1{path} {answer.status_code}", example)
        return told

    def get(self, who: Program, path: str, **named: object) -> Any:
        return self.ask(who, "GET", path, **named)

    def post(self, who: Program, path: str, body: Any = None, **named: Any) -> Any:
        return self.ask(who, "POST", path, body, **named)

    def command(self, who: Program, match: str, body: Any, path: str = "/matches/{ident}/commands/") -> Any:
        """Make a request that names the position it answers."""
        etag = self.tag(who, match)
        return self.post(who, path, body, etag=etag, ident=match)

    def tag(self, who: Program, match: str) -> str:
        """Return the ETag of what a player sees."""
        return str(who.get(f"/matches/{match}/view/").headers["ETag"])

    def to_act(self, match: str, *players: Program) -> Program:
        """Return the player whose turn it is. `players`: those in the seats, if they are others."""
        awaited = self.anna.get(f"/matches/{match}/").json()["awaited"]
        return (players or (self.anna, self.ben))[awaited[0]["seat"]]

    def opened(self, **more: Any) -> str:
        return str(self.post(self.anna, "/matches/", {"game": "stratastar", **more})["id"])

    def joined(self, **more: Any) -> str:
        match = self.opened(**more)
        self.post(self.ben, "/matches/{ident}/join/", {"contribution": "coffee"}, ident=match)
        return match


def shortened(answer: Any) -> Any:
    """Leave the first items of a list, of a page of one, and of each long member of an object."""
    if isinstance(answer, list):
        return answer[:KEPT_ITEMS]
    if isinstance(answer, dict):
        return {name: first(one) if is_long(name, one) else one for name, one in answer.items()}
    return answer


def is_long(name: str, part: Any) -> bool:
    return isinstance(part, list | dict) and (name == "results" or len(json.dumps(part)) > LONG)


def first(part: Any) -> Any:
    return dict(list(part.items())[:KEPT_ITEMS]) if isinstance(part, dict) else part[:KEPT_ITEMS]


def masked(part: Any) -> Any:
    """Replace secrets, and the port that a receiver of the tests has, which is another each time."""
    if isinstance(part, list):
        return [masked(one) for one in part]
    if isinstance(part, str):
        return re.sub(r"http://localhost:\d+/hook", "https://example.org/hook", part).replace(SERVICE, "https://games.example")
    if not isinstance(part, dict):
        return part
    return {key: "not-a-real-secret" if key in SECRETS and value else masked(value) for key, value in part.items()}


def service(tour: Tour) -> None:
    """What everyone may read."""
    tour.get(tour.anna, "/games/{game_id}/schemas/", game_id="space_war")
    for path in ("/", "/clocks/", "/games/", "/games/{game_id}/", "/games/{game_id}/leaderboard/"):
        tour.get(tour.anna, path, game_id="stratastar")
    tour.get(tour.anna, "/matches/")
    finished = tour.anna.get("/matches/?status=finished").json()["results"][0]["id"]
    tour.get(tour.anna, "/matches/{ident}/proof/", ident=finished)
    for path in ("/checkpoints/", "/checkpoints/{number}/", "/checkpoints/latest/", "/checkpoints/key/"):
        tour.get(tour.anna, path, number=1)


def lobby(tour: Tour) -> None:
    """Matches before their start."""
    match = tour.opened(hours=24, options={"starting_fleets": 4}, seats=3)
    tour.post(tour.anna, "/matches/{ident}/invitations/", {"user": "ben"}, ident=match)
    tour.post(tour.ben, "/matches/{ident}/join/", {"contribution": "coffee"}, ident=tour.opened(entry="public", seats=3))
    tour.post(tour.anna, "/matches/{ident}/bots/", {"seat": 1, "bot": "greedy"}, ident=match)
    tour.ask(tour.anna, "DELETE", "/matches/{ident}/seats/{seat}/", ident=match, seat=1)
    tour.post(tour.anna, "/matches/{ident}/start/", {"bot": "random"}, ident=match)
    waiting = tour.opened(seats=3)
    tour.post(tour.ben, "/matches/{ident}/join/", ident=waiting)
    tour.post(tour.ben, "/matches/{ident}/leave/", ident=waiting)
    tour.post(tour.anna, "/matches/{ident}/link/", ident=waiting)
    tour.post(tour.anna, "/matches/{ident}/cancel/", ident=waiting)


def challenges(tour: Tour) -> None:
    """Challenges that are accepted, declined and taken back."""
    paths = ("/challenges/{challenge_id}/accept/", "/challenges/{challenge_id}/decline/", "/challenges/{challenge_id}/")
    for path in paths:
        made = tour.post(tour.anna, "/challenges/", {"opponent": "ben", "game": "stratastar", "hours": 48})
        tour.get(tour.ben, "/challenges/")
        tour.get(tour.ben, "/challenges/{challenge_id}/", challenge_id=made["id"])
        if path == paths[-1]:
            tour.ask(tour.anna, "DELETE", path, challenge_id=made["id"])
        else:
            tour.post(tour.ben, path, {"contribution": "tea"} if "accept" in path else None, challenge_id=made["id"])


def corner(match: str, who: Program) -> str:
    """Return the first corner that a homeworld may have."""
    [form] = [one for one in who.get(f"/matches/{match}/forms/").json()["forms"] if one["name"] == "place_homeworld"]
    return str(form["parameters"]["properties"]["corner"]["enum"][0])


def home(tour: Tour, match: str, *players: Program) -> Any:
    who = tour.to_act(match, *players)
    return tour.command(who, match, {"name": "place_homeworld", "corner": corner(match, who)})


def undone(tour: Tour, match: str) -> None:
    """Take acts back: freely, with consent, and by the host."""
    who = tour.to_act(match)
    home(tour, match)
    tour.get(who, "/matches/{ident}/undo/", ident=match)
    tour.command(who, match, None, path="/matches/{ident}/undo/")
    tour.command(who, match, None, path="/matches/{ident}/redo/")
    home(tour, match)
    asked = tour.command(who, match, None, path="/matches/{ident}/undo/")["request"]
    other = tour.ben if who is tour.anna else tour.anna
    tour.post(other, "/matches/{ident}/undo/answer/", {"accept": False, "request": asked}, ident=match)


def running(tour: Tour) -> None:
    """A match from its first turn on."""
    match = tour.joined()
    for path in ("", "view/", "forms/", "events/", "clock/", "undo/", "preferences/", "notes/", "pause/", "forks/", "standing/"):
        tour.get(tour.to_act(match), f"/matches/{{ident}}/{path}", ident=match)
    tour.ask(tour.anna, "PATCH", "/matches/{ident}/preferences/", {"reminders": ["50%"], "batch_minutes": 30}, ident=match)
    tour.ask(tour.anna, "PUT", "/matches/{ident}/notes/", {"text": "Take C4 first.\nThen wait."}, ident=match)
    for text in ("Good luck!", "The same to you."):
        tour.post(tour.anna, "/matches/{ident}/press/", {"to": "all", "text": text}, ident=match)
    tour.get(tour.ben, "/matches/{ident}/press/", ident=match)
    undone(tour, match)
    tour.get(tour.anna, "/matches/{ident}/steps/{version}/", ident=match, version=3)


def analysed(tour: Tour) -> None:
    """An analysis board, and a line on it that is kept as conditional orders."""
    match = tour.joined()
    who = tour.ben if tour.to_act(match) is tour.anna else tour.anna
    board = tour.post(who, "/matches/{ident}/forks/", {"version": 5, "kind": "board"}, ident=match)["id"]
    for _each in range(2):
        tour.command(who, board, {"name": "place_homeworld", "corner": corner(board, who)})
    tour.post(who, "/matches/{ident}/line/", ident=board)
    line = tour.get(who, "/matches/{ident}/line/", ident=board)
    tour.post(who, "/matches/{ident}/go-to/", {"to": line["steps"][0]["version"]}, ident=board)
    [kept] = tour.get(who, "/matches/{ident}/standing/", ident=match)["laid_by"]
    laid = {"when": {"event": {"type": "turn_started", "data": {}}}, "commands": kept["commands"]}
    tour.ask(who, "PUT", "/matches/{ident}/standing/{number}/", laid, ident=match, number=kept["number"])
    tour.post(who, "/matches/{ident}/standing/", laid, ident=tour.joined())
    tour.post(who, "/matches/{ident}/close/", ident=board)


def paused(tour: Tour) -> None:
    """Pauses, orders in text, standing and conditional orders, and refused commands."""
    match = tour.joined()
    tour.post(tour.anna, "/matches/{ident}/pause/", {"pause": True}, ident=match)
    tour.ask(tour.anna, "DELETE", "/matches/{ident}/pause/", ident=match)
    who = tour.to_act(match)
    tour.command(who, match, {"text": f"home {corner(match, who)}"}, path="/matches/{ident}/orders/")
    who.post(f"/matches/{match}/commands/", {"name": "end_turn"}, etag=tour.tag(who, match))
    tour.get(who, "/matches/{ident}/refusals/", ident=match)
    orders = {"orders": {"offers": "reject"}}
    tour.ask(who, "PUT", "/matches/{ident}/standing/own/", orders, etag=tour.tag(who, match), ident=match)
    tour.ask(who, "DELETE", "/matches/{ident}/standing/own/", etag=tour.tag(who, match), ident=match)


def finished(tour: Tour) -> None:
    """A match after its end, and an analysis board of it."""
    match = tour.joined()
    home(tour, match)
    home(tour, match)
    tour.command(tour.anna, match, {"name": "resign"})
    tour.get(tour.anna, "/matches/{ident}/position/", ident=match)
    tour.post(tour.anna, "/matches/{ident}/forks/", {"version": 6, "kind": "match"}, ident=match)
    tour.get(tour.anna, "/matches/{ident}/forks/", ident=match)
    tour.post(tour.anna, "/matches/{ident}/rematch/", ident=match)


def account(tour: Tour) -> None:
    """What a player keeps in their account."""
    anna = tour.anna
    for path in ("", "turns/", "preferences/", "absences/", "quiet-hours/", "notices/"):
        tour.get(anna, f"/me/{path}")
    tour.ask(anna, "PATCH", "/me/", {"plays_bots": True})
    tour.ask(anna, "PATCH", "/me/preferences/", {"reminders": ["50%"], "digest_hour": 7, "immediate_below": 12})
    away = tour.post(anna, "/me/absences/", {"first": "2027-07-20", "last": "2027-07-24"})
    tour.ask(anna, "DELETE", "/me/absences/{absence_id}/", absence_id=away["id"])
    tour.ask(anna, "PUT", "/me/quiet-hours/", {"start": "22:00", "end": "07:00"})
    tour.post(anna, "/me/follows/", {"game": "stratastar"})
    tour.get(anna, "/me/follows/")
    tour.get(anna, "/players/{name}/", name="ben")
    tour.ask(anna, "PUT", "/me/blocks/{name}/", {}, name="olga")
    tour.get(anna, "/me/blocks/")
    tour.post(anna, "/reports/", {"kind": "abuse", "words": "See the messages of the match.", "player": "olga"})
    tour.post(anna, "/me/calendar/")
    tour.get(anna, "/me/calendar/")
    tour.ask(anna, "PUT", "/me/chats/{service}/", {"address": "https://ntfy.sh/a-secret-topic"}, service="ntfy")
    tour.get(anna, "/me/chats/")


def programs(tour: Tour, url: str, deliver: Callable[[], int]) -> None:
    """Tokens, bots and webhooks. `url` takes deliveries, which `deliver` makes."""
    anna = tour.anna
    tour.post(anna, "/tokens/", {"name": "laptop", "scopes": ["read", "play"], "expires_at": "2999-01-01T00:00:00Z"})
    tour.get(anna, "/tokens/")
    tour.post(anna, "/me/bots/", {"name": "deep-bot"})
    tour.get(anna, "/me/bots/")
    tour.ask(anna, "PATCH", "/me/bots/{name}/", {"matches": 4}, name="deep-bot")
    tour.post(anna, "/me/bots/{name}/tokens/", {"name": "server"}, name="deep-bot")
    made = tour.post(anna, "/me/webhooks/", {"url": url, "kinds": ["your_turn"]})
    named = {"hook_id": made["id"]}
    tour.get(anna, "/me/webhooks/")
    tour.get(anna, "/me/webhooks/{hook_id}/", **named)
    tour.ask(anna, "PATCH", "/me/webhooks/{hook_id}/", {"kinds": None}, **named)
    tour.post(anna, "/me/webhooks/{hook_id}/secret/", **named)
    tour.post(anna, "/me/webhooks/{hook_id}/ping/", **named)
    deliver()
    entry = tour.get(anna, "/me/webhooks/{hook_id}/deliveries/", **named)["results"][0]
    tour.post(anna, "/me/webhooks/{hook_id}/deliveries/{delivery_id}/", delivery_id=entry["id"], **named)
    tour.ask(anna, "PUT", "/me/webhook/", {"url": url})
    tour.get(anna, "/me/webhook/")
    tour.post(anna, "/me/webhook/secret/")


def substituted(tour: Tour) -> None:
    """A seat that is given up and taken again, and measures of the host, who does not play."""
    match = tour.opened(take_seat=False, seats=2)
    tour.post(tour.ben, "/matches/{ident}/join/", ident=match)
    tour.post(tour.operator, "/matches/{ident}/join/", ident=match)
    tour.get(tour.anna, "/matches/{ident}/tenures/", ident=match)
    tour.get(tour.anna, "/matches/{ident}/looks/", ident=match)
    reason = {"code": "dispute", "reason": "Both players asked for it."}
    home(tour, match, tour.ben, tour.operator)
    tour.command(tour.anna, match, {"to": 5, **reason}, path="/matches/{ident}/rewind/")
    tour.post(tour.anna, "/matches/{ident}/organise/", {"action": "pause", **reason}, ident=match)
    tour.post(tour.ben, "/matches/{ident}/give-up/", ident=match)
    tour.get(tour.operator, "/substitutes/")
    tour.post(tour.ben, "/matches/{ident}/substitute/", {"seat": 0}, ident=match)


def everywhere(tour: Tour, url: str, deliver: Callable[[], int]) -> None:
    """Make the whole tour. `url` takes deliveries to webhooks, which `deliver` makes."""
    for part in (lobby, challenges, running, analysed, paused, finished, substituted, account):
        part(tour)
    programs(tour, url, deliver)
    checkpoints.make()
    service(tour)
