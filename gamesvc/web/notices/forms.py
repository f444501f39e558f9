"""The forms of notification settings. `notifications` checks what the values mean."""

from __future__ import annotations

from typing import Any

from gamesvc.forms import OneOfField, PostedForm, TextField, WholeField

CHANNELS = {"": ["mail"], "after": ["mail", "webhook"], "first": ["webhook", "mail"]}


class TimingForm(PostedForm):
    """The timing of notices. Empty fields mean: no digest, every mail at once."""

    reminders = TextField()
    batch_minutes = WholeField("Enter for how many minutes turn mails are collected, as a whole number.", high=99_999)
    receipt_minutes = WholeField("Enter for how many minutes receipts are collected, as a whole number.", high=99_999)
    subject_per_turn = OneOfField("Choose one subject for the match, or one for each turn.", [("yes", "yes")])
    digest_hour = WholeField("Choose one of the hours on the page for the digest, or none.", high=99_999)
    immediate_below = WholeField("Enter a whole number of hours: with less time left, mails are sent at once.", high=99_999)
    webhook = OneOfField("Choose when the webhook is used.", [(name, name) for name in CHANNELS if name])

    def changes(self) -> dict[str, Any]:
        """Return the settings as `wishes.set_wishes` takes them. Raises `Refused`."""
        fields = dict(self.checked())
        points = [point for point in fields.pop("reminders").split(",") if point.strip()]
        order = CHANNELS[fields.pop("webhook")]
        subject_per_turn = fields.pop("subject_per_turn") == "yes"
        return {"reminders": points, **fields, "subject_per_turn": subject_per_turn, "channels": order}


class WebhookForm(PostedForm):
    """The address of the user's own program."""

    url = TextField()


class SuppressionForm(PostedForm):
    """The suppression to lift."""

    suppression = WholeField("Nothing was held back there.", required=True, high=10**17)
