"""The bridge of bot accounts: it accepts challenges by its rules and asks a program. A match of it: `test_clients`."""

from __future__ import annotations

import io
import json
import socketserver
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from json import JSONDecodeError
from pathlib import Path
from ssl import SSLEOFError
from typing import Any
from urllib.error import URLError

import pytest

from gamesvc.clients.python import gamesvc_bot, gamesvc_client
from gamesvc.clients.python.gamesvc_bot import Bridge, NoAnswer, Program, Rules, UciProgram
from gamesvc.clients.python.gamesvc_client import Client, Problem, TooLarge

FILE = Path(gamesvc_bot.__file__)
CHALLENGE = {"game": "space_war", "hours": 24, "challenger_is_bot": False}


@pytest.mark.parametrize(
    ("rules", "running", "fault"),
    [
        (Rules(), 0, ""),
        (Rules(games=["stratastar"]), 0, "the game is space_war"),
        (Rules(hours=(1, 12)), 0, "the pace is 24 hours"),
        (Rules(opponents="bots"), 0, "only bots are welcome"),
        (Rules(opponents="people", games=["space_war"], hours=(24, 24)), 7, ""),
        (Rules(most=2), 2, "2 matches run already"),
    ],
)
def test_the_rules_of_what_it_accepts(rules: Rules, running: int, fault: str) -> None:
    assert rules.fault(CHALLENGE, running) == fault


def program(code: str, seconds: float = 30.0) -> Program:
    return Program([sys.executable, "-c", code], seconds)


def test_a_program_that_does_not_answer_is_given_up() -> None:
    for code in ("pass", "print('hello')", "print('[1]')"):
        made = program(code)
        with pytest.raises(NoAnswer):
            made.ask({"op": "choose"})
        made.end()
        assert made.process.returncode is not None


class Asked:
    """A service that refuses every command but one."""

    def __init__(self, right: str) -> None:
        self.right = right
        self.sent: list[str] = []

    def view(self, match: str) -> dict[str, Any]:
        return {"view": {}}

    def command(self, match: str, command: dict[str, Any], etag: str) -> None:
        self.sent.append(command["name"])
        if command["name"] != self.right:
            raise Problem(422, {"code": "wrong", "detail": "Not now."})

    def order(self, match: str, text: str, etag: str) -> None:
        self.sent.append(f"order {text}")
        if text != self.right:
            raise Problem(422, {"code": "bad_order", "detail": "Not an order."})


@pytest.mark.parametrize("status", [429, 500, 502, 503, 504])
def test_a_client_waits_for_a_service_that_restarts(monkeypatch: pytest.MonkeyPatch, status: int) -> None:
    """A proxy before it says 502 or 504 then. The answers of a bot must not end with that."""

    def opened(*_request: Any) -> io.BytesIO:
        if isinstance(answer := next(answers), Problem):
            raise answer
        return io.BytesIO(answer)

    monkeypatch.setattr(Client, "_open", opened)
    monkeypatch.setattr("time.sleep", lambda _seconds: None)
    away, client = Problem(status, {}), Client("http://localhost", "")
    answers = iter([away, b'{"results": []}'])
    assert client.call("GET", "/challenges/") == {"results": []}
    answers = iter([away, b'id: 1\ndata: {"awaited": true}\n\n'])
    assert next(client.follow()) == {"awaited": True}


@pytest.mark.parametrize(
    "fault",
    [URLError("refused"), TimeoutError(), SSLEOFError(), b"<html>Back soon</html>", b"\xff", Problem(502, {})],
    ids=lambda fault: type(fault).__name__,
)
def test_a_client_follows_through_an_outage_of_any_length(monkeypatch: pytest.MonkeyPatch, fault: Any) -> None:
    news = b'id: 1\ndata: {"awaited": true}\n\n'
    answers = iter([*[b"data: " + fault + b"\n\n" if isinstance(fault, bytes) else fault] * 1100, news])

    def opened(*_request: Any) -> io.BytesIO:
        if isinstance(answer := next(answers), Exception):
            raise answer
        return io.BytesIO(answer)

    waited: list[float] = []
    monkeypatch.setattr(Client, "_open", opened)
    monkeypatch.setattr("time.sleep", waited.append)
    assert next(Client("http://localhost", "").follow()) == {"awaited": True}
    assert (len(waited), max(waited)) == (1100, 60.0)


def test_a_server_that_speaks_no_http_steers_no_terminal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    class Handler(socketserver.BaseRequestHandler):
        def handle(self) -> None:
            self.request.recv(4096)
            self.request.sendall(b"\x1b]0;owned\x07 this is no HTTP\r\n\r\n")

    monkeypatch.setattr("time.sleep", lambda _seconds: None)
    with socketserver.TCPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        url = f"http://127.0.0.1:{server.server_address[1]}"
        assert gamesvc_client.main(["--url", url, "--token", "gsk_x", "turns"]) == 1
        server.shutdown()
    told = capsys.readouterr().err
    assert "this is no HTTP" in told
    assert "\x1b" not in told


