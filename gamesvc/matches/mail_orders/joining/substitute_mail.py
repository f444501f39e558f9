"""Taking a free seat by mail: a user who answers the call for a substitute with `join` takes the seat."""

from __future__ import annotations

from django.utils.translation import gettext as _

from gamesvc.games.kernel.game import Refused
from gamesvc.json_types import JsonObject
from gamesvc.matches.lobby import substitutes
from gamesvc.matches.mail_orders.joining import join_lines
from gamesvc.matches.mail_orders.joining.join_lines import Meaning
from gamesvc.matches.models import Match
from gamesvc.matches.notices import reply_addresses, wording
from notifications import registry
from notifications.inbound import purposes
from notifications.inbound.purposes import Handled, Letter
from notifications.models import InboundMail, Outbox
from notifications.outbox import Notice
from notifications.registry import Message

CHANNEL = "mail"


def register() -> None:
    """Register the handler of answers to calls for a substitute, and their wording, which cannot be muted."""
    registry.register("seat_answer", word_answer, label="Answers about free seats", essential=True)
    purposes.register(reply_addresses.SEAT, handle)


def handle(letter: Letter) -> Handled:
    """Take the seat or explain why not. There is always an answer."""
    match = Match.objects.get(pk=letter.payload["match"])
    report = _answer(letter, match)
    notice = Notice(
        kind="seat_answer",
        user_id=letter.user.pk,
        topic=str(match.id),
        payload={"mail": str(letter.id), "match": str(match.id)},
    )
    return Handled(report, notice)


def _answer(letter: Letter, match: Match) -> JsonObject:
    meaning = join_lines.read(letter.text, named=True).meaning
    if meaning is Meaning.DECLINE:
        return {"headline": _("You have declined"), "said": _("Nothing was done; the seat stays free for others.")}
    if meaning is not Meaning.JOIN:
        said = _("To take the seat, answer the call again with the one word “join” at the very top.")
        return {"headline": _("Your answer could not be read"), "said": said}
    held = match.seats.filter(user=letter.user).first()
    try:
        # A sender who already has a seat took it with this mail, before its worker died, or with another one.
        if held is None:
            substitutes.take_over(by=letter.user, match=match, seat=letter.payload["seat"], channel=CHANNEL)
            held = match.seats.get(user=letter.user)
    except Refused as refused:
        return {"headline": _("You have no seat"), "said": refused.sentence}
    said = _("You hold seat %(seat)s now and play on from the position below. You get a mail when it is your turn.")
    return {"headline": _("You have a seat"), "said": said % {"seat": held.index + 1}}


def word_answer(row: Outbox) -> Message | None:
    """Compose the result of an answer, with the position if a seat was taken; None if the mail has been deleted since."""
    mail = InboundMail.objects.filter(pk=row.payload["mail"]).first()
    if mail is None or not mail.report:
        return None
    match = Match.objects.get(pk=row.payload["match"])
    own = match.seats.filter(user=row.user).first()
    shown = wording.context_of(match, own.index, row.user) if own is not None else wording.plain_context(match)
    context = shown | {"headline": mail.report["headline"], "lines": [mail.report["said"]]}
    wording.may_answer(context, match, row)
    subject = f"[{context['title']} #{match.number}] {context['headline']}"
    return wording.compose("told", subject, context, reason="seat-answer", in_reply_to=mail.message_id, auto_replied=True)
