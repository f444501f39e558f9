"""The position as plain text: at most 72 columns, complete without the picture."""

from __future__ import annotations

import re
import textwrap

from gamesvc.games.kernel.game import Caption, Data
from gamesvc.games.kernel.wording import counted, listed
from gamesvc.games.space_war.data import CARDS, DECKS, ROWS, name_of
from gamesvc.games.space_war.state import LETTERS
from gamesvc.games.space_war.text.lasting import lasting_words
from gamesvc.games.space_war.text.narrate import Teller, phase_name
from gamesvc.games.space_war.text.task import choice_words, task
from gamesvc.json_types import JsonMapping
from gamesvc.language import mark, say

_OVER = {
    "draw": mark("{item} draw phase over"),
    "action": mark("{item} action phase over"),
    "turn": mark("{item} turn over"),
}
"""Items that open at the end of a phase or turn, by their `card`."""
_PLAIN = {
    "play": mark("{item} {card} played"),
    "ability": mark("{item} {card} uses its ability"),
    "commander": mark("{item} {card} commander used"),
    "anytime": mark("{item} {card} given up for its effect"),
}
_AIMED = {
    "play": mark("{item} {card} played on {aims}"),
    "attack": mark("{item} {card} attacks {aims}"),
    "collide": mark("{item} {card} collides with {aims}"),
    "ability": mark("{item} {card} uses its ability on {aims}"),
    "commander": mark("{item} {card} commander used on {aims}"),
    "anytime": mark("{item} {card} given up for its effect on {aims}"),
}
_AT_STATION = {
    "attack": mark("{item} {card} attacks the station"),
    "collide": mark("{item} {card} collides with the station"),
}
_TYPES = (mark("spaceship"), mark("missile"), mark("duration"), mark("event"), mark("defense"), mark("commander"))
_QUALITIES = {"fast": mark("fast"), "slow": mark("slow"), "new": mark("new")}
"""The marks of a card in play that are no lasting effects, and that a player must know of."""


def board_text(seen: Data, caption: Caption) -> str:
    """Return the position in lines of at most 72 characters, the viewer's side below."""
    you = seen["you"] if seen["you"] is not None else 0
    teller = Teller(seen["you"], caption.names)
    match = f"The Space War {caption.match}".rstrip()
    lines = [say("{match}, turn {turn}, {phase}", match=match, turn=seen["turn"], phase=phase_name(seen["phase"]))]
    lines += filter(None, [task(seen), _others(seen, teller)])
    for seat in (1 - you, you):
        lines += ["", *_side_lines(seen, seat, teller)]
    lines += ["", say("Station cards by row, ! flipped. Cards in play with attack/defense.")]
    if seen["items"]:
        lines += ["", say("Open items:") if seen["you"] is not None else say("Items:")]
        lines += [f"  {item_words(item)}" for item in seen["items"]]
    for prompt in seen["prompts"]:
        if "options" in prompt:
            count = _from_to(prompt["least"], prompt["most"])
            lines += ["", say("Choose {choice}, {count} of:", choice=choice_words(prompt), count=count)]
            lines += [f"  {words}" for words in _option_words(prompt)]
    hand = seen["sides"][you]["hand"]
    if hand is not None:
        lines += ["", say("Your hand:")]
        lines += [f"  {one['id']} {card_line(one['card'])}" for one in hand] or [f"  {say('empty')}"]
    wrapped = [part for line in lines for part in (textwrap.wrap(line, 72, subsequent_indent="      ") or [""])]
    return "\n".join(wrapped)


def _others(seen: Data, teller: Teller) -> str:
    """Return which other players must act; empty if none."""
    others = [teller.name(one["seat"]) for one in seen["awaited"] if one["seat"] != seen["you"]]
    return say("Waiting for {seats}.", seats=listed(others)) if others else ""


def _from_to(least: int, most: int) -> str:
    if least == most:
        return str(least)
    return say("{least} to {most}", least=least, most=most) if least else say("up to {most}", most=most)


def _option_words(prompt: JsonMapping) -> list[str]:
    """Return the options of the viewer's prompt in words. The labels in the view are English."""
    return [_option(label) for label in prompt["labels"]]


def _option(label: str) -> str:
    if slot := re.fullmatch(r"(s\d+) \((\w+) row(?:, (.+))?\)", label):
        if slot[3]:
            return say("{slot} ({row} row, {card})", slot=slot[1], row=slot[2], card=slot[3])
        return say("{slot} ({row} row)", slot=slot[1], row=slot[2])
    return say(label)


