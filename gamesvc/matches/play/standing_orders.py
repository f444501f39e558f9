"""Standing orders of a seat: the game's own, and conditional orders. Creating, listing, changing, cancelling.

Each game has its own vocabulary for reactions (see its rules), which is passed on to its command (`Game.standing_orders`).
`conditional_orders` submits orders whose condition is met.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import transaction
from django.utils import timezone

from accounts.models import User
from gamesvc.games.kernel import forms, intake
from gamesvc.games.kernel.events import of_service
from gamesvc.games.kernel.game import Game, Refused, see_event
from gamesvc.games.kernel.timeline import check_command, read_order
from gamesvc.json_types import JsonMapping, JsonObject
from gamesvc.language import mark, say
from gamesvc.matches.access import daily_limits, holders
from gamesvc.matches.models import Match, Premove
from gamesvc.matches.play import branches, turns
from gamesvc.matches.record import conditions, loading, stream
from gamesvc.matches.record.loading import Loaded
from gamesvc.matches.record.stream import STORE

MOST = branches.LISTED
MOST_EVER = branches.MOST_EVER
CANCELLED = branches.CANCELLED
MOST_COMMANDS = 5
MOST_VALUES = 8
# Longest order as text, in characters.
LONGEST_TEXT = 1000
# Number of events searched for examples.
LOOK_BACK = 30
SHOWS = (
    "An instant answer shows the others that you had a conditional order. Without one, the time you take tells nobody "
    "whether you had a choice."
)
_TEXT = {"type": "string", "minLength": 1, "maxLength": 100}
_VALUE = {"oneOf": [{"type": "string", "maxLength": 100}, {"type": "integer"}, {"type": "boolean"}]}
CONDITION: JsonObject = {
    "type": "object",
    "additionalProperties": False,
    "properties": {
        "event": {
            "title": "Something that happens",
            "type": "object",
            "additionalProperties": False,
            "required": ["type"],
            "properties": {"type": _TEXT, "data": {"type": "object"}},
        },
        "view": {
            "title": "What you see then",
            "type": "array",
            "maxItems": 8,
            "items": {
                "type": "object",
                "additionalProperties": False,
                "required": ["path", "op", "value"],
                "properties": {"path": _TEXT, "op": {"enum": list(conditions.COMPARE)}, "value": _VALUE},
            },
        },
    },
}


# --- the game's own ---


def own_orders(loaded: Loaded, seat: int) -> JsonObject | None:
    """Return the game's standing orders of a seat with their command and JSON Schema; None if the game has none."""
    own = loaded.game.standing_orders
    if own is None:
        return None
    orders = own.shown(loaded.game.view(loaded.timeline.state, seat)) if loaded.started else None
    schema = dict(loaded.game.commands[own.command]["properties"][own.parameter])
    return {"command": own.command, "orders": orders, "schema": schema}


def first_orders(loaded: Loaded, seat: int) -> object:
    """Return the game's standing orders in the first playable position, to which cancelling all of them returns."""
    _check_started(loaded)
    own, begun = loaded.game.standing_orders, loading.first_playable(loaded)
    assert begun is not None, "the match has started"
    return None if own is None else own.shown(loaded.game.view(loading.state_at(loaded.game, loaded.match_id, begun), seat))


def own_command(loaded: Loaded, orders: object) -> JsonObject:
    """Return the command that sets the game's own standing orders. Raises `Refused` if the game has none."""
    own = loaded.game.standing_orders
    if own is None:
        title = loaded.game.manifest.title
        raise Refused(
            "no_standing_orders", say("{title} asks no player between their turns, so it has no standing orders.", title=title)
        )
    return {"name": own.command, own.parameter: orders}


# --- conditional orders ---


def lay_by(
    *, match: Match, seat: int, user: User, condition: JsonMapping, commands: Sequence[Any], received_at: datetime | None = None
) -> Premove:
    """Create a conditional order. Raises `Refused` if it cannot be read, or came after the deadline for what its seat is asked:
    it could be given before the clock answers. Its legality shows only when the condition is met.
    """
    loaded = loading.load(match.id, match.game)
    _check_running(loaded)
    read = _readable(loaded, condition)
    _check_commands(loaded, commands)
    with transaction.atomic():
        # No seat changes hands while the match is locked: that is an append.
        locked = Match.objects.select_for_update(no_key=True).get(pk=match.pk)
        holders.check(locked, locked.seats.all(), seat, user.pk)
        turns.check_in_time(locked, seat, received_at or timezone.now())
        own = Premove.objects.filter(match=match, seat=seat)
        if own.filter(status__in=conditions.OPEN).exclude(condition__has_key="act").count() >= MOST:
            raise Refused("too_many", say("You have {most} conditional orders. Cancel one first.", most=MOST))
        number = max(own.values_list("number", flat=True), default=0) + 1
        if number > MOST_EVER:
            raise Refused("too_many", say(branches.FULL, most=MOST_EVER))
        daily_limits.check_conditional(user.pk)
        branches.forget_ended(own)
        return Premove.objects.create(
            match=match,
            seat=seat,
            user=user,
            number=number,
            condition=read,
            commands=[dict(one) for one in commands],
            looked_version=locked.version,
        )


