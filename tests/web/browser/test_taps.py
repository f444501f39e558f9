"""A turn is played by taps on the board, without any load of the page."""

import re
from collections.abc import Callable
from contextlib import suppress

import pytest
from playwright.sync_api import Error as PlaywrightError
from playwright.sync_api import Page, Route, TimeoutError, expect

from tests.web.browser.conftest import PHONE, WIDE, session_of
from tests.web.browser.playing import Played, confirm, lit, shown, wait_for_version

pytestmark = pytest.mark.browser
GAMES = [("stratastar", 2), ("space_fleet_commander", 1), ("star_commander", 2), ("space_war", 2)]
MAIN = "form[data-weight=main], form[data-weight=end]"
MOST_ACTS, MOST_TAPS = 15, 24
SOON = 1000.0


def tap_an_act(page: Page) -> None:
    """Complete and send one command: what is lit is tapped, and what the board does not show is chosen as chips."""
    before = shown(page)
    for _ in range(MOST_TAPS):
        if shown(page) != before or (page.locator("#confirm").count() and confirm(page)):
            break
        step(page)
    wait_for_version(page, before + 1)


def step(page: Page) -> None:
    """Tap once. The page may be patched meanwhile; then the tap finds nothing, and the next one is for the new page."""
    filling = page.locator("form.filling").count() > 0
    form = page.locator("form.filling") if filling else page.locator(MAIN).last
    needed = ":is(:required, [data-needed]):not([data-t], [hidden] *)"
    chip = form.locator(f"fieldset:has({needed}):not(:has(:checked)) input{needed}")
    empty = form.locator("select:required:has(option:checked[value=''])")
    box = form.locator("input[type=checkbox]:not(:checked)")
    answer = page.locator("#choices .answer:not(.more)")
    with suppress(TimeoutError):
        if page.locator(".menu button").count():
            page.locator(".menu button").first.click(timeout=SOON)
        elif answer.count():
            answer.first.click(timeout=SOON)
        elif filling and chip.count():
            chip.first.dispatch_event("click", timeout=SOON)
        elif lit(page).count():
            lit(page).first.dispatch_event("click", timeout=SOON)
        elif chip.count():
            chip.first.dispatch_event("click", timeout=SOON)
        elif empty.count():
            empty.first.select_option(index=1, timeout=SOON, force=True)
        elif box.count():
            box.first.dispatch_event("click", timeout=SOON)
        elif not filling:
            form.locator("button").dispatch_event("click", timeout=SOON)
            page.wait_for_timeout(300)


@pytest.mark.parametrize("size", [PHONE, WIDE], ids=["phone", "wide"])
@pytest.mark.parametrize(("game", "seats"), GAMES)
def test_three_turns_are_played_by_taps(opened, game, seats, size):
    played = Played(game, seats)
    played.others_act()
    page = opened(played.users[0], played.path, size)
    page.evaluate("window.first = true")
    for _ in range(MOST_ACTS):
        if played.turn() > 3 or not played.waits_for(0):
            break
        tap_an_act(page)
        played.others_act()
        wait_for_version(page, played.seen_version)
    assert page.evaluate("window.first"), "the page was never loaded again"
    assert played.version > 10


def test_a_german_reader_taps_an_act_in_german(opened):
    played = Played("stratastar", 2)
    played.others_act()
    reader = played.users[0]
    reader.language = "de"
    reader.save(update_fields=["language"])
    page = opened(reader, played.path)
    lit(page).first.dispatch_event("click")
    expect(page.locator("#choices .stop")).to_have_text("Abbrechen")
    expect(page.locator("#says")).to_contain_text("Nicht allein zurückzunehmen")
    before = shown(page)
    assert confirm(page)
    wait_for_version(page, before + 1)


def test_a_homeworld_takes_two_taps(opened):
    """Panes stay as they are while the page is patched."""
    played = Played("stratastar", 2)
    played.others_act()
    page = opened(played.users[0], played.path)
    page.locator("#tab-log").click()
    before = shown(page)
    lit(page).last.dispatch_event("click")
    expect(page.locator("#says")).to_contain_text("Homeworld")
    assert confirm(page)
    wait_for_version(page, before + 1)
    expect(page.locator("#tab-log")).to_have_attribute("aria-selected", "true")
    expect(page.locator("#says")).to_contain_text("You placed your Homeworld")


