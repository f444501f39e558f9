"""The position as plain text for mail: at most 72 columns, complete without the picture."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable

from gamesvc.games.kernel.game import Caption, Data
from gamesvc.games.kernel.wording import Speaker, counted, listed, opening
from gamesvc.games.stratastar.data import ABILITY_NAMES, CARD_NAMES, COLUMNS, ROWS, WORLDS_TO_WIN
from gamesvc.games.stratastar.data.geometry import SPACES, in_order
from gamesvc.games.stratastar.text.narrate import CHITS, PHASES, PIECES, aim, cards, forces, group, offer, treaty
from gamesvc.games.stratastar.text.task import task
from gamesvc.json_types import JsonMapping
from gamesvc.language import say

WIDTH = 72
_SIGNS = {"world": "o", "supernova": "*", "black_hole": "@", "nebula": "~"}
_LETTERS = "RBYG"


def board_text(seen: Data, caption: Caption) -> str:
    """Return map, pieces, seats, hand and pending decision as text."""
    t = Speaker(seen["viewer"], caption.names)
    lines = [
        say("Turn {turn}, round {round}, {phase}.", turn=seen["turn"], round=seen["round"], phase=say(PHASES[seen["phase"]])),
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


def awaiting(seen: Data, t: Speaker) -> str:
    """Describe in one sentence which players must act, and what the viewer must do."""
    if seen["ended"]:
        return say("The match is over: {seats} won.", seats=t.all(seen["ended"]["ranking"][0]))
    own, others = task(seen), [one["seat"] for one in seen["awaited"] if one["seat"] != seen["viewer"]]
    if not others:
        return own
    if own:
        return f"{own} {say('Also waiting for {seats}.', seats=t.all(others))}"
    return say("Waiting for {seats}.", seats=t.all(others))


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
    rows.append(say("o world  * Supernova  @ Black Hole  ~ Nebula  # Homeworld  ? unknown"))
    rows.append(say("R, B, Y, G: whose pieces; +: pieces of several players"))
    return rows


def _seat(seen: Data, player: JsonMapping, t: Speaker) -> str:
    name = f"{opening(t.who(player['seat']))} ({_LETTERS[player['seat']]})"
    if not player["alive"]:
        return say("{name}: out of the game.", name=name)
    text = say(
        "{name}: Homeworld {home}; {worlds} of {goal} worlds, {colonies}, fleets {fleets} of {capacity} supported, {cards}.",
        name=name,
        home=player["home"] or say("not placed"),
        worlds=player["worlds"],
        goal=WORLDS_TO_WIN,
        colonies=counted(player["colony_count"], "colony", "colonies"),
        fleets=player["fleet_count"],
        capacity=player["capacity"],
        cards=counted(player["hand"], "card"),
    )
    if player["abilities"]:
        text += " " + say("Abilities: {abilities}.", abilities=listed(ABILITY_NAMES[one] for one in player["abilities"]))
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
        items.append(say(PIECES["stargate"]))
    return items


def _colonies(count: int, raided: int) -> str:
    words = say("colony") if count == 1 else counted(count, "colony", "colonies")
    if not raided:
        return words
    if raided == count:
        return say("{colonies} raided", colonies=words)
    return say("{colonies} ({raided} raided)", colonies=words, raided=raided)


def _table(seen: Data) -> str:
    discard = seen["discard"]
    facts = {"deck": seen["deck"], "discard": len(discard)}
    if discard:
        parts = [say("Deck {deck}, discard pile {discard}, top {card}.", card=CARD_NAMES[discard[-1]], **facts)]
    else:
        parts = [say("Deck {deck}, discard pile {discard}.", **facts)]
    if seen["contested"]:
        parts.append(say("Contested: {spaces}.", spaces=", ".join(seen["contested"])))
    if seen["blocked"]:
        parts.append(say("Blocked by diplomacy: {spaces}.", spaces=", ".join(seen["blocked"])))
    if seen["credit"]:
        parts.append(say("Credit: {cards}.", cards=cards(seen["credit"])))
    return " ".join(parts)


def _diplomacy(seen: Data, t: Speaker) -> Iterable[str]:
    for one in seen["treaties"]:
        yield treaty(one, t)
    for one in seen["offers"]:
        yield offer(one, t)


def _open(seen: Data, t: Speaker) -> Iterable[str]:
    for action in seen["actions"]:
        what, asked = aim(action["action"], action["args"], t), t.all(action["asked"])
        if action["stage"] == "before":
            yield t.says("May still be stopped: {aim} by {whom}; asked: {seats}.", whom=action["seat"], aim=what, seats=asked)
        else:
            yield t.says("Done, open for reactions: {aim} by {whom}; asked: {seats}.", whom=action["seat"], aim=what, seats=asked)
    if seen["battle"]:
        battle = seen["battle"]
        yield say(
            "Battle at {space}, forces without cards: {forces}. Still to commit: {seats}.",
            space=battle["space"],
            forces=forces(battle["forces"], t),
            seats=t.all(battle["waiting"]),
        )
        if "own" in battle:
            yield say("You committed {cards}.", cards=cards(battle["own"]))


def _own(seen: Data, t: Speaker) -> Iterable[str]:
    if seen["viewer"] is None:
        return
    yield say("Your hand: {cards}.", cards=cards(seen["hand"]))
    if seen["scouted"]:
        scouted = ", ".join(f"{space} {say(CHITS[kind])}" for space, kind in sorted(seen["scouted"].items()))
        yield say("Scouted by you: {spaces}.", spaces=scouted)
    for record in seen["records"][-3:]:
        found = {"turn": record["turn"], "cards": ", ".join(CARD_NAMES[card] for card in record["cards"])}
        if record["target"] == "deck":
            yield say("Turn {turn}, seen in the deck: {cards}.", **found)
        else:
            yield t.says("Turn {turn}, seen in {whose} hand: {cards}.", whom=int(record["target"]), **found)
