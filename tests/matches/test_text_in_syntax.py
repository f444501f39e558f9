"""User text within machine syntax: each place takes its own metacharacters as text, and nothing else."""

from __future__ import annotations

import io
import logging
import logging.config
import os
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest
from django.test import Client
from django.utils.html import escape

from accounts.models import User
from gamesvc.games.kernel import intake
from gamesvc.log_lines import OneLine
from gamesvc.matches.access import selectors
from gamesvc.matches.lobby import opening
from gamesvc.matches.play import standing_orders
from notifications.parsing import text as mail_text
from tests.hostile import TEXTS, UNTAKEN
from tests.matches.playing import act

pytestmark = [pytest.mark.django_db, pytest.mark.long]
ROOT = Path(__file__).resolve().parents[2]
NAMES = (
    "<b>&\"']]>",
    "%s%(name)s",
    "{}{0}{name}",
    "{{ 7 }}{% x %}",
    "\\1\\g<0>",
    "(?P<a>[*+",
    "a\u202eb\u2028c",
    "?a=b#c%2f",
    "\x01\uffff",
)


@pytest.mark.parametrize("name", NAMES)
def test_a_name_stays_a_name_on_pages_in_pictures_and_answers(name, anna, ben, program):
    """Sign-up refuses such a name, but the pages that show names do not rely on that."""
    match = opening.join_match(by=ben, match=opening.create_match(by=anna, game="stratastar", watch="all"))
    opened = opening.create_match(by=ben, game="space_war")
    User.objects.filter(pk=ben.pk).update(username=name)
    client = Client()
    client.force_login(anna)
    for path in (f"/matches/{match.number}/", f"/matches/{opened.number}/", "/lobby/", "/", f"/matches/{match.number}/press"):
        page = client.get(path)
        assert page.status_code == 200
        assert "<b>&" not in page.content.decode()
    assert escape(name) in client.get("/lobby/").content.decode()
    picture = client.get(f"/matches/{match.number}/board.svg")
    ElementTree.fromstring(picture.content)
    somebody = program(anna)
    seats = somebody.get(f"/matches/{match.number}/").json()["seats"]
    assert name in [seat["name"] for seat in seats]
    for kind in ("svg", "png"):
        assert somebody.get(f"/matches/{match.number}/board.{kind}").status_code == 200


def test_a_search_takes_percent_and_underscore_as_they_are(django_user_model, anna, ben):
    django_user_model.objects.create_superuser("a_na", "root@players.example", "a long password")
    client = Client()
    client.force_login(User.objects.get(username="a_na"))
    for search, found in (("a_na", {"a_na"}), ("%", set()), ("\\", set()), ("ann", {"anna"})):
        page = client.get("/admin/accounts/user/", {"q": search})
        assert {row.username for row in page.context["cl"].queryset} == found, search


@pytest.mark.parametrize("text", TEXTS.values(), ids=list(TEXTS))
def test_one_event_is_one_line_of_the_log(text):
    record = logging.LogRecord("x", logging.INFO, __file__, 1, "refused: %s", (text,), None)
    line = OneLine("%(levelname)s %(message)s").format(record)
    line.encode()
    assert len(line.splitlines()) == 1
    assert line.startswith("INFO refused: ")
    assert not {"\u202e", "\x1b", "\x00"} & set(line)


def test_the_service_logs_in_such_lines(settings):
    assert settings.LOGGING["formatters"]["line"]["()"] == "gamesvc.log_lines.OneLine"


@pytest.fixture
def logged(settings):
    """Return a function for all that the service has logged since."""
    told = settings.LOGGING
    configured = logging.config.DictConfigurator({**told, "handlers": {}})
    written, handler = io.StringIO(), told["handlers"]["stderr"]
    stream = logging.StreamHandler(written)
    stream.setFormatter(configured.configure_formatter(dict(told["formatters"][handler["formatter"]])))
    for name in handler["filters"]:
        stream.addFilter(configured.configure_filter(dict(told["filters"][name])))
    logging.getLogger().addHandler(stream)
    yield written.getvalue
    logging.getLogger().removeHandler(stream)


