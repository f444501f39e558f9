"""How many statements a mail costs when many are sent together, and what is looked at last, right before the sending."""

from __future__ import annotations

import uuid

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from accounts.addresses import add_verified_address
from accounts.models import User
from gamesvc.matches.lobby import opening
from gamesvc.matches.models import Match, Question
from gamesvc.matches.notices import reply_addresses
from gamesvc.matches.record import loading
from notifications.inbound import destinations, pipeline
from notifications.inbound.doors import rates
from notifications.models import InboundMail, Outbox, ReplyAddress, Scope, Status, Suppression
from notifications.sending import claims, delivery
from notifications.wanted import preferences, shared_reads
from notifications.wanted.preferences import Receiver
from tests.mailing import mailing, verify  # noqa: F401

pytestmark = pytest.mark.django_db
MATCHES = 8
PLAYERS = 2


def players(number):
    users = [User.objects.create_user(f"{name}{number}") for name in ("north", "south")]
    for user in users:
        add_verified_address(user, f"{user.username}@players.example")
    return users


def opened(number):
    one, other = players(number)
    match = opening.create_match(by=one, game="stratastar", options={"homeworld_choice": "random"})
    return opening.join_match(by=other, match=match)


def test_a_mail_of_a_batch_costs_few_statements(mailing, monkeypatch):  # noqa: F811
    """The first mails of eight matches, each with its picture, calendar entry and reply address."""
    monkeypatch.setattr(shared_reads, "LASTS", 3600.0)
    for number in range(MATCHES):
        opened(number)
    with CaptureQueriesContext(connection) as queries:
        assert delivery.sweep() == MATCHES * PLAYERS
    written = statements(queries)
    assert len(written) <= 12 * MATCHES * PLAYERS, "\n".join(sql[:150] for sql in written)
    assert set(Outbox.objects.values_list("status", flat=True)) <= {Status.SENT, Status.MERGED}


def test_a_mail_that_comes_in_costs_few_statements(mailing, monkeypatch):  # noqa: F811
    """An order from one player of each of eight matches, with its receipt: at the door, and in the worker."""
    matches = [opened(number) for number in range(MATCHES)]
    written = []
    for match in matches:
        question = Question.objects.get(match=match)
        seat = match.seats.get(index=question.seat)
        loaded = loading.load(match.id, match.game)
        key = uuid.uuid4()
        to = reply_addresses.reply_address(
            match=match, loaded=loaded, seat=seat.index, user=seat.user, key=key, question=question
        )
        written.append((f"{seat.user.username}@players.example", to))
    with CaptureQueriesContext(connection) as queries:
        for sender, to in written:
            assert isinstance(destinations.resolve(to), ReplyAddress)
            rates.check_any(destinations.resolve(to), sender, network="192.0.2.1")
    assert len(statements(queries)) <= 5 * MATCHES
    for sender, to in written:
        mailing.write("retool none\nEND\n\nOn Friday, a player wrote:\n> It is your turn.\n", to=to, sender=sender)
    with CaptureQueriesContext(connection) as queries:
        assert pipeline.work() == MATCHES
    # Nine and the claims. In a transaction the match is loaded once more after the append.
    assert len(statements(queries)) <= 10 * MATCHES + 4, "\n".join(sql[:150] for sql in statements(queries))
    assert {one.report["lines"][0]["state"] for one in InboundMail.objects.all()} == {"done"}
    assert Outbox.objects.filter(kind="receipt").count() == MATCHES


def test_a_match_that_cannot_be_read_stops_no_mail_about_others(mailing):  # noqa: F811
    matches = [opened(number) for number in range(3)]
    Match.objects.filter(pk=matches[1].pk).update(game="gone")
    delivery.sweep()
    about = {str(match.pk): set(Outbox.objects.filter(topic=match.pk).values_list("status", flat=True)) for match in matches}
    assert about.pop(str(matches[1].pk)) <= {Status.QUEUED, Status.MERGED}
    assert all(found <= {Status.SENT, Status.MERGED} for found in about.values())


def statements(queries):
    """Return the statements of a block without those for transactions, which are savepoints here."""
    return [sql for one in queries if "SAVEPOINT" not in (sql := one["sql"])]


@pytest.mark.parametrize("changed", ["muted", "stopped"])
def test_what_is_muted_while_its_mail_is_written_is_not_sent(anna, ben, mailing, monkeypatch, changed):  # noqa: F811
    verify(anna, ben)
    match = opening.create_match(by=anna, game="stratastar", options={"homeworld_choice": "random"})
    opening.join_match(by=ben, match=match)
    begin = claims.begin

    def meanwhile(row, **more):
        if changed == "muted":
            preferences.mute(Receiver(user_id=row.user_id), Scope.TOPIC, row.topic)
        else:
            Suppression.objects.get_or_create(address_hash=more["sent_to"], kind="")
        return begin(row, **more)

    monkeypatch.setattr(claims, "begin", meanwhile)
    assert delivery.sweep() == 0
    assert mailing.sink.messages == []
    rows = Outbox.objects.exclude(status=Status.MERGED)
    reasons = {error.partition(":")[0] for error in rows.values_list("error", flat=True)}
    expected = {"muted": "the receiver does not want it", "stopped": "mail to this address is stopped"}[changed]
    assert (set(rows.values_list("status", flat=True)), reasons) == ({Status.DROPPED}, {expected})
