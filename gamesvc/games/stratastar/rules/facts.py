"""Facts derived from a state: ownership, limits, contacts, treaties, contested spaces. Read-only."""

from __future__ import annotations

from collections.abc import Iterator

from gamesvc.games.stratastar import data
from gamesvc.games.stratastar.data.geometry import ADJACENT, in_order, region
from gamesvc.games.stratastar.state import Player, State


def alive(state: State) -> tuple[int, ...]:
    """Return the seats still in the game in turn order; in seat order until the turn order is set."""
    seats = state.order or range(len(state.players))
    return tuple(seat for seat in seats if state.players[seat].alive)


def from_active(state: State) -> tuple[int, ...]:
    """Return the seats still in the game in turn order, starting with the active one."""
    at = state.order.index(state.turn.active)
    return tuple(seat for seat in state.order[at:] + state.order[:at] if state.players[seat].alive)


def opponents(state: State, seat: int) -> tuple[int, ...]:
    return tuple(one for one in alive(state) if one != seat)


def has(state: State, seat: int, ability: str) -> bool:
    return ability in state.players[seat].abilities


def may_gate(state: State, seat: int) -> bool:
    """Return True if the seat may build and use Stargates (RULES.md 10, low technology)."""
    return not state.options.low_technology or has(state, seat, "stargates")


# --- pieces ---


def fleets_in_play(player: Player) -> int:
    """Return the number of Fleets and Warfleets. They share the supply and count 1 each for support."""
    return sum(player.fleets.values()) + sum(player.warfleets.values())


def has_fleet(player: Player, space: str) -> bool:
    return space in player.fleets or space in player.warfleets


def has_unit(player: Player, space: str) -> bool:
    return space in player.fleets or space in player.warfleets or space in player.colonies


def stands(player: Player, space: str) -> bool:
    """Return True if the player has a unit, the Homeworld or a Stargate in the space."""
    return has_unit(player, space) or player.home == space or space in player.stargates


def fleet_spaces(player: Player) -> list[str]:
    return in_order(player.fleets.keys() | player.warfleets.keys())


def unit_spaces(player: Player) -> list[str]:
    return in_order(player.fleets.keys() | player.warfleets.keys() | player.colonies.keys())


def pieces(player: Player) -> Iterator[tuple[str, str]]:
    """Yield each kind of piece per space: (piece, space)."""
    for space in in_order(player.fleets):
        yield "fleet", space
    for space in in_order(player.warfleets):
        yield "warfleet", space
    for space in in_order(player.colonies):
        yield "colony", space
    for space in in_order(player.stargates):
        yield "stargate", space


def has_piece(player: Player, piece: str, space: str) -> bool:
    if piece == "stargate":
        return space in player.stargates
    return space in {"fleet": player.fleets, "warfleet": player.warfleets, "colony": player.colonies}[piece]


def has_supply(player: Player, piece: str) -> bool:
    """Return True if one more of a piece can be placed (RULES.md 1)."""
    if piece == "colony":
        return sum(player.colonies.values()) < data.COLONIES
    if piece == "stargate":
        return len(player.stargates) < data.STARGATES
    return fleets_in_play(player) < data.FLEETS


def colonies_at(state: State, space: str) -> int:
    """Return the number of colonies of all owners in the space."""
    return sum(player.colonies.get(space, 0) for player in state.players)


def worlds(player: Player) -> int:
    """Return the number of worlds with a colony of the player. Two colonies on one world count once."""
    return len(player.colonies)


def counted(player: Player) -> int:
    """Return the number of colonies that count in the player's own turn, without raided ones."""
    return sum(player.colonies.values()) - sum(player.raided.values())


def hand_limit(state: State, seat: int) -> int:
    """Return the hand size up to which the seat draws in the coming production (RULES.md 6, 16.3)."""
    player = state.players[seat]
    colonies = counted(player) if seat == state.turn.active else sum(player.colonies.values())
    return data.BASE_HAND + colonies // data.COLONIES_PER_CARD + ("hand_size" in player.abilities)


