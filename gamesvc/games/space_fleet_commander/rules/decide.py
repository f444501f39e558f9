"""Commands to events."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from gamesvc.games.kernel.game import Command, Refused
from gamesvc.games.kernel.timeline import Run
from gamesvc.games.kernel.wording import counted
from gamesvc.games.space_fleet_commander.data import SHIPS
from gamesvc.games.space_fleet_commander.events import damage, opening, turns
from gamesvc.games.space_fleet_commander.rules import fleet, missions
from gamesvc.games.space_fleet_commander.rules.rolls import after_roll
from gamesvc.games.space_fleet_commander.rules.tinkering import check_tinker
from gamesvc.games.space_fleet_commander.rules.turn import Turn, bulwarks, hospitals
from gamesvc.games.space_fleet_commander.state import Sheet, State, able, not_aside, pool
from gamesvc.json_types import JsonMapping, JsonObject
from gamesvc.language import joined, mark, say

PHASE_WORDS = {
    "fleet": mark("the fleet is being formed"),
    "reroll_1": mark("red and white dice may be rerolled"),
    "reroll_2": mark("white dice may be rerolled"),
    "tinker": mark("ships may change dice at the end of Phase 3"),
    "explore": mark("a hex must be chosen to explore"),
    "repair": mark("a Repair Tender has two ships to choose from"),
    "hit": mark("a hit must be taken, rerolled or redirected"),
    "push": mark("you push on or end the turn"),
    "wait": mark("your sheet waits for the others to end the turn"),
    "finished": mark("your sheet is finished"),
    "resolve": mark("the turn is being resolved"),
}


REROLLED = {"reroll_1": ("white", "red"), "reroll_2": ("white",)}


def decide(run: Run[State], seat: int, command: Command) -> None:
    """Decide a command of a seat. Raises `Refused` with the codes of RULES.md 7."""
    if not 0 <= seat < len(run.state.sheets):
        raise Refused("not_a_seat", say("There is no seat {seat} in this match.", seat=seat))
    turn = Turn(run, seat)
    name = command["name"]
    if turn.sheet.finished:
        raise Refused("wrong_phase", say("Your sheet is finished; there is nothing left to do on it."))
    phases, act = _COMMANDS[name]
    if phases and turn.sheet.phase not in phases:
        raise Refused(
            "wrong_phase", say("{name} is not possible now: {phase}.", name=name, phase=say(PHASE_WORDS[turn.sheet.phase]))
        )
    act(turn, command)


def _place_ship(turn: Turn, command: Command) -> None:
    die, ship, slot = command["die"], command["ship"], command["slot"]
    fleet.check_place(turn.state, turn.sheet, die, ship, slot)
    entry = SHIPS[ship]
    turn.emit(opening.ShipPlaced(turn.seat, die=die, ship=ship, slot=slot, hull=entry.hull, dice=list(entry.dice)))


def _remove_ship(turn: Turn, command: Command) -> None:
    gone = fleet.check_remove(turn.sheet, command["slot"])
    turn.emit(opening.ShipRemoved(turn.seat, slots=gone, upgrades=fleet.upgrades_without(turn.sheet, gone)))


def _set_upgrade(turn: Turn, command: Command) -> None:
    fleet.check_upgrade(turn.sheet, command["slot"], command["target"])
    turn.emit(opening.UpgradeSet(turn.seat, slot=command["slot"], target=command["target"]))


def _confirm_fleet(turn: Turn, command: Command) -> None:
    left = fleet.placeable(turn.state, turn.sheet)
    if left:
        die, ship, slot = left[0]
        raise Refused(
            "dice_left",
            say(
                "Die {die} can still place a ship, for example the {ship} in slot {slot}.",
                die=die,
                ship=SHIPS[ship].name,
                slot=slot,
            ),
        )
    dice = pool(turn.sheet.ships, turn.sheet.upgrades)
    turn.emit(opening.FleetConfirmed(turn.seat, pool=[[die.id, die.colour] for die in dice]))
    turn.start_turn()


def _form_fleet(turn: Turn, command: Command) -> None:
    """Run all single commands in sequence, then confirm. A refusal discards the whole run."""
    for at, placement in enumerate(command["placements"]):
        _in_list(_place_ship, turn, placement, f"placements.{at}")
    for at, upgrade in enumerate(command.get("upgrades", ())):
        _in_list(_set_upgrade, turn, upgrade, f"upgrades.{at}")
    _confirm_fleet(turn, command)


def _in_list(act: Callable[[Turn, Command], None], turn: Turn, item: Command, path: str) -> None:
    try:
        act(turn, item)
    except Refused as refused:
        raise Refused(refused.code, refused.sentence, f"{path}.{refused.parameter}" if refused.parameter else path) from None


def _reroll(turn: Turn, command: Command) -> None:
    sheet = turn.sheet
    number = 2 if sheet.phase == "reroll_1" else 3
    allowed = REROLLED[sheet.phase]
    chosen = set(command["dice"])
    for name in command["dice"]:
        die = next((die for die in sheet.dice if die.id == name and die.status == "live"), None)
        if die is None:
            may = ", ".join(d.id for d in sheet.dice if d.status == "live" and d.colour in allowed)
            raise Refused(
                "not_in_attempt",
                say("There is no die {name} in this attempt. You may reroll: {may}.", name=name, may=may),
                "dice",
            )
        if die.colour not in allowed:
            may = ", ".join(d.id for d in sheet.dice if d.status == "live" and d.colour in allowed)
            raise Refused(
                "colour_not_allowed",
                say("{name} is {colour}. Now you may reroll {may}.", name=name, colour=say(die.colour), may=may),
                "dice",
            )
    if len(chosen) < len(command["dice"]):
        raise Refused("bad_parameter", say("dice must not name a die twice."), "dice")
    if chosen:
        values = turn.roll(sheet.attempt, number, [die for die in sheet.dice if die.id in chosen])
        turn.emit(turns.DiceRerolled(turn.seat, roll=number, dice=values, phase=after_roll(turn.sheet, values, number)))
    else:
        turn.emit(turns.DiceKept(turn.seat, roll=number, phase=after_roll(sheet, {}, number)))
    turn.settle()


def _tinker(turn: Turn, command: Command) -> None:
    adjust, remove = command["adjust"], command["remove"]
    check_tinker(turn.sheet, adjust, remove)
    _adjust_dice(turn, adjust)
    for entry in remove:
        turn.emit(turns.DieRemoved(turn.seat, ship=entry["ship"], die=entry["die"]))
    turn.count_ones()


def _adjust_dice(turn: Turn, steps: Sequence[JsonMapping]) -> None:
    for step in steps:
        value = next(die.value for die in turn.sheet.dice if die.id == step["die"])
        turn.emit(turns.DieAdjusted(turn.seat, ship=step["ship"], die=step["die"], before=value, value=value + step["delta"]))


def _explore(turn: Turn, command: Command) -> None:
    place = command["hex"]
    adjust = _check_explore(turn.state, turn.sheet, place, command.get("adjust"))
    _adjust_dice(turn, adjust)
    state, sheet, board = turn.state, turn.sheet, turn.state.board
    kind = board.kind(place)
    stars = missions.stars_of(state, sheet, place)
    total = sheet.stars + stars
    turn.emit(turns.HexExplored(turn.seat, hex=place, kind=kind.id, stars=stars, total=total))
    if state.mode == "classic" and total >= board.stars_to_win:
        turn.finish("emperor")
        return
    turn.explored(kind.hazards, range(board.rank(sheet.stars) + 1, board.rank(total) + 1))


def _check_explore(state: State, sheet: Sheet, place: str, adjust: Sequence[JsonMapping] | None) -> Sequence[JsonMapping]:
    """Return the adjustments to make. Raises `Refused` unless the hex is a target with exactly these."""
    board = state.board
    found = missions.targets(state, sheet)
    can = say("You can explore {hexes}.", hexes=", ".join(target.hex for target in found))
    if place not in board.places:
        raise Refused("not_adjacent", say("There is no hex {place!r}. {can}", place=place, can=can), "hex")
    if place in sheet.path:
        raise Refused("already_explored", say("{place} is already explored. {can}", place=place, can=can), "hex")
    if place not in board.neighbours[sheet.token]:
        raise Refused(
            "not_adjacent", say("{place} is not adjacent to {token}. {can}", place=place, token=sheet.token, can=can), "hex"
        )
    kind = board.kind(place)
    if adjust and not kind.combat:
        raise Refused(
            "not_combat",
            say("{place} is {name}: Destroyers change dice for combat hexes only.", place=place, name=kind.name),
            "adjust",
        )
    target = next((target for target in found if target.hex == place), None)
    if target is None:
        raise Refused(
            "requirement_not_met",
            say("{place} ({name}) needs: {mission}. {can}", place=place, name=kind.name, mission=say(kind.text), can=can),
            "hex",
        )
    if adjust is None:
        return target.adjust[0]
    wanted = [{"ship": step["ship"], "die": step["die"], "delta": step["delta"]} for step in adjust]
    if wanted not in target.adjust:
        raise Refused("bad_adjust", _adjust_words(place, target.adjust), "adjust")
    return wanted


def _adjust_words(place: str, lists: list[list[JsonObject]]) -> str:
    if lists == [[]]:
        return say("{place}: no Destroyer is needed; leave adjust empty.", place=place)
    best = "; ".join(
        say("Destroyer {ship} changes {die} by {delta:+d}", ship=step["ship"], die=step["die"], delta=step["delta"])
        for step in lists[0]
    )
    return say(
        "{place}: exactly {adjustments}, by the first Destroyers in roster order. For example: {best}.",
        place=place,
        adjustments=counted(len(lists[0]), "adjustment"),
        best=best,
    )


def _repair(turn: Turn, command: Command) -> None:
    repair = turn.sheet.repair
    assert repair is not None
    if command["tender"] != repair.tender:
        raise Refused(
            "not_live", say("It is the Repair Tender in slot {tender} that repairs now.", tender=repair.tender), "tender"
        )
    if command["target"] not in repair.candidates:
        near = " or ".join(repair.candidates)
        raise Refused("no_target", say("This Repair Tender can add hull to the ship in slot {near}.", near=near), "target")
    todo = turn.sheet.todo
    turn.add_hull(command["tender"], command["target"])
    turn.go(todo)


def _accept_hit(turn: Turn, command: Command) -> None:
    hit, todo = turn.sheet.hit, turn.sheet.todo
    assert hit is not None
    turn.damage(hit.slot)
    turn.go(todo)


def _reroll_hit(turn: Turn, command: Command) -> None:
    hit, todo = turn.sheet.hit, turn.sheet.todo
    assert hit is not None
    if hit.source == "sabotage":
        raise Refused("not_live", say("A Hospital Barge rerolls hits of Phase 5 only, not sabotage."))
    free = hospitals(turn.sheet)
    if not free:
        none = say("You have no Hospital Barge to reroll with.")
        used = able(turn.sheet, "consequence_reroll")
        raise Refused("not_live", joined(none, say("Each rerolls once per attempt.")) if used else none)
    turn.emit(damage.HospitalUsed(turn.seat, slot=free[0]))
    steps = list(todo)
    if not turn.hit(hit.source, steps):
        turn.go(steps)


def _redirect_hit(turn: Turn, command: Command) -> None:
    hit, todo = turn.sheet.hit, turn.sheet.todo
    assert hit is not None
    may = bulwarks(turn.sheet, hit.slot)
    if command["slot"] not in may:
        known = say("Possible: {slots}.", slots=", ".join(may)) if may else say("There is none.")
        raise Refused(
            "not_live",
            say("Only a live Bulwark Ship adjacent to slot {slot} can take this hit. {known}", slot=hit.slot, known=known),
            "slot",
        )
    turn.emit(damage.HitRedirected(turn.seat, source=hit.source, origin=hit.slot, slot=command["slot"]))
    turn.damage(command["slot"])
    turn.go(todo)


def _push_on(turn: Turn, command: Command) -> None:
    sheet = turn.sheet
    free = [die.id for die in not_aside(sheet)]
    if command["die"] not in free:
        raise Refused(
            "not_in_attempt",
            say("You cannot set aside {die}. Choose one of: {free}.", die=command["die"], free=", ".join(free)),
            "die",
        )
    turn.emit(turns.DieSetAside(turn.seat, die=command["die"]))
    turn.attempt(sheet.attempt + 1)


def _end_turn(turn: Turn, command: Command) -> None:
    turn.go(["phase6"])


def _resign(turn: Turn, command: Command) -> None:
    turn.finish("resigned")


_COMMANDS: dict[str, tuple[tuple[str, ...], Callable[[Turn, Command], None]]] = {
    "place_ship": (("fleet",), _place_ship),
    "remove_ship": (("fleet",), _remove_ship),
    "set_upgrade": (("fleet",), _set_upgrade),
    "confirm_fleet": (("fleet",), _confirm_fleet),
    "form_fleet": (("fleet",), _form_fleet),
    "reroll": (("reroll_1", "reroll_2"), _reroll),
    "tinker": (("tinker",), _tinker),
    "explore": (("explore",), _explore),
    "repair": (("repair",), _repair),
    "accept_hit": (("hit",), _accept_hit),
    "reroll_hit": (("hit",), _reroll_hit),
    "redirect_hit": (("hit",), _redirect_hit),
    "push_on": (("push",), _push_on),
    "end_turn": (("push",), _end_turn),
    "resign": ((), _resign),
}
