"""The position in a few words: for the head of a page, and in place of the picture where it cannot be seen."""

from __future__ import annotations

from collections.abc import Sequence

from gamesvc.games.kernel.game import Caption, Data
from gamesvc.games.kernel.telling import Glance
from gamesvc.games.kernel.wording import counted, seat_name, to_act
from gamesvc.games.star_commander.text.narrate import PHASES, REASONS, card_name


def glance(view: Data, caption: Caption) -> Glance:
    """Return turn, phase and acting seats; what each seat holds, and the stack."""
    told, awaited = f"{now(view, caption.names)}.", acting(view, caption.names)
    holdings = [
        f"{seat_name(seat, caption.names)} holds {counted(one['systems'], 'system')} with {counted(one['devs'], 'development')}"
        for seat, one in enumerate(view["seats"])
    ]
    stack = ", ".join(card_name(item["card"] or item["name"]) for item in reversed(view["stack"]))
    return Glance(
        headline=f"{told} {awaited}." if awaited else told,
        description="; ".join(holdings) + "." + (f" Stack, top first: {stack}." if stack else ""),
        turn=view["turn"],
    )


def acting(view: Data, names: Sequence[str]) -> str:
    """Return the seats that are awaited, in words; empty if there are none."""
    return to_act((one["seat"] for one in view["awaited"]), names)


def now(view: Data, names: Sequence[str]) -> str:
    """Return turn, active seat and phase, or how the match ended."""
    if view["result"]:
        return f"Over: {REASONS[view['result']['reason']]}"
    parts = [f"Turn {view['turn']}", seat_name(view["active"], names), PHASES[view["phase"]]]
    if view["prompt"]["kind"] == "window":
        parts.append("responses")
    return " · ".join(parts)
