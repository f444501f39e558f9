"""The awaited seats and the legal commands of each seat: forms that offer exactly what `decide` accepts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from gamesvc.games.kernel import forms as kernel_forms
from gamesvc.games.kernel.game import Awaited, Form, Schema
from gamesvc.games.kernel.wording import SEAT_NAMES, counted
from gamesvc.games.space_war.commands import SET_ORDERS
from gamesvc.games.space_war.data import CARDS, COMMANDERS, ROWS
from gamesvc.games.space_war.rules.decision import barred, barrier_item, blockers, halted
from gamesvc.games.space_war.rules.defaults import default_command
from gamesvc.games.space_war.rules.facts import Board
from gamesvc.games.space_war.rules.playing import reach
from gamesvc.games.space_war.rules.playing.plays import Option, cards_schema, one, pick_pieces, play_options, slots_schema, some
from gamesvc.games.space_war.rules.playing.powers import (
    ability_options,
    action_options,
    anytime_options,
    commander_anytime,
    commander_options,
    counter_options,
)
from gamesvc.games.space_war.rules.playing.prompts import live_options, option_label, prompt_range
from gamesvc.games.space_war.rules.reactions import let_stand_options, react_options
from gamesvc.games.space_war.state import Piece, Prompt, Side, State
from gamesvc.games.space_war.text.narrate import CHOICES
from gamesvc.language import mark, say

OWN_PHASES = ("upkeep", "action", "discard", "attack")


def awaited(state: State) -> tuple[Awaited, ...]:
    """Return the seats that must act. Ids include the number of rewinds, so that none is ever reused; their clocks continue."""
    if state.phase == "over":
        return ()
    if state.phase == "choose_starter":
        return (Awaited(state.active, "choose_starter", "starter", "choice"),)
    if state.phase == "prepare":
        return tuple(Awaited(seat, "prepare", f"prepare{seat}", "commit") for seat in (0, 1) if _may_prepare(state.sides[seat]))
    waiting = blockers(state)
    if waiting:
        prompt = waiting[0]
        mine = prompt.seat == state.active and state.phase in (*OWN_PHASES, "draw", "between")
        if mine:
            return (_asked(state, prompt.seat, prompt.kind, f"turn{state.turn}", "turn"),)
        return (_asked(state, prompt.seat, prompt.kind, f"prompt{prompt.id}", "choice"),)
    seat = barred(state, state.agenda)
    if seat is not None:
        kind = "last_answer" if state.agenda[0]["op"] == "pending" else "barrier"
        return (_asked(state, seat, kind, f"{kind}{barrier_item(state, state.agenda[0])}", "reaction"),)
    if state.phase == "review":
        own = [prompt.kind for prompt in state.prompts if prompt.seat == state.active]
        return (_asked(state, state.active, own[0] if own else "review", f"review{state.turn}", "reaction"),)
    return (_asked(state, state.active, state.phase, f"turn{state.turn}", "turn"),)


def _may_prepare(side: Side) -> bool:
    """Return True if a seat has its cards and has not committed yet."""
    return bool(side.hand) and side.commit is None


def _asked(state: State, seat: int, prompt: str, clock: str, kind: str) -> Awaited:
    return Awaited(seat, prompt, f"{clock}.{state.rewinds}", kind, clock)


def legal_commands(state: State, seat: int) -> tuple[Form, ...]:
    """Return the forms of everything a seat may do now."""
    if state.phase == "over" or seat not in (0, 1):
        return ()
    return tuple(_all(Board(state), seat))


def _all(board: Board, seat: int) -> Iterator[Form]:
    state = board.state
    acting = any(waiting.seat == seat for waiting in awaited(state))
    if state.phase == "choose_starter" and acting:
        names = {str(one): SEAT_NAMES[one] for one in (0, 1)}
        yield Form("choose_starter", say("Choose who starts"), {"seat": {"enum": [0, 1], "labels": names}})
    if state.phase == "prepare" and acting:
        yield from _prepare(board, seat)
    own_prompts = [prompt for prompt in state.prompts if prompt.seat == seat]
    for prompt in own_prompts:
        yield _choose(board, prompt)
    for option in react_options(board, seat):
        yield _aside(option, not acting)
    must = state.phase == "review" or barred(state, state.agenda) == seat
    for option in let_stand_options(board, seat):
        yield _aside(option, not (acting and must))
    if acting and state.active == seat and not halted(state, state.agenda) and state.phase != "review":
        if state.agenda or state.phase in ("draw", "between"):
            yield Form("go_on", say("Go on"))
        elif not own_prompts and state.phase in OWN_PHASES:
            main = [option.form() for option in main_options(board, seat)]
            yield from main
            if state.replay and kernel_forms.offered(main, state.replay[0]):
                yield Form("replay", say("Repeat what was undone"))
            if any(item.by == seat and item.n > state.paused for item in state.items):
                yield Form("pause", say("Ask the opponent for reactions before you go on"), aside=True)
    yield replace(SET_ORDERS, label=say(SET_ORDERS.label))
    if acting:
        does = {"const": default_command(state, seat)["does"]}
        yield Form("time_out", say("Let the default happen; it counts as a timeout"), {"does": does}, (), aside=True)
    yield Form("resign", say("Resign"), aside=True)


def _aside(option: Option, aside: bool) -> Form:
    form = option.form()
    return Form(form.name, form.label, form.parameters, form.required, aside) if aside else form


_ROWS = {"draw": mark("Draw row"), "action": mark("Action row"), "hand": mark("Hand row")}


def _prepare(board: Board, seat: int) -> Iterator[Form]:
    state = board.state
    side = state.sides[seat]
    second = seat != state.active
    count = 4 if second else 3
    # The first card goes into the first row, and so on.
    properties: dict[str, Schema] = {"cards": {**cards_schema(board, side.hand, count, count), "ordered": True}}
    if second:
        properties["extra_row"] = {"enum": list(ROWS), "labels": {row: say(words) for row, words in _ROWS.items()}}
    commanders = {one: f"{COMMANDERS[one].name}: {say(COMMANDERS[one].text)}" for one in side.pool}
    properties["commander"] = {"enum": list(side.pool), "labels": commanders}
    if second:
        yield Form("prepare", say("Cards for draw, action and hand row, and an extra one"), properties)
    else:
        yield Form("prepare", say("Cards for draw, action and hand row"), properties)


def _choose(board: Board, prompt: Prompt) -> Form:
    state = board.state
    if prompt.kind == "draw":
        return Form("draw", say("Draw a card, or mill two of the opponent's instead"), {"mill": {"type": "boolean"}})
    options = live_options(state, prompt)
    least, most = prompt_range(state, prompt)
    picks = some(options, least, most, {option: option_label(state, prompt, option) for option in options})
    return Form(
        "choose", say("Choose {choice}", choice=say(CHOICES[prompt.kind])), {"prompt": {"const": prompt.id}, "picks": picks}
    )


def main_options(board: Board, seat: int) -> Iterator[Option]:
    """Yield the commands of a seat's own turn in the current phase."""
    state = board.state
    if state.phase == "upkeep":
        yield _upkeep(board, seat)
        yield from counter_options(board, seat)
        yield from (option for option in commander_options(board, seat) if "n" in option.properties)
    yield from play_options(board, seat)
    yield from anytime_options(board, seat)
    yield from commander_anytime(board, seat)
    if state.phase == "action":
        yield from commander_options(board, seat)
        yield from counter_options(board, seat)
        yield from action_options(board, seat)
        yield from _management(board, seat)
        yield Option("end_phase", say("End the action phase"))
    elif state.phase == "discard":
        hand = state.sides[seat].hand
        over = len(hand) - (board.hand_limit(seat) or 0)
        yield Option(
            "discard", say("Discard {cards}", cards=counted(over, "card")), {"cards": cards_schema(board, hand, over, over)}
        )
    elif state.phase == "attack":
        yield from ability_options(board, seat)
        yield from _battle(board, seat)
        yield _end_turn(board, seat)


