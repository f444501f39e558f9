"""Short descriptions of positions: omitted parts are as at the beginning of a match. A turn may begin with its ready phase."""

from __future__ import annotations

from typing import Any

import pytest

from gamesvc.games.protocol import Session
from gamesvc.games.star_commander import GAME


def begun(state: dict[str, Any], seed: str = "short") -> tuple[Session, dict[str, Any]]:
    session = Session(GAME)
    position = {"format": 1, "game": "star_commander", "state": state}
    return session, session.answer({"op": "new", "seed": seed, "position": position})


def seen(session: Session, seat: int | None) -> dict[str, Any]:
    found: dict[str, Any] = session.answer({"op": "view", "seat": seat})["view"]
    return found


@pytest.mark.parametrize(("edition", "seats"), [("classic", 2), ("classic", 4), ("revised", 2), ("revised", 3)])
def test_an_empty_description_is_the_beginning_of_a_match(edition: str, seats: int) -> None:
    session, answer = begun({"edition": edition, "seats": [{}] * seats})
    assert answer["ok"], answer
    other = Session(GAME)
    assert other.answer({"op": "new", "seats": seats, "seed": "a", "options": {"edition": edition}})["ok"]
    view, set_up = seen(session, None), seen(other, None)
    set_up["active"] = set_up["prompt"]["seat"] = 0
    set_up["awaited"][0]["seat"] = 0
    assert view == set_up


def test_cards_are_described_by_card_id() -> None:
    session, answer = begun(
        {
            "edition": "revised",
            "seats": [{"hand": ["barrage", "barrage"], "technologies": ["railgun_turrets"]}, {"credits": 9}],
            "vessels": {"v4": {"card": "battlecruiser", "controller": 1, "cell": "1,1"}},
            "decks": {"science": ["interdiction"]},
            "discards": {"industry": ["trade_envoy"]},
            "cells": {"1,1": {"card": "trade_world", "controller": 1}},
        }
    )
    if not answer["ok"]:
        pytest.fail(str(answer))
    view = seen(session, 0)
    assert [card for _, card in view["hand"]] == ["barrage", "barrage"]
    assert [card for _, card in view["seats"][0]["technologies"]] == ["railgun_turrets"]
    assert view["discards"]["industry"] == ["trade_envoy"]
    assert (view["vessels"]["v4"]["card"], list(view["vessels"])) == ("battlecruiser", ["v4"])
    assert (view["cells"]["1,1"]["controller"], view["cells"]["1,1"]["devs"], view["seats"][1]["credits"]) == (1, 1, 9)
    position = session.answer({"op": "position"})["position"]
    assert position["state"]["faces"][position["state"]["decks"]["science"][0]] == "interdiction"
    again = Session(GAME)
    assert again.answer({"op": "new", "position": position})["ok"], "what was completed is a whole position"
    assert seen(again, 0) == view


def test_a_turn_begins_with_its_ready_phase() -> None:
    """Five developments and Trade World pay credits, and the player must choose one of two domains to draw from."""
    state = {
        "seats": [{"credits": 5}, {}],
        "turn": 7,
        "phase": "ready",
        "cells": {"2,1": {"card": "trade_world", "controller": 0, "devs": 3}, "1,2": {"card": "research_world", "controller": 0}},
    }
    session, answer = begun(state)
    assert answer["ok"], answer
    assert [(one["seat"], one["prompt"], one["id"]) for one in answer["awaited"]] == [(0, "ready_draw", "turn7")]
    view = seen(session, 0)
    assert (view["turn"], view["phase"], view["seats"][0]["credits"]) == (7, "ready", 5 + 3 + 1 + 1 + 2)
    drawn = session.answer(
        {"op": "command", "seat": 0, "command": {"name": "draw_card", "domain": view["seats"][0]["domains"][0]}}
    )
    assert drawn["ok"], drawn


def test_a_combat_phase_begins_with_its_first_question() -> None:
    ships = {
        "v1": {"card": "corvette", "controller": 1, "cell": "1,1"},
        "v2": {"card": "frigate", "controller": 0, "cell": "1,1"},
    }
    _, answer = begun({"phase": "combat", "active": 1, "vessels": ships})
    assert answer["ok"], answer
    assert [(one["seat"], one["prompt"]) for one in answer["awaited"]] == [(1, "combat_choose")]


def test_hidden_cards_are_shuffled_by_the_seed() -> None:
    decks = []
    for seed in ("one", "one", "two"):
        session, _ = begun({}, seed)
        state = session.answer({"op": "position"})["position"]["state"]
        decks.append([state["faces"][uid] for uid in state["decks"]["industry"]])
    assert decks[0] == decks[1] != decks[2]


@pytest.mark.parametrize(
    ("state", "place"),
    [
        ({"seats": 3}, "/seats"),
        ({"seats": [{}]}, "/seats"),
        ({"seats": [{"hand": ["nope"]}, {}]}, "/seats/0/hand"),
        ({"seats": [{"hand": ["barrage"] * 9}, {}]}, "/seats/0/hand"),
        ({"edition": "newest"}, "/edition"),
        ({"grid": 9}, "/grid"),
        ({"phase": "end"}, "/phase"),
        ({"phase": "ready", "active": 5}, "/active"),
        ({"cells": {"9,9": {}}}, "/cells"),
        ({"cells": {"1,1": {"card": "nowhere"}}}, "/cells/1,1"),
        ({"vessels": {"v1": 3}}, "/vessels/v1"),
        ({"vessels": {"v1": {"card": "rowing_boat", "controller": 0, "cell": "1,1"}}}, "/vessels/v1"),
        ({"phase": "ready", "turn": "x"}, "turn"),
    ],
)
def test_an_impossible_description_is_refused_with_its_path(state: dict[str, Any], place: str) -> None:
    _, answer = begun(state)
    assert answer["refusal"]["code"] == "bad_position"
    assert place in answer["refusal"]["detail"]
