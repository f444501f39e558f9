"""An undo on offer always undoes something: in every game, after any act, and in The Space War after allowing an act."""

from __future__ import annotations

import json
import random
from datetime import UTC, datetime

import pytest

from gamesvc.games import catalog, selfplay
from gamesvc.games.kernel import forms
from gamesvc.games.kernel.dice import seeded
from gamesvc.games.kernel.game import Refused
from gamesvc.games.kernel.timeline import Timeline, check_options
from gamesvc.games.kernel.undo import undo_rules
from gamesvc.games.kernel.undo.trail import Past, Trail
from gamesvc.matches.lobby import opening
from gamesvc.matches.record import loading
from tests.matches.test_undo import act, load, offer, redo, state, undo

NOW = datetime(2026, 1, 1, tzinfo=UTC)


class Played:
    """A match in memory with the record that undo reads."""

    def __init__(self, game, rng, seed):
        self.game, self.rng, self.dice = game, rng, seeded(seed)
        self.past: list[Past] = []
        self.timeline = Timeline(game)
        seats = 1 if game.id == "space_fleet_commander" else 2
        options = check_options(game, selfplay.bounded(game), seats)
        self._take(self.timeline.begin(options, seats, self.dice), None, None)
        self.first = self.timeline.version
        self.seats = range(seats)

    def _take(self, run, seat, command):
        kind = "host" if seat is None else "seat"
        for at, event in enumerate(run.events):
            self.past.append(Past(event, at == 0, kind, seat, command if at == 0 else None, NOW, NOW))
        self.timeline.follow(run)

    def step(self):
        """Play a command of an awaited seat, or an aside of any seat."""
        game, now = self.game, self.timeline.state
        seat = self.rng.choice(game.awaited(now)).seat
        if self.rng.random() < 0.25:
            seat = self.rng.choice(self.seats)
            offered = [form for form in game.legal_commands(now, seat) if form.aside and form.name not in ("resign", "time_out")]
            if not offered:
                return
            command = forms.fill(self.rng.choice(offered), self.rng)
        else:
            bot = self.rng.choice(sorted(game.bots))
            command = dict(game.bots[bot](game.view(now, seat), game.legal_commands(now, seat), self.rng))
        self._take(self.timeline.command(seat, command, self.dice), seat, command)

    def found(self, seat):
        """Return the seat's latest command that undo finds; None if there is none."""
        trail = Trail(lambda after, until: list(self.past[after:until]), self.timeline.version)
        try:
            found = undo_rules.find(self.game, trail, seat, changes=undo_rules.changing(self.timeline, seat))
        except Refused:
            return None
        return found if found.to >= self.first else None

    def seen(self, a_state, seat):
        """Return a view without the ids of questions, which a rewind may change."""
        view = json.loads(json.dumps(self.game.view(a_state, seat)))
        view["awaited"] = [[one.seat, one.prompt] for one in self.game.awaited(a_state)]
        return view


@pytest.mark.long
@pytest.mark.parametrize("game_id", catalog.OFFERED)
def test_what_undo_offers_undoes_something(game_id):
    game = catalog.game(game_id)
    rng = random.Random(f"undo {game_id}")
    free = 0
    for number in range(3):
        match = Played(game, rng, f"undo {game_id} {number}")
        for _ in range(120):
            if game.outcome(match.timeline.state) is not None:
                break
            match.step()
            for seat in match.seats if game.outcome(match.timeline.state) is None else ():
                found = match.found(seat)
                if found is None or found.others or found.told:
                    continue
                free += 1
                now = match.timeline.state
                private = undo_rules.unseen(game, found.deed, seat, len(match.seats))
                why = {"cause": "undo", "seat": seat, **({"private": True} if private else {})}
                back = match.timeline.rewind(found.to, seeded("undo", next_draw=match.timeline.draws), **why).state
                command = found.deed.first.command
                assert match.seen(back, seat) != match.seen(now, seat), f"{command} is undone, and nothing changes"
                assert forms.offered(game.legal_commands(back, seat), command), f"{command} is undone, and cannot be given again"
                if private and not found.since:
                    for other in {None, *match.seats} - {seat}:
                        assert game.view(back, other) == game.view(now, other), "a private undo is seen by others"
    assert free > 20


# --- the service, with allowed acts ---


@pytest.fixture
def war(anna, ben):
    """A match of The Space War in which seat `other` may react to an act of the seat to move."""
    match = opening.join_match(by=ben, match=opening.create_match(by=anna, game="space_war", options={"max_timeouts": 0}))
    rng = random.Random(7)
    for _ in range(200):
        loaded = load(match)
        now = loaded.timeline.state
        if now.phase == "action" and now.turn > 1 and now.open_items(1 - now.active):
            return match
        seat = loaded.awaited()[0].seat
        act(
            match, seat, dict(loaded.game.bots["greedy"](loaded.game.view(now, seat), loaded.game.legal_commands(now, seat), rng))
        )
    raise AssertionError("no item was ever open in an action phase")


@pytest.mark.django_db
def test_what_was_let_stand_is_open_again_after_an_undo(war):
    game, before = load(war).game, state(war)
    other = 1 - before.active
    numbers = [item.n for item in before.open_items(other)]
    hidden = {viewer: game.view(before, viewer) for viewer in (None, before.active)}
    act(war, other, {"name": "let_stand"})
    assert not state(war).open_items(other)
    assert offer(war, other).how == "free"
    assert undo(war, other).done
    assert [item.n for item in state(war).open_items(other)] == numbers
    for viewer, seen in hidden.items():
        assert game.view(state(war), viewer) == seen, "nobody else learns of it"
    loading.forget_all()
    assert [item.n for item in load(war).timeline.state.open_items(other)] == numbers
    assert redo(war, other).done
    assert not state(war).open_items(other)


@pytest.mark.django_db
def test_standing_orders_are_nothing_to_undo(war):
    other = 1 - state(war).active
    act(war, other, {"name": "let_stand"})
    act(war, other, {"name": "set_orders", "orders": [{"when": {"any": True}, "do": "stand"}]})
    assert offer(war, other).command == {"name": "let_stand"}


@pytest.mark.django_db
def test_a_pause_that_was_let_stand_waits_again_after_an_undo(war):
    active = state(war).active
    act(war, active, {"name": "pause"})
    waiting = [(one.seat, one.prompt) for one in load(war).awaited()]
    assert waiting == [(1 - active, "barrier")]
    act(war, 1 - active, {"name": "let_stand"})
    assert offer(war, 1 - active).how == "free"
    assert undo(war, 1 - active).done
    assert [(one.seat, one.prompt) for one in load(war).awaited()] == waiting
