"""Items, possible answers to them, standing orders, and the rewind of a reaction (RULES.md 11)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from gamesvc.games.kernel.game import Version
from gamesvc.games.space_war.data import CARDS, COMMANDERS, Card, Effect
from gamesvc.games.space_war.events.answers import AttackFailed, CardCountered, ItemEnded, ItemOpened, OrderFired
from gamesvc.games.space_war.events.play import CommanderUsed
from gamesvc.games.space_war.events.zones import CardPlayed
from gamesvc.games.space_war.rules.decision import Flow, Task, plain, task
from gamesvc.games.space_war.rules.effects.drawing import discard_cards
from gamesvc.games.space_war.rules.effects.ops import effect_tasks
from gamesvc.games.space_war.rules.facts import Board
from gamesvc.games.space_war.rules.playing.plays import Option, budget, in_hand, only_choice, play_options
from gamesvc.games.space_war.rules.playing.powers import anytime_options, commander_anytime
from gamesvc.games.space_war.state import Item, State
from gamesvc.json_types import JsonMapping, JsonObject
from gamesvc.language import say

# --- possible answers ---


def _fits_item(effect: Effect, kind: str, cost: int) -> bool:
    if effect["op"] == "fail_attack":
        return kind == "attack"
    if effect["op"] != "counter" or kind != "play":
        return False
    condition = effect.get("condition", "")
    return not condition.startswith("card_cost") or cost <= int(condition.rsplit(" ", 1)[1])


def _responds(card: Card, kind: str, cost: int) -> bool:
    return any(_fits_item(effect, kind, cost) for _, effect in card.triggered("response"))


def answers_to(board: Board, seat: int, kind: str, note: JsonMapping) -> list[str]:
    """Return a seat's possible responses to an item that opens now: instance ids, and its commander's id."""
    cost, side, cards = note.get("cost", 0), board.state.sides[seat], board.state.cards
    found = []
    dearer = board.cost_increase()
    for instance in in_hand(board, seat):
        card = CARDS[cards[instance]]
        if (
            card.type == "event"
            and (card.cost or 0) + dearer <= budget(board, seat)
            and (_responds(card, kind, cost) and not board.play_ban(seat, card.type))
        ):
            found.append(instance)
    found += [p.id for p in board.own(seat, "duration") if board.has_text(p) and _responds(CARDS[p.card], kind, cost)]
    if side.commander and side.charge >= 3 and _responds(COMMANDERS[side.commander], kind, cost):
        found.append(side.commander)
    return found


def reaction_plays(board: Board, seat: int) -> list[JsonObject]:
    """Return the reactions that a seat could play now without answering a particular item."""
    options: list[Option] = [*play_options(board, seat), *anytime_options(board, seat), *commander_anytime(board, seat)]
    return [plain(option.as_play()) for option in options]


def said(items: Sequence[Item], at: int) -> Sequence[JsonObject]:
    """Return the plays possible at the end of the item at an index. None stands for the same plays as the item before."""
    item = items[at]
    while item.plays is None and at > 0:
        at -= 1
        if items[at].by == item.by:
            item = items[at]
    return item.plays or []


def _plays_at(flow: Flow, version: int, items: Sequence[Item]) -> list[JsonObject] | None:
    """Return the plays that the other seat had at the end of the last item; None if they equal those of the item before."""
    last = items[-1]
    then = flow.run.at(version)
    seat = 1 - last.by
    if last.settled or (then.active == seat and then.phase != "review"):
        return None
    plays = reaction_plays(Board(then), seat)
    before = [at for at in range(len(items) - 1) if items[at].by == last.by]
    return None if before and said(items, before[-1]) == plays else plays


# --- opening items ---


def declare(flow: Flow, *tasks: Task) -> None:
    """Put the tasks of an act on the agenda before its first event, so that the agenda is complete at every version."""
    flow.push(*({**one, "item": flow.state.next_item} for one in tasks))


def open_item(flow: Flow, by: int, kind: str, card: str, what: str, note: JsonMapping) -> None:
    """Open the item of a declared act, then let the other seat's standing orders answer it.

    That one of them lets it stand is told within this event: the acting seat counts events that it may not read.
    """
    items = flow.state.items
    last: ItemEnded | None = None
    if items and items[-1].end is None:
        last = {"end": flow.start, "plays": _plays_at(flow, flow.start, items)}
    answers = answers_to(flow.board, 1 - by, kind, note)
    item = Item(flow.state.next_item, Version(flow.run.version + 1), by, kind, card, what, note, answers=tuple(answers))
    fired = _order_for(flow.state, item)
    flow.emit(
        ItemOpened(
            item=item.n,
            seq=item.seq,
            by=by,
            kind=kind,
            card=card,
            what=what,
            note=note,
            answers=answers,
            last=last,
            left=fired.left if fired is not None and not fired.answer else None,
        )
    )
    if fired is not None and fired.answer:
        seat = 1 - by
        flow.emit(OrderFired(seat=seat, orders=fired.left, item=item.n, did="react", card=fired.answer))
        flow.settle(seat, item.n)
        respond(flow, seat, item.n, fired.answer, by_order=True)


def _matches(when: JsonMapping, item: Item) -> bool:
    note = item.note
    tests: dict[str, Callable[[Any], bool]] = {
        "kind": lambda value: value == item.kind,
        "card": lambda value: value == item.card,
        "type": lambda value: value == note.get("type"),
        "min_cost": lambda value: "cost" in note and note["cost"] >= value,
        "max_cost": lambda value: "cost" in note and note["cost"] <= value,
        "target": lambda value: value in note.get("targets", ()),
        "hits_station": lambda value: bool(note.get("station")) == value,
        "any": bool,
    }
    return all(tests[name](value) for name, value in when.items())


class _Fired(NamedTuple):
    """The deed of a standing order: its answer to an item, empty to let it stand, and the orders that are left then."""

    answer: str
    left: list[JsonObject]


def _order_for(state: State, item: Item) -> _Fired | None:
    """Return the first standing order that matches and can act (RULES.md 11.9); None if none does, or if it asks."""
    orders = state.sides[1 - item.by].orders
    for at, order in enumerate(orders):
        if not _matches(order["when"], item):
            continue
        answer = ""
        if order["do"] == "react":
            usable = {_card_of(state, one): one for one in reversed(item.answers)}
            answer = next((usable[card] for card in order["use"] if card in usable), "")
            if not answer:
                continue
        if order["do"] == "ask":
            return None
        left = [{**order, "times": order["times"] - 1}] if order["times"] > 1 else [order] if not order["times"] else []
        return _Fired(answer, [*orders[:at], *left, *orders[at + 1 :]])
    return None


def _card_of(state: State, answer: str) -> str:
    return answer if answer in COMMANDERS else state.cards[answer]


# --- responding ---


def respond(flow: Flow, seat: int, item: int, answer: str, *, by_order: bool = False) -> None:
    """Play a response to an item, at the moment right after the item's declaration."""
    flow.start = flow.run.version
    state = flow.state
    card = _card_of(state, answer)
    step = {"op": "respond", "what": answer, "card": card, "seat": seat, "against": item, "by_order": by_order}
    declare(flow, step)
    if answer in COMMANDERS:
        side = state.sides[seat]
        flow.emit(CommanderUsed(seat=seat, name=answer, actions=side.actions, charge=side.charge - 3))
        open_item(flow, seat, "commander", answer, "", {"against": item})
    elif state.piece(answer) is not None:
        flow.leave([answer], "discarded")
        open_item(flow, seat, "anytime", card, answer, {"against": item})
    else:
        pay_and_show(flow, seat, answer, 0)
        note = {"cost": CARDS[card].cost or 0, "type": CARDS[card].type, "against": item}
        open_item(flow, seat, "play", card, answer, note)


