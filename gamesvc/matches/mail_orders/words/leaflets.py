"""Texts and lists that players ask for by mail: rules, cards, help on a word, order sheets, their matches, the games."""

from __future__ import annotations

import difflib
import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from uuid import UUID

from django.conf import settings
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from accounts.models import User
from gamesvc.games import catalog
from gamesvc.games.kernel.game import Game
from gamesvc.games.kernel.telling import Entry
from gamesvc.json_types import JsonMapping, JsonObject
from gamesvc.language import say
from gamesvc.matches.access import selectors
from gamesvc.matches.mail_orders.words import lines, order_sheets
from gamesvc.matches.mail_orders.words.order_sheets import Offer
from gamesvc.matches.models import Match, Question, Seat
from gamesvc.matches.story import moments

MOST_MATCHES = 40
MOST_ORDERS = 8
"""Orders that are possible now and are shown for one word."""
LONGEST_ANSWERS = 32 * 1024
"""Characters of all that one mail asks for, if it is more than one thing."""
_ENTRIES_LIKE = 3


@dataclass(frozen=True, slots=True)
class Leaflet:
    """An answer: its title and text."""

    title: str
    text: str

    def as_section(self) -> dict[str, str]:
        return {"title": self.title, "text": self.text}


def fitting(sections: Sequence[JsonObject]) -> list[JsonObject]:
    """Return the sections of an answer, with a sentence in place of the text of those for which it has no room."""
    room = LONGEST_ANSWERS
    fitted: list[JsonObject] = []
    for section in sections:
        fits = not fitted or len(section["text"]) <= room
        room -= len(section["text"]) if fits else 0
        fitted.append(section if fits else {**section, "text": _("One mail has no room for this. Ask for it in another one.")})
    return fitted


# --- the games and their rules ---


def rules(game: Game) -> Leaflet:
    """Return the rules in short, and where to find all of them."""
    short = game.short_rules() or say(game.manifest.summary)
    return Leaflet(_("The rules of %(title)s") % {"title": game.manifest.title}, f"{short}\n{_('All rules:')} {_page_of(game)}")


def games() -> Leaflet:
    """Return the games that can be played, and how to open a match."""
    told = "\n".join(_of_game(game) for game in catalog.games())
    return Leaflet(
        _("Games"), f"{told}\n\n{_('To open a match, write for example: new %(game)s') % {'game': catalog.OFFERED[0]}}"
    )


def _of_game(game: Game) -> str:
    low, high = game.manifest.min_seats, game.manifest.max_seats
    seats = ngettext("%(count)s player", "%(count)s players", high) % {"count": f"{low}-{high}" if low != high else low}
    return f"{game.id} ({game.manifest.title}, {seats}): {say(game.manifest.summary)}\n  {_page_of(game)}"


def _page_of(game: Game) -> str:
    return f"{settings.BASE_URL}/games/{game.id}/"


# --- cards and units ---


def card(game: Game, view: JsonMapping, name: str) -> Leaflet:
    """Return what a card or unit does, by its name, its id or the id of one that the view shows; without a name, the list."""
    known = game.reference(view)
    if not name:
        return Leaflet(_("Cards and units"), _names_by_kind(known))
    if (explained := explained_id(game, view, name)) is not None:
        return Leaflet(explained[0], explained[1])
    found = _named(known, name)
    if len(found) == 1:
        [entry] = found
        shown = [one for one in entry.shown if one != entry.id]
        told = [entry.line] + ([_("In sight: %(ids)s.") % {"ids": ", ".join(shown)}] if shown else [])
        return Leaflet(entry.name, "\n".join(told))
    if found:
        return Leaflet(name, _("There are several: %(names)s.") % {"names": ", ".join(entry.name for entry in found)})
    return Leaflet(name, _unknown_card(known, name))


def explained_id(game: Game, view: JsonMapping, name: str) -> tuple[str, str] | None:
    """Return name and text of the card, piece or place with this id, if the view shows one."""
    for spelled in (name, name.lower(), name.upper()):
        if (found := game.explain(view, spelled)) is not None:
            return found.name, found.text
    return None


def _named(known: Iterable[Entry], name: str) -> list[Entry]:
    """Return the entries of this name; else those whose names begin so, or hold it as a word."""
    key = _folded(name)
    entries = list({entry.id: entry for entry in known}.values())
    exact = [entry for entry in entries if key in (_folded(entry.id), _folded(entry.name))]
    begun = [entry for entry in entries if _folded(entry.name).startswith(key)]
    return exact or begun or [entry for entry in entries if key in _folded(entry.name).split()]


def _unknown_card(known: Iterable[Entry], name: str) -> str:
    names = {_folded(entry.name): entry.name for entry in known}
    alike = difflib.get_close_matches(_folded(name), names, n=_ENTRIES_LIKE, cutoff=lines.LIKENESS)
    told = _("There is no card or unit of this name.")
    if not alike:
        return f"{told} {_('For all names write: card')}"
    return f"{told} {_('Did you mean %(names)s?') % {'names': ', '.join(names[one] for one in alike)}}"


