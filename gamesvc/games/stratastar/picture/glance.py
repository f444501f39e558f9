"""The position in a few words: for the head of a page, and in place of the picture where it cannot be seen."""

from __future__ import annotations

from gamesvc.games.kernel.game import Caption, Data
from gamesvc.games.kernel.telling import Glance, headline
from gamesvc.games.kernel.wording import Speaker, counted, listed, seat_name
from gamesvc.games.stratastar.data import WORLDS_TO_WIN
from gamesvc.games.stratastar.text.board import awaiting
from gamesvc.games.stratastar.text.narrate import PHASES
from gamesvc.games.stratastar.text.task import task
from gamesvc.language import say


def glance(seen: Data, caption: Caption) -> Glance:
    """Return turn, phase and acting seats, and the worlds of each player."""
    if seen["ended"]:
        now = say("Over after turn {turn}", turn=seen["turn"])
    else:
        now = f"{_turn(seen)}, {say(PHASES[seen['phase']])}"
    alive = [one for one in seen["players"] if one["alive"]]
    standing = listed(
        say("{name} has {worlds}", name=seat_name(one["seat"], caption.names), worlds=counted(one["worlds"], "world"))
        for one in alive
    )
    asked = awaiting(seen, Speaker(seen["viewer"], caption.names))
    description = say("{standing}; {goal} win. {asked}", standing=standing, goal=WORLDS_TO_WIN, asked=asked)
    return Glance(headline(now, seen["awaited"], caption), description, seen["turn"], task(seen))


def _turn(seen: Data) -> str:
    """Return the number of the turn; where the rounds are limited, how far the end is as well."""
    rounds = seen["options"]["max_rounds"]
    if not rounds or not seen["round"]:
        return say("Turn {turn}", turn=seen["turn"])
    return say("Turn {turn}, round {round} of {rounds}", turn=seen["turn"], round=seen["round"], rounds=rounds)
