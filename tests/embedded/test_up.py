"""`manage.py up` and its processes under real signals: dead ones come back, and stopped or killed ones leave nothing."""

from __future__ import annotations

import email
import json
import os
import re
import signal
import socket
import subprocess
import threading
from collections.abc import Iterator
from contextlib import suppress
from email import policy
from email.message import EmailMessage
from pathlib import Path
from typing import Any

import httpx
import psutil
import psycopg
import pytest
from lxml import html as parser

from gamesvc import queues
from tests.embedded.running import Home, Up, eventually, left
from tests.test_readme import README, commands, program
from tests.web.page import chosen, forms

pytestmark = [pytest.mark.timeout(280), pytest.mark.long]
ROLES = ("web", "live", *queues.WORKERS, "mailserver", "beat")


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Home]:
    home = Home(tmp_path_factory.mktemp("up"))
    yield home
    home.close()
    eventually(lambda: not left(home.data))


@pytest.fixture
def up(home: Home) -> Up:
    return home.up()


def number_in(path: Path) -> int:
    return int(path.read_text().split(maxsplit=1)[0])


def test_the_first_match_of_the_readme_is_played_in_the_browser_by_mail_and_with_curl(up):
    """On one `up`, in the order of the README."""
    number = open_by_clicks(up)
    receipt = answer_by_mail(up, number)
    assert "1 order done" in receipt.get_body(("plain",)).get_content()
    answers = play_with_curl(up)
    assert answers[-1]["events"][-1]["type"] == "match.ended"


def open_by_clicks(up: Up) -> int:
    """Follow what the README says under "In the browser", as a browser would; return the number of the match."""
    [told] = re.findall(r"\*\*In the browser\.\*\*(.*?)\n\n", README, re.DOTALL)
    sign_in, button, game = (" ".join(label.split()) for label in re.findall(r"\*([^*]+)\*", told))
    name, password = up.facts["login"].split(" / ")
    with httpx.Client(base_url=up.facts["web"], follow_redirects=True, timeout=30) as browser:
        page = click(browser, browser.get("/"), sign_in)
        page = press(browser, page, sign_in, login=name, password=password)
        assert game in page.text
        page = press(browser, page, button)
        assert "Form the fleet" in page.text
        return int(page.url.path.strip("/").split("/")[-1])


def click(browser: httpx.Client, page: httpx.Response, label: str) -> httpx.Response:
    """Follow the link that says so."""
    link = next(link for link in parser.fromstring(page.text).iter("a") if link.text == label)
    return browser.get(link.get("href"))


def press(browser: httpx.Client, page: httpx.Response, label: str, **values: str) -> httpx.Response:
    """Fill in the form whose button says so, and send it."""
    [form] = [form for form in forms(page.text) if form.text.strip().lower().endswith(label.lower())]
    data = chosen(form, {name: [value] for name, value in values.items()})
    return browser.post(form.action or str(page.url), data=data)


def answer_by_mail(up: Up, number: int) -> EmailMessage:
    """Answer the turn mail of a match with the order that it names, by the program of the README; return the receipt."""

    def mails(reason: str) -> list[EmailMessage]:
        found = [email.message_from_bytes(path.read_bytes(), policy=policy.default) for path in (up.data / "mail").glob("*.eml")]
        return [mail for mail in found if mail["X-Game-Reason"] == reason and f"<match-{number}." in mail["List-Id"]]

    [asked] = eventually(lambda: mails("your-turn"))
    told = " ".join(asked.get_body(("plain",)).get_content().split())
    first = told.split("this is played for you: ")[1]
    order = re.split(r", (?!\d)| \(|\. ", first)[0]
    port = int(up.facts["answers"].rsplit(":", 1)[1])
    view = f"/api/v1/matches/{number}/view/"
    before = up.get(view)["version"]
    exec(program(), {"ORDER": order, "PORT": port, "REPLY_TO": asked["Reply-To"]})
    [receipt] = eventually(lambda: mails("receipt"))
    assert up.get(view)["version"] > before
    return receipt