def lasting_lines(seen: Data, p: JsonMapping) -> list[str]:
    """Describe the lasting effects on a card in play and when they end."""
    names = {other["id"]: name_of(other["card"]) for other in seen["pieces"]}
    return list(dict.fromkeys(lasting_words(entry, names.get(entry.get("by", ""), "")) for entry in p["lasting"]))


def limit_lines(side: JsonMapping) -> list[str]:
    """Describe what a seat may still do this turn under the rules that limit it."""
    lines = []
    if side["commander_left"] is not None:
        times = counted(side["commander_left"], "more time")
        lines.append(say("{card} may be used {times} this turn", card=name_of(side["commander"]), times=times))
    if side["plays_left"] is not None:
        played, left = counted(side["plays"], "card"), side["plays_left"]
        lines.append(say("Destiny Decided: {cards} played this turn, {left} left to play", cards=played, left=left))
    return lines


def card_line(card: str) -> str:
    """Describe a card in one line: name, type, cost, attack and defense."""
    return f"{CARDS[card].name} ({card_facts(card)})"


def card_facts(card: str) -> str:
    face = CARDS[card]
    cost = say("cost {cost}", cost="X" if face.cost is None else face.cost)
    figures = f" {face.attack if face.attack is not None else '-'}/{face.defense}" if face.defense is not None else ""
    return f"{say(face.type)}, {cost}{figures}"


def item_words(item: JsonMapping) -> str:
    """Describe an item briefly, with its number."""
    number, card, kind = item["item"], item["card"], item["kind"]
    if kind == "phase":
        return say(_OVER[card], item=number)
    aims = ", ".join([name_of(one) for one in item.get("aims", ())] or item.get("targets", ()))
    if kind in _AT_STATION and (item.get("station") or not aims):
        act = say(_AT_STATION[kind], item=number, card=name_of(card))
    elif aims:
        act = say(_AIMED[kind], item=number, card=name_of(card), aims=aims)
    else:
        act = say(_PLAIN[kind], item=number, card=name_of(card))
    return say("{act} for {power}", act=act, power=item["power"]) if "power" in item else act


def _side_lines(seen: Data, seat: int, teller: Teller) -> list[str]:
    side = seen["sides"][seat]
    deck = DECKS[side["deck"]].name if side["deck"] in DECKS else say("constructed deck")
    commander = name_of(side["commander"]) if side["commander"] else say("no commander yet")
    figures = say(
        "life {life}/{full_life}, actions {actions}, hand {hand}, draw pile {pile}, discard {discard}",
        life=side["life"],
        full_life=side["full_life"],
        actions=side["actions"],
        hand=side["hand_size"],
        pile=side["pile"],
        discard=len(side["discard"]),
    )
    charge = say(", charge {charge}", charge=side["charge"]) if side["charge"] else ""
    return [
        f"{teller.head(seat)} ({LETTERS[seat]}), {deck}, {commander}",
        f"  {figures}{charge}",
        *(f"  {limit}" for limit in (limit_lines(side) if seat == seen["active"] else ())),
        *(_row_line(side, row) for row in ROWS),
        *(_piece_line(seen, p, teller) for p in seen["pieces"] if p["controller"] == seat),
    ]


def _row_line(side: JsonMapping, row: str) -> str:
    shown = [
        f"{card['slot']}{'!' if card['flipped'] else ''}{' ' + name_of(card['card']) if 'card' in card else ''}"
        for card in side["station"]
        if card["row"] == row
    ]
    return f"  {row:6} {', '.join(shown) or '-'}"


def _piece_line(seen: Data, p: JsonMapping, teller: Teller) -> str:
    figures = "" if p["defense"] is None else f" {'-' if p['attack'] is None else p['attack']}/{p['defense']}"
    extra = [say("damage {damage}", damage=p["damage"])] if p["damage"] else []
    extra += [say("counters {counters}", counters=p["counters"])] if p["counters"] else []
    if p["attacks"] > 1:
        extra.append(say("{left} of {attacks} attacks left", left=p["attacks"] - p["attacks_used"], attacks=p["attacks"]))
    extra += [say(_QUALITIES[quality]) for quality in p["marks"] if quality in _QUALITIES]
    extra += lasting_lines(seen, p)
    line = teller.says("{card}, in {whose} zone", whom=p["zone"], card=f"{p['id']} {name_of(p['card'])}{figures}")
    return f"  {line}" + (f" ({', '.join(extra)})" if extra else "")