@pytest.mark.parametrize("endless", [b"[" + b"1," * 600, b"data: " + b"x" * 600, b"data: 1\n" * 200])
def test_no_answer_fills_the_memory_of_a_client(monkeypatch: pytest.MonkeyPatch, endless: bytes) -> None:
    monkeypatch.setattr(gamesvc_client, "LARGEST", 1000)
    monkeypatch.setattr(Client, "_open", lambda *_request: io.BytesIO(endless + b"\n" + endless))
    client = Client("http://localhost", "")
    with pytest.raises(TooLarge):
        client.call("GET", "/challenges/") if endless[:1] == b"[" else next(client.follow())


def test_an_answer_nested_too_deep_is_one_that_something_in_between_has_written(monkeypatch: pytest.MonkeyPatch) -> None:
    answers = [b"[" * 100_000 + b"]" * 100_000, b'{"here": true}']
    monkeypatch.setattr("time.sleep", lambda _seconds: None)
    monkeypatch.setattr(Client, "_open", lambda *_request: io.BytesIO(answers.pop(0)))
    assert Client("http://localhost", "").call("GET", "/me/") == {"here": True}


@pytest.mark.parametrize("body", [b"null", b"[]", b'"gone"', b"\xff", b"{", b""])
def test_an_error_in_any_form_is_a_problem(body: bytes) -> None:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(404)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_told: Any) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.handle_request).start()
        with pytest.raises(Problem) as caught:
            Client(f"http://127.0.0.1:{server.server_port}", "").call("GET", "/")
    assert caught.value.status == 404


class Gone(Asked):
    """A service in which a match can no longer be seen: the bot was just replaced in it."""

    def view(self, match: str) -> dict[str, Any]:
        raise Problem(404, {"detail": "There is no such match."})


def test_a_match_that_is_gone_does_not_end_the_bridge() -> None:
    bridge = Bridge(Gone("pass"), [sys.executable, "-c", LEARNS])  # type: ignore[arg-type]
    assert not bridge._answer(dict(TURN))


FORM = {"parameters": {"type": "object", "properties": {"name": {"const": "pass"}}, "required": ["name"]}}
TURN = {"match": "m", "number": 1, "game": "g", "seat": 0, "version": 1, "prompt": "p", "etag": '"e"', "forms": [FORM]}
LEARNS = """
import json, sys
for line in sys.stdin:
    asked = json.loads(line)
    print(json.dumps({"command": {"name": "good" if "refused" in asked else "bad"}}), flush=True)
"""


@pytest.mark.parametrize(
    ("right", "code", "sent"),
    [
        ("good", LEARNS, ["bad", "good"]),
        ("pass", LEARNS, ["bad", "good", "good", "pass"]),
        ("pass", "pass", ["pass"]),
        ("pass", "print('[' * 100_000)", ["pass"]),
    ],
    ids=["it learns of a refusal", "three refusals", "no answer", "an answer nested too deep"],
)
def test_a_match_goes_on_whatever_the_program_answers(right: str, code: str, sent: list[str]) -> None:
    service: Any = Asked(right)
    bridge = Bridge(service, [sys.executable, "-c", code], seconds=30.0)
    bridge._answer(dict(TURN))
    for one in bridge.programs.values():
        one.end()
    assert service.sent == sent


def test_for_a_program_that_does_not_answer_nothing_is_resigned() -> None:
    resign = {"aside": True, "parameters": {**FORM["parameters"], "properties": {"name": {"const": "resign"}}}}
    service: Any = Asked("pass")
    bridge = Bridge(service, [sys.executable, "-c", "pass"], seconds=30.0)
    for _ in range(10):
        assert bridge._answer({**TURN, "forms": [resign, FORM, resign]})
    assert service.sent == ["pass"] * 10


ENGINE = """
import json, sys
offered = refused = None
for line in map(str.strip, sys.stdin):
    word, _, rest = line.partition(" ")
    if word == "uci":
        print("id name tiny")
        print("uciok", flush=True)
    elif word == "isready":
        print("readyok", flush=True)
    elif word == "position":
        refused, offered = None, json.loads(rest)["forms"][0]["parameters"]["properties"]["name"]["const"]
    elif word == "info":
        refused = line
    elif word == "go":
        assert rest.split()[0] == "movetime" and int(rest.split()[1]) > 0
        print("info depth 1")
        print("bestmove", FIRST if refused is None else json.dumps({"name": offered}), flush=True)
    elif word == "quit":
        break
"""


@pytest.mark.parametrize(
    ("first", "sent"),
    [("pass", ["order pass"]), ("dance", ["order dance", "pass"]), ('{"name": "pass"}', ["pass"])],
    ids=["an order", "a refused order, then a command", "a command"],
)
def test_a_program_may_speak_uci(first: str, sent: list[str]) -> None:
    service: Any = Asked("pass")
    code = ENGINE.replace("FIRST", repr(first))
    bridge = Bridge(service, [sys.executable, "-c", code], seconds=30.0, protocol="uci")
    bridge._answer(dict(TURN))
    bridge._answer({**TURN, "etag": '"f"'})
    assert service.sent == sent * 2
    (engine,) = bridge.programs.values()
    engine.over({})
    assert engine.process.wait(30) == 0
    engine.end()


