"""The position in a few words: for the head of a page, and in place of the picture where it cannot be seen."""

from __future__ import annotations

from gamesvc.games.kernel.game import Caption, Data
from gamesvc.games.kernel.telling import Glance, headline
from gamesvc.games.kernel.wording import counted, seat_name
from gamesvc.games.star_commander.text.narrate import PHASES, REASONS, card_name


def glance(view: Data, caption: Caption) -> Glance:
    """Return turn, phase and acting seats; what each seat holds, and the stack."""
    holdings = [
        f"{seat_name(seat, caption.names)} holds {counted(one['systems'], 'system')} with {counted(one['devs'], 'development')}"
        for seat, one in enumerate(view["seats"])
    ]
    stack = ", ".join(card_name(item["card"] or item["name"]) for item in reversed(view["stack"]))
    return Glance(
        headline=headline(now(view, caption), view["awaited"], caption),
        description="; ".join(holdings) + "." + (f" Stack, top first: {stack}." if stack else ""),
        turn=view["turn"],
    )


def now(view: Data, caption: Caption) -> str:
    """Return turn, active seat and phase, or how the match ended."""
    if view["result"]:
        return f"Over: {REASONS[view['result']['reason']]}"
    parts = [f"Turn {view['turn']}", seat_name(view["active"], caption.names), PHASES[view["phase"]]]
    if view["prompt"]["kind"] == "window":
        parts.append("responses")
    return " · ".join(parts)
