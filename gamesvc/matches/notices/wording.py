"""The texts of mails, rendered when they are sent from what the seat may see then.

A notice that is no longer true (the turn is done, the match over) renders to nothing and is dropped.
"""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.conf import settings
from django.template.loader import render_to_string
from django.utils import timezone
from django.utils.timesince import timeuntil
from django.utils.translation import gettext as _

from accounts.models import User
from gamesvc.games import catalog
from gamesvc.games.kernel.game import Caption, Viewer
from gamesvc.games.kernel.wording import SEAT_NAMES
from gamesvc.matches.access import selectors
from gamesvc.matches.lobby import invitations
from gamesvc.matches.models import Invitation, Match, Question, Seat
from gamesvc.matches.notices import reply_addresses
from gamesvc.matches.notices.png import to_png
from gamesvc.matches.play import conditional_orders
from gamesvc.matches.reading import calendar_entries
from gamesvc.matches.reading.board import caption_of
from gamesvc.matches.record import loading
from gamesvc.matches.record.loading import Loaded
from gamesvc.matches.record.stream import STORE
from gamesvc.matches.story import option_words
from gamesvc.matches.story.moments import local_time, utc_time
from gamesvc.matches.story.sentences import tell_since
from notifications import registry
from notifications.models import Outbox
from notifications.parsing.text import END, MARK
from notifications.registry import Image, Message
from notifications.sending import unsubscribe
from notifications.wanted import preferences

# Parts left out for players who want no position in their mails. Such mails cannot be answered either.
POSITION = "position"
_OF_THE_POSITION = ("board_text", "picture", "alt", "since", "orders", "without", "gone", "sections", "reply_to")


def register() -> None:
    """Register the wording of our notices."""
    registry.register("match_started", match_started, label="A match has started")
    registry.register("match_ended", match_ended, label="A match is over")
    registry.register("invitation", invitation, label="Invitations")
    registry.register("mail_set_aside", mail_set_aside, label="Trouble in a match you opened")
    registry.register_topic_name(topic_name)
    registry.register(POSITION, position, label="The position in mails; without it they cannot be answered")


def your_turn(row: Outbox) -> Message | None:
    """Tell a seat that it is its turn; None if the question is answered."""
    match = Match.objects.get(pk=row.payload["match"])
    conditional_orders.settled(match, row.payload["seat"])
    question = match.questions.filter(seat=row.payload["seat"], question=row.payload["question"]).first()
    if question is None or match.status != Match.Status.RUNNING or not still_theirs(match, row):
        return None
    context = turn_context(row, question, _("Your move: %(prompt)s") % {"prompt": question.prompt.replace("_", " ")})
    words = {"title": context["title"], "number": match.number, "due": context["due"], "turn": _turn_of(context, question.seat)}
    # If the game counts its turns.
    subject = (
        _("[%(title)s #%(number)s] Your turn %(turn)s, due %(due)s")
        if words["turn"]
        else _("[%(title)s #%(number)s] Your turn, due %(due)s")
    ) % words
    return compose("your_turn", subject, context, reason="your-turn")


def turn_context(row: Outbox, question: Question, headline: str) -> dict[str, Any]:
    """Return the context of a mail that asks for an answer to a question."""
    match = question.match
    context = context_of(match, question.seat, row.user)
    return context | {
        "headline": headline,
        **time_for(question, row.user),
        "orders": context["loaded"].game.order_help(question.prompt),
        "reply_to": reply_addresses.reply_address(
            match=match, loaded=context["loaded"], seat=question.seat, user=row.user, key=row.id, question=question
        ),
        "attachments": calendar_entries.file_for(match, question.seat, row.user),
    }


def time_for(question: Question, user: User | None) -> dict[str, str]:
    """Return until when an answer is in time, and until when grace lasts."""
    grace = local_time(question.due_at, user) if question.deadline != question.due_at else ""
    return {"due": local_time(question.deadline, user), "due_utc": utc_time(question.deadline), "grace": grace}


def _turn_of(context: dict[str, Any], seat: int) -> int:
    """Return the number of a seat's turn; 0 before the first, and if the game counts none."""
    loaded: Loaded = context["loaded"]
    view = loaded.game.view(loaded.timeline.state, seat)
    return loaded.game.glance(view, caption_of(context["match"], context["names"])).turn


