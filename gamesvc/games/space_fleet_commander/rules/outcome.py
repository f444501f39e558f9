"""The result of a match and the ranking."""

from __future__ import annotations

from gamesvc.games.kernel.game import Outcome
from gamesvc.games.space_fleet_commander.state import Sheet, State


def hull_left(sheet: Sheet) -> int:
    return sum(vessel.hull - vessel.damage for vessel in sheet.ships)


def standing(sheet: Sheet) -> tuple[int, int, int]:
    """Return the ranking key of a race: most stars, fewest time boxes, most hull left. Higher is better."""
    return sheet.stars, -sheet.time, hull_left(sheet)


def outcome(state: State) -> Outcome | None:
    """Return the result, or None until all sheets are finished. Solo: `detail` holds win flag, title and rank number."""
    if not state.over:
        return None
    board = state.board
    scores = tuple(sheet.stars for sheet in state.sheets)
    if state.mode == "race":
        groups: dict[tuple[int, int, int], list[int]] = {}
        for seat, sheet in enumerate(state.sheets):
            groups.setdefault(standing(sheet), []).append(seat)
        ranking = tuple(tuple(groups[key]) for key in sorted(groups, reverse=True))
        rows = [
            {
                "seat": seat,
                "stars": sheet.stars,
                "title": board.title(sheet.stars),
                "time": sheet.time,
                "hull": hull_left(sheet),
                "reason": sheet.reason,
            }
            for seat, sheet in enumerate(state.sheets)
        ]
        return Outcome("all_finished", ranking, scores, {"seats": rows})
    [sheet] = state.sheets
    detail = {
        "won": state.mode == "classic" and sheet.reason == "emperor",
        "stars": sheet.stars,
        "title": board.title(sheet.stars),
        "rank": board.rank(sheet.stars),
    }
    return Outcome(sheet.reason, ((0,),), scores, detail)
