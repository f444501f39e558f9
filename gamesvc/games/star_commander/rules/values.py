"""Facts derived from a state: current values with all modifiers, siege, contest, domains, limits (RULES.md 4).

A `Board` belongs to one state and changes nothing. Results are cached in `computed`.
"""

from __future__ import annotations

from collections.abc import Iterator

from gamesvc.games.star_commander.data import DOMAINS, Card, Effect
from gamesvc.games.star_commander.data.editions import EDITIONS
from gamesvc.games.star_commander.rules.computed import facts_of
from gamesvc.games.star_commander.state import Cell, Modifier, State, Vessel, near


class Board:
    """The derived facts of one state."""

    def __init__(self, state: State) -> None:
        self.state = state
        self.edition = EDITIONS[state.edition]
        self.cards = self.edition.cards
        self.facts = facts_of(state)

    # --- places ---

    def card(self, vessel: Vessel) -> Card:
        return self.cards[vessel.card]

    def here(self, cell: str, seat: int | None = None) -> list[Vessel]:
        """Return the vessels in a cell, of one seat or of all."""
        found = self.facts.by_cell.get(cell, [])
        return found if seat is None else [vessel for vessel in found if vessel.controller == seat]

    def ships(self, cell: str, seat: int | None = None) -> list[Vessel]:
        return [vessel for vessel in self.here(cell, seat) if self.card(vessel).kind == "ship"]

    def stations(self, cell: str, seat: int | None = None) -> list[Vessel]:
        return [vessel for vessel in self.here(cell, seat) if self.card(vessel).kind == "station"]

    def fleet(self, seat: int) -> list[Vessel]:
        return [vessel for vessel in self.state.vessels.values() if vessel.controller == seat]

    def is_fighter(self, vessel: Vessel) -> bool:
        return self.card(vessel).size == "fighter"

    def fighters(self, seat: int) -> int:
        return sum(self.is_fighter(vessel) for vessel in self.fleet(seat))

    def living(self) -> list[int]:
        return [at for at, seat in enumerate(self.state.seats) if seat.alive]

    def clockwise(self, first: int) -> list[int]:
        """Return the living seats clockwise, starting with `first`."""
        n = len(self.state.seats)
        return [seat for seat in ((first + step) % n for step in range(n)) if self.state.seats[seat].alive]

    def controlled(self, seat: int) -> list[str]:
        """Return the cells a seat controls, in cell order."""
        return self.facts.controlled[seat]

    def devs(self, seat: int) -> int:
        return sum(self.state.cells[cell].devs for cell in self.controlled(seat))

    def system(self, cell: str) -> Card | None:
        """Return the card of an explored cell, or None: a face-down card has no effect, no domain and no protection."""
        found = self.state.cells[cell]
        return self.cards[found.card] if found.explored else None

    def geography(self, cell: str, op: str) -> Iterator[Effect]:
        """Yield effects that apply to everyone, even under siege and without a controller (RULES.md 19.41)."""
        card = self.system(cell)
        if card is not None:
            yield from (effect for effect in card.effects if effect.op == op)

    # --- values ---

    def modifiers(self, vessel: str, kind: str) -> list[Modifier]:
        marks = self.facts.modifiers.get(vessel)
        return [modifier for modifier in marks if modifier.kind == kind] if marks else []

    def technology(self, seat: int) -> list[Effect]:
        return self.facts.technology[seat]

    def _value(self, vessel: Vessel, stat: str) -> int:
        key, known = (vessel.id, stat), self.facts.values
        value = known.get(key)
        if value is None:
            value = known[key] = self._compute(vessel, stat)
        return value

    def _compute(self, vessel: Vessel, stat: str) -> int:
        value = self._standing(vessel.controller, vessel.card, stat)
        marks = self.facts.modifiers.get(vessel.id)
        if marks:
            value += sum(modifier.amount for modifier in marks if modifier.kind == stat)
        if self.cards[vessel.card].kind == "station":
            value += sum(
                int(effect.amount)
                for other in self.here(vessel.cell, vessel.controller)
                if other.id != vessel.id
                for effect in self.card(other).effects
                if effect.scope == "own_other_stations_here" and effect.stat == stat
            )
        return max(0, value)

    def _standing(self, seat: int, at: str, stat: str) -> int:
        """Return a card's value for a seat independent of the cell: printed, plus technologies, plus systems."""
        key = (seat, at, stat)
        if key in self.facts.printed:
            return self.facts.printed[key]
        card, op = self.cards[at], "extra_targets" if stat == "extra_targets" else "modify"
        if stat == "extra_targets":
            value = sum(int(e.amount) for e in card.effects if e.op == op and e.scope == "self")
        else:
            value = {"attack": card.attack, "hp": card.hp, "speed": card.speed}[stat]
        effects = list(self.technology(seat))
        if stat == "speed":  # systems change nothing else (checked by `data.load`), so a siege never depends on itself
            effects += [effect for _, system in self.active_systems(seat) for effect in system.effects]
        for effect in effects:
            if effect.op == op and effect.stat in (stat, "") and _covers(effect.scope, card):
                value += int(effect.amount)
        self.facts.printed[key] = value
        return value

    def attack(self, vessel: Vessel) -> int:
        return self._value(vessel, "attack")

    def hp(self, vessel: Vessel) -> int:
        return self._value(vessel, "hp")

    def speed(self, vessel: Vessel) -> int:
        return self._value(vessel, "speed")

    def extra_targets(self, vessel: Vessel) -> int:
        return self._value(vessel, "extra_targets")

    def cost(self, card: Card, seat: int) -> int:
        """Return what building this card costs the seat now."""
        value = card.cost
        if card.kind == "station":
            for effect in self.technology(seat):
                if effect.stat == "cost" and effect.scope == "own_station_builds":
                    value = max(effect.minimum, value + int(effect.amount))
        return value

    def is_lethal(self, damage: int, hp: int) -> bool:
        """Return True if this amount of damage destroys the vessel (RULES.md 19.2)."""
        return damage > 0 and (damage > hp if self.state.lethal == "more_than" else damage >= hp)

    def locked(self, vessel: Vessel) -> bool:
        return bool(self.modifiers(vessel.id, "lock"))

    def prevented(self, vessel: Vessel) -> bool:
        return bool(self.modifiers(vessel.id, "prevent"))

    def untargetable(self, vessel: Vessel) -> bool:
        return any(modifier.untargetable for modifier in self.modifiers(vessel.id, "prevent"))

    def can_attack(self, vessel: Vessel) -> bool:
        return self.attack(vessel) > 0 and not self.modifiers(vessel.id, "deny_attack")

    # --- systems ---

    def max_devs(self, cell: str) -> int:
        """Return the maximum development of an explored cell."""
        card = self.system(cell)
        if card is None:
            return 0
        bonus = sum(
            int(effect.amount)
            for station in self.stations(cell)
            for effect in self.card(station).effects
            if effect.stat == "max_development"
        )
        return card.max_development + bonus

    def besieged(self, cell: str) -> bool:
        """Return True if another seat's non-fighter ship is there and no armed vessel of the controller (RULES.md 19.12)."""
        known = self.facts.besieged
        if cell not in known:
            known[cell] = self._is_besieged(cell)
        return known[cell]

    def _is_besieged(self, cell: str) -> bool:
        controller = self.state.cells[cell].controller
        if controller is None:
            return False
        enemy = any(v.controller != controller and not self.is_fighter(v) for v in self.ships(cell))
        return enemy and not any(self.attack(vessel) > 0 for vessel in self.here(cell, controller))

    def contested(self, cell: str) -> bool:
        """Return True if there was combat since the controller's last turn.

        Revised: another seat must still have a ship there (RULES.md 12).
        """
        found = self.state.cells[cell]
        if found.controller is None or found.last_combat <= self.state.seats[found.controller].last_turn:
            return False
        if not self.edition.contested_needs_ship:
            return True
        return any(ship.controller != found.controller for ship in self.ships(cell))

    def domains(self, seat: int) -> list[str]:
        """Return the domains a seat controls. Siege does not matter."""
        held = {card.domain for cell in self.controlled(seat) if (card := self.system(cell))}
        return [domain for domain in DOMAINS if domain in held]

    def drawable(self, seat: int) -> list[str]:
        """Return the controlled domains with a card to draw. An empty deck may be refilled from its discard pile (RULES.md 8)."""
        state = self.state
        return [
            domain
            for domain in self.domains(seat)
            if state.decks[domain] or (self.edition.decks_reshuffle and state.discards[domain])
        ]

    def hand_is_full(self, seat: int) -> bool:
        return len(self.state.seats[seat].hand) >= self.edition.hand_limit

    def copies(self, seat: int, op: str) -> int:
        """Return how many technologies of a seat have this static effect."""
        return sum(
            effect.op == op for uid in self.state.seats[seat].technologies for effect in self.cards[self.state.faces[uid]].effects
        )

    def refuses_entry(self, vessel: Vessel, cell: str) -> bool:
        return any(self.card(vessel).size in effect.sizes for effect in self.geography(cell, "deny_entry"))

    def active_systems(self, seat: int) -> Iterator[tuple[str, Card]]:
        """Yield the controlled systems that are not besieged, so that their card works for the controller."""
        for cell in self.controlled(seat):
            card = self.system(cell)
            if card is not None and not self.besieged(cell):
                yield cell, card

    def next_to(self, cell: str) -> tuple[str, ...]:
        return near(cell, self.state.grid)

    def find(self, cell: str) -> Cell | None:
        return self.state.cells.get(cell)


def _covers(scope: str, card: Card) -> bool:
    if scope == "own_vessels":
        return True
    if scope == "own_ships":
        return card.kind == "ship"
    return scope == "own_fighters" and card.size == "fighter"
