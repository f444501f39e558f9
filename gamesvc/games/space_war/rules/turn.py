"""The course of a turn: draw phase steps, actions, upkeep, discard, end of turn, review (RULES.md 5)."""

from __future__ import annotations

from gamesvc.games.space_war.data import CARDS, COMMANDERS, LIMITS, Effect
from gamesvc.games.space_war.events.course import ActionsSet, PhaseEntered, TurnEnded, TurnStarted
from gamesvc.games.space_war.events.play import ControlChanged, Transformed
from gamesvc.games.space_war.rules.decision import Flow, Task, blockers, task
from gamesvc.games.space_war.rules.effects.damage import hit_station, mend, mend_station
from gamesvc.games.space_war.rules.reactions import declare, open_item

LAST_STEP = 10


def phase_item(flow: Flow, seat: int, phase: str, *tasks: Task, start: int | None = None) -> None:
    """Open an item at which the other seat may react, if the options say so. Otherwise the tasks run at once."""
    flow.start = flow.run.version if start is None else start
    if flow.state.points == "all":
        declare(flow, *tasks)
        open_item(flow, seat, "phase", phase, "", {"turn": flow.state.turn})
    else:
        flow.push(*tasks)


@task("start_turn")
def _start_turn(flow: Flow, one: Task) -> None:
    seat = one["seat"]
    flow.push({"op": "draw_step", "seat": seat, "step": 1})
    turn = flow.state.turn
    extra_turn = turn > 0 and flow.state.sides[seat].last_turn == turn
    # Before an extra turn the other seat has reviewed nothing.
    flow.emit(TurnStarted(seat=seat, turn=turn + 1, reviewed=() if extra_turn else (1 - seat,)))


@task("draw_step")
def _draw_step(flow: Flow, one: Task) -> None:
    """Run one of the ten draw steps, then continue with the next."""
    seat, step = one["seat"], one["step"]
    if step > LAST_STEP:
        phase_item(flow, seat, "draw", {"op": "action_phase", "seat": seat})
        return
    side = flow.state.sides[seat]
    tasks: list[Task] = []
    if step == 1 and not side.pile:
        slots = flow.state.sides[1 - seat].flip_slots
        tasks.append(hit_station(seat, LIMITS["empty_pile_damage"], 0, slots))
    elif step == 7:
        count = sum(card.row == "draw" for card in side.station)
        tasks.append({"op": "draw", "seat": seat, "n": count, "item": 0})
    elif step != 1:
        for p in flow.state.pieces:
            if p.controller == seat:
                for at, effect in enumerate(CARDS[p.card].effects):
                    if _step_of(p.card, effect) == step:
                        tasks.append({"op": "draw_effect", "source": p.id, "card": p.card, "i": at, "seat": seat, "item": 0})
    flow.push(*tasks, {**one, "step": step + 1})


def _step_of(card: str, effect: Effect) -> int:
    """Return the draw step in which an effect happens; 0 for none."""
    if effect["trigger"] == "draw_phase_end":
        return 9
    if effect["trigger"] != "draw_phase":
        return 0
    if card == "moment_of_peace":
        return 10
    if card == "toxic_gas":
        return 4
    if card == "meteor_shower":
        return 5
    return {"add_counter": 2, "repair": 3, "repair_station": 3, "custom": 6, "draw": 8}[effect["op"]]


@task("draw_effect")
def _draw_effect(flow: Flow, one: Task) -> None:
    """Run a card's effect in the draw phase, if the card is still in play and its text is active."""
    p = flow.state.piece(one["source"])
    if p is None or not flow.board.has_text(p):
        return
    effect = CARDS[one["card"]].effects[one["i"]]
    if one["card"] == "transformation":
        flow.push({**one, "op": "transform"})
    elif one["card"] == "station_repair":
        if effect["mode"] == 1:  # both modes are one choice
            flow.push({**one, "op": "mend_choice"})
    elif effect["op"] == "repair":
        if p.damage or p.paralyzed:
            mend(flow, p.id, effect["amount"])
    else:
        flow.push({**one, "op": "effect"})


@task("mend_choice")
def _mend_choice(flow: Flow, one: Task) -> None:
    """Let the seat choose for Station Repair: one station card, or 2 damage on one of its spaceships."""
    seat = one["seat"]
    options = [card.slot for card in flow.state.sides[seat].station if card.flipped]
    options += [p.id for p in flow.board.own(seat, "spaceship") if p.damage or p.paralyzed]
    picks = one.get("picks", options if len(options) == 1 else None)
    if picks is None and options:
        flow.ask(seat, "mend", options, 1, 1, one)
    elif picks:
        if flow.state.piece(picks[0]) is not None:
            mend(flow, picks[0], 2)
        else:
            mend_station(flow, seat, picks)


