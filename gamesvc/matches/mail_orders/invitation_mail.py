"""Answers to invitations by mail: `join` takes the seat, `decline` refuses it, `join NAME` also creates an account.

The invitation went to that address alone, and the answer was proved to come from there. That proves as much as following the
link. Such a player never has to open a page; they may set a password later through password reset.
"""

from __future__ import annotations

from allauth.account.adapter import get_adapter
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.addresses import add_verified_address, user_of_address
from accounts.models import User
from gamesvc.games.kernel.game import Refused
from gamesvc.json_types import JsonObject
from gamesvc.matches.errors import TooMany
from gamesvc.matches.lobby import invitations
from gamesvc.matches.models import Invitation, Match
from gamesvc.matches.notices import reply_addresses, wording
from notifications import registry
from notifications.inbound import purposes
from notifications.inbound.purposes import Handled, Letter
from notifications.models import InboundMail, Outbox
from notifications.outbox import Notice
from notifications.registry import Message

CHANNEL = "mail"
JOIN = ("join", "yes", "ja")
DECLINE = ("decline", "no", "nein")


def register() -> None:
    """Register the handler of answers to invitations, and the wording of their receipts, which cannot be muted."""
    registry.register("joined", joined, label="Answers about invitations", essential=True)
    purposes.register(reply_addresses.INVITATION, handle)


def handle(letter: Letter) -> Handled:
    """Carry out the first line and return the report."""
    invitation = Invitation.objects.select_related("match").get(pk=letter.payload["invitation"])
    report = _answer(letter, invitation)
    # The account may be new: from now on its mails go to the user.
    owner = letter.owner or user_of_address(letter.email)
    notice = Notice(
        kind="joined",
        user_id=owner.pk if owner is not None else None,
        address="" if owner is not None else letter.email,
        topic=str(invitation.match_id),
        payload={"mail": str(letter.id), "invitation": str(invitation.id)},
    )
    return Handled(report, notice)


def joined(row: Outbox) -> Message | None:
    """Compose the result of an answer; None if the mail has been deleted since."""
    mail = InboundMail.objects.filter(pk=row.payload["mail"]).first()
    invitation = Invitation.objects.select_related("match").filter(pk=row.payload["invitation"]).first()
    if mail is None or mail.report is None or invitation is None:
        return None
    match, report = invitation.match, mail.report
    context = wording.plain_context(match) | {"headline": report["headline"], "said": report["said"]}
    if report["open"] and match.status == Match.Status.OPEN:
        context["needs_name"] = row.user is None
        context["reply_to"] = reply_addresses.invitation_address(invitation, user=row.user, email=row.address, key=row.id)
    subject = f"[{context['title']} #{match.number}] {report['headline']}"
    return wording.compose("joined", subject, context, reason="joined", in_reply_to=mail.message_id, auto_replied=True)


def _answer(letter: Letter, invitation: Invitation) -> JsonObject:
    word, name = first_word(letter.text)
    try:
        if word in JOIN:
            return _join(letter, invitation, name)
        if word in DECLINE:
            return _decline(invitation)
    except (Refused, TooMany) as refused:
        open_still = refused.code in ("bad_name", "name_taken", TooMany.code)
        headline = _("You have no seat yet") if open_still else _("You have no seat")
        return _report(headline, refused.sentence, open_still=open_still)
    return _report(_("Your answer could not be read"), _("Write one word into the first line: join or decline."), open_still=True)


def first_word(text: str) -> tuple[str, str]:
    """Return the first word of an answer, in lower case, and the rest of its line."""
    first = next((line.strip() for line in text.splitlines() if line.strip()), "")
    word, _space, rest = first.partition(" ")
    return word.lower().strip(".,!:"), rest.strip(" .!")


def _report(headline: str, said: str, *, open_still: bool = False) -> JsonObject:
    return {"headline": headline, "said": said, "open": open_still}


def _join(letter: Letter, invitation: Invitation, name: str) -> JsonObject:
    """Take the seat. A restarted worker gets the same result."""
    with transaction.atomic():
        user = letter.owner or user_of_address(letter.email) or _sign_up(letter.email, name)
        match = invitation.match
        seat = match.seats.filter(user=user).first()
        if seat is None:
            token = invitations.invitation_token(invitation.id)
            match = invitations.accept_invitation(by=user, token=token, channel=CHANNEL)
            seat = match.seats.get(user=user)
    said = _("You are %(name)s and hold seat %(seat)s.") % {"name": user.username, "seat": seat.index + 1}
    more = (
        _("The match starts now; you get a mail when it is your turn.")
        if match.status == Match.Status.RUNNING
        else _("The match starts when all seats are taken; then you get a mail.")
    )
    return _report(_("You have a seat"), f"{said} {more}")


def _decline(invitation: Invitation) -> JsonObject:
    if not Invitation.objects.filter(pk=invitation.pk, accepted_at=None).update(declined_at=timezone.now()):
        raise Refused("bad_invitation", _("You already have a seat. You can leave it on the page of the match."))
    return _report(_("You have declined"), _("You get no more mails about this match."))


def _sign_up(email: str, name: str) -> User:
    """Create an account for the proven owner of a mailbox. Raises `Refused` if the name does not fit."""
    if not name:
        raise Refused("bad_name", _("Choose a name for the other players to call you: join NAME"))
    user = User(email=email)
    user.set_unusable_password()
    try:
        user.username = get_adapter().clean_username(name)
        with transaction.atomic():
            user.save()
    except ValidationError as wrong:
        raise Refused("bad_name", " ".join(wrong.messages)) from None
    except IntegrityError:
        raise Refused("name_taken", _("This user name is taken.")) from None
    add_verified_address(user, email)
    return user