def _upkeep(board: Board, seat: int) -> Option:
    state = board.state
    due = board.upkeep_due(seat)
    schema = pick_pieces(board, due, 0, len(due))
    costs = {p.id: board.cost(p) for p in due}
    total = {"minimum": 0, "maximum": state.sides[seat].actions, "worth": costs}
    return Option("pay_upkeep", say("Keep durations; the rest is discarded"), {"keep": {**schema, "total": total}})


def _management(board: Board, seat: int) -> Iterator[Option]:
    side = board.state.sides[seat]
    if side.managed:
        return
    if side.hand and board.may_add_station(seat):
        card = {"enum": list(side.hand), "labels": cards_schema(board, side.hand)["items"]["labels"]}
        yield Option("add_station", say("Add a station card"), {"card": card, "row": {"enum": list(ROWS)}})
    for row in ROWS:
        others = [card.slot for card in side.station if card.row != row]
        if others:
            slot = {"enum": others, "labels": slots_schema(board, seat, others, 1)["items"]["labels"]}
            yield Option("move_station", say("Move a station card to row {row}", row=row), {"slot": slot, "row": {"const": row}})


def _battle(board: Board, seat: int) -> Iterator[Option]:
    enemy = 1 - seat
    down = [card.slot for card in board.face_down(enemy)]
    for p in board.pieces:
        if p.controller != seat:
            continue
        name = CARDS[p.card].name
        card = one(p.id, name)
        if reach.move_reason(board, p) is None:
            yield Option("move", say("Move {card}", card=name), {"card": card})
        if reach.attack_reason(board, p) is None:
            targets = reach.attack_targets(board, p)
            if targets:
                yield Option("attack", say("Attack with {card}", card=name), {"attacker": card, "target": _enum(board, targets)})
            if reach.station_reason(board, p) is None:
                shields, flips = reach.station_plan(board, p)
                properties: dict[str, Schema] = {"attacker": card}
                if flips and not board.own_flips(enemy):
                    properties["slots"] = slots_schema(board, enemy, down, flips)
                if shields:
                    properties["shields"] = {**pick_pieces(board, shields, len(shields), len(shields)), "ordered": True}
                yield Option("attack_station", say("Attack the station with {card}", card=name), properties)
        if p.on is None and reach.collide_reason(board, p) is None:
            targets = reach.collide_targets(board, p)
            if targets:
                yield Option("collide", say("Collide with {card}", card=name), {"card": card, "target": _enum(board, targets)})
            if reach.collide_station(board, p):
                flips = max(0, min(reach.collide_power(board, p), board.to_flip(enemy)))
                into: dict[str, Schema] = {"card": card}
                if flips and not board.own_flips(enemy):
                    into["slots"] = slots_schema(board, enemy, down, flips)
                yield Option("collide", say("Collide {card} with the station", card=name), into)


def _enum(board: Board, pieces: list[Piece]) -> Schema:
    return {"enum": [p.id for p in pieces], "labels": {p.id: f"{CARDS[p.card].name} {p.id}" for p in pieces}}


def _end_turn(board: Board, seat: int) -> Option:
    down = [card.slot for card in board.face_down(1 - seat)]
    if not down or board.own_flips(1 - seat):
        return Option("end_turn", say("End the turn"))
    slots = {**slots_schema(board, 1 - seat, down, 1), "maxItems": min(3, len(down))}
    return Option("end_turn", say("End the turn"), {"flip_slots": slots}, ("flip_slots",))