@task("transform")
def _transform(flow: Flow, one: Task) -> None:
    """Repair a spaceship fully and swap its attack and defense. A ship whose attack was 0 is destroyed."""
    seat = one["seat"]
    ships = [p.id for p in flow.board.own(seat, "spaceship")]
    picks = one.get("picks", ships if len(ships) == 1 else None)
    if picks is None and ships:
        flow.ask(seat, "transform", ships, 1, 1, one)
        return
    for instance in picks or ():
        p = flow.state.piece(instance)
        if p is not None:
            face = CARDS[p.card]
            attack, defense = p.swapped or (face.attack, face.defense)
            attack = flow.board.attack(p) if attack is None else attack
            flow.emit(Transformed(card=p.id, name=p.card, attack=defense or 0, defense=attack))
            if attack <= 0:
                flow.destroy([p.id], one["item"])
    flow.leave([one["source"]], "discarded")


@task("action_phase")
def _action_phase(flow: Flow, one: Task) -> None:
    """Grant the actions of the turn. Durations from earlier turns must be paid for."""
    seat, state = one["seat"], flow.state
    rows = sum(card.row == "action" for card in state.sides[seat].station)
    flow.push({"op": "enter", "phase": "upkeep" if flow.board.upkeep_due(seat) else "action"})
    flow.emit(ActionsSet(seat=seat, actions=rows * flow.board.actions_per_card(seat)))


@task("enter")
def _enter(flow: Flow, one: Task) -> None:
    flow.emit(PhaseEntered(phase=one["phase"]))


@task("after_action")
def _after_action(flow: Flow, one: Task) -> None:
    if flow.state.sides[one["seat"]].actions:
        flow.emit(ActionsSet(seat=one["seat"], actions=0))
    flow.emit(PhaseEntered(phase="discard" if surplus(flow, one["seat"]) else "attack"))


def surplus(flow: Flow, seat: int) -> int:
    """Return the number of cards by which a hand exceeds its limit."""
    limit = flow.board.hand_limit(seat)
    return 0 if limit is None else max(0, len(flow.state.sides[seat].hand) - limit)


def leave_phase(flow: Flow) -> None:
    """Leave the upkeep if nothing remains to be paid for, or the discard phase if the hand is within its limit."""
    state = flow.state
    if flow.agenda or blockers(state):
        return
    if state.phase == "upkeep" and not flow.board.upkeep_due(state.active):
        flow.emit(PhaseEntered(phase="action"))
    elif state.phase == "discard" and not surplus(flow, state.active):
        flow.emit(PhaseEntered(phase="attack"))


def end_turn_tasks(flow: Flow, seat: int, flip_slots: list[str]) -> list[Task]:
    """Return the tasks at the end of a seat's turn."""
    flow.ending = flow.run.version
    tasks: list[Task] = [{"op": "give_back"}]
    side = flow.state.sides[seat]
    for _, effect in COMMANDERS[side.commander].triggered("end_of_first_turn"):
        if side.first_turn == flow.state.turn:
            tasks.append(
                {
                    "op": "search",
                    "seat": seat,
                    "item": 0,
                    "from": effect["from"],
                    "filter": effect["filter"],
                    "to": "play",
                    "n": effect["amount"],
                    "source": "",
                }
            )
    return [*tasks, {"op": "finish_turn", "seat": seat, "flip_slots": flip_slots}]


@task("give_back")
def _give_back(flow: Flow, one: Task) -> None:
    """Give borrowed cards back (Hacker). Another seat's cards attached to them go along, as borrowed cards."""
    for p in flow.state.pieces:
        if p.borrowed and p.on is None:
            attached = [other for other in flow.state.pieces if other.on == p.id]
            own = [p.id, *(other.id for other in attached if other.owner == p.owner)]
            lent = [other.id for other in attached if other.owner != p.owner]
            flow.emit(ControlChanged(cards=own, name=p.card, seat=p.owner, borrowed=False))
            if lent:
                flow.emit(ControlChanged(cards=lent, name=p.card, seat=p.owner, borrowed=True))


@task("finish_turn")
def _finish_turn(flow: Flow, one: Task) -> None:
    seat = one["seat"]
    extra = flow.state.sides[seat].extra_turns
    flow.push({"op": "turn_over", "seat": seat, "again": bool(extra)})
    flow.emit(TurnEnded(seat=seat, extra_turns=max(0, extra - 1), flip_slots=one["flip_slots"]))


@task("turn_over")
def _turn_over(flow: Flow, one: Task) -> None:
    """Open the item of the turn's end. The items before it ended when the end of the turn was declared."""
    seat = one["seat"]
    follows = {"op": "next_turn", "seat": seat if one["again"] else 1 - seat, "again": one["again"]}
    phase_item(flow, seat, "turn", follows, start=flow.ending)


@task("next_turn")
def _next_turn(flow: Flow, one: Task) -> None:
    """Start the next turn, after a review if items are open. An extra turn has no review before it."""
    seat = one["seat"]
    if not one["again"] and flow.state.open_items(seat):
        flow.emit(PhaseEntered(phase="review", seat=seat))
    else:
        flow.push({"op": "start_turn", "seat": seat})
