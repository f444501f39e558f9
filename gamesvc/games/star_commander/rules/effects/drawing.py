"""Drawing cards one at a time, with the choices on the way (RULES.md 8), and taking a card from a hand."""

from __future__ import annotations

from gamesvc.games.star_commander.events.cards import CardDrawn, CardTaken, DeckReshuffled, DrawSkipped, HandShown
from gamesvc.games.star_commander.rules.decision import Play, Step, TopCard
from gamesvc.games.star_commander.rules.effects import changes, elimination
from gamesvc.games.star_commander.rules.values import Board


def preferred(board: Board, seat: int) -> str | None:
    """Return the domain that the standing order `draw` selects now, or None."""
    drawable = board.drawable(seat)
    return next((domain for domain in board.state.seats[seat].orders.draw if domain in drawable), None)


def default_domain(board: Board, seat: int) -> str:
    """Return the domain by standing order, otherwise the controlled one with the most cards left (14, timeouts)."""
    drawable = board.drawable(seat)
    best = ("industry", "science", "statecraft")
    return preferred(board, seat) or min(drawable, key=lambda d: (-len(board.state.decks[d]), best.index(d)))


def run_draw(play: Play, step: Step) -> bool:
    """Make the `left` remaining draws of a seat. The step stores `domain`, `discard` and `looks` of the current draw."""
    seat = step["seat"]
    while step["left"] and play.state.seats[seat].alive and play.state.result is None:
        if _draw_one(play, step):
            return True
    return False


def _draw_one(play: Play, step: Step) -> bool:
    seat, board, ready = step["seat"], play.board, step["why"] == "ready"
    drawable = board.drawable(seat)
    full = board.hand_is_full(seat)
    discards = full and board.edition.hand_full_discards
    if not drawable or (full and not discards):
        play.emit(DrawSkipped(seat=seat, reason="no_domain" if not drawable else "hand_full"))
        _next(step)
        return False
    if "domain" not in step:
        only = drawable[0] if len(drawable) == 1 else preferred(board, seat)
        if only is None or (ready and discards):
            return play.wait(step, "ready_draw" if ready else "choice", seat, "" if ready else "draw_domain")
        step["domain"] = only
    if discards:
        if "discard" not in step:
            return play.wait(step, "choice", seat, "discard")
        changes.discard(play, seat, step.pop("discard"))
    domain = step["domain"]
    if not play.state.decks[domain]:
        reshuffle(play, domain)
    if "looks" not in step:
        step["looks"] = board.copies(seat, "look_discard_top")
    if step["looks"]:
        top = play.state.decks[domain][0]
        return play.wait(step, "choice", seat, "keep_or_discard", top=TopCard(top, play.state.faces[top], domain))
    uid = play.state.decks[domain][0]
    left = len(play.state.decks[domain]) - 1
    play.emit(CardDrawn(seat=seat, domain=domain, uid=uid, card=play.state.faces[uid], left=left))
    _next(step)
    elimination.check_decks(play)
    return False


def _next(step: Step) -> None:
    step["left"] -= 1
    for name in ("domain", "discard", "looks"):
        step.pop(name, None)


def reshuffle(play: Play, domain: str) -> None:
    """Make a new deck from the discard pile. Its cards get new uids so that nobody can trace them (RULES.md 19.34)."""
    state = play.state
    cards = [state.faces[uid] for uid in play.run.dice.shuffle(state.discards[domain])]
    fresh = play.run.dice.shuffle([f"c{state.uids + at}" for at in range(1, len(cards) + 1)])
    pairs = list(zip(fresh, cards, strict=True))
    play.emit(DeckReshuffled(domain=domain, deck=pairs, gone=list(state.discards[domain])))


def look(play: Play, step: Step, value: str) -> None:
    """Answer a look at the top card: keep it or discard it."""
    step["looks"] -= 1
    if value == "discard":
        changes.discard(play, step["seat"], play.state.decks[step["domain"]][0], source="deck")
        elimination.check_decks(play)


def run_take_card(play: Play, step: Step) -> bool:
    """Show a hand and take one card from it (Spy Network)."""
    seat, victim, state = step["seat"], step["victim"], play.state
    hand = state.seats[victim].hand
    if not hand or not state.seats[seat].alive or not state.seats[victim].alive:
        return False
    public = step["reveal"] == "all"
    full = play.board.hand_is_full(seat)
    if "shown" not in step:
        if full and play.board.edition.hand_full_discards:
            return play.wait(step, "choice", seat, "discard")
        cards = [(uid, state.faces[uid]) for uid in hand]
        play.emit(HandShown(seat=victim, to=None if public else seat, cards=cards))
        step["shown"] = True
    if full and "take" not in step:
        return False
    if "take" not in step:
        return play.wait(step, "choice", seat, "take_card")
    uid = step["take"]
    play.emit(CardTaken(seat=seat, victim=victim, uid=uid, card=state.faces[uid], public=public))
    return False
