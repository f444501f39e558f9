"""What moves slides to its new place, in replay and live; nothing moves for readers who want less motion."""

import pytest
from playwright.sync_api import Page

from gamesvc.matches.record import loading
from gamesvc.matches.record.stream import STORE
from tests.web.browser.playing import Played, shown, wait_for_version

pytestmark = pytest.mark.browser
MOVES = [
    ("stratastar", 2, "fleets_moved", "fleets:"),
    ("space_fleet_commander", 1, "hex_explored", "token"),
    ("star_commander", 2, "ships_jumped", "vessel:"),
    ("space_war", 2, "moved", "card:"),
]
MOST_ACTS = 200
WATCH = """() => {
    window.moved = [];
    const animate = Element.prototype.animate;
    Element.prototype.animate = function (...given) {
        window.moved.push(this.dataset.piece);
        return animate.apply(this, given);
    };
}"""

WHERE = """() => Object.fromEntries([...document.querySelectorAll('#chart [data-piece]')].map((piece) => {
    const box = piece.getBoundingClientRect();
    return [piece.dataset.piece, [Math.round(box.x), Math.round(box.y)]];
}))"""


def until(played: Played, event: str) -> int:
    """Let bots play until something has moved. Return the version before that act, as seat 0 knows it."""
    for _ in range(MOST_ACTS):
        before = played.seen_version
        played.bot_acts(next(seat for seat in range(len(played.users)) if played.waits_for(seat)))
        loaded = loading.load(played.match.id, played.match.game)
        if any(one.type == loaded.game.full_type(event) for one in STORE.read(played.match.id, before, played.version)):
            return before
    raise AssertionError(f"no {event}")


def steps(page: Page, to: int) -> list[str]:
    page.evaluate(WATCH)
    page.keyboard.press("End")
    wait_for_version(page, to)
    page.wait_for_function("to => document.querySelector('.scrub input[type=range]').value == to", arg=str(to))
    page.wait_for_function("() => !document.querySelector('[data-step=next]')")
    return list(page.evaluate("window.moved"))


@pytest.mark.parametrize(("game", "seats", "event", "piece"), MOVES)
def test_a_piece_slides_to_its_new_place_in_a_replay(opened, game, seats, event, piece):
    played = Played(game, seats)
    before = until(played, event)
    for motion in (True, False):
        page = opened(played.users[0], f"{played.path}?at={before}", motion=motion)
        moved = steps(page, played.seen_version)
        assert any(one.startswith(piece) for one in moved) == motion
        assert motion or not moved


def test_an_act_of_another_player_moves_its_pieces(opened):
    """The page of one player is open when the other moves. What it shows last is the same as without motion."""
    played = Played("stratastar", 2)
    while not played.waits_for(1) or "move" not in played.offered(1):
        played.bot_acts(0 if played.waits_for(0) else 1)
    page = opened(played.users[0], played.path, motion=True)
    page.evaluate(WATCH)
    before, fleets = shown(page), played.view(1)["players"][1]["fleets"]
    while played.view(1)["players"][1]["fleets"] == fleets and played.waits_for(1):
        played.bot_acts(1)
    wait_for_version(page, before + 1)
    wait_for_version(page, played.seen_version)
    page.wait_for_function("() => !document.getAnimations().length")
    assert any(piece.startswith("fleets:1:") for piece in page.evaluate("window.moved"))
    still = opened(played.users[0], played.path)
    wait_for_version(still, played.seen_version)
    assert page.evaluate(WHERE) == still.evaluate(WHERE)
