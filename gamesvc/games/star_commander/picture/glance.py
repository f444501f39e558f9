"""The position in a few words: for the head of a page, and in place of the picture where it cannot be seen."""

from __future__ import annotations

from gamesvc.games.kernel.game import Caption, Data
from gamesvc.games.kernel.telling import Glance, headline
from gamesvc.games.kernel.wording import counted, seat_name
from gamesvc.games.star_commander.text.naming import PHASES, REASONS, card_name
from gamesvc.games.star_commander.text.task import task
from gamesvc.language import say


def glance(view: Data, caption: Caption) -> Glance:
    """Return turn, phase and acting seats; what each seat holds, and the stack."""
    holdings = [
        say(
            "{name} holds {systems} with {developments}",
            name=seat_name(seat, caption.names),
            systems=counted(one["systems"], "system"),
            developments=counted(one["devs"], "development"),
        )
        for seat, one in enumerate(view["seats"])
    ]
    stack = ", ".join(card_name(item["card"] or item["name"]) for item in reversed(view["stack"]))
    return Glance(
        headline=headline(now(view, caption), view["awaited"], caption),
        description="; ".join(holdings) + "." + (" " + say("Stack, top first: {cards}.", cards=stack) if stack else ""),
        turn=view["turn"],
        task=task(view),
    )


def now(view: Data, caption: Caption) -> str:
    """Return turn, active seat and phase, or how the match ended."""
    if view["result"]:
        return say("Over: {reason}", reason=say(REASONS[view["result"]["reason"]]))
    limit = view["turn_limit"]
    turn = say("Turn {turn} of {limit}", turn=view["turn"], limit=limit) if limit else say("Turn {turn}", turn=view["turn"])
    parts = [turn, seat_name(view["active"], caption.names), say(PHASES[view["phase"]])]
    if view["prompt"]["kind"] == "window":
        parts.append(say("responses"))
    return " · ".join(parts)
