"""Events as sentences from a viewer's point of view; names of cards, actions and seats in words.

The cards, pieces, abilities and hazards keep the names of the rules in every language.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeVar

from gamesvc.games.kernel.game import Data, Event, Viewer
from gamesvc.games.kernel.wording import Speaker, capital, counted, listed, opening
from gamesvc.games.stratastar.data import ABILITY_NAMES, CARD_NAMES
from gamesvc.json_types import JsonMapping
from gamesvc.language import mark, say

T = TypeVar("T")
ACTIONS = {
    "external_trade": mark("external trade"),
    "internal_trade": mark("internal trade"),
    "basic_research": mark("basic research"),
    "build_fleet": mark("building a Fleet"),
    "build_warfleet": mark("building a Warfleet"),
    "colonize": mark("colonizing"),
    "build_stargate": mark("building a Stargate"),
    "terraform": mark("terraforming"),
    "allied_minor_race": mark("Allied Minor Race"),
    "breakthrough": mark("a breakthrough"),
    "move": mark("a move"),
    "gate": mark("a move by Stargate"),
    "hyper_jump": mark("a hyper jump"),
    "defend_homeworld": mark("Defend the Homeworld"),
    "retreat": mark("a retreat"),
    "scout": mark("scouting"),
    "planning": mark("Planning"),
    "piracy": mark("Piracy"),
    "treaty": mark("a treaty"),
    "treason": mark("Treason"),
    "disaster": mark("a disaster"),
    "border_raids": mark("a border raid"),
    "sabotage": mark("sabotage"),
    "diplomacy_block": mark("diplomacy"),
}
PIECES = {"fleet": mark("Fleet"), "warfleet": mark("Warfleet"), "colony": mark("colony"), "stargate": mark("Stargate")}
PLAIN_PIECES = (mark("fleet"), mark("warfleet"), mark("stargate"))
"""The pieces as commands name them, which refusals show."""
CHITS = {
    "world": mark("a world"),
    "supernova": mark("a Supernova"),
    "black_hole": mark("a Black Hole"),
    "nebula": mark("a Nebula"),
    "blank": mark("empty space"),
}
PHASES = {
    "homeworld": mark("placing Homeworlds"),
    "ability_draft": mark("choosing abilities"),
    "retool": mark("draw"),
    "trade": mark("trade"),
    "support": mark("support"),
    "build": mark("build"),
    "movement": mark("movement"),
    "battle": mark("battle"),
    "battle_call": mark("calls for battle"),
    "over": mark("over"),
}
REASONS = {
    "worlds": mark("colonies on enough worlds"),
    "capture": mark("a Homeworld was captured"),
    "last_seat": mark("the last empire standing"),
    "max_rounds": mark("all rounds are played"),
}


def cards(found: Iterable[str] | Mapping[str, int]) -> str:
    """Describe cards with their counts: `2 Attack and 1 Move`."""
    counts: dict[str, int] = {}
    if isinstance(found, Mapping):
        counts = {card: found[card] for card in CARD_NAMES if card in found}
    else:
        for card in found:
            counts[card] = counts.get(card, 0) + 1
    return listed(f"{n} {CARD_NAMES[card]}" for card, n in counts.items()) or say("nothing")


def by_seat(values: Mapping[str, T]) -> list[tuple[str, T]]:
    """Return the entries of an event's data by seat, in seat order."""
    return sorted(values.items(), key=lambda item: int(item[0]))


def group(fleets: int, warfleets: int) -> str:
    """Describe a group: `2 Fleets and 1 Warfleet`."""
    parts = [
        *([counted(fleets, "Fleet")] if fleets else []),
        *([counted(warfleets, "Warfleet")] if warfleets else []),
    ]
    return listed(parts) or say("no fleets")


def tell(event: Event, viewer: Viewer, names: Sequence[str]) -> str:
    """Describe one event, redacted for the viewer, in one sentence."""
    return _SENTENCES[event.type](Speaker(viewer, names), event.data)


