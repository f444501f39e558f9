"""Sign-up, sign-in, forgotten password and addresses, through the pages of django-allauth with our settings."""

import io
import re
import threading
from datetime import timedelta
from pathlib import Path

import allauth
import pytest
from allauth.account.models import EmailAddress
from django.contrib.auth.hashers import get_hasher
from django.core import mail
from django.core.cache import cache
from django.core.mail.backends.locmem import EmailBackend
from django.core.management import CommandError, call_command
from django.test import Client
from django.utils import timezone

from accounts.addresses import add_verified_address
from accounts.models import User
from accounts.signing_in import adapter
from accounts.signing_in.forms import SignupForm
from gamesvc.games.kernel.wording import SEAT_NAMES

PASSWORD = "correct horse battery"  # noqa: S105


@pytest.fixture(autouse=True)
def _plain_pages(settings, db):
    """Use allauth's own pages. Tests of the pages cover the look of ours."""
    settings.ROOT_URLCONF = "tests.accounts.urls"
    template = dict(settings.TEMPLATES[0], DIRS=[Path(allauth.__file__).parent / "templates"], APP_DIRS=True)
    settings.TEMPLATES = [template]
    settings.CACHES = {"default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache", "LOCATION": "signup"}}
    settings.EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
    settings.MAIL_DOMAIN = "games.example"
    cache.clear()


def sign_up(client, name="ann", address="ann@players.example", password=PASSWORD):
    return client.post("/accounts/signup/", {"username": name, "email": address, "password1": password})


def link_in(message):
    return re.search(r"https?://[^/\s]+(/accounts/\S+)", message.body)[1]


def who(client):
    return client.get("/").content.decode()


def confirmed(client):
    sign_up(client)
    client.post(link_in(mail.outbox[-1]))
    client.post("/accounts/logout/")


def test_sign_up_needs_the_address_proved(client):
    assert sign_up(client).status_code == 302
    user = User.objects.get()
    assert (user.username, user.email, user.timezone, user.language) == ("ann", "ann@players.example", "UTC", "en")
    assert who(client) == ""
    (message,) = mail.outbox
    assert message.to == ["ann@players.example"]
    assert message.extra_headers["Auto-Submitted"] == "auto-generated"
    client.post("/accounts/login/", {"login": "ann", "password": PASSWORD})
    assert who(client) == "", "not before the address is proved"
    link = link_in(message)
    client.get(link)
    assert not EmailAddress.objects.get().verified, "a link scanner only looks"
    client.post(link)
    assert EmailAddress.objects.get().verified


def test_who_signs_up_for_something_is_led_there(client):
    """What a visitor wanted to do is not lost over the mail that proves their address."""
    wanted = "/new/space_fleet_commander/now"
    body = {"username": "ann", "email": "ann@players.example", "password1": PASSWORD, "next": wanted}
    client.post("/accounts/signup/", body)
    answer = client.post(link_in(mail.outbox[-1]))
    assert (answer.status_code, answer["Location"]) == (302, wanted)
    assert who(client) == "ann"


def test_a_link_signs_in_nobody_but_who_signed_up(client):
    sign_up(client)
    elsewhere = Client()
    answer = elsewhere.post(link_in(mail.outbox[-1]))
    assert (answer.status_code, answer["Location"]) == (302, "/accounts/login/")
    assert (who(elsewhere), who(client)) == ("", "")
    assert EmailAddress.objects.get().verified
    client.post("/accounts/logout/")
    sign_up(client, name="bea", address="bea@players.example")
    sign_up(elsewhere, name="cy", address="cy@players.example")
    client.post(link_in(mail.outbox[-1]))
    assert who(client) == "", "the link of another who signed up"


def test_who_signs_up_is_not_led_to_another_site(client):
    body = {"username": "ann", "email": "ann@players.example", "password1": PASSWORD, "next": "https://evil.example/"}
    client.post("/accounts/signup/", body)
    assert client.post(link_in(mail.outbox[-1]))["Location"] == "/"


def test_an_account_begins_in_the_browsers_language_and_its_mails_stay_in_it(client):
    client.post(
        "/accounts/signup/",
        {"username": "bea", "email": "bea@players.example", "password1": PASSWORD},
        headers={"Accept-Language": "de-AT,de;q=0.9,en;q=0.5"},
    )
    assert User.objects.get().language == "de"
    client.post("/accounts/password/reset/", {"email": "bea@players.example"}, headers={"Accept-Language": "en"})
    assert [("Hallo" in message.body) for message in mail.outbox] == [True, True]
    client.post(
        "/accounts/signup/", {"username": "cy", "email": "cy@players.example", "password1": PASSWORD}, HTTP_ACCEPT_LANGUAGE="fr"
    )
    assert User.objects.get(username="cy").language == "en"
    assert "Hello" in mail.outbox[-1].body


