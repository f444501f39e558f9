"""The board as a picture, drawn from a view alone: header, map, seats, table, hand, pending decision."""

from __future__ import annotations

from collections.abc import Iterable

from gamesvc.games.drawing.chart import SEAT_ROW, WIDTH, Chart, drawable_caption, wrap
from gamesvc.games.kernel.game import Caption, Data
from gamesvc.games.kernel.targets import Picture
from gamesvc.games.kernel.wording import Speaker, capital, listed, opening, seat_name, to_act
from gamesvc.games.stratastar.data import ABILITY_NAMES, CARD_NAMES, WORLDS_TO_WIN
from gamesvc.games.stratastar.manifest import MANIFEST
from gamesvc.games.stratastar.picture import map
from gamesvc.games.stratastar.picture.glance import glance
from gamesvc.games.stratastar.picture.targets import MOST_OFFERS
from gamesvc.games.stratastar.text.board import awaiting
from gamesvc.games.stratastar.text.explain import DISCARD
from gamesvc.games.stratastar.text.narrate import PHASES, aim, cards, forces, offer, treaty
from gamesvc.json_types import JsonMapping

_FLAGS = {
    "window": "Your answer",
    "trade_reply": "Your answer",
    "battle_call": "Your answer",
    "commit": "Commit cards",
    "homeworld": "Your choice",
    "ability_draft": "Your choice",
    "pick_ability": "Your choice",
}
_CARD_WIDTH, _CARD_STEP, _HAND_LEFT = 74, 82, 222
_LINE = 25
_HAND_ROOM = WIDTH - 14 - _HAND_LEFT
Note = tuple[str, str]
"""The target of a note, empty if it has none, and its text."""


def picture(seen: Data, caption: Caption) -> Picture:
    """Draw the position as SVG, 720 units wide."""
    told, caption = glance(seen, caption), drawable_caption(caption)
    t = Speaker(seen["viewer"], caption.names)
    notes = list(_notes(seen, t))
    closing = _closing(seen, t)
    chart = Chart.captioned(MANIFEST.title, caption, told, _height(seen, notes, closing))
    _header(chart, seen, caption)
    map.draw(chart, seen)
    chart.fold(772)
    y = _seats(chart, seen, caption, 776)
    for of, note in notes:
        height = _note_height(of, note)
        chart.paragraph(20, y + 20 + (height - _LINE * _lines(note)) / 2, note, 680, size=19, leading=_LINE, lines=3)
        if of:
            chart.target(of, 20, y, 680, height)
        y += height
    y = _table(chart, seen, y + 18)
    chart.closing(y + 14, closing, calls=caption.calls(seen["awaited"], seen["viewer"]))
    return chart.svg()


def _height(seen: Data, notes: list[Note], closing: str) -> float:
    noted = sum(_note_height(of, note) for of, note in notes)
    return 804 + SEAT_ROW * len(seen["players"]) + noted + 18 + 120 + 14 + 24 * len(wrap(closing, 662, 20, 400, 2)) + 16


def _lines(note: str) -> int:
    return len(wrap(note, 680, 19, 400, 3))


def _note_height(of: str, note: str) -> int:
    """Return the height of a note. One that is a target is high enough for a finger."""
    return max(SEAT_ROW if of else 0, _LINE * _lines(note))


def _header(chart: Chart, seen: Data, caption: Caption) -> None:
    asked = [one for one in seen["awaited"] if one["seat"] == seen["viewer"]]
    second = f"Turn {seen['turn']} · {capital(PHASES[seen['phase']])}"
    flag, acting = "", to_act(seen["awaited"], caption.names)
    if caption.past:
        acting = "Earlier position"
    elif seen["ended"]:
        acting = f"{listed(seat_name(seat, caption.names) for seat in seen['ended']['ranking'][0])} won"
    elif asked:
        second, flag = f"{second} · {acting}", _FLAGS.get(asked[0]["prompt"], "Your move")
    chart.header(MANIFEST.title, caption.match, second, flag=flag, acting=acting)


