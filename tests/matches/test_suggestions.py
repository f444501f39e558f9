"""Suggestions in refusals: what "Did you mean ...?" names is legal in that position at that moment, in every game."""

from __future__ import annotations

import functools
import random
import re
from collections.abc import Sequence

import pytest

from gamesvc.games import catalog
from gamesvc.games.kernel import forms
from gamesvc.games.kernel.game import Form, Game, Refused
from gamesvc.games.kernel.timeline import check_command, read_order
from gamesvc.games.stratastar import GAME as STRATASTAR
from gamesvc.matches.mail_orders import order_mail
from gamesvc.matches.play.suggestions import suggesting_legal
from tests.matches.test_order_sheets import moments

_ASKED = re.compile(r"Did you mean:? (?P<names>[^?]*)\??")


def mistyped(order: str, rng: random.Random) -> str:
    """Return an order with one of its words mistyped."""
    words = order.split()
    at = rng.randrange(len(words))
    letters = list(words[at])
    if len(letters) > 2 and rng.random() < 0.5:
        place = rng.randrange(len(letters) - 1)
        letters[place], letters[place + 1] = letters[place + 1], letters[place]
    else:
        letters.insert(rng.randrange(len(letters) + 1), rng.choice("aeklrtxz09"))
    words[at] = "".join(letters)
    return " ".join(words)


def is_legal(game: Game, legal: Sequence[Form], order: str, view: object) -> bool:
    try:
        command = dict(read_order(game, order, view))
        check_command(game, command)
    except Refused:
        return False
    return forms.offered(legal, command)


@pytest.mark.parametrize("game_id", catalog.OFFERED)
def test_every_suggestion_is_legal_in_its_position(game_id: str) -> None:
    game, rng, seen = catalog.game(game_id), random.Random(game_id), 0
    for view, legal in moments(game_id):
        checked = suggesting_legal(game, functools.partial(list, legal))
        begun = {game.render(forms.fill(form, random.Random(0))).split()[0] for form in legal}
        for form in rng.choices(legal, k=12):
            order = mistyped(game.render(forms.fill(form, rng)), rng)
            for line in order_mail.read(order, checked, view):
                found = _ASKED.search(line.detail)
                if found is None:
                    continue
                for name in re.split(r", | or ", found["names"]):
                    seen += 1
                    if name in order_mail.SUGGESTED:
                        continue
                    spans = [found.span() for found in re.finditer(r"[\w.]+|[\w.,-]+", order)]
                    spans += [found.span() for found in re.finditer(r"[^\s=+>,]+", order)]
                    whole = [order[:start] + name + order[end:] for start, end in spans]
                    assert name in begun or any(is_legal(game, legal, one, view) for one in whole), (order, line.detail)
    assert seen, "the test sees suggestions"


def test_what_is_not_legal_is_not_suggested() -> None:
    game = STRATASTAR
    view, legal = next((view, legal) for view, legal in moments("stratastar") if {form.name for form in legal} >= {"retool"})
    with pytest.raises(Refused) as plain:
        game.parse("colonise_ C4", view)
    assert "colonise" in plain.value.sentence
    with pytest.raises(Refused) as checked:
        suggesting_legal(game, lambda: legal).parse("colonise_ C4", view)
    assert "Did you mean" not in checked.value.sentence
    with pytest.raises(Refused) as legal_one:
        suggesting_legal(game, lambda: legal).parse("retolo none", view)
    assert "Did you mean retool?" in legal_one.value.sentence


def test_orders_are_read_as_people_write_them() -> None:
    """Filler words, and ids without their dash or zero, where just one reading is legal."""
    view, legal = next((view, legal) for view, legal in moments("stratastar") if any(form.name == "move" for form in legal))
    form = next(form for form in legal if form.name == "move")
    command = {"name": "move"} | {name: forms.sample(form.parameters[name], random.Random(1)) for name in form.required or ()}
    start, to = command["from"], command["to"]
    for order in (f"move {start} to {to}", f"Move from {start} to {to}.", f"move {start.lower()} -> {to.lower()}"):
        [line] = order_mail.read(order, STRATASTAR, view)
        assert line.command is not None, line.detail
        assert (line.command["from"], line.command["to"]) == (start, to)
    war = catalog.game("space_war")
    for view, legal in moments("space_war"):
        for form in legal:
            card = form.parameters.get("card", {}).get("const") if form.name == "move" else None
            if card is not None:
                bare = re.sub(r"-0*", "", card)
                [line] = order_mail.read(f"move {bare}", war, view)
                assert line.command is not None
                assert line.command["card"] == card
                return
    pytest.fail("no move in these moments")