def test_a_fleet_is_formed_with_fifteen_taps_at_most(opened):
    """A ship and its slot for each die, and the end; acts that can be undone are sent at once."""
    played = Played("space_fleet_commander", 1)
    page = opened(played.users[0], played.path)
    page.evaluate("window.first = true; localStorage.setItem('send at once', '1')")
    taps = 0
    while played.offered(0) & {"place_ship"}:
        before = shown(page)
        ship = page.locator('.hits [data-t^="ship:"].can').first
        ship.dispatch_event("click")
        taps += 1
        slot = page.locator('.hits [data-t^="slot:"].can:not([aria-pressed="true"])')
        if slot.count():
            slot.first.dispatch_event("click")
            taps += 1
        wait_for_version(page, before + 1)
    if "confirm_fleet" in played.offered(0):
        page.get_by_role("button", name="Confirm the fleet").last.click()
        taps += 1
    assert taps <= 15
    assert page.evaluate("window.first")


def test_a_button_that_was_pressed_says_what_it_does_next(opened):
    played = Played("space_fleet_commander", 1)
    while "confirm_fleet" not in played.offered(0):
        played.bot_acts(0)
    page = opened(played.users[0], played.path)
    button = page.locator("#bar").get_by_role("button", name="Confirm the fleet")
    button.click()
    wait_for_version(page, played.seen_version)
    expect(button).to_have_count(0)
    expect(page.locator("#bar [data-begin]")).to_have_text("Keep the dice")


def test_after_a_button_what_comes_next_is_in_sight(opened):
    """The fleet was read to its end when it was confirmed; its dice stand at the beginning."""
    played = Played("space_fleet_commander", 1)
    while "confirm_fleet" not in played.offered(0):
        played.bot_acts(0)
    page = opened(played.users[0], played.path)
    rest = page.locator("#rest")
    rest.evaluate("rest => { rest.scrollTop = rest.scrollHeight; }")
    assert rest.evaluate("rest => rest.scrollTop") > 0
    page.locator("#bar").get_by_role("button", name="Confirm the fleet").click()
    wait_for_version(page, played.seen_version)
    expect(page.locator('.hits [data-t^="die:"].can').first).to_be_in_viewport()


@pytest.mark.parametrize("places", [1, 3], ids=["first turn", "later turn"])
def test_a_turn_of_stratastar_takes_five_taps_at_most(opened, places):
    """Draw, go to movement, a fleet and where it goes, the end of the turn; acts that can be undone are sent at once."""
    played = Played("stratastar", 2)
    while played.offered(0) != {"retool"} or len(played.view(0)["players"][0]["fleets"]) < places:
        played.bot_acts(0 if played.waits_for(0) else 1)
    page, turn, taps = opened(played.users[0], played.path, PHONE), played.turn(), 0
    page.evaluate("window.first = true; localStorage.setItem('send at once', '1')")
    for name in ("Draw cards", "Go to movement"):
        taps += press_in_bar(page, name)
    before = shown(page)
    while shown(page) == before:
        taps += 1
        if confirm(page):
            wait_for_version(page, before + 1)
        else:
            lit(page).first.dispatch_event("click")
            page.wait_for_function("() => !bar.ariaBusy")
    taps += press_in_bar(page, "End the turn")
    assert played.turn() > turn
    assert taps <= 5
    assert page.evaluate("window.first"), "the page was never loaded again"


def test_a_button_that_was_pressed_gets_the_words_of_the_next(opened):
    """The button keeps the focus while the page is patched; it says what it does next."""
    played = Played("stratastar", 2)
    while played.offered(0) != {"retool"}:
        played.bot_acts(0 if played.waits_for(0) else 1)
    page = opened(played.users[0], played.path, PHONE)
    press_in_bar(page, "Draw cards")
    expect(page.locator("#bar .end")).to_have_text(["End the trade phase", "Go to movement", "End the turn"])
    press_in_bar(page, "End the trade phase")
    expect(page.locator("#bar .end")).to_have_text(["End the build phase", "End the turn"])
    expect(page.locator("#bar .end.btn-go")).to_have_text(["End the build phase"])