def _seats(chart: Chart, seen: Data, caption: Caption, y: float) -> float:
    chart.label(196, y + 12, f"Worlds, {WORLDS_TO_WIN} win")
    chart.label(440, y + 12, "Fleets")
    chart.label(528, y + 12, "Hand")
    chart.label(604, y + 12, "Ability")
    y += 22
    waiting = {one["seat"] for one in seen["awaited"]}
    order = seen["order"] or range(len(seen["players"]))
    rows = [*order, *(seat for seat in range(len(seen["players"])) if seat not in order)]
    for seat in rows:
        player = seen["players"][seat]
        base = chart.seat_row(
            seat,
            y,
            seat_name(seat, caption.names),
            you=seat == seen["viewer"],
            awaited=seat in waiting,
            struck=not player["alive"],
        )
        if player["alive"]:
            chart.gauge(196, base - 14, player["worlds"], WORLDS_TO_WIN)
            chart.text(394, base, str(player["worlds"]), size=22, weight=700)
            chart.text(440, base, f"{player['fleet_count']} / {player['capacity']}", size=22)
            chart.icon("hand", 528, base - 17, 21, colour="ink2")
            chart.text(556, base, str(player["hand"]), size=22)
            owned = player["abilities"]
            ability = ABILITY_NAMES[owned[0]] if len(owned) == 1 else f"{len(owned)} below" if owned else "none"
            chart.text(604, base, ability, size=19, room=98, colour="ink" if owned else "ink2")
        y += SEAT_ROW
    return y + 6


def _notes(seen: Data, t: Speaker) -> Iterable[Note]:
    """Yield the notes on facts that neither the map nor the rows show, those on offers with their targets."""
    if seen["credit"]:
        yield "", f"Credit until the phase ends: {cards(seen['credit'])}."
    owners: dict[tuple[str, ...], list[int]] = {}
    for player in seen["players"]:
        if len(player["abilities"]) > 1 and player["alive"]:
            owners.setdefault(tuple(player["abilities"]), []).append(player["seat"])
    for owned, seats in owners.items():
        who = t.all(seats)
        yield "", f"{capital(who)}: {', '.join(ABILITY_NAMES[one] for one in owned)}."
    for one in seen["treaties"]:
        yield "", treaty(one, t)
    for one in seen["offers"][:MOST_OFFERS]:
        yield f"offer:{one['id']}", offer(one, t)
    if len(seen["offers"]) > MOST_OFFERS:
        yield "", f"{len(seen['offers']) - MOST_OFFERS} more offers are open."
    battle = seen["battle"]
    if battle:
        done = f" Committed: {t.all(battle['committed'])}." if battle["committed"] else ""
        yield "", f"Battle at {battle['space']}, forces without cards: {forces(battle['forces'], t)}.{done}"


def _table(chart: Chart, seen: Data, y: float) -> float:
    chart.label(20, y + 14, f"Deck {seen['deck']}")
    chart.label(114, y + 14, f"Discard {len(seen['discard'])}")
    top = y + 24
    chart.target("deck", 20, top, _CARD_WIDTH, 96)
    chart.target(DISCARD, 114, top, _CARD_WIDTH, 96)
    if seen["deck"]:
        chart.card_back(20, top)
    else:
        chart.rect(20, top, _CARD_WIDTH, 96, stroke="ink2", rx=4)
    if seen["discard"]:
        _card(chart, seen["discard"][-1], 114, top, 1)
    else:
        chart.rect(114, top, _CARD_WIDTH, 96, stroke="ink2", rx=4)
    if seen["viewer"] is not None and "hand" in seen:
        chart.label(_HAND_LEFT, y + 14, f"Your hand {len(seen['hand'])}" if seen["hand"] else "Your hand is empty")
        _hand(chart, seen["hand"], top)
    return top + 96


def _hand(chart: Chart, hand: list[str], top: float) -> None:
    groups = [(card, 1) for card in hand]
    if len(groups) * _CARD_STEP > _HAND_ROOM + 8:
        groups = [(card, hand.count(card)) for card in dict.fromkeys(hand)]
    step = _CARD_STEP
    if len(groups) > 1 and (len(groups) - 1) * step + _CARD_WIDTH > _HAND_ROOM:
        step = int((_HAND_ROOM - _CARD_WIDTH) / (len(groups) - 1))
    for at, (card, count) in enumerate(groups):
        _card(chart, card, _HAND_LEFT + at * step, top, count)
        chart.target(f"hand:{card}", _HAND_LEFT + at * step, top, _CARD_WIDTH, 96)


def _card(chart: Chart, card: str, x: float, y: float, count: int) -> None:
    plain = card.removesuffix("2")
    name = CARD_NAMES[plain] + ("+" if card.endswith("2") else "")
    chart.card_s(x, y, name, icon=plain, ground="buff" if card == "research" else "panel", count=count)
    if card.endswith("2"):
        chart.text(x + 8, y + 89, "2", size=19, weight=700)


def _closing(seen: JsonMapping, t: Speaker) -> str:
    """Return the overprint line: the pending or expected decision."""
    if seen["actions"]:
        action = seen["actions"][-1]
        when = "declared" if action["stage"] == "before" else "made"
        what = f"{opening(t.who(action['seat']))} {when} {aim(action['action'], action['args'], t)}."
        return f"{what} {awaiting(seen, t)}"
    return awaiting(seen, t) or "Nothing is open."
