"""Events as sentences from a viewer's point of view."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from gamesvc.games.kernel.events import REWOUND
from gamesvc.games.kernel.game import Data, Event, Viewer
from gamesvc.games.kernel.telling import Part
from gamesvc.games.kernel.wording import Speaker, counted, listed, named, opening
from gamesvc.games.space_war.data import CARDS, name_of
from gamesvc.games.space_war.state import owner_of
from gamesvc.language import mark, say, say_many

_PHASE_NAMES = {
    "choose_starter": mark("who starts"),
    "prepare": mark("preparation"),
    "draw": mark("draw"),
    "upkeep": mark("upkeep"),
    "action": mark("action"),
    "discard": mark("discard"),
    "attack": mark("attack"),
    "between": mark("end of turn"),
    "review": mark("reactions"),
    "over": mark("over"),
}
_ENTERED = {
    "upkeep": mark("Upkeep phase."),
    "action": mark("Action phase."),
    "discard": mark("Discard phase."),
    "attack": mark("Attack phase."),
    "review": mark("Review phase."),
}
CHOICES = {
    "flips": mark("which station cards to flip"),
    "draw": mark("whether to draw or mill"),
    "discard": mark("what to discard"),
    "search": mark("from the cards found"),
    "sabotage": mark("a card of the opponent's hand"),
    "sacrifice": mark("what to give up"),
    "destroy": mark("what to destroy"),
    "mend": mark("what to repair"),
    "transform": mark("which spaceship to transform"),
    "top": mark("what to put on top of the draw pile"),
    "offer": mark("whether to draw and discard"),
    "plan": mark("which of the top cards to take"),
    "deja_vu": mark("which card returns"),
    "shield": mark("which shield takes the hit"),
}
"""The end of `must choose`, by the kind of the choice."""


def phase_name(phase: str) -> str:
    """Return the name of a phase as players read it: `between` is `end of turn`."""
    return say(_PHASE_NAMES[phase])


class Teller(Speaker):
    """The names of the players from one viewer's point of view."""

    def head(self, seat: int) -> str:
        """Return the name of a player at the beginning of a line."""
        return say("You") if seat == self.viewer else self.name(seat)

    def card(self, instance: str, name: str) -> str:
        """Return the name of a card with its owner: `your Drone`, `Ann's Drone`."""
        return self.says("{whose} {thing}", whom=owner_of(instance), thing=bare(name))

    def cards(self, names: Mapping[str, str], instances: Iterable[str]) -> str:
        return listed(self.card(instance, names[instance]) for instance in instances)


def bare(card: str) -> str:
    """Return the name of a card as it stands after its owner: `your Shade`."""
    return name_of(card).removeprefix("The ")


def tell(event: Event, viewer: Viewer, names: Sequence[str]) -> str:
    """Describe one redacted event in one sentence; empty for pure bookkeeping."""
    teller = Teller(viewer, names)
    if event.type == REWOUND:
        if event.data.get("cause") != "reaction":
            return say("The match was rewound.")
        item = event.data["item"]
        return teller.says("{who} reacted: the match went back to item {item}.", who=event.data["seat"], item=item)
    sentence = _SENTENCES.get(event.type)
    return "" if sentence is None else opening(sentence(event.data, teller))


def _list(cards: Iterable[str]) -> str:
    return listed(name_of(card) for card in cards) or say("nothing")


def _drew(d: Data, t: Teller) -> str:
    number = counted(d.get("count", len(d.get("cards", ()))), "card")
    if not d.get("names"):
        return t.says("{who} drew {cards}.", who=d["seat"], cards=number)
    return t.says("{who} drew {number}: {cards}.", who=d["seat"], number=number, cards=_list(d["names"]))


def _returned(d: Data, t: Teller) -> str:
    cards = counted(len(d["cards"]) if "cards" in d else d["count"], "card") + (f" ({_list(d['names'])})" if d["names"] else "")
    if d["to"] == "hand":
        return t.says("{cards} went to {whose} hand.", whom=d["seat"], cards=cards)
    return t.says("{cards} went to {whose} draw pile.", whom=d["seat"], cards=cards)


def _item(d: Data, t: Teller) -> str:
    if d["card"] == "draw":
        what = t.says("the end of {whose} draw phase", whom=d["by"])
    elif d["card"] == "action":
        what = t.says("the end of {whose} action phase", whom=d["by"])
    elif d["card"] == "turn":
        what = t.says("the end of {whose} turn", whom=d["by"])
    elif d["what"]:
        what = t.card(d["what"], d["card"])
    else:
        what = t.says("{whose} {thing}", whom=d["by"], thing=name_of(d["card"]))
    opened = say("Item {item} is open for reactions: {what}.", item=d["item"], what=what)
    return f"{opened} {_fired({'seat': 1 - d['by'], 'item': d['item']}, t)}" if "left" in d else opened