def match_started(row: Outbox) -> Message | None:
    match = Match.objects.get(pk=row.payload["match"])
    if match.status != Match.Status.RUNNING or not still_theirs(match, row):
        return None
    context = context_of(match, row.payload["seat"], row.user)
    context["headline"] = _("The match has started")
    may_answer(context, match, row)
    subject = _("[%(title)s #%(number)s] The match has started") % {"title": context["title"], "number": match.number}
    return compose("started", subject, context, reason="match-started")


def match_ended(row: Outbox) -> Message | None:
    match = Match.objects.get(pk=row.payload["match"])
    context = context_of(match, row.payload["seat"], row.user)
    context["attachments"] = calendar_entries.file_for(match, row.payload["seat"], row.user)
    outcome = match.outcome
    names = context["names"]
    if outcome is None:
        context["headline"] = _("The match was called off")
    else:
        context["headline"] = _("The match is over")
        context["ranking"] = [
            {
                "place": place,
                "names": ", ".join(names[seat] for seat in group),
                "score": ", ".join(str(outcome["scores"][seat]) for seat in group),
            }
            for place, group in enumerate(outcome["ranking"], 1)
        ]
        context["ended_by"] = outcome["reason"].replace("_", " ")
    subject = _("[%(title)s #%(number)s] The match is over") % {"title": context["title"], "number": match.number}
    return compose("ended", subject, context, reason="match-over")


def invitation(row: Outbox) -> Message | None:
    asked = Invitation.objects.filter(pk=row.payload["invitation"], accepted_at=None, declined_at=None).first()
    if asked is None or asked.match.status != Match.Status.OPEN:
        return None
    game = catalog.game(asked.match.game)
    context = {
        "match": asked.match,
        "title": game.manifest.title,
        "credit": game.manifest.credit,
        "headline": _("You are invited to a match of %(title)s") % {"title": game.manifest.title}
        if asked.match.hides_names
        else _("%(name)s invites you to a match of %(title)s")
        % {"name": asked.invited_by.username, "title": game.manifest.title},
        "summary": game.manifest.summary,
        "told": option_words.always_told(asked.match),
        "link": f"{settings.BASE_URL}/invitations/{invitations.invitation_token(asked.id)}/",
        "reply_to": reply_addresses.invitation_address(asked, user=row.user, email=row.address, key=row.id),
        "needs_name": row.user is None,
    }
    return compose("invitation", str(context["headline"]), context, reason="invitation")


def position(row: Outbox) -> Message | None:
    """Return no mail: `position` is a part of mails about a match, which players can mute like a kind of mail."""
    return None


def shows_position(user: User | None) -> bool:
    """Return True if a player wants positions in their mails. A shared screen or mailbox is a reason not to."""
    return user is None or not preferences.refuses(user.pk, POSITION)


def mail_set_aside(row: Outbox) -> Message | None:
    """Tell the organiser that a deadline passed although mail for it had arrived. Nothing of the position."""
    match = Match.objects.get(pk=row.payload["match"])
    names = selectors.seat_names(tuple(match.seats.select_related("user").order_by("index")))
    context = plain_context(match) | {"headline": _("A mail could not be read in time"), "name": names[row.payload["seat"]]}
    subject = _("[%(title)s #%(number)s] A mail could not be read in time") % {
        "title": context["title"],
        "number": match.number,
    }
    return compose("set_aside", subject, context, reason="mail-set-aside")


def still_theirs(match: Match, row: Outbox) -> bool:
    """Return True if the receiver may still see the seat's view: a substitute may have taken it since the notice was queued."""
    return match.over or match.seats.filter(index=row.payload["seat"], user=row.user_id).exists()


def context_of(match: Match, seat: int, user: User | None) -> dict[str, Any]:
    """Return the context of all notices about a match: the position as this seat sees it, and the events since its last look.

    Only for the holder of the seat: callers check that with `still_theirs`.
    """
    loaded = loading.load(match.id, match.game)
    seats = tuple(match.seats.select_related("user").order_by("index"))
    names = selectors.seat_names(seats)
    caption = caption_of(match, names)
    context = plain_context(match) | {"loaded": loaded, "names": names, "head": _head_for(loaded, seat), "since": []}
    context |= _asked(match, loaded, seat) | {"seat_name": SEAT_NAMES[seat]}
    context["bare"] = not shows_position(user)
    if loaded.started and not context["bare"]:
        context |= _board(loaded, seat, caption)
        own = next(row for row in seats if row.index == seat)
        context["since"] = tell_since(loaded, own, names)
    return context


