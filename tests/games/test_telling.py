"""What games tell besides their views keeps its promises: for every viewer, in positions of self-play.

That is `glance`, `hand`, `explain`, `reference`, `summary`, `finder` and `standing_orders` of `Game`.
"""

from __future__ import annotations

import json
import random
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from typing import Any
from xml.etree import ElementTree

import pytest

from gamesvc.games import catalog
from gamesvc.games.kernel import forms
from gamesvc.games.kernel.dice import seeded
from gamesvc.games.kernel.game import DECLINE, RANDOM, RESIGN, Caption, Game, Viewer
from gamesvc.games.kernel.targets import Picture, form_as_json, help_on, stands, tappable, targets, thing_of
from gamesvc.games.kernel.targets import values as offered_values
from gamesvc.games.kernel.telling import Entry, Explained, Summary
from gamesvc.games.kernel.timeline import Timeline, check_options
from gamesvc.games.kernel.wording import listed
from gamesvc.games.secrecy import Broken, chance, check_told
from tests.games.auction import GAME as AUCTION
from tests.games.toy import GAME as TOY

GAMES: dict[str, Game[Any]] = {game: catalog.game(game) for game in catalog.OFFERED} | {"auction": AUCTION, "toy": TOY}
MATCHES: dict[str, list[tuple[dict[str, Any], int]]] = {
    "stratastar": [({}, 3), ({"exploration": True}, 2)],
    "space_fleet_commander": [({}, 1), ({"mode": "race"}, 3)],
    "star_commander": [({"turn_limit": 12}, 3)],
    "space_war": [({"decks": ["terrans", "swarm"]}, 2)],
    "auction": [({}, 3)],
    "toy": [({}, 2)],
}
CAPTION = Caption("4242", ("Anna", "Ben", "Carla"))
COMMANDS, LOOK = 240, 12
"""The commands played of each match, and the number from one look to the next."""


@cache
def positions(game_id: str) -> tuple[Any, ...]:
    """Return states of matches between bots: the first, the last, and some between."""
    return tuple(state for options, seats in MATCHES[game_id] for state in played(GAMES[game_id], options, seats))


def played(game: Game[Any], options: dict[str, Any], seats: int) -> Iterator[Any]:
    timeline: Timeline[Any] = Timeline(game)
    dice, rng = seeded("telling"), random.Random(f"telling {game.id}")
    timeline.follow(timeline.begin(check_options(game, options, seats), seats, dice))
    for number in range(COMMANDS):
        state = timeline.state
        if number % LOOK == 0 or game.outcome(state) is not None:
            yield state
        if game.outcome(state) is not None:
            return
        seat = rng.choice(game.awaited(state)).seat
        bot = game.bots[rng.choice(sorted(game.bots))]
        timeline.follow(timeline.command(seat, dict(bot(game.view(state, seat), game.legal_commands(state, seat), rng)), dice))


def looks(game: Game[Any]) -> Iterator[tuple[Any, Viewer, dict[str, Any]]]:
    """Yield every position for every viewer, with the view as programs get it: as JSON."""
    for state in positions(game.id):
        for viewer in (None, *range(game.seats(state))):
            yield state, viewer, json.loads(json.dumps(game.view(state, viewer)))


@pytest.fixture(params=sorted(GAMES))
def game(request: pytest.FixtureRequest) -> Game[Any]:
    return GAMES[request.param]


def test_a_glance_says_what_a_head_and_a_screen_reader_need(game: Game[Any]) -> None:
    turns = set()
    for state, viewer, view in looks(game):
        told = game.glance(view, CAPTION)
        assert told == game.glance(game.view(state, viewer), CAPTION)
        assert told.headline == told.headline.strip() != ""
        assert not {"\n", "_"} & set(told.headline)
        assert not told.headline[0].islower()
        assert game.manifest.title not in told.headline
        assert "4242" not in told.headline
        assert told.description.strip().endswith(".")
        assert type(told.turn) is int
        assert told.turn >= 0
        turns.add(told.turn)
    assert game.id == "auction" or len(turns) > 1


