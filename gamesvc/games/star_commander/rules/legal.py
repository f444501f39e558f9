"""The commands a seat may send now, as forms. Everything that fits a form is accepted.

One command is accepted without fitting a form: an `assign_damage` that kills the guards and fires past them at the same time. The
forms reach the same result in two steps (`more`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gamesvc.games.kernel.game import Awaited, Form
from gamesvc.games.kernel.wording import counted, seat_name
from gamesvc.games.star_commander.commands import MOST, MOST_NAMED, ORDERS
from gamesvc.games.star_commander.data import Target
from gamesvc.games.star_commander.rules.acting import movement, trade
from gamesvc.games.star_commander.rules.combat import fire, phase
from gamesvc.games.star_commander.rules.decision import TURN_PROMPTS
from gamesvc.games.star_commander.rules.effects import building
from gamesvc.games.star_commander.rules.effects.aims import Aim, affordable, aim_of_card, bundles, sources
from gamesvc.games.star_commander.rules.values import Board
from gamesvc.games.star_commander.rules.windows.choices import choice_values, victim
from gamesvc.games.star_commander.state import State, Vessel
from gamesvc.json_types import JsonObject
from gamesvc.language import mark, say

_KINDS = {"ready_draw": "turn", "command": "turn", "combat_choose": "turn", "choice": "choice", "window": "reaction"}


def awaited(state: State) -> tuple[Awaited, ...]:
    """Return the seat that must act (RULES.md 5), and in a window the seats after it that can already answer.

    A seat's own turn is one decision; interruptions are decisions of their own. So is a round of a window.
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


HOLD = {"type": "boolean", "default": False, "title": mark("Hold priority")}
REST = {"type": "boolean", "default": False, "title": mark("Pass for the rest of this turn")}
EXPLORE = {"type": "boolean", "default": True, "title": mark("Explore")}


def legal_commands(state: State, seat: int) -> tuple[Form, ...]:
    if state.result is not None or not 0 <= seat < len(state.seats) or not state.seats[seat].alive:
        return ()
    board = Board(state)
    forms: list[Form] = []
    window = state.window
    if window is not None and seat in window.asked:
        forms += _window(board, seat)
    elif state.prompt.seat == seat:
        forms += {
            "ready_draw": _ready_draw,
            "choice": _choice,
            "command": _command,
            "window": _window,
            "combat_choose": _combat_choose,
            "combat_assign": _assign,
            "combat_retreat": _retreat,
        }[state.prompt.kind](board, seat)
    elif state.prompt.kind == "window" and window and seat not in (*window.early, *window.passed, *window.ready):
        forms.append(Form("pass", say("Pass before being asked"), {"rest": REST}, (), aside=True))
    forms += _trades(board, seat)
    orders = {**ORDERS, "properties": {**ORDERS["properties"], "auto": _auto(state)}}
    forms.append(Form("set_standing_orders", say("Set standing orders"), {"orders": orders}, aside=True))
    forms.append(Form("resign", say("Resign"), aside=True))
    return tuple(forms)


def _auto(state: State) -> JsonObject:
    auto = ORDERS["properties"]["auto"]
    seat = {"type": "integer", "minimum": 0, "maximum": len(state.seats) - 1, "title": mark("One seat")}
    by = {"oneOf": [{"type": "null", "title": mark("Any seat")}, seat]}
    items = {**auto["items"], "properties": {**auto["items"]["properties"], "by": by}}
    return {**auto, "items": items}


# --- descriptions ---


def vessel_label(board: Board, at: str) -> str:
    """Name a vessel; by its id only beside others that are called the same."""
    vessel = board.state.vessels[at]
    alike = [
        one
        for one in board.state.vessels.values()
        if (one.controller, one.card, one.cell) == (vessel.controller, vessel.card, vessel.cell)
    ]
    words = {"seat": seat_name(vessel.controller), "ship": board.card(vessel).name, "cell": vessel.cell}
    return say("{seat} {ship} at {cell}", **words) if len(alike) == 1 else say("{seat} {ship} {at} at {cell}", at=at, **words)


