"""Combat damage: legal targets, guards, split fire, and the damage finally dealt (RULES.md 11)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from gamesvc.games.kernel.game import Refused
from gamesvc.games.kernel.wording import counted
from gamesvc.games.star_commander.events.plays import Shot
from gamesvc.games.star_commander.rules.values import Board
from gamesvc.games.star_commander.state import Combat, Vessel
from gamesvc.json_types import JsonMapping, JsonObject
from gamesvc.language import say

Assignments = Mapping[str, Sequence[JsonMapping]]


def fight(board: Board) -> Combat:
    combat = board.state.combat
    assert combat is not None
    return combat


def present(board: Board) -> list[int]:
    """Return the participants that still have a vessel in the cell."""
    combat = fight(board)
    return [seat for seat in combat.participants if board.here(combat.cell, seat)]


def spent(board: Board, vessel: str) -> tuple[int, set[str]]:
    """Return the damage a vessel has assigned so far, and its targets."""
    own = [assigned for assigned in fight(board).assigned if assigned.vessel == vessel]
    return sum(assigned.amount for assigned in own), {assigned.target for assigned in own}


def attackers(board: Board, seat: int) -> list[Vessel]:
    """Return the seat's vessels in the cell that still have attack and a target left to assign."""
    cell = fight(board).cell
    able = [vessel for vessel in board.here(cell, seat) if board.can_attack(vessel)]
    return [v for v in able if spent(board, v.id)[0] < board.attack(v) and targets_left(board, v)]


def enemies(board: Board, seat: int) -> list[Vessel]:
    return [vessel for vessel in board.here(fight(board).cell) if vessel.controller != seat]


def can_assign(board: Board, seat: int) -> bool:
    return bool(attackers(board, seat)) and bool(enemies(board, seat))


def doomed(board: Board, vessel: Vessel, more: int = 0) -> bool:
    """Return True if all damage marked and assigned so far is lethal. Prevention is ignored (RULES.md 19.28)."""
    coming = sum(assigned.amount for assigned in fight(board).assigned if assigned.target == vessel.id)
    return board.is_lethal(vessel.damage + coming + more, board.hp(vessel))


def is_guard(board: Board, vessel: Vessel) -> bool:
    return board.card(vessel).has("guard")


def in_reach(board: Board, seat: int) -> list[Vessel]:
    """Return the legal targets now: guards, and unguarded vessels of seats whose guards are all doomed."""
    found = enemies(board, seat)
    shut = {vessel.controller for vessel in found if is_guard(board, vessel) and not doomed(board, vessel)}
    return [vessel for vessel in found if is_guard(board, vessel) or vessel.controller not in shut]


def targets_left(board: Board, vessel: Vessel) -> int:
    """Return how many more targets a vessel may fire at."""
    return max(0, 1 + board.extra_targets(vessel) - len(spent(board, vessel.id)[1]))


def _bad_shots(code: str, sentence: str) -> Refused:
    return Refused(code, sentence, "assignments")


def check_assign(board: Board, seat: int, assignments: Assignments) -> list[Shot]:
    """Check assignments and return them as a flat list. Raises `Refused`."""
    state = board.state
    flat: list[Shot] = []
    able = {vessel.id for vessel in attackers(board, seat)}
    targets = {vessel.id for vessel in enemies(board, seat)}
    for at, shots in assignments.items():
        if at not in able:
            raise _bad_shots("illegal_target", say("{vessel} is not a vessel of yours here that can still attack.", vessel=at))
        vessel = state.vessels[at]
        before, used = spent(board, at)
        aimed = [shot["target"] for shot in shots]
        if len(set(aimed)) < len(aimed) or used & set(aimed):
            raise _bad_shots(
                "illegal_target", say("{vessel} names a target twice; name it once with the whole amount.", vessel=at)
            )
        for shot in shots:
            if shot["target"] not in targets:
                raise _bad_shots("illegal_target", say("{target} is not an enemy vessel in this combat.", target=shot["target"]))
            flat.append({"vessel": at, "target": shot["target"], "amount": shot["amount"], "attack": board.attack(vessel)})
        total = before + sum(shot["amount"] for shot in shots)
        if total > board.attack(vessel):
            raise _bad_shots(
                "limit",
                say("{vessel} has attack {attack}; {total} are assigned.", vessel=at, attack=board.attack(vessel), total=total),
            )
        if len(aimed) > targets_left(board, vessel):
            most = 1 + board.extra_targets(vessel)
            raise _bad_shots(
                "limit", say("{vessel} can divide its damage over {targets}.", vessel=at, targets=counted(most, "target"))
            )
    _check_guard(board, seat, flat)
    return flat


