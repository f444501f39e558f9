"""The texts of mails, rendered when they are sent from what the seat may see then.

A notice that is no longer true (the turn is done, the match over) renders to nothing and is dropped.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db.models import F
from django.template.loader import render_to_string
from django.utils import timezone, translation
from django.utils.timesince import timeuntil
from django.utils.translation import gettext as _

from accounts.models import User
from gamesvc.games import catalog
from gamesvc.games.kernel.game import Caption, Data, Game, Viewer
from gamesvc.games.kernel.wording import SEAT_NAMES
from gamesvc.language import say
from gamesvc.matches.access import selectors
from gamesvc.matches.access.selectors import Access
from gamesvc.matches.lobby import invitations
from gamesvc.matches.models import Invitation, Match, Question
from gamesvc.matches.notices import reply_addresses, tables
from gamesvc.matches.notices.repeating import calendar_part, last_shown, new_to, picture_of, shows
from gamesvc.matches.play import conditional_orders
from gamesvc.matches.reading.board import caption_of
from gamesvc.matches.record.loading import Loaded
from gamesvc.matches.record.stream import STORE
from gamesvc.matches.story import option_words, organising_words
from gamesvc.matches.story.moments import local_time, utc_time
from gamesvc.matches.story.sentences import tell_since
from gamesvc.matches.timekeeping import inaction
from notifications import registry
from notifications.models import Outbox
from notifications.parsing.text import END, MARK
from notifications.registry import Image, Message, Shows
from notifications.sending import unsubscribe
from notifications.wanted import carrying, preferences

# Parts left out for players who want no position in their mails. Such mails cannot be answered either.
POSITION = "position"
_OF_THE_POSITION = (
    *("board_text", "picture", "picture_mark", "same_picture", "alt", "hand", "since", "figures"),
    *("orders", "inaction", "gone", "sections", "reply_to"),
)


def register() -> None:
    """Register the wording of our notices."""
    registry.register("match_started", match_started, label="A match has started")
    registry.register("invitation", invitation, label="Invitations")
    registry.register("mail_set_aside", mail_set_aside, label="Trouble in a match you opened")
    registry.register_topics(topic_of)
    registry.register(POSITION, position, label="The position in mails; without it they cannot be answered", part=True)


def your_turn(row: Outbox) -> Message | None:
    """Tell a seat that it is its turn; None if the question is answered."""
    match = tables.match_of(row)
    if tables.has_due_orders(match, row.payload["seat"]):
        # They are submitted before the seat is told that it must act.
        conditional_orders.play(match.id)
        tables.look_again()
        match = tables.match_of(row)
    asked = (row.payload["seat"], row.payload["question"])
    question = next((one for one in tables.questions_of(match) if (one.seat, one.question) == asked), None)
    if question is None or match.status != Match.Status.RUNNING or not still_theirs(match, row):
        return None
    context = turn_context(row, question, _("Your move"))
    words = {"title": context["title"], "number": match.number, "due": context["due"], "turn": _turn_of(context, question.seat)}
    if any(one.kind == "match_started" for one in carrying.carried(row)):
        context["players"] = context["names"]
    # If the game counts its turns.
    subject = (
        _("[%(title)s #%(number)s] Your turn %(turn)s, due %(due)s")
        if words["turn"]
        else _("[%(title)s #%(number)s] Your turn, due %(due)s")
    ) % words
    return compose("your_turn", subject, context, reason="your-turn")


def turn_context(row: Outbox, question: Question, headline: str) -> dict[str, Any]:
    """Return the context of a mail that asks for an answer to a question. The headline goes on with the player's task."""
    match = question.match
    context = context_of(match, question.seat, row.user)
    add_question(context, question, row.user)
    return context | {
        "headline": with_task(headline, context.get("task", "")),
        "reply_to": reply_addresses.reply_address(
            match=match, loaded=context["loaded"], seat=question.seat, user=row.user, key=row.id, question=question
        ),
        **calendar_part(match, question.seat, row.user, context["last"]),
    }


def with_task(headline: str, task: str) -> str:
    """Return a headline followed by what the player has to do, if that may be told."""
    if not task:
        return headline
    return _("%(headline)s: %(task)s") % {"headline": headline, "task": f"{task[0].lower()}{task[1:].rstrip('.')}"}


