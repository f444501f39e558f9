"""The action bar offers what no place on the board stands for, and lies over nothing that can be tapped."""

from collections import Counter
from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, Route, expect

from gamesvc.games.kernel.game import Form
from gamesvc.games.kernel.targets import Stand, stands
from gamesvc.matches.record import loading
from gamesvc.web.common.controls import only
from tests.web.browser.conftest import PHONE
from tests.web.browser.playing import Played, confirm, from_position, shown, wait_for_version

pytestmark = [pytest.mark.browser, pytest.mark.usefixtures("many_matches")]
MATCHES, ACTS = 5, 200


def play_until(game: str, wanted: Callable[[Played, Form], bool]) -> tuple[Played, Form]:
    """Let bots play until seat 0 is offered a form that is wanted."""
    for _ in range(MATCHES):
        played = Played(game, 2)
        for _ in range(ACTS):
            if played.over:
                break
            if played.waits_for(0) and (found := [form for form in played.forms(0) if not form.aside and wanted(played, form)]):
                return played, found[0]
            played.bot_acts(0 if played.waits_for(0) else 1)
    raise AssertionError("no match comes to such a form")


def stands_of(played: Played, form: Form) -> list[Stand]:
    return list(stands(loading.load(played.match.id, played.match.game).game.finder(played.view(0)), form))


def stack(played: Played, form: Form) -> tuple[str, int]:
    """Return the place that stands for most ships to be moved, and how many."""
    places = Counter(stand.target for stand in stands_of(played, form) if stand.field == "ships")
    return max(places.items(), key=lambda place: place[1], default=("", 0))


def top_of_bar(page: Page) -> float:
    return float(page.locator("#bar").evaluate("bar => bar.getBoundingClientRect().top"))


def bottom(thing: Locator) -> float:
    return float(thing.evaluate("thing => thing.getBoundingClientRect().bottom"))


def test_what_may_be_chosen_besides_is_a_switch_in_the_bar(opened):
    """Star Commander: whoever plays a command may hold priority. The sheet with the form ends above the bar."""
    played, form = play_until("star_commander", lambda _, form: form.name == "play_command" and "hold" in form.parameters)
    page = opened(played.users[0], played.path, PHONE, touch=True)
    page.locator(f'.hits [data-t="{stands_of(played, form)[0].target}"]').first.tap()
    if page.locator(".menu button").count():
        page.locator(".menu button").filter(has_text=form.label).first.tap()
    switch = page.locator("#choices .extra").filter(has_text="Hold priority")
    for pressed in ("true", "false", "true"):
        switch.tap()
        expect(switch).to_have_attribute("aria-pressed", pressed)
        expect(page.locator('form.filling input[name$="hold"]')).to_be_checked(checked=pressed == "true")
    page.locator("#tab-turn").tap()
    expect(page.locator("#side")).to_have_class("side up")
    assert bottom(page.locator("#side")) <= top_of_bar(page)


def test_a_switch_shows_what_happens_when_nobody_touches_it(opened):
    """The Space War: playing a Drone draws a card unless its player says no."""
    played = Played("space_war", 2, decks=["swarm", "swarm"])
    while not (drones := [form for form in played.forms(0) if form.name == "play_card" and "options" in form.parameters]):
        played.bot_acts(0 if played.waits_for(0) else 1)
    drone = only(drones[0].parameters["card"])
    page = opened(played.users[0], played.path, PHONE, touch=True)
    page.locator(f'.hits [data-t="hand:{drone}"]').tap()
    if page.locator(".menu button").count():
        page.locator(".menu button").filter(has_text="Play").first.tap()
    switch = page.locator("#choices .extra").filter(has_text="Draw a card")
    expect(switch).to_have_attribute("aria-pressed", "true")
    for answer in ("false", "true", "false"):
        switch.tap()
        expect(switch).to_have_attribute("aria-pressed", answer)
    version = played.seen_version
    expect(page.locator("#bar")).not_to_have_attribute("aria-busy", "true")
    page.locator("#confirm").tap()
    wait_for_version(page, version + 1)
    assert drone in {piece["id"] for piece in played.view(0)["pieces"]}
    assert "drew" not in page.locator("#says").inner_text()


def test_of_a_stack_each_tap_takes_one_more(opened):
    """Vessels alike in one system have one plate. When all are chosen, the next tap puts them all back."""
    played, form = play_until("star_commander", lambda played, form: form.name == "move_ships" and stack(played, form)[1] > 1)
    place, ships = stack(played, form)
    page = opened(played.users[0], played.path, PHONE, touch=True)
    plate = page.locator(f'.hits [data-t="{place}"]').first
    plate.tap()
    if page.locator(".menu button").count():
        page.locator(".menu button").filter(has_text="Move").first.tap()
    boxes = page.locator(f'form.filling input[name$="ships"][data-t="{place}"]:checked')
    expect(boxes).to_have_count(1)
    for many in (*range(2, ships + 1), 0):
        plate.tap()
        expect(boxes).to_have_count(many)