def _check_guard(board: Board, seat: int, flat: Sequence[Shot]) -> None:
    more: dict[str, int] = {}
    for shot in flat:
        more[shot["target"]] = more.get(shot["target"], 0) + shot["amount"]
    passed = {v.controller for v in enemies(board, seat) if v.id in more and not is_guard(board, v)}
    for vessel in enemies(board, seat):
        if vessel.controller in passed and is_guard(board, vessel) and not doomed(board, vessel, more.get(vessel.id, 0)):
            raise Refused(
                "guarded",
                say(
                    "{name} {vessel} guards; assign it lethal damage (hit points {hp}) first.",
                    name=board.card(vessel).name,
                    vessel=vessel.id,
                    hp=board.hp(vessel),
                ),
                "assignments",
            )


def return_fire(board: Board, seat: int) -> dict[str, list[JsonObject]]:
    """Fire only at seats that fired at this one.

    The strongest vessel goes first; each takes the most expensive lethal target (RULES.md 14).
    """
    state = board.state
    hostile = {a.seat for a in fight(board).assigned if state.vessels[a.target].controller == seat}
    coming: dict[str, int] = {}
    for assigned in fight(board).assigned:
        coming[assigned.target] = coming.get(assigned.target, 0) + assigned.amount

    def left(vessel: Vessel) -> int:
        return board.hp(vessel) - vessel.damage - coming.get(vessel.id, 0)

    def dead(vessel: Vessel, more: int = 0) -> bool:
        return board.is_lethal(vessel.damage + coming.get(vessel.id, 0) + more, board.hp(vessel))

    fired: dict[str, list[JsonObject]] = {}
    for vessel in sorted(attackers(board, seat), key=lambda v: (-board.attack(v), number(v.id))):
        fired_before, used = spent(board, vessel.id)
        aimed = [v for v in enemies(board, seat) if v.controller in hostile and not dead(v) and v.id not in used]
        shut = {v.controller for v in enemies(board, seat) if is_guard(board, v) and not dead(v)}
        aimed = [v for v in aimed if is_guard(board, v) or v.controller not in shut]
        if not aimed:
            continue
        power = board.attack(vessel) - fired_before
        kills = [v for v in aimed if dead(v, power)]
        if kills:
            target = min(kills, key=lambda v: (-board.card(v).cost, number(v.id)))
        else:
            target = min(aimed, key=lambda v: (left(v), number(v.id)))
        coming[target.id] = coming.get(target.id, 0) + power
        fired[vessel.id] = [{"target": target.id, "amount": power}]
    return fired


def number(vessel: str) -> int:
    return int(vessel[1:])


def arriving(board: Board) -> list[tuple[str, str, int]]:
    """Return the damage by and to vessels still here under the same control, at their present attack (RULES.md 19.18, 19.19)."""
    combat, state = fight(board), board.state
    hits: list[tuple[str, str, int]] = []
    for at in dict.fromkeys(assigned.vessel for assigned in combat.assigned):
        own = [assigned for assigned in combat.assigned if assigned.vessel == at]
        vessel = state.vessels.get(at)
        if vessel is None or vessel.cell != combat.cell or vessel.controller != own[0].seat:
            continue
        attack = board.attack(vessel)
        amounts = [assigned.amount for assigned in own]
        amounts[0] += max(0, attack - own[-1].attack)
        spare = sum(amounts) - attack
        for index in reversed(range(len(amounts))):
            cut = min(max(0, spare), amounts[index])
            amounts[index] -= cut
            spare -= cut
        for assigned, amount in zip(own, amounts, strict=True):
            target = state.vessels.get(assigned.target)
            if target is not None and target.cell == combat.cell and amount:
                hits.append((at, assigned.target, amount))
    return hits