@pytest.mark.parametrize("login", ["ann", "ANN", "ann@players.example", "Ann@Players.example"])
def test_sign_in_by_name_or_address(client, login):
    confirmed(client)
    client.post("/accounts/login/", {"login": login, "password": PASSWORD})
    assert who(client) == "ann"


@pytest.fixture
def hashed(monkeypatch):
    """The passwords that were hashed."""
    hasher, words = type(get_hasher()), []
    hashing = hasher.encode
    monkeypatch.setattr(hasher, "encode", lambda self, word, *more: words.append(word) or hashing(self, word, *more))
    return words


def test_a_sign_up_hashes_once_whether_or_not_the_address_is_known(client, hashed):
    """Or the time it takes would tell strangers."""
    confirmed(client)
    for name, address in (("bea", "bea@players.example"), ("cy", "ann@players.example")):
        hashed.clear()
        assert sign_up(Client(), name, address).status_code == 302
        assert hashed == [PASSWORD]


@pytest.mark.parametrize("password", ["wrong", PASSWORD])
@pytest.mark.parametrize("login", ["ann", "ann@players.example", "nobody", "nobody@players.example"])
def test_a_sign_in_hashes_once_whether_or_not_the_account_exists(client, hashed, login, password):
    """Or the time it takes would tell strangers; and each hash keeps a processor busy for a third of a second."""
    confirmed(client)
    hashed.clear()
    client.post("/accounts/login/", {"login": login, "password": password})
    assert who(client) == ("ann" if login.startswith("ann") and password == PASSWORD else "")
    assert hashed == [password]


def test_a_user_proves_their_password_although_their_address_is_now_that_of_another_account(client):
    confirmed(client)
    client.post("/accounts/login/", {"login": "ann", "password": PASSWORD})
    EmailAddress.objects.filter(user__username="ann").update(verified=False)
    other = User.objects.create_user("bea", "ann@players.example", "another long one")
    EmailAddress.objects.create(user=other, email="ann@players.example", verified=True, primary=True)
    for password, proved in (("another long one", False), (PASSWORD, True)):
        answer = client.post("/accounts/reauthenticate/", {"password": password, "next": "/accounts/email/"})
        assert (answer.status_code == 302) == proved


class Waiting(EmailBackend):
    """A mail server that takes its time."""

    goes_on = threading.Event()
    taken = threading.Event()

    def send_messages(self, messages):
        assert self.goes_on.wait(60)
        sent = super().send_messages(messages)
        self.taken.set()
        return sent


def test_nobody_waits_for_the_mail_about_a_forgotten_password(client, settings, monkeypatch):
    """Or the time it takes would tell strangers whose address is known."""
    confirmed(client)
    mail.outbox.clear()
    monkeypatch.undo()
    settings.EMAIL_BACKEND = "tests.accounts.test_signup.Waiting"
    for address in ("ann@players.example", "nobody@players.example"):
        assert client.post("/accounts/password/reset/", {"email": address}).status_code == 302
    assert mail.outbox == []
    Waiting.goes_on.set()
    assert Waiting.taken.wait(60)
    assert [message.to for message in mail.outbox] == [["ann@players.example"]]


def test_a_mail_server_that_is_away_does_not_tell_whose_address_is_known(client, settings):
    confirmed(client)
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", 1
    for name in ("ann", "nobody"):
        page = Client().post("/accounts/password/reset/", {"email": f"{name}@players.example"}, follow=True)
        assert list(page.context["messages"]) == []


def test_forgotten_password(client):
    confirmed(client)
    client.post("/accounts/password/reset/", {"email": "ann@players.example"})
    page = client.get(link_in(mail.outbox[-1]), follow=True)
    client.post(page.redirect_chain[-1][0], {"password1": "another long one", "password2": "another long one"})
    client.post("/accounts/login/", {"login": "ann", "password": "another long one"})
    assert who(client) == "ann"


