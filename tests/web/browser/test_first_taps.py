"""The first tap on a thing: an act of the turn that it begins, else what it is. Settings never take the board over."""

import pytest
from playwright.sync_api import Page, expect

from gamesvc.games.space_fleet_commander.data import SHIPS
from gamesvc.matches.record import loading
from tests.web.browser.conftest import PHONE, WIDE
from tests.web.browser.playing import Played, confirm, from_position, lit, shown, wait_for_version

pytestmark = pytest.mark.browser
EMPTY = "cell:D4"


def at(page: Page, target: str) -> None:
    page.locator(f'.hits [data-t="{target}"]').dispatch_event("click")


def moving(played: Played) -> int:
    """Play on to the first movement, and return the seat that moves."""
    while not any("move" in played.offered(seat) for seat in (0, 1)):
        me = 0 if played.waits_for(0) else 1
        if "end_phase" in played.offered(me):
            played.ends_phase(me)
        else:
            played.bot_acts(me)
    return next(seat for seat in (0, 1) if "move" in played.offered(seat))


def test_fleets_that_all_stand_in_one_place_are_moved_by_a_tap_on_them(opened):
    played = Played("stratastar", 2)
    me = moving(played)
    page = opened(played.users[me], played.path, PHONE)
    home = lit(page).first.get_attribute("data-t")
    assert lit(page).count() == 1, "only the fleets can begin a movement"
    before = shown(page)
    at(page, str(home))
    expect(page.locator('form.filling[data-verb="Move"]')).to_have_count(1)
    spaces = page.locator('.hits [data-t^="cell:"].can')
    if spaces.count():  # A hazard may leave only one way out, which needs no tap.
        at(page, str(spaces.first.get_attribute("data-t")))
    expect(page.locator("#says")).to_contain_text("free move")
    assert confirm(page)
    wait_for_version(page, before + 1)


@pytest.mark.parametrize("turn", ["own", "other"])
def test_a_tap_on_an_empty_place_tells_what_it_is(opened, turn):
    """Standing orders may name any place of the map. They wait in a menu until they are meant."""
    played = Played("stratastar", 2)
    me = moving(played)
    page = opened(played.users[me if turn == "own" else 1 - me], played.path, PHONE)
    lights = lit(page).count()
    at(page, EMPTY)
    expect(page.locator(".menu h3")).to_have_text("D4")
    expect(page.locator("form.filling")).to_have_count(0)
    page.locator("#says").click()
    expect(page.locator(".menu")).to_have_count(0)
    expect(lit(page)).to_have_count(lights)
    at(page, EMPTY)
    page.get_by_role("menuitem", name="Standing orders").click()
    expect(page.locator('form.filling[data-verb="Standing orders"]')).to_have_count(1)


def test_a_hand_stays_where_it_is_until_the_last_card_is_chosen(opened):
    """The commander is asked for after the cards, so that the next card is not somewhere else under the finger."""
    played = Played("space_war", 2)
    while "prepare" not in played.offered(0):
        played.bot_acts(0 if played.waits_for(0) else 1)
    page = opened(played.users[0], played.path, PHONE)
    cards = page.locator('.hits [data-t].can:not([aria-pressed="true"])')
    cards.first.dispatch_event("click")
    expect(page.locator("form.filling")).to_have_count(1)
    page.wait_for_function("() => !bar.ariaBusy")
    expect(page.locator("#choices .answer")).to_have_count(0)
    least = int(page.locator("form.filling [data-least]").first.get_attribute("data-least") or 0)
    for _ in range(least - 1):
        cards.first.dispatch_event("click")
    expect(page.locator("#choices .answer").first).to_be_visible()


def test_a_phone_page_ends_at_its_bar(opened):
    """What is folded away under the tabs adds nothing to the height of the page."""
    played = Played("space_fleet_commander", 1)
    played.bot_acts(0)
    page = opened(played.users[0], played.path, PHONE)
    expect(page.locator("#bar")).to_be_visible()
    more = page.evaluate("document.documentElement.scrollHeight - innerHeight")
    assert more < 8, "the page ends at the bar"


def test_after_an_own_act_the_bar_says_what_comes_next(opened):
    played = Played("stratastar", 2)
    played.others_act()
    page = opened(played.users[0], played.path, PHONE)
    before = shown(page)
    lit(page).first.dispatch_event("click")
    assert confirm(page)
    wait_for_version(page, before + 1)
    expect(page.locator("#says b")).to_contain_text("You placed your Homeworld")
    if played.waits_for(0):
        expect(page.locator("#says span")).to_contain_text("Discard up to three cards")


