"""Tables of notices, reply addresses and inbound mail, one module per subject."""

from notifications.models.bounces import Bounce, Report, Source, Suppression
from notifications.models.chats import ChatAddress
from notifications.models.core import InboundMail, MailStatus, Mute, Outbox, ReplyAddress, Scope, Status
from notifications.models.mailbox import Mailbox
from notifications.models.timing import (
    CalendarEntry,
    CalendarFeed,
    Handover,
    LastShown,
    Preference,
    Presence,
    PushSubscription,
    Reminder,
    Rest,
)
from notifications.models.webhooks import Webhook, WebhookDelivery

__all__ = [
    "Bounce",
    "CalendarEntry",
    "CalendarFeed",
    "ChatAddress",
    "Handover",
    "InboundMail",
    "LastShown",
    "MailStatus",
    "Mailbox",
    "Mute",
    "Outbox",
    "Preference",
    "Presence",
    "PushSubscription",
    "Reminder",
    "ReplyAddress",
    "Report",
    "Rest",
    "Scope",
    "Source",
    "Status",
    "Suppression",
    "Webhook",
    "WebhookDelivery",
]