def add_question(context: dict[str, Any], question: Question, user: User | None) -> None:
    """Add until when an answer is in time, what the clock does after that, and the orders that can be given."""
    loaded: Loaded = context["loaded"]
    grace = local_time(question.due_at, user) if question.deadline != question.due_at else ""
    context |= {"due": local_time(question.deadline, user), "due_utc": utc_time(question.deadline), "grace": grace}
    context["orders"] = loaded.game.order_help(question.prompt)
    now = timezone.now()
    if question.deadline is not None and question.deadline > now:
        context["left"] = timeuntil(question.deadline, now).replace("\xa0", " ")
    # The match may have gone on since it was loaded. Then the seat's question does not belong to this position.
    if not context["bare"] and (question.seat, question.question) in {(asked.seat, asked.id) for asked in loaded.awaited()}:
        match, seat = context["match"], question.seat
        context["inaction"] = inaction.sentence(loaded, seat, question.question, held=tables.holds_orders(match, seat))


def _turn_of(context: dict[str, Any], seat: int) -> int:
    """Return the number of a seat's turn; 0 before the first, and if the game counts none."""
    loaded: Loaded = context["loaded"]
    view = loaded.game.view(loaded.timeline.state, seat)
    return loaded.game.glance(view, caption_of(context["match"], context["names"])).turn


def match_started(row: Outbox) -> Message | None:
    match = tables.match_of(row)
    if match.status != Match.Status.RUNNING or not still_theirs(match, row):
        return None
    context = context_of(match, row.payload["seat"], row.user)
    context |= {"headline": _("The match has started"), "players": context["names"]}
    may_answer(context, match, row)
    subject = _("[%(title)s #%(number)s] The match has started") % {"title": context["title"], "number": match.number}
    return compose("started", subject, context, reason="match-started")


def invitation(row: Outbox) -> Message | None:
    asked = Invitation.objects.filter(pk=row.payload["invitation"], accepted_at=None, declined_at=None).first()
    if asked is None or asked.match.status != Match.Status.OPEN or not invitations.arrives(asked):
        return None
    game = catalog.game(asked.match.game)
    organised = organising_words.organiser(asked.match, asked.match.seats.select_related("user"))
    context = {
        "match": asked.match,
        "title": game.manifest.title,
        "credit": say(game.manifest.credit),
        "headline": _("You are invited to a match of %(title)s") % {"title": game.manifest.title}
        if asked.match.hides_names
        else _("%(name)s invites you to a match of %(title)s")
        % {"name": asked.invited_by.username, "title": game.manifest.title},
        "summary": say(game.manifest.summary),
        "told": [*option_words.always_told(asked.match), *filter(None, [organised])],
        "link": f"{settings.BASE_URL}/invitations/{invitations.invitation_token(asked.id)}/",
        "reply_to": reply_addresses.invitation_address(asked, user=row.user, email=row.address, key=row.id),
        "needs_name": row.user is None,
        "host": "" if asked.match.hides_names or row.user is None else asked.invited_by.username,
    }
    # Its receiver may not know us: the subject says what it is.
    return replace(compose("invitation", str(context["headline"]), context, reason="invitation"), topic_subject="")


def position(row: Outbox) -> Message | None:
    """Return no mail: `position` is a part of mails about a match, which players can mute like a kind of mail."""
    return None


def shows_position(user: User | None) -> bool:
    """Return True if a player wants positions in their mails. A shared screen or mailbox is a reason not to."""
    return user is None or not preferences.refuses(user.pk, POSITION)


def mail_set_aside(row: Outbox) -> Message | None:
    """Tell the organiser that a deadline passed although mail for it had arrived. Nothing of the position."""
    match = tables.match_of(row)
    names = selectors.seat_names(tables.seats_of(match))
    context = plain_context(match) | {"headline": _("A mail could not be read in time"), "name": names[row.payload["seat"]]}
    subject = _("[%(title)s #%(number)s] A mail could not be read in time") % {
        "title": context["title"],
        "number": match.number,
    }
    return compose("set_aside", subject, context, reason="mail-set-aside")


def still_theirs(match: Match, row: Outbox) -> bool:
    """Return True if the receiver may still see the seat's view: a substitute may have taken it since the notice was queued."""
    return match.over or any((seat.index, seat.user_id) == (row.payload["seat"], row.user_id) for seat in match.seats.all())


