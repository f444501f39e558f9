"""Real matches played through the service, one command at a time or to their end."""

from __future__ import annotations

import random
import uuid
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from django.utils import timezone

from accounts.models import User
from gamesvc.matches.lobby import opening
from gamesvc.matches.models import Match, Question
from gamesvc.matches.play import bots, turns
from gamesvc.matches.play.turns import Sender
from gamesvc.matches.record import loading, stream
from gamesvc.matches.record.append import Actor
from gamesvc.matches.timekeeping import timeout_sweep

DRAW = {"name": "draw"}


def holder(match: Match, seat: int) -> User:
    """Return the user who plays a seat; on an analysis board, its owner."""
    user = match.creator if match.board else match.seats.get(index=seat).user
    assert user is not None, f"nobody plays seat {seat}"
    return user


def sends(match: Match, seat: int, received_at: datetime | None = None, channel: str = "api") -> Sender:
    """Return the sender of something that a seat's holder, a player or a bot, sends now."""
    bot = match.seats.get(index=seat).bot
    actor, user_id = (Actor("bot", seat), None) if bot else (Actor("seat", seat), holder(match, seat).pk)
    return Sender(actor, channel, received_at or timezone.now(), user_id)


def act(match: Match, seat: int, command: Mapping[str, Any] = DRAW) -> turns.Receipt:
    """Submit a seat's command now, on what it sees now; in the toy game, draw a card by default."""
    loaded = loading.load(match.id, match.game)
    return turns.submit(
        match=match,
        sender=sends(match, seat),
        command=dict(command),
        expected_version=loaded.viewer_version(seat),
        command_id=uuid.uuid4(),
    )


def log_of(match: Match) -> stream.Log:
    """Return all events of a match, as its engine reads them."""
    loaded = loading.load(match.id, match.game)
    return stream.Log(loaded.game, match.id, loaded.version)


def play_out(match: Match, seed: int = 1, most: int = 1000) -> None:
    """Play random forms, asides among them, to the end or for this many commands."""
    rng = random.Random(seed)
    for _ in range(most):
        loaded = loading.load(match.id, match.game)
        if loaded.ended:
            return
        seat = rng.choice(loaded.awaited()).seat
        state = loaded.timeline.state
        forms = loaded.game.legal_commands(state, seat)
        act(match, seat, dict(loaded.game.bots["random"](loaded.game.view(state, seat), forms, rng)))


def to_trade(match: Match) -> int:
    """Play a match of Stratastar to where a seat may offer cards and wait for the answer. Return the seat."""
    rng = random.Random(1)
    for _ in range(300):
        loaded = loading.load(match.id, match.game)
        question = loaded.awaited()[0]
        state, seat = loaded.timeline.state, question.seat
        forms = loaded.game.legal_commands(state, seat)
        if any(form.name == "offer_trade" and "wait" in (form.required or ()) for form in forms):
            return seat
        random_move = loaded.game.bots["random"](loaded.game.view(state, seat), forms, rng)
        act(match, seat, {"name": "end_phase"} if question.prompt == "trade" else random_move)
    raise AssertionError("nobody could trade")


def offer_trade(match: Match, seat: int, **more: Any) -> int:
    """Offer the other seat a trade card for nothing. Return the offer's id."""
    act(match, seat, {"name": "offer_trade", "to": 1 - seat, "give": {"trade": 1}, "want": {}, **more})
    return int(loading.load(match.id, match.game).timeline.state.offers[-1].id)


def offer_and_withdraw(match: Match, seat: int, **more: Any) -> None:
    act(match, seat, {"name": "withdraw_offer", "offer": offer_trade(match, seat, **more)})


def duel(anna: Any, ben: Any) -> Match:
    """Play a toy match with everything in it: sealed orders, a reaction that goes back, a timeout; then to the end."""
    match = opening.create_match(by=anna, game="toy", contribution_text="tea")
    match = opening.join_match(by=ben, match=match, contribution_text="coffee")
    act(match, 1, {"name": "set_orders", "text": "grün \u0007 \"'"})
    act(match, 0, {"name": "play", "card": loading.load(match.id, "toy").timeline.state.hands[0][0]})
    played = loading.load(match.id, "toy").version - 2
    act(match, 1, {"name": "draw"})
    act(match, 1, {"name": "counter", "item": played})
    time_out(match)
    return match


def time_out(match: Match) -> None:
    Question.objects.filter(match=match).update(due_at=timezone.now() - timedelta(seconds=1))
    assert timeout_sweep.sweep() >= 1


def of_bots(host: Any, game: str, options: dict[str, Any] | None = None) -> Match:
    match = opening.create_match(by=host, game=game, options=options, take_seat=False)
    match = opening.start_match(by=host, match=match, bot="random")
    return by_bots(match)


def by_bots(match: Match) -> Match:
    """Let the bots of a match play, as far as they are to act."""
    for _ in range(20):
        bots.play(match.id)
    match.refresh_from_db()
    return match