def test_every_kind_of_card_in_hand_can_begin_the_draw(opened):
    played = Played("stratastar", 2)
    while played.offered(0) != {"retool"} or len(set(played.view(0)["hand"])) < 2:
        played.bot_acts(0 if played.waits_for(0) else 1)
    page = opened(played.users[0], played.path, PHONE)
    shining = set(lit(page).evaluate_all("hits => hits.map(hit => hit.dataset.t)"))
    assert shining == {f"hand:{kind}" for kind in played.view(0)["hand"]}


def press_in_bar(page: Page, name: str) -> int:
    """Press a button that sends at once. Return the number of taps, one."""
    before = shown(page)
    page.locator("#bar").get_by_role("button", name=name, exact=True).click()
    wait_for_version(page, before + 1)
    return 1


def test_a_refusal_stands_in_the_bar_and_beside_its_cause(opened):
    played = Played("stratastar", 2)
    played.others_act()
    page = opened(played.users[0], played.path)
    page.locator("#orders summary").click()
    page.locator("#orders textarea").fill("home E5")
    page.locator("#orders button").click()
    expect(page.locator("#says .error")).to_be_visible()
    expect(page.locator("#e-orders")).to_be_visible()
    expect(page.locator("#orders textarea")).to_have_value("home E5")


def begin(page: Page) -> None:
    """Choose something on the board that only has to be confirmed."""
    lit(page).last.dispatch_event("click")
    expect(page.locator("#confirm")).to_be_enabled()


def test_what_was_begun_survives_a_reload(opened):
    played = Played("stratastar", 2)
    played.others_act()
    page = opened(played.users[0], played.path)
    begin(page)
    page.reload()
    expect(page.locator("#confirm")).to_be_enabled()
    page.keyboard.press("Escape")
    expect(page.locator("#confirm")).to_have_count(0)


DRAFTS = "Object.keys(sessionStorage).filter(key => key.startsWith('draft '))"


def test_what_was_begun_is_nothing_for_others_who_use_the_browser(opened):
    """The opponent signs in at the same tab: the draft of an order may be a secret."""
    played = Played("stratastar", 2)
    played.others_act()
    page = opened(played.users[0], played.path)
    begin(page)
    assert page.evaluate(DRAFTS)
    [cookie] = [one for one in page.context.cookies() if one["name"] == "sessionid"]
    page.context.add_cookies([{**cookie, "value": session_of(played.users[1])}])
    page.goto(played.path)
    expect(page.locator("#main")).to_have_attribute("data-viewer", str(played.users[1].pk))
    page.wait_for_function(f"{DRAFTS}.length === 0")
    page.context.add_cookies([cookie])
    page.goto(played.path)
    expect(page.locator("#confirm")).to_have_count(0)


def test_who_cancels_or_signs_out_leaves_no_draft(opened):
    played = Played("stratastar", 2)
    played.others_act()
    page = opened(played.users[0], played.path)
    for leave in (lambda: page.keyboard.press("Escape"), lambda: sign_out(page)):
        begin(page)
        assert page.evaluate(DRAFTS)
        leave()
        assert page.evaluate(DRAFTS) == []


def sign_out(page: Page) -> None:
    page.goto("/profile/")
    page.locator("form.leave button").click()
    expect(page.locator("a[href*='/accounts/login/']").first).to_be_visible()


def test_another_browser_follows(opened):
    played = Played("stratastar", 2)
    played.others_act()
    first, second = opened(played.users[0], played.path), opened(played.users[1], played.path)
    second.evaluate("window.first = true")
    lit(first).last.dispatch_event("click")
    assert confirm(first)
    wait_for_version(first, shown(second) + 1)
    wait_for_version(second, shown(first))
    assert second.evaluate("window.first")
    assert ("Your move" in second.title()) == played.waits_for(1)


