"""The client address behind a proxy: for limits, for the audit trail, and against forged headers."""

from __future__ import annotations

import re
from collections.abc import Iterator
from ipaddress import ip_address
from pathlib import Path

import pytest
from allauth.mfa.recovery_codes.internal.auth import RecoveryCodes
from allauth.mfa.totp.internal.auth import TOTP, generate_totp_secret
from django.core import checks
from django.core.cache import cache
from django.core.exceptions import ImproperlyConfigured
from django.test import Client, RequestFactory

from accounts import network
from accounts.addresses import add_verified_address
from accounts.models import SignIn, User

DEPLOY = Path(__file__).resolve().parents[2] / "deploy"
PASSWORD = "a long password"  # noqa: S105


def directives(block: str) -> list[list[str]]:
    """Return the directives of an nginx block as lists of words, nested blocks included."""
    words = re.findall(r"[^\s{};]+|[{};]", re.sub(r"#.*", "", block))
    found, line = [], []
    for word in words:
        if word in "{};":
            found.append(line)
            line = []
        else:
            line.append(word)
    return [line for line in found if line]


def locations() -> dict[str, list[list[str]]]:
    """Return the locations of the delivered proxy with their directives."""
    text = (DEPLOY / "nginx.conf").read_text(encoding="utf-8")
    found = re.findall(r"^ *location ([^\n]+) \{$(.*?)^    \}$", text, re.DOTALL | re.MULTILINE)
    assert len(found) == len(re.findall(r"^\s*location\b", text, re.MULTILINE)), "each location is read"
    return {name: directives(body) for name, body in found}


def delivered(name: str) -> str:
    """Return a setting of the delivered environment file."""
    lines = (DEPLOY / "gamesvc.env").read_text(encoding="utf-8").splitlines()
    return dict(line.split("=", 1) for line in lines)[name]


class Behind:
    """A browser behind the delivered nginx: requests have the headers that its file sets, and its address."""

    def __init__(self, address: str, **headers: str) -> None:
        self.client = Client()
        variables = {"$remote_addr": address, "$scheme": "https", "$host": "testserver"}
        self.headers = dict(headers)
        for words in locations()["/"]:
            if words[0] == "proxy_set_header":
                self.headers[words[1]] = variables[words[2]]

    def post(self, path: str, body: dict[str, str]):
        return self.client.post(path, body, headers=self.headers, REMOTE_ADDR="127.0.0.1")

    def sign_in(self, name: str, password: str) -> bool:
        self.post("/accounts/login/", {"login": name, "password": password})
        return "_auth_user_id" in self.client.session

    def give_code(self, code: str) -> bool:
        self.post("/accounts/2fa/authenticate/", {"code": code})
        return "_auth_user_id" in self.client.session

    def sign_in_with_code(self, name: str, code: str) -> bool:
        assert not self.sign_in(name, PASSWORD), "the second factor is missing"
        return self.give_code(code)


def _codes(user: User) -> Iterator[str]:
    """Turn the second factor of a user on, and return its codes for once."""
    TOTP.activate(user, generate_totp_secret())
    return iter(RecoveryCodes.activate(user).get_unused_codes())


@pytest.fixture(autouse=True)
def _as_delivered(settings, db):
    settings.TRUSTED_PROXIES = delivered("TRUSTED_PROXIES").split(",")
    cache.clear()


@pytest.fixture
def ann(player):
    user = player("ann")
    add_verified_address(user, "ann@players.example")
    return user


def test_wrong_passwords_of_one_client_do_not_lock_others_out(ann):
    for number in range(12):
        assert not Behind("192.0.2.1").sign_in(f"name{number}", "wrong")
    assert not Behind("192.0.2.1").sign_in("ann", PASSWORD), "this client has used its minute up"
    assert Behind("192.0.2.2").sign_in("ann", PASSWORD)


def test_wrong_passwords_of_a_neighbour_do_not_stop_who_has_signed_in_before(ann):
    """Behind one address there may be a whole university."""
    own = Behind("192.0.2.7")
    assert own.sign_in("ann", PASSWORD)
    own.post("/accounts/logout/", {})
    for number in range(40):
        Behind("192.0.2.1").sign_in(f"name{number}", "wrong")
        Behind("192.0.2.1").sign_in("ann", "wrong")
    assert not Behind("192.0.2.1").sign_in("ann", PASSWORD)
    own.headers["X-Forwarded-For"] = "192.0.2.1"
    for name in ("ANN ", "ann@players.example"):
        assert own.sign_in(name, PASSWORD)
        own.post("/accounts/logout/", {})


