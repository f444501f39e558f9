"""The invariants of everything pending: tasks, prompts, items and their reactions, orders, commits."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from gamesvc.games.kernel import forms
from gamesvc.games.kernel.game import Schema
from gamesvc.games.space_war.commands import COMMANDS, ORDER_PARTS
from gamesvc.games.space_war.data import CARDS, COMMANDERS, ROWS, TYPES, printed
from gamesvc.games.space_war.rules.decision import plain
from gamesvc.games.space_war.rules.facts import Board
from gamesvc.games.space_war.rules.reactions import answers_to, reaction_plays
from gamesvc.games.space_war.state import Item, Prompt, State
from gamesvc.json_types import JsonMapping, JsonObject

_NAME: Schema = {"type": "string", "maxLength": 8}
_NAMES: Schema = {"type": "array", "items": _NAME, "maxItems": 140, "uniqueItems": True}
_SEAT: Schema = {"type": "integer", "minimum": 0, "maximum": 1}
_FEW: Schema = {"type": "integer", "minimum": 0, "maximum": 200}
_NUMBER: Schema = {"type": "integer", "minimum": 0, "maximum": 1_000_000}
_FLAG: Schema = {"type": "boolean"}
_PRINTED: Schema = {"enum": [*CARDS, *COMMANDERS]}
_PLACES: Schema = {"enum": ["draw_pile", "discard_pile", "station"]}
_OPTIONS: Schema = {
    "type": "object",
    "properties": {"draw": {"oneOf": [_FLAG, _FEW]}, "mill": _FEW},
    "additionalProperties": False,
}
_FILTER: Schema = {
    "type": "object",
    "properties": {"card": {"enum": list(CARDS)}, "type": {"enum": list(TYPES)}},
    "additionalProperties": False,
}
FIELDS: dict[str, Schema] = {
    **dict.fromkeys(("seat", "by", "zone"), _SEAT),
    **dict.fromkeys(("n", "x", "i", "power", "shield_n"), _FEW),
    **dict.fromkeys(("item", "against"), _NUMBER),
    **dict.fromkeys(("cards", "targets", "slots", "named", "shields", "flip_slots", "picks"), _NAMES),
    **dict.fromkeys(("source", "exclude"), _NAME),
    **dict.fromkeys(("loose", "by_order", "failed", "again", "copied"), _FLAG),
    "what": {"type": "string", "maxLength": 40},
    "step": {"type": "integer", "minimum": 1, "maximum": 11},
    "mode": {"type": "integer", "minimum": 0, "maximum": 3},
    "card": _PRINTED,
    "target": {"oneOf": [{"type": "null"}, _NAME]},
    "row": {"enum": list(ROWS)},
    "phase": {"enum": ["upkeep", "action"]},
    "from": {"type": "array", "items": _PLACES, "maxItems": 3, "uniqueItems": True},
    "filter": _FILTER,
    "to": {"enum": ["hand", "play", "play_same_zone", "attach", "draw_pile_top"]},
    "options": _OPTIONS,
}
_EFFECT = ("card", "i", "seat", "source", "item")
TASKS: dict[str, tuple[str, ...]] = {
    "start_turn": ("seat",),
    "draw_step": ("seat", "step"),
    **dict.fromkeys(("draw_effect", "mend_choice", "transform", "effect"), _EFFECT),
    **dict.fromkeys(("action_phase", "after_action", "barrier"), ("seat",)),
    "enter": ("phase",),
    "give_back": (),
    "finish_turn": ("seat", "flip_slots"),
    **dict.fromkeys(("turn_over", "next_turn"), ("seat", "again")),
    "resolve": ("what", "seat", "x", "item"),
    "event_done": ("what", "item"),
    "respond": ("what", "card", "seat", "against", "by_order", "item"),
    **dict.fromkeys(("draw", "mill", "discard", "life"), ("seat", "n", "item")),
    **dict.fromkeys(("put_on_top", "plan", "sabotage", "pending"), ("seat", "item")),
    "offer": ("seat", "item", "loose"),
    "search": ("seat", "item", "from", "filter", "to", "n", "source"),
    "sacrifice": ("seat", "item", "by", "named"),
    "deja_vu": ("seat", "item", "cards"),
    **dict.fromkeys(("hit", "flip"), ("seat", "n", "item", "slots")),
    "hit_or_shield": ("seat", "n", "shield_n", "by", "item"),
    "blast": ("zone", "seat", "exclude", "item"),
    "destroy": ("cards",),
    "attack": ("what", "target", "slots", "shields", "item"),
    "after_attack": ("what", "failed", "item"),
    "collide": ("seat", "target", "slots", "power", "item"),
}
"""The required fields of each kind of task. Any other field of `FIELDS` is optional."""

_ASKED_BY: Mapping[str, tuple[str, ...]] = {
    "flips": ("flip",),
    "draw": ("draw",),
    "discard": ("discard", "respond"),
    "search": ("search",),
    "sabotage": ("sabotage",),
    "sacrifice": ("sacrifice",),
    "destroy": ("effect",),
    "mend": ("mend_choice",),
    "transform": ("transform",),
    "top": ("put_on_top",),
    "offer": ("offer",),
    "plan": ("plan",),
    "deja_vu": ("deja_vu",),
    "shield": ("hit_or_shield",),
}
"""The tasks that can open each kind of prompt."""

_NOTE: Schema = {
    "type": "object",
    "properties": {
        **dict.fromkeys(("cost", "turn", "against"), _NUMBER),
        "power": {"type": "integer", "minimum": -1_000, "maximum": 1_000},
        "type": {"enum": list(TYPES)},
        "targets": _NAMES,
        "aims": {"type": "array", "items": {"enum": list(CARDS)}, "maxItems": 140},
        "station": _FLAG,
    },
    "additionalProperties": False,
}
_ORDER: Schema = {
    "type": "object",
    "properties": {
        "when": ORDER_PARTS["when"],
        "do": {"enum": ["react", "ask", "stand"]},
        "use": {**ORDER_PARTS["use"], "minItems": 0},
        "times": {**ORDER_PARTS["times"], "minimum": 0},
        "until": ORDER_PARTS["until"],
    },
    "required": ["when", "do", "use", "times", "until"],
    "additionalProperties": False,
}


def faults(state: State) -> Iterator[str]:
    """Yield the faults in everything pending as sentences."""
    for at, task in enumerate(state.agenda):
        yield from (f"/agenda/{at}: {fault}" for fault in _task_faults(state, task))
    for at, prompt in enumerate(state.prompts):
        yield from (f"/prompts/{at}: {fault}" for fault in _prompt_faults(state, prompt))
    ids = [prompt.id for prompt in state.prompts]
    if ids != sorted(set(ids)) or (ids and ids[-1] >= state.next_prompt):
        yield "/prompts are numbered upwards, below next_prompt"
    for at, item in enumerate(state.items):
        yield from (f"/items/{at}: {fault}" for fault in _item_faults(state, item))
    for at, command in enumerate(state.replay):
        if not isinstance(command.get("name"), str) or command["name"] not in COMMANDS:
            yield f"/replay/{at} must be a command"
        elif fault := forms.fault(COMMANDS[command["name"]], {key: value for key, value in command.items() if key != "name"}):
            yield f"/replay/{at}: {fault.detail}"
    for seat, side in enumerate(state.sides):
        for at, order in enumerate(side.orders):
            if fault := forms.fault(_ORDER, order, "the order"):
                yield f"/sides/{seat}/orders/{at}: {fault.detail}"
        if side.commit is not None:
            yield from _commit_faults(state, seat)


def _task_faults(state: State, task: JsonMapping) -> Iterator[str]:
    word = task.get("op")
    if not isinstance(word, str) or word not in TASKS:
        yield f"op must be one of {', '.join(TASKS)}"
        return
    schema = {"type": "object", "properties": FIELDS, "required": TASKS[word], "additionalProperties": False}
    if fault := forms.fault(schema, {name: value for name, value in task.items() if name != "op"}, word):
        yield fault.detail
        return
    if max(task.get("item", 0), task.get("against", 0)) >= state.next_item:
        yield "it belongs to an item that is still to come"
    named = [card for key in ("cards", "targets", "named", "shields") for card in task.get(key, ())]
    named += [task[key] for key in ("source", "exclude", "target") if task.get(key)]
    if word == "respond" and task["what"] in COMMANDERS:
        pass
    elif "what" in task and word != "effect":
        named.append(task["what"])
    if unknown := [name for name in named if name not in state.cards and name[1:2] != ":"]:
        yield f"there is no card {unknown[0]}"
        return
    if word == "resolve":
        if task["what"] not in state.limbo:
            yield f"{task['what']} is resolved and is not among the cards that are being played"
        elif state.cards[task["what"]] in ("death_ray", "duplication") and not task.get("targets"):
            yield f"{task['what']} needs a target"
    if word in ("effect", "draw_effect", "mend_choice", "transform") and task["i"] >= len(printed(task["card"]).effects):
        yield f"{task['card']} has no effect {task['i']}"
    if word == "draw_effect" and task["card"] not in CARDS:
        yield f"{task['card']} does not lie in play"


def _prompt_faults(state: State, prompt: Prompt) -> Iterator[str]:
    broken = list(_task_faults(state, prompt.task))
    yield from (f"task: {fault}" for fault in broken)
    if broken:
        return
    if prompt.task["op"] not in _ASKED_BY[prompt.kind] or "picks" in prompt.task:
        yield f"task must be {' or '.join(_ASKED_BY[prompt.kind])}, without picks"
    if not prompt.least <= prompt.most <= max(prompt.most, 1) or prompt.least > len(prompt.options):
        yield "least must not be more than most, nor than there are options"
    if prompt.item >= state.next_item:
        yield "it belongs to an item that is still to come"
    # Cards may have left their slots since the prompt was opened: it offers what is left (`live_options`).
    slots = [{f"s{number}" for number in range(1, side.slots + 1)} for side in state.sides]
    if prompt.kind == "flips":
        known = slots[prompt.task.get("seat", 0)]
    elif prompt.kind in ("draw", "offer"):
        known = {"mill" if prompt.kind == "draw" else "draw"}
    else:
        known = {*state.cards, *slots[0], *slots[1]}
    if set(prompt.options) - known:
        yield f"options name what cannot be chosen: {', '.join(sorted(set(prompt.options) - known))}"
    if prompt.kind not in ("flips", "sacrifice", "shield") and prompt.task.get("seat", prompt.seat) != prompt.seat:
        yield "the seat that is asked is that of the task"


def _item_faults(state: State, item: Item) -> Iterator[str]:
    if fault := forms.fault(_NOTE, item.note, "note"):
        yield fault.detail
        return
    if item.kind == "phase":
        right = item.card in ("draw", "action", "turn") and not item.what
    elif item.kind == "commander":
        right = item.card in COMMANDERS and not item.what
    else:
        right = item.card in CARDS and item.what in state.cards
    if not right:
        yield f"an item of kind {item.kind} cannot be of {item.card}"
    if item.kind == "play" and "cost" not in item.note:
        yield "a play has its cost noted"
    if any(answer not in COMMANDERS and answer not in state.cards for answer in item.answers):
        yield "an answer must be a card of this match, or a commander"


def _commit_faults(state: State, seat: int) -> Iterator[str]:
    side = state.sides[seat]
    count = 3 if seat == state.active else 4
    schema: Schema = {
        "type": "object",
        "properties": {
            "cards": {**_NAMES, "items": {"enum": list(side.hand)}, "minItems": count, "maxItems": count},
            "rows": {"type": "array", "items": {"enum": list(ROWS)}, "minItems": count, "maxItems": count},
            "commander": {"enum": list(side.pool)},
        },
        "required": ["cards", "rows", "commander"],
        "additionalProperties": False,
    }
    if fault := forms.fault(schema, side.commit, "commit"):
        yield f"/sides/{seat}: {fault.detail}"
    elif state.sides[1 - seat].commit is not None:
        yield "both seats have prepared, and nothing is revealed"


def marked_faults(at: Callable[[int], State]) -> Callable[[State], Iterator[str]]:
    """Return a function that yields the items of a state whose stored answers differ from those that were possible at the version
    they go back to.

    An answer is checked only against the stored list. An item with an empty list cannot be answered: a position redealt for a
    seat has empty lists where the seat cannot know the answers.
    """
    return _Then(at).faults


class _Then:
    """Possible answers and plays at earlier versions, each found out once: hundreds of states may hold the same items."""

    def __init__(self, at: Callable[[int], State]) -> None:
        self._at = at
        self._boards: dict[int, Board] = {}
        self._answers: dict[tuple[int, int, str, int], tuple[str, ...]] = {}
        self._plays: dict[tuple[int, int], list[JsonObject]] = {}
        self._right: dict[tuple[int, int, int], bool] = {}

    def faults(self, state: State) -> Iterator[str]:
        latest: dict[int, Sequence[JsonObject]] = {}
        for place, item in enumerate(state.items):
            if item.plays is not None:
                latest[item.by] = item.plays
            if item.settled:
                continue
            if item.answers and item.answers != self._answers_to(item):
                yield f"/items/{place}/answers are not what the other seat could answer"
            plays = latest.get(item.by, ())
            if item.end is not None and plays and not self._are_plays(plays, item.end, 1 - item.by):
                yield f"/items/{place}/plays are not what the other seat could play at its end"

    def _board(self, version: int) -> Board:
        if version not in self._boards:
            self._boards[version] = Board(self._at(version))
        return self._boards[version]

    def _answers_to(self, item: Item) -> tuple[str, ...]:
        key = (item.seq, item.by, item.kind, item.note.get("cost", 0))
        if key not in self._answers:
            self._answers[key] = tuple(answers_to(self._board(item.seq), 1 - item.by, item.kind, item.note))
        return self._answers[key]

    def _are_plays(self, plays: Sequence[JsonObject], end: int, seat: int) -> bool:
        if (end, seat) not in self._plays:
            self._plays[end, seat] = plain(reaction_plays(self._board(end), seat))
        # The states are alive as long as this, so that no other list gets the same id.
        key = (id(plays), end, seat)
        if key not in self._right:
            self._right[key] = plays == self._plays[end, seat]
        return self._right[key]
