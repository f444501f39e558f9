"""Events as sentences from a viewer's point of view; names of cards, actions and seats in words."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TypeVar

from gamesvc.games.kernel.game import Data, Event, Viewer
from gamesvc.games.kernel.wording import capital, counted, listed, opening, seat_name
from gamesvc.games.stratastar.data import ABILITY_NAMES, CARD_NAMES
from gamesvc.json_types import JsonMapping

T = TypeVar("T")
ACTIONS = {
    "external_trade": "external trade",
    "internal_trade": "internal trade",
    "basic_research": "basic research",
    "build_fleet": "building a Fleet",
    "build_warfleet": "building a Warfleet",
    "colonize": "colonizing",
    "build_stargate": "building a Stargate",
    "terraform": "terraforming",
    "allied_minor_race": "Allied Minor Race",
    "breakthrough": "a breakthrough",
    "move": "a move",
    "gate": "a move by Stargate",
    "hyper_jump": "a hyper jump",
    "defend_homeworld": "Defend the Homeworld",
    "retreat": "a retreat",
    "scout": "scouting",
    "planning": "Planning",
    "piracy": "Piracy",
    "treaty": "a treaty",
    "treason": "Treason",
    "disaster": "a disaster",
    "border_raids": "a border raid",
    "sabotage": "sabotage",
    "diplomacy_block": "diplomacy",
}
PIECES = {"fleet": "Fleet", "warfleet": "Warfleet", "colony": "colony", "stargate": "Stargate"}
CHITS = {
    "world": "a world",
    "supernova": "a Supernova",
    "black_hole": "a Black Hole",
    "nebula": "a Nebula",
    "blank": "empty space",
}
PHASES = {
    "homeworld": "placing Homeworlds",
    "ability_draft": "choosing abilities",
    "retool": "draw",
    "trade": "trade",
    "support": "support",
    "build": "build",
    "movement": "movement",
    "battle": "battle",
    "battle_call": "calls for battle",
    "over": "over",
}
REASONS = {
    "worlds": "colonies on enough worlds",
    "capture": "a Homeworld was captured",
    "last_seat": "the last empire left",
    "max_rounds": "all rounds are played",
}


def cards(found: Iterable[str] | Mapping[str, int]) -> str:
    """Describe cards with their counts: `2 Attack and 1 Move`."""
    counts: dict[str, int] = {}
    if isinstance(found, Mapping):
        counts = {card: found[card] for card in CARD_NAMES if card in found}
    else:
        for card in found:
            counts[card] = counts.get(card, 0) + 1
    return listed(f"{n} {CARD_NAMES[card]}" for card, n in counts.items()) or "nothing"


def by_seat(values: Mapping[str, T]) -> list[tuple[str, T]]:
    """Return the entries of an event's data by seat, in seat order."""
    return sorted(values.items(), key=lambda item: int(item[0]))


def group(fleets: int, warfleets: int) -> str:
    """Describe a group: `2 Fleets and 1 Warfleet`."""
    parts = [counted(n, word) for n, word in ((fleets, "Fleet"), (warfleets, "Warfleet")) if n]
    return listed(parts) or "no fleets"


class Teller:
    """The names of the players from one viewer's point of view."""

    def __init__(self, viewer: Viewer, names: Sequence[str]) -> None:
        self.viewer = viewer
        self.names = names

    def who(self, seat: int | None) -> str:
        if seat is None:
            return "anyone"
        if seat == self.viewer:
            return "you"
        return seat_name(seat, self.names)

    def Who(self, seat: int) -> str:
        return opening(self.who(seat))

    def whose(self, seat: int) -> str:
        return "your" if seat == self.viewer else f"{self.who(seat)}'s"

    def Whose(self, seat: int) -> str:
        return opening(self.whose(seat))

    def their(self, seat: int) -> str:
        return "your" if seat == self.viewer else "their"

    def all(self, seats: Iterable[int]) -> str:
        return listed(self.who(seat) for seat in seats)


def tell(event: Event, viewer: Viewer, names: Sequence[str]) -> str:
    """Describe one event, redacted for the viewer, in one sentence."""
    return _SENTENCES[event.type](Teller(viewer, names), event.data)