def _fired(d: Data, t: Teller) -> str:
    return t.says("{whose} standing order answered item {item}.", whom=d["seat"], item=d["item"])


def _played(d: Data, t: Teller) -> str:
    facts = {"card": name_of(d["name"]), "price": counted(d["cost"], "action"), "x": d["x"]}
    if CARDS[d["name"]].cost is not None:
        if d["origin"] == "hand":
            return t.says("{who} played {card} for {price}.", who=d["seat"], **facts)
        return t.says("{who} played {card} out of {their} station for {price}.", who=d["seat"], **facts)
    if d["origin"] == "hand":
        return t.says("{who} played {card} with x = {x} for {price}.", who=d["seat"], **facts)
    return t.says("{who} played {card} out of {their} station with x = {x} for {price}.", who=d["seat"], **facts)


def _left(d: Data, t: Teller) -> str:
    cards, count = t.cards(d["names"], d["cards"]), len(d["cards"])
    if d["reason"] == "destroyed":
        return say_many("{cards} was destroyed.", "{cards} were destroyed.", count, cards=cards)
    if d["reason"] == "discarded":
        return say_many("{cards} was discarded from play.", "{cards} were discarded from play.", count, cards=cards)
    return say_many("{cards} was returned to hand.", "{cards} were returned to hand.", count, cards=cards)


def _attacked(d: Data, t: Teller) -> str:
    facts = {"card": name_of(d["name"]), "power": d["power"]}
    if d["target"]:
        return t.says(
            "{who} attacks {target} with {card} (power {power}).",
            you="{who} attack {target} with {card} (power {power}).",
            who=d["seat"],
            target=t.card(d["target"], d["target_name"]),
            **facts,
        )
    return t.says(
        "{who} attacks {whose} station with {card} (power {power}).",
        you="{who} attack {whose} station with {card} (power {power}).",
        who=d["seat"],
        whom=1 - d["seat"],
        **facts,
    )


def _collided(d: Data, t: Teller) -> str:
    facts = {"card": name_of(d["name"]), "power": d["power"]}
    if d["target"]:
        return t.says(
            "{who} collides {card} with {target} (power {power}).",
            you="{who} collide {card} with {target} (power {power}).",
            who=d["seat"],
            target=t.card(d["target"], d["target_name"]),
            **facts,
        )
    return t.says(
        "{who} collides {card} with {whose} station (power {power}).",
        you="{who} collide {card} with {whose} station (power {power}).",
        who=d["seat"],
        whom=1 - d["seat"],
        **facts,
    )


def _damaged(d: Data, t: Teller) -> str:
    hits = listed(
        say("{amount} to {card}", amount=hit["amount"], card=t.card(card, d["names"][card]))
        for card, hit in sorted(d["hits"].items())
    )
    return say("Damage: {hits}.", hits=hits)


def _repaired(d: Data, t: Teller) -> str:
    owner, card = owner_of(d["card"]), bare(d["name"])
    if not d["amount"]:
        return t.says("{whose} {card} was repaired.", whom=owner, card=card)
    return t.says("{whose} {card} was repaired by {amount}.", whom=owner, card=card, amount=d["amount"])


def _flipped(d: Data, t: Teller) -> str:
    number = counted(len(d["slots"]), "card")
    if not d.get("names"):
        return t.says("{number} of {whose} station flipped.", whom=d["seat"], number=number)
    cards = _list(d["names"][card] for card in sorted(d["names"]))
    return t.says("{number} of {whose} station flipped ({cards}).", whom=d["seat"], number=number, cards=cards)


def _settled(d: Data, t: Teller) -> str:
    told = [t.says("{who} let {items} stand.", who=d["seat"], items=named("item", d["items"]))] if d.get("items") else []
    for seat in (0, 1):
        cards = [card["name"] for card in d.get("flips", ()) if card["seat"] == seat]
        if cards:
            told.append(t.says("Flipped cards of {whose} station are now public: {cards}.", whom=seat, cards=_list(cards)))
    return " ".join(told)


def _ended(d: Data, t: Teller) -> str:
    winner, loser = d["winner"], 1 - d["winner"]
    if d["reason"] == "commander":
        return t.says("{who} won: {whose} commander fell.", who=winner, whom=loser)
    if d["reason"] == "resigned":
        return t.says("{who} won: {whom} resigned.", who=winner, whom=loser)
    return t.says("{who} won: {whom} ran out of time.", who=winner, whom=loser)


