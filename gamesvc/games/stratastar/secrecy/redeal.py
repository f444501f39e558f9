"""Redealing: another state that looks the same to a seat."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from gamesvc.games.kernel.dice import Dice
from gamesvc.games.stratastar.data import CARDS, CHITS, HAZARDS, RANK
from gamesvc.games.stratastar.data.geometry import in_order
from gamesvc.games.stratastar.rules.actions.battle import ATTACKS
from gamesvc.games.stratastar.rules.facts import joined
from gamesvc.games.stratastar.state import Action, Battle, Chart, Mode, Offer, Orders, Player, State

TRIES = 50


def redeal(state: State, seat: int, dice: Dice) -> State:
    """Return a state with the same view for the seat, and everything hidden from it redealt."""
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
        chart=_scouted_reshuffled(state, seat, dice),
    )


def scatter(redealt: State, marked: dict[int, State], seat: int, dice: Dice) -> tuple[State, dict[int, State]]:
    """Draw again the chits that only others have scouted, together with the pile: a redeal shuffles them among themselves."""
    return replace(redealt, chart=_scouted_redrawn(redealt, seat, dice)), marked


def _scouted_redrawn(state: State, seat: int, dice: Dice) -> Chart:
    """Return the chart with other chits in the spaces hidden from a seat, such that the Homeworlds stay connected."""
    chart = state.chart
    hidden = _hidden(chart, seat)
    if not hidden:
        return chart
    count = Counter(chart.pile) + Counter(chart.scouted[space] for space in hidden)
    chits = [kind for kind in CHITS for _ in range(count[kind])]
    for _ in range(TRIES):
        drawn = _with_chits(chart, hidden, dice.shuffle(chits))
        if joined(replace(state, chart=drawn)):
            return drawn
    # Chits that close no way, but never the true ones.
    return _with_chits(chart, hidden, sorted(dice.shuffle(chits), key=HAZARDS.__contains__))


def _with_chits(chart: Chart, hidden: Sequence[str], drawn_chits: Sequence[str]) -> Chart:
    """Return the chart with the first chits in the hidden spaces and the others in the pile."""
    left = Counter(drawn_chits[len(hidden) :])
    pile = {kind: left[kind] for kind in chart.pile | left if left[kind]}
    return replace(chart, scouted={**chart.scouted, **dict(zip(hidden, drawn_chits, strict=False))}, pile=pile)


def _hidden(chart: Chart, seat: int) -> list[str]:
    """Return the spaces that others have scouted, and the seat has not."""
    return [space for space in in_order(chart.scouted) if seat not in chart.scouts.get(space, ())]


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
    """Return the action without other seats' prepared answers: their move or pass is public, its follow-up is not."""
    later = {one: command if one == seat else {} for one, command in action.later.items()}
    return replace(action, later=later, then=action.then if action.seat == seat else "")


def _recommitted(state: State, players: Sequence[Player], seat: int, dice: Dice) -> Battle | None:
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


def _scouted_reshuffled(state: State, seat: int, dice: Dice) -> Chart:
    """Shuffle the chits that only others have scouted among themselves, unless that disconnects the Homeworlds."""
    chart = state.chart
    hidden = _hidden(chart, seat)
    if not hidden:
        return chart
    count = Counter(chart.scouted[space] for space in hidden)
    chits = dice.shuffle([kind for kind in sorted(count) for _ in range(count[kind])])
    shuffled = replace(chart, scouted={**chart.scouted, **dict(zip(hidden, chits, strict=True))})
    return shuffled if joined(replace(state, chart=shuffled)) else chart
