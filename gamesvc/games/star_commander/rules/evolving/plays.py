"""The stack, combat, and trade between players."""

from __future__ import annotations

from gamesvc.games.kernel.frozen import replace
from gamesvc.games.star_commander.events import plays
from gamesvc.games.star_commander.rules.evolving.changes import Handlers, unchanged, with_cell, with_seat, without
from gamesvc.games.star_commander.state import Assigned, Combat, Item, Offer, Side, State, Window

# --- plays and priority ---


def item_added(state: State, event: plays.ItemAdded) -> State:
    item, seats, combat = Item(**event.item), state.seats, state.combat
    if item.uid is not None:
        seats = with_seat(state, item.seat, hand=without(state.seats[item.seat].hand, item.uid))
    if combat is not None:
        combat = replace(combat, passed=(), staying=())
    return replace(
        state,
        seats=seats,
        stack=(*state.stack, item),
        items_made=item.id,
        window=Window(event.window, event.priority),
        combat=combat,
    )


def ability_activated(state: State, event: plays.AbilityActivated) -> State:
    if event.once and state.combat is not None:
        state = replace(state, combat=replace(state.combat, used=(*state.combat.used, event.item["source"])))
    return item_added(state, event)


def priority_passed(state: State, event: plays.PriorityPassed) -> State:
    window = state.window
    if window is None:
        return state
    if event.rest:
        state = replace(state, resting=(*state.resting, *event.seats))
    if event.early:
        window = replace(window, asked=tuple(seat for seat in window.asked if seat not in event.seats))
        if event.play is not None:
            [seat] = event.seats
            return replace(state, window=replace(window, ready={**window.ready, seat: event.play}))
        return replace(state, window=replace(window, early=(*window.early, *event.seats)))
    if event.closed:
        return replace(state, window=None)
    return replace(state, window=replace(window, passed=(*window.passed, *event.seats)))


def stack_item_resolved(state: State, event: plays.StackItemResolved) -> State:
    return _off_the_stack(state, event.item)


def stack_item_fizzled(state: State, event: plays.StackItemFizzled) -> State:
    state = _off_the_stack(state, event.item)
    if event.returned is None:
        return state
    seat = state.seats[event.seat]
    hand, purse = (*seat.hand, event.returned), seat.credits + event.refund
    return replace(state, seats=with_seat(state, event.seat, hand=hand, credits=purse))


def _off_the_stack(state: State, at: int) -> State:
    return replace(state, stack=tuple(item for item in state.stack if item.id != at))


def stack_item_cancelled(state: State, event: plays.StackItemCancelled) -> State:
    stack = tuple(replace(item, cancelled=True) if item.id == event.item else item for item in state.stack)
    return replace(state, stack=stack)


# --- combat ---


def combat_opened(state: State, event: plays.CombatOpened) -> State:
    combat = Combat(event.cell, tuple(event.participants))
    return replace(state, combat=combat, fought=(*state.fought, event.cell))


def damage_assigned(state: State, event: plays.DamageAssigned) -> State:
    combat = state.combat
    if combat is not None:
        others = tuple(seat for seat in combat.passed if seat != event.seat)
        still = tuple(seat for seat in combat.staying if seat != event.seat)
        combat = replace(
            combat,
            passed=(*others, event.seat) if event.passes else others,
            staying=(*still, event.seat) if event.stays else still,
        )
    if combat is None or not event.shots:
        return replace(state, combat=combat)
    shots = tuple(Assigned(one["vessel"], event.seat, one["target"], one["amount"], one["attack"]) for one in event.shots)
    combat = replace(combat, assigned=combat.assigned + shots)
    return replace(state, combat=combat, cells=with_cell(state, event.cell, last_combat=event.turn))


def damage_redirected(state: State, event: plays.DamageRedirected) -> State:
    if state.combat is None:
        return state
    assigned = tuple(
        replace(one, target=event.to, redirected=True) if one.target == event.from_vessel and not one.redirected else one
        for one in state.combat.assigned
    )
    return replace(state, combat=replace(state.combat, assigned=assigned))


def combat_closed(state: State, event: plays.CombatClosed) -> State:
    return replace(state, combat=None)


# --- trade between players ---


def read_side(data: plays.SideData) -> Side:
    return Side(
        credits=data["credits"],
        hand=tuple(data["hand"]),
        cards=data["cards"],
        technologies=tuple(data["technologies"]),
        vessels=tuple(data["vessels"]),
        systems=tuple(data["systems"]),
    )


def trade_offered(state: State, event: plays.TradeOffered) -> State:
    give, want = read_side(event.give), read_side(event.want)
    offer = Offer(event.offer, event.seat, event.to, give, want, event.note or "")
    return replace(state, offers=(*state.offers, offer), offers_made=offer.id)


def trade_closed(state: State, event: plays.TradeDeclined | plays.TradeWithdrawn) -> State:
    return _without_offer(state, event.offer)


def trade_completed(state: State, event: plays.TradeCompleted) -> State:
    state = _without_offer(state, event.offer)
    for one, two in ((event.maker, event.taker), (event.taker, event.maker)):
        seat = state.seats[one["seat"]]
        hand = (*without(seat.hand, *one["hand"]), *two["hand"])
        row = (*without(seat.technologies, *one["technologies"]), *two["technologies"])
        state = replace(state, seats=with_seat(state, one["seat"], credits=one["purse"], hand=hand, technologies=row))
    return state


def _without_offer(state: State, at: int) -> State:
    return replace(state, offers=tuple(offer for offer in state.offers if offer.id != at))


def trades_lapsed(state: State, event: plays.TradesLapsed) -> State:
    return replace(state, offers=())


HANDLERS: Handlers = {
    plays.CardPlayed: item_added,
    plays.AbilityActivated: ability_activated,
    plays.ActionDeclared: item_added,
    plays.PriorityPassed: priority_passed,
    plays.StackItemResolved: stack_item_resolved,
    plays.StackItemFizzled: stack_item_fizzled,
    plays.StackItemCancelled: stack_item_cancelled,
    plays.CombatOpened: combat_opened,
    plays.DamageAssigned: damage_assigned,
    plays.DamageRedirected: damage_redirected,
    plays.CombatClosed: combat_closed,
    plays.RetreatDeclined: unchanged,
    plays.TradeOffered: trade_offered,
    plays.TradeCompleted: trade_completed,
    plays.TradeDeclined: trade_closed,
    plays.TradeWithdrawn: trade_closed,
    plays.TradesLapsed: trades_lapsed,
}
