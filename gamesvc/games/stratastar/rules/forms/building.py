"""Forms for support, building, and actions allowed in all phases of a seat's own turn."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from gamesvc.games.kernel.game import Form
from gamesvc.games.stratastar.data import POWER, RESEARCH, WORTH
from gamesvc.games.stratastar.data.geometry import ADJACENT, SPACES, in_order
from gamesvc.games.stratastar.rules import facts
from gamesvc.games.stratastar.rules.actions import plans
from gamesvc.games.stratastar.rules.actions.payment import can_pay, cards_schema, cost_of, value
from gamesvc.games.stratastar.rules.forms.fields import groups_schema, is_legal, priced, seat_choice, spaces
from gamesvc.games.stratastar.rules.turn import build_value
from gamesvc.games.stratastar.state import State
from gamesvc.json_types import JsonObject
from gamesvc.language import mark, say, say_many


def support(state: State, seat: int) -> Iterable[Form]:
    """Yield one form for each number of fleets to disband: the Build cards that lead to it, and the fleets."""
    player, hand = state.players[seat], facts.spendable(state, seat)
    cards = [card for card in hand if card in ("build", POWER["build"], RESEARCH)]
    by_excess: dict[int, list[int]] = {}
    for worth in range(value(cards) + 1):
        by_excess.setdefault(facts.excess(player, worth), []).append(worth)
    for due, worths in by_excess.items():
        total = {"minimum": worths[0], "maximum": worths[-1], "worth": {card: WORTH[card] for card in cards}}
        numbers = [n for n in range(value(cards) + 1) if _worth(hand, n) in worths]
        lists = cards_schema(cards, total=total, title=mark("These cards"))
        number = {"enum": numbers, "title": mark("A number of Build cards")}
        builds: JsonObject = {"oneOf": [number, lists] if numbers else [lists], "title": mark("Build cards")}
        if numbers:
            builds["default"] = numbers[0]
        groups = groups_schema(player, facts.fleet_spaces(player), "space", due or None, title=mark("Disband"))
        if due:
            groups |= {"minItems": 1, "total": {"minimum": due, "maximum": due}}
        else:
            groups["maxItems"] = 0
        required = ("builds", "disband") if due else ("builds",)
        yield Form("support", _supported(due, worths[0]), {"builds": builds, "disband": groups}, required)


def _supported(due: int, worth: int) -> str:
    """Return how many fleets are disbanded, with the least that is paid for it."""
    words = say_many("Disband {number} fleet", "Disband {number} fleets", due) if due else say("Keep all fleets")
    return say("{words}, for Build cards worth {worth}", words=words, worth=worth) if worth else words


def _worth(hand: tuple[str, ...], n: int) -> int | None:
    chosen = build_value(hand, n)
    return None if chosen is None else value(chosen)


def build(state: State, seat: int) -> Iterable[Form]:
    """Yield the forms of the build phase."""
    player = state.players[seat]
    if player.home and is_legal(plans.check_build_fleet, state, seat, player.home):
        at_home = {"space": {"const": player.home}}
        yield from priced(state, seat, "build_fleet", say("Build a Fleet at the Homeworld"), cost_of("build_fleet"), at_home, ())
    away = _passing(plans.check_build_fleet, state, seat, in_order(player.colonies))
    if away:
        yield from priced(
            state, seat, "build_fleet", say("Build a Fleet at a colony"), cost_of("expansion"), {"space": spaces(away)}
        )
    if is_legal(plans.check_build_warfleet, state, seat):
        yield from priced(state, seat, "build_warfleet", say("Build a Warfleet"), cost_of("warfleet"))
    own = in_order(player.colonies)
    near: Iterable[str] = SPACES if facts.has(state, seat, "allied_minor_race") else ()
    for name, label, check, candidates in (
        ("colonize", say("Colonize a world"), plans.check_colonize, in_order(player.fleets)),
        ("build_stargate", say("Build a Stargate"), plans.check_build_stargate, own),
        ("terraform", say("Terraform a world"), plans.check_terraform, own),
        ("allied_minor_race", say("Ally with a minor race"), plans.check_allied_minor_race, near),
    ):
        if can_pay(state, seat, cost_of(name)) and (found := _passing(check, state, seat, candidates)):
            yield from priced(state, seat, name, label, cost_of(name), {"space": spaces(found)})
    if is_legal(plans.check_breakthrough, state, seat):
        yield from priced(state, seat, "breakthrough", say("Breakthrough"), cost_of("breakthrough"))


def _passing(check: Callable[..., None], state: State, seat: int, candidates: Iterable[str]) -> list[str]:
    return [space for space in candidates if is_legal(check, state, seat, space)]


def own_time(state: State, seat: int) -> Iterable[Form]:
    """Yield the forms for actions allowed in trade, build, movement and battle phase alike (RULES.md 10)."""
    opponents = facts.opponents(state, seat)
    if state.options.exploration and can_pay(state, seat, cost_of("scout")):
        yield from _scouting(state, seat)
    if is_legal(plans.check_planning, state, seat):
        yield from priced(state, seat, "planning", say("Take the top of the discard pile"), cost_of("planning"))
    for name, label, check in (
        ("piracy", say("Piracy"), plans.check_piracy),
        ("treaty", say("Make a treaty"), plans.check_treaty),
    ):
        targets = [one for one in opponents if is_legal(check, state, seat, one)]
        if targets:
            yield from priced(state, seat, name, label, cost_of(name), {"target": seat_choice(targets)})
    if facts.has(state, seat, "border_raids") and can_pay(state, seat, cost_of("border_raids")):
        for victim in opponents:
            raidable = [
                space
                for space in in_order(state.players[victim].colonies)
                if is_legal(plans.check_raid, state, seat, victim, space)
            ]
            if raidable:
                parameters = {"seat": seat_choice([victim]), "space": spaces(raidable)}
                yield from priced(state, seat, "border_raids", say("Raid a colony"), cost_of("border_raids"), parameters)
    if state.options.disaster and can_pay(state, seat, cost_of("disaster")):
        yield from _aimed(state, seat, "disaster", plans.check_disaster, facts.alive(state))
    if facts.has(state, seat, "treason") and can_pay(state, seat, cost_of("treason")):
        yield from _aimed(state, seat, "treason", plans.check_treason, opponents)


def _scouting(state: State, seat: int) -> Iterable[Form]:
    for start in facts.unit_spaces(state.players[seat]):
        unseen = [to for to in ADJACENT[start] if is_legal(plans.check_scout, state, seat, start, to)]
        if unseen:
            parameters = {"from": {"const": start}, "to": spaces(unseen, mark("To"))}
            yield from priced(state, seat, "scout", say("Scout from {start}", start=start), cost_of("scout"), parameters)


def _aimed(state: State, seat: int, name: str, check: Callable[..., None], victims: Iterable[int]) -> Iterable[Form]:
    for victim in victims:
        found: dict[str, list[str]] = {}
        for piece, space in facts.pieces(state.players[victim]):
            if is_legal(check, state, seat, victim, piece, space):
                found.setdefault(piece, []).append(space)
        for piece, where in found.items():
            label = say("Disaster strikes: {piece}", piece=piece) if name == "disaster" else say("Treason: {piece}", piece=piece)
            parameters = {"seat": seat_choice([victim]), "piece": {"const": piece}, "space": spaces(where)}
            yield from priced(state, seat, name, label, cost_of(name), parameters)