def treaty(one: JsonMapping, t: Teller) -> str:
    """Describe a treaty of a view, and when it ends."""
    parties = f"{t.who(one['seat'])} and {t.who(one['partner'])}"
    return f"Treaty between {parties} until the end of {t.whose(one['seat'])} turn {one['until']}."


def offer(one: JsonMapping, t: Teller) -> str:
    """Describe an offer of a view, with its cards if the viewer may know them."""
    what = f": gives {cards(one['give'])} for {cards(one['want'])}" if "give" in one else ""
    return f"{t.Whose(one['seat'])} offer {one['id']} to {t.who(one['to'])}{what}."


def forces(of: Mapping[str, int], t: Teller) -> str:
    """Describe the forces in a battle: `Ann 3, Ben 2`."""
    return ", ".join(f"{t.who(int(seat))} {force}" for seat, force in by_seat(of))


def _declared(t: Teller, d: Data) -> str:
    cost = f" for {cards(d['paid'])}" if d["paid"] else " as the free move" if d["free"] else ""
    credit = f" with credit {cards(d['credit'])}" if d["credit"] else ""
    asked = f" {opening(t.all(d['asked']))} may react." if d["asked"] else ""
    return f"{t.Who(d['seat'])} declared {aim(d['action'], d['args'], t)}{cost}{credit}.{asked}"


def aim(action: str, args: JsonMapping, t: Teller) -> str:
    """Describe an action and its target."""
    what = ACTIONS[action]
    if action in ("move", "gate", "hyper_jump", "retreat"):
        return f"{what} of {group(args['fleets'], args['warfleets'])} from {args['from']} to {args['to']}"
    if action in ("treason", "disaster"):
        return f"{what} against {t.whose(args['seat'])} {PIECES[args['piece']]} at {args['space']}"
    if action == "border_raids":
        return f"{what} on {t.whose(args['seat'])} colony at {args['space']}"
    if "target" in args:
        return f"{what} with {t.who(args['target'])}"
    if "against" in args:
        return f"{what} against {ACTIONS[args['against']]}"
    if action == "scout":
        return f"{what} of {args['to']} from {args['from']}"
    if "space" in args:
        return f"{what} at {args['space']}"
    return what


def _drawn(t: Teller, d: Data) -> str:
    shown = cards(d["cards"]) if "cards" in d else counted(d["count"], "card")
    return f"{t.Who(d['seat'])} drew {shown}."


def _taken(t: Teller, d: Data) -> str:
    return f"{t.Who(d['seat'])} took {cards([d['card']]) if 'card' in d else 'a card'} from {t.who(d['victim'])}."


def _moved(t: Teller, d: Data) -> str:
    return f"{t.Who(d['seat'])} moved {group(d['fleets'], d['warfleets'])} from {d['from']} to {d['to']}."


def _spied(t: Teller, d: Data) -> str:
    target = "the next cards of the deck" if d["target"] == "deck" else f"{t.whose(d['target'])} hand"
    seen = f": {', '.join(CARD_NAMES[card] for card in d['cards'])}" if "cards" in d else ""
    return f"{t.Who(d['seat'])} spied on {target} for {cards(d['paid']) if d['paid'] else 'credit'}{seen}."


def _offer(t: Teller, d: Data) -> str:
    what = f": {cards(d['give'])} for {cards(d['want'])}" if "give" in d else ""
    wait = ", waiting for the answer" if d["wait"] else ""
    return f"{t.Who(d['seat'])} made offer {d['id']} to {t.who(d['to'])}{what}{wait}."


def _swapped(t: Teller, d: Data) -> str:
    shown = f": {cards(d['give'])} for {cards(d['want'])}" if "give" in d else f": {d['given']} for {d['wanted']}"
    return f"{t.Who(d['seat'])} and {t.who(d['by'])} swapped cards by offer {d['id']}{shown}."


def _disbanded(t: Teller, d: Data) -> str:
    gone = listed(f"{group(one['fleets'], one['warfleets'])} at {one['space']}" for one in d["disband"]) or "no fleets"
    paid = f", with {cards(d['builds'])} for support" if d["builds"] else ""
    return f"{t.Who(d['seat'])} disbanded {gone}{paid}."