def test_wrong_passwords_of_a_neighbour_do_not_stop_the_second_factor_of_who_has_signed_in_before(ann):
    own, unknown, codes = Behind("192.0.2.1"), Behind("192.0.2.1"), _codes(ann)
    assert own.sign_in_with_code("ann", next(codes))
    own.post("/accounts/logout/", {})
    for browser in (own, unknown):
        browser.sign_in("ann", PASSWORD)
    for number in range(12):
        Behind("192.0.2.1").sign_in(f"name{number}", "wrong")
    assert not unknown.give_code(next(codes)), "a browser that is not known has the tries of its network"
    assert own.give_code(next(codes))
    own.post("/accounts/logout/", {})
    assert own.sign_in_with_code("ann", next(codes))


def test_a_browser_that_is_known_guesses_no_more_codes_than_another(ann):
    own, codes = Behind("192.0.2.1"), _codes(ann)
    assert own.sign_in_with_code("ann", next(codes))
    own.post("/accounts/logout/", {})
    own.sign_in("ann", PASSWORD)
    for _ in range(5):
        assert not own.give_code("wrong")
    assert not own.give_code(next(codes)), "the tries of the account are used up"


def test_a_browser_that_is_known_guesses_no_more_passwords_than_another(ann, player):
    own = Behind("192.0.2.1")
    assert own.sign_in("ann", PASSWORD)
    own.post("/accounts/logout/", {})
    for _ in range(5):
        assert not own.sign_in("ann", "wrong")
    assert not own.sign_in("ann", PASSWORD), "its own tries are used up"
    assert Behind("192.0.2.1").sign_in("ann", PASSWORD), "those of its network are not"
    player("ben")
    for _ in range(5):
        assert not own.sign_in("ben", "wrong"), "another account has those of the network"
    assert not Behind("192.0.2.1").sign_in("ben", PASSWORD)


def test_a_new_password_makes_a_browser_unknown(ann):
    own = Behind("192.0.2.1")
    assert own.sign_in("ann", PASSWORD)
    own.post("/accounts/logout/", {})
    ann.set_password("another long password")
    ann.save()
    for number in range(12):
        Behind("192.0.2.1").sign_in(f"name{number}", "wrong")
    assert not own.sign_in("ann", "another long password")


def test_the_mark_of_a_known_browser_goes_to_the_sign_in_alone(ann):
    own = Behind("192.0.2.1")
    own.sign_in("ann", PASSWORD)
    mark = own.client.cookies["known_browser"]
    assert (mark["path"], mark["httponly"], mark["samesite"]) == ("/accounts/login/", True, "Lax")
    own.post("/accounts/logout/", {})
    for forged in ("", "x", mark.value[:-1], mark.value + "x"):
        own.client.cookies["known_browser"] = forged
        for number in range(12):
            Behind("192.0.2.1").sign_in(f"name{number}", "wrong")
        assert not own.sign_in("ann", PASSWORD)


def test_wrong_passwords_for_an_account_slow_the_guesser_down_and_not_the_owner(ann):
    for _ in range(6):
        assert not Behind("192.0.2.1").sign_in("ann", "wrong")
    assert not Behind("192.0.2.1").sign_in("ann", PASSWORD)
    assert Behind("192.0.2.2").sign_in("ann", PASSWORD)


@pytest.mark.parametrize("address", ["192.0.2.{}", "2001:db8:1:{}::1"])
def test_a_host_with_another_port_gives_no_more_tries(ann, address):
    """Some proxies pass on the Host of the request with its port, which the client chooses."""

    def sign_in(number: int, password: str) -> bool:
        # As far as the limit of one account in one network, or in the networks of one customer.
        client = address.format(1 if "." in address else f"{number:x}")
        browser = Behind(client)
        browser.headers["Host"] = f"testserver:{2000 + number}"
        return browser.sign_in("ann", password)

    for number in range(5 if "." in address else 15):
        assert not sign_in(number, "wrong")
    assert not sign_in(99, PASSWORD)


def test_sign_ups_are_limited_for_each_client(settings):
    settings.ACCOUNT_EMAIL_VERIFICATION = "none"

    def sign_up(number: int, address: str) -> int:
        body = {"username": f"user{number}", "email": f"user{number}@players.example", "password1": "correct horse battery"}
        return Behind(address).post("/accounts/signup/", body).status_code

    assert [sign_up(number, "192.0.2.1") for number in range(21)] == [302] * 20 + [429]
    assert sign_up(99, "192.0.2.2") == 302


def test_the_trail_names_the_client(ann):
    Behind("192.0.2.1").sign_in("ann", "wrong")
    Behind("2001:db8::7").sign_in("ann", PASSWORD)
    assert list(SignIn.objects.order_by("pk").values_list("kind", "address")) == [("failed", "192.0.2.1"), ("in", "2001:db8::7")]


