"""The position as plain text for mail: at most 72 columns, complete without the picture."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable

from gamesvc.games.kernel.game import Caption, Data
from gamesvc.games.kernel.wording import counted, listed
from gamesvc.games.stratastar.data import ABILITY_NAMES, CARD_NAMES, COLUMNS, ROWS, WORLDS_TO_WIN
from gamesvc.games.stratastar.data.geometry import SPACES, in_order
from gamesvc.games.stratastar.text.narrate import CHITS, PHASES, PIECES, Teller, aim, cards, forces, group, offer, treaty
from gamesvc.json_types import JsonMapping

WIDTH = 72
_SIGNS = {"world": "o", "supernova": "*", "black_hole": "@", "nebula": "~"}
_LETTERS = "RBYG"


def board_text(seen: Data, caption: Caption) -> str:
    """Return map, pieces, seats, hand and pending decision as text."""
    t = Teller(seen["viewer"], caption.names)
    lines = [
        f"Turn {seen['turn']}, round {seen['round']}, {PHASES[seen['phase']]}.",
        *_wrap(awaiting(seen, t)),
        "",
        *_map(seen),
        "",
    ]
    for player in seen["players"]:
        lines += _wrap(_seat(seen, player, t), "  ")
    lines += ["", *_wrap(_table(seen))]
    for text in (*_diplomacy(seen, t), *_open(seen, t), *_own(seen, t)):
        lines += _wrap(text, "  ")
    return "\n".join(lines) + "\n"


def _wrap(text: str, indent: str = "") -> list[str]:
    return textwrap.wrap(text, WIDTH, subsequent_indent=indent) if text else []


def awaiting(seen: Data, t: Teller) -> str:
    """Describe in one sentence which players must act, and what the viewer must do."""
    if seen["ended"]:
        return f"The match is over: {t.all(seen['ended']['ranking'][0])} won."
    asked = seen["awaited"]
    own = next((one["prompt"] for one in asked if one["seat"] == seen["viewer"]), None)
    others = [one["seat"] for one in asked if one["seat"] != seen["viewer"]]
    text = _expected(seen, own) if own else ""
    if others:
        text += f" Awaited{' too' if own else ''}: {t.all(others)}."
    return text.strip()


_EXPECTED = {
    "homeworld": "Place your Homeworld on a free corner.",
    "ability_draft": "Pick an ability.",
    "pick_ability": "Pick an ability.",
    "retool": "Discard up to three cards; then all players draw.",
    "trade": "Trade, or end the phase.",
    "trade_reply": "Accept or reject the offer.",
    "build": "Build, or end the phase.",
    "battle": "Start a battle, or end the phase.",
    "battle_call": "Call a battle, or pass.",
    "window": "React, or pass.",
    "commit": "Commit cards to the battle, or none.",
}


def _expected(seen: Data, prompt: str) -> str:
    """Describe what the viewer has to do."""
    player = seen["players"][seen["viewer"]]
    if prompt == "support":
        many = player["fleet_count"] - player["capacity"]
        return f"{counted(many, 'fleet')} more than you support: discard Build cards or disband."
    if prompt == "movement":
        return f"Move, or end the phase. The free move is {'open' if seen['free_move'] else 'used'}."
    return _EXPECTED[prompt]


def _map(seen: Data) -> list[str]:
    """Draw the map with two characters per space: its chit, and its owner (+ for several)."""
    rows = ["    " + "  ".join(COLUMNS)]
    unknown = set(seen["unknown"])
    owned: dict[str, list[str]] = {}
    for player in seen["players"]:
        for space in {*player["fleets"], *player["warfleets"], *player["colonies"], *player["stargates"]}:
            owned.setdefault(space, []).append(_LETTERS[player["seat"]])
    homes = {player["home"] for player in seen["players"]}
    for row in range(ROWS):
        cells = []
        for space in SPACES[row * len(COLUMNS) : (row + 1) * len(COLUMNS)]:
            kind = seen.get("scouted", {}).get(space) if space in unknown else seen["chits"].get(space)
            sign = "#" if space in homes else _SIGNS.get(kind or "", "." if space not in unknown else "?")
            who = owned.get(space, [])
            cells.append(f"{sign}{'+' if len(who) > 1 else ''.join(who) or ' '}")
        rows.append(f"{row + 1:2}  {' '.join(cells)}".rstrip())
    rows.append("o world  * Supernova  @ Black Hole  ~ Nebula  # Homeworld  ? unknown")
    return rows


def _seat(seen: Data, player: JsonMapping, t: Teller) -> str:
    name = t.Who(player["seat"]) + (f" ({_LETTERS[player['seat']]})" if player["seat"] != seen["viewer"] else "")
    if not player["alive"]:
        return f"{name}: out of the game."
    parts = [
        f"{player['worlds']} of {WORLDS_TO_WIN} worlds, {counted(player['colony_count'], 'colony', 'colonies')}",
        f"fleets {player['fleet_count']} of {player['capacity']} supported",
        counted(player["hand"], "card"),
    ]
    text = f"{name}: Homeworld {player['home'] or 'not placed'}; {', '.join(parts)}."
    if player["abilities"]:
        text += f" Abilities: {listed(ABILITY_NAMES[one] for one in player['abilities'])}."
    where = []
    for space in in_order({*player["fleets"], *player["warfleets"], *player["colonies"], *player["stargates"]}):
        where.append(f"{space} {', '.join(pieces_at(player, space))}")
    return f"{text} {'; '.join(where)}." if where else text


def pieces_at(player: JsonMapping, space: str) -> list[str]:
    """Describe the pieces of a player in a space."""
    items = []
    if space in player["fleets"] or space in player["warfleets"]:
        items.append(group(player["fleets"].get(space, 0), player["warfleets"].get(space, 0)))
    if space in player["colonies"]:
        items.append(_colonies(player["colonies"][space], player["raided"].get(space, 0)))
    if space in player["stargates"]:
        items.append(PIECES["stargate"])
    return items


def _colonies(count: int, raided: int) -> str:
    words = "colony" if count == 1 else f"{count} colonies"
    if not raided:
        return words
    return f"{words} raided" if raided == count else f"{words} ({raided} raided)"


def _table(seen: Data) -> str:
    top = f", top {CARD_NAMES[seen['discard'][-1]]}" if seen["discard"] else ""
    text = f"Deck {seen['deck']}, discard pile {len(seen['discard'])}{top}."
    if seen["contested"]:
        text += f" Contested: {', '.join(seen['contested'])}."
    if seen["blocked"]:
        text += f" Blocked by diplomacy: {', '.join(seen['blocked'])}."
    if seen["credit"]:
        text += f" Credit: {cards(seen['credit'])}."
    return text


def _diplomacy(seen: Data, t: Teller) -> Iterable[str]:
    for one in seen["treaties"]:
        yield treaty(one, t)
    for one in seen["offers"]:
        yield offer(one, t)


def _open(seen: Data, t: Teller) -> Iterable[str]:
    for action in seen["actions"]:
        when = "May still be stopped" if action["stage"] == "before" else "Done, open for reactions"
        yield f"{when}: {aim(action['action'], action['args'], t)} by {t.who(action['seat'])}; asked: {t.all(action['asked'])}."
    if seen["battle"]:
        battle = seen["battle"]
        shown = forces(battle["forces"], t)
        yield f"Battle at {battle['space']}, forces without cards: {shown}. Still to commit: {t.all(battle['waiting'])}."
        if "own" in battle:
            yield f"You committed {cards(battle['own'])}."


def _own(seen: Data, t: Teller) -> Iterable[str]:
    if seen["viewer"] is None:
        return
    yield f"Your hand: {cards(seen['hand'])}."
    if seen["scouted"]:
        yield "Scouted by you: " + ", ".join(f"{space} {CHITS[kind]}" for space, kind in sorted(seen["scouted"].items())) + "."
    for record in seen["records"][-3:]:
        target = "the deck" if record["target"] == "deck" else f"{t.whose(int(record['target']))} hand"
        yield f"Turn {record['turn']}, seen in {target}: {', '.join(CARD_NAMES[card] for card in record['cards'])}."
