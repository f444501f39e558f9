"""Words that open matches by mail: `new GAME`, `invite ADDRESS`, `rematch`. They do what the pages do, within the same limits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from django.conf import settings
from django.utils.translation import gettext as _

from accounts.models import User
from gamesvc.games import catalog
from gamesvc.games.kernel.game import Game, Refused
from gamesvc.json_types import JsonMapping, JsonObject
from gamesvc.matches.access import selectors
from gamesvc.matches.clock.notation import PRESETS
from gamesvc.matches.lobby import invitations, opening, rematches
from gamesvc.matches.mail_orders.words import lines
from gamesvc.matches.models import Match

CHANNEL = "mail"
_LONGEST_TITLE = 4
_CHOICES = ("entry", "watch", "press", "undo", "clock")
_NUMBERS = ("seats", "hours", "watch_delay")
_NAMES = (*_NUMBERS, "bots", "anonymous", *_CHOICES)
_GERMAN = {"plätze": "seats", "spieler": "seats", "stunden": "hours", "uhr": "clock", "anonym": "anonymous"}
_YES = {"yes": True, "true": True, "on": True, "ja": True, "no": False, "false": False, "off": False, "nein": False}


def open_match(user: User, argument: str) -> str:
    """Open a match as `new GAME [NAME=VALUE ...]` says. Raises `Refused` and `TooMany`."""
    engine, given = _game_of(argument)
    chosen = _chosen(engine, given)
    return _told(opening.create_match(by=user, game=engine.id, channel=CHANNEL, **chosen))


def invite(user: User, argument: str) -> str:
    """Invite a user or a mail address to the writer's open match. Raises `Refused` and `TooMany`."""
    whom, number = lines.invited(argument)
    match = _open_match(user, number)
    named = {"address": whom} if "@" in whom else {"username": whom}
    invitations.invite(by=user, match=match, **named)
    return _("%(whom)s is invited to %(match)s.") % {"whom": whom, "match": _name(match)}


def rematch(user: User, match: Match) -> str:
    """Open a match again after its end, or join the one that another player has opened. Raises `Refused` and `TooMany`."""
    again = rematches.rematch(by=user, match=match, channel=CHANNEL)
    if again.creator_id == user.pk and again.status == Match.Status.OPEN:
        told = _("The rematch is open as %(match)s. The other players are invited; it starts when all seats are taken.")
        return told % {"match": _name(again)}
    return _told(again)


def check_new(argument: str) -> None:
    """Raise `Refused` for an argument of `new` that cannot be read. Nothing is done yet."""
    engine, given = _game_of(argument)
    _chosen(engine, given)


def _told(match: Match) -> str:
    """Say what became of a match that was opened or joined, and what comes next."""
    if match.status != Match.Status.OPEN:
        return _("%(match)s has begun. You get a mail when it is your turn.") % {"match": _name(match)}
    taken = match.seats.exclude(holder=None).count()
    told = _("%(match)s is open: %(taken)s of %(all)s seats taken. Invite others with: invite ADDRESS %(number)s")
    opened = told % {"match": _name(match), "taken": taken, "all": match.seat_count, "number": match.number}
    return f"{opened}\n{settings.BASE_URL}/matches/{match.number}/"


def _name(match: Match) -> str:
    return f"{catalog.game(match.game).manifest.title} #{match.number}"


def _open_match(user: User, number: int | None) -> Match:
    """Return the open match of a user, the one with this number if they have several. Raises `Refused`."""
    found = list(selectors.matches_of(user).filter(status=Match.Status.OPEN, board=False))
    if number is not None:
        found = [match for match in found if match.number == number]
    if not found:
        raise Refused("no_open_match", _("You have no open match for that. To open one write: new GAME"))
    if len(found) > 1:
        told = _("You have several open matches: %(matches)s. Name one behind the address: invite ADDRESS %(number)s")
        numbers = ", ".join(f"#{match.number}" for match in found)
        raise Refused("several_open_matches", told % {"matches": numbers, "number": found[0].number})
    return found[0]