def cell_label(board: Board, cell: str) -> str:
    card = board.system(cell)
    return f"{cell} {card.name if card else say('unexplored')}"


def label_of(board: Board, value: str) -> str:
    """Describe any value that a form can contain."""
    state = board.state
    if value in state.vessels:
        return vessel_label(board, value)
    if value in state.cells:
        return cell_label(board, value)
    if value.startswith("s"):
        item = next((item for item in state.stack if f"s{item.id}" == value), None)
        return say("{name} of {seat}", name=name_of(board, item.name), seat=seat_name(item.seat)) if item else value
    return seat_name(int(value)) if value.isdecimal() else value


def name_of(board: Board, at: str) -> str:
    card = board.cards.cards.get(at)
    return card.name if card else at.replace("_", " ")


def one_of(board: Board, values: Sequence[str]) -> JsonObject:
    return {"enum": list(values), "labels": {value: label_of(board, value) for value in values}}


def some_of(board: Board, values: Sequence[str], **more: object) -> JsonObject:
    return several(one_of(board, values), **more)


def several(items: JsonObject, **more: object) -> JsonObject:
    """Return the schema of a list of some of these, at most as many as a command may name."""
    most = {"maxItems": MOST_NAMED} if len(items["enum"]) > MOST_NAMED else {}
    return {"type": "array", "items": items, "uniqueItems": True, **most, **more}


def hand_of(board: Board, uids: Sequence[str]) -> JsonObject:
    return {"enum": list(uids), "labels": {uid: board.cards[board.state.faces[uid]].name for uid in uids}}


def fields(properties: JsonObject, required: Sequence[str]) -> JsonObject:
    return {"type": "object", "properties": properties, "required": list(required), "additionalProperties": False}


# --- prompts ---


def _ready_draw(board: Board, seat: int) -> list[Form]:
    parameters: JsonObject = {"domain": {"enum": board.drawable(seat)}}
    if board.hand_is_full(seat):
        parameters["discard"] = hand_of(board, board.state.seats[seat].hand)
    return [Form("draw_card", say("Draw a card"), parameters)]


_QUESTIONS = {
    "draw_domain": mark("Draw from which deck?"),
    "keep_or_discard": mark("Keep or discard the top card?"),
    "core_world": mark("Where does the free development go?"),
    "take_card": mark("Take which card?"),
    "discard": mark("Discard which card?"),
}


def _choice(board: Board, seat: int) -> list[Form]:
    what, values = board.state.prompt.what, choice_values(board)
    schema: JsonObject = {"enum": values}
    if what == "core_world":
        schema = one_of(board, values)
    elif what == "take_card":
        schema = hand_of(board, board.state.seats[victim(board.state)].hand)
    elif what == "discard":
        schema = hand_of(board, values)
    return [Form("choose", say(_QUESTIONS[what]), {"value": schema})]


def _window(board: Board, seat: int) -> list[Form]:
    return [Form("pass", say("Pass"), {"rest": REST}, ()), *_plays(board, seat)]


def _command(board: Board, seat: int) -> list[Form]:
    forms = [Form("end_command", say("End the command phase"))]
    forms += _moves(board, seat)
    forms += _builds(board, seat, "ship")
    forms += _builds(board, seat, "station")
    places = [cell for cell in board.state.cells if building.can_develop(board, seat, cell)]
    if places:
        forms.append(Form("develop", say("Develop a system"), {"cell": one_of(board, places)}))
    if board.edition.may_scrap:
        ships = [v.id for v in board.fleet(seat) if board.card(v).kind == "ship" and not board.contested(v.cell)]
        if ships:
            forms.append(Form("scrap", say("Scrap a ship"), {"ship": one_of(board, ships)}))
    forms += _cards(board, seat)
    forms += _plays(board, seat)
    return forms


