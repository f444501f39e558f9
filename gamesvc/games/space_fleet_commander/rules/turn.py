"""The course of a turn (RULES.md 5, 6): automatic phases, hazards, and the end of sheets and match.

A `Turn` works through a list of steps. At a choice it emits an event with the remaining steps and stops (the step's method
returns True); the command that answers continues with them. Steps: `one` and `raider SLOT` (a sabotage cell), `seek` (targets),
`fail` (a failure hit), `tender SLOT`, `hazard KIND`, `corner`, `phase6`, `full`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from gamesvc.games.kernel.timeline import Run
from gamesvc.games.space_fleet_commander.data import COLOURS, ROSTER
from gamesvc.games.space_fleet_commander.events import damage, turns
from gamesvc.games.space_fleet_commander.events.base import SheetEvent
from gamesvc.games.space_fleet_commander.rules import missions
from gamesvc.games.space_fleet_commander.rules.rolls import PER_COLOUR, after_roll, numbered, place
from gamesvc.games.space_fleet_commander.state import (
    Die,
    Phase,
    Sheet,
    State,
    able,
    at_slot,
    in_attempt,
    live_beside,
    not_aside,
    pool,
)


class Turn:
    """The course of one seat's turn within a decision."""

    def __init__(self, run: Run[State], seat: int) -> None:
        self.run = run
        self.seat = seat

    @property
    def state(self) -> State:
        return self.run.state

    @property
    def sheet(self) -> Sheet:
        return self.run.state.sheets[self.seat]

    def emit(self, event: SheetEvent) -> None:
        """Emit an event, which is private in a race."""
        self.run.emit(replace(event, private=True) if self.state.mode == "race" else event)

    # --- chance ---

    def roll(self, attempt: int, number: int, dice: list[Die]) -> dict[str, int]:
        """Return values for dice in pool order: fresh, or in a race from the shared stream (RULES.md 9).

        `number`: roll 1 to 3.
        """
        if self.state.mode != "race":
            return {die.id: self.run.dice.roll(6) for die in dice}
        cell = f"{self.sheet.turn}.{attempt}.{number}"
        known = (self.state.stream or {}).get(cell)
        values = known or tuple(self.run.dice.roll(6) for _ in range(len(COLOURS) * PER_COLOUR))
        # A known cell is dealt again: omitting the event would reveal that another sheet has used it.
        self.emit(turns.StreamDealt(self.seat, cell=cell, values=list(values), used=sorted(place(die) for die in dice)))
        return {die.id: values[place(die)] for die in dice}

    def two_dice(self) -> tuple[int, int]:
        if self.state.mode != "race":
            return self.run.dice.roll(6), self.run.dice.roll(6)
        number = self.sheet.rolls
        known = self.state.hits[number] if number < len(self.state.hits) else None
        a, b = known or (self.run.dice.roll(6), self.run.dice.roll(6))
        self.emit(turns.StreamDealt(self.seat, hit=number, values=[a, b]))
        return a, b

    # --- phases ---

    def start_turn(self) -> None:
        """Start a turn: next turn number, stuck test, first attempt."""
        sheet = self.sheet
        dice = pool(sheet.ships, sheet.upgrades)
        board, planetfall = self.state.board, self.state.planetfall
        self.emit(turns.TurnStarted(self.seat, turn=sheet.turn + 1, dice=[[die.id, die.colour] for die in dice]))
        needs = [missions.min_dice(board.kind(at), planetfall) for at in missions.open_hexes(self.state, self.sheet)]
        if all(need > len(dice) for need in needs):
            self.finish("stuck")
            return
        self.attempt(1)

    def attempt(self, number: int) -> None:
        """Run Phase 1: roll every live die that is not set aside."""
        dice = numbered(not_aside(self.sheet))
        values = self.roll(number, 1, dice)
        index = {die.id: die.index for die in dice}
        phase = after_roll(self.sheet, values, 1)
        self.emit(turns.DiceRolled(self.seat, attempt=number, dice=values, index=index, phase=phase))
        self.settle()

    def settle(self) -> None:
        """Begin Phase 4 if a roll leaves no choice."""
        if self.sheet.phase == "resolve":
            self.count_ones()

    def count_ones(self) -> None:
        """Run Phase 4: count the dice showing 1, once (RULES.md 5)."""
        ones = [die.id for die in in_attempt(self.sheet) if die.value == 1]
        self.emit(turns.OnesCounted(self.seat, dice=ones, phase="resolve"))
        self.go(["one"] * len(ones) + ["seek"])

    def go(self, todo: Iterable[str]) -> None:
        """Run steps until none is left, a choice is open or the sheet is finished."""
        steps = list(todo)
        while steps and not self.sheet.finished:
            step, *steps = steps
            name, _, rest = step.partition(" ")
            match name:
                case "one":
                    stopped = self.sabotage(steps)
                case "raider":
                    stopped = rest in able(self.sheet, "extra_sabotage") and self.sabotage(steps)
                case "seek":
                    stopped = self.seek(steps)
                case "fail":
                    stopped = self.hit("failure", steps)
                case "tender":
                    stopped = self.tend(rest, steps)
                case "hazard":
                    stopped = self.hit("hex", steps) if rest == "damage" else self.lose_time("hex")
                case "corner":
                    stopped = self.corner(steps)
                case "phase6":
                    stopped = self.end_turn(steps)
                case _:
                    stopped = self.test_full()
            if stopped:
                return
        if not self.sheet.finished and self.sheet.phase == "resolve":
            self.next_turn()

    def sabotage(self, steps: list[str]) -> bool:
        """Mark the next cell and resolve its icon. Past the last cell nothing happens (RULES.md 12.15)."""
        cells = self.state.board.sabotage
        cell = self.sheet.sabotage + 1
        if cell > len(cells):
            return False
        icon = cells[cell - 1]
        self.emit(damage.SabotageMarked(self.seat, cell=cell, icon=icon))
        if icon == "damage":
            return self.hit("sabotage", steps)
        return self.lose_time("sabotage") if icon == "time" else False

    def seek(self, steps: list[str]) -> bool:
        """Run Phase 5: pause if there is a target, otherwise continue with 5b (RULES.md 12.9)."""
        if found := missions.any_target(self.state, self.sheet):
            self.emit(turns.TargetsFound(self.seat, hexes=found, phase="explore"))
            return True
        self.emit(turns.ExplorationFailed(self.seat))
        steps[:0] = ["fail", "fail", "phase6"]
        return False

    def explored(self, hazards: Iterable[str], ranks: range) -> None:
        """Run the rest of 5a after scoring: ranks and tenders, hazards, corner (RULES.md 12.17)."""
        steps: list[str] = []
        for rank in ranks:
            self.emit(turns.RankGained(self.seat, rank=rank, title=self.state.board.ranks[rank]))
            steps += [f"tender {slot}" for slot in able(self.sheet, "rank_hull")]
        self.go([*steps, *(f"hazard {hazard}" for hazard in hazards), "corner"])

    def corner(self, steps: list[str]) -> bool:
        if not missions.open_hexes(self.state, self.sheet):
            self.finish("cornered")
            return True
        if len(not_aside(self.sheet)) < 2:
            steps.append("phase6")
            return False
        self.emit(turns.PushOffered(self.seat, phase="push"))
        return True

    def end_turn(self, steps: list[str]) -> bool:
        """Run Phase 6."""
        self.emit(turns.TurnEnded(self.seat, turn=self.sheet.turn, phase="resolve"))
        if self.sheet.time < self.state.board.time_boxes:
            self.emit(damage.TimeMarked(self.seat, source="turn", box=self.sheet.time + 1))
        for slot in able(self.sheet, "extra_sabotage"):
            steps += [f"raider {slot}", "full"]
        return self.test_full()

    def test_full(self) -> bool:
        """End the sheet if its turn track is full in Phase 6 (RULES.md 12.12)."""
        if self.sheet.time >= self.state.board.time_boxes:
            self.finish("time")
            return True
        return False

    # --- hazards ---

    def lose_time(self, source: str) -> bool:
        if able(self.sheet, "ignore_time_hazard"):
            self.emit(damage.TimeIgnored(self.seat, source=source))
        elif self.sheet.time < self.state.board.time_boxes:
            self.emit(damage.TimeMarked(self.seat, source=source, box=self.sheet.time + 1))
        return False

    def hit(self, source: str, steps: list[str]) -> bool:
        """Roll 2d6 and damage the ship at that plot. Pauses if the player has a choice (RULES.md 6)."""
        a, b = self.two_dice()
        slot = ROSTER.plot[a + b]
        ship = at_slot(self.sheet, slot)
        struck = ship is not None and ship.live
        asks = struck and bool(bulwarks(self.sheet, slot) or (source != "sabotage" and hospitals(self.sheet)))
        phase: Phase = "hit" if asks else "resolve"
        self.emit(damage.HitRolled(self.seat, source=source, a=a, b=b, plot=slot, phase=phase, todo=list(steps) if asks else []))
        if asks:
            return True
        if struck:
            self.damage(slot)
        else:
            self.emit(damage.HitMissed(self.seat, source=source, plot=slot))
        return False

    def damage(self, slot: str) -> None:
        """Deal one damage. A destroyed ship's dice leave the game at once; a destroyed Drone Boat's upgrade ends."""
        ship = at_slot(self.sheet, slot)
        assert ship is not None
        self.emit(damage.ShipDamaged(self.seat, slot=slot, damage=ship.damage + 1, phase="resolve"))
        if ship.damage + 1 < ship.hull:
            return
        before = {die.id: die.colour for die in self.sheet.dice}
        after = {die.id: die.colour for die in pool(self.sheet.ships, self.sheet.upgrades)}
        lost = [die for die in before if die not in after]
        again = {die: colour for die, colour in after.items() if before.get(die, colour) != colour}
        self.emit(damage.ShipDestroyed(self.seat, slot=slot, ship=ship.ship, dice_lost=lost, colours=again))
        if not any(vessel.live for vessel in self.sheet.ships):
            self.finish("destroyed")

    def tend(self, slot: str, steps: list[str]) -> bool:
        """Apply a Repair Tender at a new rank: +1 hull for a live adjacent ship (RULES.md 12.16)."""
        beside = live_beside(self.sheet, slot)
        if len(beside) > 1:
            self.emit(turns.RepairDue(self.seat, tender=slot, candidates=beside, phase="repair", todo=list(steps)))
            return True
        if beside:
            self.add_hull(slot, beside[0])
        return False

    def add_hull(self, tender: str, target: str) -> None:
        ship = at_slot(self.sheet, target)
        assert ship is not None
        self.emit(turns.HullAdded(self.seat, tender=tender, slot=target, hull=ship.hull + 1, phase="resolve"))

    # --- endings ---

    def next_turn(self) -> None:
        """Start the next turn after Phase 6: at once, or in lockstep when all unfinished sheets have ended this one."""
        if self.state.lockstep:
            self.emit(turns.TurnAwaited(self.seat, phase="wait"))
            release(self.run)
        else:
            self.start_turn()

    def finish(self, reason: str) -> None:
        """End this sheet. The last one ends the match."""
        stars, board = self.sheet.stars, self.state.board
        self.emit(turns.SheetFinished(self.seat, reason=reason, stars=stars, title=board.title(stars), rank=board.rank(stars)))
        if all(other.finished for other in self.state.sheets):
            self.run.emit(turns.GameOver(stars=[other.stars for other in self.state.sheets]))
        else:
            release(self.run)


def release(run: Run[State]) -> None:
    """Start the next turn of all sheets in lockstep if every unfinished one is waiting."""
    while not run.state.over:
        unfinished = [seat for seat, sheet in enumerate(run.state.sheets) if not sheet.finished]
        if not unfinished or any(run.state.sheets[seat].phase != "wait" for seat in unfinished):
            return
        for seat in unfinished:
            # A stuck sheet finishes at once, which may already have released the others.
            if run.state.sheets[seat].phase == "wait":
                Turn(run, seat).start_turn()


def bulwarks(sheet: Sheet, slot: str) -> list[str]:
    """Return the slots of live Bulwark Ships adjacent to the ship hit. A Bulwark never protects itself (RULES.md 12.11)."""
    near = ROSTER.adjacent.get(slot, ())
    return [other for other in able(sheet, "take_damage") if other in near]


def hospitals(sheet: Sheet) -> list[str]:
    """Return the slots of live Hospital Barges not used in this attempt (RULES.md 12.10)."""
    return [slot for slot in able(sheet, "consequence_reroll") if slot not in sheet.used]
