"""Small changes to frozen values, used by the event handlers."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from gamesvc.games.kernel.frozen import replace
from gamesvc.games.stratastar.data import RANK
from gamesvc.games.stratastar.state import Action, Offer, Player, State, Turn


def plus(counts: Mapping[str, int], key: str, n: int) -> dict[str, int]:
    """Return a copy of `counts` with `n` more of `key`, without zero entries."""
    changed = dict(counts)
    total = changed.get(key, 0) + n
    if total:
        changed[key] = total
    else:
        changed.pop(key, None)
    return changed


def added(hand: tuple[str, ...], cards: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted((*hand, *cards), key=RANK.__getitem__))


def taken_from(hand: tuple[str, ...], cards: Iterable[str]) -> tuple[str, ...]:
    left = list(hand)
    for card in cards:
        left.remove(card)
    return tuple(left)


def with_player(state: State, seat: int, player: Player, **changes: Any) -> State:
    """Return the state with a seat's new empire, and with other changes."""
    players = state.players
    return replace(state, players=(*players[:seat], player, *players[seat + 1 :]), **changes)


def discarded(state: State, seat: int, cards: Sequence[str]) -> State:
    """Move cards from a hand to the discard pile."""
    player = state.players[seat]
    return with_player(state, seat, replace(player, hand=taken_from(player.hand, cards)), discard=(*state.discard, *cards))


def offers_without(offers: tuple[Offer, ...], gone: Collection[int]) -> tuple[Offer, ...]:
    return tuple(offer for offer in offers if offer.id not in gone)


def seats_without(seats: tuple[int, ...], gone: int) -> tuple[int, ...]:
    return tuple(seat for seat in seats if seat != gone)


def on_turn(state: State, **changes: Any) -> State:
    return replace(state, turn=replace(state.turn, **changes))


def credited(turn: Turn, spent: Mapping[str, int], made: Mapping[str, int]) -> dict[str, int]:
    credit = turn.credit
    for kind, n in spent.items():
        credit = plus(credit, kind, -n)
    for kind, n in made.items():
        credit = plus(credit, kind, n)
    return credit if isinstance(credit, dict) else dict(credit)


def with_piece(player: Player, piece: str, space: str, n: int) -> Player:
    if piece == "fleet":
        return replace(player, fleets=plus(player.fleets, space, n))
    if piece == "warfleet":
        return replace(player, warfleets=plus(player.warfleets, space, n))
    if piece == "stargate":
        gates = (*player.stargates, space) if n > 0 else tuple(gate for gate in player.stargates if gate != space)
        return replace(player, stargates=gates)
    colonies = plus(player.colonies, space, n)
    raided = player.raided
    if raided.get(space, 0) > colonies.get(space, 0):
        raided = plus(raided, space, colonies.get(space, 0) - raided[space])
    return replace(player, colonies=colonies, raided=raided)


def emptied(pile: Mapping[str, int], kinds: Iterable[str]) -> dict[str, int]:
    left = dict(pile)
    for kind in kinds:
        left = plus(left, kind, -1)
    return left


def above(actions: tuple[Action, ...], action_id: int) -> tuple[Action, ...]:
    """Return the stack without an action and everything above it."""
    for at, action in enumerate(actions):
        if action.id == action_id:
            return actions[:at]
    return actions