def context_of(match: Match, seat: int, user: User | None, *, whole: bool = False) -> dict[str, Any]:
    """Return the context of all notices about a match: the position as this seat sees it, and the events since its last look.

    Without the picture if the last mail had the same, unless it is to be `whole`. Only for the holder of the seat: callers check
    that with `still_theirs`.
    """
    loaded = tables.position_of(match)
    seats = tables.seats_of(match)
    names = selectors.seat_names(seats)
    caption = caption_of(match, names)
    context = plain_context(match) | {"loaded": loaded, "names": names, "head": _head_for(loaded, seat), "since": []}
    context |= {"seat_name": SEAT_NAMES[seat], "bare": not shows_position(user), "last": last_shown(match, user)}
    if loaded.started and not context["bare"]:
        context |= _board(loaded, seat, caption, Shows() if whole else context["last"])
        own = next(row for row in seats if row.index == seat)
        context["since"] = tell_since(loaded, own, names)
        context["described"] = new_to(context["last"], loaded.game.reference(loaded.game.view(loaded.timeline.state, seat)))
    return context


def watched(access: Access) -> dict[str, object]:
    """Return the position as an observer sees it; none for those who see the match late, whom only its page tells so."""
    if access.is_delayed:
        return {}
    return _board(access.load(), None, caption_of(access.match, selectors.seat_names(access.seats)), Shows())


def _board(loaded: Loaded, viewer: Viewer, caption: Caption, last: Shows) -> dict[str, object]:
    """Return the position as a viewer sees it: as text, as a picture, and the picture's alternative text."""
    game = loaded.game
    view = game.view(loaded.timeline.state, viewer)
    glance = game.glance(view, caption)
    return {
        "task": glance.task,
        "hand": [held.words for held in game.hand(view) or ()],
        "board_text": game.board_text(view, caption),
        **picture_of(lambda: _drawn(game, view, caption), _deciding(game, view, caption), last),
        "alt": glance.description,
    }


def _deciding(game: Game, view: Data, caption: Caption) -> dict[str, Any] | None:
    """Return what decides whether a mail shows the picture again; None: all that it shows."""
    drawn = game.drawn(view)
    return drawn if drawn is None else {"drawn": drawn, "names": caption.names}


def _drawn(game: Game, view: Data, caption: Caption) -> str:
    """Return the picture. It is English for everybody: the text beside it says the same in the reader's language."""
    with translation.override("en"):
        return game.picture(view, caption)


def may_answer(context: dict[str, Any], match: Match, row: Outbox) -> None:
    """Make a mail answerable by a player of the match, with service words or with the orders asked for now."""
    if row.user_id is None or match.status != Match.Status.RUNNING or not shows_position(row.user):
        return
    seat = next((one for one in tables.seats_of(match) if one.user_id == row.user_id), None)
    if seat is None:
        return
    question = next((one for one in tables.questions_of(match) if one.seat == seat.index), None)
    loaded = context.get("loaded") or tables.position_of(match)
    context["reply_to"] = reply_addresses.reply_address(
        match=match, loaded=loaded, seat=seat.index, user=row.user, key=row.id, question=question
    )


def plain_context(match: Match) -> dict[str, Any]:
    """Return the facts about a match that anyone who was ever in it may know."""
    manifest = catalog.game(match.game).manifest
    return {
        "match": match,
        "title": manifest.title,
        "credit": say(manifest.credit),
        "link": f"{settings.BASE_URL}/matches/{match.number}/",
        "rules_link": f"{settings.BASE_URL}/games/{match.game}/",
    }


def _head_for(loaded: Loaded, seat: int) -> str:
    """Return the short hash of the last event the seat may know: with the mail they can prove later that it was there."""
    version = loaded.viewer_version(seat)
    if version == 0:
        return ""
    if version == loaded.version:
        return f"{version}:{loaded.head.hash.hex()[:16]}"
    [stored] = STORE.read(loaded.match_id, version - 1, version)
    return f"{version}:{stored.hash.hex()[:16]}"


def topic_of(topic: str, user_id: int | None = None) -> registry.Topic | None:
    """Describe the match whose id is the topic, for mails; None for other topics."""
    try:
        match = Match.objects.filter(pk=UUID(topic)).first()
    except ValueError:
        return None
    if match is None:
        return None
    own = Question.objects.filter(match=match, match__seats__user=user_id, match__seats__index=F("seat")) if user_id else None
    question = own.order_by("due_at").first() if own is not None else None
    return registry.Topic(
        name=f"{catalog.game(match.game).manifest.title} #{match.number}",
        list_name=f"match-{match.number}",
        due_at=question.deadline if question is not None and question.due_at is not None else None,
    )


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
        "preheader": subject.partition("] ")[2] or subject,
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
        topic_subject=f"{context['title']} #{match.number}",
        shows=shows(context),
    )