def play_with_curl(up: Up) -> list[dict[str, Any]]:
    """Run the README's five requests and return their answers."""
    variables = {"API": up.facts["api"].rstrip("/"), "TOKEN": up.facts["token"]}
    curls = [line for line in commands() if line.startswith("curl")]
    assert len(curls) == 5
    answers = []
    for line in curls:
        done = subprocess.run(["bash", "-c", line], env={**os.environ, **variables}, capture_output=True, text=True, check=True)
        answers.append(json.loads(done.stdout))
        if "number" in answers[-1]:
            variables["MATCH"] = str(answers[-1]["number"])
        if "view" in answers[-1]:
            variables["ETAG"] = f'"{answers[-1]["match"]}-{answers[-1]["seat"]}-{answers[-1]["version"]}"'
    assert answers[1]["status"] == "running"
    assert answers[3]["forms"]
    return answers


@pytest.mark.parametrize("server", ["postgres/postmaster.pid", "valkey/valkey.pid"])
def test_a_server_that_is_killed_is_brought_back(up, server):
    before = number_in(up.data / server)
    os.kill(before, signal.SIGKILL)

    def another() -> bool:
        with suppress(OSError, ValueError, IndexError):
            return number_in(up.data / server) != before
        return False

    eventually(another)
    eventually(up.answers)
    assert psutil.pid_exists(number_in(up.data / server))


@pytest.mark.parametrize("name", ROLES)
def test_every_process_that_is_killed_comes_back_without_its_old_children(up, name):
    leader = eventually(lambda: up.role(name))
    family = [leader, *leader.children(recursive=True)]
    leader.kill()
    psutil.wait_procs(family, timeout=30)
    assert not any(process.is_running() for process in family)
    eventually(lambda: (again := up.role(name)) and again.pid != leader.pid)
    eventually(up.answers)


def test_a_web_worker_that_dies_takes_nothing_with_it(up):
    leader = eventually(lambda: (role := up.role("web")) and len(role.children()) == 2 and role)
    victim, other = leader.children()
    victim.kill()
    eventually(lambda: len(live := {child.pid for child in leader.children()} - {victim.pid}) == 2 and other.pid in live)
    assert eventually(lambda: up.role("web")).pid == leader.pid
    eventually(up.answers)


def test_a_second_up_is_refused_by_the_folder_and_by_the_port(up, tmp_path):
    same_folder, same_port = Up(up.data), Up(tmp_path, port=up.port)
    for second, sentence in (
        (same_folder, f"Another service runs in {up.data}. Stop it, or choose another folder with --data."),
        (same_port, f"Port {up.port} is not free"),
    ):
        _, said = second.process.communicate(timeout=120)
        assert second.process.returncode == 1
        assert sentence in said
        assert "Traceback" not in said
    assert up.answers()
    eventually(lambda: not left(tmp_path))


def test_workers_that_stand_still_are_no_outage(up):
    """Deadlines are late then, but players can still answer."""
    leaders = [eventually(lambda name=name: up.role(name)).pid for name in ("beat", "deadlines")]
    with psycopg.connect(f"postgresql://gamesvc_owner@/gamesvc?host={up.data / 'run'}", autocommit=True) as looking:

        def beat_at() -> Any:
            row = looking.execute("SELECT beat_at FROM matches_heartbeat").fetchone()
            return row and row[0]

        def outages() -> Any:
            return looking.execute("SELECT count(*) FROM matches_outage").fetchone()

        known = outages()
        try:
            for leader in leaders:
                os.killpg(leader, signal.SIGSTOP)
            before = eventually(beat_at)
            eventually(lambda: beat_at() > before)
            assert up.answers()
            assert outages() == known
        finally:
            for leader in leaders:
                os.killpg(leader, signal.SIGCONT)


def test_the_health_answer_names_this_service(up):
    told = up.get("/health/")
    assert told["status"] == "ok"
    assert len(told["instance"]) == 16


