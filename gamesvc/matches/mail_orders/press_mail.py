"""Press by mail: messages sent as notices that can be answered, and answers taken as messages. No address is revealed."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from uuid import UUID

from django.utils import timezone
from django.utils.translation import gettext as _

from accounts import blocks as blocks_between
from gamesvc.database.prepared import Given, OneOf, Prepared
from gamesvc.errors import TooMany
from gamesvc.games.kernel import forms
from gamesvc.games.kernel.game import Refused
from gamesvc.matches.access import selectors
from gamesvc.matches.lobby import press
from gamesvc.matches.mail_orders import blocks, order_mail, remarks
from gamesvc.matches.models import Match, Press
from gamesvc.matches.notices import tables, wording
from gamesvc.matches.record import loading, secrets
from gamesvc.matches.record.loading import Loaded
from notifications import registry
from notifications.inbound import addresses, purposes
from notifications.inbound.purposes import Handled, Letter
from notifications.models import InboundMail, Outbox
from notifications.outbox import Notice
from notifications.parsing.limits import cpu_limit
from notifications.parsing.quotes import is_prose
from notifications.parsing.refusals import MailRefused
from notifications.parsing.text import END, as_message, below_message
from notifications.registry import Message
from notifications.sending.mail import indented
from notifications.wanted import carrying, shared_reads

PURPOSE = "press"
CHANNEL = "mail"
# Validity of the reply address of a message.
ANSWERED_FOR = timedelta(days=60)
GREETING_WORDS = 3
_POSTSCRIPT = re.compile(r"\W*(?:p\.?\s?){1,2}s\b", re.IGNORECASE)
_WRITTEN = Prepared(
    lambda: Press.objects.filter(
        match=OneOf("matches", "uuid"), user=OneOf("users", "bigint"), said_at__gt=Given("since", "timestamptz")
    ).order_by("said_at")
)
_MESSAGES = Prepared(lambda: Press.objects.filter(pk=OneOf("wanted", "uuid")).select_related("match", "user"))


def register() -> None:
    """Register the wording of press notices and the handler of answers."""
    registry.register("press", said, label="Messages of other players", acted=answered, subject=circle, quotes=True)
    registry.register("press_failed", failed, label="Messages that could not be passed on", essential=True)
    purposes.register(PURPOSE, handle, weighs=True)


def circle(row: Outbox) -> str:
    """Return the circle of a message. Messages of one circle may share a mail, and an answer goes to the circle."""
    return str(row.payload.get("circle", row.payload["press"]))


def answered(rows: Sequence[Outbox], told: Mapping[UUID, datetime]) -> Mapping[UUID, datetime]:
    """Return when the receivers of these mails first wrote to the same circle afterwards, by notice id."""
    if not rows:
        return {}
    own = _WRITTEN.rows(
        matches=list({row.payload["match"] for row in rows}),
        users=list({row.user_id for row in rows}),
        since=min(told[row.pk] for row in rows),
    )
    written: dict[tuple[str, int], list[Press]] = {}
    for message in own:
        written.setdefault((str(message.match_id), message.user_id), []).append(message)
    found = {}
    for row in rows:
        for message in written.get((row.payload["match"], row.user_id or 0), ()):
            # Old notices do not name their circle: any message in the match answers them.
            if message.said_at > told[row.pk] and row.payload.get("circle") in (None, press.readers(message)):
                found[row.pk] = message.said_at
                break
    return found


def said(row: Outbox) -> Message | None:
    """Compose a message, or several that waited together; None if erased, or if the reader no longer holds the seat."""
    told = [row, *(one for one in carrying.carried(row) if one.kind == row.kind)]
    messages = sorted(filter(None, map(_arrived, told)), key=lambda message: (message.said_at, message.pk))
    if not messages or row.user is None:
        return None
    message = messages[-1]
    match = tables.match_of(row)
    seats = tables.seats_of(match)
    if seats[row.payload["seat"]].user_id != row.user_id:
        return None
    names = selectors.seat_names(seats)
    author = press.author(message)
    headline = _("%(name)s writes") % {"name": author}
    if len(messages) > 1:
        headline = _("%(count)s messages, the last from %(name)s") % {"count": len(messages), "name": author}
    context = wording.plain_context(match) | {
        "headline": headline,
        "said": _told(messages),
        "to_all": not message.to,
        "others": ", ".join(names[seat] for seat in message.to if seat != row.payload["seat"]),
        "author": author,
        "reply_to": _reply_address(row, message),
    }
    subject = _("[%(title)s #%(number)s] %(name)s writes") % {
        "title": context["title"],
        "number": match.number,
        "name": author,
    }
    return wording.compose("press", subject, context, reason="press")


def _arrived(row: Outbox) -> Press | None:
    """Return the message of a notice; None if it has been erased, or if a block keeps it from its reader."""
    pk = UUID(row.payload["press"])
    message = shared_reads.for_all(_messages_of, pk, lambda: _messages([pk])[pk])
    return message if message is not None and press.arrives(message, row.user_id, apart=_apart) else None


def _apart(user: int | None) -> frozenset[int]:
    return shared_reads.for_all(_apart_of, user, lambda: blocks_between.apart(user))


def _messages_of(rows: Sequence[Outbox]) -> dict[UUID, Press | None]:
    return _messages([UUID(row.payload["press"]) for row in rows if row.kind == PURPOSE])


def _messages(wanted: Sequence[UUID]) -> dict[UUID, Press | None]:
    found = {message.pk: message for message in _MESSAGES.rows(wanted=wanted)}
    return {pk: found.get(pk) for pk in wanted}


def _apart_of(rows: Sequence[Outbox]) -> dict[int | None, frozenset[int]]:
    return blocks_between.apart_each({row.user_id for row in rows if row.user_id is not None})


def _told(messages: Sequence[Press]) -> list[dict[str, str]]:
    """Return the texts, for HTML and for plain mails; with several messages, each with a heading that names its author."""
    named = len(messages) > 1
    return [
        {
            "heading": _("%(name)s writes") % {"name": press.author(message)} if named else "",
            "text": message.text,
            "lines": indented(message.text),
        }
        for message in messages
    ]


def _reply_address(row: Outbox, message: Press) -> str:
    assert row.user is not None
    if not addresses.answerable():
        return ""
    seat = row.payload["seat"]
    return addresses.make(
        PURPOSE,
        key=row.id,
        user=row.user,
        topic=str(message.match_id),
        payload={"match": str(message.match_id), "seat": seat, "to": press.circle(message, seat)},
        expires_at=timezone.now() + ANSWERED_FOR,
    )


def handle(letter: Letter) -> Handled:
    """Pass an answer on as press. Its sender gets a mail only if that failed. Raises `MailRefused` if it may be automatic."""
    if letter.automatic and not letter.confirmed:
        raise MailRefused("half_automatic" if letter.text else "automatic")
    match = Match.objects.get(pk=letter.payload["match"])
    position = _own_position(letter, match)
    try:
        if letter.refusal == "empty":
            raise Refused("press_empty", _("There was nothing to pass on: write your answer at the very top."))
        if letter.refusal:
            raise Refused("press_too_long", _("A message has at most %(count)s characters.") % {"count": press.LONGEST})
        if position is not None and _is_orders(letter, match, position):
            raise Refused(
                "press_orders",
                _("Your mail holds nothing but orders. To give them, answer the mail that asks for your turn, or a receipt."),
            )
        _check_end(letter)
        if position is not None and (order := _order_in(letter, match, position)):
            told = _(
                "“%(order)s” is an order that you can give now, and others would read it. To give it, answer the mail that asks "
                "for your turn, or a receipt. To tell others of it, write on the page of the match."
            )
            raise Refused("press_orders", told % {"order": order[:60]})
        message = press.say(
            match=match,
            by=letter.user,
            by_seat=letter.payload["seat"],
            to=letter.payload["to"],
            text=as_message(letter.text),
            channel=CHANNEL,
            key=secrets.keyed_uuid("press", letter.id),
        )
    except (Refused, TooMany) as refused:
        lost = refused.code == "no_seat"
        return _not_passed(letter, match, refused.code, _("You no longer hold that seat.") if lost else refused.sentence)
    return Handled({"press": str(message.id)})


def _own_position(letter: Letter, match: Match) -> Loaded | None:
    """Return the position with which an answer is compared; None if the match does not run, or another user holds the seat now.

    Which orders fit tells what the seat holds. A user who has left it is refused by `press.say`.
    """
    if not match.seats.filter(index=letter.payload["seat"], user=letter.user).exists():
        return None
    loaded = loading.load(match.id, match.game)
    return loaded if loaded.started and not loaded.ended else None


def _is_orders(letter: Letter, match: Match, loaded: Loaded) -> bool:
    """Return True if all lines of an answer are orders; with END below them, also if they do not fit the position."""
    known = loaded.game.verbs or loaded.game.commands
    said = [line for line in as_message(letter.text).split("\n") if line.strip()]
    rest = [line for line in said if not blocks.means_order(line, known, loaded.game)]
    if len(rest) == len(said) or any(len(line.split()) > GREETING_WORDS for line in rest):
        return False
    with cpu_limit():
        view = loaded.game.view(loaded.timeline.state, letter.payload["seat"])
        names = selectors.seat_names(tuple(match.seats.select_related("user").order_by("index")))
        lines = [line for line in order_mail.read(letter.text, loaded.game, view, names) if line.state != "ignored"]
    ended = letter.text.endswith(f"\n{END}")
    return bool(lines) and all(
        line.is_order and (line.command or (ended and blocks.means_order(line.text, known, loaded.game))) for line in lines
    )


def _order_in(letter: Letter, match: Match, loaded: Loaded) -> str:
    """Return an order in an answer that its writer can give now: a line at the end of a paragraph. Empty if there is none.

    The mail that asks for the turn and a message of another player stand side by side in a mailbox, and an order may be secret.
    """
    game, seat = loaded.game, letter.payload["seat"]
    known = game.verbs or game.commands
    found = [line for line in blocks.left_orders(as_message(letter.text), known, game) if len(line.split()) > 1]
    if not found:
        return ""
    names = selectors.seat_names(tuple(match.seats.select_related("user").order_by("index")))
    with cpu_limit():
        view = game.view(loaded.timeline.state, seat)
        legal = game.legal_commands(loaded.timeline.state, seat)
        lines = [line for said in found for line in order_mail.read(said, game, view, names)]
        return next((line.text for line in lines if line.command and line.is_order and forms.offered(legal, line.command)), "")


def _check_end(letter: Letter) -> None:
    """Refuse a message of which nobody knows where it ends: running text, or a postscript, stands below its closing line.

    Or below what may introduce a quote.
    """
    if letter.quoting:
        told = _("The message may go on below “%(line)s”, or a quote begins there. Write that line otherwise, and END below.")
        raise Refused("press_unclear_end", told % {"line": letter.quoting[:60]})
    for paragraph in blocks.paragraphs(below_message(letter.text)):
        said = "" if remarks.is_notice(" ".join(paragraph)) else next(filter(_is_said, paragraph), "")
        if said:
            told = _(
                "“%(line)s” stands below the closing line of your mail. Send the whole message again, with the word END alone in "
                "a line below it: all above END is passed on."
            )
            raise Refused("press_unclear_end", told % {"line": said[:60]})


def _is_said(line: str) -> bool:
    return bool(_POSTSCRIPT.match(line)) or (is_prose(line) and line.endswith((".", "!", "?")))


def _not_passed(letter: Letter, match: Match, code: str, detail: str) -> Handled:
    payload = {"mail": str(letter.id), "match": str(match.id)}
    notice = Notice(kind="press_failed", user_id=letter.user.pk, topic=str(match.id), payload=payload)
    return Handled({"problem": code, "detail": detail}, notice)


def failed(row: Outbox) -> Message | None:
    """Explain why an answer was not passed on; None if the mail has been deleted since."""
    mail = InboundMail.objects.filter(pk=row.payload["mail"]).first()
    if mail is None or not mail.report:
        return None
    match = Match.objects.get(pk=row.payload["match"])
    context: dict[str, object] = wording.plain_context(match) | {
        "headline": _("Your message was not passed on"),
        "detail": mail.report["detail"],
    }
    subject = _("[%(title)s #%(number)s] Your message was not passed on") % {"title": context["title"], "number": match.number}
    return wording.compose(
        "press_failed", subject, context, reason="press-failed", in_reply_to=mail.message_id, auto_replied=True
    )