def _cards(board: Board, seat: int) -> Iterator[Form]:
    """Yield forms for technologies from hand and for trading with the bank."""
    purse = board.state.seats[seat]
    technologies = [uid for uid in purse.hand if board.cards[board.state.faces[uid]].kind == "technology"]
    if technologies:
        yield Form("play_technology", say("Play a technology"), {"uid": hand_of(board, technologies)})
    full, drawable = board.hand_is_full(seat), board.drawable(seat)
    if drawable and purse.credits >= 3 and (not full or board.edition.hand_full_discards):
        parameters: JsonObject = {"domain": {"enum": drawable}}
        if full:
            parameters["discard"] = hand_of(board, purse.hand)
        yield Form("trade_draw", say("Pay 3 credits for a card"), parameters)
    if len(purse.hand) >= 2:
        two = {"type": "array", "items": hand_of(board, purse.hand), "minItems": 2, "maxItems": 2, "uniqueItems": True}
        yield Form("trade_discard", say("Discard two cards for 3 credits"), {"uids": two})


def _moves(board: Board, seat: int) -> Iterator[Form]:
    """Yield one form per start and destination. A Carrier in `carried` jumps too."""
    for start in board.state.cells:
        if not board.ships(start, seat):
            continue
        free = movement.liftable(board, seat, start)
        for to in movement.targets_from(board, seat, start):
            ships = movement.movers(board, seat, start, to)
            if not ships:
                continue
            parameters: JsonObject = {
                "ships": some_of(board, [ship.id for ship in ships], minItems=1),
                "to": one_of(board, [to]),
            }
            carriers = [ship.id for ship in ships if board.card(ship).has("carry_fighters")]
            cargo = some_of(board, free, maxItems=movement.CARRIED if free else 0)
            parameters["carried"] = fields({at: {**cargo, "title": vessel_label(board, at)} for at in carriers}, [])
            if board.edition.may_leave_unexplored:
                parameters["explore"] = EXPLORE
            yield Form("move_ships", say("Jump from {start}", start=cell_label(board, start)), parameters, ("ships", "to"))


def _builds(board: Board, seat: int, kind: str) -> Iterator[Form]:
    label, from_hand = (
        (say("Build a ship"), say("Build a ship from hand"))
        if kind == "ship"
        else (say("Build a station"), say("Build a station from hand"))
    )
    for card in building.core_cards(board, kind):
        cells = building.places(board, seat, card)
        if cells:
            cards = {"enum": [card.id], "labels": {card.id: f"{card.name}, {counted(board.cost(card, seat), 'credit')}"}}
            yield Form(f"build_{kind}", label, {"card": cards, "cell": one_of(board, cells)})
    for at, uids in _by_card(board, seat, kind).items():
        cells = building.places(board, seat, board.cards[at])
        if cells:
            yield Form(f"build_{kind}", from_hand, {"uid": hand_of(board, uids), "cell": one_of(board, cells)})


def _by_card(board: Board, seat: int, kind: str) -> dict[str, list[str]]:
    """Return the cards of one kind in a hand, grouped by card."""
    found: dict[str, list[str]] = {}
    for uid in board.state.seats[seat].hand:
        if board.cards[board.state.faces[uid]].kind == kind:
            found.setdefault(board.state.faces[uid], []).append(uid)
    return found