def pay_and_show(flow: Flow, seat: int, instance: str, x: int) -> None:
    """Pay the cost and move the card to limbo."""
    side, card = flow.state.sides[seat], CARDS[flow.card(instance)]
    origin = "hand" if instance in side.hand else "station"
    cost = (x if card.cost is None else card.cost) + flow.board.cost_increase()
    flow.emit(CardPlayed(seat=seat, card=instance, name=card.id, x=x, cost=cost, origin=origin))


@task("respond")
def _respond(flow: Flow, one: Task) -> None:
    """Resolve a response: cancel the item it answers."""
    seat, card = one["seat"], one["card"]
    if card == "cancel":
        hand = flow.state.sides[seat].hand
        if "picks" not in one and len(hand) > 1 and not one["by_order"]:
            flow.ask(seat, "discard", list(hand), 1, 1, one)
            return
        flow.push({"op": "event_done", "what": one["what"], "item": one["item"]})
        if not hand:
            return
        discard_cards(flow, seat, one.get("picks", [_cheapest(flow, hand)]))
        _cancel(flow, one["against"])
        return
    after = [
        step
        for step in effect_tasks(card, "response", {**one, "mode": one.get("mode", 0), "source": one["what"]})
        if CARDS.get(card) and CARDS[card].effects[step["i"]]["op"] == "draw_then_discard"
    ]
    flow.push(*after, {"op": "event_done", "what": one["what"], "item": one["item"]})
    _cancel(flow, one["against"])