def watched(match: Match, seats: tuple[Seat, ...]) -> dict[str, object]:
    """Return the position as an observer sees it."""
    return _board(loading.load(match.id, match.game), None, caption_of(match, selectors.seat_names(seats)))


def _board(loaded: Loaded, viewer: Viewer, caption: Caption) -> dict[str, object]:
    """Return the position as a viewer sees it: as text, as a picture, and the picture's alternative text."""
    game = loaded.game
    view = game.view(loaded.timeline.state, viewer)
    return {
        "board_text": game.board_text(view, caption),
        "picture": to_png(game.picture(view, caption), width=settings.MAIL_PICTURE_WIDTH),
        "alt": game.glance(view, caption).description,
    }


def may_answer(context: dict[str, Any], match: Match, row: Outbox) -> None:
    """Make a mail answerable by a player of the match, with service words or with the orders asked for now."""
    if row.user_id is None or match.status != Match.Status.RUNNING or not shows_position(row.user):
        return
    seat = match.seats.filter(user=row.user_id).first()
    if seat is None:
        return
    question = Question.objects.filter(match=match, seat=seat.index).order_by("due_at").first()
    loaded = context.get("loaded") or loading.load(match.id, match.game)
    context["reply_to"] = reply_addresses.reply_address(
        match=match, loaded=loaded, seat=seat.index, user=row.user, key=row.id, question=question
    )


def _asked(match: Match, loaded: Loaded, seat: int) -> dict[str, object]:
    """Return the seat's remaining time, and what the clock does at the end of it."""
    question = Question.objects.filter(match=match, seat=seat).order_by("due_at").first()
    # The match may have gone on since it was loaded. Then the seat's question does not belong to this position.
    if question is None or (seat, question.question) not in {(asked.seat, asked.id) for asked in loaded.awaited()}:
        return {}
    now = timezone.now()
    context: dict[str, object] = {}
    if question.deadline is not None and question.deadline > now:
        context["left"] = timeuntil(question.deadline, now).replace("\xa0", " ")
    if (match.clock or {}).get("timeout", "default") == "default":
        context["without"] = loaded.game.render(loaded.game.default_command(loaded.timeline.state, seat))
    return context


def plain_context(match: Match) -> dict[str, Any]:
    """Return the facts about a match that anyone who was ever in it may know."""
    manifest = catalog.game(match.game).manifest
    return {
        "match": match,
        "title": manifest.title,
        "credit": manifest.credit,
        "link": f"{settings.BASE_URL}/matches/{match.number}/",
    }


def _head_for(loaded: Loaded, seat: int) -> str:
    """Return the short hash of the last event the seat may know: with the mail they can prove later that it was there."""
    version = loaded.viewer_version(seat)
    if version == 0:
        return ""
    [stored] = STORE.read(loaded.match_id, version - 1, version)
    return f"{version}:{stored.hash.hex()[:16]}"


def topic_name(topic: str) -> str:
    """Return the name of the match whose id is the topic, for mails; empty for other topics."""
    try:
        match = Match.objects.filter(pk=UUID(topic)).first()
    except ValueError:
        return ""
    return f"{catalog.game(match.game).manifest.title} #{match.number}" if match is not None else ""


def compose(
    name: str, subject: str, context: dict[str, Any], *, reason: str, in_reply_to: str = "", auto_replied: bool = False
) -> Message:
    """Return the mail of a notice from its two templates. The invitation to answer appears only if `reply_to` is set."""
    if context.get("bare"):
        context = {name: value for name, value in context.items() if name not in _OF_THE_POSITION}
    picture = context.get("picture")
    context = {
        **context,
        "mark": MARK if context.get("reply_to") else "",
        "end": END,
        # A receipt answers a mail of the player, so it has no unsubscribe link.
        "stop": "" if auto_replied else unsubscribe.HERE,
    }
    text = render_to_string(f"notices/{name}.txt", context)
    page = render_to_string(f"notices/{name}.html", context)
    match: Match = context["match"]
    return Message(
        subject=subject,
        text=text,
        html=page,
        images=(Image("board", picture),) if picture else (),
        attachments=context.get("attachments", ()),
        sender_name=f"{context['title']} #{match.number}",
        list_name=f"match-{match.number}",
        reason=reason,
        reply_to=context.get("reply_to", ""),
        in_reply_to=in_reply_to,
        auto_replied=auto_replied,
    )
