"""Keeping secrets: events as a viewer may see them, hidden things dealt anew, what outdates a command, rewinds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from gamesvc.games.dice import Dice
from gamesvc.games.kernel import Command, Data, Event, Viewer
from gamesvc.games.stratastar.battle import ATTACKS
from gamesvc.games.stratastar.board import in_order
from gamesvc.games.stratastar.data import CARDS, RANK
from gamesvc.games.stratastar.facts import joined
from gamesvc.games.stratastar.state import Action, Mode, Offer, Orders, Player, State

# --- redaction (RULES.md 12) ---


def redact(event: Event, viewer: Viewer) -> Data | None:
    """The data of an event as the viewer may see it; None where only its existence may be known."""
    cut = _CUTS.get(event.type)
    return event.data if cut is None else cut(event.data, viewer)


def _but(data: Data, *names: str) -> dict[str, Any]:
    return {name: value for name, value in data.items() if name not in names}


def _hands(data: Data, viewer: Viewer) -> Data:
    hands = [hand if seat == viewer else len(hand) for seat, hand in enumerate(data["hands"])]
    return {**data, "hands": hands, "deck": len(data["deck"])}


def _drawn(data: Data, viewer: Viewer) -> Data:
    if data["seat"] == viewer:
        return data
    return {**_but(data, "cards"), "count": len(data["cards"])}


def _reshuffled(data: Data, viewer: Viewer) -> Data:
    return {"deck": len(data["deck"])}


def _taken(data: Data, viewer: Viewer) -> Data:
    if viewer == data["victim"]:
        return data
    return _but(data, "index") if viewer == data["seat"] else _but(data, "index", "card")


def _thrown(data: Data, viewer: Viewer) -> Data:
    return data if viewer == data["victim"] else _but(data, "index")


def _by_order(data: Data, viewer: Viewer) -> Data:
    return data if viewer == data["seat"] else _but(data, "auto")


def _declared(data: Data, viewer: Viewer) -> Data:
    return data if viewer == data["seat"] else _but(data, "auto", "then")


def _opened(data: Data, viewer: Viewer) -> Data:
    """What seats have said beforehand about what follows a movement is their own."""
    shown = data if viewer == data["seat"] else _but(data, "then")
    if "later" in data:
        shown = {**shown, "later": {seat: command for seat, command in data["later"].items() if seat == str(viewer)}}
    return shown


def _rejected(data: Data, viewer: Viewer) -> Data:
    return data if viewer == data["by"] else _but(data, "auto")


def _passed(data: Data, viewer: Viewer) -> Data:
    return data if viewer == data["seat"] else _but(data, "how", "after", "then")


def _prepared(data: Data, viewer: Viewer) -> Data:
    return data if viewer == data["seat"] else _but(data, "command")


def _committed(data: Data, viewer: Viewer) -> Data:
    return data if viewer == data["seat"] else {"seat": data["seat"]}


def _spied(data: Data, viewer: Viewer) -> Data:
    return data if viewer == data["seat"] else _but(data, "cards")


def _own_only(data: Data, viewer: Viewer) -> Data | None:
    return data if viewer == data["seat"] else None


def _scouted(data: Data, viewer: Viewer) -> Data:
    return _but(data, "taken") if viewer == data["seat"] else _but(data, "taken", "kind")


def _revealed(data: Data, viewer: Viewer) -> Data:
    return _but(data, "taken")


def _offer_made(data: Data, viewer: Viewer) -> Data:
    if data["to"] is None or viewer in (data["seat"], data["to"]):
        return data
    return _but(data, "give", "want")


def _swapped(data: Data, viewer: Viewer) -> Data:
    numbers = {**_but(data, "give", "want"), "given": len(data["give"]), "wanted": len(data["want"])}
    if data["open"] or viewer in (data["seat"], data["by"]):
        return {**numbers, "give": data["give"], "want": data["want"]}
    return numbers


_CUTS: dict[str, Callable[[Data, Viewer], Data | None]] = {
    "hands_dealt": _hands,
    "cards_drawn": _drawn,
    "deck_reshuffled": _reshuffled,
    "card_taken": _taken,
    "card_taken_discarded": _thrown,
    "card_lost": _thrown,
    "action_declared": _declared,
    "window_opened": _opened,
    "battle_declared": _by_order,
    "passed": _passed,
    "reaction_prepared": _prepared,
    "attack_committed": _committed,
    "spied": _spied,
    "orders_set": _own_only,
    "space_scouted": _scouted,
    "space_revealed": _revealed,
    "offer_made": _offer_made,
    "offer_rejected": _rejected,
    "cards_swapped": _swapped,
}

# --- what outdates a command, what tells secrets ---

_QUIET = frozenset(
    {
        "orders_set",
        "attack_committed",
        "passed",
        "reaction_prepared",
        "spied",
        "offer_made",
        "offer_rejected",
        "offer_withdrawn",
        "offer_void",
    }
)
_OFFER_ENDS = frozenset({"offer_rejected", "offer_withdrawn", "offer_void", "cards_swapped"})
_NEVER_STALE = frozenset({"set_orders", "resign", "spy"})
_TELLING = frozenset(
    {
        "hands_dealt",
        "cards_drawn",
        "card_taken",
        "card_taken_discarded",
        "card_lost",
        "spied",
        "space_scouted",
        "space_revealed",
        "attacks_revealed",
        "battle_resolved",
        "calls_opened",
        "cards_swapped",
        "offer_void",
        "ability_rolled",
        "action_failed",
        "passed",
        "board_laid",
        "hazard_removed",
        "deck_reshuffled",
    }
)


def stale(command: Command, since: Sequence[Event], seat: int) -> bool:
    """Whether what happened since outdates a command: all but quiet acts of others.

    An answer to a named offer is outdated only by what became of this offer: whether it can be kept is tested anyway.
    """
    if command["name"] in _NEVER_STALE:
        return False
    if "offer" in command:
        return any(event.type in _OFFER_ENDS and event.data["id"] == command["offer"] for event in since)
    return any(event.type not in _QUIET for event in since)


def reveals(event: Event) -> bool:
    """Return True if the event told something hidden: draws, looks, chance, answers by standing orders, who could answer."""
    return event.type in _TELLING or bool(event.data.get("auto")) or bool(event.data.get("asked"))


# --- dealing anew ---


def redeal(state: State, seat: int, dice: Dice) -> State:
    """The same view for the seat, with everything hidden from it dealt anew."""
    others = [one for one in range(len(state.players)) if one != seat]
    pool = list(state.deck)
    for one in others:
        pool += state.players[one].hand
    shuffled = list(dice.shuffle(sorted(pool, key=RANK.__getitem__))) if pool else []
    players = list(state.players)
    for one in others:
        size = len(players[one].hand)
        hand, shuffled = shuffled[:size], shuffled[size:]
        players[one] = _other(players[one], hand, dice)
    return replace(
        state,
        players=tuple(players),
        deck=tuple(shuffled),
        actions=tuple(_unprepared(action, seat) for action in state.actions),
        battle=_recommitted(state, players, seat, dice),
        offers=tuple(offer if _knows(offer, seat) else _reoffered(offer, dice) for offer in state.offers),
        chart=_rescattered(state, seat, dice),
    )


def _other(player: Player, hand: Sequence[str], dice: Dice) -> Player:
    modes: tuple[Mode, ...] = ("never", "ask", "auto")
    orders = Orders(
        when_unable=("ask", "pass")[dice.choose(2)],
        diplomacy=modes[dice.choose(3)],
        retreat=modes[dice.choose(3)],
        sabotage=("never", "ask")[dice.choose(2)],
        fight=("peace", "ask", "fight")[dice.choose(3)],
        commit=("ask", "none", "all", "2")[dice.choose(4)],
        offers=("ask", "reject")[dice.choose(2)],
    )
    return replace(player, hand=tuple(sorted(hand, key=RANK.__getitem__)), orders=orders, records=())


def _unprepared(action: Action, seat: int) -> Action:
    """Let others have said nothing beforehand: their move or pass is known, what follows it is not."""
    later = {one: command if one == seat else {} for one, command in action.later.items()}
    return replace(action, later=later, then=action.then if action.seat == seat else "")


def _recommitted(state: State, players: Sequence[Player], seat: int, dice: Dice) -> Any:
    battle = state.battle
    if battle is None:
        return None
    commits = {}
    for one, cards in battle.commits.items():
        usable = [card for card in players[one].hand if card in ATTACKS]
        commits[one] = cards if one == seat else tuple(usable[: dice.choose(len(usable) + 1)])
    return replace(battle, commits=commits)


def _knows(offer: Offer, seat: int) -> bool:
    return offer.to is None or seat in (offer.seat, offer.to)


def _reoffered(offer: Offer, dice: Dice) -> Offer:
    return replace(offer, give={CARDS[dice.choose(len(CARDS))]: 1}, want={CARDS[dice.choose(len(CARDS))]: 1})


def _rescattered(state: State, seat: int, dice: Dice) -> Any:
    """Chits that only others have scouted lie anew, drawn so that the Homeworlds' ways to each other stay open."""
    chart = state.chart
    hidden = [space for space in in_order(chart.scouted) if seat not in chart.scouts.get(space, ())]
    if not hidden:
        return chart
    drawn = Counter(chart.scouted[space] for space in hidden)
    kinds = dice.shuffle([kind for kind in sorted(drawn) for _ in range(drawn[kind])])
    scouted = {**chart.scouted, **dict(zip(hidden, kinds))}
    calm = replace(state, chart=replace(chart, scouted=scouted))
    return calm.chart if joined(calm) else chart


# --- going back ---


def on_rewind(then: State, now: State, retracted: Sequence[Event], dice: Dice) -> Data:
    """The deck is shuffled anew if anything drew from it or looked at it."""
    touched = any(
        event.type in ("cards_drawn", "deck_reshuffled", "hands_dealt")
        or (event.type == "spied" and event.data["target"] == "deck")
        for event in retracted
    )
    return {"deck": list(dice.shuffle(then.deck))} if touched and then.deck else {}


def rewound(then: State, now: State, data: Data) -> State:
    """The state gone back to, with the standing orders of now."""
    players = tuple(replace(old, orders=new.orders) for old, new in zip(then.players, now.players))
    return replace(then, players=players, deck=tuple(data["deck"]) if "deck" in data else then.deck)