@pytest.mark.parametrize("address", ["/nothing/" + "x" * 60_000, "/api/v1/nothing/" + "\u2028" * 7_000])
def test_requests_for_what_does_not_exist_do_not_fill_the_log(settings, logged, address):
    """Addresses of 65,000 characters filled some MB a second, also beyond all rate limits."""
    settings.RATE_LIMIT_PER_ADDRESS = 0
    client = Client()
    for _ in range(200):
        assert client.get(address).status_code == 404
    lines = logged().splitlines()
    assert len(lines) == 100
    assert "Not Found: /" in lines[0]
    assert lines[-1].endswith("More refused requests are not logged within this minute.")
    assert all(len(line) < 7_000 for line in lines)


def test_posts_of_no_provider_do_not_fill_the_log(settings, logged):
    """No limit counts them, since a provider posts the mails of all users."""
    settings.INBOUND_AUTH, settings.ANYMAIL = "own", {**settings.ANYMAIL, "WEBHOOK_SECRET": ["a:b"]}
    client = Client()
    for _ in range(100):
        assert client.post("/mail/provider/mailersend/inbound/").status_code == 503
    assert len(logged().splitlines()) == 100


def test_every_fault_of_ours_is_logged(logged):
    for number in range(200):
        logging.getLogger("django.request").error("Failed: %s", number, extra={"status_code": 500})
    assert len(logged().splitlines()) == 200


def test_an_error_with_a_long_text_is_logged_without_its_middle(logged):
    try:
        raise ValueError("x" * 400_000 + " the end")
    except ValueError:
        logging.getLogger("django.request").exception("Failed")
    assert len(logged()) < 25_000
    assert logged().rstrip().endswith("the end")


@pytest.mark.parametrize("text", TEXTS.values(), ids=list(TEXTS))
def test_a_mail_hands_on_what_passes_the_border(text):
    assert intake.text_fault(mail_text.strip(f"move {text} on\nend")) == ""


@pytest.mark.parametrize("argument", [b"\xff", b"ann\xed\xa0\x80a"])
def test_a_command_refuses_an_argument_that_is_no_text(argument, tmp_path):
    command = [os.fsencode(sys.executable), os.fsencode(ROOT / "manage.py"), b"help", argument]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, check=False)
    assert done.returncode == 1
    assert b"cannot be taken" in done.stderr
    assert b"Traceback" not in done.stderr


@pytest.mark.parametrize("text", [*UNTAKEN.values(), "x" * 1001, "if " + " " * 30_000 + "then"])
def test_an_order_text_is_judged_before_it_is_read(text, anna, ben):
    match = opening.join_match(by=ben, match=opening.create_match(by=anna, game="stratastar"))
    for refused in (lambda: standing_orders.parse_text(match, 0, text), lambda: intake.check_order(text)):
        with pytest.raises(intake.Refused) as refusal:
            refused()
        assert refusal.value.code in ("bad_text", "too_long")


def test_a_long_line_on_the_page_is_refused_with_its_number(anna, ben):
    match = opening.join_match(by=ben, match=opening.create_match(by=anna, game="stratastar"))
    client = Client()
    client.force_login(anna)
    answer = client.post(f"/matches/{match.number}/orders", {"orders": "x" * 2000, "_version": "8", "_once": "a"})
    assert answer.status_code == 422
    assert "at most 1000 characters" in answer.content.decode()


def test_standing_orders_name_a_card_by_its_id(anna, ben):
    match = opening.join_match(by=ben, match=opening.create_match(by=anna, game="space_war"))
    for target, fits in (
        ("b-04", True),
        ("s3", True),
        ("a:s2", True),
        ("b 04", False),
        ("<b>", False),
        ("b-04\n", False),
        ("é", False),
    ):
        command = {"name": "set_orders", "orders": [{"when": {"target": target}, "do": "stand"}]}
        if fits:
            act(match, 0, command)
            continue
        with pytest.raises(intake.Refused) as refused:
            act(match, 0, command)
        assert refused.value.code == "bad_parameter"
    assert selectors.access_match(user=anna, ident=str(match.number)).match == match