def _battle(t: Teller, d: Data) -> str:
    how = "called" if d["called"] else "declared"
    return f"{t.Who(d['seat'])} {how} a battle at {d['space']} between {t.all(d['participants'])}."


def _resolved(t: Teller, d: Data) -> str:
    result = "It is a tie." if d["winner"] is None else f"{t.Who(d['winner'])} won."
    return f"Forces at {d['space']}: {forces(d['forces'], t)}. {result}"


def _revealed(t: Teller, d: Data) -> str:
    return "Cards committed: " + "; ".join(f"{t.who(int(seat))} {cards(found)}" for seat, found in by_seat(d["commits"])) + "."


def _losses(t: Teller, d: Data) -> str:
    parts = []
    for seat, lost in by_seat(d["losses"]):
        pieces = (("fleets", "Fleet"), ("warfleets", "Warfleet"), ("stargates", "Stargate"))
        items = [counted(lost[name], word) for name, word in pieces if lost[name]]
        if lost["colonies"]:
            items.append(counted(lost["colonies"], "colony", "colonies"))
        parts.append(f"{t.who(int(seat))} lost {listed(items)}")
    return f"{opening(listed(parts))} at {d['space']}."


def _eliminated(t: Teller, d: Data) -> str:
    how = "resigned" if d["cause"] == "resigned" else f"lost {t.their(d['seat'])} Homeworld"
    return f"{t.Who(d['seat'])} {how} and left the game."


def _over(t: Teller, d: Data) -> str:
    return f"The match is over ({REASONS[d['reason']]}): {t.all(d['ranking'][0])} won."


def _passed(t: Teller, d: Data) -> str:
    """Describe a pass. Only the seat itself reads its follow-up."""
    command = d.get("then") or d.get("command")
    if not command:
        return f"{t.Who(d['seat'])} passed."
    act = f"retreat to {command['to']}" if command["name"] == "retreat" else "defend the Homeworld"
    return f"{t.Who(d['seat'])} will let it happen and then {act}."


def _rolled(t: Teller, d: Data) -> str:
    more = " and rolled again" if d["again"] else ""
    if d["choice"]:
        more = f" and may pick {' or '.join(ABILITY_NAMES[one] for one in d['choice'])}"
    return f"{t.Who(d['seat'])} rolled {d['roll']}{more}."


def _scouted(t: Teller, d: Data) -> str:
    return f"{t.Who(d['seat'])} scouted {d['space']}{': ' + CHITS[d['kind']] if 'kind' in d else ''}."


def _phase(t: Teller, d: Data) -> str:
    return f"{t.Who(d['seat'])} ended the {PHASES[d['phase']]} phase."


def _of(verb: str, piece: str) -> Callable[[Teller, Data], str]:
    return lambda t, d: f"{t.Who(d['seat'])} {verb} {piece} at {d['space']}."