def treaty(one: JsonMapping, t: Speaker) -> str:
    """Describe a treaty of a view, and when it ends."""
    return t.says(
        "Treaty between {whom} and {who} until the end of {whose} turn {until}.",
        who=one["partner"],
        whom=one["seat"],
        until=one["until"],
    )


def offer(one: JsonMapping, t: Speaker) -> str:
    """Describe an offer of a view, with its cards if the viewer may know them."""
    shown = {"offer": one["id"], "what": _goods(one)}
    if one["to"] is None:
        return t.says("{whose} offer {offer} to anyone{what}.", whom=one["seat"], **shown)
    return t.says("{whose} offer {offer} to {who}{what}.", whom=one["seat"], who=one["to"], **shown)


def _goods(one: JsonMapping) -> str:
    """Return the end of a sentence about an offer: its cards, if the viewer may know them."""
    return say(": {give} for {want}", give=cards(one["give"]), want=cards(one["want"])) if "give" in one else ""


def forces(of: Mapping[str, int], t: Speaker) -> str:
    """Describe the forces in a battle: `Ann 3, Ben 2`."""
    return ", ".join(f"{t.who(int(seat))} {force}" for seat, force in by_seat(of))


def _declared(t: Speaker, d: Data) -> str:
    seat = d["seat"]
    facts: dict[str, Any] = {"aim": aim(d["action"], d["args"], t), "cost": cards(d["paid"]), "credit": cards(d["credit"])}
    if d["paid"] and d["credit"]:
        text = t.says("{who} declared {aim} for {cost} with credit {credit}.", who=seat, **facts)
    elif d["paid"]:
        text = t.says("{who} declared {aim} for {cost}.", who=seat, **facts)
    elif d["credit"]:
        text = t.says("{who} declared {aim} with credit {credit}.", who=seat, **facts)
    elif d["free"]:
        text = t.says("{who} declared {aim} as the free move.", who=seat, **facts)
    else:
        text = t.says("{who} declared {aim}.", who=seat, **facts)
    asked = f" {opening(say('{seats} may react.', seats=t.all(d['asked'])))}" if d["asked"] else ""
    return text + asked


def aim(action: str, args: JsonMapping, t: Speaker) -> str:
    """Describe an action and its target."""
    what = say(ACTIONS[action])
    if action in ("move", "gate", "hyper_jump", "retreat"):
        moved = group(args["fleets"], args["warfleets"])
        return say("{action} of {group} from {start} to {to}", action=what, group=moved, start=args["from"], to=args["to"])
    if action in ("treason", "disaster"):
        piece = say(PIECES[args["piece"]])
        return t.says(
            "{action} against {whose} {piece} at {space}", whom=args["seat"], action=what, piece=piece, space=args["space"]
        )
    if action == "border_raids":
        return t.says("{action} on {whose} colony at {space}", whom=args["seat"], action=what, space=args["space"])
    if "target" in args:
        return t.says("{action} with {whom}", whom=args["target"], action=what)
    if "against" in args:
        return say("{action} against {other}", action=what, other=say(ACTIONS[args["against"]]))
    if action == "scout":
        return say("{action} of {to} from {start}", action=what, to=args["to"], start=args["from"])
    if "space" in args:
        return say("{action} at {space}", action=what, space=args["space"])
    return what


def _drawn(t: Speaker, d: Data) -> str:
    shown = cards(d["cards"]) if "cards" in d else counted(d["count"], "card")
    return t.says("{who} drew {cards}.", who=d["seat"], cards=shown)


def _taken(t: Speaker, d: Data) -> str:
    card = cards([d["card"]]) if "card" in d else say("a card")
    return t.says("{who} took {card} from {whom}.", who=d["seat"], whom=d["victim"], card=card)


def _moved(t: Speaker, d: Data) -> str:
    moved = group(d["fleets"], d["warfleets"])
    return t.says("{who} moved {group} from {start} to {to}.", who=d["seat"], group=moved, start=d["from"], to=d["to"])