def test_an_ipv6_customer_is_one_client(ann):
    for number in range(10):
        Behind(f"2001:db8:0:1::{number:x}").sign_in(f"name{number}", "wrong")
    assert not Behind("2001:db8:0:1:ffff::1").sign_in("ann", PASSWORD)
    assert Behind("2001:db8:0:2::1").sign_in("ann", PASSWORD)


def test_the_many_ipv6_networks_of_one_customer_guess_few_passwords(ann):
    for number in range(15):
        assert not Behind(f"2001:db8:1:{number:x}::1").sign_in("ann", "wrong")
    assert not Behind("2001:db8:1:99::1").sign_in("ann", PASSWORD), "its customer has used the tries for this account up"
    assert Behind("2001:db8:2::1").sign_in("ann", PASSWORD)


def test_one_ipv6_network_uses_up_no_tries_of_the_others_of_its_customer(ann):
    """Phones of one provider may have networks of the same /48."""
    for _ in range(20):
        assert not Behind("2001:db8:1:1::1").sign_in("ann", "wrong")
    assert not Behind("2001:db8:1:1::2").sign_in("ann", PASSWORD)
    assert Behind("2001:db8:1:2::1").sign_in("ann", PASSWORD)


def test_who_has_tried_too_often_reads_when_to_come_again(settings):
    settings.ACCOUNT_RATE_LIMITS = {**settings.ACCOUNT_RATE_LIMITS, "signup": "0/h/ip"}
    late = Behind("192.0.2.1").post("/accounts/signup/", {"username": "user"})
    assert late.status_code == 429
    assert "Try again in some minutes; if that does not help, after an hour or a day" in late.content.decode()


def test_the_many_ipv6_networks_of_one_customer_try_to_sign_in_as_few(ann):
    for number in range(90):
        Behind(f"2001:db8:1:{number:x}::1").sign_in(f"name{number}", "wrong")
    assert not Behind("2001:db8:1:99::1").sign_in("ann", PASSWORD), "its customer has used its minute up"
    assert Behind("2001:db8:2::1").sign_in("ann", PASSWORD)


def test_the_many_ipv6_networks_of_one_customer_open_few_accounts(settings):
    settings.ACCOUNT_EMAIL_VERIFICATION = "none"

    def sign_up(number: int, address: str) -> int:
        return Behind(address).post("/accounts/signup/", {"username": f"user{number}"}).status_code

    assert [sign_up(number, f"2001:db8:1:{number:x}::1") for number in range(61)] == [200] * 60 + [429]
    assert sign_up(99, "2001:db8:2::1") == 200


def test_failures_of_an_ipv6_customer_are_written_down_up_to_one_cap(monkeypatch):
    monkeypatch.setattr("accounts.signins.FAILURES_PER_HOUR", 3)
    for number in range(5):
        Client().get("/api/v1/me/", headers={"Authorization": "Bearer gsk_wrong"}, REMOTE_ADDR=f"2001:db8:0:9::{number:x}")
    assert SignIn.objects.filter(kind="token_refused").count() == 3
    for number in range(12):
        Client().get("/api/v1/me/", headers={"Authorization": "Bearer gsk_wrong"}, REMOTE_ADDR=f"2001:db8:1:{number:x}::1")
    assert SignIn.objects.filter(kind="token_refused").count() == 3 + 9, "the many networks of one /48 count together"


def test_a_header_of_the_client_itself_does_not_count(ann):
    for number in range(10):
        Behind("192.0.2.1", **{"X-Forwarded-For": f"198.51.100.{number}"}).sign_in(f"name{number}", "wrong")
    assert not Behind("192.0.2.1", **{"X-Forwarded-For": "198.51.100.99"}).sign_in("ann", PASSWORD)


@pytest.mark.parametrize(
    ("proxies", "peer", "forwarded", "client"),
    [
        ([], "192.0.2.1", "198.51.100.1", "192.0.2.1"),
        ([], "127.0.0.1", "198.51.100.1", "127.0.0.1"),
        (["127.0.0.1"], "192.0.2.1", "198.51.100.1", "192.0.2.1"),
        (["127.0.0.1"], "127.0.0.1", "198.51.100.1", "198.51.100.1"),
        (["127.0.0.1"], "127.0.0.1", "", "127.0.0.1"),
        (["127.0.0.1"], "127.0.0.1", "203.0.113.5, 198.51.100.1", "198.51.100.1"),
        (["127.0.0.1", "10.0.0.0/8"], "127.0.0.1", "203.0.113.5,198.51.100.1, 10.1.2.3", "198.51.100.1"),
        (["127.0.0.1"], "127.0.0.1", "203.0.113.5, unknown", "127.0.0.1"),
        (["127.0.0.1"], "127.0.0.1", "198.51.100.1:4711", "198.51.100.1"),
        (["127.0.0.1"], "127.0.0.1", "[2001:db8::1]:4711", "2001:db8::1"),
        (["127.0.0.1"], "127.0.0.1", "2001:DB8:0::1", "2001:db8::1"),
        (["127.0.0.1"], "::ffff:127.0.0.1", "198.51.100.1", "198.51.100.1"),
        (["127.0.0.1"], "127.0.0.1", "::ffff:198.51.100.1", "198.51.100.1"),
        (["unix"], "", "198.51.100.1", "198.51.100.1"),
        (["unix"], "", "", None),
        ([], "", "198.51.100.1", None),
        (["unix"], "192.0.2.1", "198.51.100.1", "192.0.2.1"),
    ],
)
def test_the_address_of_a_request(settings, proxies, peer, forwarded, client):
    settings.TRUSTED_PROXIES = proxies
    request = RequestFactory().get("/", headers={"X-Forwarded-For": forwarded} if forwarded else {}, REMOTE_ADDR=peer)
    assert network.client_address(request) == client


