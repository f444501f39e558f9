"""Crowded positions and busy players: eventful matches for the property tests."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any

from gamesvc.games import secrecy, selfplay
from gamesvc.games.kernel import forms
from gamesvc.games.kernel.dice import Dice, KeyedSource, seeded
from gamesvc.games.kernel.game import Command, Form, Refused
from gamesvc.games.kernel.timeline import Timeline, check_options
from gamesvc.games.stratastar import GAME
from gamesvc.games.stratastar.data import RANK, abilities
from gamesvc.games.stratastar.data.geometry import INNER
from gamesvc.games.stratastar.state import Player, State

QUIET = ("end_phase", "end_turn", "pass", "set_orders", "offer_trade", "withdraw_offer", "spy")


def random_options(rng: random.Random, seats: int) -> dict[str, Any]:
    """Return random options that fit together."""
    low = rng.random() < 0.25
    allowed = abilities(low)

    def some(most: int) -> list[str]:
        return sorted(rng.sample(allowed, rng.randint(0, most)))

    chosen: dict[str, Any] = {
        "starting_fleets": rng.choice([2, 4]),
        "homeworld_choice": rng.choice(["choose", "random"]),
        "uneven_start": rng.choice(["off", "deal", "draft"]),
        "breakthrough": rng.random() < 0.5,
        "exploration": rng.random() < 0.35,
        "to_the_death": rng.random() < 0.25,
        "low_technology": low,
        "power_cards": rng.random() < 0.4,
        "max_rounds": rng.choice([3, 6, 12]),
    }
    for name in ("free_trade", "spying", "diplomacy", "retreat", "disaster"):
        chosen[name] = rng.random() < 0.8
    if rng.random() < 0.6:
        chosen["abilities_all"] = some(6) if rng.random() < 0.6 else list(allowed)
    if rng.random() < 0.4:
        chosen["abilities_by_seat"] = {str(seat): some(4) for seat in range(seats)}
    return chosen


def choose_busy(offered: list[Form], rng: random.Random) -> Command:
    """Choose a random command, rarely one that ends something."""
    pool = [form for form in offered if form.name != "resign" or rng.random() < 0.01]
    busy = [form for form in pool if form.name not in QUIET]
    quiet = [form for form in pool if form.name in QUIET and form.name != "end_turn"]
    chosen = rng.choice(busy) if busy and (not quiet or rng.random() < 0.8) else rng.choice(quiet or pool)
    return forms.fill(chosen, rng)


def crowd(state: State, rng: random.Random) -> State:
    """Return the same match with pieces all over a corner of the map and more cards in the hands."""
    spaces = [space for space in INNER if space[0] in "ABCDE" and int(space[1:]) <= 5]
    known = [space for space in spaces if space not in state.chart.unknown]
    chits = state.chart.chits
    players, deck = [], list(state.deck)
    for player in state.players:
        if player.alive and player.home is not None:
            fleets = {player.home: 1}
            heavy: dict[str, int] = {}
            for _ in range(rng.randint(2, 6)):
                at = rng.choice(known or [player.home])
                fleets[at] = fleets.get(at, 0) + 1
            if "warfleet" in player.abilities:
                heavy[rng.choice(known or [player.home])] = 1
            size = rng.randint(0, 9)
            hand = tuple(sorted((*player.hand, *deck[:size]), key=RANK.__getitem__))
            deck = deck[size:]
            player = replace(player, fleets=fleets, warfleets=heavy, hand=hand)
        players.append(player)
    worlds = [space for space, kind in chits.items() if kind == "world"]
    rng.shuffle(worlds)
    for seat, player in enumerate(players):
        mine, worlds = worlds[:4], worlds[4:]
        if player.alive and player.home is not None:
            gates = (player.home, *mine[:2]) if player.stargates else ()
            players[seat] = replace(player, colonies=dict.fromkeys(mine, 1), stargates=gates)
    return replace(state, players=tuple(players), deck=tuple(deck))


def crowded_on(timeline: Timeline[State], rng: random.Random) -> Timeline[State]:
    """Continue from the same version on a crowded map."""
    state = crowd(timeline.state, rng)
    return Timeline.resume(
        GAME, version=timeline.version, state=state, draws=timeline.draws, kept={}, log=lambda until: timeline.whole_log()
    )


def play_busy(seed: str, *, check_every: int = 1, most_commands: int = 600, probe: bool = False) -> dict[str, int]:
    """Play a crowded match between busy players with all checks. Returns the count of each event type."""
    rng = random.Random(seed)
    seats = rng.choice([2, 3, 4])
    options = check_options(GAME, random_options(rng, seats), seats)
    dice = seeded(seed)
    timeline: Timeline[State] = Timeline(GAME)
    timeline.follow(timeline.begin(options, seats, dice))
    crowded = False
    counts: dict[str, int] = {}
    for step in range(most_commands):
        state = timeline.state
        if GAME.outcome(state) is not None:
            break
        if not crowded and state.turn.phase == "retool":
            crowded = True
            timeline = crowded_on(timeline, rng)
            continue
        waiting = GAME.awaited(state)
        assert waiting, f"{seed}: nobody is awaited at step {step}"
        seat = rng.choice(waiting).seat
        if rng.random() < 0.08:
            seat = rng.choice([one for one in range(seats) if state.players[one].alive])
        offered = GAME.legal_commands(state, seat)
        if seat in {one.seat for one in waiting}:
            assert any(not form.aside for form in offered), f"{seed}: no form at step {step}"
            if rng.random() < 0.1:
                check_accepted(timeline, seat, GAME.default_command(state, seat), offered, seed)
        if not offered:
            continue
        command = dict(choose_busy(list(offered), rng))
        if check_every and step % check_every == 0:
            selfplay.check_state(GAME, timeline, f"{seed} step {step}", rng)
            secrecy.check_secrets(GAME, timeline, seat, command, offered, rng)
        if probe:
            probe_widths(timeline, seat, offered, rng, seed)
        run = timeline.command(seat, command, dice)
        timeline.follow(run)
        for event in run.events:
            counts[event.type] = counts.get(event.type, 0) + 1
    return counts


def check_accepted(timeline: Timeline[State], seat: int, command: Command, offered: Any, seed: str) -> None:
    assert forms.offered(offered, command), f"{seed}: the default {command} is not offered"
    shadow(timeline, seat, command)


def shadow(timeline: Timeline[State], seat: int, command: Command) -> None:
    """Try a command without following it."""
    timeline.command(seat, dict(command), seeded("shadow", next_draw=timeline.draws))


def refusal_of(timeline: Timeline[State], state: State, seat: int, command: Command) -> dict[str, Any] | None:
    """Return the refusal of a command in a state; None if it is accepted."""
    other = Timeline.resume(
        GAME, version=timeline.version, state=state, draws=timeline.draws, kept={}, log=lambda until: timeline.whole_log()
    )
    try:
        shadow(other, seat, command)
    except Refused as refused:
        return refused.as_json()
    return None


def wide(name: str, state: State, seat: int, rng: random.Random) -> dict[str, Any] | None:
    """Return a random command of full width. Its values come from the position, so it is often nearly legal."""
    player: Player = state.players[seat]
    places = [*player.fleets, *player.warfleets, *player.colonies, *player.stargates, *rng.sample(INNER, 2)]
    command: dict[str, Any] = {"name": name}
    schema = GAME.commands[name]
    for key, sub in schema["properties"].items():
        if key not in schema["required"] and rng.random() < 0.5:
            continue
        if key in ("space", "from", "to") and name != "offer_trade":
            command[key] = rng.choice(places)
        elif key in ("cards", "others", "pay", "builds") and rng.random() < 0.9:
            command[key] = rng.sample(player.hand, min(len(player.hand), rng.randint(0, 5)))
        elif key in ("fleets", "warfleets"):
            command[key] = rng.randint(0, 2)
        elif key in ("groups", "disband"):
            place = "from" if key == "groups" else "space"
            command[key] = [
                {place: rng.choice(places), "fleets": rng.randint(0, 2), "warfleets": rng.randint(0, 1)}
                for _ in range(rng.randint(0, 3))
            ]
        else:
            try:
                command[key] = forms.sample(sub, rng)
            except forms.Unfillable:
                return None
    return command


def probe_widths(timeline: Timeline[State], seat: int, offered: Any, rng: random.Random, seed: str) -> None:
    """Check that `decide` accepts exactly the offered commands."""
    for _ in range(6):
        name = rng.choice([form.name for form in offered] if rng.random() < 0.7 else sorted(GAME.commands))
        command = wide(name, timeline.state, seat, rng)
        if command is None:
            continue
        refusal = refusal_of(timeline, timeline.state, seat, command)
        assert (refusal is None) == forms.offered(offered, command), f"{seed}: {refusal}: {command}"
        dice = Dice(KeyedSource(rng.randbytes(32)))
        other = GAME.redeal(timeline.state, seat, dice)
        assert refusal == refusal_of(timeline, other, seat, command), f"{seed}: the refusal of {command} tells secrets"
    for form in rng.sample(list(offered), min(3, len(offered))):
        command = forms.fill(form, rng)
        shadow(timeline, seat, command)
        text = GAME.render(command)
        assert GAME.parse(text, GAME.view(timeline.state, seat)) == command, f"{seed}: {text!r} is not read as {command}"