@pytest.mark.parametrize("game", catalog.OFFERED, indirect=True)
def test_a_headline_names_the_players_who_act(game: Game[Any]) -> None:
    """By name, also by one that no picture can draw."""
    names = ("Anna", "田中", "Carla")
    for state, _viewer, view in looks(game):
        headline = game.glance(view, replace(CAPTION, names=names)).headline
        acting = listed(names[waiting.seat] for waiting in game.awaited(state))
        assert headline.endswith(f". {acting} to act.") if acting else "to act" not in headline


@pytest.mark.parametrize("game", catalog.OFFERED, indirect=True)
def test_a_glance_tells_those_who_must_act_what_to_do(game: Game[Any]) -> None:
    for state, viewer, view in looks(game):
        acts = any(waiting.seat == viewer for waiting in game.awaited(state))
        task = game.glance(view, CAPTION).task
        assert (task != "") is acts, view["awaited"]
        assert not acts or (task[0].isupper() and task[-1] == "." and "_" not in task)


@pytest.mark.parametrize("game", catalog.OFFERED, indirect=True)
def test_an_earlier_position_waits_for_nobody(game: Game[Any]) -> None:
    for _state, _viewer, view in looks(game):
        past = replace(CAPTION, past=True)
        shown = game.glance(view, past).headline + "".join(ElementTree.fromstring(game.picture(view, past)).itertext())
        assert not [words for words in ("to act", "Your move", "Your choice", "Your answer", "Your response") if words in shown]


@pytest.mark.parametrize("game", catalog.OFFERED, indirect=True)
def test_the_picture_is_named_and_described_by_the_glance(game: Game[Any]) -> None:
    for _state, _viewer, view in looks(game):
        told, picture = game.glance(view, CAPTION), ElementTree.fromstring(game.picture(view, CAPTION))
        title, description = (picture.findtext(f"{{http://www.w3.org/2000/svg}}{name}") or "" for name in ("title", "desc"))
        assert title == f"{game.manifest.title} 4242, {told.headline[0].lower()}{told.headline[1:]}"
        assert description == told.description


def test_a_picture_without_its_header_is_the_same_below_it(game: Game[Any]) -> None:
    for _state, _viewer, view in looks(game):
        whole, below = game.picture(view, CAPTION), game.picture(view, replace(CAPTION, header=False))
        # Without a header, for a page, what lies below the board is one group and the bands of the seats are others, which the
        # page can show beside it, and the tabs of a phone have marks, which draw nothing.
        untabbed = re.sub("".join(rf'<rect id="{tab.id}" [^<>]* fill="none"/>\n' for tab in below.tabs), "", below)
        ungrouped = re.sub(r'<g id="m4242-below" class="below" data-top="[\d.]+">\n|\n</g>(?=\n</svg>)', "", untabbed)
        ungrouped = re.sub(r'<g id="m4242-\w+" class="beside" [^<>]*>\n(.*?)\n</g>(?=\n)', r"\1", ungrouped, flags=re.DOTALL)
        assert whole.partition("\n")[2] == ungrouped.partition("\n")[2]
        if game.id in catalog.OFFERED:
            left, top, width, height = (float(side) for side in ElementTree.fromstring(whole).attrib["viewBox"].split())
            cropped = [float(side) for side in ElementTree.fromstring(below).attrib["viewBox"].split()]
            assert cropped == pytest.approx([left + 6, top + 84, width - 12, height - 84])


def test_a_hand_is_its_holders_and_every_card_in_it_is_explained(game: Game[Any]) -> None:
    held = 0
    for _state, viewer, view in looks(game):
        hand = game.hand(view)
        if hand is None:
            continue
        assert viewer is not None
        assert len({one.id for one in hand}) == len(hand)
        for one in hand:
            held += 1
            explained = game.explain(view, one.id)
            assert explained is not None, one
            assert explained.name in one.words
    assert (held > 5) is (game.id in ("stratastar", "star_commander", "space_war"))


def test_help_is_whole_sentences_about_what_the_view_shows(game: Game[Any]) -> None:
    helped: Counter[str] = Counter()
    for state, viewer, view in looks(game):
        offered = () if viewer is None else game.legal_commands(state, viewer)
        for one in {thing_of(stand.target) for form in offered for stand in stands(game.finder(view), form)}:
            explained = game.explain(view, one)
            if explained is not None:
                helped[one] += 1
                assert explained.name
                assert explained.text.rstrip(")")[-1] in ".!"
                assert "None" not in explained.text
        assert game.explain(view, "no such thing") is None
        assert game.explain(view, "") is None
    assert (len(helped) > 5) is (game.id in catalog.OFFERED)


