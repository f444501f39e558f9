"""The invariants of everything pending: steps, the open decision, window, stack, combat, offers."""

from __future__ import annotations

from collections.abc import Iterator

from gamesvc.games.kernel import forms
from gamesvc.games.kernel.game import Schema
from gamesvc.games.star_commander.commands import ACTIONS, AUTO_CARDS, CELL, COMMANDS, COUNT, FLAG, IDS, SEAT, TEXT, each, shape
from gamesvc.games.star_commander.data import CATALOGS, DOMAINS, WINDOWS
from gamesvc.games.star_commander.rules.acting import trade
from gamesvc.games.star_commander.rules.acting.movement import CARRIED
from gamesvc.games.star_commander.rules.values import Board
from gamesvc.games.star_commander.state import CHOICES, Item
from gamesvc.json_types import JsonObject

_QUEUE: Schema = {"type": "array", "items": SEAT, "minItems": 1, "maxItems": 4, "uniqueItems": True}
_CARD: Schema = {"enum": sorted({card for catalog in CATALOGS.values() for card in catalog.cards})}
_SOURCE: Schema = {"type": "string", "maxLength": 8}
_TARGETS: Schema = each({"type": "string", "maxLength": 8})
_TRIGGERS: Schema = {"enum": ["play", "activate", "start_action", "explored", "first_developed"]}
_FEW: Schema = {"type": "integer", "minimum": 1, "maximum": 99}
_DOMAIN: Schema = {"enum": list(DOMAINS)}
_WHERE: dict[str, Schema] = {"seat": SEAT, "card": _CARD, "source": _SOURCE}
_EFFECTS: dict[str, Schema] = {**_WHERE, "trigger": _TRIGGERS, "at": {"type": "integer", "minimum": 0}, "targets": _TARGETS}

STEPS: dict[str, Schema] = {
    "command": shape(),
    "combat_choose": shape(),
    "close_combat": shape(),
    "strike": shape(),
    "resolve": shape(),
    "window": shape(("name",), name={"enum": ["stack", *WINDOWS]}),
    "assign": shape(("queue",), queue=_QUEUE),
    "retreat": shape(("queue",), queue=_QUEUE),
    "draw": shape(
        ("seat", "left", "why"),
        seat=SEAT,
        left=_FEW,
        why={"enum": ["ready", "effect", "trade"]},
        domain=_DOMAIN,
        discard=TEXT,
        looks={"type": "integer", "minimum": 0, "maximum": 99},
    ),
    "start_action": shape(tuple(_WHERE), **_WHERE),
    "effects": shape(tuple(_EFFECTS), **_EFFECTS, x=COUNT, paid=COUNT, explore=FLAG),
    "place_free": shape(("seat",), seat=SEAT, cell=CELL),
    "take_card": shape(("seat", "victim", "reveal"), seat=SEAT, victim=SEAT, reveal=TEXT, shown=FLAG, take=TEXT, discard=TEXT),
}
"""The steps that can wait on the list, by name, with their fields (see `turn.STEPS`)."""

_COMBAT = (
    ("close_combat", ""),
    ("window", "after_retreat"),
    ("retreat", ""),
    ("window", "after_resolve"),
    ("strike", ""),
    ("window", "after_assign"),
    ("assign", ""),
    ("window", "after_initiate"),
)
"""The steps of a combat in list order; the last one runs first."""
_INSIDE = ("draw", "start_action", "effects", "place_free", "take_card")
_ASKING = {
    "command": ("command",),
    "combat_choose": ("combat_choose",),
    "window": ("window",),
    "combat_assign": ("assign",),
    "combat_retreat": ("retreat",),
    "ready_draw": ("draw",),
    "choice": ("draw", "place_free", "take_card"),
}
"""The steps that can open each kind of prompt."""
_CHOSEN = {
    "draw_domain": ("draw",),
    "keep_or_discard": ("draw",),
    "discard": ("draw", "take_card"),
    "core_world": ("place_free",),
    "take_card": ("take_card",),
}
_FROM_HAND = {"build_ship": "ship", "build_station": "station", "play_technology": "technology"}


