"""The board as a picture: the opponent above, the viewer below, mirrored along the line between the two zones."""

from __future__ import annotations

from collections.abc import Sequence

from gamesvc.games.drawing.chart import M_SIZE, PANEL, WIDTH, Chart, drawable_caption
from gamesvc.games.kernel.game import Caption, Data
from gamesvc.games.kernel.targets import FINGER, Picture
from gamesvc.games.kernel.wording import SEAT_NAMES, capital, counted, seat_name, to_act
from gamesvc.games.space_war.data import CARDS, DECKS, ROWS, Card, name_of, printed
from gamesvc.games.space_war.manifest import MANIFEST
from gamesvc.games.space_war.picture.glance import glance
from gamesvc.games.space_war.picture.targets import grouped, open_items, stacks
from gamesvc.games.space_war.text.board import item_words
from gamesvc.games.space_war.text.explain import DISCARD
from gamesvc.games.space_war.text.narrate import CHOICES, phase_name
from gamesvc.json_types import JsonMapping

ICONS = {"spaceship": "spaceship", "missile": "missile", "duration": "duration", "event": "event", "defense": "defense"}
CARD_STEP = 116
ROW_STEP = 148
PER_ROW = 5
MOST_IN_HAND_ROW = 8
BESIDE_CARD = 3
"""The open items that are listed beside the card in question. With more of them the hand would lie far below."""
HAND_GAP = 8
STATION = 94 + FINGER
"""The height of a station: the head of its rows, each a target, and their cards."""
_MARK_WORDS = {
    "Slow": "slow",
    "Fast": "fast",
    "No effect": "suppressed",
    "Delayed": "delayed",
    "Locked": "cannot_move",
    "Disarmed": "cannot_attack",
    "Protected": "protected",
}
PROMPTS = {
    "review": "React or let stand",
    "barrier": "React or let stand",
    "last_answer": "Answer or lose",
    "prepare": "Prepare",
    "choose_starter": "Choose who starts",
}


