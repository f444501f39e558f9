"""What makes each table grow, and how much one person can add: for every model, and for every column without a maximum.

Numbers are the constants that hold them, by their dotted path in braces; `{settings.NAME}` is a setting. "A person" is a user
with all their bots and keys.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

LIMITS = "gamesvc.matches.access.daily_limits"
OPENED = "with each new match: {settings.MATCHES_PER_DAY} a day for a person, {settings.MATCHES_OPEN_PER_USER} not over"
ACTS = "{settings.RATE_LIMIT_ACTS} acts a day for a person"
TOLD = f"{{{LIMITS}.PER_DAY}} a day in a match, {{{LIMITS}.TOLD_IN_ALL_PER_DAY}} in all"
OPERATORS = "by operators alone"
CODE = "by the service alone"


@dataclass(frozen=True, slots=True)
class Growth:
    """Who adds rows, and how many; and what limits each column without a maximum."""

    rows: str
    columns: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))


def _of_mails(rest: str) -> str:
    return "{settings.INBOUND_MAILS_PER_ADDRESS} mails an hour, {settings.INBOUND_MAILS_PER_USER} for an owner; " + rest


GROWTH = {
    # --- accounts ---
    "accounts.User": Growth(
        "{accounts.signing_in.allauth_settings.ACCOUNT_RATE_LIMITS} for a network;"
        " {accounts.bots.bots.MADE_A_DAY} bots a day for a person"
    ),
    "accounts.ApiToken": Growth(
        "{accounts.tokens.MAX_TOKENS} for an account, {accounts.tokens.MADE_PER_DAY} a day for a person;"
        " {accounts.oauth.grants.REFRESHED_BY_ALL_PER_DAY} by apps",
        {"scopes": "each once: {accounts.tokens.SCOPES}"},
    ),
    "accounts.App": Growth(
        "{accounts.oauth.apps.MAX_APPS} for a user",
        {"redirect_uris": "{accounts.oauth.apps.MAX_URIS} of {accounts.oauth.apps.LONGEST_URI} characters"},
    ),
    "accounts.Authorization": Growth(
        "{accounts.oauth.grants.ALLOWED_PER_DAY} a day for a user", {"scopes": "each once: {accounts.tokens.SCOPES}"}
    ),
    "accounts.Throttle": Growth("a row for each limit that is counted, until its window ends"),
    "accounts.Absence": Growth("{accounts.absences.ANNOUNCED_A_DAY} a day for a user"),
    "accounts.AbsenceChange": Growth(
        "two for each vacation announced", {"failed": "the user's own matches that run: {settings.MATCHES_OPEN_PER_USER} opened"}
    ),
    "accounts.Block": Growth("{accounts.blocks.MOST} for a user"),
    "accounts.FormerName": Growth(_of_mails("only of an account that has neither signed in nor played")),
    "accounts.SignIn": Growth(
        "{accounts.signins.ENTRIES_PER_DAY} a day for a user and kind;"
        " {accounts.signins.FAILURES_PER_HOUR} failures an hour for a network"
    ),
    "account.EmailAddress": Growth("{settings.ACCOUNT_MAX_EMAIL_ADDRESSES} for a user"),
    "account.EmailConfirmation": Growth("none: links are signed"),
    "admin.LogEntry": Growth(OPERATORS, {"object_id": OPERATORS, "change_message": OPERATORS}),
    "mfa.Authenticator": Growth("one of each type for a user", {"data": "a secret, or a seed and the marks of used codes"}),
    "sessions.Session": Growth(
        "{accounts.signing_in.adapter.SIGN_INS_PER_DAY} a day for an account; none for guests",
        {"session_data": "{accounts.signing_in.sessions.LONGEST} characters"},
    ),
    **dict.fromkeys(
        (
            "accounts.User_groups",
            "accounts.User_user_permissions",
            "auth.Group",
            "auth.Group_permissions",
            "auth.Permission",
            "contenttypes.ContentType",
        ),
        Growth(OPERATORS),
    ),
    # --- matches ---
    "matches.Match": Growth(
        OPENED,
        {
            "options": "the schema of the game's options",
            "clock": "the schema of clocks",
            "reliability": "three numbers",
            "outcome": "what the game tells of its end",
            "sealed_secret": "a key",
        },
    ),
    "matches.Beginning": Growth(OPENED, {"position": "{gamesvc.matches.record.positions.MOST_BYTES} bytes"}),
    "matches.Seat": Growth("those of the game, with its match"),
    "matches.Question": Growth(
        "one for each seat and prompt, until it is answered",
        dict.fromkeys(("break_at", "break_for"), "breaks of the clock until the deadline"),
    ),
    "matches.Invitation": Growth(
        f"{{{LIMITS}.INVITATIONS_PER_DAY}} a day for a person, to bots {{{LIMITS}.CHALLENGES_OF_BOTS_PER_DAY}}"
    ),
    "matches.Refusal": Growth(
        f"{{{LIMITS}.REFUSED_PER_DAY}} a day for a person",
        {
            "command": "{gamesvc.matches.models.Refusal.LARGEST_COMMAND} bytes",
            "detail": "{gamesvc.matches.models.Refusal.LONGEST_DETAIL} characters",
        },
    ),
    "matches.Answered": Growth(
        f"{{{LIMITS}.ANSWERS_PER_DAY}} a day for a person",
        {"body": "the summary of what was made; of a refusal {gamesvc.errors.Refusal.LONGEST} characters"},
    ),
    "matches.PauseWish": Growth("one for each seat, until it is settled"),
    "matches.Follow": Growth("{gamesvc.matches.lobby.follows.MOST} for a user"),
    "matches.FeedCursor": Growth(CODE),
    "matches.Heartbeat": Growth(CODE),
    "matches.Outage": Growth(CODE, {"failed": "the numbers of matches whose clocks could not be moved"}),
    "matches.Report": Growth(
        f"{{{LIMITS}.REPORTS_PER_DAY}} a day for a person",
        {
            "words": "{gamesvc.matches.organising.reports.LONGEST} characters",
            "messages": "{gamesvc.matches.organising.reports.COPIED} of {gamesvc.matches.lobby.press.LONGEST} characters",
        },
    ),
    "matches.ReportAct": Growth(OPERATORS, {"words": "{gamesvc.matches.organising.moderation.LONGEST_NOTE} characters"}),
    "matches.MessageBan": Growth(OPERATORS),
    "matches.Look": Growth(
        "by organisers and operators who do not play", {"words": "{gamesvc.matches.access.authority.LONGEST_REASON} characters"}
    ),
    "matches.HeldOrders": Growth(
        _of_mails("one for a mail and reason to wait"),
        dict.fromkeys(
            ("lines", "report"),
            "{gamesvc.matches.mail_orders.order_mail.MOST_LINES} lines of {gamesvc.games.kernel.intake.LONGEST_ORDER} characters",
        ),
    ),
    "matches.DoneWord": Growth(
        _of_mails("{gamesvc.matches.mail_orders.order_mail.MOST_LINES} for a mail"),
        {"detail": "a sentence: {gamesvc.errors.Refusal.LONGEST} characters"},
    ),
    "matches.Note": Growth("one for a seat", {"text": "{gamesvc.matches.lobby.notes.LONGEST} characters"}),
    "matches.Press": Growth(
        f"{{{LIMITS}.MESSAGES_PER_DAY}} a day for a person",
        {"to": "the seats of the match", "text": "{gamesvc.matches.lobby.press.LONGEST} characters"},
    ),
    "matches.Reason": Growth(TOLD, {"words": "{gamesvc.matches.access.authority.LONGEST_REASON} characters"}),
    "matches.UndoRequest": Growth(TOLD, dict.fromkeys(("asked", "accepted"), "the seats of the match")),
    "matches.Premove": Growth(
        f"{{{LIMITS}.CONDITIONAL_PER_DAY}} a day for a person, a kept line of {{gamesvc.matches.lobby.lines.MOST_STEPS}} at most",
        {
            "condition": "the schema of conditions",
            "commands": "{gamesvc.matches.play.standing_orders.MOST_COMMANDS}"
            " of {gamesvc.games.kernel.intake.LONGEST_COMMAND} bytes",
            "before": "an act as its seat sees it",
            "why": "a sentence",
        },
    ),
    "matches.Holding": Growth("one for each player of a seat: {gamesvc.matches.lobby.substitutes.MOST_TENURES} once it runs"),
    "matches.Rated": Growth(OPENED),
    "matches.Rating": Growth("one for a user and game"),
    "matches.Reckoned": Growth(
        OPENED, {"notes": "the open questions and players of the match", "fault": "an error of the service's own"}
    ),
    # --- notifications ---
    "notifications.Outbox": Growth(
        "of events, messages and acts that are limited themselves;"
        " of mails {settings.INBOUND_ANSWERS_PER_DAY} answers a day for a user",
        {"payload": "ids and numbers", "error": "500 characters"},
    ),
    "notifications.Mute": Growth(
        "one for a kind or topic; {notifications.wanted.muting.CHOICES_A_DAY} changes a day for a user,"
        " {notifications.wanted.muting.CHANGES_A_DAY} by links"
    ),
    "notifications.ReplyAddress": Growth("one for a mail that is sent", {"payload": "ids and numbers"}),
    "notifications.InboundMail": Growth(
        _of_mails("unproved ones as many for a network"),
        {
            "raw": "{notifications.parsing.reading.LARGEST} bytes until it is settled,"
            " {notifications.inbound.store.KEPT_OF_DONE} afterwards",
            "body_digests": "two digests",
            "report": "{gamesvc.matches.mail_orders.words.leaflets.LONGEST_ANSWERS} characters beside its lines",
        },
    ),
    "notifications.Bounce": Growth("a few for a mail that is sent"),
    "notifications.Suppression": Growth(
        f"one for an address and kind that mail is sent to; strangers: {{{LIMITS}.INVITATIONS_PER_DAY}} a day"
    ),
    "notifications.ChatAddress": Growth("one for a service and user"),
    "notifications.PushSubscription": Growth("{notifications.other_channels.web_push.MOST_DEVICES} for a user"),
    "notifications.CalendarFeed": Growth("one for a user"),
    "notifications.CalendarEntry": Growth("one for a seat"),
    "notifications.LastShown": Growth(
        "one for a user and match", {"calendar": "a number for each seat", "explained": "the words and prompts of the game"}
    ),
    "notifications.Preference": Growth(
        "one for a user, and one for each match they play",
        {"reminders": "{notifications.wanted.wishes.MOST_POINTS} numbers", "channels": "each channel once"},
    ),
    "notifications.Reminder": Growth(
        "{notifications.wanted.wishes.POINTS_PER_DAY} changes a day for a person, for each deadline"
    ),
    "notifications.Presence": Growth("one for a user and match"),
    "notifications.Handover": Growth("one for a notice and channel"),
    "notifications.Rest": Growth("one for a user and channel"),
    "notifications.Webhook": Growth("{notifications.other_channels.subscriptions.MOST} for a user", {"kinds": "each kind once"}),
    "notifications.WebhookDelivery": Growth(
        "one for a notice and hook; {notifications.other_channels.subscriptions.TRIES_A_DAY} tries a day for a user",
        {"body": "names and numbers of a notice"},
    ),
    "notifications.Mailbox": Growth(
        CODE,
        dict.fromkeys(("waiting", "failing"), "numbers of mails: {notifications.inbound.doors.imap.MOST_WAITING}"),
    ),
}