def faults(board: Board) -> Iterator[str]:
    """Yield the faults in everything pending as sentences."""
    state = board.state
    if state.result is not None:
        if state.work or state.window is not None or state.offers or state.prompt.kind != "over" or state.prompt.seat >= 0:
            yield "the match is over and something is open"
        return
    shaped = list(_step_faults(board))
    yield from shaped
    if not shaped:
        yield from _order(board)
        yield from _question(board)
    yield from _window(board)
    for at, item in enumerate(state.stack):
        yield from (f"/stack/{at}: {fault}" for fault in _item_faults(board, item))
    ids = [item.id for item in state.stack]
    if ids != sorted(set(ids)) or (ids and ids[-1] > state.items_made):
        yield "the items of the stack are numbered upwards, up to items_made"
    yield from _combat(board)
    yield from _offers(board)


def _pointer(*parts: str | int) -> str:
    """Return the JSON pointer to a field of the state."""
    return "".join(f"/{part}" for part in parts)


def _step_faults(board: Board) -> Iterator[str]:
    """Yield the faults of each step by itself: its fields, seats and card."""
    seats = range(len(board.state.seats))
    for at, step in enumerate(board.state.work):
        where, word = _pointer("work", at), step.get("do")
        if not isinstance(word, str) or word not in STEPS:
            yield f"{where}/do must be one of {', '.join(STEPS)}"
            continue
        if fault := forms.fault(STEPS[word], {name: value for name, value in step.items() if name != "do"}):
            yield f"{where}: {fault.detail}"
            continue
        named = [*step.get("queue", ()), *(step[name] for name in ("seat", "victim") if name in step)]
        if any(seat not in seats for seat in named):
            yield f"{where} names a seat that does not exist"
        elif word == "effects":
            yield from _effects_faults(board, where, step)
        elif word == "take_card" and step["seat"] == step["victim"]:
            yield f"{where}: nobody takes a card of their own"
        elif word == "start_action" and step["card"] not in board.cards.cards:
            yield f"{where}/card is not a card of this edition"


def _effects_faults(board: Board, where: str, step: JsonObject) -> Iterator[str]:
    card = board.cards.cards.get(step["card"])
    if card is None:
        yield f"{where}/card is not a card of this edition"
    elif step["at"] >= len(card.with_trigger(step["trigger"])):
        yield f"{where}/at: {card.name} has no such effect"
    elif step["trigger"] in ("explored", "first_developed") and step["source"] not in board.state.cells:
        yield f"{where}/source must be the system"
    on_stack = {f"s{item.id}" for item in board.state.stack}
    if any(value.startswith("s") and value not in on_stack for value in step["targets"].values()):
        yield f"{where}/targets names no item of the stack"


def _order(board: Board) -> Iterator[str]:
    """Yield faults in the order of steps: a phase, perhaps a combat, then the item being resolved."""
    state, work = board.state, board.state.work
    if not work or work[0]["do"] not in ("command", "combat_choose"):
        yield "/work must begin with the step of a phase, command or combat_choose"
        return
    rest = work[1:]
    length = 0
    while length < min(len(rest), len(_COMBAT)) and (rest[length]["do"], rest[length].get("name", "")) == _COMBAT[length]:
        length += 1
    if bool(length) != (state.combat is not None) or (length and work[0]["do"] != "combat_choose"):
        yield "/work and /combat do not belong together"
    left = rest[length:]
    words = [step["do"] for step in left]
    if words[:1] == ["window"]:
        if len(words) > 1 or left[0]["name"] != "stack" or length:
            yield "/work has a window where none can be"
        return
    if words[:1] == ["resolve"]:
        words = words[1:]
    if any(word not in _INSIDE for word in words):
        yield f"/work has a step that cannot lie there: {', '.join(words)}"


