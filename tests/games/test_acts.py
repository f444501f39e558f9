"""One form per act: it offers what the forms of the act offer together, in alternatives that people can tell apart."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from typing import Any

import pytest

from gamesvc.games import catalog
from gamesvc.games.acts import acts, merged
from gamesvc.games.kernel import codec, forms
from gamesvc.games.kernel.dice import seeded
from gamesvc.games.kernel.game import RESIGN, Form, Game, Schema
from gamesvc.games.kernel.targets import stands
from gamesvc.games.kernel.timeline import Timeline
from gamesvc.web.common import controls
from gamesvc.web.common import posted as reading
from tests.games.positions import corpus
from tests.web.posting import TooManyRows, canonical, encode, said


def offers(game: Game[Any]) -> Iterator[tuple[Any, list[Form], tuple[Form, ...]]]:
    """Yield a view, the forms of its seat, and the acts, in the positions of a few matches."""
    for position in corpus(game):
        state, _marked = codec.read_position(game, position, 1)
        for seat in range(game.seats(state)):
            yield game.view(state, seat), list(game.legal_commands(state, seat)), acts(game, state, seat)


def within(schema: Schema) -> Iterator[Schema]:
    """Yield a schema and every schema inside it."""
    yield schema
    for inner in (
        *schema.get("oneOf", ()),
        *schema.get("properties", {}).values(),
        *([schema["items"]] if "items" in schema else ()),
    ):
        yield from within(inner)


@pytest.mark.parametrize("game", catalog.OFFERED, indirect=True)
def test_an_act_offers_what_its_forms_offer_together(game: Game[Any]) -> None:
    rng, merged = random.Random(1), 0
    for view, narrow, whole in offers(game):
        assert len({(form.name, form.aside) for form in narrow}) == len(whole)
        merged += len(narrow) - len(whole)
        finder = game.finder(view)
        for act in whole:
            parts = [form for form in narrow if (form.name, form.aside) == (act.name, act.aside)]
            assert all(forms.fits(act, forms.fill(form, rng)) for form in parts)
            assert all(forms.offered(parts, forms.fill(act, rng)) for _ in parts)
            assert {one.target for one in stands(finder, act)} == {one.target for form in parts for one in stands(finder, form)}
    assert merged > 0


@pytest.mark.parametrize("game", catalog.OFFERED, indirect=True)
def test_what_stands_beside_the_game_is_declared(game: Game[Any]) -> None:
    found = {form.name for _view, narrow, _whole in offers(game) for form in narrow if form.aside}
    assert RESIGN in found
    assert game.asides is None or found <= {*game.asides} <= {*game.commands}


@pytest.mark.parametrize("game", catalog.OFFERED, indirect=True)
def test_alternatives_have_titles_that_tell_them_apart(game: Game[Any]) -> None:
    for _view, _narrow, whole in offers(game):
        for act in whole:
            for one in (one for one in within(act.body) if "oneOf" in one):
                titles = [option.get("title") for option in one["oneOf"]]
                assert all(titles), (act.name, json.dumps(one)[:300])
                assert len(set(titles)) == len(titles), (act.name, titles)


@pytest.mark.parametrize("game", catalog.OFFERED, indirect=True)
def test_defaults_are_legal_and_payments_have_one(game: Game[Any]) -> None:
    for _view, _narrow, whole in offers(game):
        for act in whole:
            for one in within(act.body):
                assert "default" not in one or forms.fault(one, one["default"]) is None, (act.name, one)
                assert not one.get("payment") or "default" in one


def test_what_is_paid_by_default_is_what_an_omitted_payment_stands_for() -> None:
    stratastar, paid = catalog.game("stratastar"), 0
    for position in corpus(stratastar):
        state, marked = codec.read_position(stratastar, position, 1)
        [*awaited] = stratastar.awaited(state)
        for seat in (one.seat for one in awaited):
            for form in stratastar.legal_commands(state, seat):
                if not form.parameters.get("pay", {}).get("payment") or "pay" in (form.required or ()):
                    continue
                command = forms.fill(form, random.Random(3))
                omitted = {name: value for name, value in command.items() if name != "pay"}
                told = {**omitted, "pay": form.parameters["pay"]["default"]}
                assert events_of(stratastar, state, marked, seat, omitted) == events_of(stratastar, state, marked, seat, told)
                paid += 1
    assert paid > 20


def events_of(game: Game[Any], state: Any, marked: Any, seat: int, command: dict[str, Any]) -> list[tuple[str, Any]]:
    timeline = Timeline.resume(game, version=1, state=state, draws=0, kept=marked, log=lambda until: ())
    return [(event.type, event.data) for event in timeline.command(seat, command, seeded("pay")).events]


@pytest.mark.parametrize("game", catalog.OFFERED, indirect=True)
def test_an_act_can_be_posted_by_the_page(game: Game[Any]) -> None:
    rng = random.Random(2)
    for _view, _narrow, whole in offers(game):
        for act in whole:
            command, sheet = forms.fill(act, rng), controls.sheet(act)
            try:
                fields = encode(sheet, command)
            except TooManyRows:
                assert act.aside, f"{act.name} must fit on the page"
                continue
            wanted = canonical(said(sheet, command))
            try:
                assert canonical(reading.read(sheet, fields)) == wanted
            except reading.Unreadable:
                # Orders that order nothing.
                assert forms.fault(act.body, {name: value for name, value in wanted.items() if name != "name"})


@pytest.fixture
def game(request: pytest.FixtureRequest) -> Game[Any]:
    return catalog.game(request.param)


def test_a_list_to_choose_keeps_its_words_where_forms_are_merged() -> None:
    """Two forms of one change each were one list that read "ship 11-12, die 5.2, delta 1"."""
    game = catalog.game("space_fleet_commander")
    change = [{"ship": "11-12", "die": "5.2", "delta": 1}]
    values: list[tuple[list[dict[str, Any]], str]] = [([], "nothing"), (change, "5.2 from 1 to 2")]
    narrow = [
        Form("tinker", words, {"adjust": {"enum": [value], "labels": {json.dumps(value, sort_keys=True): words}}})
        for value, words in values
    ]
    [act] = merged(game, narrow)
    assert [forms.label(act.parameters["adjust"], value) for value, _words in values] == ["nothing", "5.2 from 1 to 2"]