def picture(seen: Data, caption: Caption) -> Picture:
    """Draw the position as its viewer sees it. For spectators, seat a is below."""
    you = seen["you"] if seen["you"] is not None else 0
    zones = [stacks(seen, zone) for zone in (1 - you, you)]
    heights = [max(1, -(-len(piles) // PER_ROW)) * ROW_STEP + 26 for piles in zones]
    items = open_items(seen)
    hand = grouped(seen["sides"][you]["hand"] or [])
    listed = _listed(items)
    hand_rows = -(-len(hand) // MOST_IN_HAND_ROW)
    height = 88 + 2 * 70 + 2 * STATION + sum(heights) + 12 + 16 + (30 + listed if items else 44)
    held = 46 + hand_rows * ROW_STEP if hand else 0
    height += held
    chart = Chart.captioned(MANIFEST.title, caption, glance(seen, caption), height + 12)
    caption = drawable_caption(caption)
    _header(chart, seen, caption)
    y = 88.0
    chart.board(6, y + 84, WIDTH - 12, 70 + 2 * STATION + sum(heights) + 12 - 14)
    with chart.beside("opponent", y - 4, y + 72):
        _band(chart, seen, 1 - you, y, caption)
    _station(chart, seen["sides"][1 - you], y + 70)
    y += 70 + STATION
    _zone(chart, seen, items, zones[0], 1 - you, y, heights[0])
    y += heights[0] + 12
    _zone(chart, seen, items, zones[1], you, y, heights[1])
    y += heights[1]
    _station(chart, seen["sides"][you], y)
    y += STATION
    with chart.beside("you", y - 2, y + 74):
        _band(chart, seen, you, y, caption)
    chart.fold(y + 74)
    y += 70 + 16
    # What is to be answered comes before the hand; on the viewer's own way the hand comes first, near the board.
    to_answer = any(item["by"] != seen["you"] for item in items)
    if hand and not to_answer:
        _hand(chart, seen, hand, y)
        y += held
    calls = caption.calls(seen["awaited"], seen["you"])
    y = _items(chart, seen, items, y, listed, calls) if items else chart.closing(y + 8, _line(seen), calls=calls) + 12
    if hand and to_answer:
        _hand(chart, seen, hand, y)
    return chart.svg()


def _header(chart: Chart, seen: Data, caption: Caption) -> None:
    phase = capital(phase_name(seen["phase"]))
    count = len(seen["items"])
    second = f"Turn {seen['turn']} · {phase}" + (f" · {counted(count, 'open item')}" if count else "")
    mine = next((waiting for waiting in seen["awaited"] if waiting["seat"] == seen["you"]), None)
    flag = acting = ""
    if caption.past:
        acting = "Earlier position"
    elif mine is not None:
        flag = PROMPTS.get(mine["prompt"], "Your move" if mine["kind"] == "turn" else "Your choice")
    elif seen["awaited"]:
        acting = to_act(seen["awaited"], caption.names)
    elif seen["winner"] is not None:
        acting = f"{seat_name(seen['winner'], caption.names)} won"
    chart.header(MANIFEST.title, caption.match, second, flag=flag, acting=acting)


def _band(chart: Chart, seen: Data, seat: int, y: float, caption: Caption) -> None:
    side = seen["sides"][seat]
    waits = any(one["seat"] == seat for one in seen["awaited"])
    chart.seat_band(seat, y, seat_name(seat, caption.names), you=seat == seen["you"], awaited=waits)
    chart.label(232, y + 32, "Life")
    for at in range(min(side["full_life"], 4)):
        chart.icon("life", 268 + 24 * at, y + 14, 21, colour="ink" if at < side["life"] else "line")
    if side["full_life"] > 4:
        chart.text(366, y + 32, str(side["life"]), size=22, weight=700)
    x = 390.0
    counts = {"hand": side["hand_size"], "deck": side["pile"], "discard": len(side["discard"]), "action": side["actions"]}
    for icon, value in counts.items():
        chart.fact(x, y + 32, icon, value)
        if icon == "discard":
            chart.target(f"pile:{DISCARD}{seat}", x - 4, y + 1, 72, FINGER)
        x += 80
    if side["commander"]:
        end = chart.text(36, y + 59, name_of(side["commander"]), size=20, weight=600)
        charge = f" ({side['charge']} charges)" if side["charge"] else ""
        if side["commander_left"] is not None and seat == seen["active"]:
            charge += f" ({side['commander_left']} left this turn)"
        chart.label(end + 9, y + 59, printed(side["commander"]).text + charge, room=WIDTH - 30 - end)
    else:
        deck = DECKS[side["deck"]].name if side["deck"] in DECKS else "Constructed deck"
        chart.label(36, y + 59, deck + (", prepared" if side["committed"] else ""))


def _station(chart: Chart, side: JsonMapping, y: float) -> None:
    """Draw the three rows of a station side by side, the yield of each row above its slots."""
    total = max(3, len(side["station"]))
    width = min(72.0, (WIDTH - 40 - 56) / total - 4)
    x = 20.0
    for row in ROWS:
        cards = [card for card in side["station"] if card["row"] == row]
        gives = {"draw": ("Draw", 1), "action": ("Actions", side["per_action_card"] or 2), "hand": ("Hand size", 3)}[row]
        end = chart.label(x, y + 30, gives[0])
        chart.text(end + 6, y + 30, str(gives[1] * len(cards)), weight=700)
        span = max(130.0 if total < 7 else width, len(cards) * (width + 4) - 4)
        chart.line(x, y + 38, x + span, y + 38, stroke="ink", line=2)
        chart.target(f"row:{side['seat']}:{row}", x, y, span, FINGER)
        for at, card in enumerate(cards):
            _slot(chart, card, x + at * (width + 4), y + FINGER, width)
            chart.target(f"slot:{side['seat']}:{card['slot']}", x + at * (width + 4), y + FINGER, width, 82)
        x += max(span, 96) + 22


def _slot(chart: Chart, card: JsonMapping, x: float, y: float, width: float) -> None:
    if not card["flipped"]:
        chart.card_back(x, y, width=width, height=82, label=card["slot"])
        return
    chart.rect(x, y, width, 82, stroke="ink", line=2, rx=4)
    chart.rect(x, y + 56, width, 26, fill="tint", stroke="ink", line=2, rx=4)
    chart.icon("damage", x + 6, y + 60, 18)
    chart.text(x + width - 6, y + 76, card["slot"], size=19, weight=700, anchor="end")
    name = name_of(card["card"]) if "card" in card else "flipped"
    chart.paragraph(x + 5, y + 17, name, width - 8, size=17, leading=17, lines=3)


def _zone(
    chart: Chart,
    seen: Data,
    items: Sequence[JsonMapping],
    piles: Sequence[Sequence[JsonMapping]],
    zone: int,
    y: float,
    height: float,
) -> None:
    """Draw one zone with its cards. Items carry the same numbers on the board as in the list below it."""
    you = seen["you"] if seen["you"] is not None else 0
    upper = zone != you
    chart.rect(PANEL, y, WIDTH - 2 * PANEL, height, fill="tint" if upper else "buff", stroke="ink")
    chart.rule(PANEL, y if upper else y + height - 8, WIDTH - 2 * PANEL, 28)
    label = "Your home" if zone == seen["you"] else f"Home of {SEAT_NAMES[zone]}"
    edge = PANEL + 16 + PER_ROW * CARD_STEP
    chart.paragraph(edge, y + 38, label, 88, size=19, weight=600, colour="ink2", leading=24, lines=3)
    top = y + (16 if upper else 8)
    places: dict[str, tuple[float, float]] = {}
    for at, stack in enumerate(piles):
        x, row = PANEL + 10 + at % PER_ROW * CARD_STEP, top + at // PER_ROW * ROW_STEP
        _piece(chart, seen, stack, x, row, zone, you)
        for p in stack:
            places[p["id"]] = (x, row)
    for item in items:
        if item["what"] in places:
            left, above = places[item["what"]]
            chart.disc(left + 55, above + 3, item["item"])


def _piece(chart: Chart, seen: Data, stack: Sequence[JsonMapping], x: float, y: float, zone: int, you: int) -> None:
    p = stack[0]
    face = CARDS[p["card"]]
    words = [word for word, on in _MARK_WORDS.items() if on in p["marks"]]
    if p["attacks"] > 1:
        words.append(f"{p['attacks'] - p['attacks_used']}/{p['attacks']} attacks")
    if p["counters"]:
        words.append(counted(p["counters"], "counter"))
    if p["on"] is not None:
        words.append("attached")
    marks = ["paralysed"] if "paralyzed" in p["marks"] else []
    marks += ["time"] if "new" in p["marks"] else []
    with chart.piece(f"card:{p['id']}"):
        chart.card_m(
            x,
            y,
            face.name,
            icon=ICONS[face.type],
            cost=_cost(face, p["x"]),
            keyword=", ".join([*words, p["id"]]),
            attack=p["attack"],
            defence=p["defense"],
            damage=p["damage"],
            owner=p["owner"],
            band="bottom" if p["owner"] == you else "top",
            marks=marks,
            count=len(stack),
        )
    chart.target(f"card:{p['id']}", x, y, *M_SIZE)


def _cost(face: Card, x: int | None) -> str | int:
    if face.cost is not None:
        return face.cost
    return "X" if x is None else x


def _listed(items: Sequence[JsonMapping]) -> int:
    """Return the height of the open items: one below the other beside the card in question, many of them in two columns."""
    if not items:
        return 0
    return max(214, 62 * len(items) + 70) if len(items) <= BESIDE_CARD else 62 * -(-len(items) // 2) + 46


def _items(chart: Chart, seen: Data, items: Sequence[JsonMapping], y: float, listed: float, calls: bool) -> float:
    """Draw the open items. A few leave room on their right for the card in question."""
    chart.label(20, y + 16, "Open items" if seen["you"] is not None else "Items")
    few = len(items) <= BESIDE_CARD
    for at, item in enumerate(items):
        row, column = (at, 0) if few else divmod(at, 2)
        _item(chart, seen, item, 20 + column * 350, y + 30 + row * 62)
    rows = len(items) if few else -(-len(items) // 2)
    chart.closing(y + 40 + 62 * rows, _line(seen), calls=calls, room=310 if few else 662)
    shown = next((item["card"] for item in reversed(items) if item["kind"] != "phase"), None)
    if few and shown is not None:
        face = printed(shown)
        kind = face.type.capitalize()
        cost = None if face.type == "commander" else _cost(face, None)
        icon = ICONS.get(face.type, "commander")
        chart.card_l(370, y + 30, face.name, face.text, icon=icon, cost=cost, kind=kind, attack=face.attack, defence=face.defense)
    return y + 30 + listed + 8


def _item(chart: Chart, seen: Data, item: JsonMapping, x: float, y: float) -> None:
    words = item_words(item).split(" ", 1)[1]
    cost = f"cost {item['cost']}" if "cost" in item else item["kind"]
    by = SEAT_NAMES[item["by"]] if item["by"] != seen["you"] else "you"
    chart.rect(x, y, 330, 54, stroke="ink")
    chart.target(f"item:{item['item']}", x, y, 330, 54)
    chart.disc(x + 24, y + 27, item["item"])
    chart.text(x + 48, y + 23, capital(words), size=20, weight=700, room=274)
    chart.text(x + 48, y + 45, f"{by}, {cost}", size=18, colour="ink2", room=274)


def _line(seen: Data) -> str:
    """Return a sentence that says what the viewer can do now."""
    mine = next((one for one in seen["awaited"] if one["seat"] == seen["you"]), None)
    if seen["winner"] is not None:
        return "The match is over."
    if mine is None:
        return "You may react to open items at any time." if seen["items"] and seen["you"] is not None else "Nothing to do now."
    if mine["prompt"] in ("review", "barrier", "last_answer"):
        return "React to one item, or let all stand."
    prompts = {
        "action": "Play cards, add a station card, then end the phase.",
        "attack": "Move, attack, use abilities, then end the turn.",
        "upkeep": "Choose which durations to keep.",
        "discard": "Discard down to your hand limit.",
        "between": "Go on.",
        "choose_starter": "Choose who starts.",
        "prepare": "Choose a card for each row of your station, and a commander.",
        "draw": "Go on, or make the choice.",
    }
    choice = CHOICES.get(mine["prompt"])
    return prompts.get(mine["prompt"]) or (f"Choose {choice}." if choice else "It is your turn.")


def _hand(chart: Chart, seen: Data, hand: Sequence[tuple[str, int, str]], y: float) -> None:
    chart.label(20, y + 20, "Your hand")
    against = any(item["by"] != seen["you"] for item in seen["items"])
    rows = -(-len(hand) // MOST_IN_HAND_ROW)
    per_row = max(PER_ROW, -(-len(hand) // rows))
    step = (WIDTH - 40 + HAND_GAP) / per_row
    for at, (card, count, instance) in enumerate(hand):
        face = CARDS[card]
        response = bool(face.triggered("response"))
        words = ["Response"] if response else [word.capitalize() for word in ("slow", "fast") if word in face.keywords]
        x, top = 20 + at % per_row * step, y + 34 + at // per_row * ROW_STEP
        chart.card_m(
            x,
            top,
            face.name,
            icon=ICONS[face.type],
            cost=_cost(face, None),
            keyword=", ".join(words),
            attack=face.attack,
            defence=face.defense,
            count=count,
            width=step - HAND_GAP,
            selectable=response and against,
        )
        chart.target(f"hand:{instance}", x, top, step - HAND_GAP, M_SIZE[1])