def _readable(loaded: Loaded, condition: JsonMapping) -> JsonObject:
    """Return a condition as it is stored. Raises `Refused` for one that cannot be read."""
    intake.check(condition, "when", whole=False)
    if fault := forms.fault(CONDITION, condition, "when"):
        raise Refused("bad_condition", fault.detail, fault.path)
    if not condition.get("event") and not condition.get("view"):
        raise Refused("bad_condition", say("`when` names an event, something you see, or both."), "when")
    wanted = condition.get("event")
    read: JsonObject = {"view": list(condition.get("view", ()))}
    if wanted is not None:
        data = wanted.get("data", {})
        if len(data) > MOST_VALUES or any(
            fault := forms.fault(_VALUE, value, f"when.event.data.{name}") for name, value in data.items()
        ):
            raise Refused(
                "bad_condition", say("when.event.data holds up to eight plain values to compare with."), "when.event.data"
            )
        read["event"] = {"type": _known_type(loaded.game, wanted["type"]), "data": dict(data)}
    return read


def _known_type(game: Game, named: str) -> str:
    """Return the type of an event as the game has it. Raises `Refused` for one that could never happen."""
    known = game.bare_type(named)
    if game.events and known not in game.events:
        unknown = say(
            "{title} has no event “{named}”. The page of the match shows those of late, the schemas of the game show all.",
            title=game.manifest.title,
            named=named,
        )
        raise Refused("bad_condition", unknown, "when.event.type")
    return known


def _check_commands(loaded: Loaded, commands: Sequence[object]) -> None:
    if not 1 <= len(commands) <= MOST_COMMANDS:
        raise Refused(
            "bad_commands",
            say("A conditional order has one to {most} commands.", most=MOST_COMMANDS),
            "commands",
        )
    for place, command in enumerate(commands):
        if not isinstance(command, Mapping):
            raise Refused("bad_commands", say("A command is an object with a name and its parameters."), "commands")
        intake.check_command(command, f"commands.{place}")
        check_command(loaded.game, command)


def laid_by(match: Match, seat: int) -> list[Premove]:
    """Return a seat's open conditional orders, and the last ones that ended, with their results."""
    rows = Premove.objects.filter(match=match, seat=seat).select_related("after")
    ended = rows.exclude(status__in=conditions.OPEN).order_by("-number")[:MOST]
    return [*rows.filter(status__in=conditions.OPEN).order_by("number"), *ended]


def find(match: Match, seat: int, number: int) -> Premove:
    """Return a seat's conditional order by its number. Raises `Refused`."""
    found = Premove.objects.select_related("match", "user", "after").filter(match=match, seat=seat, number=number).first()
    if found is None:
        raise Refused("unknown_order", say("You have no conditional order {number}.", number=number), "number")
    return found


def change(*, premove: Premove, user: User, condition: JsonMapping, commands: Sequence[Any]) -> Premove:
    """Replace a user's order that has not begun. Raises `Refused`."""
    with transaction.atomic():
        # Lock the match first, then its orders, as everywhere. Another sequence could deadlock.
        Match.objects.select_for_update(no_key=True).get(pk=premove.match_id)
        cancel(match=premove.match, seat=premove.seat, number=premove.number, user=user)
        return lay_by(match=premove.match, seat=premove.seat, user=user, condition=condition, commands=commands)


def cancel(*, match: Match, seat: int, number: int, user: User) -> None:
    """Cancel a user's conditional order, with the branches after it. Commands already given stay.

    Raises `Refused` if it is not open.
    """
    with transaction.atomic():
        # Lock the match first, as a line that is kept does.
        Match.objects.select_for_update(no_key=True).get(pk=match.pk)
        own = list(Premove.objects.filter(match=match, seat=seat, user=user, status__in=conditions.OPEN))
        named = [row for row in own if row.number == number]
        branches.cancel_with_branches(named, own)
    if not named:
        raise Refused("unknown_order", say("You have no conditional order {number}.", number=number), "number")


def words(loaded: Loaded, one: Premove) -> str:
    """Return a conditional order in the notation in which players write it; a branch of a tree in words of its own."""
    if branches.is_branch(one):
        return _branch_words(loaded, one)
    wanted = one.condition.get("event")
    parts = []
    if wanted is not None:
        parts.append(" ".join([wanted["type"], *(f"{name}={value}" for name, value in wanted["data"].items())]))
    parts += [f"{each['path']} {each['op']} {each['value']}" for each in one.condition.get("view", ())]
    return f"if {' and '.join(parts)} then {'; '.join(loaded.game.render(command) for command in one.commands)}"


