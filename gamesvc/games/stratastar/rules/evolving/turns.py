"""Handlers of the course of a match: the beginning, turns and their phases, seats that leave, the end."""

from __future__ import annotations

from gamesvc.games.kernel.frozen import replace
from gamesvc.games.stratastar.events.turns import (
    AbilityGained,
    BoardLaid,
    CardsDiscarded,
    CardsDrawn,
    DeckReshuffled,
    DraftOpened,
    FleetsDisbanded,
    GameOver,
    HandsDealt,
    HazardRemoved,
    HomeworldPlaced,
    OrdersSet,
    PhaseEnded,
    SeatEliminated,
    TurnOrderSet,
    TurnStarted,
)
from gamesvc.games.stratastar.rules.changes import (
    added,
    discarded,
    offers_without,
    on_turn,
    seats_without,
    taken_from,
    with_piece,
    with_player,
)
from gamesvc.games.stratastar.rules.evolving import Handlers
from gamesvc.games.stratastar.state import Action, Chart, Ended, Options, Orders, Player, State, Turn
from gamesvc.json_types import JsonObject

# --- the beginning ---


def board_laid(state: State | None, event: BoardLaid) -> State:
    chosen = dict(event.options)
    chosen["abilities_all"] = tuple(chosen["abilities_all"])
    chosen["abilities_by_seat"] = {int(seat): tuple(owned) for seat, owned in chosen["abilities_by_seat"].items()}
    orders = Orders(when_unable=event.when_unable or "ask")
    players = tuple(Player(abilities=tuple(owned), orders=orders) for owned in event.abilities)
    placement = tuple(event.placement)
    return State(
        options=Options(**chosen),
        players=players,
        chart=Chart(dict(event.chits), frozenset(event.unknown), pile=dict(event.pile)),
        turn=Turn("homeworld", placement[0]),
        placement=placement,
    )


def homeworld_placed(state: State, event: HomeworldPlaced) -> State:
    state = with_player(state, event.seat, replace(state.players[event.seat], home=event.corner))
    return state if event.next is None else on_turn(state, active=event.next)


def hazard_removed(state: State, event: HazardRemoved) -> State:
    chits = {space: kind for space, kind in state.chart.chits.items() if space != event.space}
    return replace(state, chart=replace(state.chart, chits=chits))


def turn_order_set(state: State, event: TurnOrderSet) -> State:
    return replace(state, order=tuple(event.order))


def hands_dealt(state: State, event: HandsDealt) -> State:
    players = []
    for player, hand in zip(state.players, event.hands):
        if player.home is None:
            players.append(player)
            continue
        gates = (player.home,) if event.stargates else ()
        players.append(replace(player, hand=added((), hand), fleets={player.home: event.fleets}, stargates=gates))
    return replace(state, players=tuple(players), deck=tuple(event.deck))


def draft_opened(state: State, event: DraftOpened) -> State:
    picking = tuple(event.seats)
    return on_turn(state, phase="ability_draft", active=picking[0], picking=picking, choice=tuple(event.pool))


def ability_gained(state: State, event: AbilityGained) -> State:
    player, turn = state.players[event.seat], state.turn
    picking = turn.picking[1:]
    turn = replace(turn, choice=tuple(event.choice), picking=picking, active=picking[0] if picking else turn.active)
    return with_player(state, event.seat, replace(player, abilities=(*player.abilities, event.ability)), turn=turn)


# --- course of a turn ---


def turn_started(state: State, event: TurnStarted) -> State:
    return with_player(
        state,
        event.seat,
        replace(state.players[event.seat], turns=event.own_turn, last_move=()),
        turn=Turn("retool", event.seat, event.turn, event.round),
        actions=(),
        battle=None,
        waiting=None,
        offers=offers_without(state.offers, event.offers_ended),
    )


def phase_ended(state: State, event: PhaseEnded) -> State:
    turn = replace(state.turn, phase=event.next, credit={}, blocked=(), free_move=event.free_move)
    offers = offers_without(state.offers, event.offers_ended)
    if not event.clears_raids:
        return replace(state, turn=turn, offers=offers)
    return with_player(state, event.seat, replace(state.players[event.seat], raided={}), turn=turn, offers=offers)


