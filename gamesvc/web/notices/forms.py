"""The forms of notification settings. `notifications` checks what the values mean."""

from __future__ import annotations

from typing import Any

from django import forms

from gamesvc.forms import OneOfField, PostedForm, SomeOfField, TextField, WholeField, says
from notifications.other_channels import subscriptions
from notifications.other_channels.chat_names import SERVICES

WHEN = ("", "after", "first")
"""Choices for a channel: not used, if a mail had no effect, before any mail."""


class TimingForm(PostedForm):
    """The timing of notices. Empty fields mean: no digest, every mail at once."""

    reminders = TextField()
    batch_minutes = WholeField("Enter for how many minutes turn mails are collected, as a whole number.", high=99_999)
    receipt_minutes = WholeField("Enter for how many minutes receipts are collected, as a whole number.", high=99_999)
    subject_per_turn = OneOfField("Choose one subject for the match, or one for each turn.", [("yes", "yes")])
    digest_hour = WholeField("Choose one of the hours on the page for the digest, or none.", high=99_999)
    immediate_below = WholeField("Enter a whole number of hours: with less time left, mails are sent at once.", high=99_999)
    push = OneOfField("Choose when push is used.", [(name, name) for name in WHEN if name])
    webhook = OneOfField("Choose when the webhook is used.", [(name, name) for name in WHEN if name])

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for service in SERVICES:
            self.fields[service] = OneOfField("Choose when the chat is used.", [(name, name) for name in WHEN if name])

    def changes(self) -> dict[str, Any]:
        """Return the settings as `wishes.set_wishes` takes them. Raises `Refused`."""
        fields = dict(self.checked())
        points = [point for point in fields.pop("reminders").split(",") if point.strip()]
        chosen = {name: fields.pop(name) for name in ("push", "webhook", *SERVICES)}
        order = [
            *(name for name in chosen if chosen[name] == "first"),
            "mail",
            *(name for name in chosen if chosen[name] == "after"),
        ]
        subject_per_turn = fields.pop("subject_per_turn") == "yes"
        return {"reminders": points, **fields, "subject_per_turn": subject_per_turn, "channels": order}


class WebhookForm(PostedForm):
    """The address of the user's own program."""

    url = TextField()


class NewHookForm(PostedForm):
    """A webhook to add: for notices of some kinds (none: all), or for the news of a match."""

    url = TextField()
    match = TextField(max_length=40)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        names = [(kind.name, kind.name) for kind in subscriptions.offered()]
        self.fields["kinds"] = SomeOfField("Choose kinds of notices that the page offers.", names)


class ChatForm(PostedForm):
    """The address of a chat service."""

    service = OneOfField("Choose a service that the page offers.", SERVICES.items(), default="")
    address = TextField(max_length=500)


class HookForm(PostedForm):
    """The webhook that a button stands beside."""

    hook = forms.UUIDField(error_messages=says("There is no such webhook."))


class DeliveryForm(PostedForm):
    """The delivery to send again."""

    delivery = forms.UUIDField(error_messages=says("There is no such delivery in the log."))


class SuppressionForm(PostedForm):
    """The suppression to lift."""

    suppression = WholeField("Nothing was held back there.", required=True, high=10**17)


class SubscribeForm(PostedForm):
    """A browser's push subscription, as its PushManager gives it."""

    endpoint = TextField(max_length=1000)
    p256dh = TextField(max_length=200)
    auth = TextField(max_length=200)


class UnsubscribeForm(PostedForm):
    """The push subscription to end, by its id or by the address that the browser knows."""

    subscription = forms.UUIDField(required=False, error_messages=says("There is no such device."))
    endpoint = TextField(max_length=1000)
