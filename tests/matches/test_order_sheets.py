"""Order sheets: in every game each line is a legal order, or has clear blanks and a legal example."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from gamesvc.games import catalog
from gamesvc.games.kernel import forms
from gamesvc.games.kernel.game import RESIGN, Form
from gamesvc.games.kernel.timeline import replay
from gamesvc.games.selfplay import bounded, play
from gamesvc.matches.mail_orders import order_mail
from gamesvc.matches.mail_orders.words import order_sheets
from gamesvc.matches.mail_orders.words.order_sheets import BLANK


@functools.cache
def moments(game_id: str) -> list[tuple[Mapping[str, Any], Sequence[Form]]]:
    """Return what awaited seats see and may order, in moments spread over a few played matches."""
    game = catalog.game(game_id)
    found = []
    for seed in ("sheet", "form"):
        seats = 2 if game.manifest.min_seats > 1 else 1
        record = play(game, options=bounded(game), seats=seats, seed=seed, check_every=0)
        for end in record.ends[:: max(1, len(record.ends) // 25)]:
            state = replay(game, record.events[:end]).state
            found += [(game.view(state, one.seat), game.legal_commands(state, one.seat)) for one in game.awaited(state)]
    return found


@pytest.mark.parametrize("game_id", catalog.OFFERED)
def test_each_line_of_a_sheet_is_a_legal_order_or_has_a_blank(game_id: str) -> None:
    game = catalog.game(game_id)
    for view, legal in moments(game_id):
        entries = order_sheets.entries(game, legal)
        for entry in entries:
            assert entry.orders, entry.label
            written = [order for order in entry.orders if BLANK not in order] + [entry.example] * bool(entry.example)
            for order in written:
                [line] = order_mail.read(order, game, view)
                assert line.command is not None, (order, line.detail)
                assert forms.offered(legal, line.command), order
            for order in entry.orders:
                if BLANK in order:
                    assert entry.example, order
                    assert entry.example.split()[0] == order.split()[0]
                    assert not any(line.state == "read" for line in order_mail.read(order, game, view)), order


@pytest.mark.parametrize("game_id", catalog.OFFERED)
def test_a_sheet_leaves_nothing_out_but_resigning_and_standing_orders(game_id: str) -> None:
    game = catalog.game(game_id)
    for _view, legal in moments(game_id):
        named = {entry.name for entry in order_sheets.entries(game, legal)}
        assert {form.name for form in legal if not form.aside} <= named
        assert RESIGN not in named


@pytest.mark.parametrize("game_id", catalog.OFFERED)
def test_every_game_has_rules_in_short(game_id: str) -> None:
    short = catalog.game(game_id).short_rules().split("\n")
    assert 5 <= len(short) <= 9
    assert all(len(line) <= 130 and line.endswith(".") for line in short)


@pytest.mark.parametrize("game_id", catalog.OFFERED)
def test_help_on_an_order_word_shows_how_it_is_written(game_id: str) -> None:
    """Only answers to rare questions have no line in the grammar; the sheet shows them when they are asked."""
    game = catalog.game(game_id)
    silent = {verb for verb in game.verbs if not game.word_help(verb)}
    rare = "basic choose declare decline go hyper pass replay set time timeout treason upkeep withdraw"
    assert silent <= {*rare.split()}
    assert all(len(game.word_help(verb).split("\n")) <= 4 for verb in game.verbs)
