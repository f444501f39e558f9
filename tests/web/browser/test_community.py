"""Players among each other in a real browser: block and report, resigning, push on a device."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from accounts.models import Block, User
from gamesvc.matches.lobby import opening, press
from gamesvc.matches.models import Holding, Match, Report
from notifications.models import PushSubscription
from tests.web.browser.conftest import PHONE

pytestmark = pytest.mark.browser

# Chromium without a network cannot reach its push service: only the browser's PushManager is replaced. Permission, service
# worker, form and our side are real.
PUSH_MANAGER = """
const half = "BD7Xoo7GSO3OXVt+JS9rKq+7RINRFKJLPKqPcQ9kmTvCVxGjTNySKQgLY58Jl3/rfKkezOFkm/6orYXH";
const key = Uint8Array.from(atob(half + "KyBq3n4="), (letter) => letter.charCodeAt(0));
let subscribed = null;
PushManager.prototype.subscribe = async function (options) {
  if (!options.userVisibleOnly || options.applicationServerKey.length !== 65) throw new Error("bad options");
  const parts = { p256dh: key.buffer, auth: new Uint8Array(16).buffer };
  const unsubscribe = async () => (localStorage.setItem("unsubscribed", "yes"), (subscribed = null), true);
  return (subscribed = { endpoint: "https://push.example/device", getKey: (name) => parts[name], unsubscribe });
};
PushManager.prototype.getSubscription = async () => subscribed;
"""


@pytest.fixture
def match(player):
    made = opening.create_match(by=player("ines"), game="stratastar", seats=2)
    return opening.join_match(by=player("marek"), match=made)


def users(match):
    return [seat.user for seat in match.seats.select_related("user").order_by("index")]


def test_a_message_is_reported_and_its_author_blocked_on_a_phone_without_scripts(opened, match):
    ines, marek = users(match)
    press.say(match=match, by=marek, by_seat=1, to="all", text="You play like a fool", channel="web")
    page = opened(ines, f"/matches/{match.number}/press", PHONE, scripts=False)
    page.get_by_role("link", name="Report this message of marek").click()
    expect(page.get_by_text("You play like a fool")).to_be_visible()
    page.get_by_text("Insults, threats or harassment").click()
    page.get_by_role("button", name="Send the report").click()
    page.wait_for_url(f"**/matches/{match.number}/")
    assert Report.objects.get().about == marek
    page.goto("/players/marek/")
    page.get_by_role("button", name="Block").click()
    expect(page.get_by_role("button", name="Unblock")).to_be_visible()
    assert Block.objects.get().blocked == marek
    page.goto(f"/matches/{match.number}/press")
    expect(page.get_by_text("You play like a fool")).to_have_count(0)


@pytest.mark.parametrize("scripts", [True, False], ids=["scripts", "plain"])
def test_who_writes_a_message_on_the_match_page_stays_there(opened, match, scripts):
    ines, _marek = users(match)
    page = opened(ines, f"/matches/{match.number}/", scripts=scripts)
    if scripts:
        page.locator("#tab-press").click()
    page.get_by_role("textbox", name="Message").fill("Good luck!")
    page.get_by_role("button", name="Send the message").click()
    expect(page.locator("#press .words")).to_have_text("Good luck!")
    expect(page.get_by_role("textbox", name="Message")).to_have_value("")
    assert page.url.endswith(f"/matches/{match.number}/")


@pytest.mark.parametrize("scripts", [True, False], ids=["scripts", "plain"])
def test_resigning_asks_first(opened, match, scripts):
    ines, _marek = users(match)
    page = opened(ines, f"/matches/{match.number}/", scripts=scripts)
    page.get_by_text("At any time").click()
    resign = page.get_by_role("link", name="Resign", exact=True)
    if not resign.is_visible():
        page.locator("summary", has_text="Resign").click()
    resign.click()
    page.wait_for_url("**/resign")
    page.get_by_role("link", name="Play on").click()
    page.wait_for_url(f"**/matches/{match.number}/")
    match.refresh_from_db()
    assert match.status == Match.Status.RUNNING
    page.goto(f"/matches/{match.number}/resign")
    page.get_by_role("button", name="Resign").click()
    page.wait_for_url(f"**/matches/{match.number}/")
    match.refresh_from_db()
    assert match.status == Match.Status.FINISHED


def with_push(opened: Callable[..., Page], user: User, origin: str) -> Page:
    """Open a user's matches in a browser that may show notices."""
    page = opened(user, "/")
    page.context.grant_permissions(["notifications"], origin=origin)
    page.add_init_script(PUSH_MANAGER)
    page.goto("/")
    return page


def test_push_is_offered_after_the_first_move_and_turned_on_and_off(opened, match, live_server):
    ines, _marek = users(match)
    page = with_push(opened, ines, live_server.url)
    expect(page.get_by_role("button", name="Turn on notifications on this device")).to_have_count(0)
    Holding.objects.filter(user=ines).update(answers=1)
    page.goto("/")
    page.get_by_role("button", name="Turn on notifications on this device").click()
    page.wait_for_url("**/profile/")
    assert PushSubscription.objects.get().user == ines
    expect(page.get_by_text("Notifications are on for this device.")).to_be_visible()
    page.locator("#push").get_by_role("button", name="Turn off").click()
    expect(page.get_by_text("Notifications are off for this device.")).to_be_visible()
    assert not PushSubscription.objects.exists()


def test_who_signs_out_gets_no_more_push_on_this_device(opened, match, live_server):
    ines, _marek = users(match)
    page = with_push(opened, ines, live_server.url)
    page.evaluate("navigator.serviceWorker.register('/sw.js')")
    page.evaluate(
        "PushManager.prototype.subscribe({userVisibleOnly: true, applicationServerKey: new Uint8Array(65)}).then(() => null)"
    )
    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_role("link", name="Sign in").first).to_be_visible()
    assert page.evaluate("localStorage.getItem('unsubscribed')") == "yes"


def test_the_page_can_be_installed(opened, player):
    page = opened(player("ines"), "/")
    manifest = page.evaluate("fetch(document.querySelector('link[rel=manifest]').href).then((answer) => answer.json())")
    assert (manifest["name"], manifest["start_url"], manifest["theme_color"]) == ("Games by mail", "/", "#F2F5F6")
    for icon in manifest["icons"]:
        assert page.evaluate("(address) => fetch(address).then((answer) => answer.status)", icon["src"]) == 200
    assert page.evaluate("navigator.serviceWorker.register('/sw.js').then((worker) => worker.scope)").endswith("/")


def test_an_organiser_pauses_a_match_without_leaving_its_page(opened, player):
    host = player("olga")
    match = opening.create_match(by=host, game="stratastar", seats=2, take_seat=False, watch="all")
    for name in ("ines", "marek"):
        match = opening.join_match(by=player(name), match=match)
    page = opened(host, f"/matches/{match.number}/")
    loads: list[str] = []
    page.on("framenavigated", lambda frame: loads.append(frame.url))
    page.locator("#tab-more").click()
    page.locator("#p-more summary", has_text="Organise").click()
    page.locator("#p-more .chip", has_text="Pause").click()
    page.locator("#p-more").get_by_label("In words, for the players").fill("Wait for my ruling")
    page.locator("#p-more").get_by_role("button", name="Carry it out").click()
    expect(page.locator("body")).to_contain_text("The match is paused")
    assert loads == []
    match.refresh_from_db()
    assert match.paused_at is not None