def _question(board: Board) -> Iterator[str]:
    state, prompt = board.state, board.state.prompt
    if not state.work:
        return
    step = state.work[-1]
    if step["do"] not in _ASKING.get(prompt.kind, ()):
        yield f"/prompt asks {prompt.kind}, and the step that waits is {step['do']}"
        return
    if not 0 <= prompt.seat < len(state.seats) or not state.seats[prompt.seat].alive:
        yield "/prompt/seat must be a seat that plays"
        return
    if prompt.answered:
        yield "/prompt/answered must be false while a question is open"
    if prompt.kind == "choice" and (prompt.what not in CHOICES or step["do"] not in _CHOSEN[prompt.what]):
        yield f"/prompt/what: {step['do']} does not ask for {prompt.what or 'nothing'}"
    asked = step.get("queue", [step.get("seat", prompt.seat)])[0]
    if prompt.kind in ("command", "combat_choose"):
        asked = state.active
    if asked != prompt.seat:
        yield f"/prompt/seat must be {asked}"
    phases = {"command": ("command",), "combat_choose": ("combat",), "ready_draw": ("ready",)}.get(prompt.kind)
    if phases and state.phase not in phases:
        yield f"/phase must be {phases[0]} while {prompt.kind} is asked"
    if (prompt.kind == "ready_draw") != (step["do"] == "draw" and step["why"] == "ready" and prompt.what == ""):
        yield "/prompt/kind is ready_draw for the draws of the ready phase"
    if prompt.what == "keep_or_discard" and not (step.get("looks") and state.decks.get(step.get("domain", ""))):
        yield "there is no top card to look at"
    if prompt.what == "take_card" and not state.seats[step["victim"]].hand:
        yield "there is no card to take"
    if prompt.what == "discard" and not state.seats[prompt.seat].hand:
        yield "there is no card to discard"
    if step.get("discard") is not None or ("take" in step):
        yield "what is chosen on the way is not chosen yet while it is asked"


def _window(board: Board) -> Iterator[str]:
    state, window = board.state, board.state.window
    if (window is not None) != (state.prompt.kind == "window"):
        yield "a window is open if, and only if, a seat is asked in it"
    resolving = any(isinstance(step, dict) and step.get("do") == "resolve" for step in state.work)
    if state.stack and window is None and not resolving:
        yield "items lie on the stack and nobody resolves them"
    if window is None:
        return
    if not state.work or state.work[-1].get("name") != window.name:
        yield "/window/name must be that of the step that waits"
    if window.name == "stack" and (not state.stack or state.combat is not None):
        yield "a window of the stack needs an item on it, outside combat"
    if window.name != "stack" and (state.combat is None or state.combat.step != window.name):
        yield "a window of combat needs a combat in that step"
    seats = range(len(state.seats))
    if any(seat not in seats for seat in (window.priority, *window.passed, *window.early, *window.asked, *window.ready)):
        yield "/window names a seat that does not exist"
    if any(seat >= len(state.seats) for seat in state.resting):
        yield "/resting names a seat that does not exist"
    if {state.prompt.seat, *window.passed, *window.early, *window.ready} & set(window.asked):
        yield "/window/asked names a seat that has answered, or has priority"
    for seat, play in window.ready.items():
        schema = COMMANDS.get(play.get("name")) if play and play.get("name") in ("play_command", "activate") else None
        if schema is None or forms.fault(schema, {name: value for name, value in play.items() if name != "name"}):
            yield f"/window/ready/{seat} is not a play in a window"
    if state.prompt.seat in (*window.passed, *window.early):
        yield "the seat that is asked has passed already"


def _item_faults(board: Board, item: Item) -> Iterator[str]:
    state = board.state
    if item.seat >= len(state.seats) or not state.seats[item.seat].alive:
        yield "it is the play of a seat that does not play"
    if item.uid is not None and item.uid not in state.faces:
        yield f"there is no card {item.uid}"
        return
    if item.kind == "action":
        yield from _action_faults(board, item)
        return
    card = board.cards.cards.get(item.name)
    if card is None or item.params is not None:
        yield f"{item.name} is not a card that can be played"
    elif item.kind == "command":
        if card.kind != "command" or item.uid is None or state.faces[item.uid] != item.name:
            yield f"{item.name} is not a command card that was played"
        elif not {*item.targets} <= {target.name for target in card.targets}:
            yield f"{item.name} does not aim at {', '.join(item.targets)}"
    elif card.ability is None or item.uid is not None or not item.source:
        yield f"{item.name} has no ability"
    elif not {*item.targets} <= {target.name for target in card.ability.targets}:
        yield f"{item.name} does not aim at {', '.join(item.targets)}"


