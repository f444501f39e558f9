"""What a viewer may see: of the state (`view`), of an event (`redact`), and everything else dealt anew (`redeal`).

Hidden are (RULES.md 17): decks, face-down systems, the undealt ones, other hands, other standing orders, looks at a
top card or a hand, and what a trade between two others holds. So is what another seat has decided in advance: to pass or
to play something in a window, not to retreat, or to be asked again after its own play. Others learn of it when it happens.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from gamesvc.games import codec
from gamesvc.games.dice import Dice
from gamesvc.games.kernel import Awaited, Data, Event, Viewer
from gamesvc.games.star_commander import choices
from gamesvc.games.star_commander.board import Board
from gamesvc.games.star_commander.data import DOMAINS
from gamesvc.games.star_commander.lasting import lasting
from gamesvc.games.star_commander.play import TURN_PROMPTS
from gamesvc.games.star_commander.state import Combat, Item, Offer, Orders, Side, State, Vessel, Window

_KINDS = {"ready_draw": "turn", "command": "turn", "combat_choose": "turn", "choice": "choice", "window": "reaction"}
PRIVATE_PARAMS = ("uids", "discard")


def awaited(state: State) -> tuple[Awaited, ...]:
    """The seat that must act (RULES.md 5), and in a window those behind it that can answer already.

    Its own turn is one question, what comes in between are others. A round of a window is one question, whoever has priority.
    """
    prompt = state.prompt
    if prompt.seat < 0:
        return ()
    if prompt.kind == "window":
        behind, number = (state.window.asked, state.window.question) if state.window else ((), 0)
        name = f"ask{number or prompt.number}"
        return tuple(Awaited(seat, prompt.kind, name, "reaction") for seat in (prompt.seat, *behind))
    own = prompt.seat == state.active
    turn = prompt.kind == "ready_draw" or prompt.kind in TURN_PROMPTS or (own and prompt.kind.startswith("combat"))
    kind = _KINDS.get(prompt.kind, "turn" if turn else "reaction")
    return (Awaited(prompt.seat, prompt.kind, f"turn{state.turn}" if turn else f"ask{prompt.number}", kind),)


# --- the view ---


def view(state: State, viewer: Viewer) -> dict[str, Any]:
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


def _prompt(board: Board, viewer: Viewer) -> dict[str, Any]:
    """The kind for everybody; for the seat that is asked, until it answers, what it looks at."""
    prompt, state = board.state.prompt, board.state
    told: dict[str, Any] = {"kind": prompt.kind, "seat": prompt.seat, "what": prompt.what}
    if prompt.kind != "choice" or prompt.answered:
        return told
    if prompt.what == "take_card" and (viewer == prompt.seat or state.work[-1]["reveal"] == "all"):
        hand = state.seats[choices.victim(state)].hand
        told["cards"] = [[uid, state.faces[uid]] for uid in hand]
    if prompt.what == "keep_or_discard" and viewer == prompt.seat:
        top = state.decks[state.work[-1]["domain"]][0]
        told["cards"] = [[top, state.faces[top]]]
    return told


def with_own(data: Data, name: str, viewer: Viewer) -> dict[str, Any]:
    """The data with only the viewer's own seat left in a list of seats that passed in advance."""
    return {**data, name: [seat for seat in data[name] if seat == viewer]}


def _window(window: Window, viewer: Viewer) -> dict[str, Any]:
    shown = dict(with_own(codec.to_json(window, Window), "early", viewer))
    return {**shown, "ready": {seat: play for seat, play in shown["ready"].items() if seat == str(viewer)}}


def _combat(combat: Combat, viewer: Viewer) -> dict[str, Any]:
    return dict(with_own(with_own(codec.to_json(combat, Combat), "passed", viewer), "staying", viewer))


def _seat(board: Board, at: int) -> dict[str, Any]:
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


def _holdings(board: Board, at: int) -> dict[str, Any]:
    """What a seat has on the board."""
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


def _cells(board: Board) -> dict[str, Any]:
    """All cells; the same for every viewer, and the same again after an event that changes none of them."""
    shown, key = board.facts.shown, ("cells", *(seat.last_turn for seat in board.state.seats))
    if key not in shown:
        shown[key] = {name: _cell(board, name) for name in board.state.cells}
    return dict(shown[key])


def _vessels(board: Board) -> dict[str, Any]:
    """All vessels; see `_cells`."""
    shown, key = board.facts.shown, ("vessels", board.state.turn)
    if key not in shown:
        shown[key] = {vessel.id: _vessel(board, vessel) for vessel in board.state.vessels.values()}
    return dict(shown[key])


