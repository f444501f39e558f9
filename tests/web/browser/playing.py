"""Matches for the browser: one player uses the page, the others answer through the service."""

from __future__ import annotations

import json
import random
import uuid
from pathlib import Path

from playwright.sync_api import Locator, Page

from accounts.models import User
from gamesvc.games import catalog
from gamesvc.games.acts import acts
from gamesvc.games.kernel.game import Caption, Form
from gamesvc.games.kernel.targets import stands
from gamesvc.json_types import JsonObject
from gamesvc.matches.lobby import forks, opening
from gamesvc.matches.models import Match
from gamesvc.matches.play import turns
from gamesvc.matches.play.turns import Sender
from gamesvc.matches.record import loading
from tests.conftest import make_player


def _player(name: str) -> User:
    return User.objects.filter(username=name).first() or make_player(name)


class Played:
    """A running match. `user` holds seat 0 and uses the page."""

    def __init__(self, game: str, seats: int, **options: object) -> None:
        self.users: list[User] = [_player(name) for name in ("ines", "marek")[:seats]]
        self.match: Match = opening.create_match(by=self.users[0], game=game, seats=seats, options=options)
        for user in self.users[1:]:
            opening.join_match(by=user, match=self.match)
        self.match.refresh_from_db()
        self.rng = random.Random(game)

    @property
    def path(self) -> str:
        return f"/matches/{self.match.number}/"

    @property
    def version(self) -> int:
        return loading.load(self.match.id, self.match.game).version

    @property
    def seen_version(self) -> int:
        """Return the version that the page of seat 0 shows when it is up to date."""
        return loading.load(self.match.id, self.match.game).viewer_version(0)

    def waits_for(self, seat: int) -> bool:
        loaded = loading.load(self.match.id, self.match.game)
        return not loaded.ended and any(one.seat == seat for one in loaded.awaited())

    def offered(self, seat: int) -> set[str]:
        """Return the names of the commands that a seat may give and that move the match on."""
        return {form.name for form in self.forms(seat) if not form.aside}

    def forms(self, seat: int) -> list[Form]:
        loaded = loading.load(self.match.id, self.match.game)
        return list(loaded.game.legal_commands(loaded.timeline.state, seat))

    def drawn(self, seat: int) -> set[str]:
        """Return the targets on the board that the values of a seat's commands stand for."""
        loaded = loading.load(self.match.id, self.match.game)
        finder = loaded.game.finder(self.view(seat))
        forms = acts(loaded.game, loaded.timeline.state, seat)
        return {stand.target for form in forms if not form.aside for stand in stands(finder, form)}

    def view(self, seat: int) -> JsonObject:
        loaded = loading.load(self.match.id, self.match.game)
        return loaded.game.view(loaded.timeline.state, seat)

    def turn(self, seat: int = 0) -> int:
        loaded = loading.load(self.match.id, self.match.game)
        return int(loaded.game.glance(self.view(seat), Caption()).turn)

    def bot_acts(self, seat: int) -> None:
        """Let the game's own bot answer for a seat, once."""
        loaded = loading.load(self.match.id, self.match.game)
        forms, view = loaded.game.legal_commands(loaded.timeline.state, seat), loaded.game.view(loaded.timeline.state, seat)
        self.submit(seat, loaded.game.bots["greedy"](view, forms, self.rng))

    def ends_phase(self, seat: int) -> None:
        """Let a seat do nothing in its phase, or what the bot does where that is not possible."""
        if "end_phase" in self.offered(seat):
            self.submit(seat, {"name": "end_phase"})
        else:
            self.bot_acts(seat)

    def submit(self, seat: int, command: JsonObject) -> None:
        loaded = loading.load(self.match.id, self.match.game)
        turns.submit(
            match=self.match,
            sender=Sender.player(self.users[seat].pk, seat, "web"),
            command=command,
            expected_version=loaded.viewer_version(seat),
            command_id=uuid.uuid4(),
        )

    def plays_on(self, board: Match, seat: int, command: JsonObject) -> None:
        """Let the owner of an analysis board act for a seat on it."""
        assert board.creator is not None
        loaded = loading.load(board.id, board.game)
        turns.submit(
            match=board,
            sender=Sender.player(board.creator.pk, seat, "web"),
            command=command,
            expected_version=loaded.viewer_version(seat),
            command_id=uuid.uuid4(),
        )

    @property
    def over(self) -> bool:
        return loading.load(self.match.id, self.match.game).ended

    def others_act(self) -> None:
        """Let the other seats answer until the match waits for seat 0, or is over."""
        for _ in range(60):
            if self.waits_for(0) or len(self.users) < 2 or not self.waits_for(1):
                return
            self.bot_acts(1)


def from_position(game: str, name: str) -> tuple[Match, list[User]]:
    """Start a match of two from a recorded position (`positions/`). Return it and who holds its seats."""
    position = json.loads((Path(__file__).with_name("positions") / f"{name}.json").read_text())
    users = [_player(name) for name in ("ines", "marek")]
    match = opening.create_match(by=users[0], game=game, seats=2, start=forks.described(catalog.game(game), position))
    opening.join_match(by=users[1], match=match)
    return match, users


def shown(page: Page) -> int:
    """Return the version that the page shows."""
    return int(page.locator("#main").get_attribute("data-version") or 0)


def wait_for_version(page: Page, version: int) -> None:
    page.wait_for_function("version => Number(document.getElementById('main').dataset.version) >= version", arg=version)


def lit(page: Page) -> Locator:
    """Return the things on the board that can be chosen and are not."""
    return page.locator('.hits [data-t].can:not([aria-pressed="true"])')


def confirm(page: Page) -> bool:
    """Press Confirm if what is chosen is complete. Return True if it was."""
    button = page.locator("#confirm")
    page.wait_for_function("() => !bar.ariaBusy")
    if button.count() and button.is_enabled():
        button.click()
        return True
    return False
