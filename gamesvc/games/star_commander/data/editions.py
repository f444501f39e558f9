"""All differences between the two editions: the card lists in `cards.toml`, and the points below.

Code checks these points by name, never the name of the edition.
"""

from __future__ import annotations

from dataclasses import dataclass

from gamesvc.games.star_commander.data import CATALOGS, Catalog


@dataclass(frozen=True, slots=True)
class Edition:
    """One edition of the rules. Numbers in parentheses are sections of RULES.md."""

    id: str
    title: str
    actions_respondable: bool
    """Moves, builds of core vessels, developing and card trades go on the stack (RULES.md 6, 10)."""
    may_leave_unexplored: bool
    """The mover decides whether to explore (RULES.md 6)."""
    may_cross_one_realm: bool
    """Jumps between two systems of the same opponent are allowed (RULES.md 6)."""
    limit_counts: str
    """The ships that the building limit counts: `fighters` (per cell and on gains, too), or `ships` (RULES.md 6, 19.5, 19.6)."""
    fighters_found_colonies: bool
    """A fighter suffices for the first development (RULES.md 6)."""
    first_per_seat: bool
    """`first_developed` works once for each seat, not once per match (RULES.md 6)."""
    may_scrap: bool
    hand_full_discards: bool
    """A seat with a full hand discards before it draws; otherwise it skips the draw (RULES.md 8)."""
    decks_reshuffle: bool
    """An empty domain deck is refilled from its discard pile; otherwise it ends the match (RULES.md 8, 15)."""
    barred_cells_bar_moves: bool
    """`deny_entry` also forbids movement that is not a jump (RULES.md 19.26)."""
    lock_bars_moves: bool
    """`lock_movement` also stops movement that is not a jump (RULES.md 16)."""
    long_jump_lifts_fighters: bool
    """A fighter of speed 0 may make a long jump (RULES.md 19.10)."""
    may_skip_combat: bool
    contested_needs_ship: bool
    """A system is contested only while another seat has a ship there (RULES.md 12)."""
    fighters_get_abandoned: bool
    retreat_needs_rest: bool
    """Only ships that have not moved this turn may retreat; otherwise an unused jump suffices (RULES.md 11)."""
    stations_go_with_system: bool
    """Stations change hands with their system in trades between players (RULES.md 9)."""
    captured_home_eliminates: bool
    """Losing the Homeworld eliminates a seat; otherwise it ends the match for all (RULES.md 15)."""

    @property
    def cards(self) -> Catalog:
        return CATALOGS[self.id]

    @property
    def hand_limit(self) -> int:
        return self.cards.hand_limit


CLASSIC = Edition(
    id="classic",
    title="Classic",
    actions_respondable=False,
    may_leave_unexplored=True,
    may_cross_one_realm=True,
    limit_counts="fighters",
    fighters_found_colonies=True,
    first_per_seat=True,
    may_scrap=True,
    hand_full_discards=True,
    decks_reshuffle=True,
    barred_cells_bar_moves=True,
    lock_bars_moves=False,
    long_jump_lifts_fighters=True,
    may_skip_combat=True,
    contested_needs_ship=False,
    fighters_get_abandoned=True,
    retreat_needs_rest=True,
    stations_go_with_system=False,
    captured_home_eliminates=True,
)
REVISED = Edition(
    id="revised",
    title="Revised",
    actions_respondable=True,
    may_leave_unexplored=False,
    may_cross_one_realm=False,
    limit_counts="ships",
    fighters_found_colonies=False,
    first_per_seat=False,
    may_scrap=False,
    hand_full_discards=False,
    decks_reshuffle=False,
    barred_cells_bar_moves=False,
    lock_bars_moves=True,
    long_jump_lifts_fighters=False,
    may_skip_combat=False,
    contested_needs_ship=True,
    fighters_get_abandoned=False,
    retreat_needs_rest=False,
    stations_go_with_system=True,
    captured_home_eliminates=False,
)
EDITIONS = {edition.id: edition for edition in (CLASSIC, REVISED)}