def test_an_engine_without_a_move_is_given_up() -> None:
    engine = UciProgram([sys.executable, "-c", "print('uciok'); print('readyok')"], 30.0)
    with pytest.raises(NoAnswer):
        engine.ask({"op": "choose", "forms": []})
    engine.end()


def test_a_refusal_of_several_lines_is_one_line_to_an_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    engine = UciProgram([sys.executable, "-c", "print('uciok'); print('readyok'); print('bestmove pass')"], 30.0)
    written: list[str] = []
    monkeypatch.setattr(engine, "_write", written.append)
    refused = {"code": "bad\nquit", "detail": "not\nso", "command": "pass"}
    assert engine.ask({"op": "choose", "forms": [], "refused": refused}) == {"order": "pass"}
    engine.end()
    assert "info string refused bad quit: not so" in written
    assert not [line for line in written if "\n" in line]


class Short(Asked):
    """A service with a match that ends with the first command. Its stream tells what is not over when it is opened."""

    over = False

    def call(self, method: str, path: str, **_query: str) -> dict[str, Any]:
        if path == "/challenges/":
            return {"results": []}
        return {"number": 1, "status": "finished" if self.over else "running", "started_at": "2026-01-01T00:00:00Z"}

    def follow(self) -> Iterator[dict[str, Any]]:
        if not self.over:
            yield {"match": TURN["match"], "awaited": True}
            yield {"match": TURN["match"], "awaited": False}
        raise AssertionError("nothing comes after the end")

    def turns(self, *, forms: bool) -> list[dict[str, Any]]:
        return [] if self.over else [dict(TURN)]

    def command(self, match: str, command: dict[str, Any], etag: str) -> None:
        super().command(match, command, etag)
        self.over = True


def test_a_match_that_ends_at_once_is_told_to_its_program() -> None:
    """Followed from before its first command, so that its end is told."""
    service: Any = Short("pass")
    bridge = Bridge(service, [sys.executable, "-c", "pass"], seconds=30.0)
    bridge.run(1)
    assert (service.sent, bridge.programs) == (["pass"], {})


class Away(Short):
    """A service that is away for a while at the first two times when the bridge asks for something."""

    def __init__(self, right: str, fault: Exception) -> None:
        super().__init__(right)
        self.fault, self.asked = fault, Counter[str]()

    def _away(self, what: str) -> None:
        self.asked[what] += 1
        if self.asked[what] <= 2:
            raise self.fault

    def call(self, method: str, path: str, **query: str) -> dict[str, Any]:
        self._away(path)
        return super().call(method, path, **query)

    def turns(self, *, forms: bool) -> list[dict[str, Any]]:
        self._away("turns")
        return super().turns(forms=forms)

    def command(self, match: str, command: dict[str, Any], etag: str) -> None:
        self._away("command")
        super().command(match, command, etag)


@pytest.mark.parametrize("fault", [Problem(503, {}), Problem(429, {}), URLError("refused"), JSONDecodeError("", "", 0)])
def test_the_bridge_goes_on_when_the_service_is_back(monkeypatch: pytest.MonkeyPatch, fault: Exception) -> None:
    """The stream tells each message once: one whose answer failed would be forgotten, and the match run out of time."""
    monkeypatch.setattr("time.sleep", lambda _seconds: None)
    service: Any = Away("pass", fault)
    bridge = Bridge(service, [sys.executable, "-c", "pass"], seconds=30.0)
    bridge.run(1)
    assert (service.sent, bridge.programs) == (["pass"], {})


class Stuck(Asked):
    """A service with a match in which everything is refused, as a host can bring about, and one that goes on."""

    def __init__(self, status: int, forms: list[Any]) -> None:
        super().__init__("pass")
        self.status, self.forms = status, forms
        self.waiting = [{**TURN, "match": "stuck", "forms": forms}, {**TURN, "match": "well"}]

    def turns(self, *, forms: bool) -> list[dict[str, Any]]:
        return list(self.waiting)

    def command(self, match: str, command: dict[str, Any], etag: str) -> None:
        if match == "stuck":
            raise Problem(self.status, {"code": "wrong", "detail": "Not now."})
        self.sent.append(command["name"])
        self.waiting.pop()


@pytest.mark.parametrize(("status", "forms"), [(422, [FORM]), (403, [FORM]), (404, [FORM]), (422, [])])
def test_a_match_in_which_nothing_can_be_played_stops_no_other(status: int, forms: list[Any]) -> None:
    service: Any = Stuck(status, forms)
    bridge = Bridge(service, [sys.executable, "-c", "pass"], seconds=30.0)
    bridge._play()
    assert service.sent == ["pass"]


def test_the_random_program_answers_line_by_line() -> None:
    done = subprocess.run(
        [sys.executable, str(FILE), "--random", "seed"],
        input="".join(json.dumps(line) + "\n" for line in ({"op": "choose", "forms": [FORM]}, {"op": "end"})),
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert [json.loads(line) for line in done.stdout.splitlines()] == [{"command": {"name": "pass"}}]
