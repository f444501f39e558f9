"""The position as plain text: at most 72 columns, complete without the picture."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from gamesvc.games.kernel.game import Caption, Data
from gamesvc.games.kernel.wording import listed, seat_name
from gamesvc.games.space_fleet_commander.data import COLOURS, ROSTER, SHIPS
from gamesvc.games.space_fleet_commander.text.narrate import ENDINGS, HAZARDS, SOURCES, stars_of
from gamesvc.games.space_fleet_commander.text.reference import does, numbers
from gamesvc.language import mark, say

WIDTH = 72


PHASES = {
    "fleet": mark("form the fleet"),
    "reroll_1": mark("phase 2: reroll red and white dice"),
    "reroll_2": mark("phase 3: reroll white dice"),
    "tinker": mark("end of phase 3: change dice"),
    "explore": mark("phase 5: choose a hex"),
    "repair": mark("phase 5: Repair Tender"),
    "hit": mark("a hit: take, reroll or redirect"),
    "push": mark("push on or end the turn"),
    "wait": mark("waiting for the others"),
    "resolve": mark("being resolved"),
    "finished": mark("finished"),
}


def result(view: Data, names: Sequence[str]) -> str:
    """Describe the result of a race in one sentence."""
    first = view["outcome"]["ranking"][0]
    stars = stars_of(view["outcome"]["scores"][first[0]])
    who = listed(seat_name(seat, names) for seat in first)
    return say("{who} wins with {stars}." if len(first) == 1 else "{who} share the win with {stars}.", who=who, stars=stars)


def board_text(view: Data, caption: Caption) -> str:
    """Return the position as plain text, 72 columns wide."""
    head = f"Space Fleet Commander {caption.match}".rstrip()
    lines = [head, _state_line(view, caption.names)]
    sheet = view["sheet"]
    if sheet is not None:
        lines += ["", *_dice_lines(sheet), "", *_around_lines(view), "", *_roster_lines(sheet), "", *_track_lines(view)]
        if sheet["phase"] == "fleet":
            lines[3:3] = [_formation_line(view), "", *_ship_lines(view), ""]
        lines += ["", *_map_lines(view)]
    if view["mode"] == "race":
        lines += ["", *_table_lines(view, caption)]
    return "\n".join(part.rstrip() for line in lines for part in _fold(line)) + "\n"


def _fold(line: str) -> list[str]:
    return textwrap.wrap(line, WIDTH, subsequent_indent=" " * 8, replace_whitespace=False) if len(line) > WIDTH else [line]


def _state_line(view: Data, names: Sequence[str]) -> str:
    found, sheet = view["outcome"], view["sheet"]
    if found is not None and view["mode"] == "race":
        return say("Over: {result}", result=result(view, names))
    if found is not None:
        detail = found["detail"]
        rank = say("{title} (rank {rank})", title=detail["title"], rank=detail["rank"]) if detail["title"] else say("no rank")
        shown = {"reason": say(ENDINGS[found["reason"]]), "stars": stars_of(detail["stars"]), "rank": rank}
        return say("Won: {reason}. {stars}, {rank}." if detail["won"] else "Over: {reason}. {stars}, {rank}.", **shown)
    if sheet is None:
        return say("Race of {seats}.", seats=view["seats"])
    if sheet["phase"] == "finished":
        shown = {"reason": say(ENDINGS[sheet["reason"]]), "stars": stars_of(sheet["stars"])}
        return say("Your sheet is finished: {reason}. {stars}.", **shown)
    if sheet["phase"] == "fleet":
        return say("Form the fleet.")
    phase = say(PHASES[sheet["phase"]])
    return say("Turn {turn}, attempt {attempt}: {phase}.", turn=sheet["turn"], attempt=sheet["attempt"], phase=phase)


def _formation_line(view: Data) -> str:
    left = view["sheet"]["unplaced"]
    dice = ", ".join(say("die {die} shows {value}", die=at, value=view["formation"][at]) for at in left)
    return say("Unplaced: {dice}.", dice=dice) if left else say("All formation dice are placed.")


def _ship_lines(view: Data) -> list[str]:
    """Describe the ships that the dice can still buy: slots, hull, dice, and what each does."""
    faces = {view["formation"][at] for at in view["sheet"]["unplaced"]}
    lines = [
        f"{ship.name}: {numbers(ship)}.{f' {does(ship)}' if does(ship) else ''}" for ship in SHIPS.values() if ship.face in faces
    ]
    if not lines:
        return []
    near = say("Slots that follow each other are adjacent, also 6 and 8.")
    most = say("At most {most} dice of each colour, the flag's included.", most=ROSTER.limit)
    return [say("The ships for these dice:"), *lines, f"{near} {most}"]


def _dice_lines(sheet: Data) -> list[str]:
    lines = []
    for status, word in (("live", say("Dice")), ("removed", say("Removed")), ("aside", say("Set aside"))):
        for colour in COLOURS:
            dice = [
                f"{die['id']}={die['value'] or '?'}"
                for die in sheet["dice"]
                if die["status"] == status and die["colour"] == colour
            ]
            if dice:
                lines.append(f"{f'{word} {say(colour)}':<16}{'  '.join(dice)}")
    if (hit := sheet["hit"]) is not None:
        shown = {"source": say(SOURCES[hit["source"]]), "a": hit["a"], "b": hit["b"], "slot": hit["slot"]}
        lines.append(say("Hit from {source}: {a} + {b}, slot {slot}.", **shown))
    if (repair := sheet["repair"]) is not None:
        slots = listed(repair["candidates"], "or")
        lines.append(say("Repair Tender in {tender}: slot {slots}.", tender=repair["tender"], slots=slots))
    return lines or [say("No dice yet.")]


def _around_lines(view: Data) -> list[str]:
    sheet, board = view["sheet"], view["map"]
    if sheet["targets"]:
        lines = [say("Fleet at {hex}. Adjacent, unexplored (* in reach):", hex=sheet["token"])]
    else:
        lines = [say("Fleet at {hex}. Adjacent, unexplored:", hex=sheet["token"])]
    for place in sheet["open"]:
        kind = board["kinds"][board["hexes"][place][2]]
        marks = ", ".join(
            [
                stars_of(kind["stars"]),
                *(say(HAZARDS[hazard]) for hazard in kind["hazards"]),
                *([say("combat")] if kind["combat"] else []),
            ]
        )
        reach = " *" if place in sheet["targets"] else ""
        lines.append(f"  {place}{reach:<3}{kind['name']:<13}{marks}: {say(kind['text'])}")
    return lines if sheet["open"] else [say("Fleet at {hex}. No adjacent hex is unexplored.", hex=sheet["token"])]


def _roster_lines(sheet: Data) -> list[str]:
    lines = [say("Slot   Ship                 Hull left  Dice")]
    rows = {row["slot"]: row for row in sheet["roster"]}
    for slot in ROSTER.order:
        row = rows.get(slot)
        if row is None:
            lines.append(f"{slot:<7}-")
            continue
        left = say("{left} of {hull}", left=row["hull"] - row["damage"], hull=row["hull"])
        hull = left if row["live"] else say("destroyed")
        dice = " ".join(f"{name} {say(colour)}" for name, colour in row["dice"])
        lines.append(f"{slot:<7}{row['name']:<21}{hull:<11}{dice}")
    for slot, target in sheet["upgrades"].items():
        lines.append(say("Drone Boat in {slot} upgrades slot {target}.", slot=slot, target=target))
    return lines


def _track_lines(view: Data) -> list[str]:
    sheet, board = view["sheet"], view["map"]
    stars = str(sheet["stars"])
    if view["mode"] == "classic":
        stars = say("{stars} of {goal}", stars=stars, goal=board["stars_to_win"])
    stars += f", {sheet['title']}" if sheet["title"] else ""
    lines = [say("Stars {stars}. Time boxes {time} of {boxes}.", stars=stars, time=sheet["time"], boxes=board["time_boxes"])]
    icons = "".join({"": "o", "damage": "D", "time": "T"}[icon] for icon in board["sabotage"])
    marked = "".join("x" if at < sheet["sabotage"] and icon == "o" else icon for at, icon in enumerate(icons))
    at = 0
    rows = []
    for size in board["sabotage_rows"]:
        rows.append(marked[at : at + size])
        at += size
    cells = {"marked": sheet["sabotage"], "cells": len(icons), "rows": " ".join(rows)}
    lines.append(say("Sabotage {marked} of {cells}: {rows}", **cells))
    lines.append(say("Each die showing 1 marks the next cell: x marked, o nothing, D a hit, T a time box."))
    return lines


def _map_lines(view: Data) -> list[str]:
    """Draw the map as rows of cells: stars and two letters of the kind. Explored hexes are dashes, the fleet is @@."""
    sheet, board = view["sheet"], view["map"]
    rows: dict[int, list[tuple[float, str]]] = {}
    kinds: dict[str, str] = {}
    for place, (q, r, kind) in board["hexes"].items():
        if place == sheet["token"]:
            text = "@@"
        elif place in sheet["path"]:
            text = "--"
        else:
            entry = board["kinds"][kind]
            short = _short(entry["name"])
            kinds[short] = entry["name"]
            text = f"{entry['stars']}{short}{'!' if entry['hazards'] else ''}"
        rows.setdefault(r, []).append((q + r / 2, f"{place}:{text}"))
    left = min(x for row in rows.values() for x, _ in row)
    lines = []
    for _, row in sorted(rows.items()):
        line = ""
        for x, text in sorted(row):
            line = line.ljust(int((x - left) * 9)) + text
        lines.append(line)
    if kinds:
        lines += _listed([f"{short} {name}" for short, name in sorted(kinds.items())])
    return [say("Map (hex:stars kind, ! hazard, -- explored, @@ your fleet):"), *lines]


def _listed(items: list[str]) -> list[str]:
    """Return items with commas, in lines that end between two of them."""
    whole = ", ".join(item.replace(" ", "\xa0") for item in items)
    return [line.replace("\xa0", " ") for line in textwrap.wrap(whole, WIDTH)]


def _short(kind: str) -> str:
    """Return two letters that stand for a kind of hex: of its words, or the first two of its only one."""
    words = kind.split()
    return words[0][:2] if len(words) == 1 else "".join(word[0] for word in words[:2])


def _table_lines(view: Data, caption: Caption) -> list[str]:
    lines = [say("Seat                  Stars  Rank        Time  ")]
    for row in view["table"]:
        name = seat_name(row["seat"], caption.names)[:20]
        done = say("finished") if row["finished"] else ""
        lines.append(f"{name:<22}{row['stars']:>5}  {row['title']:<12}{row['time']:>4}  {done}")
    return lines