def _cheapest(flow: Flow, hand: Sequence[str]) -> str:
    """Return the card that a standing order discards: the lowest printed cost, then the lowest id."""
    return min(hand, key=lambda instance: (CARDS[flow.card(instance)].cost or 0, instance))


def _cancel(flow: Flow, number: int) -> None:
    """Drop the remaining tasks of an item. Its card goes to the discard pile; an attack fails."""
    target = next((item for item in flow.state.items if item.n == number), None)
    flow.agenda = [step for step in flow.agenda if step.get("item") != number]
    if target is None:
        return
    if target.kind == "play" and target.what in flow.state.limbo:
        flow.emit(CardCountered(card=target.what, name=target.card))
    elif target.kind == "attack":
        flow.emit(AttackFailed(attacker=target.what, name=target.card))
        flow.push({"op": "after_attack", "what": target.what, "failed": True, "item": number})


# --- commands ---


def react_options(board: Board, seat: int) -> list[Option]:
    """Return a seat's reactions: responses to open items, and plays at the end of an item or now."""
    found: dict[str, tuple[JsonMapping, list[int | None]]] = {}
    # The plays after one item are often those after many; one that is kept shares its id with no other.
    written: dict[int, tuple[str, JsonMapping]] = {}
    for play, item in _reactions(board, seat):
        if id(play) not in written:
            written[id(play)] = repr((sorted(play["p"].items()), play["r"])), play
        found.setdefault(written[id(play)][0], (play, []))[1].append(item)
    labels = {item.n: _item_label(item) for item in board.state.items}
    options = []
    for play, items in found.values():
        needed = [name for name in play["r"] if only_choice(name, play["p"][name]) is None]
        schema = {"type": "object", "properties": play["p"], "required": needed, "additionalProperties": False}
        numbers = [n for n in items if n is not None]
        item_schema = {"item": {"enum": numbers, "labels": {n: labels[n] for n in numbers}}} if numbers else {}
        optional = ("item",) if numbers and None in items else ()
        options.append(Option("react", say("React with {card}", card=play["l"]), {**item_schema, "play": schema}, optional))
    return options


def _reactions(board: Board, seat: int) -> Iterator[tuple[JsonMapping, int | None]]:
    """Yield a seat's plays, each with the item that it answers or follows, or None for a play now."""
    state = board.state
    if state.phase in ("choose_starter", "prepare", "over"):
        return
    own_turn = state.active == seat and state.phase != "review"
    quiet = not state.prompts and not (state.agenda and state.agenda[0]["op"] != "barrier")
    for at, item in enumerate(state.items):
        if item.by == seat or item.settled:
            continue
        for answer in item.answers:
            yield _answer_play(state, answer), item.n
        if own_turn:
            continue
        if item.end is not None:
            yield from ((play, item.n) for play in said(state.items, at))
        elif quiet:
            yield from ((play, item.n) for play in reaction_plays(board, seat))
    if quiet and not own_turn and state.phase != "between":
        yield from ((play, None) for play in reaction_plays(board, seat))


def _answer_play(state: State, answer: str) -> JsonObject:
    if answer in COMMANDERS:
        return {"p": {"mode": {"const": 3}}, "r": ["mode"], "l": COMMANDERS[answer].name}
    card = CARDS[state.cards[answer]]
    properties: JsonObject = {"card": {"const": answer, "title": card.name}}
    if card.id == "target_missed":
        properties["mode"] = {"const": 1}
    return {"p": properties, "r": list(properties), "l": card.name}


def _item_label(item: Item) -> str:
    name = CARDS[item.card].name if item.card in CARDS else COMMANDERS[item.card].name if item.card in COMMANDERS else item.card
    return f"{item.n} {item.kind}: {name}"


def is_response(state: State, item: Item | None, play: JsonMapping) -> str:
    """Return the answer to an item that a play represents; empty if it is not a response."""
    if item is None:
        return ""
    if "card" not in play:
        return next((answer for answer in item.answers if answer in COMMANDERS and play.get("mode") == 3), "")
    card = play["card"]
    if card not in item.answers or (state.cards[card] == "target_missed" and play.get("mode") != 1):
        return ""
    return str(card)


def let_stand_options(board: Board, seat: int) -> list[Option]:
    state = board.state
    items = [item.n for item in state.open_items(seat)]
    if any(prompt.seat == seat for prompt in state.prompts) or state.phase == "over":
        return []
    review = state.phase == "review" and state.active == seat
    if items:
        return [
            Option("let_stand", say("Let everything stand, or all up to an item"), {"upto": {"enum": items}}, ("upto",)),
        ]
    return [Option("let_stand", say("Go on to your turn"))] if review else []