def _branch_words(loaded: Loaded, one: Premove) -> str:
    seat, render = one.condition["seat"], loaded.game.render
    who = "you play" if seat == one.seat else f"player {seat + 1} plays"
    then = f" then {'; '.join(map(render, one.commands))}" if one.commands else ""
    return f"{f'after {one.after.number} ' if one.after is not None else ''}if {who} {render(one.condition['command'])}{then}"


def lately(loaded: Loaded, seat: int, most: int = 4) -> list[str]:
    """Return recent events, each kind once and newest first, as the seat could write them into a condition."""
    found: dict[str, str] = {}
    last = loaded.viewer_version(seat)
    for stored in reversed(STORE.read(loaded.match_id, max(0, last - LOOK_BACK), last)):
        seen = None if of_service(stored.type) else see_event(loaded.game, stream.lift(loaded.game, stored), seat)
        if seen is not None and seen.type not in found and len(found) < most:
            plain = {name: value for name, value in seen.data.items() if _writable(value)}
            values = [f"{name}={str(value).casefold() if isinstance(value, bool) else value}" for name, value in plain.items()]
            found[seen.type] = " ".join([seen.type, *values[:MOST_VALUES]])
    return list(found.values())


def _writable(value: object) -> bool:
    return isinstance(value, int) or (isinstance(value, str) and 0 < len(value) <= 40 and not any(map(str.isspace, value)))


# --- as text ---

# For texts with single blanks: a pattern with several runs of blanks takes cubic time in their length.
_IF = re.compile(r"^if (?P<when>.+?) then (?P<orders>.+)$", re.IGNORECASE)
_VIEW = re.compile(r"^(?P<path>[\w.]+)\s*(?P<op>!=|<=|>=|=|<|>)\s*(?P<value>\S+)$")
_PAIR = re.compile(r"^(?P<path>[\w.]+)=(?P<value>\S+)$")
HOW = mark(
    "standing: list your conditional orders. standing if EVENT NAME=VALUE then ORDER; ORDER: play these orders when it "
    "happens. standing cancel 2: cancel the second."
)


@dataclass(frozen=True, slots=True)
class Asked:
    """A parsed line about standing orders: `list`, `cancel` with a number, or `lay_by` with condition and commands."""

    what: str
    number: int = 0
    condition: JsonMapping | None = None
    commands: tuple[JsonObject, ...] = ()


def asks_for_list(text: str) -> bool:
    """Return True for a text after the word `standing` that asks what there is."""
    return " ".join(text.split()).casefold() in ("", "list")


def parse_text(match: Match, seat: int, text: str) -> Asked:
    """Parse the text after the word `standing`. Raises `Refused` with the syntax. Changes nothing."""
    intake.check_order(text)
    if len(text) > LONGEST_TEXT:
        too_long = mark("A conditional order has at most {most} characters; this one has {length}.")
        raise Refused("too_long", say(too_long, most=LONGEST_TEXT, length=len(text)))
    # The patterns below would try every split of a run of blanks.
    text = " ".join(text.split())
    if asks_for_list(text):
        return Asked("list")
    if found := re.match(r"^cancel #?(\d{1,4})$", text, re.IGNORECASE):
        return Asked("cancel", int(found[1]))
    found = _IF.match(text)
    if found is None:
        raise Refused("unreadable", say("{text!r} cannot be read. {how}", text=text[:60], how=say(HOW)))
    loaded = loading.load(match.id, match.game)
    _check_running(loaded)
    view = loaded.game.view(loaded.timeline.state, seat)
    condition: JsonObject = {"view": []}
    for part in re.split(r" and ", found["when"], flags=re.IGNORECASE):
        words_of = part.split()
        compared = _VIEW.match(part)
        if compared is not None:
            condition["view"].append({"path": compared["path"], "op": compared["op"], "value": _read(compared["value"])})
        elif "event" not in condition and all(_PAIR.match(one) for one in words_of[1:]):
            pairs = [one.split("=", 1) for one in words_of[1:]]
            condition["event"] = {"type": words_of[0].casefold(), "data": {name: _read(value) for name, value in pairs}}
        else:
            raise Refused("unreadable", say("{part!r} cannot be read. {how}", part=part[:60], how=say(HOW)))
    orders = [order.strip() for order in found["orders"].split(";") if order.strip()]
    if len(orders) > MOST_COMMANDS:
        raise Refused("bad_commands", say("A conditional order has one to {most} commands.", most=MOST_COMMANDS), "commands")
    commands = tuple(dict(read_order(loaded.game, order, view)) for order in orders)
    return Asked("lay_by", condition=condition, commands=commands)


def _read(text: str) -> int | str:
    if re.match(r"^-?\d{1,9}$", text):
        return int(text)
    return {"true": True, "yes": True, "false": False, "no": False}.get(text.casefold(), text)


def _check_running(loaded: Loaded) -> None:
    if loaded.ended:
        raise Refused("match_over", say("The match is over."))
    _check_started(loaded)


def _check_started(loaded: Loaded) -> None:
    if not loaded.started:
        raise Refused("not_started", say("The match has not started yet."))


# --- words ---