_SENTENCES: dict[str, Callable[[Teller, Data], str]] = {
    "board_laid": lambda t, d: "The map was laid out.",
    "homeworld_placed": lambda t, d: f"{t.Who(d['seat'])} placed {t.their(d['seat'])} Homeworld at {d['corner']}.",
    "hazard_removed": lambda t, d: f"{capital(CHITS[d['kind']])} at {d['space']} was removed: a Homeworld was closed in.",
    "turn_order_set": lambda t, d: f"Turn order: {t.all(d['order'])}.",
    "hands_dealt": lambda t, d: "The first hands were dealt.",
    "draft_opened": lambda t, d: f"Abilities are picked in this order: {t.all(d['seats'])}.",
    "ability_gained": lambda t, d: f"{t.Who(d['seat'])} gained {ABILITY_NAMES[d['ability']]}.",
    "turn_started": lambda t, d: f"Turn {d['turn']}: {t.whose(d['seat'])} turn.",
    "phase_ended": _phase,
    "cards_discarded": lambda t, d: f"{t.Who(d['seat'])} discarded {cards(d['cards'])}.",
    "cards_drawn": _drawn,
    "deck_reshuffled": lambda t, d: "The discard pile was shuffled into a new deck.",
    "fleets_disbanded": _disbanded,
    "treaty_made": lambda t, d: f"{t.Who(d['seat'])} made a treaty with {t.who(d['partner'])}.",
    "treaty_ended": lambda t, d: f"The treaty between {t.who(d['seat'])} and {t.who(d['partner'])} ended.",
    "action_declared": _declared,
    "window_opened": lambda t, d: f"{opening(t.all(d['asked']))} may react to {aim(d['action'], d['args'], t)}.",
    "window_closed": lambda t, d: "Nobody else reacts.",
    "reaction_prepared": _passed,
    "passed": _passed,
    "action_negated": lambda t, d: f"{t.Who(d['by'])} sabotaged {t.whose(d['seat'])} attempt at {ACTIONS[d['action']]}.",
    "action_failed": lambda t, d: (
        f"{opening(t.whose(d['seat']))} attempt at {ACTIONS[d['action']]} failed: it was no longer possible."
    ),
    "move_blocked": lambda t, d: f"{t.Who(d['by'])} kept {t.whose(d['seat'])} fleets out of {d['space']} by diplomacy.",
    "move_bounced": lambda t, d: f"{capital(CHITS[d['kind']])} at {d['to']} stopped {t.whose(d['seat'])} fleets at {d['from']}.",
    "spied": _spied,
    "orders_set": lambda t, d: f"{t.Who(d['seat'])} changed {t.their(d['seat'])} standing orders.",
    "card_taken": _taken,
    "card_taken_discarded": lambda t, d: (
        f"{t.Who(d['seat'])} took {cards([d['card']])} from {t.who(d['victim'])}, and it was discarded."
    ),
    "card_lost": lambda t, d: f"{t.Who(d['victim'])} lost {cards([d['card']])} to {t.whose(d['seat'])} piracy.",
    "card_recovered": lambda t, d: f"{t.Who(d['seat'])} took {cards([d['card']])} from the discard pile.",
    "fleet_built": _of("built", "a Fleet"),
    "warfleet_built": _of("built", "a Warfleet"),
    "colony_placed": _of("placed", "a colony"),
    "stargate_built": _of("built", "a Stargate"),
    "ability_rolled": _rolled,
    "fleets_moved": _moved,
    "space_revealed": lambda t, d: f"{d['space']} is {CHITS[d['kind']]}.",
    "space_scouted": _scouted,
    "contact_made": lambda t, d: f"{opening(t.all(d['seats']))} met.",
    "unit_replaced": lambda t, d: (
        f"{opening(t.whose(d['victim']))} {PIECES[d['piece']]} at {d['space']} went over to {t.who(d['seat'])}."
    ),
    "piece_destroyed": lambda t, d: f"A disaster destroyed {t.whose(d['victim'])} {PIECES[d['piece']]} at {d['space']}.",
    "colony_raided": lambda t, d: f"{t.Who(d['seat'])} raided {t.whose(d['victim'])} colony at {d['space']}.",
    "offer_made": _offer,
    "offer_rejected": lambda t, d: f"{t.Who(d['by'])} rejected {t.whose(d['seat'])} offer {d['id']}.",
    "offer_withdrawn": lambda t, d: f"{t.Who(d['seat'])} withdrew offer {d['id']}.",
    "offer_void": lambda t, d: f"{t.Who(d['by'])} accepted {t.whose(d['seat'])} offer {d['id']}, but the cards were gone.",
    "cards_swapped": _swapped,
    "calls_opened": lambda t, d: f"{opening(t.all(d['seats'])) or 'Nobody'} may call a battle.",
    "battle_declared": _battle,
    "attack_committed": lambda t, d: f"{t.Who(d['seat'])} committed {cards(d['cards']) if 'cards' in d else 'to the battle'}.",
    "attacks_revealed": _revealed,
    "battle_resolved": _resolved,
    "battle_cancelled": lambda t, d: f"The battle at {d['space']} did not take place.",
    "units_destroyed": _losses,
    "homeworld_captured": lambda t, d: f"{t.Who(d['seat'])} captured {t.whose(d['owner'])} Homeworld at {d['space']}.",
    "seat_eliminated": _eliminated,
    "game_over": _over,
}
