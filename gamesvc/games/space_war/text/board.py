"""The position as plain text: at most 72 columns, complete without the picture."""

from __future__ import annotations

import textwrap

from gamesvc.games.kernel.game import Caption, Data
from gamesvc.games.kernel.wording import counted
from gamesvc.games.space_war.data import CARDS, DECKS, ROWS, name_of
from gamesvc.games.space_war.state import LETTERS
from gamesvc.games.space_war.text.lasting import MARKS, lasting_words
from gamesvc.games.space_war.text.narrate import ENDED_WORDS, Teller, phase_name
from gamesvc.json_types import JsonMapping

KIND_WORDS = {
    "play": "played",
    "attack": "attacks",
    "collide": "collides with",
    "ability": "uses its ability",
    "commander": "commander used",
    "anytime": "given up for its effect",
}


def board_text(seen: Data, caption: Caption) -> str:
    """Return the position in lines of at most 72 characters, the viewer's side below."""
    you = seen["you"] if seen["you"] is not None else 0
    teller = Teller(seen["you"], caption.names)
    lines = [f"The Space War {caption.match}".rstrip() + f", turn {seen['turn']}, {phase_name(seen['phase'])}"]
    waiting = ", ".join(f"{teller.who(one['seat'])} ({one['prompt']})" for one in seen["awaited"])
    lines.append(f"Awaited: {waiting or 'nobody'}")
    for seat in (1 - you, you):
        lines += ["", *_side_lines(seen, seat, teller)]
    if seen["items"]:
        lines += ["", "Open items:" if seen["you"] is not None else "Items:"]
        lines += [f"  {item_words(item)}" for item in seen["items"]]
    for prompt in seen["prompts"]:
        if "options" in prompt:
            lines += ["", f"Choice {prompt['prompt']} ({prompt['kind']}), {prompt['least']} to {prompt['most']}:"]
            lines += [f"  {label}" for label in prompt["labels"]]
    hand = seen["sides"][you]["hand"]
    if hand is not None:
        lines += ["", "Your hand:"]
        lines += [f"  {one['id']} {card_line(one['card'])}" for one in hand] or ["  empty"]
    wrapped = [part for line in lines for part in (textwrap.wrap(line, 72, subsequent_indent="      ") or [""])]
    return "\n".join(wrapped)


def lasting_lines(seen: Data, p: JsonMapping) -> list[str]:
    """Describe the lasting effects on a card in play and when they end."""
    names = {other["id"]: name_of(other["card"]) for other in seen["pieces"]}
    return list(dict.fromkeys(lasting_words(entry, names.get(entry.get("by", ""), "")) for entry in p["lasting"]))


def limit_lines(side: JsonMapping) -> list[str]:
    """Describe what a seat may still do this turn under the rules that limit it."""
    lines = []
    if side["commander_left"] is not None:
        lines.append(f"{name_of(side['commander'])} may be used {counted(side['commander_left'], 'more time')} this turn")
    if side["plays_left"] is not None:
        lines.append(f"Destiny Decided: {counted(side['plays'], 'card')} played this turn, {side['plays_left']} left to play")
    return lines


def card_line(card: str) -> str:
    """Describe a card in one line: name, type, cost, attack and defense."""
    return f"{CARDS[card].name} ({card_facts(card)})"


def card_facts(card: str) -> str:
    face = CARDS[card]
    cost = "X" if face.cost is None else face.cost
    figures = f" {face.attack if face.attack is not None else '-'}/{face.defense}" if face.defense is not None else ""
    return f"{face.type}, cost {cost}{figures}"


def item_words(item: JsonMapping) -> str:
    """Describe an item briefly, with its number."""
    if item["kind"] == "phase":
        return f"{item['item']} {ENDED_WORDS[item['card']]} over"
    aim = " the station" if item.get("station") and item["kind"] != "play" else ""
    power = f" for {item['power']}" if "power" in item else ""
    aims = [name_of(card) for card in item.get("aims", ())] or item.get("targets", ())
    targets = (" " if item["kind"] in ("attack", "collide") else " on ") + ", ".join(aims) if aims and not aim else ""
    return f"{item['item']} {name_of(item['card'])} {KIND_WORDS[item['kind']]}{aim}{targets}{power}"


def _side_lines(seen: Data, seat: int, teller: Teller) -> list[str]:
    side = seen["sides"][seat]
    deck = DECKS[side["deck"]].name if side["deck"] in DECKS else "constructed deck"
    commander = name_of(side["commander"]) if side["commander"] else "no commander yet"
    lines = [
        f"{teller.who(seat)} ({LETTERS[seat]}), {deck}, {commander}",
        f"  life {side['life']}/{side['full_life']}, actions {side['actions']}, hand {side['hand_size']}, "
        f"draw pile {side['pile']}, discard {len(side['discard'])}" + (f", charge {side['charge']}" if side["charge"] else ""),
        *(f"  {limit}" for limit in (limit_lines(side) if seat == seen["active"] else ())),
    ]
    for row in ROWS:
        cards = [card for card in side["station"] if card["row"] == row]
        shown = [
            f"{card['slot']}{'!' if card['flipped'] else ''}{' ' + name_of(card['card']) if 'card' in card else ''}"
            for card in cards
        ]
        lines.append(f"  {row:6} {', '.join(shown) or '-'}")
    pieces = [p for p in seen["pieces"] if p["controller"] == seat]
    for p in pieces:
        place = "home" if p["zone"] == seat else "enemy zone"
        attack, defense = ("-" if value is None else value for value in (p["attack"], p["defense"]))
        extra = [f"{key} {p[key]}" for key in ("damage", "counters") if p[key]]
        extra += [f"{p['attacks'] - p['attacks_used']} of {p['attacks']} attacks left"] * (p["attacks"] > 1)
        extra += [mark for mark in p["marks"] if mark not in ("moved", "acted", *MARKS)]
        extra += lasting_lines(seen, p)
        figures = f"{attack}/{defense}"
        lines.append(f"  {p['id']} {name_of(p['card'])} {figures}, {place}" + (f" ({', '.join(extra)})" if extra else ""))
    return lines