@pytest.mark.parametrize("game", catalog.OFFERED, indirect=True)
def test_the_reference_describes_every_card_and_unit_in_sight(game: Game[Any]) -> None:
    shown: Counter[str] = Counter()
    for _state, _viewer, view in looks(game):
        entries = game.reference(view)
        assert len({entry.id for entry in entries}) == len({entry.name for entry in entries}) == len(entries) > 10
        for entry in entries:
            assert entry.name.strip()
            assert entry.kind.strip()
            assert not {"_", "\n"} & set(f"{entry.name}{entry.kind}{entry.numbers}")
            assert (entry.text or f"{entry.numbers}.")[-1] in ".!", entry
            shown[entry.id] += len(entry.shown)
        in_sight = [of for entry in entries for of in entry.shown]
        assert {held.id for held in game.hand(view) or ()} <= {*in_sight}
        assert len(in_sight) == len({*in_sight})
    assert len(+shown) > 5


@pytest.mark.parametrize("game", catalog.OFFERED, indirect=True)
def test_a_summary_says_what_decided_a_match(game: Game[Any]) -> None:
    for options, seats in MATCHES[game.id]:
        timeline: Timeline[Any] = Timeline(game)
        timeline.follow(timeline.begin(check_options(game, options, seats), seats, seeded("summary")))
        assert [game.summary(game.view(timeline.state, viewer), CAPTION) for viewer in (None, *range(seats))] == [None] * (
            seats + 1
        )
        for seat in range(seats):
            if game.outcome(timeline.state) is None:
                timeline.follow(timeline.command(seat, {"name": RESIGN}, seeded("summary")))
        assert game.outcome(timeline.state) is not None
        for viewer in (None, *range(seats)):
            told = game.summary(json.loads(json.dumps(game.view(timeline.state, viewer))), CAPTION)
            assert told is not None
            assert told.decided.strip()
            assert not told.decided.endswith(".")
            assert len({noun for noun, _ in told.figures}) == len(told.figures) > 0
            for noun, values in told.figures:
                assert noun.strip()
                assert len(values) == seats
                assert all(value.strip() for value in values)


def test_each_value_with_a_target_has_it_in_the_picture(game: Game[Any]) -> None:
    found = 0
    for state, viewer, view in looks(game):
        if viewer is None or not (offered := game.legal_commands(state, viewer)):
            continue
        picture = game.picture(view, CAPTION)
        for form in offered:
            for stand in stands(game.finder(view), form):
                found += 1
                assert stand.target in picture.boxes, (form.name, stand)
            told = json.dumps(form_as_json(game, form, view))
            assert {*re.findall(r'"at": "([^"]*)"', told)} <= picture.boxes.keys()
            assert game.weight(form) in ("main", "end", "danger", "settings")
            assert not {"_"} & set(form.verb)
    assert (found > 50) is (game.id in catalog.OFFERED)


@pytest.mark.parametrize("game", catalog.OFFERED, indirect=True)
def test_every_target_lies_in_the_picture_and_has_a_name(game: Game[Any]) -> None:
    for _state, _viewer, view in looks(game):
        picture = game.picture(view, CAPTION)
        left, top, width, height = _window(picture)
        found = targets(game, view, picture, CAPTION)
        assert len(found) > 6
        assert len({one.name for one in found}) == len(found), "a screen reader tells them apart"
        for one in found:
            x, y, wide, high = one.box
            assert one.id.startswith(f"{one.kind}:") or one.id == one.kind
            assert one.name.strip()
            assert "_" not in one.name
            assert min(wide, high) >= 15, one
            assert left <= x <= x + wide <= left + width + 0.1, one
            assert top <= y <= y + high <= top + height + 0.1, one
        drawn = ElementTree.fromstring(tappable(picture, found))
        assert [shape.attrib["data-t"] for shape in drawn.iter() if "data-t" in shape.attrib] == [one.id for one in found]


