"""The position as plain text: at most 72 columns, complete without the picture."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from gamesvc.games.kernel.game import Caption, Data
from gamesvc.games.kernel.wording import listed, seat_name
from gamesvc.games.space_fleet_commander.data import COLOURS, ROSTER
from gamesvc.games.space_fleet_commander.text.narrate import ENDINGS, SOURCES, stars_of

WIDTH = 72


PHASES = {
    "fleet": "form the fleet",
    "reroll_1": "phase 2: reroll red and white dice",
    "reroll_2": "phase 3: reroll white dice",
    "tinker": "end of phase 3: change dice",
    "explore": "phase 5: choose a hex",
    "repair": "phase 5: Repair Tender",
    "hit": "a hit: take, reroll or redirect",
    "push": "push on or end the turn",
    "wait": "waiting for the others",
    "resolve": "being resolved",
    "finished": "finished",
}


def result(view: Data, names: Sequence[str]) -> str:
    """Describe the result of a race in one sentence."""
    first = view["outcome"]["ranking"][0]
    stars = stars_of(view["outcome"]["scores"][first[0]])
    who = listed(seat_name(seat, names) for seat in first)
    return f"{who} {'wins' if len(first) == 1 else 'share the win'} with {stars}."


def board_text(view: Data, caption: Caption) -> str:
    """Return the position as plain text, 72 columns wide."""
    head = f"Space Fleet Commander {caption.match}".rstrip()
    lines = [head, _state_line(view, caption.names)]
    sheet = view["sheet"]
    if sheet is not None:
        lines += ["", *_dice_lines(sheet), "", *_around_lines(view), "", *_roster_lines(sheet), "", *_track_lines(view)]
        if sheet["phase"] == "fleet":
            lines[3:3] = [_formation_line(view), ""]
        lines += ["", *_map_lines(view)]
    if view["mode"] == "race":
        lines += ["", *_table_lines(view, caption)]
    return "\n".join(part.rstrip() for line in lines for part in _fold(line)) + "\n"


def _fold(line: str) -> list[str]:
    return textwrap.wrap(line, WIDTH, subsequent_indent=" " * 8, replace_whitespace=False) if len(line) > WIDTH else [line]


def _state_line(view: Data, names: Sequence[str]) -> str:
    found, sheet = view["outcome"], view["sheet"]
    if found is not None and view["mode"] == "race":
        return f"Over: {result(view, names)}"
    if found is not None:
        detail = found["detail"]
        title = f", {detail['title']} (rank {detail['rank']})" if detail["title"] else ", no rank"
        head = "Won" if detail["won"] else "Over"
        return f"{head}: {ENDINGS[found['reason']]}. {stars_of(detail['stars'])}{title}."
    if sheet is None:
        return f"Race of {view['seats']}."
    if sheet["phase"] == "finished":
        return f"Your sheet is finished: {ENDINGS[sheet['reason']]}. {stars_of(sheet['stars'])}."
    if sheet["phase"] == "fleet":
        return "Form the fleet."
    return f"Turn {sheet['turn']}, attempt {sheet['attempt']}: {PHASES[sheet['phase']]}."


def _formation_line(view: Data) -> str:
    left = view["sheet"]["unplaced"]
    dice = ", ".join(f"die {at} shows {view['formation'][at]}" for at in left)
    return f"Unplaced: {dice}." if left else "All formation dice are placed."


def _dice_lines(sheet: Data) -> list[str]:
    lines = []
    for status, word in (("live", "Dice"), ("removed", "Removed"), ("aside", "Set aside")):
        for colour in COLOURS:
            dice = [
                f"{die['id']}={die['value'] or '?'}"
                for die in sheet["dice"]
                if die["status"] == status and die["colour"] == colour
            ]
            if dice:
                lines.append(f"{word + ' ' + colour:<16}{'  '.join(dice)}")
    if (hit := sheet["hit"]) is not None:
        lines.append(f"Hit from {SOURCES[hit['source']]}: {hit['a']} + {hit['b']}, slot {hit['slot']}.")
    if (repair := sheet["repair"]) is not None:
        lines.append(f"Repair Tender in {repair['tender']}: slot {' or '.join(repair['candidates'])}.")
    return lines or ["No dice yet."]


def _around_lines(view: Data) -> list[str]:
    sheet, board = view["sheet"], view["map"]
    lines = [f"Fleet at {sheet['token']}. Adjacent, unexplored{' (* in reach)' if sheet['targets'] else ''}:"]
    for place in sheet["open"]:
        kind = board["kinds"][board["hexes"][place][2]]
        marks = ", ".join([stars_of(kind["stars"]), *kind["hazards"], *(["combat"] if kind["combat"] else [])])
        reach = " *" if place in sheet["targets"] else ""
        lines.append(f"  {place}{reach:<3}{kind['name']:<13}{marks}: {kind['text']}")
    return lines if sheet["open"] else [f"Fleet at {sheet['token']}. No adjacent hex is unexplored."]


def _roster_lines(sheet: Data) -> list[str]:
    lines = ["Slot   Ship                 Hull left  Dice"]
    rows = {row["slot"]: row for row in sheet["roster"]}
    for slot in ROSTER.order:
        row = rows.get(slot)
        if row is None:
            lines.append(f"{slot:<7}-")
            continue
        hull = f"{row['hull'] - row['damage']} of {row['hull']}" if row["live"] else "destroyed"
        dice = " ".join(f"{name} {colour}" for name, colour in row["dice"])
        lines.append(f"{slot:<7}{row['name']:<21}{hull:<11}{dice}")
    for slot, target in sheet["upgrades"].items():
        lines.append(f"Drone Boat in {slot} upgrades slot {target}.")
    return lines


def _track_lines(view: Data) -> list[str]:
    sheet, board = view["sheet"], view["map"]
    title = f", {sheet['title']}" if sheet["title"] else ""
    goal = f" of {board['stars_to_win']}" if view["mode"] == "classic" else ""
    lines = [f"Stars {sheet['stars']}{goal}{title}. Time boxes {sheet['time']} of {board['time_boxes']}."]
    icons = "".join({"": "o", "damage": "D", "time": "T"}[icon] for icon in board["sabotage"])
    marked = "".join("x" if at < sheet["sabotage"] and icon == "o" else icon for at, icon in enumerate(icons))
    at = 0
    rows = []
    for size in board["sabotage_rows"]:
        rows.append(marked[at : at + size])
        at += size
    lines.append(f"Sabotage {sheet['sabotage']} of {len(icons)}: {' '.join(rows)}")
    return lines


def _map_lines(view: Data) -> list[str]:
    """Draw the map as rows of cells: stars and initials of the kind. Explored hexes are dashes, the fleet is @@."""
    sheet, board = view["sheet"], view["map"]
    rows: dict[int, list[tuple[float, str]]] = {}
    for place, (q, r, kind) in board["hexes"].items():
        if place == sheet["token"]:
            text = "@@"
        elif place in sheet["path"]:
            text = "--"
        else:
            entry = board["kinds"][kind]
            text = f"{entry['stars']}{''.join(word[0] for word in entry['name'].split())[:2]}{'!' if entry['hazards'] else ''}"
        rows.setdefault(r, []).append((q + r / 2, f"{place}:{text}"))
    left = min(x for row in rows.values() for x, _ in row)
    lines = []
    for _, row in sorted(rows.items()):
        line = ""
        for x, text in sorted(row):
            line = line.ljust(int((x - left) * 9)) + text
        lines.append(line)
    return ["Map (hex:stars kind, ! hazard, -- explored, @@ your fleet):", *lines]


def _table_lines(view: Data, caption: Caption) -> list[str]:
    lines = ["Seat                  Stars  Rank        Time  "]
    for row in view["table"]:
        name = seat_name(row["seat"], caption.names)[:20]
        done = "finished" if row["finished"] else ""
        lines.append(f"{name:<22}{row['stars']:>5}  {row['title']:<12}{row['time']:>4}  {done}")
    return lines
