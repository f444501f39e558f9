"""Two players in two browsers on a real `up`: its live process tells each of the other, also after it was killed or cut off."""

from __future__ import annotations

import re
import uuid
from collections.abc import Iterator

import httpx
import pytest
from playwright.sync_api import Browser, BrowserContext, Page, Response, expect

from tests.embedded.running import Home, Up, eventually
from tests.web.browser.conftest import WIDE
from tests.web.browser.playing import confirm, lit, shown, wait_for_version

pytestmark = [pytest.mark.browser, pytest.mark.timeout(280)]
PASSWORD = "correct horse battery"  # noqa: S105
LONG = 150_000.0


@pytest.fixture(scope="module")
def up(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Up]:
    home = Home(tmp_path_factory.mktemp("up"))
    yield home.up()
    home.close()


@pytest.fixture(scope="module")
def people(browser: Browser, up: Up) -> Iterator[list[BrowserContext]]:
    """Two browsers, each with a user: the first signs in as `up` says, the second signs up."""
    contexts = [
        browser.new_context(viewport={"width": WIDE[0], "height": WIDE[1]}, base_url=up.facts["web"], reduced_motion="reduce")
        for _ in range(2)
    ]
    for context in contexts:
        context.set_default_timeout(LONG)
    name, password = up.facts["login"].split(" / ")
    sign_in(contexts[0].new_page(), name, password)
    sign_up(contexts[1].new_page(), "noor")
    yield contexts
    for context in contexts:
        context.close()


def sign_in(page: Page, name: str, password: str) -> None:
    page.goto("/accounts/login/")
    page.get_by_label("Login", exact=False).fill(name)
    page.get_by_label("Password", exact=False).fill(password)
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_url(re.compile(r"//[^/]+/$"))


def sign_up(page: Page, name: str) -> None:
    page.goto("/accounts/signup/")
    page.get_by_label("Username").fill(name)
    page.get_by_label("Email", exact=False).fill(f"{name}@players.example")
    page.get_by_label("Password", exact=False).fill(PASSWORD)
    page.get_by_role("button", name="Sign up").click()
    page.wait_for_url(re.compile(r"//[^/]+/$"))


@pytest.fixture
def match(up: Up, people: list[BrowserContext]) -> Iterator[tuple[int, list[Page]]]:
    """A new match of both: its number, and its page in each browser. A script that fails there fails the test."""
    faults: list[str] = []
    number = int(post(up, "matches/", {"game": "stratastar", "seats": 2})["number"])
    pages = [context.new_page() for context in people]
    for page in pages:
        page.on("pageerror", lambda fault: faults.append(str(fault)))
    pages[1].goto(f"/matches/{number}/")
    pages[1].get_by_role("button", name="Take this seat").first.click()
    expect(pages[1].locator("svg.board").first).to_be_visible()
    with streaming(up, pages[0]):
        pages[0].goto(f"/matches/{number}/")
    yield number, pages
    for page in pages:
        page.close()
    assert not faults


def post(up: Up, path: str, body: dict[str, object]) -> dict[str, object]:
    headers = {"Authorization": f"Bearer {up.facts['token']}", "Idempotency-Key": uuid.uuid4().hex}
    answer = httpx.post(f"{up.facts['api']}{path}", json=body, headers=headers, timeout=60)
    assert answer.is_success, answer.text
    return dict(answer.json())


def streaming(up: Up, page: Page):
    """Wait for a stream that has been opened at the live process, once the block is done."""

    def opened(answer: Response) -> bool:
        return "/stream" in answer.url and answer.status == 200 and "event-stream" in answer.headers.get("content-type", "")

    return page.expect_response(opened, timeout=LONG)


def say(up: Up, number: int, text: str) -> None:
    post(up, f"matches/{number}/press/", {"to": "all", "text": text})


def hears(page: Page, text: str) -> None:
    expect(page.locator("#p-press")).to_contain_text(text, timeout=LONG)


def test_an_act_of_one_browser_comes_into_the_other(match):
    _, pages = match
    actor, other = pages if pages[0].locator("#head .flag").count() else pages[::-1]
    other.evaluate("window.first = true")
    # Nothing but the stream may tell of it.
    other.route("**/version*", lambda route: route.abort())
    before = shown(other)
    lit(actor).last.click()
    assert confirm(actor)
    wait_for_version(other, before + 1)
    assert other.evaluate("window.first"), "the page was patched, not loaded"


def test_a_live_process_that_is_killed_is_followed_again(up, match):
    number, pages = match
    page = pages[1]
    with streaming(up, page):
        eventually(lambda: up.role("live")).kill()
        say(up, number, "while it is dead")
    hears(page, "while it is dead")
    page.route("**/version*", lambda route: route.abort())
    say(up, number, "after it came back")
    hears(page, "after it came back")
    expect(page.locator("#state")).to_be_hidden()


def test_a_lost_connection_is_shown_and_made_up_for(up, people, match):
    number, pages = match
    people[1].set_offline(True)
    expect(pages[1].locator("#state")).to_be_visible(timeout=LONG)
    say(up, number, "while you were away")
    people[1].set_offline(False)
    hears(pages[1], "while you were away")
    expect(pages[1].locator("#state")).to_be_hidden(timeout=LONG)


def test_where_no_stream_gets_through_the_page_asks(up, people, match):
    number, _ = match
    page = people[1].new_page()
    page.route("**/stream*", lambda route: route.abort())
    page.goto(f"/matches/{number}/")
    say(up, number, "by asking")
    hears(page, "by asking")
    expect(page.locator("#state")).to_be_hidden()
    page.close()


def test_who_waits_for_opponents_sees_the_match_begin(up, people):
    number = int(post(up, "matches/", {"game": "stratastar", "seats": 2})["number"])
    pages = [context.new_page() for context in people]
    with streaming(up, pages[0]):
        pages[0].goto(f"/matches/{number}/")
    expect(pages[0].locator("svg.board")).to_have_count(0)
    pages[1].goto(f"/matches/{number}/")
    pages[1].get_by_role("button", name="Take this seat").first.click()
    expect(pages[0].locator("svg.board").first).to_be_visible(timeout=LONG)
    for page in pages:
        page.close()


def test_what_follows_the_end_comes_into_an_open_page(up, match):
    """A page of a match that was over when it was loaded, told by the stream alone."""
    number, pages = match
    pages[0].goto(f"/matches/{number}/resign")
    pages[0].get_by_role("button", name="Resign").click()
    expect(pages[0].locator("#result")).to_contain_text("Ask for a rematch")
    page = pages[1]
    page.route("**/version*", lambda route: route.abort())
    with streaming(up, page):
        page.goto(f"/matches/{number}/")
    expect(page.locator("#result")).to_contain_text("Ask for a rematch", timeout=LONG)
    page.evaluate("window.first = true")
    post(up, f"matches/{number}/rematch/", {})
    expect(page.locator("#result")).to_contain_text("Join the rematch", timeout=LONG)
    assert page.evaluate("window.first"), "the page was patched, not loaded"
