"""Answers to invitations by mail: `join` takes the seat, `decline` refuses it, `join NAME` also creates an account.

`block`, from a user, declines and blocks the user who has invited.

The invitation went to that address alone, and the answer was proved to come from there. That proves as much as following the
link. Such a player never has to open a page; they may set a password later through password reset.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from allauth.account.adapter import get_adapter
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _

from accounts import blocks
from accounts.addresses import add_verified_address, is_taken, user_of_address
from accounts.models import FormerName, User
from gamesvc.errors import TooMany
from gamesvc.games.kernel.game import Refused
from gamesvc.json_types import JsonObject
from gamesvc.matches.lobby import invitations
from gamesvc.matches.mail_orders.joining import join_lines
from gamesvc.matches.mail_orders.joining.join_lines import Meaning
from gamesvc.matches.models import Invitation, Match, Question, Seat
from gamesvc.matches.notices import reply_addresses, wording
from notifications import registry
from notifications.inbound import purposes
from notifications.inbound.purposes import Handled, Letter
from notifications.models import InboundMail, Outbox
from notifications.outbox import Notice
from notifications.registry import Message

CHANNEL = "mail"
_UNNAMED = ("bad_name", "name_taken", TooMany.code)
"""The refusals after which another answer may take the seat."""


def register() -> None:
    """Register the handler of answers to invitations, and the wording of their receipts, which cannot be muted."""
    carries = ("match_started", "your_turn")
    registry.register("joined", joined, label="Answers about invitations", essential=True, carries=carries)
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
    seat = match.seats.filter(user=row.user_id).first() if row.user_id and match.status == Match.Status.RUNNING else None
    if seat is not None:
        return _begun(row, match, seat.index, report, mail.message_id)
    context = wording.plain_context(match) | {"headline": report["headline"], "said": report["said"]}
    context["renames"] = report.get("renames", False)
    if (report["open"] or context["renames"]) and match.status == Match.Status.OPEN:
        context["needs_name"] = row.user is None
        context["reply_to"] = reply_addresses.invitation_address(invitation, user=row.user, email=row.address, key=row.id)
    subject = f"[{context['title']} #{match.number}] {report['headline']}"
    return wording.compose("joined", subject, context, reason="joined", in_reply_to=mail.message_id, auto_replied=True)


def _begun(row: Outbox, match: Match, seat: int, report: JsonObject, message_id: str) -> Message:
    """Compose the one mail to a player with whom the match begins: their seat, the players, and their turn if it is theirs."""
    question = Question.objects.filter(match=match, seat=seat).order_by("due_at").first()
    if question is not None:
        context = wording.turn_context(row, question, _("You have a seat, and it is your move"))
    else:
        context = wording.context_of(match, seat, row.user) | {"headline": _("You have a seat: the match has started")}
        wording.may_answer(context, match, row)
    context |= {"said": report["said"], "players": context["names"]}
    subject = f"[{context['title']} #{match.number}] {context['headline']}"
    name = "your_turn" if question is not None else "started"
    return wording.compose(name, subject, context, reason="joined", in_reply_to=message_id, auto_replied=True)


def _answer(letter: Letter, invitation: Invitation) -> JsonObject:
    known = letter.owner or user_of_address(letter.email)
    reply = join_lines.read(letter.text, named=known is not None)
    try:
        match reply.meaning:
            case Meaning.JOIN:
                return _join(letter, invitation, reply.name)
            case Meaning.DECLINE:
                return _decline(invitation)
            case Meaning.BLOCK if known is not None:
                return _block(known, invitation)
            case Meaning.PLACEHOLDER if known is None:
                return _placeholder(letter.email)
    except (Refused, TooMany) as refused:
        open_still = refused.code in _UNNAMED
        headline = _("You have no seat yet") if open_still else _("You have no seat")
        return _report(headline, refused.sentence, open_still=open_still)
    return _unclear(named=known is not None)


def _placeholder(email: str) -> JsonObject:
    """Ask for a name after `join NAME`, copied as it stands."""
    letters = "".join(letter for letter in email.partition("@")[0].partition("+")[0] if letter.isalnum())
    said = _("NAME stands for the name that the other players see. Write your own, for example: join %(example)s")
    return _report(_("You have no seat yet"), said % {"example": letters[:20] or "Robin"}, open_still=True)


def _unclear(*, named: bool) -> JsonObject:
    said = (
        _("Write one word into the first line: join or decline.")
        if named
        else _("To play, write into the first line: join YOURNAME. To say no, write: decline.")
    )
    return _report(_("Your answer could not be read"), said, open_still=True)


def _report(headline: str, said: str, *, open_still: bool = False, renames: bool = False) -> JsonObject:
    return {"headline": headline, "said": said, "open": open_still, "renames": renames}


def _join(letter: Letter, invitation: Invitation, name: str) -> JsonObject:
    """Take the seat, or change the name of an account that was made so. A restarted worker gets the same result."""
    with transaction.atomic():
        user = letter.owner or user_of_address(letter.email)
        new = user is None
        user = user or _sign_up(letter.email, name)
        match = invitation.match
        seat = match.seats.filter(user=user).first()
        if seat is None:
            token = invitations.invitation_token(invitation.id)
            match = invitations.accept_invitation(by=user, token=token, channel=CHANNEL)
            seat = match.seats.get(user=user)
        renamed = "" if new or not name else _rename(user, name)
    said = _("You are %(name)s and hold seat %(seat)s.") % {"name": user.username, "seat": seat.index + 1}
    more = (
        _("The match starts now; you get a mail when it is your turn.")
        if match.status == Match.Status.RUNNING
        else _("The match starts when all seats are taken; then you get a mail.")
    )
    told = " ".join(filter(None, [renamed, said, more]))
    return _report(_("You have a seat"), told, renames=match.status == Match.Status.OPEN and _may_rename(user))


def _may_rename(user: User) -> bool:
    """Return True for an account made by mail that nobody has met in a match yet."""
    met = Seat.objects.filter(user=user).exclude(match__status=Match.Status.OPEN).exists()
    return user.last_login is None and not user.has_usable_password() and not met


def _rename(user: User, name: str) -> str:
    """Give an account made by mail another name, while that is safe. Return what to say about it. Raises `Refused`."""
    if name.casefold() == user.username.casefold():
        return ""
    if not _may_rename(user):
        return _("Your name stays %(name)s: others know you by it.") % {"name": user.username}
    before, user.username = user.username, _clean(name)
    with _taken():
        User.objects.filter(pk=user.pk, last_login=None).update(username=user.username)
        FormerName.objects.create(user=user, name=before)
    return _("Your name is changed.")


def _decline(invitation: Invitation) -> JsonObject:
    if not invitations.decline(invitation):
        raise Refused("bad_invitation", _("You already have a seat. You can leave it on the page of the match."))
    return _report(_("You have declined"), _("You get no more mails about this match."))


def _block(user: User, invitation: Invitation) -> JsonObject:
    """Decline, and block the user who has invited. In an anonymous match that would tell who it is."""
    if invitation.match.hides_names:
        raise Refused("anonymous", _("This match is anonymous, so nobody can be blocked by this mail. Answer: decline."))
    invitations.decline(invitation)
    block = blocks.block(by=user, name=invitation.invited_by.username)
    said = _("They are not told. You get no more invitations and messages from them. Your profile lists whom you block.")
    return _report(_("You block %(name)s") % {"name": block.blocked.username}, said)


def _sign_up(email: str, name: str) -> User:
    """Create an account for the proven owner of a mailbox. Raises `Refused` if the name does not fit."""
    if is_taken(email):  # `user_of_address` knows active accounts alone
        raise Refused("bad_invitation", _("You cannot take a seat: the account of this address is closed."))
    if not name:
        raise Refused("bad_name", _("Glad to have you! What should the other players call you? Answer with: join YOURNAME"))
    user = User(email=email)
    user.set_unusable_password()
    user.username = _clean(name)
    with _taken():
        user.save()
    add_verified_address(user, email)
    return user


def _clean(name: str) -> str:
    """Return a name as accounts have it. Raises `Refused` if it does not fit."""
    try:
        return str(get_adapter().clean_username(name))
    except ValidationError as wrong:
        raise Refused("bad_name", " ".join(wrong.messages)) from None


@contextlib.contextmanager
def _taken() -> Iterator[None]:
    """Refuse a name that another account took in the meantime."""
    try:
        with transaction.atomic():
            yield
    except IntegrityError:
        raise Refused("name_taken", _("This user name is taken.")) from None