def _cell(board: Board, name: str) -> dict[str, Any]:
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


def _vessel(board: Board, vessel: Vessel) -> dict[str, Any]:
    card, state = board.card(vessel), board.state
    found: dict[str, Any] = {
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


def _item(board: Board, item: Item, viewer: Viewer) -> dict[str, Any]:
    told = item_for(codec.to_json(item, Item), viewer)
    told["card"] = board.state.faces[item.uid] if item.uid is not None else None
    return told


def item_for(item: dict[str, Any], viewer: Viewer) -> dict[str, Any]:
    """An item as a viewer may see it: `hold` and named hand cards only for its player. What was revealed has its uid shown."""
    if item["seat"] == viewer:
        return item
    told = {name: value for name, value in item.items() if name != "hold"}
    if isinstance(item["params"], dict):
        told["params"] = {name: value for name, value in item["params"].items() if name not in PRIVATE_PARAMS}
    return told


def _offer(state: State, offer: Offer, viewer: Viewer) -> dict[str, Any]:
    told: dict[str, Any] = {"id": offer.id, "maker": offer.maker, "to": offer.to}
    if viewer in (offer.maker, offer.to):
        told["give"], told["want"] = codec.to_json(offer.give, Side), codec.to_json(offer.want, Side)
        # An offer outlives its card until the end of the act; a reshuffle in between gives the card another uid.
        told["cards"] = [[uid, state.faces[uid]] for uid in offer.give.hand if uid in state.faces]
        told["note"] = offer.note
    return told


# --- events ---


def redact(event: Event, viewer: Viewer) -> Data | None:
    """The data of an event as a viewer may see it; None: only that it exists."""
    data = event.data
    match event.type:
        case "game_set_up":
            return _set_up_for(data)
        case "standing_orders_set":
            return data if data["seat"] == viewer else None
        case "card_drawn":
            return data if data["seat"] == viewer else {k: v for k, v in data.items() if k not in ("uid", "card")}
        case "choice_requested":
            hidden = ("work",) if data["seat"] == viewer else ("work", "uid", "card", "domain")
            return {name: value for name, value in data.items() if name not in hidden}
        case "choice_made":
            private = data["what"] in ("take_card", "discard")
            return {k: v for k, v in data.items() if k != "value"} if private and data["seat"] != viewer else data
        case "hand_shown":
            shown = data["to"] is None or viewer in (data["to"], data["seat"])
            return data if shown else {"seat": data["seat"], "to": data["to"]}
        case "card_taken":
            shown = data["public"] or viewer in (data["seat"], data["victim"])
            return data if shown else {k: v for k, v in data.items() if k not in ("uid", "card")}
        case "card_played" | "ability_activated" | "action_declared":
            return {**data, "item": item_for(data["item"], viewer)}
        case "phase_entered" if "passed" in data:
            return with_own(data, "passed", viewer)
        case "priority_passed" if data.get("early"):
            if viewer in data["seats"]:
                return data
            return {name: data[name] for name in ("seats", "early", "sealed")} if "sealed" in data else None
        case "damage_assigned":
            return data if data["seat"] == viewer else {k: v for k, v in data.items() if k not in ("passes", "stays")}
        case "priority_passed" if "rest" in data:
            return data if viewer in data["seats"] else {k: v for k, v in data.items() if k != "rest"}
        case "deck_reshuffled":
            return {"domain": data["domain"], "cards": len(data["deck"])}
        case "trade_offered":
            if viewer in (data["seat"], data["to"]):
                return data
            return {"offer": data["offer"], "seat": data["seat"], "to": data["to"]}
        case "trade_completed":
            return _trade_for(data, viewer)
    return data


def _set_up_for(data: Data) -> dict[str, Any]:
    hidden = ("decks", "faces", "undealt")
    told = {name: value for name, value in data.items() if name not in hidden}
    told["cells"] = [[name, card if home is not None else None, home] for name, card, home in data["cells"]]
    return told


def _trade_for(data: Data, viewer: Viewer) -> dict[str, Any]:
    if viewer in (data["maker"]["seat"], data["taker"]["seat"]):
        return dict(data)
    told = {name: value for name, value in data.items() if name != "cards"}
    for side in ("maker", "taker"):
        told[side] = {**data[side], "hand": len(data[side]["hand"])}
    return told


_TELLING = frozenset(
    {
        "game_set_up",
        "card_drawn",
        "deck_reshuffled",
        "system_explored",
        "hand_shown",
        "card_taken",
        "card_played",
        "action_declared",
        "trade_completed",
        "trade_offered",
        "card_discarded",
        "player_eliminated",
    }
)


def reveals(event: Event) -> bool:
    """Return True if somebody learnt something hidden: cards, systems, looks, and answers given by orders or beforehand."""
    if event.type in _TELLING or event.data.get("auto") is True or event.data.get("prepared") is True:
        return True
    return event.type == "choice_requested" and "card" in event.data


# --- dealing anew ---


def hidden_ids(state: State) -> set[str]:
    """Return the uids of the cards in hands and decks. Reshuffled cards get new ones (RULES.md 17)."""
    return {uid for cards in (*(seat.hand for seat in state.seats), *state.decks.values()) for uid in cards}


def _known(state: State, seat: int) -> set[str]:
    """The uids in hands and decks whose faces this seat may see now."""
    known = set(state.seats[seat].hand)
    for offer in state.offers:
        if seat in (offer.maker, offer.to):
            known.update(offer.give.hand)
    prompt = state.prompt
    if prompt.answered:
        return known
    if prompt.what == "take_card" and (prompt.seat == seat or state.work[-1]["reveal"] == "all"):
        known.update(state.seats[choices.victim(state)].hand)
    if prompt.what == "keep_or_discard" and prompt.seat == seat:
        known.add(state.decks[state.work[-1]["domain"]][0])
    return known


def redeal(state: State, seat: int, dice: Dice) -> State:
    """Deal the hidden cards of each domain anew over the places they lie in, and the systems that nobody has seen."""
    cards, known = Board(state).cards, _known(state, seat)
    hidden = [uid for other in state.seats for uid in other.hand] + [uid for deck in state.decks.values() for uid in deck]
    faces = dict(state.faces)
    for domain in DOMAINS:
        places = sorted(uid for uid in hidden if uid not in known and cards[state.faces[uid]].domain == domain)
        for uid, card in zip(places, dice.shuffle([state.faces[uid] for uid in places]), strict=True):
            faces[uid] = card
    down = [name for name, cell in state.cells.items() if not cell.explored]
    systems = list(dice.shuffle([*(state.cells[name].card for name in down), *state.undealt]))
    cells = dict(state.cells)
    for name, card in zip(down, systems, strict=False):
        cells[name] = replace(cells[name], card=card)
    seats = tuple(one if at == seat else replace(one, orders=Orders()) for at, one in enumerate(state.seats))
    return replace(_without_plans(state, seat), faces=faces, cells=cells, undealt=tuple(systems[len(down) :]), seats=seats)


def _without_plans(state: State, seat: int) -> State:
    """The state as if no other seat had decided anything in advance."""
    window, combat = state.window, state.combat
    return replace(
        state,
        window=window
        and replace(
            window,
            early=tuple(early for early in window.early if early == seat),
            ready={at: play for at, play in window.ready.items() if at == seat},
        ),
        combat=combat
        and replace(
            combat,
            passed=tuple(passed for passed in combat.passed if passed == seat),
            staying=tuple(staying for staying in combat.staying if staying == seat),
        ),
        resting=tuple(resting for resting in state.resting if resting == seat),
        stack=tuple(item if item.seat == seat else replace(item, hold=False) for item in state.stack),
    )


# --- going back ---


def on_rewind(then: State, now: State, retracted: Any, dice: Dice) -> Data:
    """Shuffle anew the decks that were drawn from or looked at, and the face-down systems if one was turned up."""
    data: dict[str, Any] = {}
    touched = {
        event.data["domain"]
        for event in retracted
        if event.type in ("card_drawn", "deck_reshuffled")
        or (event.type == "choice_requested" and "card" in event.data)
        or (event.type == "card_discarded" and event.data["source"] == "deck")
    }
    data["decks"] = {domain: list(dice.shuffle(then.decks[domain])) for domain in DOMAINS if domain in touched}
    if any(event.type == "system_explored" for event in retracted):
        down = [cell.card for cell in then.cells.values() if not cell.explored]
        data["systems"] = list(dice.shuffle([*down, *then.undealt]))
    return data


def rewound(then: State, now: State, data: Data) -> State:
    """The earlier state with what was drawn anew, and the standing orders of today."""
    decks = {domain: tuple(data.get("decks", {}).get(domain, deck)) for domain, deck in then.decks.items()}
    cells, undealt = then.cells, then.undealt
    if "systems" in data:
        left = list(data["systems"])
        cells = {name: cell if cell.explored else replace(cell, card=left.pop(0)) for name, cell in then.cells.items()}
        undealt = tuple(left)
    seats = tuple(replace(seat, orders=later.orders) for seat, later in zip(then.seats, now.seats, strict=True))
    return replace(then, decks=decks, cells=cells, undealt=undealt, seats=seats)
