"""Handlers of events between empires: treaties, offers, battles."""

from __future__ import annotations

from gamesvc.games.kernel.frozen import replace
from gamesvc.games.stratastar.events.dealings import (
    AttackCommitted,
    AttacksRevealed,
    BattleCancelled,
    BattleDeclared,
    BattleResolved,
    CallsOpened,
    CardsSwapped,
    HomeworldCaptured,
    OfferMade,
    OfferRejected,
    OfferVoid,
    OfferWithdrawn,
    TreatyEnded,
    TreatyMade,
    UnitsDestroyed,
)
from gamesvc.games.stratastar.rules.changes import (
    added,
    discarded,
    offers_without,
    on_turn,
    seats_without,
    taken_from,
    with_player,
)
from gamesvc.games.stratastar.rules.evolving import Handlers
from gamesvc.games.stratastar.rules.evolving.actions import same
from gamesvc.games.stratastar.state import Battle, Offer, State, Treaty

# --- treaties and offers ---


def treaty_made(state: State, event: TreatyMade) -> State:
    others = _treaties_but(state, event.seat, event.partner)
    return replace(state, treaties=(*others, Treaty(event.seat, event.partner, event.until)))


def treaty_ended(state: State, event: TreatyEnded) -> State:
    return replace(state, treaties=_treaties_but(state, event.seat, event.partner))


def _treaties_but(state: State, seat: int, partner: int) -> tuple[Treaty, ...]:
    return tuple(one for one in state.treaties if (one.seat, one.partner) != (seat, partner))


def offer_made(state: State, event: OfferMade) -> State:
    offer = Offer(event.id, event.seat, event.to, dict(event.give), dict(event.want), event.keep, event.wait)
    waiting = offer.id if offer.wait else state.waiting
    return replace(state, offers=(*state.offers, offer), waiting=waiting, next_id=offer.id + 1)


def offer_gone(state: State, event: OfferRejected | OfferWithdrawn | OfferVoid | CardsSwapped) -> State:
    waiting = None if state.waiting == event.id else state.waiting
    return replace(state, offers=offers_without(state.offers, (event.id,)), waiting=waiting)


def cards_swapped(state: State, event: CardsSwapped) -> State:
    giver, taker = state.players[event.seat], state.players[event.by]
    state = with_player(state, event.seat, replace(giver, hand=added(taken_from(giver.hand, event.give), event.want)))
    state = with_player(state, event.by, replace(taker, hand=added(taken_from(taker.hand, event.want), event.give)))
    return offer_gone(state, event)


# --- battles ---


def calls_opened(state: State, event: CallsOpened) -> State:
    return on_turn(state, calling=tuple(event.seats))


def battle_declared(state: State, event: BattleDeclared) -> State:
    battle = Battle(event.id, event.space, event.seat, tuple(event.participants), tuple(event.waiting))
    turn = replace(state.turn, fought=(*state.turn.fought, event.space), calling=())
    return replace(state, turn=turn, battle=battle, next_id=event.id + 1)


def attack_committed(state: State, event: AttackCommitted) -> State:
    battle = state.battle
    assert battle is not None
    commits = {**battle.commits, event.seat: tuple(event.cards)}
    waiting = seats_without(battle.waiting, event.seat)
    return replace(state, battle=replace(battle, commits=commits, waiting=waiting))


def attacks_revealed(state: State, event: AttacksRevealed) -> State:
    for seat, cards in event.commits.items():
        state = discarded(state, int(seat), cards)
    battle = state.battle
    assert battle is not None
    return replace(state, battle=replace(battle, commits={}, waiting=()))


def battle_over(state: State, event: BattleResolved | BattleCancelled) -> State:
    return replace(state, battle=None)


def units_destroyed(state: State, event: UnitsDestroyed) -> State:
    space = event.space
    for key in event.losses:
        player = state.players[int(key)]
        player = replace(
            player,
            fleets={at: n for at, n in player.fleets.items() if at != space},
            warfleets={at: n for at, n in player.warfleets.items() if at != space},
            colonies={at: n for at, n in player.colonies.items() if at != space},
            raided={at: n for at, n in player.raided.items() if at != space},
            stargates=tuple(at for at in player.stargates if at != space),
        )
        state = with_player(state, int(key), player)
    return state


HANDLERS: Handlers = {
    TreatyMade: treaty_made,
    TreatyEnded: treaty_ended,
    OfferMade: offer_made,
    OfferRejected: offer_gone,
    OfferWithdrawn: offer_gone,
    OfferVoid: offer_gone,
    CardsSwapped: cards_swapped,
    CallsOpened: calls_opened,
    BattleDeclared: battle_declared,
    AttackCommitted: attack_committed,
    AttacksRevealed: attacks_revealed,
    BattleResolved: battle_over,
    BattleCancelled: battle_over,
    UnitsDestroyed: units_destroyed,
    HomeworldCaptured: same,
}