def test_a_die_that_was_tapped_lights_only_the_ships_that_it_buys(opened):
    """Space Fleet Commander: another die lights others, and the first one is no longer marked."""
    played = Played("space_fleet_commander", 1)
    page = opened(played.users[0], played.path, PHONE, touch=True)
    faces = played.view(0)["formation"]
    first, other = 0, next(at for at, face in enumerate(faces) if face != faces[0])
    for die in (first, other):
        page.locator(f'#chart .hits [data-t="die:d{die}"]').tap()
        expect(page.locator("#says")).to_contain_text("Place a ship")
        shown = page.locator('#chart .hits .can[data-t^="ship:"]').evaluate_all("hits => hits.map(hit => hit.dataset.t.slice(5))")
        assert shown
        assert {SHIPS[ship].face for ship in shown} == {faces[die]}
        chosen = page.locator('#chart .hits [aria-pressed="true"]').evaluate_all("hits => hits.map(hit => hit.dataset.t)")
        assert chosen == [f"die:d{die}"]


@pytest.mark.parametrize("size", [PHONE, WIDE], ids=["phone", "wide"])
def test_a_menu_tells_what_a_card_does_and_its_items_stay(opened, size):
    """The text comes when the items may already be under a finger."""
    played = Played("star_commander", 2)
    while not (played.waits_for(0) and len(played.view(0)["hand"]) > 1 and played.offered(0) >= {"develop"}):
        played.bot_acts(0 if played.waits_for(0) else 1)
    page = opened(played.users[0], played.path, size)
    release = page.evaluate_handle("() => { let go; const wait = new Promise(then => { go = then; }); return { wait, go }; }")
    page.evaluate("(held) => { const ask = fetch; fetch = async (...to) => { await held.wait; return ask(...to); }; }", release)
    page.locator('.hits [data-t^="card:"].can').first.dispatch_event("click")
    items = page.locator(".menu [role=menu]")
    was = items.bounding_box()
    release.evaluate("held => held.go()")
    expect(page.locator(".menu p")).to_contain_text(".")
    assert items.bounding_box() == was


def test_what_a_tap_asks_for_comes_into_sight(opened):
    """Space Fleet Commander, beside the map: the slots lie below the list of ships, and what comes next above them."""
    played = Played("space_fleet_commander", 1)
    page = opened(played.users[0], played.path, WIDE)
    page.locator('.hits .can[data-t^="ship:"]').first.click()
    slot = page.locator('.hits .can[data-t^="slot:"]').first
    expect(slot).to_be_in_viewport(timeout=5000)
    slot.click()
    page.locator("#confirm").click()
    expect(page.locator("#says")).to_contain_text("You placed")
    expect(page.locator('.hits .can[data-t^="ship:"]').first).to_be_in_viewport(timeout=5000)


def test_a_card_that_pays_is_paid_once(opened):
    """The payment is filled with the default: the tap on one of two Build cards begins the act and adds no second card."""
    for _ in range(20):
        played = Played("stratastar", 2)
        while not played.over and not any("build_fleet" in played.offered(seat) for seat in (0, 1)):
            me = 0 if played.waits_for(0) else 1
            if "end_phase" in played.offered(me):
                played.ends_phase(me)
            else:
                played.bot_acts(me)
        me = 0 if played.waits_for(0) else 1
        if played.view(me)["hand"].count("build") > 1 and played.offered(me) & {"build_fleet"}:
            break
    page = opened(played.users[me], played.path, PHONE)
    at(page, "hand:build")
    menu = page.locator(".menu button").filter(has_text="Fleet")
    if menu.count():
        menu.first.click()
    expect(page.locator("form.filling [data-payment] input[data-t='hand:build']")).to_have_value("1")
    expect(page.locator("#confirm")).to_be_enabled()


def test_every_hex_that_can_be_explored_is_lit(opened):
    """Space Fleet: one of them needs a change by a Destroyer, of which there are several; the others leave nothing to choose."""
    match, users = from_position("space_fleet_commander", "destroyer_helps")
    page = opened(users[0], f"/matches/{match.number}/")
    loaded = loading.load(match.id, match.game)
    hexes = [
        form.parameters["hex"]["enum"] for form in loaded.game.legal_commands(loaded.timeline.state, 0) if form.name == "explore"
    ]
    assert len(hexes) > 1
    assert set(lit(page).evaluate_all("hits => hits.map(hit => hit.dataset.t)")) == {f"cell:{hex}" for [hex] in hexes}
