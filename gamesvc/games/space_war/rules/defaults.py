"""The default commands for timeouts (RULES.md 15)."""

from __future__ import annotations

from gamesvc.games.space_war.data import CARDS, COMMANDERS, FLIPS_FIRST
from gamesvc.games.space_war.rules.decision import barred, blockers, by_rows
from gamesvc.games.space_war.rules.facts import Board
from gamesvc.games.space_war.rules.playing.prompts import live_options, prompt_range
from gamesvc.games.space_war.state import Prompt, State
from gamesvc.games.space_war.text.render import render
from gamesvc.json_types import JsonObject


def _dearest(state: State, cards: tuple[str, ...]) -> list[str]:
    return sorted(cards, key=lambda instance: (-(CARDS[state.cards[instance]].cost or 0), instance))


def default_command(state: State, seat: int) -> JsonObject:
    """Return the timeout of an awaited seat. It names the ordinary command it stands for."""
    return {"name": "time_out", "does": render(ordinary(state, seat))}


def ordinary(state: State, seat: int) -> JsonObject:
    """Return the ordinary command that is carried out on a timeout."""
    side = state.sides[seat]
    if state.phase == "choose_starter":
        return {"name": "choose_starter", "seat": seat}
    if state.phase == "prepare":
        first, second, third, fourth = _dearest(state, side.hand)[:4]
        command = {"name": "prepare", "commander": min(side.pool, key=lambda one: COMMANDERS[one].number)}
        if seat == state.active:
            return {**command, "cards": [second, first, third]}
        return {**command, "cards": [second, first, third, fourth], "extra_row": "action"}
    own = [prompt for prompt in blockers(state) if prompt.seat == seat] or [p for p in state.prompts if p.seat == seat]
    if own:
        return _answer(state, own[0])
    if state.phase == "review" or barred(state, state.agenda) == seat:
        return {"name": "let_stand"}
    if state.phase == "upkeep":
        board, left, keep = Board(state), side.actions, []
        for p in board.upkeep_due(seat):
            if board.cost(p) <= left:
                left -= board.cost(p)
                keep.append(p.id)
        return {"name": "pay_upkeep", "keep": keep}
    if state.phase == "action":
        return {"name": "end_phase"}
    if state.phase == "discard":
        over = len(side.hand) - (Board(state).hand_limit(seat) or 0)
        return {"name": "discard", "cards": _dearest(state, side.hand)[:over]}
    if state.phase == "attack":
        return {"name": "end_turn"}
    return {"name": "go_on"}


def _answer(state: State, prompt: Prompt) -> JsonObject:
    if prompt.kind == "draw":
        return {"name": "draw", "mill": False}
    options = live_options(state, prompt)
    least, _ = prompt_range(state, prompt)
    if prompt.kind == "flips":
        rows = {card.slot: card.row for card in state.sides[prompt.task["seat"]].station}
        options = by_rows(options, rows, FLIPS_FIRST)
    return {"name": "choose", "prompt": prompt.id, "picks": options[:least]}
