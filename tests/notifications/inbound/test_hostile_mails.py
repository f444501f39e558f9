"""Every mail of `bench mail_hostile` is worked on once: done or refused for what it is, and never for the time that it takes."""

from __future__ import annotations

import pytest

from gamesvc.ops.benches.by_mail import hostile
from notifications.models import InboundMail, MailStatus

pytestmark = [pytest.mark.django_db, pytest.mark.long]

SETTLED = {MailStatus.DONE, MailStatus.REFUSED}


def test_hostile_mails_are_settled_at_the_first_try(settings):
    settings.REPLY_DOMAIN, settings.INBOUND_AUTH = "reply.gamesvc.example", "loopback"
    settings.INBOUND_ANSWERS_PER_DAY = 1_000_000
    match = hostile.open_match("stratastar")
    results = {name: hostile.arrive(match, shape)() for name, shape in hostile.SHAPES.items()}
    mails = InboundMail.objects.all()
    assert len(results) == mails.count()
    assert [(mail.status, mail.error) for mail in mails if mail.status not in SETTLED or mail.attempts > 1] == []
    assert "too_slow" not in results.values()
    # What is short enough is read by the grammar of orders, which is the point of it.
    assert {results[f"{name}_read"] for name in ("orders", "dates", "noise", "on_wrote", "press")} == {MailStatus.DONE}
