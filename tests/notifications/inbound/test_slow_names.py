"""Name servers that do not answer delay the mail of their own domain and no other."""

from __future__ import annotations

from datetime import timedelta
from types import SimpleNamespace
from uuid import uuid4

import pytest
from django.utils import timezone
from dns.exception import Timeout
from dns.resolver import NXDOMAIN

from accounts.addresses import add_verified_address
from notifications.inbound import addresses, pipeline, purposes, store
from notifications.inbound.proving import authentication, names
from notifications.inbound.purposes import Handled
from notifications.models import InboundMail, MailStatus
from tests.mailing import mailing  # noqa: F401
from tests.notifications.inbound.signing import records, signed

pytestmark = pytest.mark.django_db

DEAD = "dead.example"


class Resolver:
    """A resolver with its own clock: questions about `dead` domains last until they time out; the rest is answered."""

    def __init__(self, *known: str) -> None:
        self.now, self.waited, self.dead, self.tardy, self.tardy_seconds = 1000.0, [], {DEAD}, set(), 4.0
        self._records = records([*known, DEAD])

    def resolve(self, name, kind, *, lifetime, search):
        if any(name.rstrip(".").endswith(domain) for domain in self.dead):
            self.waited.append((name, lifetime))
            self.now += lifetime
            raise Timeout
        if any(name.rstrip(".").endswith(domain) for domain in self.tardy):
            self.now += min(lifetime, self.tardy_seconds)
        text = self._records(name.encode())
        if text is None:
            raise NXDOMAIN
        return [SimpleNamespace(strings=[text])]


@pytest.fixture
def dns(monkeypatch, settings, mailing):  # noqa: F811
    settings.INBOUND_AUTH = "own"
    resolver = Resolver("players.example", "slow.example")
    module = names if hasattr(names, "resolve") else authentication
    monkeypatch.setattr(module, "resolve", resolver.resolve)
    monkeypatch.setattr(module, "time", SimpleNamespace(monotonic=lambda: resolver.now))
    names._silent.clear()
    names._unanswered.clear()
    return resolver


@pytest.fixture
def letters(monkeypatch, dns):
    """The texts that reach the handler, each with the seconds that DNS had taken by then."""
    got = []
    monkeypatch.setattr(purposes, "_handlers", {})
    purposes.register("turn", lambda letter: got.append((letter.text, dns.now - 1000)) or Handled({}))
    return got


@pytest.fixture
def write(mailing, dns):  # noqa: F811
    """A function that sends a mail from an address, signed by its domain, to a new reply address of a user."""

    def deliver(user, text: str, domain: str = "players.example", signers: tuple[str, ...] = ()) -> None:
        sender = f"{user.username}@{domain}"
        add_verified_address(user, sender)
        to = addresses.make("turn", key=uuid4(), user=user, expires_at=timezone.now() + timedelta(days=1), topic=str(uuid4()))
        raw = f"From: {sender}\r\nTo: {to}\r\nSubject: Re\r\nMessage-ID: <{uuid4()}@{domain}>\r\n\r\n{text}\r\n".encode()
        for signer in (domain, *signers):
            raw = signed(raw, signer)
        mailing.deliver(raw, to=to, sender=sender)

    return deliver


def again() -> None:
    """Process what waits, as if every pause was over."""
    InboundMail.objects.update(claimed_until=None)
    pipeline.work()


def test_a_key_that_is_too_long_is_not_used(dns, monkeypatch):
    """With a key of 66 KB one signature would take minutes of CPU."""
    found = [[b"v=DKIM1; k=rsa; p=" + b"A" * 66_000]]
    monkeypatch.setattr(names, "resolve", lambda *_, **__: [SimpleNamespace(strings=strings) for strings in found])
    assert names.Names(patient=True).key(b"s._domainkey.players.example") is None
    found.append([b"v=DKIM1; k=rsa; p=" + b"A" * 1404])
    assert names.Names(patient=True).key(b"s._domainkey.players.example") == b"v=DKIM1; k=rsa; p=" + b"A" * 1404


def test_mails_of_others_go_before_those_whose_domain_does_not_answer(anna, ben, player, write, letters, dns):
    for number in range(3):
        write(player(f"dead{number}"), "orders", DEAD)
    write(anna, "move A1")
    write(ben, "move B1")
    pipeline.work()
    assert [text for text, _ in letters] == ["move A1", "move B1"]
    assert letters[-1][1] <= 3 * names.FIRST_SECONDS
    assert InboundMail.objects.filter(status=MailStatus.WAITING).count() == 3


def test_fresh_mail_waits_for_one_slow_mail_at_most(anna, player, write, letters, dns, monkeypatch):
    for number in range(3):
        dns.dead.add(f"dead{number}.example")
        write(player(f"dead{number}"), "orders", f"dead{number}.example")
    pipeline.work()
    again()
    tried = store.begin

    def begin(mail):
        """While the first slow mail is processed, another one comes."""
        if not InboundMail.objects.filter(address__user=anna).exists():
            write(anna, "move A1")
        return tried(mail)

    monkeypatch.setattr(store, "begin", begin)
    before = dns.now - 1000
    again()
    [(text, cost)] = letters
    assert text == "move A1"
    assert cost - before < 2 * names._ONE_ANSWER, "each of the three slow mails takes one such answer"
    assert InboundMail.objects.filter(status=MailStatus.HELD).count() == 3