def test_an_up_that_is_killed_takes_all_along_and_the_next_one_starts(home):
    killed = home.up()
    before = {role.pid for role in psutil.process_iter(["cmdline", "environ"]) if is_role(role, home.data)}
    assert len(before) == len(ROLES)
    killed.process.kill()
    killed.process.communicate()
    home.up()
    roles = [role for role in psutil.process_iter(["cmdline", "environ"]) if is_role(role, home.data)]
    assert {role.ppid() for role in roles} == {home.up().process.pid}
    assert len(roles) == len(ROLES)
    assert not before & {role.pid for role in roles}


def test_ctrl_c_lets_a_request_be_answered_and_ends_all_beside_a_half_sent_one(up):
    half = socket.create_connection(("127.0.0.1", up.port))
    half.sendall(b"POST /api/v1/matches/ HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n{")
    answer: list[Any] = []
    asking = threading.Thread(target=lambda: answer.append(up.get("/api/v1/me/")))
    url = f"postgresql://gamesvc_owner@/gamesvc?host={up.data / 'run'}"
    log = up.data / "logs" / "web.log"
    stops = log.read_text().count("Shutting down granian")
    with psycopg.connect(url) as owner, psycopg.connect(url, autocommit=True) as looking:
        owner.execute("LOCK TABLE accounts_user IN ACCESS EXCLUSIVE MODE")
        asking.start()
        waits = "SELECT count(*) FROM pg_stat_activity WHERE %s = ANY (pg_blocking_pids(pid))"
        eventually(lambda: looking.execute(waits, [owner.info.backend_pid]).fetchone() != (0,))
        os.killpg(up.process.pid, signal.SIGINT)
        eventually(lambda: log.read_text().count("Shutting down granian") > stops)
    asking.join()
    assert answer[0]["name"] == "demo"
    _, said = up.process.communicate(timeout=60)
    assert up.process.returncode == 0
    assert said.endswith("Stopped.\n")
    eventually(lambda: not left(up.data))
    assert not (up.data / "postgres" / "postmaster.pid").exists()
    half.close()


def is_role(process: psutil.Process, data: Path) -> bool:
    """Return True for the leader of a role of this folder."""
    environment = process.info["environ"] or {}
    return "GAMESVC_INSTANCE" in environment and str(data) in environment.get("DATABASE_URL", "") and leads(process)


def leads(process: psutil.Process) -> bool:
    with suppress(OSError):
        return os.getpgid(process.pid) == process.pid
    return False


@pytest.mark.parametrize("moment", ["postgres.new", "postgres/postmaster.pid", "logs"])
def test_a_stop_during_the_first_start_leaves_nothing(tmp_path, moment):
    service = Up(tmp_path)
    eventually(lambda: (tmp_path / moment).exists())
    assert service.end(signal.SIGTERM) == (0, "Stopped.\n")
    eventually(lambda: not left(tmp_path))
    assert not (tmp_path / "postgres" / "postmaster.pid").exists()


def test_what_stands_in_the_data_folder_is_its_owners_alone(tmp_path):
    """Also the folder itself, where it is new, and the mails, logs and locks of one that stood open."""
    new, open_before = tmp_path / "new", tmp_path / "open"
    for folder in (open_before, open_before / "mail", open_before / "logs"):
        folder.mkdir(mode=0o755)
    (open_before / "start.lock").touch(mode=0o644)
    before = os.umask(0o022)
    try:
        services = [Up(new), Up(open_before)]
    finally:
        os.umask(before)
    for service in services:
        eventually((service.data / "postgres" / "PG_VERSION").exists)
        assert service.end(signal.SIGTERM) == (0, "Stopped.\n")
    found = [new, *new.rglob("*"), *open_before.rglob("*")]
    assert new / "mail" in found
    assert open_before / "start.lock" in found
    assert [path for path in found if path.stat().st_mode & 0o077] == []
