"""Events of choices and answers: prompts, items and standing orders."""

from __future__ import annotations

from collections.abc import Sequence

from gamesvc.games.kernel.frozen import replace
from gamesvc.games.kernel.game import Version
from gamesvc.games.space_war.events.answers import (
    AttackFailed,
    CardCountered,
    ItemOpened,
    ItemsSettled,
    OrderFired,
    OrdersSet,
    Paused,
    PromptAnswered,
    PromptOpened,
)
from gamesvc.games.space_war.rules.evolving.changes import Changes, Handlers, nothing, with_side
from gamesvc.games.space_war.rules.evolving.zones import card_resolved
from gamesvc.games.space_war.state import Item, Prompt, State


def _prompt_opened(state: State, event: PromptOpened) -> Changes:
    prompt = Prompt(
        event.prompt,
        event.seat,
        event.kind,
        event.blocking,
        tuple(event.options),
        event.least,
        event.most,
        event.item,
        event.task,
    )
    return {"prompts": (*state.prompts, prompt), "next_prompt": prompt.id + 1}


def _prompt_answered(state: State, event: PromptAnswered) -> Changes:
    return {"prompts": tuple(prompt for prompt in state.prompts if prompt.id != event.prompt)}


def _item_opened(state: State, event: ItemOpened) -> Changes:
    items = list(state.items)
    if items and items[-1].end is None and event.last is not None:
        items[-1] = replace(items[-1], end=Version(event.last["end"]), plays=event.last["plays"])
    item = Item(
        event.item,
        Version(event.seq),
        event.by,
        event.kind,
        event.card,
        event.what,
        event.note,
        answers=tuple(event.answers),
        settled=event.left is not None,
    )
    changes: Changes = {"items": (*items, item), "next_item": item.n + 1}
    if event.left is not None:
        changes["sides"] = with_side(state, 1 - event.by, orders=tuple(event.left))
    return changes


def _items_settled(state: State, event: ItemsSettled) -> Changes:
    return {"items": settled(state.items, event.items)}


def settled(items: Sequence[Item], numbers: Sequence[int]) -> tuple[Item, ...]:
    """Return the items, with those of these numbers settled."""
    return tuple(replace(item, settled=True) if item.n in numbers else item for item in items)


def _paused(state: State, event: Paused) -> Changes:
    return {"paused": event.at}


def _orders_set(state: State, event: OrdersSet) -> Changes:
    changes: Changes = {"orders": tuple(event.orders)}
    if event.flip_preference is not None:
        changes["flip_preference"] = tuple(event.flip_preference)
    if event.draws:
        changes["mills"] = event.draws == "mill"
    return {"sides": with_side(state, event.seat, **changes)}


def _order_fired(state: State, event: OrderFired) -> Changes:
    return {"sides": with_side(state, event.seat, orders=tuple(event.orders))}


ANSWERS: Handlers = {
    PromptOpened: _prompt_opened,
    PromptAnswered: _prompt_answered,
    ItemOpened: _item_opened,
    ItemsSettled: _items_settled,
    CardCountered: card_resolved,
    AttackFailed: nothing,
    Paused: _paused,
    OrdersSet: _orders_set,
    OrderFired: _order_fired,
}