def test_a_player_whom_the_operator_added_is_known_by_their_address_however_it_was_written(client):
    call_command("player", "ann", "Ann@Players.Example", "--password", PASSWORD, stdout=io.StringIO())
    client.post("/accounts/login/", {"login": "Ann@players.example", "password": PASSWORD})
    assert who(client) == "ann"
    Client().post("/accounts/password/reset/", {"email": "Ann@Players.Example"})
    assert [message.to for message in mail.outbox] == [["ann@players.example"]]
    with pytest.raises(CommandError, match="the address of another player"):
        call_command("player", "bea", "ann@players.example", stdout=io.StringIO())
    assert User.objects.count() == 1


def test_links_in_mails_lead_to_our_address_whatever_host_was_asked(client, settings):
    """A stranger can ask for the mail of another user, and chooses the Host of that request: at least its port."""
    settings.BASE_URL = "https://games.example.org"
    settings.ALLOWED_HOSTS = ["*"]
    confirmed(client)
    mail.outbox.clear()
    cache.clear()  # the counts of mails to this address
    asked = {"headers": {"Host": "evil.example:4444"}}
    client.post("/accounts/password/reset/", {"email": "ann@players.example"}, **asked)
    signing_up = {"username": "bea", "email": "ann@players.example", "password1": PASSWORD}
    Client().post("/accounts/signup/", signing_up, **asked)
    Client().post("/accounts/signup/", signing_up | {"username": "cy", "email": "cy@players.example"}, **asked)
    assert len(mail.outbox) == 3
    for message in mail.outbox:
        assert "evil.example" not in message.subject + message.body
        assert "https://games.example.org/accounts/" in message.body


@pytest.mark.parametrize("following", ["http://localhost/matches/", "http://127.0.0.1:9000/", "//localhost/"])
def test_signing_in_leads_to_no_other_site(client, following):
    """`ALLOWED_HOSTS` lists more hosts than ours: those of the user's own computer, for instance."""
    confirmed(client)
    answer = client.post("/accounts/login/", {"login": "ann", "password": PASSWORD, "next": following})
    assert answer.url == "/"


def test_a_forgotten_password_tells_strangers_nothing(client):
    confirmed(client)
    before = len(mail.outbox)
    unknown = client.post("/accounts/password/reset/", {"email": "nobody@players.example"})
    known = client.post("/accounts/password/reset/", {"email": "ann@players.example"})
    assert (unknown.status_code, unknown.url) == (known.status_code, known.url)
    assert [message.to for message in mail.outbox[before:]] == [["ann@players.example"]]


def while_checked(monkeypatch, form, meanwhile):
    """Let something happen once after a form is found valid, before what it asks for is done."""
    waiting, clean = [meanwhile], form.clean

    def cleaned(self):
        result = clean(self)
        while waiting:
            waiting.pop()()
        return result

    monkeypatch.setattr(form, "clean", cleaned)


def test_a_sign_up_sent_twice_at_once_is_one(client, monkeypatch):
    while_checked(monkeypatch, SignupForm, lambda: sign_up(Client()))
    assert sign_up(client).url == "/accounts/confirm-email/"
    assert User.objects.count() == 1
    assert len(mail.outbox) == 1


def test_of_two_who_take_a_name_at_once_one_has_to_take_another(client, monkeypatch):
    while_checked(monkeypatch, SignupForm, lambda: sign_up(Client(), name="Ann", address="other@players.example"))
    answer = sign_up(client)
    assert answer.status_code == 200
    assert "already exists" in answer.content.decode()
    assert User.objects.get().email == "other@players.example"


def add_address(client, address="ann@mistyped.example"):
    client.post("/accounts/login/", {"login": "ann", "password": PASSWORD})
    client.post("/accounts/reauthenticate/", {"password": PASSWORD})
    client.post("/accounts/email/", {"action_add": "", "email": address})
    assert mail.outbox[-1].to == [address]
    return link_in(mail.outbox[-1])


def test_no_password_is_given_by_way_of_an_address_that_is_not_verified(client, monkeypatch):
    """It may have been mistyped: whoever has it would take over the account."""
    monkeypatch.setattr("accounts.signing_in.adapter.later", lambda post: post())
    confirmed(client)
    add_address(client)
    mail.outbox.clear()
    for address, sent in (("Ann@mistyped.example", 0), ("Ann@players.example", 1)):
        assert Client().post("/accounts/password/reset/", {"email": address}).status_code == 302
        assert len(mail.outbox) == sent


def test_without_a_verified_address_the_one_of_the_sign_up_gives_a_new_password(client, monkeypatch):
    monkeypatch.setattr("accounts.signing_in.adapter.later", lambda post: post())
    sign_up(client)
    mail.outbox.clear()
    Client().post("/accounts/password/reset/", {"email": "ann@players.example"})
    assert [message.to for message in mail.outbox] == [["ann@players.example"]]