@pytest.mark.parametrize(
    ("address", "bucket"),
    [("192.0.2.1", "192.0.2.1"), ("2001:db8:1:2:3::4", "2001:db8:1:2::/64"), ("::ffff:192.0.2.1", "192.0.2.1"), (None, "")],
)
def test_limits_count_by_network(address, bucket):
    assert network.network_of(address) == bucket


@pytest.mark.parametrize("entry", ["1", "localhost", "10.0.0.1/8", "127.0.0.1 ::1"])
def test_an_entry_that_is_no_network_is_refused_at_the_start(settings, entry):
    settings.TRUSTED_PROXIES = [entry]
    with pytest.raises(ImproperlyConfigured, match="TRUSTED_PROXIES"):
        network.check_settings()


@pytest.mark.parametrize(
    ("base_url", "proxies", "warned"),
    [
        ("https://games.example.org", [], {"accounts.W001"}),
        ("https://games.example.org", ["127.0.0.1"], set()),
        ("http://localhost:8000", [], set()),
        ("https://games.example.org", ["0.0.0.0/0"], {"accounts.W002"}),
    ],
)
def test_check_deploy_warns_of_a_proxy_that_is_not_named(settings, base_url, proxies, warned):
    settings.BASE_URL, settings.TRUSTED_PROXIES = base_url, proxies
    found = {message.id for message in checks.run_checks(include_deployment_checks=True)}
    assert {name for name in found if name.startswith("accounts.")} == warned


def test_the_delivered_proxy_tells_who_comes():
    streams = [name for name in locations() if "stream" in name]
    assert len(streams) == 1
    for name, found in locations().items():
        headers = {words[1]: words[2] for words in found if words[0] == "proxy_set_header"}
        kept = {"Connection": '""'} if name in streams else {}
        told = {"Host": "$host", "X-Forwarded-For": "$remote_addr", "X-Forwarded-Proto": "$scheme"}
        assert headers == told | kept, name
        [upstream] = [words[1] for words in found if words[0] == "proxy_pass"]
        assert upstream == ("http://127.0.0.1:8001" if name in streams else "http://127.0.0.1:8000")
        assert "127.0.0.1" in delivered("TRUSTED_PROXIES").split(",")


def test_the_delivered_proxy_lets_one_address_fill_no_queue():
    """What waits in front of the threads is answered in the order in which it came, and streams have limits of their own."""
    text = (DEPLOY / "nginx.conf").read_text(encoding="utf-8")
    assert ["limit_conn_zone", "$client", "zone=clients:10m"] in directives(text.partition("server {")[0])
    assert ["limit_conn", "clients", "40"] in locations()["/"]
    assert ["limit_conn", "clients", "8"] in locations()["/mail/provider/"]
    sample = r'^map \$binary_remote_addr \$client \{\n +"~(.*)" \$network;\n +default \$binary_remote_addr;$'
    [begins] = re.findall(sample, text, re.MULTILINE)

    def client(address: str) -> bytes:
        sent = ip_address(address).packed
        found = re.search(begins.replace("(?<", "(?P<").encode(), sent)
        return found["network"] if found else sent

    assert client("2001:db8:5:1::1") == client("2001:db8:5:1:a0a::2") != client("2001:db8:5:2::1")
    assert len({client(f"192.0.2.{number}") for number in range(256)}) == 256


def test_the_link_for_a_new_password_is_not_kept_away_by_other_mails(ann, settings, mailoutbox):
    settings.ACCOUNT_RATE_LIMITS = False
    for number in range(12):
        body = {"username": f"eve{number}", "email": "ann@players.example", "password1": "correct horse battery"}
        Behind(f"192.0.2.{number}").post("/accounts/signup/", body)
    before = len(mailoutbox)
    Behind("192.0.2.99").post("/accounts/password/reset/", {"email": "ann@players.example"})
    assert len(mailoutbox) == before + 1
    assert User.objects.filter(username="ann").exists()