def capacity(player: Player, builds: int = 0) -> int:
    """Return the number of fleets supported after discarding Build cards worth `builds` (RULES.md 6)."""
    return data.BASE_SUPPORT + (counted(player) + builds) // data.COLONIES_PER_SUPPORT


def excess(player: Player, builds: int = 0) -> int:
    return max(0, fleets_in_play(player) - capacity(player, builds))


def spendable(state: State, seat: int) -> tuple[str, ...]:
    """Return the hand without the cards committed to the current battle."""
    hand = state.players[seat].hand
    if state.battle is None or not state.battle.commits.get(seat):
        return hand
    left = list(hand)
    for card in state.battle.commits[seat]:
        left.remove(card)
    return tuple(left)


# --- map ---


def chit(state: State, space: str) -> str:
    """Return the publicly known chit of a space: a kind, `blank` or `unknown`."""
    if space in state.chart.unknown:
        return "unknown"
    return state.chart.chits.get(space, "blank")


def is_hazard(state: State, space: str) -> bool:
    return state.chart.chits.get(space) in data.HAZARDS


def is_calm(state: State, space: str) -> bool:
    """Return True for a known space without a hazard."""
    return space not in state.chart.unknown and not is_hazard(state, space)


def homes(state: State) -> list[str]:
    return [player.home for player in state.players if player.home is not None]


def joined(state: State, closed: str | None = None) -> bool:
    """Return True if all Homeworlds are connected.

    Unknown spaces count as open, scouted ones as they are, and `closed` as blocked.
    """
    chart, hazards = state.chart, data.HAZARDS

    def is_open(space: str) -> bool:
        return space != closed and chart.chits.get(space) not in hazards and chart.scouted.get(space) not in hazards

    ends = homes(state)
    return not ends or set(ends) <= region(ends[0], is_open)


def in_contact(state: State, a: int, b: int) -> bool:
    """Return True if exploration allows two seats to trade."""
    return not state.options.exploration or (min(a, b), max(a, b)) in state.chart.contacts


def _places(player: Player) -> set[str]:
    spaces = set(player.fleets) | set(player.warfleets) | set(player.colonies) | set(player.stargates)
    return spaces if player.home is None else spaces | {player.home}


def touching(state: State, a: int, b: int) -> bool:
    """Return True if pieces of both seats are in the same or adjacent spaces."""
    ours, theirs = _places(state.players[a]), _places(state.players[b])
    return any(space in theirs or any(near in theirs for near in ADJACENT[space]) for space in ours)


# --- treaties and battles ---


def allied(state: State, a: int, b: int) -> bool:
    """Return True if a treaty binds the two seats."""
    return any({one.seat, one.partner} == {a, b} for one in state.treaties)


def foes_at(state: State, seat: int, space: str) -> tuple[int, ...]:
    """Return the seats with a unit, Homeworld or Stargate in the space that no treaty binds to `seat`."""
    return tuple(
        one for one in alive(state) if one != seat and stands(state.players[one], space) and not allied(state, seat, one)
    )


def contested(state: State, seat: int) -> list[str]:
    """Return the spaces where `seat` may want a battle and none was fought this phase (RULES.md 8)."""
    return [space for space in unit_spaces(state.players[seat]) if space not in state.turn.fought and foes_at(state, seat, space)]


def force(player: Player, space: str) -> int:
    """Return the force in a space without cards (RULES.md 8)."""
    return (
        player.fleets.get(space, 0)
        + player.colonies.get(space, 0)
        + 2 * player.warfleets.get(space, 0)
        + (4 if player.home == space else 0)
    )


def fleet_force(player: Player, space: str) -> int:
    return player.fleets.get(space, 0) + 2 * player.warfleets.get(space, 0)


def sort_key(player: Player) -> tuple[int, int, int]:
    """Return the ranking key of a seat: worlds, colonies, fleets (RULES.md 13)."""
    return worlds(player), sum(player.colonies.values()), fleets_in_play(player)


def is_pending(state: State) -> bool:
    """Return True if something must be answered before the active seat continues."""
    return bool(state.actions or state.battle or state.waiting is not None or state.turn.choice)