def _prepared(d: Data, t: Teller) -> str:
    commit = d.get("commit")
    if commit is None:
        return t.says("{who} has prepared.", who=d["seat"])
    counts = {row: commit["rows"].count(row) for row in dict.fromkeys(commit["rows"])}
    rows = listed(say("{cards} in the {row} row", cards=counted(many, "card"), row=row) for row, many in counts.items())
    return t.says(
        "{who} prepared {commander} with {rows}.",
        who=d["seat"],
        commander=name_of(commit["commander"]),
        rows=rows,
    )


def _revealed(d: Data, t: Teller) -> str:
    pairs = "; ".join(f"{t.head(seat)}: {name_of(entry['commander'])}" for seat, entry in enumerate(d["sides"]))
    return say("Commanders and stations are revealed. {commanders}.", commanders=pairs)


def _upkeep(d: Data, t: Teller) -> str:
    price, kept = counted(d["cost"], "action"), _list(d["names"][card] for card in d["kept"])
    return t.says("{who} paid {price} as upkeep and kept {cards}.", who=d["seat"], price=price, cards=kept)


def _added(d: Data, t: Teller) -> str:
    place = {"row": d["row"], "slot": d["slot"]}
    if "name" not in d:
        return t.says("{who} added a card to the {row} row, slot {slot}.", who=d["seat"], **place)
    card = name_of(d["name"])
    return t.says("{who} added a card ({card}) to the {row} row, slot {slot}.", who=d["seat"], card=card, **place)


def _station_moved(d: Data, t: Teller) -> str:
    slots = named("slot", d["slots"])
    if len(d["slots"]) == 1:
        return t.says("{who} moved the station card in {slots} to the {row} row.", who=d["seat"], slots=slots, row=d["row"])
    return t.says("{who} moved the station cards in {slots} to the {row} row.", who=d["seat"], slots=slots, row=d["row"])


def _unflipped(d: Data, t: Teller) -> str:
    slots = named("slot", d["slots"])
    if len(d["slots"]) == 1:
        return t.says("{whose} station card in {slots} turned face down.", whom=d["seat"], slots=slots)
    return t.says("{whose} station cards in {slots} turned face down.", whom=d["seat"], slots=slots)


def _station_left(d: Data, t: Teller) -> str:
    slots = named("slot", d["slots"])
    if len(d["slots"]) == 1:
        return t.says(
            "{whose} station card in {slots} returned to their hand.",
            to_you="{whose} station card in {slots} returned to your hand.",
            whom=d["seat"],
            slots=slots,
        )
    return t.says(
        "{whose} station cards in {slots} returned to their hand.",
        to_you="{whose} station cards in {slots} returned to your hand.",
        whom=d["seat"],
        slots=slots,
    )


def _paralyzed(d: Data, t: Teller) -> str:
    cards = t.cards(d["names"], d["cards"])
    return say_many("{cards} was paralyzed.", "{cards} were paralyzed.", len(d["cards"]), cards=cards)


def _actions(d: Data, t: Teller) -> str:
    actions = counted(d["actions"], "action")
    return t.says("{who} has {actions}.", you="{who} have {actions}.", who=d["seat"], actions=actions)


def _actions_changed(d: Data, t: Teller) -> str:
    actions = counted(d["actions"], "action")
    return t.says("{who} now has {actions}.", you="{who} now have {actions}.", who=d["seat"], actions=actions)


def _life(d: Data, t: Teller) -> str:
    return t.says(
        "{who} has {life} life (lost {lost}).",
        you="{who} have {life} life (lost {lost}).",
        who=d["seat"],
        life=d["life"],
        lost=d["lost"],
    )


def _control(d: Data, t: Teller) -> str:
    card = t.card(d["cards"][0], d["name"])
    return t.says("{who} now controls {card}.", you="{who} now control {card}.", who=d["seat"], card=card)


def _transformed(d: Data, t: Teller) -> str:
    return t.says(
        "{whose} {card} is now {attack}/{defense}.",
        whom=owner_of(d["card"]),
        card=bare(d["name"]),
        attack=d["attack"],
        defense=d["defense"],
    )


def _counters(d: Data, t: Teller) -> str:
    counters = counted(d["counters"], "counter")
    return t.says("{whose} {card} now has {counters}.", whom=owner_of(d["card"]), card=bare(d["name"]), counters=counters)