def cards_discarded(state: State, event: CardsDiscarded) -> State:
    return discarded(state, event.seat, event.cards)


def cards_drawn(state: State, event: CardsDrawn) -> State:
    player = state.players[event.seat]
    drawn = replace(player, hand=added(player.hand, event.cards))
    return with_player(state, event.seat, drawn, deck=state.deck[len(event.cards) :])


def deck_reshuffled(state: State, event: DeckReshuffled) -> State:
    return replace(state, deck=tuple(event.deck), discard=())


def fleets_disbanded(state: State, event: FleetsDisbanded) -> State:
    player = state.players[event.seat]
    for group in event.disband:
        if group["fleets"]:
            player = with_piece(player, "fleet", group["space"], -group["fleets"])
        if group["warfleets"]:
            player = with_piece(player, "warfleet", group["space"], -group["warfleets"])
    player = replace(player, hand=taken_from(player.hand, event.builds))
    return with_player(state, event.seat, player, discard=(*state.discard, *event.builds))


def orders_set(state: State, event: OrdersSet) -> State:
    told: JsonObject = dict(event.orders)
    told["diplomacy_spaces"] = tuple(told["diplomacy_spaces"])
    told["sabotage_kinds"] = tuple(told["sabotage_kinds"])
    return with_player(state, event.seat, replace(state.players[event.seat], orders=Orders(**told)))


# --- leaving and ending ---


def seat_eliminated(state: State, event: SeatEliminated) -> State:
    seat = event.seat
    gone = state.players[seat]
    player = Player(abilities=gone.abilities, orders=gone.orders, records=gone.records, turns=gone.turns, alive=False)
    state = with_player(state, seat, player, discard=(*state.discard, *event.hand))
    if event.world is not None:
        state = replace(state, chart=replace(state.chart, chits={**state.chart.chits, event.world: "world"}))
    ended = {offer.id for offer in state.offers if seat in (offer.seat, offer.to)}
    battle = state.battle
    if battle is not None:
        battle = replace(
            battle,
            participants=seats_without(battle.participants, seat),
            waiting=seats_without(battle.waiting, seat),
            commits={one: cards for one, cards in battle.commits.items() if one != seat},
        )
    turn = replace(
        state.turn,
        calling=seats_without(state.turn.calling, seat),
        picking=seats_without(state.turn.picking, seat),
        active=state.turn.active if event.next is None else event.next,
    )
    return replace(
        state,
        offers=offers_without(state.offers, ended),
        waiting=None if state.waiting in ended else state.waiting,
        treaties=tuple(one for one in state.treaties if seat not in (one.seat, one.partner)),
        actions=_without(state.actions, seat),
        battle=battle,
        turn=turn,
    )


def _without(actions: tuple[Action, ...], gone: int) -> tuple[Action, ...]:
    """Return the stack up to the first action of the seat that has gone, with nothing asked of it."""
    left: tuple[Action, ...] = ()
    for action in actions:
        if action.seat == gone:
            break
        later = {seat: command for seat, command in action.later.items() if seat != gone}
        left = (*left, replace(action, asked=seats_without(action.asked, gone), later=later))
    return left


def game_over(state: State, event: GameOver) -> State:
    ended = Ended(event.reason, tuple(tuple(group) for group in event.ranking), tuple(event.scores))
    turn = replace(state.turn, phase="over", choice=(), calling=(), picking=())
    return replace(state, ended=ended, turn=turn, actions=(), battle=None, waiting=None, offers=())


HANDLERS: Handlers = {
    BoardLaid: board_laid,
    HomeworldPlaced: homeworld_placed,
    HazardRemoved: hazard_removed,
    TurnOrderSet: turn_order_set,
    HandsDealt: hands_dealt,
    DraftOpened: draft_opened,
    AbilityGained: ability_gained,
    TurnStarted: turn_started,
    PhaseEnded: phase_ended,
    CardsDiscarded: cards_discarded,
    CardsDrawn: cards_drawn,
    DeckReshuffled: deck_reshuffled,
    FleetsDisbanded: fleets_disbanded,
    OrdersSet: orders_set,
    SeatEliminated: seat_eliminated,
    GameOver: game_over,
}
