"""Credits, cards, technologies and trades, in sentences."""

from __future__ import annotations

from collections.abc import Mapping

from gamesvc.games.kernel.game import Data
from gamesvc.games.kernel.wording import counted, listed
from gamesvc.games.star_commander.text.naming import Tell, Teller, card_name, left, place, several
from gamesvc.json_types import JsonMapping
from gamesvc.language import say


def _gained(t: Teller, d: Data) -> str:
    return t.says(
        "{who} gained {amount} and now has {credits}.",
        you="{who} gained {amount} and now have {credits}.",
        who=d["seat"],
        amount=counted(d["amount"], "credit"),
        credits=d["credits"],
    )


def _spent(t: Teller, d: Data) -> str:
    return t.says("{who} paid {amount}; {left}.", who=d["seat"], amount=counted(d["amount"], "credit"), left=left(d["credits"]))


def _drawn(t: Teller, d: Data) -> str:
    what = card_name(d.get("card"))
    return t.says("{who} drew {card} from {domain}; {left}.", who=d["seat"], card=what, domain=d["domain"], left=left(d["left"]))


def _skipped(t: Teller, d: Data) -> str:
    if d["reason"] == "hand_full":
        return t.says("{who} drew no card: the hand is full.", who=d["seat"])
    return t.says("{who} drew no card: there is nothing to draw.", who=d["seat"])


def _discarded(t: Teller, d: Data) -> str:
    card = card_name(d["card"])
    if d["source"] == "deck":
        return t.says("{who} discarded {card} from the top of {domain}.", who=d["seat"], card=card, domain=d["domain"])
    if d["source"] == "stack":
        return t.says("{who} discarded {card} after use.", who=d["seat"], card=card)
    return t.says("{who} discarded {card}.", who=d["seat"], card=card)


def _reshuffled(t: Teller, d: Data) -> str:
    count = d["cards"] if "cards" in d else len(d["deck"])
    return say("The {domain} discards were shuffled into a new deck of {count}.", domain=d["domain"], count=count)


def _shown(t: Teller, d: Data) -> str:
    cards = f": {several(card for _, card in d['cards'])}" if "cards" in d else ""
    if d["to"] is None:
        return t.says("{who} showed all players {their} hand{cards}.", who=d["seat"], cards=cards)
    return t.says("{who} showed {whom} {their} hand{cards}.", who=d["seat"], whom=d["to"], cards=cards)


def _taken(t: Teller, d: Data) -> str:
    return t.says("{who} took {card} from {whose} hand.", who=d["seat"], whom=d["victim"], card=card_name(d.get("card")))


def _technology(t: Teller, d: Data) -> str:
    return t.says(
        "{who} now has the technology {card}.",
        you="{who} now have the technology {card}.",
        who=d["seat"],
        card=card_name(d["card"]),
    )


def _goods(side: JsonMapping, cards: int) -> list[str]:
    """Return credits, cards and technologies of one side of a trade in words."""
    parts = [counted(side["credits"], "credit")] if side["credits"] else []
    if cards:
        parts.append(counted(cards, "card"))
    return parts + [say("technology {id}", id=uid) for uid in side["technologies"]]


def _side_words(side: JsonMapping) -> str:
    goods = _goods(side, side["cards"] or len(side["hand"]))
    return listed([*goods, *map(place, side["vessels"]), *map(place, side["systems"])]) or say("nothing")


def _exchanged(side: JsonMapping) -> str:
    """Return what a side gives in the trade itself. Systems and vessels change hands in events of their own."""
    # Others see the number of cards alone.
    return listed(_goods(side, side["hand"] if isinstance(side["hand"], int) else len(side["hand"])))


def _offered(t: Teller, d: Data) -> str:
    if "give" not in d:
        return t.says("{who} made {whom} trade offer {offer}.", who=d["seat"], whom=d["to"], offer=d["offer"])
    told = t.says(
        "{who} made {whom} trade offer {offer}: {give} for {want}.",
        who=d["seat"],
        whom=d["to"],
        offer=d["offer"],
        give=_side_words(d["give"]),
        want=_side_words(d["want"]),
    )
    return told + " " + say('The note: "{note}".', note=d["note"]) if d.get("note") else told


def _traded(t: Teller, d: Data) -> str:
    taker = d["taker"]["seat"]
    told = [t.says("{who} accepted {whose} trade offer {offer}.", who=taker, whom=d["maker"]["seat"], offer=d["offer"])]
    if got := _exchanged(d["maker"]):
        told.append(t.says("{who} got {goods}.", who=taker, goods=got))
    if gave := _exchanged(d["taker"]):
        told.append(t.says("{who} gave {goods}.", who=taker, goods=gave))
    return " ".join(told)


TELL: Mapping[str, Tell] = {
    "credits_gained": _gained,
    "credits_spent": _spent,
    "card_drawn": _drawn,
    "draw_skipped": _skipped,
    "card_discarded": _discarded,
    "deck_reshuffled": _reshuffled,
    "hand_shown": _shown,
    "card_taken": _taken,
    "technology_placed": _technology,
    "trade_offered": _offered,
    "trade_completed": _traded,
    "trade_declined": lambda t, d: t.says("{who} declined trade offer {offer}.", who=d["seat"], offer=d["offer"]),
    "trade_withdrawn": lambda t, d: t.says("{who} withdrew trade offer {offer}.", who=d["seat"], offer=d["offer"]),
    "trades_lapsed": lambda t, d: say("The open trade offers lapse."),
}
