"""Words on what happens to a seat that does nothing: the same policy and the same default commands as at its deadline.

The steps are tried on copies of the match in which everything hidden from the seat is dealt again, so they tell nothing hidden.
"""

from __future__ import annotations

import itertools
import secrets as system
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from gamesvc.games.kernel.dice import Dice, KeyedSource
from gamesvc.games.kernel.forms import fits, label
from gamesvc.games.kernel.game import Command, Game, Refused, Schema
from gamesvc.games.kernel.timeline import Timeline
from gamesvc.json_types import JsonObject
from gamesvc.language import say
from gamesvc.matches.play.previews import dealt
from gamesvc.matches.record.loading import Loaded
from gamesvc.matches.timekeeping import timeouts

DEALS = 3
"""The number of deals on which the steps are tried. A step that differs between them is not told."""
MOST_STEPS = 12


def sentence(loaded: Loaded, seat: int, question: str, *, held: bool, in_words: bool = False) -> str:
    """Return a sentence on what happens at the deadline if a seat, which has a player, does not answer its open question.

    `held`: the seat has orders that are held until then (`last_orders.waiting`). `in_words`: name acts as the page does; else as
    orders, which a player can send.
    """
    if held:
        return _("If you do nothing more, the orders that you have kept for the deadline are carried out.")
    follows = timeouts.consequence(loaded, seat, question)
    match follows.kind:
        case "excused" if follows.left:
            return ngettext(
                "If you do nothing, you get the full time again. After that you have %(left)s more such timeout.",
                "If you do nothing, you get the full time again. After that you have %(left)s more such timeouts.",
                follows.left,
            ) % {"left": follows.left}
        case "excused":
            return _("If you do nothing, you get the full time again. It is the last time.")
        case "bot":
            return _("If you do nothing, a bot takes over your seat for the rest of the match.")
        case "lose":
            return _("If you do nothing, you lose the match.")
    steps = _played(*_steps(loaded, seat, question, follows.command, in_words=in_words))
    if follows.kind == "vacated":
        return _("If you do nothing, your seat falls free, and this is played for it: %(steps)s.") % {"steps": steps}
    return _("If you do nothing, this is played for you: %(steps)s.") % {"steps": steps}


def _played(orders: list[str], whole: bool) -> str:
    """Return orders as one text, equal neighbours once with their number."""
    told = []
    for order, same in itertools.groupby(orders):
        count = sum(1 for _one in same)
        told.append(order if count == 1 else _("%(order)s (%(count)s times)") % {"order": order, "count": count})
    if not whole:
        told.append(_("and so on to the end of your turn, as chance and the others decide"))
    return ", ".join(told)


def _steps(loaded: Loaded, seat: int, question: str, first: JsonObject | None, *, in_words: bool) -> tuple[list[str], bool]:
    """Return the orders that the clock will give for a seat, and True if they are all of them."""
    words: list[str] | None = [] if in_words else None
    try:
        worlds = [_in_a_world(loaded.timeline, seat, question, first, None if at else words) for at in range(DEALS)]
    except Refused:  # a position that cannot be dealt again
        command = first or loaded.game.default_command(loaded.timeline.state, seat)
        return [loaded.game.render_default(command)], False
    alike = itertools.takewhile(lambda steps: len(set(steps)) == 1, zip(*(orders for orders, _closed in worlds), strict=False))
    told = [steps[0] for steps in alike]
    whole = all(closed and len(orders) == len(told) for orders, closed in worlds)
    return (told if words is None else words[: len(told)]), whole


def _in_words(game: Game[Any], state: Any, seat: int, command: Command) -> str:
    """Return a default command as the page calls it, with what it chooses; as an order if the page does not offer it."""
    order = game.render_default(command)
    if order in game.idle:
        return say(game.idle[order])
    if set(command) - {"name", "does"} and order.replace(" ", "").isalpha():
        return order  # such as `keep`: its form would be called a reroll
    meant = command if game.default_order is None else game.parse(order, game.view(state, seat))
    form = next((form for form in game.legal_commands(state, seat) if fits(form, meant)), None)
    if form is None:
        return say(game.words[meant["name"]]) if meant["name"] in game.words else order
    chosen = [words for name, value in meant.items() for words in _chosen(form.parameters.get(name, {}), value)]
    told = ", ".join(chosen)
    # Some forms are called after their question.
    return form.label if not told else f"{form.label} {told}" if form.label.endswith("?") else f"{form.label} ({told})"


def _chosen(schema: Schema, value: object) -> list[str]:
    """Return the words for the values in a parameter that have words for people."""
    if isinstance(value, list):
        return [words for one in value for words in _chosen(schema.get("items", {}), one)]
    # What a card does stands behind its name.
    return (
        [label(schema, value).partition(": ")[0]] if "labels" in schema and "enum" in schema and len(schema["enum"]) > 1 else []
    )


def _in_a_world(
    real: Timeline, seat: int, question: str, first: JsonObject | None, words: list[str] | None
) -> tuple[list[str], bool]:
    """Return the clock's orders in one deal, and True if the question is closed after them. `first`: in place of the default.

    `words`: where to put what the page calls them.
    """
    game, copy, dice = real.game, dealt(real, seat), Dice(KeyedSource(system.token_bytes(32)), real.draws)
    orders: list[str] = []
    while len(orders) < MOST_STEPS:
        command = first if first is not None and not orders else game.default_command(copy.state, seat)
        orders.append(game.render_default(command))
        if words is not None:
            words.append(_in_words(game, copy.state, seat, command))
        copy.follow(copy.command(seat, command, dice))
        if all((waiting.seat, waiting.id) != (seat, question) for waiting in game.awaited(copy.state)):
            return orders, True
    return orders, False