def test_what_is_chosen_stays_while_the_page_follows_the_match(opened):
    """The user's other tab acts. The choice, and a message that is not sent yet, are still there."""
    played = Played("stratastar", 2)
    played.others_act()
    page = opened(played.users[0], played.path)
    page.locator("#tab-press").click()
    page.locator("#press textarea").fill("A treaty?")
    begin(page)
    chosen = page.locator('.hits [aria-pressed="true"]').first.get_attribute("data-t")
    before = played.seen_version
    played.submit(0, {"name": "set_orders", "orders": {"when_unable": "pass"}})
    wait_for_version(page, before + 1)
    expect(page.locator('.hits [aria-pressed="true"]')).to_have_attribute("data-t", str(chosen))
    expect(page.locator("#press textarea")).to_have_value("A treaty?")
    assert confirm(page)
    wait_for_version(page, before + 2)
    expect(page.locator("#says")).to_contain_text("You placed your Homeworld")


def test_an_answer_that_comes_late_does_not_replace_a_newer_page(opened):
    played = Played("stratastar", 2)
    played.others_act()
    page = opened(played.users[0], played.path)
    late = hold_the_first(page, "**/matches/*/?*")
    before = played.seen_version
    played.submit(0, {"name": "set_orders", "orders": {"when_unable": "pass"}})
    old = late().fetch()
    lit(page).last.dispatch_event("click")
    assert confirm(page)
    wait_for_version(page, before + 2)
    page.evaluate("window.before = document.getElementById('main').dataset.version")
    with suppress(PlaywrightError):
        late().fulfill(response=old)
    page.wait_for_timeout(500)
    assert page.evaluate("document.getElementById('main').dataset.version >= window.before")


def hold_the_first(page: Page, pattern: str) -> Callable[[], Route]:
    """Hold the first request to an address back. Return a function that waits for it."""
    held: list[Route] = []
    page.route(pattern, lambda route: route.continue_() if held else held.append(route))

    def first() -> Route:
        while not held:
            page.wait_for_timeout(50)
        return held[0]

    return first


def test_a_tap_while_an_act_is_on_its_way_is_kept(opened):
    """It begins the next act when the answer is there. What sends is not kept: nothing is sent that the player has not seen."""
    played = Played("space_fleet_commander", 1)
    page = opened(played.users[0], played.path)
    page.evaluate('localStorage.setItem("send at once", "1")')
    before, held = shown(page), hold_the_first(page, "**/command")
    for target in ("ship:", "slot:"):
        page.locator(f'.hits .can[data-t^="{target}"]:not([aria-pressed="true"])').first.dispatch_event("click")
    answer = held().fetch()
    after = played.version
    next_ship = next(target for target in sorted(played.drawn(0)) if target.startswith("ship:"))
    page.locator(f'.hits [data-t="{next_ship}"]').dispatch_event("click")
    expect(page.locator("#says")).to_contain_text("Still sending")
    page.locator("#confirm").dispatch_event("click")
    held().fulfill(response=answer)
    wait_for_version(page, before + 1)
    expect(page.locator("form.filling")).to_have_count(1)
    expect(page.locator(f'.hits [data-t="{next_ship}"]')).to_have_attribute("aria-pressed", "true")
    page.wait_for_function("() => !bar.ariaBusy")
    assert played.version == after


def test_confirm_waits_for_the_words_of_the_server(opened):
    """A press that comes before the preview is sent with it, unless the preview says that the act cannot be undone."""
    fleet, setup = Played("space_fleet_commander", 1), Played("stratastar", 2)
    setup.others_act()
    for played, targets, final in ((fleet, ("ship:", "slot:"), False), (setup, ("cell:",), True)):
        page = opened(played.users[0], played.path)
        before = shown(page)
        for target in targets:
            held = hold_the_first(page, "**/preview")
            page.locator(f'.hits .can[data-t^="{target}"]:not([aria-pressed="true"])').first.dispatch_event("click")
        page.locator("#confirm").click()
        held().continue_()
        if final:
            expect(page.locator("#says .warn")).to_be_visible()
            assert shown(page) == before
            page.locator("#confirm").click()
        wait_for_version(page, before + 1)


def test_an_act_that_is_complete_as_it_stands_begins_in_the_bar(opened):
    """Committing nothing needs no tap on the board, and no Confirm while it can be undone."""
    played = Played("stratastar", 2)
    while played.offered(0) != {"commit_attack"}:
        played.bot_acts(0 if played.waits_for(0) else 1)
    page = opened(played.users[0], played.path, PHONE)
    before = shown(page)
    page.locator("#bar").get_by_role("button", name="Commit no cards").click()
    wait_for_version(page, before + 1)
    expect(page.locator("#says")).to_contain_text("You committed nothing")
    expect(page.locator("#undo-button")).to_have_text("Undo")


