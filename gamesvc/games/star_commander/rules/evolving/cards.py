"""Credits and cards."""

from __future__ import annotations

from gamesvc.games.kernel.frozen import replace
from gamesvc.games.star_commander.events import cards
from gamesvc.games.star_commander.rules.evolving.changes import Handlers, discarded, unchanged, with_seat, without
from gamesvc.games.star_commander.state import State


def credits_changed(state: State, event: cards.CreditsGained | cards.CreditsSpent) -> State:
    return replace(state, seats=with_seat(state, event.seat, credits=event.credits))


def card_drawn(state: State, event: cards.CardDrawn) -> State:
    seat, domain, uid = event.seat, event.domain, event.uid
    decks = {**state.decks, domain: without(state.decks[domain], uid)}
    return replace(state, decks=decks, seats=with_seat(state, seat, hand=(*state.seats[seat].hand, uid)))


def card_discarded(state: State, event: cards.CardDiscarded) -> State:
    seat, domain, uid = event.seat, event.domain, event.uid
    discards = discarded(state, [(uid, domain)])
    if event.source == "deck":
        return replace(state, discards=discards, decks={**state.decks, domain: without(state.decks[domain], uid)})
    if event.source == "stack":
        return replace(state, discards=discards)
    return replace(state, discards=discards, seats=with_seat(state, seat, hand=without(state.seats[seat].hand, uid)))


def deck_reshuffled(state: State, event: cards.DeckReshuffled) -> State:
    domain = event.domain
    faces = {uid: card for uid, card in state.faces.items() if uid not in event.gone}
    faces.update((uid, card) for uid, card in event.deck)
    return replace(
        state,
        faces=faces,
        uids=state.uids + len(event.deck),
        decks={**state.decks, domain: tuple(uid for uid, _ in event.deck)},
        discards={**state.discards, domain: ()},
    )


def card_taken(state: State, event: cards.CardTaken) -> State:
    uid = event.uid
    seats = with_seat(state, event.victim, hand=without(state.seats[event.victim].hand, uid))
    state = replace(state, seats=seats)
    return replace(state, seats=with_seat(state, event.seat, hand=(*state.seats[event.seat].hand, uid)))


def technology_placed(state: State, event: cards.TechnologyPlaced) -> State:
    row = (*state.seats[event.seat].technologies, event.uid)
    return replace(state, seats=with_seat(state, event.seat, technologies=row))


HANDLERS: Handlers = {
    cards.CreditsGained: credits_changed,
    cards.CreditsSpent: credits_changed,
    cards.CardDrawn: card_drawn,
    cards.DrawSkipped: unchanged,
    cards.CardDiscarded: card_discarded,
    cards.DeckReshuffled: deck_reshuffled,
    cards.HandShown: unchanged,
    cards.CardTaken: card_taken,
    cards.TechnologyPlaced: technology_placed,
}
