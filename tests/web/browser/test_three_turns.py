"""The first three turns of each game: by taps on a phone and on a wide screen, by keyboard alone, and as plain forms."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import suppress

import pytest
from playwright.sync_api import Locator, Page, TimeoutError

from tests.web.browser.conftest import PHONE, WIDE
from tests.web.browser.playing import Played, confirm, lit, shown, wait_for_version

pytestmark = pytest.mark.browser
GAMES = [("stratastar", 2), ("space_fleet_commander", 1), ("star_commander", 2), ("space_war", 2)]
TURNS = 3
MOST_ACTS, MOST_STEPS, MOST_TABS = 90, 24, 120
ACTS_A_TURN = 2
SOON = 1000.0

Act = Callable[[Page, bool], None]
"""Take one act on the page of a match. `True`: end the turn or the phase if that is offered."""
Follow = Callable[[Page, int], None]
"""Wait until the page shows a version."""


def play_three_turns(played: Played, page: Page, act: Act, catch_up: Follow) -> None:
    """Play as a user does: some acts, then the end of the turn. The others answer in between."""
    last, acts, turn = played.turn() + TURNS, 0, played.turn()
    for _ in range(MOST_ACTS):
        if played.turn() >= last or played.over:
            break
        acts, turn = (acts + 1, turn) if played.turn() == turn else (0, played.turn())
        before = played.seen_version
        act(page, acts >= ACTS_A_TURN)
        assert played.seen_version > before, page.locator("#says").inner_text()
        played.others_act()
        catch_up(page, played.seen_version)
    assert played.turn() >= last or played.over


# --- by taps ---


def by_taps(page: Page, ending: bool) -> None:
    """Tap what is lit; what the board does not show is chosen as chips. Confirm sends it, and the page follows the match."""
    before = shown(page)
    end = page.locator("#bar .end")
    if ending and end.count():
        end.last.click()
    else:
        tapped: set[str] = set()
        for _ in range(MOST_STEPS):
            if shown(page) != before or (page.locator("#confirm").count() and confirm(page)):
                break
            tap(page, tapped)
    wait_for_version(page, before + 1)


def tap(page: Page, tapped: set[str]) -> None:
    """Tap once: a target that was not tapped before in this act, if there is one."""
    form = in_hand(page)
    chip, empty, box = unanswered(form)
    filling = page.locator("form.filling").count() > 0
    with suppress(TimeoutError):
        if page.locator(".menu button").count():
            page.locator(".menu button").first.click(timeout=SOON)
        elif filling and chip.count():
            chip.first.dispatch_event("click", timeout=SOON)
        elif targets := lit(page).evaluate_all("hits => hits.map(hit => hit.dataset.t)"):
            target = next((one for one in targets if one not in tapped), targets[0])
            tapped.add(target)
            page.locator(f'.hits [data-t="{target}"]').first.dispatch_event("click", timeout=SOON)
        elif chip.count():
            chip.first.dispatch_event("click", timeout=SOON)
        elif empty.count():
            empty.first.select_option(index=1, timeout=SOON, force=True)
        elif box.count():
            box.first.dispatch_event("click", timeout=SOON)
        elif not filling:
            form.locator("button").dispatch_event("click", timeout=SOON)
            page.wait_for_function("() => !bar.ariaBusy")


def in_hand(page: Page) -> Locator:
    """Return the form that is being filled in, or the last that is offered."""
    filling = page.locator("form.filling")
    return filling if filling.count() else page.locator("form[data-weight=main], form[data-weight=end]").last


def unanswered(form: Locator) -> tuple[Locator, Locator, Locator]:
    """Return the required radios, the required lists and the boxes of a form that have no answer yet."""
    needed = ":is(:required, [data-needed]):not([data-t], [hidden] *)"
    return (
        form.locator(f"fieldset:has({needed}):not(:has(:checked)) input{needed}"),
        form.locator("select:required:has(option:checked[value=''])"),
        form.locator("input[type=checkbox]:not(:checked)"),
    )


# --- by keyboard alone ---


def by_keys(page: Page, ending: bool) -> None:
    """Reach everything by Tab, the board by Page down, and choose by Enter or Space."""
    before = shown(page)
    if ending and page.locator("#bar .end").count():
        tab_to(page, "#bar .end")
        page.keyboard.press("Enter")
    else:
        for _ in range(MOST_STEPS):
            if shown(page) != before or (page.locator("#confirm").count() and press_confirm(page)):
                break
            press(page)
    wait_for_version(page, before + 1)


def press_confirm(page: Page) -> bool:
    page.wait_for_function("() => !bar.ariaBusy")
    if not page.locator("#confirm").count() or page.locator("#confirm").is_disabled():
        return False
    tab_to(page, "#confirm")
    page.keyboard.press("Enter")
    return True


def press(page: Page) -> None:
    form = in_hand(page)
    chip, empty, box = unanswered(form)
    if page.locator(".menu button").count():
        page.keyboard.press("Enter")
    elif page.locator("#choices .answer:not(.more)").count():
        tab_to(page, "#choices .answer:not(.more)")
        page.keyboard.press("Enter")
    elif page.locator("form.filling").count() and chip.count():
        tab_to(page, f'#{form.get_attribute("id")} [name="{chip.first.get_attribute("name")}"]')
        page.keyboard.press("Space")
    elif lit(page).count():
        tab_to(page, ".hits [data-t]")
        page.keyboard.press("PageDown")
        page.keyboard.press("Enter")
    elif chip.count() or box.count():
        tab_to(page, f"#{form.get_attribute('id')} input:not(:checked)")
        page.keyboard.press("Space")
    elif empty.count():
        tab_to(page, f"#{form.get_attribute('id')} select")
        page.keyboard.press("ArrowDown")
    else:
        tab_to(page, "#bar .end" if page.locator("#bar .end").count() else f"#{form.get_attribute('id')} button")
        page.keyboard.press("Enter")
        page.wait_for_function("() => !bar.ariaBusy")


def tab_to(page: Page, selector: str) -> None:
    """Press Tab until an element has the focus."""
    for _ in range(MOST_TABS):
        if page.evaluate("selector => document.activeElement.matches(selector)", selector):
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"no tab stop leads to {selector}")


# --- as plain forms, without scripts ---


def by_forms(page: Page, ending: bool) -> None:
    """Fill in a form and send it. If it is refused, the turn is ended instead."""
    end = page.locator("form[data-weight=end]")
    if not (ending and end.count()):
        before = page.locator("#main").get_attribute("data-version")
        fill_in(page.locator("form[data-weight=main], form[data-weight=end]").last)
        page.wait_for_load_state()
        if page.locator("#main").get_attribute("data-version") != before or not end.count():
            return
    fill_in(end.last)
    page.wait_for_load_state()


def fill_in(form: Locator) -> None:
    page = form.page
    for fold in page.locator("details:has(form[data-command])").all():
        fold.evaluate("fold => fold.open = true")
    names = [radio.get_attribute("name") for radio in form.locator("input[type=radio]").all()]
    for name in dict.fromkeys(names):
        if not form.locator(f'[name="{name}"]:checked').count():
            form.locator(f'[name="{name}"]').first.focus()
            page.keyboard.press("Space")
    for select in form.locator("select:required").all():
        select.select_option(index=1)
    for group in form.locator("fieldset:has(input[type=checkbox])").all():
        several = re.search(r"Choose (\d+)", group.inner_text())
        for box in group.locator("input[type=checkbox]").all()[: int(several[1]) if several else 0]:
            box.focus()
            page.keyboard.press("Space")
    form.locator("button").last.click()


def load_again(page: Page, _version: int) -> None:
    page.reload()


# `test_taps` plays it: its jumps need a choice among several ships and places, which these taps do not make.
BY_TAPS_ELSEWHERE = {("star_commander", "phone"), ("star_commander", "wide")}
WAYS: dict[str, tuple[Act, tuple[int, int]]] = {
    "phone": (by_taps, PHONE),
    "wide": (by_taps, WIDE),
    "keys": (by_keys, WIDE),
    "forms": (by_forms, PHONE),
}


PLAYED = [(game, seats, way) for game, seats in GAMES for way in WAYS if (game, way) not in BY_TAPS_ELSEWHERE]


@pytest.mark.parametrize(("game", "seats", "way"), PLAYED)
def test_three_turns_are_played(opened, game, seats, way):
    played = Played(game, seats)
    played.others_act()
    act, size = WAYS[way]
    page = opened(played.users[0], played.path, size, scripts=way != "forms")
    loads: list[str] = []
    page.on("framenavigated", lambda frame: loads.append(frame.url))
    play_three_turns(played, page, act, load_again if way == "forms" else wait_for_version)
    if way != "forms":
        assert not loads, "the page was never loaded again"
