"""Matches before their start: seats, invitations, bots, start, cancel, lapse; and their entries in the record."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.conf import settings
from django.test import Client
from django.utils import timezone

from accounts import addresses
from accounts.models import Throttle
from gamesvc.errors import TooMany
from gamesvc.games.kernel.dice import commitment, contribution
from gamesvc.games.kernel.game import Refused
from gamesvc.matches.access import daily_limits
from gamesvc.matches.lobby import invitations, opening
from gamesvc.matches.models import Match, Question
from gamesvc.matches.record import secrets
from gamesvc.matches.record.stream import STORE
from notifications.models import Outbox, Scope
from notifications.wanted import preferences

pytestmark = pytest.mark.django_db


def types(match):
    return [stored.type for stored in STORE.read(match.id)]


def test_the_first_event_commits_to_the_secret_before_any_seat_is_taken(toy, anna):
    match = opening.create_match(by=anna, game=toy, contribution_text="tea")
    first, second = STORE.read(match.id)
    assert first.type == "match.opened"
    secret = secrets.open_secret(match.key_id, match.sealed_secret, match.id)
    assert first.data["commitment"] == commitment(secret)
    assert second.type == "match.joined"
    assert second.data["contribution"] == contribution(str(match.id), "tea")
    assert "tea" not in str(second.data)
    assert set(second.data) == {"seat", "holder", "kind", "contribution"}


def test_a_match_starts_when_its_last_seat_is_taken(toy, anna, ben):
    match = opening.create_match(by=anna, game=toy)
    assert match.status == Match.Status.OPEN
    match = opening.join_match(by=ben, match=match)
    assert match.status == Match.Status.RUNNING
    assert types(match) == ["match.opened", "match.joined", "match.joined", "match.started", "toy.created", "toy.dealt"]
    assert match.version == 6
    [question] = Question.objects.filter(match=match)
    assert (question.seat, question.question) == (0, "turn0")
    assert question.due_at - question.asked_at == timedelta(hours=48)
    kinds = sorted(Outbox.objects.filter(topic=str(match.id)).values_list("kind", "user__username"))
    assert kinds == [("match_started", "anna"), ("match_started", "ben"), ("your_turn", "anna")]


def test_the_holder_is_another_random_id_in_each_match(toy, anna):
    holders = {STORE.read(opening.create_match(by=anna, game=toy).id)[1].data["holder"] for _ in range(3)}
    assert len(holders) == 3


@pytest.mark.parametrize(
    ("wrong", "code"),
    [
        ({"game": "chess"}, "unknown_game"),
        ({"seats": 3}, "bad_seats"),
        ({"options": {"points": 0}}, "bad_options"),
        ({"options": {"colour": "red"}}, "bad_options"),
        ({"hours": 0}, "bad_hours"),
        ({"entry": "sesame"}, "bad_entry"),
        ({"bots": {5: "random"}}, "bad_bots"),
        ({"bots": {1: "deep blue"}}, "bad_bots"),
        ({"bots": {0: "random", 1: "random"}}, "bad_bots"),
    ],
)
def test_a_match_that_does_not_fit_is_refused(toy, anna, wrong, code):
    with pytest.raises(Refused) as refused:
        opening.create_match(by=anna, **{"game": toy, **wrong})
    assert refused.value.code == code
    assert not Match.objects.exists()


def test_seats_are_taken_once(toy, anna, ben, player):
    match = opening.create_match(by=anna, game=toy)
    with pytest.raises(Refused, match="already"):
        opening.join_match(by=anna, match=match)
    with pytest.raises(Refused, match="Free seats: 1"):
        opening.join_match(by=ben, match=match, seat=0)
    opening.join_match(by=ben, match=match, seat=1)
    with pytest.raises(Refused, match="running"):
        opening.join_match(by=player("carl"), match=match)


def test_leaving_frees_the_seat_and_is_on_record(toy, anna, ben):
    match = opening.create_match(by=anna, game=toy, take_seat=False)
    match = opening.join_match(by=ben, match=match)
    match = opening.leave_match(by=ben, match=match)
    assert types(match)[-1] == "match.left"
    assert not match.seats.exclude(holder=None).exists()
    with pytest.raises(Refused, match="no seat"):
        opening.leave_match(by=ben, match=match)


def test_only_the_host_removes_starts_and_cancels(toy, anna, ben):
    match = opening.create_match(by=anna, game=toy, take_seat=False)
    opening.join_match(by=ben, match=match)
    for act in (
        lambda by: opening.remove_seat(by=by, match=match, seat=0),
        lambda by: opening.start_match(by=by, match=match, bot="random"),
        lambda by: opening.cancel_match(by=by, match=match),
    ):
        with pytest.raises(Refused) as refused:
            act(ben)
        assert refused.value.code == "not_host"
    opening.remove_seat(by=anna, match=match, seat=0)
    match = opening.cancel_match(by=anna, match=match)
    assert match.status == Match.Status.CANCELLED
    last = STORE.read(match.id)[-1]
    assert last.type == "match.ended"
    assert commitment(bytes.fromhex(last.data["secret"])) == STORE.read(match.id)[0].data["commitment"]


def test_bots_fill_the_seats(toy, anna):
    match = opening.create_match(by=anna, game=toy)
    with pytest.raises(Refused, match="Seats 1 are free"):
        opening.start_match(by=anna, match=match)
    match = opening.start_match(by=anna, match=match, bot="greedy")
    assert match.status == Match.Status.RUNNING
    assert list(match.seats.order_by("index").values_list("bot", flat=True)) == ["", "greedy"]


def test_invitations_by_name_and_address(toy, anna, ben, player):
    match = opening.create_match(by=anna, game=toy, entry="invited")
    with pytest.raises(Refused) as refused:
        opening.join_match(by=ben, match=match)
    assert refused.value.code == "not_invited"
    invitations.invite(by=anna, match=match, username="ben")
    with pytest.raises(Refused, match="already invited"):
        invitations.invite(by=anna, match=match, username="ben")
    with pytest.raises(Refused, match="no user"):
        invitations.invite(by=anna, match=match, username="nobody")
    with pytest.raises(Refused, match="not a mail address"):
        invitations.invite(by=anna, match=match, address="not an address")
    invitation, token = invitations.invite(by=anna, match=match, address="carl@elsewhere.example")
    assert Outbox.objects.filter(kind="invitation").count() == 2
    assert token not in str(list(Outbox.objects.values_list("payload", flat=True)))
    assert invitations.find_invitation(token) == invitation
    match = invitations.accept_invitation(by=player("carl"), token=token)
    assert match.status == Match.Status.RUNNING
    with pytest.raises(Refused):
        invitations.accept_invitation(by=ben, token=token)


def test_one_address_is_not_bombed(toy, player):
    for number in range(daily_limits.INVITATIONS_TO_ADDRESS_PER_DAY):
        host = player(f"host{number}")
        invitations.invite(by=host, match=opening.create_match(by=host, game=toy), address="victim@elsewhere.example")
    host = player("another")
    with pytest.raises(TooMany):
        invitations.invite(by=host, match=opening.create_match(by=host, game=toy), address="victim@elsewhere.example")


def test_no_single_user_uses_up_the_invitations_to_an_address(toy, anna, ben):
    def invite(by):
        invitations.invite(by=by, match=opening.create_match(by=by, game=toy), address="carl@elsewhere.example")

    for _ in range(daily_limits.INVITATIONS_TO_ONE_PER_DAY):
        invite(anna)
    with pytest.raises(TooMany):
        invite(anna)
    invite(ben)


def test_a_refused_invitation_is_not_counted(toy, anna, monkeypatch):
    monkeypatch.setattr(daily_limits, "INVITATIONS_PER_DAY", 1)
    match = opening.create_match(by=anna, game=toy)
    for refused in ({"username": "nobody"}, {"address": "no address"}, {}):
        with pytest.raises(Refused):
            invitations.invite(by=anna, match=match, **refused)
    invitations.invite(by=anna, match=match, address="carl@elsewhere.example")
    with pytest.raises(TooMany):
        invitations.invite(by=anna, match=match, address="dora@elsewhere.example")


@pytest.mark.parametrize(
    ("spelled", "plain", "other"),
    [
        ("Victim+{}@elsewhere.example", "victim@elsewhere.example", "vic.tim@elsewhere.example"),
        ("Vic.tim+{}@googlemail.com", "v.ictim@gmail.com", "victims@gmail.com"),
    ],
)
def test_one_mailbox_is_not_bombed_by_its_spellings(toy, player, spelled, plain, other):
    for number in range(daily_limits.INVITATIONS_TO_ADDRESS_PER_DAY):
        host = player(f"host{number}")
        match = opening.create_match(by=host, game=toy)
        invitations.invite(by=host, match=match, address=spelled.format(number))
    host = player("another")
    match = opening.create_match(by=host, game=toy)
    with pytest.raises(TooMany, match="several times today"):
        invitations.invite(by=host, match=match, address=plain)
    invitations.invite(by=host, match=match, address=other)


def test_one_user_is_not_bombed_by_another(toy, anna, ben, player):
    for _ in range(5):
        invitations.invite(by=anna, match=opening.create_match(by=anna, game=toy), username="ben")
    with pytest.raises(TooMany, match="You invited ben several times today"):
        invitations.invite(by=anna, match=opening.create_match(by=anna, game=toy), username="ben")
    host = player("host")
    invitations.invite(by=host, match=opening.create_match(by=host, game=toy), username="ben")


def test_what_a_user_has_muted_holds_for_an_invitation_to_their_address(toy, anna, ben):
    addresses.add_verified_address(ben, "ben@home.example")
    preferences.mute(preferences.Receiver(user_id=ben.pk), Scope.KIND, "invitation")
    match = opening.create_match(by=anna, game=toy)
    invitations.invite(by=anna, match=match, address="Ben@home.example")
    invitations.invite(by=anna, match=match, address="stranger@elsewhere.example")
    muted = {row.address: preferences.is_muted(row) for row in Outbox.objects.filter(kind="invitation")}
    assert muted == {"Ben@home.example": True, "stranger@elsewhere.example": False}


def test_matches_a_minute_are_limited(toy, anna):
    for _ in range(settings.MATCHES_PER_MINUTE):
        opening.create_match(by=anna, game=toy)
    with pytest.raises(TooMany):
        opening.create_match(by=anna, game=toy)


def test_matches_a_day_are_limited(toy, anna, settings):
    settings.MATCHES_PER_DAY = 2
    for _ in range(2):
        opening.cancel_match(by=anna, match=opening.create_match(by=anna, game=toy))
    with pytest.raises(TooMany, match="at most 2 matches and analysis boards a day") as refused:
        opening.create_match(by=anna, game=toy)
    assert "Try again in 24 hours." in refused.value.detail
    assert refused.value.retry_after > 86_000
    Throttle.objects.update(ends_at=timezone.now())
    opening.create_match(by=anna, game=toy)


def test_in_an_anonymous_match_nobody_learns_whom_others_have_invited(anna, ben, player):
    carl = player("carl")
    for anonymous in (True, False):
        match = opening.create_match(by=anna, game="stratastar", seats=3, entry="invited", anonymous=anonymous)
        invitations.invite(by=anna, match=match, username="ben")
        invitations.invite(by=anna, match=match, username="carl")
        opening.join_match(by=ben, match=match)
        if not anonymous:
            with pytest.raises(Refused, match="carl is already invited"):
                invitations.invite(by=ben, match=match, username="carl")
            continue
        invitations.invite(by=ben, match=match, username="carl")
        with pytest.raises(Refused, match="carl is already invited"):
            invitations.invite(by=ben, match=match, username="carl")
        opening.join_match(by=carl, match=match)
        assert not invitations.pending(carl, 10), "both are settled by one seat"


@pytest.mark.parametrize(("game", "seats"), [("toy", 2), ("stratastar", 3)], ids=["begun", "open"])
@pytest.mark.parametrize("invite", [{"username": "ben"}, {"address": "ben@elsewhere.example"}])
def test_in_an_anonymous_match_no_link_tells_its_sender_who_has_taken_a_seat(toy, anna, ben, player, invite, game, seats):
    carl, told = player("carl"), []
    for taken in (True, False):
        match = opening.create_match(by=anna, game=game, seats=seats, entry="public", anonymous=True)
        _invitation, token = invitations.invite(by=anna, match=match, **invite)
        if taken:
            invitations.accept_invitation(by=ben, token=token)
        else:
            opening.join_match(by=carl, match=match)
        told.append(said_of(token, anna))
    assert told[0] == told[1]


def said_of(token, user):
    """Return what a user is told on the page of an invitation who tries to take a seat by it."""
    client = Client()
    client.force_login(user)
    page = client.post(f"/invitations/{token}/")
    return page.status_code, [str(message) for message in page.context["messages"]]


def test_unfilled_matches_lapse(toy, anna):
    old = opening.create_match(by=anna, game=toy)
    young = opening.create_match(by=anna, game=toy)
    days = settings.MATCH_LAPSES_AFTER_DAYS + 1
    Match.objects.filter(pk=old.pk).update(created_at=timezone.now() - timedelta(days=days))
    assert opening.lapse_matches() == 1
    old.refresh_from_db()
    young.refresh_from_db()
    assert (old.status, young.status) == (Match.Status.LAPSED, Match.Status.OPEN)
    assert STORE.read(old.id)[-1].data["reason"] == "lapsed"


def test_an_invitation_that_seats_nobody_is_bound_to_nobody(toy, anna, ben):
    match = opening.create_match(by=anna, game=toy, entry="invited")
    _invitation, token = invitations.invite(by=anna, match=match, address="ben@elsewhere.example")
    with pytest.raises(Refused, match="already have a seat in this match"):
        invitations.accept_invitation(by=anna, token=token)
    assert invitations.accept_invitation(by=ben, token=token).status == Match.Status.RUNNING


def test_only_the_host_and_players_invite_and_only_before_the_start(toy, anna, ben, player):
    match = opening.create_match(by=anna, game=toy)
    with pytest.raises(Refused, match="Only the host"):
        invitations.invite(by=ben, match=match, address="carl@elsewhere.example")
    opening.join_match(by=ben, match=match)
    with pytest.raises(Refused, match="no longer open"):
        invitations.invite(by=ben, match=match, address="carl@elsewhere.example")
