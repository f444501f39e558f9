"""The set-up of a match: chits, Homeworlds, closed-in Homeworlds, first hands, uneven start (RULES.md 4)."""

from __future__ import annotations

from gamesvc.games.kernel.game import Data, Refused
from gamesvc.games.kernel.timeline import Run
from gamesvc.games.stratastar import data
from gamesvc.games.stratastar.data.geometry import ADJACENT, INNER, in_order, region
from gamesvc.games.stratastar.events.turns import (
    AbilityGained,
    BoardLaid,
    DraftOpened,
    HandsDealt,
    HazardRemoved,
    HomeworldPlaced,
    TurnOrderSet,
)
from gamesvc.games.stratastar.rules import facts, turn
from gamesvc.games.stratastar.rules.actions import effects
from gamesvc.games.stratastar.state import State
from gamesvc.language import say


def check_options(options: Data, seats: int) -> None:
    """Raise `Refused` for abilities of unknown seats, or for Stargates as an ability in a match where they are none."""
    for key in options["abilities_by_seat"]:
        if key not in {str(seat) for seat in range(seats)}:
            raise Refused(
                "bad_options",
                say("There is no seat {key!r}; seats are 0 to {seats}.", key=key, seats=seats - 1),
                "abilities_by_seat",
            )
    allowed = data.abilities(options["low_technology"])
    named = {*options["abilities_all"], *(one for owned in options["abilities_by_seat"].values() for one in owned)}
    if wrong := sorted(named - set(allowed)):
        raise Refused("bad_options", say("Only with low technology: {wrong}.", wrong=", ".join(wrong)), "options.abilities_all")


def setup(run: Run[State], options: Data, seats: int) -> None:
    """Lay the map and draw the placement order. If nobody has to choose, continue up to the first decision."""
    chits = [kind for kind, count in data.CHITS.items() for _ in range(count)]
    laid: dict[str, str] = {}
    if not options["exploration"]:
        order = run.dice.shuffle(chits)
        laid = {space: kind for space, kind in zip(INNER, order) if kind != "blank"}
    owned = [
        [
            ability
            for ability in data.ABILITIES
            if ability in options["abilities_all"] or ability in options["abilities_by_seat"].get(str(seat), ())
        ]
        for seat in range(seats)
    ]
    run.emit(
        BoardLaid(
            options=options,
            chits=laid,
            unknown=INNER if options["exploration"] else (),
            pile=data.CHITS if options["exploration"] else {},
            placement=run.dice.shuffle(range(seats)),
            abilities=owned,
            when_unable=("pass" if options["pace"] == "fast" else "ask") if "pace" in options else None,
        )
    )
    if options["homeworld_choice"] == "random":
        corners = run.dice.sample(data.CORNERS, seats)
        for seat, corner in zip(run.state.placement, corners):
            _put_home(run, seat, corner)
        begin(run)


def free_corners(state: State) -> list[str]:
    taken = facts.homes(state)
    return [corner for corner in data.CORNERS if corner not in taken]


def place_homeworld(run: Run[State], seat: int, corner: str) -> None:
    if corner not in free_corners(run.state):
        raise Refused("blocked", say("Free corners are {corners}.", corners=", ".join(free_corners(run.state))), "corner")
    _put_home(run, seat, corner)
    if all(run.state.players[one].home for one in facts.alive(run.state)):
        begin(run)


def _put_home(run: Run[State], seat: int, corner: str) -> None:
    players = run.state.players
    waiting = [one for one in run.state.placement if one != seat and players[one].alive and players[one].home is None]
    run.emit(HomeworldPlaced(seat, corner, waiting[0] if waiting else None))


def begin(run: Run[State]) -> None:
    """Open the map, deal, give abilities and start the first turn, after all Homeworlds are placed."""
    options = run.state.options
    if not options.exploration:
        _open_map(run)
    run.emit(TurnOrderSet([seat for seat in reversed(run.state.placement) if run.state.players[seat].alive]))
    _deal(run)
    effects.meet(run)
    if options.uneven_start != "off":
        _uneven_start(run)
    if not run.state.turn.picking:
        turn.start(run, facts.alive(run.state)[0])


def _open_map(run: Run[State]) -> None:
    for seat in run.state.placement:
        home = run.state.players[seat].home
        if home is None:
            continue
        while True:
            state = run.state
            reached = region(home, lambda space, state=state: not facts.is_hazard(state, space))  # type: ignore[misc]
            if set(facts.homes(state)) <= reached:
                break
            border = in_order(
                {near for space in reached for near in ADJACENT[space] if near not in reached and facts.is_hazard(state, near)}
            )
            space = border[run.dice.choose(len(border))]
            run.emit(HazardRemoved(space, facts.chit(state, space)))


def _deal(run: Run[State]) -> None:
    options = run.state.options
    deck = run.dice.shuffle(data.deck(options.power_cards))
    hands: list[list[str]] = [[] for _ in run.state.players]
    for at, seat in enumerate(run.state.order):
        hands[seat] = list(deck[at * data.START_HAND : (at + 1) * data.START_HAND])
    run.emit(
        HandsDealt(
            hands=hands,
            deck=deck[len(run.state.order) * data.START_HAND :],
            fleets=options.starting_fleets,
            stargates=0 if options.low_technology else data.START_STARGATES,
        )
    )


def _uneven_start(run: Run[State]) -> None:
    state = run.state
    taken = {ability for player in state.players for ability in player.abilities}
    pool = [ability for ability in data.abilities(state.options.low_technology) if ability not in taken]
    if state.options.uneven_start == "deal":
        for seat, ability in zip(state.order, run.dice.shuffle(pool)):
            run.emit(AbilityGained(seat=seat, ability=ability, choice=()))
    elif pool:
        run.emit(DraftOpened(state.order[::-1][: len(pool)], pool))


def pick_ability(run: Run[State], seat: int, ability: str) -> None:
    """Take one of the offered abilities, in the draft or after a breakthrough. Raises `Refused`."""
    turn_now = run.state.turn
    if ability not in turn_now.choice:
        raise Refused("no_target", say("You can choose {choice}.", choice=", ".join(turn_now.choice)), "ability")
    drafting = bool(turn_now.picking)
    left = [one for one in turn_now.choice if one != ability] if len(turn_now.picking) > 1 else []
    run.emit(AbilityGained(seat=seat, ability=ability, choice=left))
    if drafting and not run.state.turn.picking:
        turn.start(run, facts.alive(run.state)[0])
