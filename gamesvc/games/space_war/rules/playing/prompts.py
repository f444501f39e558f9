"""Open choices: the remaining options of each, the number of picks, and descriptions."""

from __future__ import annotations

from gamesvc.games.space_war.data import name_of
from gamesvc.games.space_war.state import Prompt, State
from gamesvc.language import mark


def live_options(state: State, prompt: Prompt) -> list[str]:
    """Return the options of a prompt that still exist.

    Since it was opened, slots may have been flipped and cards may have left.
    """
    if prompt.kind == "flips":
        down = {card.slot for card in state.sides[prompt.task["seat"]].station if not card.flipped}
        return [slot for slot in prompt.options if slot in down]
    if prompt.kind == "deja_vu":
        return [card for card in prompt.options if card in state.sides[1 - prompt.seat].discard]
    if prompt.kind == "discard" and not prompt.blocking:
        return list(state.sides[prompt.seat].hand)
    return list(prompt.options)


def prompt_range(state: State, prompt: Prompt) -> tuple[int, int]:
    live = len(live_options(state, prompt))
    return min(prompt.least, live), min(prompt.most, live)


def option_label(state: State, prompt: Prompt, option: str) -> str:
    """Describe an option. A flip names the card only to an owner who may look first."""
    if option in state.cards:
        p = state.piece(option)
        return f"{name_of(p.card if p is not None else state.cards[option])} {option}"
    seat = prompt.task.get("seat", prompt.seat) if prompt.kind == "flips" else prompt.seat
    for card in state.sides[seat].station:
        if card.slot == option:
            seen = f", {name_of(state.cards[card.id])}" if seat == prompt.seat else ""
            return f"{option} ({card.row} row{seen})"
    return {"draw": mark("draw a card, then discard one")}.get(option, option)