def test_a_further_address_is_confirmed_by_the_user_who_added_it(client):
    confirmed(client)
    link = add_address(client)
    stranger = Client()
    assert stranger.get(link).status_code == 200
    answer = stranger.post(link)
    assert (answer.status_code, answer.url.partition("?")[0]) == (302, "/accounts/login/")
    assert not EmailAddress.objects.get(email="ann@mistyped.example").verified
    assert client.post(link).status_code == 302
    assert EmailAddress.objects.get(email="ann@mistyped.example").verified


def test_who_adds_an_address_of_others_keeps_them_out_of_nothing(client):
    """An address that is only added got no sign-up, no new password, and no mail that told its owner why."""
    confirmed(client)
    add_address(client, "ben@players.example")
    cache.clear()  # one mail to an address within three minutes
    ben = Client()
    assert sign_up(ben, "ben", "Ben@players.example").status_code == 302
    assert mail.outbox[-1].subject == "Please Confirm Your Email Address"
    ben.post(link_in(mail.outbox[-1]))
    assert who(ben) == "ben"
    assert EmailAddress.objects.get(email="ben@players.example", verified=True).user.username == "ben"
    cache.clear()
    sign_up(Client(), "ben2", "ben@players.example")
    assert not User.objects.filter(username="ben2").exists(), "his now"
    Client().post("/accounts/login/", {"login": "ben@players.example", "password": PASSWORD})
    Client().post("/accounts/password/reset/", {"email": "ben@players.example"})
    assert "/accounts/password/reset/key/" in mail.outbox[-1].body
    assert mail.outbox[-1].to == ["ben@players.example"]


def test_one_account_makes_us_write_to_few_strangers_a_day(client):
    """By the limit of changes alone one account could have 14,400 mails sent a day, to addresses of its choice."""
    confirmed(client)
    add_address(client, "a0@strangers.example")
    for number in range(1, 30):
        cache.clear()  # the limit of changes, a minute later
        client.post("/accounts/email/", {"action_remove": "", "email": f"a{number - 1}@strangers.example"})
        client.post("/accounts/email/", {"action_add": "", "email": f"a{number}@strangers.example"})
    assert EmailAddress.objects.filter(email="a29@strangers.example").exists()
    assert len([message for message in mail.outbox if message.to[0].endswith("@strangers.example")]) == 20
    assert Client().post("/accounts/password/reset/", {"email": "ann@players.example"}).status_code == 302


@pytest.mark.parametrize("spelled", ["ann+{number}@players.example", "{before}.{after}@gmail.com"])
def test_the_spellings_of_a_mailbox_get_no_more_mails_than_one_address(client, spelled):
    """By the limit of sign-ups one network could have 480 mails a day sent to a stranger."""
    confirmed(client)
    asked, name = len(mail.outbox), "bartholomewsmith"
    for number in range(15):
        cache.clear()  # the limit of sign-ups, an hour later
        address = spelled.format(number=number, before=name[: number + 1], after=name[number + 1 :])
        sign_up(Client(), name=f"eve{number}", address=address.title())
        Client().post("/accounts/password/reset/", {"email": address})
    sent = [message.subject for message in mail.outbox[asked:]]
    assert max(sent.count(subject) for subject in sent) <= 10, sent
    cache.clear()
    asked = len(mail.outbox)
    Client().post("/accounts/password/reset/", {"email": "ann@players.example"})
    assert [message.to for message in mail.outbox[asked:]] == [["ann@players.example"]], "the owner's link is not used up"


def test_a_taken_address_tells_its_owner_only(client):
    confirmed(client)
    answer = sign_up(client, name="eve")
    assert answer.status_code == 302
    assert mail.outbox[-1].to == ["ann@players.example"]
    assert not EmailAddress.objects.filter(user__username="eve", verified=True).exists()