def _spied(t: Speaker, d: Data) -> str:
    paid = cards(d["paid"]) if d["paid"] else say("credit")
    seen = f": {', '.join(CARD_NAMES[card] for card in d['cards'])}" if "cards" in d else ""
    if d["target"] == "deck":
        return t.says("{who} spied on the next cards of the deck for {paid}{seen}.", who=d["seat"], paid=paid, seen=seen)
    return t.says("{who} spied on {whose} hand for {paid}{seen}.", who=d["seat"], whom=d["target"], paid=paid, seen=seen)


def _offer(t: Speaker, d: Data) -> str:
    shown = {"offer": d["id"], "what": _goods(d)}
    if d["to"] is None:
        return t.says("{who} made offer {offer} to anyone{what}.", who=d["seat"], **shown)
    if d["wait"]:
        return t.says("{who} made offer {offer} to {whom}{what}, waiting for the answer.", who=d["seat"], whom=d["to"], **shown)
    return t.says("{who} made offer {offer} to {whom}{what}.", who=d["seat"], whom=d["to"], **shown)


def _swapped(t: Speaker, d: Data) -> str:
    give, want = (cards(d["give"]), cards(d["want"])) if "give" in d else (d["given"], d["wanted"])
    both = t.all((d["seat"], d["by"]))
    return opening(
        say("{both} swapped cards by offer {offer}: {give} for {want}.", both=both, offer=d["id"], give=give, want=want)
    )


def _disbanded(t: Speaker, d: Data) -> str:
    gone = [say("{group} at {space}", group=group(one["fleets"], one["warfleets"]), space=one["space"]) for one in d["disband"]]
    groups = listed(gone) or say("no fleets")
    if d["builds"]:
        paid = cards(d["builds"])
        return t.says("{who} disbanded {groups}, with {paid} for support.", who=d["seat"], groups=groups, paid=paid)
    return t.says("{who} disbanded {groups}.", who=d["seat"], groups=groups)


def _battle(t: Speaker, d: Data) -> str:
    between = t.all(d["participants"])
    if d["called"]:
        return t.says("{who} called a battle at {space} between {seats}.", who=d["seat"], space=d["space"], seats=between)
    return t.says("{who} declared a battle at {space} between {seats}.", who=d["seat"], space=d["space"], seats=between)


def _resolved(t: Speaker, d: Data) -> str:
    result = say("It is a tie.") if d["winner"] is None else t.says("{who} won.", who=d["winner"])
    return say("Forces at {space}: {forces}. {result}", space=d["space"], forces=forces(d["forces"], t), result=result)


def _revealed(t: Speaker, d: Data) -> str:
    shown = "; ".join(f"{t.who(int(seat))} {cards(found)}" for seat, found in by_seat(d["commits"]))
    return say("Cards committed: {commits}.", commits=shown)


def _losses(t: Speaker, d: Data) -> str:
    parts = []
    for seat, lost in by_seat(d["losses"]):
        items = [
            *([counted(lost["fleets"], "Fleet")] if lost["fleets"] else []),
            *([counted(lost["warfleets"], "Warfleet")] if lost["warfleets"] else []),
            *([counted(lost["stargates"], "Stargate")] if lost["stargates"] else []),
            *([counted(lost["colonies"], "colony", "colonies")] if lost["colonies"] else []),
        ]
        parts.append(t.says("{who} lost {items}", who=int(seat), items=listed(items)))
    return opening(say("{losses} at {space}.", losses=listed(parts), space=d["space"]))


def _eliminated(t: Speaker, d: Data) -> str:
    if d["cause"] == "resigned":
        return t.says("{who} resigned and left the game.", who=d["seat"])
    return t.says("{who} lost {their} Homeworld and left the game.", who=d["seat"])


def _over(t: Speaker, d: Data) -> str:
    return say("The match is over ({reason}): {seats} won.", reason=say(REASONS[d["reason"]]), seats=t.all(d["ranking"][0]))


