"""The legal commands of a seat as forms: exactly what `decide` accepts, except that `form_fleet` is not listed."""

from __future__ import annotations

from collections.abc import Sequence

from gamesvc.games.kernel.game import Awaited, Form
from gamesvc.games.kernel.wording import counted, listed
from gamesvc.games.space_fleet_commander.data import ROSTER, SHIPS
from gamesvc.games.space_fleet_commander.rules import fleet, missions
from gamesvc.games.space_fleet_commander.rules.decide import REROLLED
from gamesvc.games.space_fleet_commander.rules.tinkering import adjust_labels, tinker_forms
from gamesvc.games.space_fleet_commander.rules.turn import bulwarks, hospitals
from gamesvc.games.space_fleet_commander.rules.wording import die_words, ship_words
from gamesvc.games.space_fleet_commander.state import ASKING, Sheet, State, at_slot, in_attempt, not_aside
from gamesvc.games.space_fleet_commander.text.narrate import HAZARDS
from gamesvc.json_types import JsonObject
from gamesvc.language import mark, say


def awaited(state: State) -> tuple[Awaited, ...]:
    """Return every seat that must act. In a race the prompt is generic, because the phase is private to the sheet."""
    return tuple(
        Awaited(seat, _prompt(state, sheet), f"{seat}.turn{sheet.turn}")
        for seat, sheet in enumerate(state.sheets)
        if sheet.phase in ASKING or (state.mode == "race" and sheet.phase == "resolve")
    )


def _prompt(state: State, sheet: Sheet) -> str:
    """Return the prompt for a seat. In a race it reveals no more than the public columns.

    In particular, it does not reveal that a seat is between two choices of a turn.
    """
    if state.mode != "race":
        return sheet.phase
    return "turn" if sheet.turn else "fleet"


def legal_commands(state: State, seat: int) -> tuple[Form, ...]:
    """Return the forms of a seat."""
    if not 0 <= seat < len(state.sheets) or state.sheets[seat].finished:
        return ()
    sheet = state.sheets[seat]
    return (*_forms(state, sheet), Form("resign", say("Resign: your sheet ends as it stands"), aside=True))


def _forms(state: State, sheet: Sheet) -> Sequence[Form]:
    match sheet.phase:
        case "fleet":
            return _fleet_forms(state, sheet)
        case "reroll_1" | "reroll_2":
            return [_reroll_form(sheet)]
        case "tinker":
            return tinker_forms(sheet)
        case "explore":
            return [_explore_form(state, sheet, target) for target in missions.targets(state, sheet)]
        case "repair":
            return _repair_forms(sheet)
        case "hit":
            return _hit_forms(sheet)
        case "push":
            return _push_forms(sheet)
        case _:
            return []


def _fleet_forms(state: State, sheet: Sheet) -> list[Form]:
    forms = []
    left = fleet.unplaced(state, sheet)
    for ship, entry in SHIPS.items():
        dice = [die for die in left if state.formation[die] == entry.face]
        slots = fleet.slots_for(sheet, ship) if dice else []
        if slots:
            parameters: JsonObject = {
                "die": {
                    "title": mark("Formation die"),
                    "enum": dice,
                    # All of them show the ship's number: which one is spent makes no difference.
                    "default": dice[0],
                    "labels": {str(die): say("{face} (die {die})", face=entry.face, die=die) for die in dice},
                },
                "ship": {"title": mark("Ship"), "enum": [ship], "labels": {ship: entry.name}},
                "slot": {"title": mark("Slot"), "enum": slots},
            }
            forms.append(Form("place_ship", say("Place {ship}", ship=entry.name), parameters))
    if not forms:
        forms.append(Form("confirm_fleet", say("Confirm the fleet and begin")))
    for slot in fleet.drones(sheet):
        names = {near: fleet.ship_name(v) for near in ROSTER.adjacent[slot] if (v := at_slot(sheet, near)) is not None}
        choices: list[str | None] = [*fleet.upgrade_targets(sheet, slot), None]
        labels = {near: say("{ship} in {slot}", ship=names[near], slot=near) for near in choices if near} | {
            "None": say("no ship")
        }
        schema = {"title": mark("Ship to upgrade"), "enum": choices, "labels": labels}
        forms.append(Form("set_upgrade", say("Drone Boat in {slot}", slot=slot), {"slot": {"enum": [slot]}, "target": schema}))
    taken = [vessel.slot for vessel in sheet.ships if vessel.slot != ROSTER.flag_slot]
    if taken:
        schema = {"title": mark("Slot"), "enum": taken, "labels": {slot: ship_words(sheet)[slot] for slot in taken}}
        forms.append(Form("remove_ship", say("Remove a ship"), {"slot": schema}, aside=True))
    return forms