def test_the_name_servers_of_one_mail_take_less_than_ten_seconds(anna, write, letters, dns):
    """Its sender may have as many of them as they like, and have each answer late or never."""
    dns.dead = {f"dead{number}.example" for number in range(2)}
    dns.tardy = {f"tardy{number}.example" for number in range(2)}
    write(anna, "move A1", signers=tuple(sorted(dns.dead | dns.tardy)))
    pipeline.work()
    before = dns.now
    again()
    assert dns.now - before < 10


def test_the_first_tries_of_many_silent_domains_together_take_less_than_ten_seconds(anna, player, write, letters, dns):
    """Whoever has a domain of their own has as many as they like below it, and accounts with several addresses each."""
    for number in range(pipeline.BATCH - 1):
        dns.dead.add(f"dead{number}.example")
        write(player(f"dead{number}"), "orders", f"dead{number}.example")
    write(anna, "move A1")
    pipeline.work()
    [(text, cost)] = letters
    assert text == "move A1"
    assert cost < 10


def test_an_answer_that_came_late_does_not_wait_for_the_patient_tries_of_silent_domains(anna, player, write, letters, dns):
    for number in range(pipeline.BATCH - 1):
        dns.dead.add(f"dead{number}.example")
        write(player(f"dead{number}"), "orders", f"dead{number}.example")
    dns.tardy, dns.tardy_seconds = {"players.example"}, 2 * names.BRIEF_SECONDS
    write(anna, "move A1")
    pipeline.work()
    assert letters == []
    dns.tardy.clear()  # the resolver has got the answers meanwhile
    before = dns.now - 1000
    for _ in range(pipeline.BATCH):
        again()
        if letters:
            break
    [(text, cost)] = letters
    assert text == "move A1"
    assert cost - before < 10


def test_a_domain_is_waited_for_again_once_few_have_been_silent_for_a_while(anna, player, write, letters, dns):
    for number in range(5):
        write(player(f"dead{number}"), "orders", DEAD)
    pipeline.work()
    dns.now += names.LATELY_SECONDS
    dns.tardy, before = {"players.example"}, dns.now - 1000
    dns.tardy_seconds = names.FIRST_SECONDS / 4
    write(anna, "move A1")
    pipeline.work()
    [(text, cost)] = letters
    assert text == "move A1"
    assert cost - before > names.BRIEF_SECONDS


def test_a_domain_that_stays_silent_is_asked_in_full_once_and_its_mails_are_held(player, write, letters, dns):
    for number in range(4):
        write(player(f"dead{number}"), "orders", DEAD)
    pipeline.work()
    again()
    again()
    full = [name for name, lifetime in dns.waited if lifetime > names.FIRST_SECONDS]
    assert len(full) == 1
    assert {mail.error for mail in InboundMail.objects.all()} == {"unproved: dmarc=none"}
    assert InboundMail.objects.filter(status=MailStatus.HELD).count() == 4
    asked = len(dns.waited)
    write(player("dead5"), "orders", DEAD)
    pipeline.work()
    again()
    assert len(dns.waited) == asked


def test_a_domain_that_answers_at_the_second_try_is_believed(anna, write, letters, dns):
    dns.dead.add("slow.example")
    write(anna, "move A1", "slow.example")
    pipeline.work()
    assert letters == []
    dns.dead.remove("slow.example")
    again()
    assert [text for text, _ in letters] == ["move A1"]


def test_a_silent_domain_is_asked_again_after_a_while(anna, write, letters, dns):
    write(anna, "orders", DEAD)
    pipeline.work()
    again()
    dns.dead.clear()
    dns.now += names.SILENT_SECONDS + 1
    write(anna, "move A1", DEAD)
    pipeline.work()
    assert [text for text, _ in letters] == ["move A1"]


def test_the_silence_of_one_domain_speaks_for_no_other(anna, ben, write, letters, dns):
    """The other signatures of a mail use up its time, but an honest domain is still checked."""
    dns.tardy = {f"tardy{number}.example" for number in range(2)}
    dns.dead.add("players.example")
    write(ben, "orders", signers=tuple(sorted(dns.tardy)))
    pipeline.work()
    again()
    assert any(name.rstrip(".").endswith("players.example") for name, _ in dns.waited)
    dns.dead.remove("players.example")
    write(anna, "move A1")
    pipeline.work()
    assert [text for text, _ in letters] == ["move A1"]


def test_a_flood_of_one_writer_does_not_keep_a_slow_mail_from_its_second_try(anna, ben, write, letters, dns):
    dns.dead.add("slow.example")
    write(anna, "move A1", "slow.example")
    pipeline.work()
    dns.dead.remove("slow.example")
    for number in range(5):
        write(ben, f"move B{number}")
    again()
    assert [text for text, _ in letters].index("move A1") == 1
    assert len(letters) == 6
