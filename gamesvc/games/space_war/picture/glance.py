"""The position in a few words: for the head of a page, and in place of the picture where it cannot be seen."""

from __future__ import annotations

from gamesvc.games.kernel.game import Caption, Data
from gamesvc.games.kernel.telling import Glance, headline
from gamesvc.games.kernel.wording import seat_name
from gamesvc.games.space_war.data import name_of
from gamesvc.games.space_war.text.board import item_words
from gamesvc.games.space_war.text.narrate import phase_name
from gamesvc.games.space_war.text.task import task
from gamesvc.language import say


def glance(seen: Data, caption: Caption) -> Glance:
    """Return turn, phase and acting seats; commander and life of each side, and the items."""
    if seen["phase"] == "over":
        now = say("Over after turn {turn}", turn=seen["turn"])
    else:
        now = say("Turn {turn}, {phase}", turn=seen["turn"], phase=phase_name(seen["phase"]))
    return Glance(headline(now, seen["awaited"], caption), _described(seen, caption), seen["turn"], task(seen))


def _described(seen: Data, caption: Caption) -> str:
    parts = [
        say(
            "{name}, {commander}, life {life} of {full_life}.",
            name=seat_name(side["seat"], caption.names),
            commander=name_of(side["commander"]) if side["commander"] else say("no commander"),
            life=side["life"],
            full_life=side["full_life"],
        )
        for side in seen["sides"]
    ]
    if seen["items"]:
        parts.append(say("Items: {items}.", items="; ".join(item_words(item) for item in seen["items"])))
    return " ".join(parts)
