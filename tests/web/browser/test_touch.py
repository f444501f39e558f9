"""A phone under real fingers: the tabs of Space Fleet Commander's board, pinching, and what two fingers must not do."""

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.web.browser.conftest import PHONE
from tests.web.browser.playing import Played, confirm, lit, shown, wait_for_version

pytestmark = pytest.mark.browser
FRAME = "#chart"
Point = tuple[float, float]


def middle(thing: Locator) -> Point:
    box = thing.bounding_box()
    assert box is not None
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def tap(page: Page, target: Locator) -> None:
    """Tap with a finger, where a user sees the thing: whatever lies over it takes the tap."""
    target.scroll_into_view_if_needed()
    x, y = middle(target)
    width, height = PHONE
    assert 0 < x < width
    assert 0 < y < height
    page.touchscreen.tap(x, y)


class Fingers:
    """Fingers on the screen, as the browser gets them from a touch screen."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.session = page.context.new_cdp_session(page)

    def send(self, kind: str, *points: Point) -> None:
        touches = [{"x": x, "y": y, "id": number} for number, (x, y) in enumerate(points)]
        self.session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": touches})

    def pinch(self, at: Point, apart: float, steps: int = 6) -> None:
        """Put two fingers 60 pixels apart and move them until they are `apart`."""
        x, y = at
        self.send("touchStart", (x - 30, y))
        self.send("touchStart", (x - 30, y), (x + 30, y))
        for step in range(1, steps + 1):
            half = 30 + (apart / 2 - 30) * step / steps
            self.send("touchMove", (x - half, y), (x + half, y))
        self.send("touchEnd")

    def swipe(self, start: Point, end: Point, steps: int = 8) -> None:
        self.send("touchStart", start)
        for step in range(1, steps + 1):
            self.send(
                "touchMove", *[(start[0] + (end[0] - start[0]) * step / steps, start[1] + (end[1] - start[1]) * step / steps)]
            )
        self.send("touchEnd")


@pytest.fixture
def fleet(opened) -> tuple[Played, Page]:
    played = Played("space_fleet_commander", 1)
    return played, opened(played.users[0], played.path, PHONE, touch=True)


def width_of(page: Page) -> float:
    return float(page.locator("svg.board").first.evaluate("board => board.getBoundingClientRect().width"))


def tab(page: Page, name: str) -> Locator:
    return page.get_by_role("navigation", name="Parts of the board").get_by_role("link", name=name)


def test_the_tab_with_the_choices_is_shown_and_each_tells_how_many_it_has(fleet):
    _, page = fleet
    expect(tab(page, "Fleet")).to_have_attribute("aria-current", "true")
    count = lit(page).count()
    expect(tab(page, "Fleet")).to_have_text(f"Fleet{count}")
    expect(tab(page, "Map")).to_have_text("Map")
    tab(page, "Map").tap()
    expect(tab(page, "Map")).to_have_attribute("aria-current", "true")
    expect(page.locator('.hits [data-t="cell:A1"]')).to_be_in_viewport(ratio=1)
    expect(page.locator('.hits [data-t^="die:"]').first).not_to_be_in_viewport()
    tab(page, "Sheet").tap()
    assert page.locator("svg.board").first.bounding_box()["height"] < 400


def test_a_fleet_is_formed_and_a_hex_explored_by_real_taps(fleet):
    """The page turns to the fleet while it is formed, and to the map when a hex is to be chosen."""
    played, page = fleet
    before = shown(page)
    while not (page.locator("#confirm").count() and confirm(page)):
        tap(page, lit(page).first)
    wait_for_version(page, before + 1)
    while "confirm_fleet" not in played.offered(0):
        played.bot_acts(0)
    wait_for_version(page, played.seen_version)
    before = shown(page)
    page.locator("#bar .end").tap()
    wait_for_version(page, before + 1)
    expect(tab(page, "Map")).to_have_attribute("aria-current", "true")
    expect(page.locator('.hits [data-t^="die:"]').first).to_be_in_viewport(ratio=1)
    while "explore" not in played.offered(0):
        played.bot_acts(0)
        wait_for_version(page, played.seen_version)
    expect(tab(page, "Map")).to_contain_text(str(lit(page).count()))
    before = shown(page)
    tap(page, lit(page).first)
    assert confirm(page)
    wait_for_version(page, before + 1)


def test_a_hit_is_answered_in_the_bar(fleet):
    """Neither answer is a choice on the board, and a phone folds the forms away."""
    played, page = fleet
    while "accept_hit" not in played.offered(0):
        assert not played.over
        played.bot_acts(0)
    page.reload()
    before = shown(page)
    page.locator("#bar").get_by_role("button", name="Take the hit").tap()
    assert confirm(page)
    wait_for_version(page, before + 1)


def test_two_fingers_make_the_board_larger_and_choose_nothing(fleet):
    _, page = fleet
    narrow, fingers = width_of(page), Fingers(page)
    before = page.evaluate("visualViewport.scale")
    at = middle(page.locator('.hits [data-t^="ship:"].can').first)
    fingers.pinch((180, at[1]), 180)
    assert width_of(page) == pytest.approx(narrow * 3, rel=0.1)
    assert page.evaluate("visualViewport.scale") == before, "the page itself stays as it was"
    page.wait_for_timeout(700)
    expect(page.locator("form.filling")).to_have_count(0)
    expect(page.locator(".pop")).to_have_count(0)
    fingers.pinch((180, at[1]), 10)
    assert width_of(page) == pytest.approx(narrow)


def test_a_second_finger_ends_a_hold(fleet):
    _, page = fleet
    fingers = Fingers(page)
    x, y = middle(page.locator('.hits [data-t^="slot:"]').first)
    fingers.send("touchStart", (x, y))
    fingers.send("touchStart", (x, y), (x + 80, y))
    page.wait_for_timeout(800)
    fingers.send("touchEnd")
    expect(page.locator(".pop")).to_have_count(0)
    fingers.send("touchStart", (x, y))
    expect(page.locator(".pop.help")).to_be_visible()
    fingers.send("touchEnd")


def test_one_finger_moves_the_large_board_and_the_page(fleet):
    """A choice that is begun, the size and the place stay while the page is patched."""
    played, page = fleet
    fingers = Fingers(page)
    larger = page.get_by_role("button", name="Show the board larger")
    smaller = page.get_by_role("button", name="Show the board smaller")
    expect(smaller).to_be_disabled()
    larger.tap()
    larger.tap()
    x, y = middle(page.locator(FRAME))
    left = page.locator(FRAME).evaluate("frame => frame.scrollLeft")
    fingers.swipe((x, y), (x - 120, y))
    page.wait_for_function("left => document.querySelector('#chart').scrollLeft > left + 60", arg=left)
    expect(page.locator("form.filling")).to_have_count(0)
    page.wait_for_timeout(300)
    left, width = page.locator(FRAME).evaluate("frame => frame.scrollLeft"), width_of(page)
    played.bot_acts(0)
    wait_for_version(page, played.seen_version)
    assert page.locator(FRAME).evaluate("frame => frame.scrollLeft") == left
    assert width_of(page) == width
    smaller.tap()
    smaller.tap()
    expect(smaller).to_be_disabled()


def test_keys_reach_things_on_other_tabs(fleet):
    _, page = fleet
    tab(page, "Sheet").tap()
    expect(lit(page).first).not_to_be_in_viewport()
    page.locator('.hits [data-t][tabindex="0"]').focus()
    page.keyboard.press("PageDown")
    expect(tab(page, "Fleet")).to_have_attribute("aria-current", "true")
    expect(page.locator(".hits [data-t]:focus")).to_be_in_viewport(ratio=0.9)


def test_without_scripts_the_tabs_are_anchors(opened):
    played = Played("space_fleet_commander", 1)
    page = opened(played.users[0], played.path, PHONE, scripts=False)
    tab(page, "Sheet").click()
    assert "#" in page.url
    expect(page.locator("svg.board").first.get_by_text("Sabotage 0 of", exact=False)).to_be_in_viewport()


def test_every_board_can_be_pinched(opened):
    played = Played("stratastar", 2)
    played.others_act()
    page = opened(played.users[0], played.path, PHONE, touch=True)
    narrow = width_of(page)
    Fingers(page).pinch((180, 300), 120)
    assert width_of(page) > narrow * 1.8
    target = lit(page).last
    tap(page, target)
    assert confirm(page)


def test_the_end_of_a_match_shows_its_result(opened):
    """A phone folds the tab of the turn; the result unfolds it once, and stays folded when the reader folds it."""
    played = Played("space_fleet_commander", 1)
    page = opened(played.users[0], played.path, PHONE, touch=True)
    played.submit(0, {"name": "resign"})
    wait_for_version(page, played.seen_version)
    expect(page.locator("#result")).to_be_in_viewport()
    expect(page.locator("#result table")).to_be_in_viewport()
    page.locator("#tab-turn").tap()
    expect(page.locator("#result table")).not_to_be_in_viewport()


def test_a_phone_shows_the_whole_name_of_the_game(fleet):
    _, page = fleet
    heading = page.locator("#head h1")
    assert heading.evaluate("heading => heading.scrollWidth <= heading.clientWidth")
    expect(page.locator("#head")).to_have_css("height", "48px")


@pytest.mark.usefixtures("many_matches")
@pytest.mark.parametrize("game", ["star_commander", "space_war"])
def test_what_lies_below_a_high_board_is_a_strip_at_the_foot_of_a_phone(opened, game):
    """The hand, or what is to be answered: nobody scrolls to see it, and the page scrolls to the rest of the board."""
    played = Played(game, 2)
    while played.turn() < 2 or not played.waits_for(0):
        played.bot_acts(0 if played.waits_for(0) else 1)
    page = opened(played.users[0], played.path, (360, 640), touch=True)
    first = page.locator("#rest .hits [data-t]").first
    below, tabs = first.bounding_box(), page.locator("#side").bounding_box()
    assert below["y"] + below["height"] <= tabs["y"]
    first.tap()
    expect(page.locator(".pop, form.filling").first).to_be_visible()
    page.evaluate("scrollTo(0, document.documentElement.scrollHeight)")
    foot = max(middle(hit)[1] for hit in page.locator("#chart .hits [data-t]").all())
    assert foot < page.locator("#rest").bounding_box()["y"]
