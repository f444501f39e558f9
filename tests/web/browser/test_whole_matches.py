"""Whole matches of each game in two browsers, by taps alone, from the form for a new match to the page of its end.

Each player taps what the page offers: a mouse on a wide screen, a finger on a phone. A tap that nothing answers, a choice that no
tap completes, a page that loads again and a fault in the console are all faults of the page.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest
from playwright.sync_api import ConsoleMessage, Locator, Page, TimeoutError, expect

from accounts.models import User
from gamesvc.matches.models import Match
from tests.conftest import make_player
from tests.web.browser.conftest import PHONE, WIDE
from tests.web.browser.playing import shown

pytestmark = [pytest.mark.browser, pytest.mark.long, pytest.mark.timeout(1800)]
MOST_ROUNDS, MOST_TAPS, MOST_CANCELS, MOST_LOOKS = 3000, 20, 4, 300
TAP_MS = 4000.0
ENDS, CONFIRMS, EXTRAS = 0.3, 0.8, 0.3
"""How often a player ends a phase instead of acting, confirms what is complete, and chooses what may be left as it is."""

WHAT_IS_OFFERED = """() => {
  const seen = (e) => e.checkVisibility() && !e.disabled;
  const texts = (s) => [...document.querySelectorAll(s)].filter(seen).map((e) => e.textContent.trim().replace(/\\s+/g, " "));
  const confirm = document.getElementById("confirm"), form = document.querySelector("form.filling");
  return {
    version: Number(document.getElementById("main").dataset.version),
    mine: document.querySelector("#head .flag") !== null,
    over: document.getElementById("result") !== null,
    unfolded: document.querySelector("#side.up") !== null,
    filling: form?.id ?? "",
    menu: texts(".menu button"),
    answers: texts("#choices .answer:not(.more)"), more: texts("#choices .more"), extras: texts("#choices .extra"),
    confirm: confirm !== null && seen(confirm),
    pressed: [...document.querySelectorAll('.hits [data-t].can[aria-pressed="true"]')].map((e) => e.dataset.t),
    lit: [...document.querySelectorAll('.hits [data-t].can:not([aria-pressed="true"])')].map((e) => e.dataset.t),
    steps: texts("#choices .stepper button"),
    ends: texts("#bar .end"), begins: texts("#bar :is([data-begin], .begin)"),
    alert: document.querySelector('#main [role="alert"]')?.textContent ?? "",
    says: document.getElementById("says")?.textContent?.trim() ?? "",
    chosen: [form?.id, document.querySelectorAll('.hits [aria-pressed="true"]').length, confirm?.textContent].join(),
    fields: form && [...new FormData(form)].join(),
  };
}"""


@dataclass
class Player:
    """A player before a page. `faults` is what went wrong on it."""

    page: Page
    rng: random.Random
    finger: bool
    faults: list[str] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)
    path: list[str] = field(default_factory=list)

    def watch(self) -> None:
        self.page.on("console", self._heard)
        self.page.on("framenavigated", lambda frame: self.faults.append(f"the page loaded again: {frame.url}"))

    def _heard(self, message: ConsoleMessage) -> None:
        if message.type in {"error", "warning"} and "/stream/" not in str(message.location):
            self.faults.append(f"console: {message.text} {message.location}")

    def look(self) -> None:
        """Let the page ask for what is new now: this server has no streams, and without them pages ask less and less often."""
        self.page.evaluate("dispatchEvent(new Event('online'))")

    def offered(self) -> dict[str, Any]:
        self.page.wait_for_function("() => !bar.ariaBusy", timeout=30_000)
        return dict(self.page.evaluate(WHAT_IS_OFFERED))

    def tap(self, what: Locator, words: str) -> None:
        """Tap where a user sees the thing: whatever lies over it takes the tap, and the fault is told."""
        self.counts["taps"] += 1
        self.path.append(words)
        try:
            if self.finger:
                what.tap(timeout=TAP_MS)
            else:
                what.click(timeout=TAP_MS)
        except TimeoutError as fault:
            self.faults.append(f"no tap reaches {words}: {str(fault)[-400:]}")
            what.dispatch_event("click")

    def act(self) -> None:
        """Give one command."""
        page, before, cancels = self.page, shown(self.page), 0
        self.path = []
        while cancels < MOST_CANCELS:
            for _ in range(MOST_TAPS):
                was = self.offered()
                if was["version"] != before or was["over"]:
                    return
                if was["alert"]:
                    self.counts["refused"] += 1
                if not self.choose(was, cancels):
                    self.faults.append(f"nothing to tap: {was['says']} after {self.path}")
                    break
                now = self.offered()
                if now == was:
                    self.faults.append(f"a dead tap: {self.path[-3:]} in {was['filling']} saying {was['says']}")
            if page.locator("#choices .stop").count():
                self.tap(page.locator("#choices .stop"), "Cancel")
            cancels += 1
            self.counts["cancels"] += 1
        self.faults.append(f"no command was completed: {self.path} {self.offered()}")
        raise AssertionError(self.faults)

    def choose(self, now: dict[str, Any], cancels: int) -> bool:
        page, rng = self.page, self.rng
        if now["menu"]:
            self.pick(".menu button", now["menu"])
        elif now["confirm"] and (not now["lit"] or rng.random() < CONFIRMS):
            self.tap(page.locator("#confirm"), "Confirm")
        elif now["answers"]:
            self.pick("#choices .answer:not(.more)", now["answers"])
        elif now["extras"] and rng.random() < EXTRAS:
            self.pick("#choices .extra", now["extras"])
        elif now["more"] and not (now["lit"] and now["more"] == ["More choices"]):
            self.in_the_form(now["more"])
        elif now["filling"]:
            if now["steps"] and (not now["lit"] or rng.random() < ENDS):
                self.pick("#choices .stepper button:enabled", now["steps"])
            elif now["lit"] or now["pressed"]:
                self.target(now["lit"] or now["pressed"])
            elif now["extras"]:
                self.pick("#choices .extra", now["extras"])
            else:
                return False
        else:
            return self.start(now, cancels)
        return True

    def start(self, now: dict[str, Any], cancels: int) -> bool:
        ends = now["ends"] and (not (now["lit"] or now["begins"]) or cancels > 1 or self.rng.random() < ENDS)
        if ends:
            self.pick("#bar .end", now["ends"])
        elif now["begins"] and (not now["lit"] or self.rng.random() < ENDS):
            self.pick("#bar :is([data-begin], .begin)", now["begins"])
        elif now["lit"]:
            self.target(now["lit"])
        else:
            return False
        return True

    def target(self, lit: list[str]) -> None:
        target = self.rng.choice(lit)
        self.tap(self.page.locator(f'.hits [data-t="{target}"]').first, target)

    def pick(self, selector: str, texts: list[str]) -> None:
        at = self.rng.randrange(len(texts))
        self.tap(self.page.locator(f"{selector}:visible").nth(at), texts[at])

    def in_the_form(self, button: list[str]) -> None:
        """Choose among many answers: in the form, which a button of the bar shows."""
        self.counts["questions in the form"] += 1
        folded = self.finger and not self.page.locator("#side.up").count()
        chips = self.page.locator("form.filling label.chip:has(input:not(:checked)):visible").all()
        if chips and not folded:
            chip = self.rng.choice(chips)
            self.tap(chip, f"chip {chip.inner_text()}")
        else:
            self.pick("#choices .more", button)


MATCHES = [
    ("stratastar", 2, {"max_rounds": "5"}, 1),
    ("space_fleet_commander", 1, {}, 1),
    ("space_fleet_commander", 2, {}, 1),
    ("star_commander", 2, {"turn_limit": "12"}, 2),
    ("space_war", 2, {}, 1),
]
"""The game, its seats, its options, and the luck of the players, who choose at random."""


def create(page: Page, game: str, seats: int, options: dict[str, str]) -> None:
    page.goto(f"/new/{game}/")
    chosen = page.locator(f'input[name="seats"][value="{seats}"]')
    if chosen.count():
        page.locator("label", has=chosen).click()
    if options:
        page.locator("#rules > summary").click()
    for name, value in options.items():
        control = page.locator(f'[name="options.{name}"]').first
        if control.evaluate("control => control.matches('select')"):
            control.select_option(value)
        elif control.get_attribute("type") == "radio":
            page.locator("label", has=page.locator(f'[name="options.{name}"][value="{value}"]')).click()
        else:
            control.fill(value)
    page.get_by_role("button", name="Create game").click()
    page.wait_for_url("**/matches/*/")


@pytest.mark.parametrize(("game", "seats", "options", "luck"), MATCHES)
def test_a_match_is_played_from_its_creation_to_its_end(opened: Callable[..., Page], game, seats, options, luck):
    users = [User.objects.filter(username=name).first() or make_player(name) for name in ("ines", "marek")[:seats]]
    sizes = [WIDE, PHONE]
    pages = [opened(user, "/", size, touch=size == PHONE) for user, size in zip(users, sizes, strict=False)]
    create(pages[0], game, seats, options)
    match = Match.objects.get()
    for page in pages[1:]:
        page.goto(f"/matches/{match.number}/")
        page.get_by_role("button", name="Take this seat").first.click()
        expect(page.locator("svg.board").first).to_be_visible()
    players = [Player(page, random.Random(f"{game} {luck} {at}"), at == 1) for at, page in enumerate(pages)]
    for player in players:
        player.look()
        expect(player.page.locator("svg.board").first).to_be_visible()
        player.watch()
    play(players)
    for player in players:
        expect(player.page.locator("#result")).to_be_visible()
    assert not [player.faults for player in players if player.faults]


def play(players: list[Player]) -> None:
    """Let whoever is awaited act, until both pages show the end."""
    idle = 0
    for _ in range(MOST_ROUNDS):
        moved = False
        for player in players:
            now = player.offered()
            if now["mine"] and not now["over"]:
                player.act()
                player.counts["acts"] += 1
                moved = True
        if all(player.offered()["over"] for player in players):
            return
        if not moved:
            idle += 1
            assert idle < MOST_LOOKS, "no page says that it waits"
            for player in players:
                player.look()
            players[0].page.wait_for_timeout(100)
        else:
            idle = 0
    raise AssertionError("the match does not end")
