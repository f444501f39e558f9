"""The course of a match, and what players choose, in sentences."""

from __future__ import annotations

from collections.abc import Mapping

from gamesvc.games.kernel.game import Data
from gamesvc.games.kernel.wording import opening
from gamesvc.games.star_commander.commands import ASKED
from gamesvc.games.star_commander.text.naming import PHASES, REASONS, WINDOW_WORDS, Tell, Teller, card_name, place
from gamesvc.language import say


def _set_up(t: Teller, d: Data) -> str:
    return t.says(
        "The match begins: {edition} edition, {grid} x {grid} systems. The first turn is {whose}.",
        to_you="The match begins: {edition} edition, {grid} x {grid} systems. The first turn is yours.",
        whom=d["first"],
        edition=d["edition"],
        grid=d["grid"],
    )


def _turn(t: Teller, d: Data) -> str:
    if d["extra"]:
        return t.says("Turn {turn} begins: {whose} extra turn.", whom=d["seat"], turn=d["turn"])
    return t.says("Turn {turn} begins: {whose} turn.", whom=d["seat"], turn=d["turn"])


def _phase(t: Teller, d: Data) -> str:
    if d["window"] is not None:
        return say("Responses to {what} are possible.", what=say(WINDOW_WORDS[d["window"]]))
    return f"{say(PHASES[d['phase']])}."


def _asked(t: Teller, d: Data) -> str:
    task = say(ASKED[d["prompt"]])
    asked = t.says("{who} is {task}.", you="{who} are {task}.", who=d["seat"], task=task)
    if "card" not in d:
        return asked
    return f"{asked} {say('The top card of {domain} is {card}.', domain=d['domain'], card=card_name(d['card']))}"


def _chosen(t: Teller, d: Data) -> str:
    value = d.get("value")
    text = say("a card") if value is None or d["what"] in ("take_card", "discard") else place(value)
    return t.says("{who} chose {what}.", who=d["seat"], what=text)


def _eliminated(t: Teller, d: Data) -> str:
    if d["cause"] == "resigned":
        return t.says("{who} resigned.", who=d["seat"])
    return t.says("{who} lost {their} Homeworld and is out.", you="{who} lost {their} Homeworld and are out.", who=d["seat"])


def _ended(t: Teller, d: Data) -> str:
    first, reason = d["ranking"][0], say(REASONS[d["reason"]])
    winners = opening(t.all(first))
    if len(first) > 1 or first[0] == t.viewer:
        return say("The match is over: {reason}. {winners} win.", reason=reason, winners=winners)
    return say("The match is over: {reason}. {winners} wins.", reason=reason, winners=winners)


TELL: Mapping[str, Tell] = {
    "game_set_up": _set_up,
    "turn_started": _turn,
    "phase_entered": _phase,
    "turn_ended": lambda t, d: say("Turn {turn} ends.", turn=d["turn"]),
    "choice_requested": _asked,
    "choice_made": _chosen,
    "extra_turn_queued": lambda t, d: t.says("{who} will take an extra turn.", who=d["seat"]),
    "standing_orders_set": lambda t, d: t.says("{who} changed {their} standing orders.", who=d["seat"]),
    "player_eliminated": _eliminated,
    "game_ended": _ended,
}