@pytest.mark.parametrize("game", catalog.OFFERED, indirect=True)
def test_there_is_help_on_everything_that_can_be_tapped(game: Game[Any]) -> None:
    kinds = set()
    for _state, viewer, view in looks(game):
        for one in targets(game, view, game.picture(view, CAPTION), CAPTION):
            name, text = help_on(game, view, one.id)
            assert text.endswith("."), (viewer, one.id)
            kinds |= set() if name else {one.kind}
    assert kinds <= set(game.kinds)


def _window(picture: Picture) -> list[float]:
    return [float(number) for number in ElementTree.fromstring(picture).attrib["viewBox"].split()]


# The fields of acts at the table whose values are drawn nowhere: words, numbers and modes (chips and steppers), and station
# cards for a pile that is far from empty.
UNDRAWN = {
    "stratastar": {("move", "then"), ("move", "free"), ("support", "builds")},
    "space_fleet_commander": set(),
    "star_commander": set(),
    "space_war": {("use_commander", "mode"), ("end_turn", "flip_slots")},
}


@pytest.mark.parametrize("game", catalog.OFFERED, indirect=True)
def test_what_is_chosen_at_the_table_is_a_target(game: Game[Any]) -> None:
    undrawn = set()
    for state, viewer, view in looks(game):
        for form in () if viewer is None else game.legal_commands(state, viewer):
            if game.weight(form) in ("main", "end"):
                finder, offered = game.finder(view), offered_values({"properties": form.parameters})
                undrawn |= {(form.name, field) for field, value in offered if finder(form.name, field, value) is None}
    assert undrawn == UNDRAWN[game.id]


def test_standing_orders_are_shown_as_they_are_given(game: Game[Any]) -> None:
    orders = game.standing_orders
    if orders is None:
        assert game.id in ("space_fleet_commander", "auction", "toy")
        return
    schema = game.commands[orders.command]["properties"][orders.parameter]
    assert orders.parameter in game.commands[orders.command]["required"]
    for state, viewer, view in looks(game):
        if viewer is not None:
            assert forms.fault(schema, orders.shown(view)) is None
            given = {"name": orders.command, orders.parameter: orders.shown(view)}
            if game.outcome(state) is None and any(form.name == orders.command for form in game.legal_commands(state, viewer)):
                Timeline.resume(game, version=1, state=state, draws=0, kept={}, log=lambda until: ()).command(
                    viewer, given, seeded("set")
                )


def test_names_that_mean_the_same_in_every_game(game: Game[Any]) -> None:
    assert RANDOM in game.bots
    for name in {RESIGN, DECLINE} & set(game.commands):
        assert forms.fault({"type": "object", **game.commands[name]}, {}) is None


def test_nothing_told_depends_on_hidden_things(game: Game[Any]) -> None:
    for state in positions(game.id):
        for seat in range(game.seats(state)):
            check_told(game, state, game.redeal(state, seat, chance(random.Random(1))), seat, "telling")


@pytest.mark.parametrize(
    ("member", "leak"),
    [
        ("glance", lambda view, caption: replace(TOY.glance(view, caption), description=f"{random.random()}.")),
        ("explain", lambda view, of: Explained(of, "A secret.")),
        ("reference", lambda view: (Entry("one", "One", "card", "", f"{random.random()}."),)),
        ("summary", lambda view, caption: Summary(f"{random.random()}")),
    ],
)
def test_what_depends_on_more_than_the_view_is_found(member: str, leak: Any) -> None:
    leaky = replace(TOY, ids=lambda state: ("secret",), **{member: leak})
    [state, *_] = positions("toy")
    with pytest.raises(Broken, match="telling"):
        check_told(leaky, state, state, 0, "telling")


def test_help_on_a_visible_item_that_names_a_hidden_one_is_found() -> None:
    helped = lambda view, of: Explained(of, "It lies beside secret.") if of == "turn" else None  # noqa: E731
    leaky = replace(TOY, ids=lambda state: ("turn", "secret"), explain=helped)
    [state, *_] = positions("toy")
    with pytest.raises(Broken, match="telling: the words about a view name"):
        check_told(leaky, state, state, 0, "telling")