def _plays(board: Board, seat: int) -> Iterator[Form]:
    """Yield forms for commands from hand and abilities: one per first target if a second target depends on it."""
    for at, uids in _by_card(board, seat, "command").items():
        aim = aim_of_card(seat, board.cards[at])
        for bundle in bundles(board, aim):
            parameters: JsonObject = {"uid": hand_of(board, uids)}
            required = ["uid", *_add_targets(board, aim, bundle, parameters)]
            yield Form(
                "play_command", say("Play {card}", card=board.cards[at].name), {**parameters, "hold": HOLD}, tuple(required)
            )
    for source, effect in sources(board, seat):
        name = name_of(board, _source_card(board, source))
        for bundle in affordable(board, seat, source, effect):
            parameters = {"source": _source_schema(board, seat, source)}
            aim = Aim(seat, effect.targets, (effect,), is_command=False)
            required = ["source", *_add_targets(board, aim, bundle, parameters)]
            purse = board.state.seats[seat]
            if effect.cost_credits == "X":
                parameters["x"] = {"type": "integer", "minimum": 1, "maximum": min(purse.credits, MOST)}
                required.append("x")
            if effect.cost_discard:
                parameters["discard"] = hand_of(board, purse.hand)
                required.append("discard")
            if effect.op == "move_ship" and board.edition.may_leave_unexplored:
                parameters["explore"] = EXPLORE
            yield Form("activate", say("Use {card}", card=name), {**parameters, "hold": HOLD}, tuple(required))


def _source_card(board: Board, source: str) -> str:
    state = board.state
    if source in state.vessels:
        return state.vessels[source].card
    return state.cells[source].card if source in state.cells else state.faces[source]


def _source_schema(board: Board, seat: int, source: str) -> JsonObject:
    """Return the schema of a source; for a technology, of all its copies, which are equivalent."""
    state = board.state
    if source in state.vessels or source in state.cells:
        return one_of(board, [source])
    return hand_of(board, [uid for uid in state.seats[seat].technologies if state.faces[uid] == state.faces[source]])


def _add_targets(board: Board, aim: Aim, bundle: dict[str, list[str]], parameters: JsonObject) -> list[str]:
    if not aim.targets:
        return []
    needed = [target.name for target in aim.targets if not target.optional]
    titles = _titles(aim.targets)
    parameters["targets"] = fields(
        {name: {**one_of(board, values), "title": titles[name]} for name, values in bundle.items()}, needed
    )
    return ["targets"]


def _titles(targets: Sequence[Target]) -> dict[str, str]:
    """Return what each target is called in a form, by its name."""
    titles: dict[str, str] = {}
    for target in targets:
        words = _TARGETS.get((target.kind, target.who)) or _TARGETS[target.kind, "any"]
        titles[target.name] = words if words not in titles.values() else mark("The other one")
    return titles


_TARGETS = {
    ("player", "any"): mark("Player"),
    ("stack_command", "any"): mark("Command"),
    ("system", "any"): mark("System"),
    ("ship", "any"): mark("Ship"),
    ("ship", "own"): mark("Your ship"),
    ("ship", "opponent"): mark("Enemy ship"),
    ("vessel", "any"): mark("Ship or station"),
    ("vessel", "own"): mark("Your ship or station"),
    ("vessel", "opponent"): mark("Enemy ship or station"),
}


def _combat_choose(board: Board, seat: int) -> list[Form]:
    cells = phase.eligible(board)
    forms = []
    if cells:
        forms.append(Form("open_combat", say("Fight"), {"cell": one_of(board, cells)}))
    if not cells or board.edition.may_skip_combat:
        forms.append(Form("end_combat", say("End the combat phase")))
    if building.builds_in_combat(board, seat):
        forms += _builds(board, seat, "ship")
    return forms


def _assign(board: Board, seat: int) -> list[Form]:
    reach = [vessel.id for vessel in fire.in_reach(board, seat)]
    shots: JsonObject = {}
    for vessel in fire.attackers(board, seat):
        options = _shots(board, vessel, reach)
        if options is not None:
            shots[vessel.id] = {
                **options,
                "title": say("{ship}, attack {attack}", ship=vessel_label(board, vessel.id), attack=board.attack(vessel)),
            }
    parameters = {
        "assignments": fields(shots, []),
        "more": {"type": "boolean", "default": False, "title": mark("Assign more after this")},
        "pass": {
            "type": "boolean",
            "default": phase.passes_by_itself(board, seat),
            "title": mark("Pass unless something is played"),
        },
        "stay": {"type": "boolean", "default": False, "title": mark("Do not retreat unless something is played")},
    }
    return [Form("assign_damage", say("Assign damage"), parameters, ("assignments",))]