def _names_by_kind(known: Iterable[Entry]) -> str:
    kinds: dict[str, list[str]] = {}
    for entry in known:
        kinds.setdefault(entry.kind, []).append(entry.name)
    listed = "\n".join(f"{kind}: {', '.join(dict.fromkeys(names))}" for kind, names in kinds.items())
    return f"{listed}\n{_('For one of them write: card NAME')}" if listed else _("This game has no cards or units.")


def _folded(name: str) -> str:
    return " ".join(re.sub(r"[\W_]+", " ", name.casefold()).split())


# --- words ---


def lines_on(word: str, help_text: str) -> str:
    """Return the lines of a help text that begin with a word; empty if there are none."""
    return "\n".join(line for line in help_text.split("\n") if line.split() and line.split()[0].rstrip(",?") == word)


def help_on_order(game: Game, offer: Offer, word: str, known: Collection[str]) -> Leaflet:
    """Return help on an order word of the game, which may be shortened. `known`: what can be suggested for an unknown word."""
    key = word.casefold()
    verbs = [verb for verb in game.verbs if verb == key] or [verb for verb in game.verbs if verb.startswith(key)]
    if len(verbs) == 1:
        return Leaflet(verbs[0], _help_on_verb(game, offer, verbs[0]))
    if verbs:
        return Leaflet(word, _("Several orders begin so: %(words)s.") % {"words": ", ".join(sorted(verbs))})
    nearest, unknown = lines.nearest(key, known), _("There is no such word.")
    if not nearest:
        return Leaflet(word, f"{unknown} {_('For all words write: help')}")
    return Leaflet(word, f"{unknown} {_('Did you mean: help %(word)s') % {'word': nearest}}")


def _help_on_verb(game: Game, offer: Offer, verb: str) -> str:
    """Return the lines of the grammar that hold an order word, and the orders with it that are possible now."""
    grammar = game.word_help(verb)
    now = [order for entry in offer.entries for order in entry.orders if order.split()[0] == verb]
    parts = [grammar] if grammar else []
    if now:
        parts += [_("You can order now:"), *(f"  {order}" for order in now[:MOST_ORDERS])]
        parts += ["  …"] if len(now) > MOST_ORDERS else []
    else:
        parts.append(_("It is not possible now."))
    return "\n".join(parts)


def forms(offer: Offer) -> Leaflet:
    """Return the order sheet of a seat."""
    return Leaflet(_("Order sheet"), order_sheets.sheet(offer.entries) or _("You have nothing to order now."))


# --- the matches of a player ---


def matches_of(user: User) -> Leaflet:
    """Return the open and running matches of a player, those that wait for them first."""
    rows = selectors.matches_of(user).filter(board=False, status__in=Match.UNFINISHED)
    found = list(rows[: MOST_MATCHES + 1])
    matches = {match.pk: match for match in found[:MOST_MATCHES]}
    seats: dict[UUID, list[Seat]] = {pk: [] for pk in matches}
    for seat in Seat.objects.filter(match__in=matches).select_related("user").order_by("index"):
        seat.match = matches[seat.match_id]
        seats[seat.match_id].append(seat)
    questions: dict[UUID, list[Question]] = {pk: [] for pk in matches}
    for question in Question.objects.filter(match__in=matches).order_by("due_at", "seat"):
        questions[question.match_id].append(question)
    left = selectors.left(user, matches.values())
    told = [_of_match(match, tuple(seats[pk]), questions[pk], user, gave_up=pk in left) for pk, match in matches.items()]
    listed = [line for _first, line in sorted(told, key=lambda one: one[0])]
    if len(found) > MOST_MATCHES:
        listed.append(_("All your matches: %(link)s") % {"link": settings.BASE_URL})
    return Leaflet(
        _("Your matches"), "\n".join(listed) or _("You have no match now. For the games that you can play write: games")
    )


def _of_match(
    match: Match, seats: tuple[Seat, ...], questions: Sequence[Question], user: User, *, gave_up: bool
) -> tuple[int, str]:
    """Return the place of a match in the list, and its line. `gave_up`: the user sees it late, unless they have a seat again."""
    name = f"#{match.number} {catalog.game(match.game).manifest.title}"
    if match.status == Match.Status.OPEN:
        taken = sum(seat.holder is not None for seat in seats)
        told = _("%(match)s: open, %(taken)s of %(all)s seats taken")
        return 2, told % {"match": name, "taken": taken, "all": len(seats)}
    own = {seat.index for seat in seats if seat.user_id == user.pk}
    mine = next((question for question in questions if question.seat in own), None)
    if mine is not None:
        told = _("%(match)s: your turn, due %(due)s")
        return 0, told % {"match": name, "due": moments.local_time(mine.due_at, user)}
    if gave_up and not own:
        return 1, _("%(match)s: is shown to you late") % {"match": name}
    if not questions:
        return 1, _("%(match)s: no decision is pending") % {"match": name}
    names = selectors.seat_names(seats)
    told = _("%(match)s: waits for %(names)s until %(due)s")
    waited = ", ".join(dict.fromkeys(names[question.seat] for question in questions))
    return 1, told % {"match": name, "names": waited, "due": moments.local_time(questions[0].due_at, user)}