def _passed(t: Speaker, d: Data) -> str:
    """Describe a pass. Only the seat itself reads its follow-up."""
    command = d.get("then") or d.get("command")
    if not command:
        return t.says("{who} passed.", who=d["seat"])
    if command["name"] == "retreat":
        return t.says("{who} will let it happen and then retreat to {to}.", who=d["seat"], to=command["to"])
    return t.says("{who} will let it happen and then defend the Homeworld.", who=d["seat"])


def _rolled(t: Speaker, d: Data) -> str:
    if d["choice"]:
        choice = listed((ABILITY_NAMES[one] for one in d["choice"]), "or")
        return t.says("{who} rolled {roll} and may pick {choice}.", who=d["seat"], roll=d["roll"], choice=choice)
    if d["again"]:
        return t.says("{who} rolled {roll} and rolled again.", who=d["seat"], roll=d["roll"])
    return t.says("{who} rolled {roll}.", who=d["seat"], roll=d["roll"])


def _scouted(t: Speaker, d: Data) -> str:
    if "kind" in d:
        return t.says("{who} scouted {space}: {ground}.", who=d["seat"], space=d["space"], ground=say(CHITS[d["kind"]]))
    return t.says("{who} scouted {space}.", who=d["seat"], space=d["space"])


def _phase(t: Speaker, d: Data) -> str:
    return t.says("{who} ended the {phase} phase.", who=d["seat"], phase=say(PHASES[d["phase"]]))


def _calls(t: Speaker, d: Data) -> str:
    if not d["seats"]:
        return say("Nobody may call a battle.")
    return opening(say("{seats} may call a battle.", seats=t.all(d["seats"])))


def _committed(t: Speaker, d: Data) -> str:
    if "cards" in d:
        return t.says("{who} committed {cards}.", who=d["seat"], cards=cards(d["cards"]))
    return t.says("{who} committed to the battle.", who=d["seat"])


def _removed(t: Speaker, d: Data) -> str:
    ground = capital(say(CHITS[d["kind"]]))
    return say("{ground} at {space} was removed: a Homeworld was closed in.", ground=ground, space=d["space"])


def _bounced(t: Speaker, d: Data) -> str:
    ground = capital(say(CHITS[d["kind"]]))
    return t.says(
        "{ground} at {to} stopped {whose} fleets at {start}.", whom=d["seat"], ground=ground, to=d["to"], start=d["from"]
    )


def _negated(t: Speaker, d: Data) -> str:
    action = say(ACTIONS[d["action"]])
    return t.says("{who} sabotaged {whose} attempt at {action}.", who=d["by"], whom=d["seat"], action=action)


def _window(t: Speaker, d: Data) -> str:
    return opening(say("{seats} may react to {aim}.", seats=t.all(d["asked"]), aim=aim(d["action"], d["args"], t)))


