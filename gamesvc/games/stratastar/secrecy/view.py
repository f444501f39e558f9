"""The view of a seat or a spectator, as plain JSON. Pages, pictures, texts and bots use nothing else (RULES.md 12)."""

from __future__ import annotations

from gamesvc.games.kernel.game import Viewer
from gamesvc.games.stratastar.data.geometry import in_order
from gamesvc.games.stratastar.rules import facts, standing_orders
from gamesvc.games.stratastar.rules.actions import reactions
from gamesvc.games.stratastar.rules.legal import awaited
from gamesvc.games.stratastar.state import Action, Offer, Options, Player, State, Treaty
from gamesvc.json_types import JsonObject


def view(state: State, viewer: Viewer) -> JsonObject:
    """Return the match as the viewer sees it. A seat that left sees the spectators' view and its own notes."""
    turn, chart = state.turn, state.chart
    seen: JsonObject = {
        "viewer": viewer,
        "options": _options(state),
        "phase": turn.phase,
        "turn": turn.number,
        "round": turn.round,
        "active": turn.active,
        "order": list(state.order),
        "placement": list(state.placement),
        "awaited": [{"seat": one.seat, "prompt": one.prompt, "kind": one.kind} for one in awaited(state)],
        "chits": {space: chart.chits[space] for space in in_order(chart.chits)},
        "unknown": in_order(chart.unknown),
        "scouts": {space: list(chart.scouts[space]) for space in in_order(chart.scouts)},
        "contacts": [list(pair) for pair in chart.contacts],
        "players": [_player(state, seat, player) for seat, player in enumerate(state.players)],
        "contested": contested(state),
        "free_move": turn.free_move,
        "internal_used": turn.internal_used,
        "credit": dict(turn.credit),
        "blocked": list(turn.blocked),
        "fought": list(turn.fought),
        "choice": list(turn.choice),
        "deck": len(state.deck),
        "discard": list(state.discard),
        "treaties": [_treaty(state, treaty) for treaty in state.treaties],
        "offers": [_offer(offer, viewer) for offer in state.offers],
        "waiting_offer": state.waiting,
        "actions": [_action(action, viewer) for action in state.actions],
        "battle": _battle(state, viewer),
        "ended": _end(state),
    }
    return seen if viewer is None else {**seen, **_own(state, viewer)}


def _own(state: State, seat: int) -> JsonObject:
    """Return what only the player of a seat sees: their hand, what their scouts found, their orders and records."""
    player, chart = state.players[seat], state.chart
    return {
        "hand": list(player.hand),
        "scouted": {space: chart.scouted[space] for space in in_order(chart.scouted) if seat in chart.scouts.get(space, ())},
        "orders": standing_orders.shown(player.orders),
        "records": [{"turn": one.turn, "target": one.target, "cards": list(one.cards)} for one in player.records],
        "can": _reactions(state, seat),
    }


def _treaty(state: State, treaty: Treaty) -> JsonObject:
    left = treaty.until - state.players[treaty.seat].turns
    return {"seat": treaty.seat, "partner": treaty.partner, "until": treaty.until, "left": left}


def _end(state: State) -> JsonObject | None:
    if state.ended is None:
        return None
    return {"reason": state.ended.reason, "ranking": [list(group) for group in state.ended.ranking]}


def _options(state: State) -> JsonObject:
    chosen = ((name, getattr(state.options, name)) for name in Options.__slots__)
    options = {name: value for name, value in chosen if (name, value) != ("pace", "")}
    options["abilities_all"] = list(state.options.abilities_all)
    options["abilities_by_seat"] = {str(seat): list(owned) for seat, owned in state.options.abilities_by_seat.items()}
    return options


def _player(state: State, seat: int, player: Player) -> JsonObject:
    return {
        "seat": seat,
        "alive": player.alive,
        "home": player.home,
        "fleets": dict(player.fleets),
        "warfleets": dict(player.warfleets),
        "colonies": dict(player.colonies),
        "stargates": list(player.stargates),
        "abilities": list(player.abilities),
        "raided": dict(player.raided),
        "hand": len(player.hand),
        "hand_limit": facts.hand_limit(state, seat),
        "worlds": facts.worlds(player),
        "colony_count": sum(player.colonies.values()),
        "fleet_count": facts.fleets_in_play(player),
        "capacity": facts.capacity(player),
        "turns": player.turns,
        "last_move": list(player.last_move),
    }


def contested(state: State) -> list[str]:
    """Return the spaces where any seat could start a battle."""
    found: set[str] = set()
    for seat in facts.alive(state):
        for space in facts.unit_spaces(state.players[seat]):
            if space not in found and facts.foes_at(state, seat, space):
                found.add(space)
    return in_order(found)


def _offer(offer: Offer, viewer: Viewer) -> JsonObject:
    shown: JsonObject = {
        "id": offer.id,
        "seat": offer.seat,
        "to": offer.to,
        "keep": offer.keep,
        "wait": offer.wait,
    }
    if offer.to is None or (viewer is not None and viewer in (offer.seat, offer.to)):
        shown |= {"give": dict(offer.give), "want": dict(offer.want)}
    return shown


def _action(action: Action, viewer: Viewer) -> JsonObject:
    """Return a declared action. Prepared answers are shown to their own seat only, until they happen."""
    return {
        "id": action.id,
        "seat": action.seat,
        "action": action.name,
        "args": {name: value for name, value in action.args.items() if name != "discard_at"},
        "free": action.free,
        "stage": action.stage,
        "asked": list(action.asked),
        "enters": action.enters,
        "later": {str(seat): dict(command) for seat, command in action.later.items() if seat == viewer},
        "then": action.then if action.seat == viewer else "",
    }


def _battle(state: State, viewer: Viewer) -> JsonObject | None:
    now = state.battle
    if now is None:
        return None
    shown: JsonObject = {
        "space": now.space,
        "caller": now.caller,
        "participants": list(now.participants),
        "waiting": list(now.waiting),
        "committed": sorted(now.commits),
        "forces": {str(seat): facts.force(state.players[seat], now.space) for seat in now.participants},
    }
    if viewer is not None and viewer in now.commits:
        shown["own"] = list(now.commits[viewer])
    return shown


def _reactions(state: State, viewer: int) -> list[str]:
    if not state.actions or viewer not in state.actions[-1].asked:
        return []
    return reactions.possible(state, viewer, state.actions[-1])