def place_ships(played: Played, wanted: tuple[str, ...]) -> None:
    """Form a fleet with the wanted ships first, as far as the dice allow, and keep the first roll."""
    while "confirm_fleet" not in played.offered(0):
        places = [form.parameters for form in played.forms(0) if form.name == "place_ship"]
        place = min(places, key=lambda fields: fields["ship"]["enum"][0] not in wanted)
        played.submit(0, {"name": "place_ship"} | {name: field["enum"][0] for name, field in place.items()})
    played.submit(0, {"name": "confirm_fleet"})
    while not played.over and "reroll" in played.offered(0):
        played.submit(0, {"name": "reroll", "dice": []})


@pytest.mark.usefixtures("many_matches")
def test_what_nothing_on_the_board_begins_begins_in_the_bar(opened):
    """Ships change dice in combinations that no single die stands for, so no tap on the board begins it."""
    for _ in range(40):
        played = Played("space_fleet_commander", 1)
        place_ships(played, ("fire_support_ship", "destroyer"))
        if not played.over and not played.drawn(0):
            break
    page = opened(played.users[0], played.path, PHONE)
    assert lit(page).count() == 0
    page.locator("#bar").get_by_role("button", name="Adjust the dice").click()
    expect(page.locator("form.filling")).to_have_count(1)
    expect(page.locator("#confirm")).to_be_enabled()


def test_a_reroll_names_its_dice(opened):
    """Nobody knows what dice will show. The bar says at least which of them are rolled."""
    played = Played("space_fleet_commander", 1)
    while "reroll" not in played.offered(0):
        played.bot_acts(0)
    page = opened(played.users[0], played.path, PHONE)
    die = lit(page).first.get_attribute("data-t").removeprefix("die:")
    lit(page).first.dispatch_event("click")
    expect(page.locator("#says .warn")).to_be_visible()
    expect(page.locator("#says b")).to_contain_text(re.compile(rf"Reroll: .*{re.escape(die)}"))


def test_the_usual_answer_is_marked_and_a_press_on_it_is_heard(opened):
    """A trade is made without payment unless another answer is chosen."""
    played = Played("stratastar", 2)
    me = 1 if played.waits_for(1) else 0
    while "internal_trade" not in played.offered(me):
        played.bot_acts(0 if played.waits_for(0) else 1)
    page = opened(played.users[me], played.path, PHONE)
    answers = page.locator("#choices .answer")
    for card in dict.fromkeys(played.view(me)["hand"]):
        page.locator(f'.hits [data-t="hand:{card}"].can').click()
        if page.locator(".menu button").count():
            page.locator(".menu button", has_text="Internal trade").click()
        if answers.count() > 1:
            break
        page.locator("#choices .stop").click()
    usual = answers.and_(page.locator('[aria-pressed="true"]'))
    expect(usual).to_have_count(1)
    usual.click()
    expect(answers).to_have_count(0)
    before = shown(page)
    assert confirm(page)
    wait_for_version(page, before + 1)


def test_fleets_without_support_are_disbanded_with_one_tap_or_paid_for(opened):
    """Stratastar with four fleets and no colony: what is due stands there after the first tap, and what keeps more of them."""
    played = Played("stratastar", 2, starting_fleets=4)
    while "support" not in played.offered(0):
        played.bot_acts(0 if played.waits_for(0) else 1)
    page = opened(played.users[0], played.path, PHONE, touch=True)
    [home] = [hit for hit in lit(page).evaluate_all("hits => hits.map(hit => hit.dataset.t)") if hit.startswith("cell:")]
    page.locator(f'.hits [data-t="{home}"]').tap()
    due = page.locator("#choices .stepper output").inner_text()
    expect(page.locator("#says")).to_contain_text(f"You disbanded {due} Fleet")
    before = shown(page)
    assert confirm(page)
    wait_for_version(page, before + 1)
    assert "support" not in played.offered(0)
