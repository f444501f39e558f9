"""The view of a seat or a spectator."""

from __future__ import annotations

from gamesvc.games.kernel import codec
from gamesvc.games.kernel.game import Data, Viewer
from gamesvc.games.star_commander.data import DOMAINS
from gamesvc.games.star_commander.rules.effects.lasting import lasting
from gamesvc.games.star_commander.rules.legal import awaited
from gamesvc.games.star_commander.rules.values import Board
from gamesvc.games.star_commander.rules.windows import choices
from gamesvc.games.star_commander.state import Combat, Item, Offer, Orders, Side, State, Vessel, Window
from gamesvc.json_types import JsonObject

PRIVATE_PARAMS = ("uids", "discard")


def view(state: State, viewer: Viewer) -> JsonObject:
    board, seat = Board(state), viewer
    me = state.seats[seat] if seat is not None and 0 <= seat < len(state.seats) else None
    return {
        "edition": state.edition,
        "grid": state.grid,
        "lethal": state.lethal,
        "trade": state.trade,
        "turn_limit": state.turn_limit,
        "turn": state.turn,
        "active": state.active,
        "phase": state.phase,
        "extra": list(state.extra),
        "prompt": _prompt(board, seat),
        "awaited": [one.as_json() for one in awaited(state)],
        "seat": seat,
        "seats": [_seat(board, at) for at in range(len(state.seats))],
        "hand": [] if me is None else [[uid, state.faces[uid]] for uid in me.hand],
        "orders": None if me is None else codec.to_json(me.orders, Orders),
        "cells": _cells(board),
        "vessels": _vessels(board),
        "decks": {domain: len(state.decks[domain]) for domain in DOMAINS},
        "discards": {domain: [state.faces[uid] for uid in state.discards[domain]] for domain in DOMAINS},
        "undealt": len(state.undealt),
        "supply": dict(state.supply),
        "stack": [_item(board, item, seat) for item in state.stack],
        "window": _window(state.window, seat) if state.window else None,
        "combat": _combat(state.combat, seat) if state.combat else None,
        "resting": [at for at in state.resting if at == seat],
        "fought": list(state.fought),
        "offers": [_offer(state, offer, seat) for offer in state.offers],
        "result": codec.to_json(state.result, type(state.result)) if state.result else None,
    }


def _prompt(board: Board, viewer: Viewer) -> JsonObject:
    """Return the prompt: its kind for everyone, and its contents for the asked seat until it answers."""
    prompt, state = board.state.prompt, board.state
    told: JsonObject = {"kind": prompt.kind, "seat": prompt.seat, "what": prompt.what}
    if prompt.kind != "choice" or prompt.answered:
        return told
    if prompt.what == "take_card" and (viewer == prompt.seat or state.work[-1]["reveal"] == "all"):
        hand = state.seats[choices.victim(state)].hand
        told["cards"] = [[uid, state.faces[uid]] for uid in hand]
    if prompt.what == "keep_or_discard" and viewer == prompt.seat:
        top = state.decks[state.work[-1]["domain"]][0]
        told["cards"] = [[top, state.faces[top]]]
    return told


def with_own(data: Data, name: str, viewer: Viewer) -> JsonObject:
    """Return the data with the list of seats that passed in advance reduced to the viewer's own seat."""
    return {**data, name: [seat for seat in data[name] if seat == viewer]}


def _window(window: Window, viewer: Viewer) -> JsonObject:
    shown = dict(with_own(codec.to_json(window, Window), "early", viewer))
    return {**shown, "ready": {seat: play for seat, play in shown["ready"].items() if seat == str(viewer)}}


def _combat(combat: Combat, viewer: Viewer) -> JsonObject:
    return dict(with_own(with_own(codec.to_json(combat, Combat), "passed", viewer), "staying", viewer))


def _seat(board: Board, at: int) -> JsonObject:
    state = board.state
    seat = state.seats[at]
    return {
        "alive": seat.alive,
        "credits": seat.credits,
        "hand": len(seat.hand),
        "hand_limit": board.edition.hand_limit,
        "technologies": [[uid, state.faces[uid]] for uid in seat.technologies],
        "limit_counts": board.edition.limit_counts,
        **_holdings(board, at),
        "turns_taken": seat.turns_taken,
        "last_turn": seat.last_turn,
    }