def _game_of(argument: str) -> tuple[Game, list[str]]:
    """Return the game that stands first, and the words behind it. Raises `Refused`."""
    words = argument.split()
    for count in range(min(_LONGEST_TITLE, len(words)), 0, -1):
        if (named := lines.game_named(" ".join(words[:count]))) is not None:
            return catalog.game(named), words[count:]
    told = _("Name a game, as in: new %(game)s. There are: %(games)s.")
    raise Refused("unknown_game", told % {"game": catalog.OFFERED[0], "games": ", ".join(catalog.OFFERED)})


def _chosen(engine: Game, words: Sequence[str]) -> JsonObject:
    """Return the arguments of `create_match` for the words behind the game. Raises `Refused`."""
    given = _pairs(words)
    properties = engine.manifest.options.get("properties", {})
    unknown = next((name for name in given if name not in _NAMES and name not in properties), None)
    if unknown is not None:
        known = (*_NAMES, *properties)
        told = _("There is no option “%(name)s”. There are: %(known)s.")
        raise Refused("bad_options", told % {"name": unknown, "known": ", ".join(known)})
    chosen: JsonObject = {name: given[name].casefold() for name in _CHOICES if name in given}
    chosen |= {name: _whole(name, given[name]) for name in _NUMBERS if name in given}
    if "clock" in chosen and chosen["clock"] not in PRESETS:
        raise Refused("bad_clock", _("The clock is one of: %(known)s.") % {"known": ", ".join(PRESETS)})
    if "anonymous" in given:
        chosen["anonymous"] = _yes("anonymous", given["anonymous"])
    if "bots" in given:
        seats = int(chosen.get("seats", engine.manifest.min_seats))
        chosen["bots"] = dict.fromkeys(range(1, min(seats, engine.manifest.max_seats)), given["bots"].casefold())
    chosen["options"] = {name: _value(name, properties[name], given[name]) for name in given if name in properties}
    return chosen


def _pairs(words: Sequence[str]) -> dict[str, str]:
    """Read `NAME=VALUE`, and a bare number as that of the seats. Raises `Refused`."""
    given: dict[str, str] = {}
    for word in words:
        name, equals, value = word.strip(",;").partition("=")
        if not equals and name.isdecimal():
            name, value = "seats", name
        elif not value:
            raise Refused("bad_options", _("“%(word)s”: write options as NAME=VALUE, as in: seats=2 hours=48") % {"word": word})
        given[_GERMAN.get(name.casefold(), name.casefold())] = value
    return given


def _whole(name: str, value: str) -> int:
    if not (value.isascii() and value.isdecimal() and len(value) < 5):
        raise Refused("bad_options", _("%(name)s takes a number, not “%(value)s”.") % {"name": name, "value": value})
    return int(value)


def _yes(name: str, value: str) -> bool:
    if value.casefold() not in _YES:
        raise Refused("bad_options", _("%(name)s takes yes or no, not “%(value)s”.") % {"name": name, "value": value})
    return _YES[value.casefold()]


def _value(name: str, schema: JsonMapping, value: str) -> object:
    """Read the value of a game's option by its schema. Raises `Refused`."""
    if "enum" in schema:
        return _one_of(name, {str(one).casefold(): one for one in schema["enum"]}, value)
    match schema.get("type"):
        case "boolean":
            return _yes(name, value)
        case "integer":
            return _whole(name, value)
        case "array" if "enum" in schema.get("items", {}):
            known = {str(one).casefold(): one for one in schema["items"]["enum"]}
            return [_one_of(name, known, part) for part in value.replace("+", ",").split(",") if part]
        case "array":
            return [part for part in value.replace("+", ",").split(",") if part]
    raise Refused("bad_options", _("%(name)s can be chosen on the page only.") % {"name": name})


def _one_of(name: str, known: Mapping[str, object], value: str) -> object:
    if value.casefold() not in known:
        told = _("%(name)s is one of: %(known)s.")
        raise Refused("bad_options", told % {"name": name, "known": ", ".join(known)})
    return known[value.casefold()]