@pytest.mark.parametrize(
    ("name", "address", "password"),
    [
        ("ann eve", "a@players.example", PASSWORD),
        ("admin", "a@players.example", PASSWORD),
        ("Operators", "a@players.example", PASSWORD),
        ("gamesvc", "a@players.example", PASSWORD),
        ("mailer-daemon", "a@players.example", PASSWORD),
        ("erased-1", "a@players.example", PASSWORD),
        ("Blue", "a@players.example", PASSWORD),
        ("Alle", "a@players.example", PASSWORD),
        ("17", "a@players.example", PASSWORD),
        ("a-07", "a@players.example", PASSWORD),
        ("free-Casino.COM", "a@players.example", PASSWORD),
        ("www.ann.co.uk", "a@players.example", PASSWORD),
        ("ann.de_2", "a@players.example", PASSWORD),
        ("ann", "not an address", PASSWORD),
        ("ann", "Play@gamesvc.example", PASSWORD),
        ("ann", "a@players.example", "password"),
        ("ann", "a@players.example", "x"),
    ],
)
def test_refused(client, name, address, password):
    assert sign_up(client, name, address, password).status_code == 200
    assert not User.objects.exists()
    assert mail.outbox == []


@pytest.mark.parametrize("name", ["Ann.Smith", "a.b.c", "com", "ann_com", "ann.2"])
def test_names_that_nobody_takes_for_web_addresses(client, name):
    sign_up(client, name)
    assert User.objects.get().username == name


@pytest.mark.parametrize("colour", SEAT_NAMES)
def test_colours_of_seats_are_no_names(client, colour):
    assert sign_up(client, colour).status_code == 200
    assert not User.objects.exists()


def test_names_differ_by_more_than_case(client):
    sign_up(client)
    assert sign_up(client, "ANN", "other@players.example").status_code == 200
    assert User.objects.count() == 1


def test_several_addresses(client):
    confirmed(client)
    client.post("/accounts/login/", {"login": "ann", "password": PASSWORD})
    prove(client, {"action_add": "", "email": "second@players.example"})
    assert mail.outbox[-1].to == ["second@players.example"]
    client.post(link_in(mail.outbox[-1]))
    assert EmailAddress.objects.filter(user__username="ann", verified=True).count() == 2


def test_a_link_of_another_account_signs_nobody_out(client):
    sign_up(client, name="eve", address="eve@players.example")
    link = link_in(mail.outbox[-1])
    confirmed(client)
    client.post("/accounts/login/", {"login": "ann", "password": PASSWORD})
    assert client.get(link).status_code == 200
    assert who(client) == "ann"
    client.post(link)
    assert who(client) == "ann"
    assert EmailAddress.objects.get(email="eve@players.example").verified


def prove(client, change):
    """Change addresses: nothing is done until the password is given, and then what was asked for."""
    mails = len(mail.outbox)
    asked = client.post("/accounts/email/", change)
    assert asked["Location"].startswith("/accounts/reauthenticate/")
    assert client.post(asked["Location"], {"password": "wrong"}).status_code == 200
    assert len(mail.outbox) == mails
    client.post(asked["Location"], {"password": PASSWORD})


@pytest.mark.parametrize("change", ["action_primary", "action_remove"])
def test_an_open_browser_alone_changes_no_address(client, change):
    confirmed(client)
    user = User.objects.get(username="ann")
    first = user.emailaddress_set.get()
    second = EmailAddress.objects.create(user=user, email="second@players.example", verified=True)
    client.post("/accounts/login/", {"login": "ann", "password": PASSWORD})

    def addresses():
        return set(EmailAddress.objects.filter(user=user).values_list("email", "primary"))

    before = addresses()
    asked = client.post("/accounts/email/", {change: "", "email": second.email})
    assert asked["Location"].startswith("/accounts/reauthenticate/")
    assert addresses() == before == {(first.email, True), (second.email, False)}
    client.post(asked["Location"], {"password": PASSWORD})
    assert addresses() != before


def test_guessing_is_slowed(client):
    confirmed(client)
    for _ in range(6):
        client.post("/accounts/login/", {"login": "ann", "password": "wrong"})
    client.post("/accounts/login/", {"login": "ann", "password": PASSWORD})
    assert who(client) == ""


def test_mass_sign_up_is_stopped(client):
    statuses = [sign_up(client, f"user{number}", f"user{number}@players.example").status_code for number in range(21)]
    assert statuses == [302] * 20 + [429]


@pytest.mark.parametrize(("hours", "mails"), [(0, 5), (1, 10), (2, 10)])
def test_one_address_is_not_flooded(client, settings, monkeypatch, hours, mails):
    settings.ACCOUNT_RATE_LIMITS = False
    confirmed(client)
    began = timezone.now()
    for hour in range(hours + 1):
        monkeypatch.setattr(timezone, "now", lambda late=timedelta(hours=hour, minutes=1): began + late)
        for _ in range(15):
            client.post("/accounts/password/reset/", {"email": "ann@players.example"})
    resets = [message for message in mail.outbox if message.to == ["ann@players.example"] and "/password/reset/" in message.body]
    assert len(resets) == mails