def _holdings(board: Board, at: int) -> JsonObject:
    """Return the totals of a seat's belongings on the board."""
    shown, key = board.facts.shown, ("holdings", at)
    if key not in shown:
        shown[key] = {
            "devs": board.devs(at),
            "systems": len(board.controlled(at)),
            "ships": sum(board.card(vessel).kind == "ship" for vessel in board.fleet(at)),
            "fighters": board.fighters(at),
            "domains": board.domains(at),
        }
    return shown[key]


def _cells(board: Board) -> JsonObject:
    """Return all cells. The result is the same for every viewer, and cached until an event changes a cell."""
    shown, key = board.facts.shown, ("cells", *(seat.last_turn for seat in board.state.seats))
    if key not in shown:
        shown[key] = {name: _cell(board, name) for name in board.state.cells}
    return dict(shown[key])


def _vessels(board: Board) -> JsonObject:
    """Return all vessels, cached like `_cells`."""
    shown, key = board.facts.shown, ("vessels", board.state.turn)
    if key not in shown:
        shown[key] = {vessel.id: _vessel(board, vessel) for vessel in board.state.vessels.values()}
    return dict(shown[key])


def _cell(board: Board, name: str) -> JsonObject:
    cell = board.state.cells[name]
    card = board.system(name)
    return {
        "card": card.id if card else None,
        "name": card.name if card else None,
        "domain": card.domain if card else None,
        "grade": card.grade if card else None,
        "controller": cell.controller,
        "devs": cell.devs,
        "max": board.max_devs(name),
        "home": cell.home,
        "developed_by": list(cell.first_developed_by),
        "besieged": board.besieged(name),
        "contested": board.contested(name),
    }


def _vessel(board: Board, vessel: Vessel) -> JsonObject:
    card, state = board.card(vessel), board.state
    found: JsonObject = {
        "card": card.id,
        "name": card.name,
        "kind": card.kind,
        "size": card.size,
        "seat": vessel.controller,
        "cell": vessel.cell,
        "attack": board.attack(vessel),
        "hp": board.hp(vessel),
        "lasting": lasting(board.facts.modifiers.get(vessel.id, ())),
    }
    if card.kind == "ship":
        found["speed"], found["jumps"] = board.speed(vessel), vessel.jumps
    marks = {
        "damage": vessel.damage,
        "locked": board.locked(vessel),
        "prevented": board.prevented(vessel),
        "untargetable": board.untargetable(vessel),
        "disarmed": bool(board.modifiers(vessel.id, "deny_attack")),
        "long_jump": bool(board.modifiers(vessel.id, "long_jump")),
        "extra_targets": board.extra_targets(vessel),
        "new": vessel.since == state.turn,
        "moved": vessel.moved,
    }
    return found | {name: value for name, value in marks.items() if value}


def _item(board: Board, item: Item, viewer: Viewer) -> JsonObject:
    told = item_for(codec.to_json(item, Item), viewer)
    told["card"] = board.state.faces[item.uid] if item.uid is not None else None
    return told


def item_for(item: JsonObject, viewer: Viewer) -> JsonObject:
    """Return an item as a viewer may see it: `hold` and chosen hand cards only for its player.

    Revealed cards include their uid.
    """
    if item["seat"] == viewer:
        return item
    told = {name: value for name, value in item.items() if name != "hold"}
    if isinstance(item["params"], dict):
        told["params"] = {name: value for name, value in item["params"].items() if name not in PRIVATE_PARAMS}
    return told


def _offer(state: State, offer: Offer, viewer: Viewer) -> JsonObject:
    told: JsonObject = {"id": offer.id, "maker": offer.maker, "to": offer.to}
    if viewer in (offer.maker, offer.to):
        told["give"], told["want"] = codec.to_json(offer.give, Side), codec.to_json(offer.want, Side)
        # An offer outlives its card until the end of the act. A reshuffle in between gives the card another uid.
        told["cards"] = [[uid, state.faces[uid]] for uid in offer.give.hand if uid in state.faces]
        told["note"] = offer.note
    return told