def _action_faults(board: Board, item: Item) -> Iterator[str]:
    state = board.state
    if item.name not in ACTIONS or item.params is None:
        yield f"{item.name} is not an action that waits for its turn"
        return
    if item.targets or item.source:
        yield "an action aims at nothing"
    if item.name in _FROM_HAND and item.uid is not None:
        needed = {} if item.name == "play_technology" else {"cell": CELL}
        fault = forms.fault(shape(tuple(needed), **needed), item.params)
        if board.cards[state.faces[item.uid]].kind != _FROM_HAND[item.name]:
            yield f"{item.uid} is not a {_FROM_HAND[item.name]}"
    elif item.name == "play_technology" or item.uid is not None:
        yield f"{item.name} needs a card from hand, or none may lie with it"
        return
    else:
        schema = COMMANDS[item.name]
        if item.name == "move_ships":
            schema = shape(("ships", "to", "from"), **{**schema["properties"], "from": CELL, "carried": each(IDS)})
        fault = forms.fault(schema, item.params)
        if item.name.startswith("build_") and "card" not in item.params:
            yield "a core vessel that is built has its card named"
    if not board.edition.actions_respondable and item.uid is None:
        yield "this action does not wait in this edition"
    if fault is not None:
        yield f"params: {fault.detail}"
        return
    cells = [item.params[name] for name in ("cell", "from", "to") if name in item.params]
    if any(cell not in state.cells for cell in cells):
        yield "params name a system that does not exist"
    for carrier, fighters in item.params.get("carried", {}).items():
        vessel = state.vessels.get(carrier)
        if len(fighters) > CARRIED or (vessel is not None and not board.card(vessel).has("carry_fighters")):
            yield f"{carrier} cannot carry these"


def _combat(board: Board) -> Iterator[str]:
    state, combat = board.state, board.state.combat
    if combat is None:
        return
    seats = range(len(state.seats))
    if combat.cell not in state.cells or combat.cell not in state.fought:
        yield "/combat/cell must be a system, and among those fought in this turn"
    if any(seat not in seats for seat in (*combat.participants, *(one.seat for one in combat.assigned))):
        yield "/combat names a seat that does not exist"
    if not {*combat.passed} <= {*combat.participants}:
        yield "/combat/passed names a seat that takes no part"
    assigning = any(isinstance(step, dict) and step.get("do") == "assign" for step in state.work)
    named = [at for one in combat.assigned for at in (one.vessel, one.target)]
    if assigning and any(at not in state.vessels for at in named):
        yield "/combat/assigned names a vessel that is gone while damage is being assigned"


def _offers(board: Board) -> Iterator[str]:
    state = board.state
    seats = range(len(state.seats))
    ids = [offer.id for offer in state.offers]
    if ids != sorted(set(ids)) or (ids and ids[-1] > state.offers_made):
        yield "offers are numbered upwards, up to offers_made"
    if state.offers and not state.trade:
        yield "there are offers in a match without trade"
    for at, offer in enumerate(state.offers):
        where = f"/offers/{at}"
        if offer.maker == offer.to or any(seat not in seats or not state.seats[seat].alive for seat in (offer.maker, offer.to)):
            yield f"{where} goes from a seat that plays to another"
            continue
        if set(offer.give.hand) - set(state.seats[offer.maker].hand) or offer.want.hand or offer.give.cards:
            yield f"{where} gives cards of the maker's hand and wants a number of cards"
        for seat, side in ((offer.maker, offer.give), (offer.to, offer.want)):
            owned = trade.tradable(board, seat)
            if any(set(getattr(side, name)) - set(owned[name]) for name in owned):
                yield f"{where} names goods that seat {seat} does not have"


def order_faults(board: Board) -> Iterator[str]:
    """Yield the faults in standing orders as sentences."""
    names = {*ACTIONS, *(card for catalog in CATALOGS.values() for card in catalog.playables())}
    for at, seat in enumerate(board.state.seats):
        orders = seat.orders
        if set(orders.combat) != set(WINDOWS):
            yield f"/seats/{at}/orders/combat must name {', '.join(WINDOWS)}"
        if {*orders.always_ask, *(name for auto in orders.auto for name in auto.on)} - names:
            yield f"/seats/{at}/orders names what cannot be on the stack"
        if any(auto.play not in AUTO_CARDS or (auto.by or 0) >= len(board.state.seats) for auto in orders.auto):
            yield f"/seats/{at}/orders/auto plays {', '.join(AUTO_CARDS)} against a seat of the match"