def _shots(board: Board, vessel: Vessel, reach: Sequence[str]) -> JsonObject | None:
    """Return the schema of what a vessel may still assign: unused targets and a total; None if no target is left."""
    total, used = fire.spent(board, vessel.id)
    left, targets = board.attack(vessel) - total, [at for at in reach if at not in used]
    if not targets:
        return None
    amount = {"type": "integer", "minimum": 1, "maximum": left}
    shot = fields({"target": one_of(board, targets), "amount": amount}, ["target", "amount"])
    most = min(fire.targets_left(board, vessel), len(targets), left)
    return {"type": "array", "items": shot, "maxItems": most, "pairwise": ["target"], "total": {"maximum": left}}


def _retreat(board: Board, seat: int) -> list[Form]:
    cell = fire.fight(board).cell
    cargo = movement.retreat_cargo(board, seat, cell)
    moves = []
    for ship in board.ships(cell, seat):
        cells = movement.retreats(board, ship)
        if not cells:
            continue
        properties: JsonObject = {"ship": one_of(board, [ship.id]), "to": one_of(board, cells)}
        if board.card(ship).has("carry_fighters"):
            properties["carried"] = some_of(board, cargo, maxItems=movement.CARRIED if cargo else 0)
        moves.append({**fields(properties, ["ship", "to"]), "title": vessel_label(board, ship.id)})
    schema = {"type": "array", "items": {"oneOf": moves}, "maxItems": len(moves), "pairwise": ["ship"]}
    return [Form("retreat", say("Retreat, or stay"), {"moves": schema})]


# --- trade between players ---


def _trades(board: Board, seat: int) -> Iterator[Form]:
    state = board.state
    for to in trade.partners(board, seat):
        parameters = {
            "to": {"enum": [to], "labels": {str(to): seat_name(to)}},
            "give": _side(board, seat, hand_of(board, state.seats[seat].hand)),
            "want": _side(board, to, None),
        }
        yield Form("offer_trade", say("Offer {seat} a trade", seat=seat_name(to)), parameters, aside=True)
    for one in state.offers:
        if one.to == seat:
            if trade.is_open(board) and trade.fault(board, one) is None:
                count = one.want.cards
                picked = {"type": "array", "items": hand_of(board, state.seats[seat].hand), "uniqueItems": True}
                accept: JsonObject = {"offer": {"enum": [one.id]}, "hand": {**picked, "minItems": count, "maxItems": count}}
                required = ("offer", "hand") if count else ("offer",)
                yield Form(
                    "accept_trade", say("Accept the offer of {seat}", seat=seat_name(one.maker)), accept, required, aside=True
                )
            yield Form(
                "decline_trade",
                say("Decline the offer of {seat}", seat=seat_name(one.maker)),
                {"offer": {"enum": [one.id]}},
                aside=True,
            )
        if one.maker == seat:
            yield Form("withdraw_trade", say("Withdraw your offer"), {"offer": {"enum": [one.id]}}, aside=True)


def _side(board: Board, seat: int, hand: JsonObject | None) -> JsonObject:
    """Return the schema of one side of a trade. `hand` lists its cards; None if only their number may be requested."""
    purse, owned = board.state.seats[seat], trade.tradable(board, seat)
    properties: JsonObject = {"credits": {"type": "integer", "minimum": 0, "maximum": min(purse.credits, MOST)}}
    if hand is not None:
        properties["hand"] = several(hand)
    else:
        properties["hand"] = {"type": "integer", "minimum": 0, "maximum": len(purse.hand)}
    properties["technologies"] = several(hand_of(board, owned["technologies"]))
    for name in ("vessels", "systems"):
        properties[name] = some_of(board, owned[name])
    return fields(properties, [])