def _reroll_form(sheet: Sheet) -> Form:
    colours = REROLLED[sheet.phase]
    dice = [die.id for die in in_attempt(sheet) if die.colour in colours]
    schema = {
        "title": mark("Dice to reroll"),
        "type": "array",
        "items": {"enum": dice, "labels": {die: words for die, words in die_words(sheet).items() if die in dice}},
        "uniqueItems": True,
        "minItems": 0,
        "maxItems": len(dice),
    }
    if sheet.phase == "reroll_1":
        return Form("reroll", say("Reroll red and white dice (none: keep all)"), {"dice": schema})
    return Form("reroll", say("Reroll white dice (none: keep all)"), {"dice": schema})


def _explore_form(state: State, sheet: Sheet, target: missions.Target) -> Form:
    kind = state.board.kind(target.hex)
    stars = missions.stars_of(state, sheet, target.hex)
    told = f"{target.hex}: {kind.name}, {counted(stars, 'star')}"
    if kind.hazards:
        told = say("{told}, hazard: {hazards}", told=told, hazards=listed(say(HAZARDS[hazard]) for hazard in kind.hazards))
    label = say("Explore {told}", told=told)
    parameters: JsonObject = {
        "hex": {"title": mark("Hex"), "enum": [target.hex], "labels": {target.hex: told}},
        "adjust": {"title": mark("Destroyers change"), "enum": target.adjust, "labels": adjust_labels(sheet, target.adjust)},
    }
    return Form("explore", label, parameters, required=("hex",))


def _repair_forms(sheet: Sheet) -> list[Form]:
    repair = sheet.repair
    assert repair is not None
    words = {slot: ship_words(sheet)[slot] for slot in repair.candidates}
    target = {"title": mark("Ship"), "enum": list(repair.candidates), "labels": words}
    return [
        Form(
            "repair",
            say("Repair Tender in {slot}: +1 hull", slot=repair.tender),
            {"tender": {"enum": [repair.tender]}, "target": target},
        )
    ]


def _hit_forms(sheet: Sheet) -> list[Form]:
    hit = sheet.hit
    assert hit is not None
    words = ship_words(sheet)
    forms = [Form("accept_hit", say("Take the hit: {ship}", ship=words[hit.slot]))]
    if hit.source != "sabotage" and hospitals(sheet):
        forms.append(Form("reroll_hit", say("Hospital Barge: reroll {a} + {b}", a=hit.a, b=hit.b)))
    if able := bulwarks(sheet, hit.slot):
        schema = {"title": mark("Bulwark Ship"), "enum": able, "labels": {slot: words[slot] for slot in able}}
        forms.append(Form("redirect_hit", say("Bulwark Ship takes the hit"), {"slot": schema}))
    return forms


def _push_forms(sheet: Sheet) -> list[Form]:
    dice = [die.id for die in not_aside(sheet)]
    labels = {die: words for die, words in die_words(sheet).items() if die in dice}
    schema = {"title": mark("Die to set aside"), "enum": dice, "labels": labels}
    return [Form("end_turn", say("End the turn")), Form("push_on", say("Push on without one die"), {"die": schema})]
