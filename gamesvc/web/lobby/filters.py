"""Filters of the lists of matches, read from the query of an address. Invalid values count as not given."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from urllib.parse import urlencode

from django.db.models import QuerySet
from django.http import HttpRequest
from django.urls import reverse

from accounts.models import Language, User
from gamesvc.games import catalog
from gamesvc.games.kernel.wording import counted
from gamesvc.language import mark, say
from gamesvc.matches.models import PACE, PACE_ENDS, Match
from gamesvc.matches.statistics import reliability

# Minimum percentage of matches finished, maximum number of timeouts, and maximum average hours of an answer.
SHARES, TIMES, HOURS = ("50", "75", "90", "100"), ("0", "1", "3", "10"), ("3", "12", "24", "48")
# The paces in the order of their classes (`models.PACE`), with their ranges of hours.
PACES = {"fast": (0, PACE_ENDS[0]), "usual": (PACE_ENDS[0] + 1, PACE_ENDS[1]), "slow": (PACE_ENDS[1] + 1, 24 * 365)}
CLASSES = {pace: at for at, pace in enumerate(PACES)}
# The hours of a new match of each pace, out of those its form offers.
HOURS_OF_A_PACE = {"fast": "24", "usual": "48", "slow": "120"}
# The fields of a new match that a filter of open ones answers: the terms, not who has opened it.
OF_A_NEW_MATCH = ("seats", "hours", "finished", "timeouts")
PACE_LABELS = (
    ("fast", mark("Up to 1 day per turn")),
    ("usual", mark("2 to 4 days per turn")),
    ("slow", mark("5 days per turn and more")),
)


@dataclass(frozen=True, slots=True)
class Filter:
    """One choice: its name in the address, its label, the options, and the chosen one."""

    name: str
    label: str
    empty: str
    options: tuple[tuple[str, str], ...]
    chosen: str


@dataclass(frozen=True, slots=True)
class Filters:
    """The filters of a list, as the page shows them. `query` continues an address to another part of the same list."""

    shown: tuple[Filter, ...]
    asks: tuple[Filter, ...] = ()
    suitable: bool = False

    @property
    def query(self) -> str:
        given = {one.name: one.chosen for one in (*self.shown, *self.asks) if one.chosen} | (
            {"suitable": "1"} if self.suitable else {}
        )
        return f"&{urlencode(given)}" if given else ""

    def chosen(self, name: str) -> str:
        """Return the chosen option of a filter; empty if none is."""
        return next(one.chosen for one in (*self.shown, *self.asks) if one.name == name)


def read_open(request: HttpRequest) -> Filters:
    """Return the filters of open matches in an address."""
    finished = ((one, f"{one} %") for one in SHARES)
    shares = _filter(request, "finished", say("Players who finished at least"), say("any share"), finished)
    counts = ((one, one) for one in TIMES)
    times = _filter(request, "timeouts", say("Max. timeouts of players in a year"), say("any number"), counts)
    lengths = ((one, counted(int(one), "hour")) for one in HOURS)
    hours = _filter(request, "answer_hours", say("Players who answer on average within"), say("any time"), lengths)
    shown = (*_common(request), _filter(request, "language", say("Language of the host"), say("Any language"), Language.choices))
    return Filters(shown, (shares, times, hours), request.user.is_authenticated and "suitable" in request.GET)


def read_common(request: HttpRequest) -> Filters:
    """Return the filters of running and finished matches in an address."""
    return Filters(_common(request))


def _common(request: HttpRequest) -> tuple[Filter, ...]:
    games = [game.manifest for game in catalog.games()]
    counts = range(1, max(manifest.max_seats for manifest in games) + 1)
    return (
        _filter(request, "game", say("Game"), say("Any game"), ((manifest.id, manifest.title) for manifest in games)),
        _filter(request, "seats", say("Players"), say("Any number"), ((str(count), str(count)) for count in counts)),
        _filter(request, "pace", say("Pace"), say("Any pace"), ((value, say(label)) for value, label in PACE_LABELS)),
    )


def _filter(request: HttpRequest, name: str, label: str, empty: str, options: Iterable[tuple[str, str]]) -> Filter:
    offered = tuple((str(value), str(words)) for value, words in options)
    given = request.GET.get(name, "")
    return Filter(name, label, empty, offered, given if given in dict(offered) else "")


def like_these(filters: Filters) -> str:
    """Return the address of the form for a new match that these filters of open matches would find."""
    chosen = {name: filters.chosen(name) for name in OF_A_NEW_MATCH if name != "hours"}
    chosen["hours"] = HOURS_OF_A_PACE.get(filters.chosen("pace"), "")
    query = urlencode({name: value for name, value in chosen.items() if value})
    game = filters.chosen("game")
    address = reverse("web:new", args=[game]) if game else reverse("web:choose")
    return f"{address}?{query}" if query else address


def of_a_new_match(request: HttpRequest) -> dict[str, str]:
    """Return the fields of a new match that its address fills in (`like_these`): whole numbers only."""
    return {name: given for name in OF_A_NEW_MATCH if (given := request.GET.get(name, "")).isdecimal() and len(given) < 5}


def common(filters: Filters, found: QuerySet[Match], *, in_archive: bool = False) -> QuerySet[Match]:
    """Return the matches of the chosen game, number of players and pace. `in_archive`: of the whole archive, by its indexes."""
    if game := filters.chosen("game"):
        found = found.filter(game=game)
    if seats := filters.chosen("seats"):
        found = found.filter(seat_count=int(seats))
    if pace := filters.chosen("pace"):
        found = found.alias(pace=PACE).filter(pace=CLASSES[pace]) if in_archive else found.filter(hours__range=PACES[pace])
    return found


def open_ones(filters: Filters, found: QuerySet[Match], user: User | None) -> QuerySet[Match]:
    """Return the open matches that pass all filters."""
    found = common(filters, found)
    if language := filters.chosen("language"):
        found = found.filter(creator__language=language, anonymous=False)
    if user is not None and filters.suitable:
        found = reliability.for_player(found, user)
    finished, timeouts, hours = (filters.chosen(name) for name in ("finished", "timeouts", "answer_hours"))
    if finished or timeouts or hours:
        found = reliability.with_players(
            found,
            finished=int(finished or 0),
            timeouts=int(timeouts) if timeouts else None,
            answer_hours=int(hours) if hours else None,
        )
    return found