def test_what_is_asked_is_read_whole_on_a_phone(opened):
    """Stratastar's first question is longer than a line."""
    played = Played("stratastar", 2)
    while "retool" not in played.offered(0):
        played.bot_acts(0 if played.waits_for(0) else 1)
    page = opened(played.users[0], played.path, PHONE, touch=True)
    asked = page.locator("#says b")
    expect(asked).to_have_text("Discard up to three cards, or none; then all players draw.")
    assert asked.evaluate("asked => asked.scrollHeight - asked.clientHeight") == 0


def test_a_list_beside_the_board_is_led_to_and_may_be_left_empty(opened):
    """The Space War: cards that were found, of which any number may be taken. The button does not claim that some were chosen."""
    match, users = from_position("space_war", "cards_found")
    page = opened(users[1], f"/matches/{match.number}/", PHONE, touch=True)
    page.locator("#bar").get_by_role("button", name="Choose").click()
    expect(page.locator("#confirm")).to_have_text("Confirm")
    more = page.locator("#choices .more")
    expect(more).to_have_text("Choose")
    more.click()
    expect(page.locator("#side")).to_have_class("side up")
    expect(page.locator("form.filling .chip + .note").first).to_contain_text("cost")
    page.locator("form.filling .chip").first.click()
    expect(page.locator("#confirm")).to_have_text("Choose")
    before = shown(page)
    assert confirm(page)
    wait_for_version(page, before + 1)
    expect(page.locator("#side")).to_have_class("side")


def test_what_may_be_given_begins_at_nothing(opened):
    """Star Commander: an offer of a trade began with all credits of the one who makes it."""
    played = Played("star_commander", 2)
    if not played.waits_for(0):
        played.submit(1, {"name": "end_command"})
    [offer] = [form for form in played.forms(0) if form.name == "offer_trade"]
    [scout] = offer.parameters["want"]["properties"]["vessels"]["items"]["enum"]
    page = opened(played.users[0], played.path, PHONE, touch=True)
    page.locator(f'.hits [data-t="vessel:{scout}"]').tap()
    page.locator(".menu button").filter(has_text="Offer").tap()
    expect(page.locator("#choices .stepper output")).to_have_text("0")
    expect(page.locator("#choices .stepper")).to_have_attribute("aria-label", "Credits")


def test_an_offer_is_answered_in_the_bar(opened):
    """Star Commander: it is open while the other player's command phase lasts, and nobody waits for the answer."""
    played = Played("star_commander", 2)
    maker = 0 if played.waits_for(0) else 1
    while "offer_trade" not in {form.name for form in played.forms(maker)}:
        played.bot_acts(0 if played.waits_for(0) else 1)
    played.submit(maker, {"name": "offer_trade", "to": 1 - maker, "give": {"credits": 1}, "want": {}})
    page = opened(played.users[1 - maker], played.path, PHONE, touch=True)
    bar = page.locator("#bar")
    expect(bar.get_by_role("button", name="Decline")).to_have_count(1)
    bar.get_by_role("button", name="Accept").tap()
    expect(page.locator("#says")).to_contain_text("1 credit")
    before = shown(page)
    assert confirm(page)
    wait_for_version(page, before + 1)
    expect(bar.get_by_role("button", name="Accept")).to_have_count(0)


def keeping_dice() -> Played:
    """Let bots play until seat 0 may reroll dice or keep them."""
    return play_until("space_fleet_commander", lambda _played, form: form.name == "reroll")[0]


def test_dice_are_kept_by_one_press_of_a_button_that_says_so(opened):
    played = keeping_dice()
    page, before = opened(played.users[0], played.path, PHONE, touch=True), played.view(0)["sheet"]
    keep = page.locator("#bar").get_by_role("button", name="Keep the dice")
    at = shown(page)
    keep.tap()
    wait_for_version(page, at + 1)
    after = played.view(0)["sheet"]
    assert [die["value"] for die in after["dice"]] == [die["value"] for die in before["dice"]]
    assert after["phase"] != before["phase"]


def test_keeping_the_dice_rerolls_none_though_some_are_marked(opened):
    """Without scripts, the button stands beside the boxes of the dice."""
    played = keeping_dice()
    page, before = opened(played.users[0], played.path, PHONE, scripts=False), played.view(0)["sheet"]
    page.locator('form[data-command] input[name="dice"]').first.check()
    page.locator("#bar").get_by_role("button", name="Keep the dice").click()
    after = played.view(0)["sheet"]
    assert [die["value"] for die in after["dice"]] == [die["value"] for die in before["dice"]]
    assert after["phase"] != before["phase"]


def test_who_is_asked_to_come_again_in_a_moment_does(opened):
    """Whoever plays fast may be answered one request at a time."""
    played = keeping_dice()
    page, refused = opened(played.users[0], played.path, PHONE, touch=True), []

    def once(route: Route) -> None:
        if route.request.url in refused:
            return route.continue_()
        refused.append(route.request.url)
        return route.fulfill(status=429, headers={"Retry-After": "1"}, body="Too many at once.")

    page.route("**/preview", once)
    page.route("**/command", once)
    at = shown(page)
    page.locator("#bar").get_by_role("button", name="Keep the dice").tap()
    wait_for_version(page, at + 1)
    assert len(refused) == 2
    expect(page.locator("#says .error")).to_have_count(0)