_Tell = Callable[[Data, Teller], str]
_COURSE: Mapping[str, _Tell] = {
    "game_created": lambda d, t: say("The match begins."),
    "chooser_drawn": lambda d, t: t.says("{who} chooses who starts.", you="{who} choose who starts.", who=d["seat"]),
    "starter_chosen": lambda d, t: t.says("{who} starts.", you="{who} start.", who=d["seat"]),
    "seat_prepared": _prepared,
    "preparation_revealed": _revealed,
    "turn_started": lambda d, t: t.says("Turn {turn}: {whose} turn.", whom=d["seat"], turn=d["turn"]),
    "phase_entered": lambda d, t: say(_ENTERED[d["phase"]]),
    "actions_set": _actions,
    "actions_changed": _actions_changed,
    "upkeep_paid": _upkeep,
    "hand_freed": lambda d, t: t.says(
        "{who} has no hand limit this turn.", you="{who} have no hand limit this turn.", who=d["seat"]
    ),
    "extra_turn_gained": lambda d, t: t.says("{who} gains an extra turn.", you="{who} gain an extra turn.", who=d["seat"]),
    "turn_ended": lambda d, t: t.says("{who} ended the turn.", who=d["seat"]),
    "life_changed": _life,
    "outcome_pending": lambda d, t: t.says("{whose} commander falls unless the blow is answered.", whom=d["seat"]),
    "timed_out": lambda d, t: t.says("{who} ran out of time.", who=d["seat"]),
    "game_ended": _ended,
}
PARTS: Mapping[str, Part] = {
    "card_countered": "decisive",
    "life_changed": "decisive",
    "outcome_pending": "decisive",
    "game_ended": "decisive",
    "item_opened": "course",
    "items_settled": "course",
    "prompt_opened": "course",
    "actions_set": "course",
}
"""The parts of an act, beside its plain outcome, that events tell."""
_IN_PLAY: Mapping[str, _Tell] = {
    "card_played": _played,
    "card_countered": lambda d, t: t.says("{whose} {card} was countered.", whom=owner_of(d["card"]), card=bare(d["name"])),
    "entered_play": lambda d, t: t.says(
        "{whose} {card} came into play.", whom=owner_of(d["piece"]["id"]), card=bare(d["piece"]["card"])
    ),
    "put_into_play": lambda d, t: t.says(
        "{whose} {card} was put into play.", whom=owner_of(d["piece"]["id"]), card=bare(d["piece"]["card"])
    ),
    "left_play": _left,
    "moved": lambda d, t: t.says("{card} moved to {whose} zone.", whom=d["zone"], card=t.card(d["card"], d["name"])),
    "attack_declared": _attacked,
    "attack_failed": lambda d, t: t.says(
        "The attack of {whose} {card} failed.", whom=owner_of(d["attacker"]), card=bare(d["name"])
    ),
    "collided": _collided,
    "ability_used": lambda d, t: t.says("{whose} {card} used its ability.", whom=owner_of(d["card"]), card=bare(d["name"])),
    "commander_used": lambda d, t: t.says("{who} used {card}.", who=d["seat"], card=name_of(d["name"])),
    "damaged": _damaged,
    "repaired": _repaired,
    "paralyzed": _paralyzed,
    "protected": lambda d, t: t.says(
        "{whose} {card} cannot be attacked until the turn ends.", whom=owner_of(d["card"]), card=bare(d["name"])
    ),
    "counters_changed": _counters,
    "control_changed": _control,
    "transformed": _transformed,
}
_ZONES: Mapping[str, _Tell] = {
    "cards_drawn": _drew,
    "cards_discarded": lambda d, t: t.says("{who} discarded {cards}.", who=d["seat"], cards=_list(d["names"])),
    "cards_milled": lambda d, t: t.says("{whose} draw pile lost {cards}.", whom=d["seat"], cards=_list(d["names"])),
    "cards_returned": _returned,
    "looked": lambda d, t: t.says("{who} looked at {cards} of the draw pile.", who=d["seat"], cards=counted(d["count"], "card")),
    "station_added": _added,
    "station_moved": _station_moved,
    "station_flipped": _flipped,
    "station_unflipped": _unflipped,
    "station_left": _station_left,
}
_ANSWERS: Mapping[str, _Tell] = {
    "prompt_opened": lambda d, t: t.says("{who} must choose {choice}.", who=d["seat"], choice=say(CHOICES[d["kind"]])),
    "item_opened": _item,
    "items_settled": _settled,
    "orders_set": lambda d, t: t.says("{who} set {orders}.", who=d["seat"], orders=counted(len(d["orders"]), "standing order")),
    "order_fired": _fired,
    "paused": lambda d, t: t.says("{who} asks for reactions.", you="{who} ask for reactions.", who=d["seat"]),
}
_SENTENCES = {**_COURSE, **_IN_PLAY, **_ZONES, **_ANSWERS}