def test_a_mail_server_that_is_away_is_told(client, settings):
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", 1
    answer = client.post(
        "/accounts/signup/", {"username": "ann", "email": "ann@players.example", "password1": PASSWORD}, follow=True
    )
    assert answer.status_code == 200
    assert "could not be sent" in " ".join(str(message) for message in answer.context["messages"])
    assert User.objects.filter(username="ann").exists()


@pytest.mark.parametrize(("zone", "kept"), [("Europe/Berlin", "Europe/Berlin"), ("Mars/Olympus", "UTC"), ("", "UTC")])
def test_sign_up_takes_the_time_zone_of_the_browser(client, zone, kept):
    assert 'name="timezone"' in client.get("/accounts/signup/").content.decode()
    posted = {"username": "ann", "email": "ann@players.example", "password1": PASSWORD, "timezone": zone}
    assert client.post("/accounts/signup/", posted).status_code == 302
    assert User.objects.get().timezone == kept


@pytest.mark.parametrize("known", [True, False])
def test_who_asks_for_too_many_links_is_told_so_and_not_whose_the_address_is(monkeypatch, player, known):
    """Mails that their receivers had no room for did not count, so the limit told which address has an account."""
    monkeypatch.setattr(adapter, "MAILS_PER_NETWORK_AND_DAY", 12)
    if known:
        add_verified_address(player("cora"), "cora@players.example")

    def ask(address):
        return Client().post("/accounts/password/reset/", {"email": address}, follow=True).content.decode()

    cache.clear()
    for number in range(11):  # the mailbox has had all of a day
        assert "from your network today" not in ask(f"cora+{number}@players.example")
    assert "from your network today" not in ask("cora@players.example")
    assert "from your network today" in ask("cora@players.example")


def test_one_network_mails_so_many_people_a_day(monkeypatch):
    """Each sign-up leaves an address that can be written to again, day by day: after a week there are thousands."""
    monkeypatch.setattr(adapter, "MAILS_PER_NETWORK_AND_DAY", 3)
    for number in range(5):
        sign_up(Client(), f"user{number}", f"user{number}@players.example")
    assert len(mail.outbox) == 3
    sign_up(Client(REMOTE_ADDR="198.51.100.7"), "cora", "cora@players.example")
    assert [message.to for message in mail.outbox[3:]] == [["cora@players.example"]]


def test_a_network_that_may_ask_for_no_more_mails_keeps_no_owner_from_a_new_password(monkeypatch, player):
    """Its tries counted for the address before they were refused: five an hour, and no mail left for anybody."""
    add_verified_address(player("cora"), "cora@players.example")
    monkeypatch.setattr(adapter, "MAILS_PER_NETWORK_AND_DAY", 1)
    stranger = Client(REMOTE_ADDR="198.51.100.7")
    stranger.post("/accounts/password/reset/", {"email": "nobody@players.example"})
    for _ in range(5):
        stranger.post("/accounts/password/reset/", {"email": "cora@players.example"})
    assert mail.outbox == []
    Client().post("/accounts/password/reset/", {"email": "cora@players.example"})
    assert [message.to for message in mail.outbox] == [["cora@players.example"]]


@pytest.mark.parametrize("tries", [1, 12])
def test_who_adds_an_address_to_their_account_keeps_nobody_from_signing_up_with_it(client, settings, monkeypatch, tries):
    """Each try counted for the address, also those beyond the mails of its user, and no mail went to anybody else."""
    monkeypatch.setattr(adapter, "ADDRESSES_PER_DAY", 1)
    settings.ACCOUNT_RATE_LIMITS = {**settings.ACCOUNT_RATE_LIMITS, "manage_email": ""}
    sign_up(client, name="eve", address="eve@players.example")
    client.post(link_in(mail.outbox[-1]))
    client.post("/accounts/login/", {"login": "eve", "password": PASSWORD})
    prove(client, {"action_add": "", "email": "cora@players.example"})
    for _ in range(tries):
        client.post("/accounts/email/", {"action_send": "", "email": "cora@players.example"})
    cora = Client(REMOTE_ADDR="198.51.100.7")
    sign_up(cora, name="cora", address="cora@players.example")
    assert [message.to for message in mail.outbox[1:]] == [["cora@players.example"]] * 2
    cora.post(link_in(mail.outbox[-1]))
    assert EmailAddress.objects.get(user__username="cora").verified
