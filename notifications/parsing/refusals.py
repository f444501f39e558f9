"""All reasons for not processing a mail, with their justification and what the sender hears. This is the only such table.

`deploy/mail-in.md` shows it to operators; a test keeps the two equal and sends one mail through each row.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from django.utils.translation import gettext_noop

from gamesvc.errors import Refusal


class Hears(Enum):
    """The consequence of a refused mail."""

    NOTHING = "nothing"  # dropped: its sender is automatic or forged, or nothing is lost
    QUESTION = "question"  # held: the owner of the reply address is asked at their own address
    REASON = "reason"  # dropped: the owner of the reply address gets the reason at their own address
    ONCE = "once"  # dropped: the owner of the reply address gets the reason, once a day for each match
    WORDS = "words"  # passed to the purpose with the refusal's code: its receipt explains the problem
    SENDER = "sender"  # dropped: the proved sender, who has no account, hears once a day how to take part
    REPLY = "reply"  # refused on receipt: the SMTP reply, or the provider's log, says so


@dataclass(frozen=True, slots=True)
class Row:
    """One reason to refuse a mail: the kind of mail, the justification, what the sender hears, and what they can do."""

    hears: Hears
    what: str
    why: str
    advice: str = ""


_ROBOT = "nobody waits for an answer, and answering a machine may begin a loop"
_HOSTILE = "no mail program writes this, and reading it could stop the other mails"
_SMALLER = gettext_noop(
    "It is too large or too complicated to be read. Send your orders alone: plain text, no attachments, no quotes."
)

REFUSALS: dict[str, Row] = {
    # On receipt, before anything is stored.
    "unknown_address": Row(Hears.REPLY, "to no address of ours, or to an expired one", "there is nobody whose mail it could be"),
    "repeated": Row(
        Hears.NOTHING,
        "the same Message-ID, or the same body without one, or a proved mail with the same sender, date and body, to the same "
        "address",
        "it is here already",
    ),
    # Automatic mail.
    "null_return_path": Row(Hears.NOTHING, "an empty envelope sender", _ROBOT),
    "auto_submitted": Row(Hears.NOTHING, "marked as an automatic answer", _ROBOT),
    "bulk": Row(Hears.NOTHING, "marked as bulk mail", _ROBOT),
    "mailing_list": Row(Hears.NOTHING, "sent by a mailing list", _ROBOT),
    "delivery_report": Row(Hears.NOTHING, "a report of delivery or of reading", _ROBOT),
    "mailer_daemon": Row(Hears.NOTHING, "from a sender such as mailer-daemon or no-reply", _ROBOT),
    "our_own": Row(Hears.NOTHING, "from our From address or one of our reply addresses", "the service would answer itself"),
    "automatic": Row(
        Hears.ONCE,
        "an automatic answer without marks: of a vacation responder or a calendar, or a delivery notice in prose",
        "it may be a machine, and perhaps a person who wants to know",
        gettext_noop(
            "It looks like an automatic answer: of a vacation responder, a calendar or a mail server. If you wrote it yourself, "
            "send your text again, with the word END alone in a line below it. To have no deadlines while you are away, send "
            "for example: vacation 2026-12-24..2027-01-02"
        ),
    ),
    "half_automatic": Row(
        Hears.QUESTION, "orders or a message, with words of an automatic answer", "a machine may have put them together"
    ),
    # Size and shape.
    "too_large": Row(
        Hears.REASON,
        "larger than 10 MB or 250,000 lines, or, without its attachments, than 1 MB or 50,000 lines; or more than 64 KB of "
        "headers",
        _HOSTILE,
        _SMALLER,
    ),
    "too_many_headers": Row(Hears.REASON, "more than 200 header fields", _HOSTILE, _SMALLER),
    "too_many_parts": Row(Hears.REASON, "more than 100 parts", _HOSTILE, _SMALLER),
    "too_deep": Row(Hears.REASON, "parts within parts, more than five deep", _HOSTILE, _SMALLER),
    "broken": Row(
        Hears.REASON,
        "headers that two programs could read differently, such as two Message-ID lines",
        "one of them could be deceived",
        gettext_noop(
            "Its headers are damaged. Send your orders again as a new mail; if that fails too, use another mail program."
        ),
    ),
    "too_slow": Row(
        Hears.REASON, "five seconds of CPU were not enough to read it", "it would keep back all other mail", _SMALLER
    ),
    # The sender.
    "no_single_sender": Row(
        Hears.REASON,
        "a From line that does not name exactly one address",
        "no sender could be proved",
        gettext_noop(
            "Its From line does not name exactly one address in the usual form: Name <address>. Correct your sender name."
        ),
    ),
    "spoofed": Row(
        Hears.NOTHING,
        "a forgery by the verdict of the mail server in front, whose From domain asks to drop it",
        "nobody to answer",
    ),
    "unproved": Row(
        Hears.QUESTION,
        "from the player's address, without proof, older than the mails that are kept, or dated ahead",
        "anyone can write a From line, and send an old mail again",
    ),
    "stranger": Row(Hears.QUESTION, "from an address that is not the player's", "they may have passed the mail on"),
    "misdirected": Row(
        Hears.QUESTION,
        "the player's own, with a To line that does not name the address it came to, or that nobody signed (unless the subject "
        "answers our mails about the match)",
        "they may have written it to others, who sent it on",
    ),
    # The address and the text.
    "inactive": Row(Hears.NOTHING, "to an address of a closed account", "there is nobody to answer"),
    "no_such_purpose": Row(Hears.REASON, "to an address for something this service no longer does", "nobody can work on it"),
    "not_confirmed": Row(
        Hears.REASON,
        "an answer to “Are these orders yours?” that is not “yes”",
        "only a clear yes counts",
        gettext_noop("Only a clear “yes” with nothing else confirms orders. Answer the question again, or open its link."),
    ),
    "used": Row(
        Hears.REASON,
        "a second “yes”",
        "the first one counted",
        gettext_noop(
            "You have said yes to these orders before, and that counted: the receipt says what was done. "
            "Send your next orders as an answer to it."
        ),
    ),
    "no_player": Row(
        Hears.SENDER,
        "to the standing address, proved, from an address of no player",
        "they may want to play; everything else that is refused there before its sender is proved gets no answer",
    ),
    "too_often": Row(
        Hears.ONCE,
        "to the standing address, from a player beyond `INBOUND_MAILS_PER_ADDRESS` within an hour",
        "what floods the service must end, and this player may not know why",
        gettext_noop("You wrote too many mails to this address within an hour: send them again later."),
    ),
    "empty": Row(Hears.WORDS, "nothing above the quoted mail", "there is nothing to carry out"),
    "too_long": Row(Hears.WORDS, "more than 20,000 characters of the writer's own", "no orders are so long"),
}


# Silences that are no refusals: the mail is processed, or is no letter at all. Shown and tested beside the table above.
SILENCES: dict[str, tuple[str, str]] = {
    "receipts over the cap": (
        "the receipt of a mail beyond `INBOUND_ANSWERS_PER_DAY` (the mail itself is worked on)",
        "whatever loop or flood asks for answers, they end; the page of the match shows what was done",
    ),
    "questions over the cap": (
        "the question about a held mail, or the reason of a refused one, beyond 20 a day for each reason (the mail is kept; "
        "the first question beyond them is still sent and says that it is the last)",
        "a forger could fill the player's mailbox with them",
    ),
    "no report": (
        "a mail to a return path (`bounce+...`) that reports no failure",
        "answering machines write there, and delays and successes need nothing",
    ),
    "report of nothing sent": (
        "a mail to a return path, or to an unsubscribe address, of a notice that was never sent or is deleted by now",
        "it cannot be about a mail of ours",
    ),
    "passed over": (
        "a message of the IMAP mailbox that could not be read in ten looks (or in one, where the fault is ours), nor"
        " in thirty more within a day",
        "it would keep back all that came after it; it stays in the mailbox, and the log names its UID",
    ),
    "no address of ours in the mailbox": (
        "a message of the IMAP mailbox to a mistyped reply address, or to an expired one",
        "the mailbox may be one that people use as well, so mail to others is not touched; it stays there, unread",
    ),
    "no address of ours in a post": (
        "a mail that a provider posts for a mistyped reply address, or for an expired one",
        "the provider has taken it already, and an answer would go to a sender whom nobody proved; the log of the provider and "
        "ours say that it came",
    ),
}


class MailRefused(Refusal):
    """A mail was refused by a step. `code` is a key of `REFUSALS`, `detail` is for the operator."""

    title = "The mail is not worked on"
    detail = "The table of refused mails says why, and what its writer hears."
    advice = "Write again from your own address, as an answer to our mail, with your text above the quoted one."

    def __init__(self, code: str, detail: str = "") -> None:
        super().__init__(code, detail)
        self.args = (f"{code}: {detail}" if detail else code,)
        self.hears = REFUSALS[code].hears
        self.advice = REFUSALS[code].advice or self.advice
