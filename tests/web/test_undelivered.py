"""Bounced mails as a user and an organiser see them."""

from __future__ import annotations

import pytest
from django.urls import reverse

from accounts.addresses import add_verified_address
from gamesvc.matches.lobby import opening
from notifications.models import Bounce, Report, Source
from notifications.returned import suppression
from notifications.wanted.preferences import address_hash

pytestmark = pytest.mark.django_db


def came_back(user, report=Report.HARD, kind="your_turn"):
    suppression.weigh(
        Bounce.objects.create(
            key=f"{user.pk} {report}",
            user=user,
            kind=kind,
            address_hash=address_hash(f"{user.username}@players.example"),
            report=report,
            source=Source.SMTP,
            status="5.1.1",
            detail="550 5.1.1 <…@players.example> no such user",
        )
    )


@pytest.fixture
def match(anna, ben):
    for user in (anna, ben):
        add_verified_address(user, f"{user.username}@players.example")
    opened = opening.create_match(by=anna, game="stratastar")
    opening.join_match(by=ben, match=opened)
    return opened


def test_the_profile_tells_and_a_button_has_mail_sent_again(client, match, ben):
    client.force_login(ben)
    assert "come back" not in client.get(reverse("web:profile")).content.decode()
    came_back(ben)
    page = client.get(reverse("web:profile")).content.decode()
    assert "Mails to you come back" in page
    assert "550 5.1.1 &lt;…@players.example&gt; no such user" in page
    (stopped,) = suppression.of_user(ben)
    answer = client.post(reverse("web:send_again"), {"suppression": stopped.pk}, follow=True).content.decode()
    assert "Mail is sent to you again" in answer
    assert "Mails to you come back" not in answer
    assert suppression.unreachable([ben]) == set()


def test_a_complaint_names_the_kind(client, match, ben):
    came_back(ben, Report.COMPLAINT)
    client.force_login(ben)
    page = client.get(reverse("web:profile")).content.decode()
    assert "reported one of our mails as spam" in page
    assert "It is your turn" in page


@pytest.mark.parametrize("number", ["", "x", "9" * 30, "0"])
def test_nothing_is_lifted_that_is_not_there(client, match, ben, number):
    came_back(ben)
    client.force_login(ben)
    page = client.post(reverse("web:send_again"), {"suppression": number}, follow=True).content.decode()
    assert "Nothing was held back there." in page
    assert suppression.unreachable([ben]) == {ben.pk}


def test_nobody_lifts_anothers(client, match, anna, ben):
    came_back(ben)
    (stopped,) = suppression.of_user(ben)
    client.force_login(anna)
    client.post(reverse("web:send_again"), {"suppression": stopped.pk})
    assert suppression.unreachable([ben]) == {ben.pk}


def test_the_organiser_is_told_and_nobody_else(client, program, match, anna, ben):
    came_back(ben)
    seats = program(anna).get(f"/matches/{match.number}/").json()["seats"]
    assert [seat["unreachable"] for seat in seats] == [False, True]
    assert all("unreachable" not in seat for seat in program(ben).get(f"/matches/{match.number}/").json()["seats"])
    page = reverse("web:match", args=[match.number])
    client.force_login(anna)
    assert "no mail reaches" in client.get(page).content.decode()
    client.force_login(ben)
    shown = client.get(page).content.decode()
    assert "no mail reaches" not in shown
    assert "unreachable" not in shown


def test_who_has_no_proved_address_is_unreachable(program, anna, ben):
    opened = opening.create_match(by=anna, game="stratastar")
    opening.join_match(by=ben, match=opened)
    assert [seat["unreachable"] for seat in program(anna).get(f"/matches/{opened.number}/").json()["seats"]] == [True, True]


def test_who_has_just_signed_up_is_asked_to_confirm_the_address(client, anna, ben):
    """Nothing is said of mail that does not arrive: none was sent yet."""
    opened = opening.create_match(by=anna, game="stratastar")
    client.force_login(anna)
    page = client.get(reverse("web:match", args=[opened.number])).content.decode()
    assert "confirm your mail address" in page
    assert f'href="{reverse("account_email")}"' in page
    assert "no mail reaches" not in page
    opening.join_match(by=ben, match=opened)
    assert "has not confirmed a mail address yet" in client.get(reverse("web:match", args=[opened.number])).content.decode()