_SENTENCES: dict[str, Callable[[Speaker, Data], str]] = {
    "board_laid": lambda t, d: say("The map was laid out."),
    "homeworld_placed": lambda t, d: t.says("{who} placed {their} Homeworld at {corner}.", who=d["seat"], corner=d["corner"]),
    "hazard_removed": _removed,
    "turn_order_set": lambda t, d: say("Turn order: {seats}.", seats=t.all(d["order"])),
    "hands_dealt": lambda t, d: say("The first hands were dealt."),
    "draft_opened": lambda t, d: say("Abilities are picked in this order: {seats}.", seats=t.all(d["seats"])),
    "ability_gained": lambda t, d: t.says("{who} gained {ability}.", who=d["seat"], ability=ABILITY_NAMES[d["ability"]]),
    "turn_started": lambda t, d: t.says("Turn {turn}: {whose} turn.", whom=d["seat"], turn=d["turn"]),
    "phase_ended": _phase,
    "cards_discarded": lambda t, d: t.says("{who} discarded {cards}.", who=d["seat"], cards=cards(d["cards"])),
    "cards_drawn": _drawn,
    "deck_reshuffled": lambda t, d: say("The discard pile was shuffled into a new deck."),
    "fleets_disbanded": _disbanded,
    "treaty_made": lambda t, d: t.says("{who} made a treaty with {whom}.", who=d["seat"], whom=d["partner"]),
    "treaty_ended": lambda t, d: say("The treaty between {seats} ended.", seats=t.all((d["seat"], d["partner"]))),
    "action_declared": _declared,
    "window_opened": _window,
    "window_closed": lambda t, d: say("Nobody else reacts."),
    "reaction_prepared": _passed,
    "passed": _passed,
    "action_negated": _negated,
    "action_failed": lambda t, d: t.says(
        "{whose} attempt at {action} failed: it was no longer possible.", whom=d["seat"], action=say(ACTIONS[d["action"]])
    ),
    "move_blocked": lambda t, d: t.says(
        "{who} kept {whose} fleets out of {space} by diplomacy.", who=d["by"], whom=d["seat"], space=d["space"]
    ),
    "move_bounced": _bounced,
    "spied": _spied,
    "orders_set": lambda t, d: t.says("{who} changed {their} standing orders.", who=d["seat"]),
    "card_taken": _taken,
    "card_taken_discarded": lambda t, d: t.says(
        "{who} took {card} from {whom}, and it was discarded.", who=d["seat"], whom=d["victim"], card=cards([d["card"]])
    ),
    "card_lost": lambda t, d: t.says(
        "{who} lost {card} to {whose} piracy.", who=d["victim"], whom=d["seat"], card=cards([d["card"]])
    ),
    "card_recovered": lambda t, d: t.says("{who} took {card} from the discard pile.", who=d["seat"], card=cards([d["card"]])),
    "fleet_built": lambda t, d: t.says("{who} built a Fleet at {space}.", who=d["seat"], space=d["space"]),
    "warfleet_built": lambda t, d: t.says("{who} built a Warfleet at {space}.", who=d["seat"], space=d["space"]),
    "colony_placed": lambda t, d: t.says("{who} placed a colony at {space}.", who=d["seat"], space=d["space"]),
    "stargate_built": lambda t, d: t.says("{who} built a Stargate at {space}.", who=d["seat"], space=d["space"]),
    "ability_rolled": _rolled,
    "fleets_moved": _moved,
    "space_revealed": lambda t, d: say("{space} is {ground}.", space=d["space"], ground=say(CHITS[d["kind"]])),
    "space_scouted": _scouted,
    "contact_made": lambda t, d: opening(say("{seats} met.", seats=t.all(d["seats"]))),
    "unit_replaced": lambda t, d: t.says(
        "{whose} {piece} at {space} went over to {who}.",
        who=d["seat"],
        whom=d["victim"],
        piece=say(PIECES[d["piece"]]),
        space=d["space"],
    ),
    "piece_destroyed": lambda t, d: t.says(
        "A disaster destroyed {whose} {piece} at {space}.", whom=d["victim"], piece=say(PIECES[d["piece"]]), space=d["space"]
    ),
    "colony_raided": lambda t, d: t.says(
        "{who} raided {whose} colony at {space}.", who=d["seat"], whom=d["victim"], space=d["space"]
    ),
    "offer_made": _offer,
    "offer_rejected": lambda t, d: t.says("{who} rejected {whose} offer {offer}.", who=d["by"], whom=d["seat"], offer=d["id"]),
    "offer_withdrawn": lambda t, d: t.says("{who} withdrew offer {offer}.", who=d["seat"], offer=d["id"]),
    "offer_void": lambda t, d: t.says(
        "{who} accepted {whose} offer {offer}, but the cards were gone.", who=d["by"], whom=d["seat"], offer=d["id"]
    ),
    "cards_swapped": _swapped,
    "calls_opened": _calls,
    "battle_declared": _battle,
    "attack_committed": _committed,
    "attacks_revealed": _revealed,
    "battle_resolved": _resolved,
    "battle_cancelled": lambda t, d: say("The battle at {space} did not take place.", space=d["space"]),
    "units_destroyed": _losses,
    "homeworld_captured": lambda t, d: t.says(
        "{who} captured {whose} Homeworld at {space}.", who=d["seat"], whom=d["owner"], space=d["space"]
    ),
    "seat_eliminated": _eliminated,
    "game_over": _over,
}
