"""A bridge between gamesvc and a program that plays: it accepts challenges, and asks the program what to play.

    python gamesvc_bot.py --game space_war --most 4 -- ./my_program --depth 3

The program reads one JSON object a line on its standard input and answers one line each on its standard output. It is started
once for each match. `{"op":"choose"}` asks for a command, and `{"op":"end"}` tells the outcome.
With `--protocol uci` the program speaks as chess engines do: `position`, `go`, `bestmove`. `/api/docs/bots/` describes both.
Needs Python 3.11 and `gamesvc_client.py` beside it.
"""

from __future__ import annotations

import argparse
import contextlib
import itertools
import json
import os
import random
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING or __package__:
    from gamesvc.clients.python import gamesvc_client as client_module
else:  # copied beside the client
    import gamesvc_client as client_module

Json = dict[str, Any]
AWAY = (429, 502, 503, 504)
"""Answers while the service, and not one of its matches, is in trouble."""
REFUSALS = 3
"""Refused answers to one question. After that the bridge plays a random command that a form offers, so that the match goes on."""


class NoAnswer(Exception):
    """The program has ended, took too long, or did not answer with a JSON object."""


@dataclass(frozen=True)
class Rules:
    """The challenges that the bridge accepts; it declines all others. Empty or None: any."""

    games: Sequence[str] = ()
    hours: tuple[int, int] = (0, 10**6)
    most: int = 8
    """Matches at the same time."""
    opponents: str = "all"
    """`all`, `bots` or `people`."""

    def fault(self, challenge: Mapping[str, Any], running: int) -> str:
        """Return why a challenge is declined; empty if it is accepted."""
        if self.games and challenge["game"] not in self.games:
            return f"the game is {challenge['game']}"
        if not self.hours[0] <= challenge["hours"] <= self.hours[1]:
            return f"the pace is {challenge['hours']} hours"
        if self.opponents != "all" and bool(challenge["challenger_is_bot"]) != (self.opponents == "bots"):
            return f"only {self.opponents} are welcome"
        return f"{running} matches run already" if running >= self.most else ""


class Program:
    """The process that plays one match, and speaks in lines of JSON."""

    def __init__(self, command: Sequence[str], seconds: float) -> None:
        self.seconds = seconds
        self.process = subprocess.Popen(list(command), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)

    def ask(self, question: Mapping[str, Any]) -> Json:
        """Return the program's answer to a question: `command`, or `order` as text. Raises `NoAnswer`."""
        timer = threading.Timer(self.seconds, self.process.kill)
        timer.start()
        try:
            answer = self._talk(question)
        except (OSError, ValueError, RecursionError) as fault:
            raise NoAnswer(str(fault)) from None
        finally:
            timer.cancel()
        if not isinstance(answer, dict):
            raise NoAnswer("the answer is not an object")
        return answer

    def over(self, match: Mapping[str, Any]) -> None:
        """Tell the program that its match is over."""
        told = {"op": "end", "match": match["id"], "seat": match["your_seat"], "outcome": match["outcome"]}
        self._write(json.dumps(told))

    def _talk(self, question: Mapping[str, Any]) -> Any:
        self._write(json.dumps(question))
        return json.loads(self._read())

    def _write(self, line: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def _read(self) -> str:
        assert self.process.stdout is not None
        if not (line := self.process.stdout.readline()):
            raise NoAnswer("the program has ended")
        return line

    def end(self) -> None:
        """Close the program's input, and kill it if it does not leave."""
        with contextlib.suppress(OSError):
            assert self.process.stdin is not None
            self.process.stdin.close()
        try:
            self.process.wait(self.seconds)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


class UciProgram(Program):
    """The process that plays one match, and speaks as chess engines do (UCI), with our positions and our notation."""

    ready = False

    def over(self, match: Mapping[str, Any]) -> None:
        """Tell the program that its match is over."""
        self._write("quit")

    def _talk(self, question: Mapping[str, Any]) -> Json:
        if not self.ready:
            self._write("uci")
            self._read_until("uciok")
            self._write("ucinewgame")
            self._write("isready")
            self._read_until("readyok")
            self.ready = True
        told = {name: value for name, value in question.items() if name not in ("op", "refused")}
        self._write(f"position {json.dumps(told)}")
        if "refused" in question:
            why = question["refused"]
            words = f"refused {why['code']}: {why['detail']}".split()
            self._write(f"info string {' '.join(words)}")
        self._write(f"go movetime {int(self.seconds * 1000)}")
        move = self._read_until("bestmove")
        return {"command": json.loads(move)} if move.startswith("{") else {"order": move}

    def _read_until(self, word: str) -> str:
        """Return the rest of the next line that begins with a word. What else the program writes is only for people."""
        while True:
            first, _, rest = self._read().strip().partition(" ")
            if first == word:
                return rest.strip()


PROTOCOLS: Mapping[str, type[Program]] = {"json": Program, "uci": UciProgram}


@dataclass
class Bridge:
    """One bot account, its rules, and the programs of its matches."""

    client: client_module.Client
    command: Sequence[str]
    rules: Rules = field(default_factory=Rules)
    seconds: float = 60.0
    rng: random.Random = field(default_factory=random.Random)
    protocol: str = "json"
    programs: dict[str, Program] = field(default_factory=dict)

    def run(self, ends: int | None = None) -> None:
        """Answer challenges and play, without end, or until so many matches are over."""
        try:
            # The stream begins with all that is not over. It is opened before the first answer, so that it tells of each end.
            for message in self.client.follow():
                if self._heard(message) and ends is not None:
                    ends -= 1
                if ends == 0:
                    return
        finally:
            for program in self.programs.values():
                program.end()

    def _heard(self, message: Json) -> bool:
        """Do what a message of the stream asks for, and return True if it tells of a match that is over.

        The stream tells it once, so while the service is away it is tried again.
        """
        for failed in itertools.count(1):
            try:
                return self._done(message)
            except client_module.Problem as problem:
                if not problem.passes:
                    raise
                fault: Exception = problem
            except client_module.LOST as lost:
                fault = lost
            _log(f"the service is away, {fault}")
            time.sleep(client_module.pause(failed))
        raise AssertionError

    def _done(self, message: Json) -> bool:
        if "challenge" in message:
            self._challenged()
        if message["awaited"]:
            self._play()
            return False
        return self._is_over(message["match"])

    # --- challenges ---

    def _challenged(self) -> None:
        for challenge in self.client.call("GET", "/challenges/")["results"]:
            running = self.client.call("GET", "/matches/", status="running")["results"]
            fault = self.rules.fault(challenge, len(running))
            answer = "decline" if fault else "accept"
            try:
                self.client.call("POST", f"/challenges/{challenge['id']}/{answer}/", {}, key=f"{answer} {challenge['id']}")
            except client_module.Problem as problem:  # taken back, or answered meanwhile
                if problem.status in AWAY:
                    raise
            _log(f"challenge by {challenge['challenger']}: {f'declined, {fault}' if fault else 'accepted'}")

    # --- playing ---

    def _play(self) -> None:
        """Answer every decision that waits, and those that follow from the answers.

        What cannot be answered now is left until its match moves on: it must not stop the other matches.
        """
        left: set[tuple[str, str]] = set()
        while turns := [turn for turn in self.client.turns(forms=True) if (turn["match"], turn["etag"]) not in left]:
            left |= {(turn["match"], turn["etag"]) for turn in turns if not self._answer(turn)}

    def _answer(self, turn: Json) -> bool:
        """Answer a decision. Return False if no answer was taken."""
        refused: Json | None = None
        for attempt in range(REFUSALS + 1):
            try:
                chosen = self._chosen(turn, refused) if attempt < REFUSALS else None
                # Something that moves the match on: offers and the like have limits of their own, and one of them is to resign.
                forms = [form for form in turn["forms"] if not form.get("aside")] or turn["forms"]
                sent = chosen if chosen is not None else client_module.fill(self.rng.choice(forms), self.rng)
                if isinstance(sent, str):
                    self.client.order(turn["match"], sent, turn["etag"])
                else:
                    self.client.command(turn["match"], sent, turn["etag"])
            except client_module.Problem as problem:
                if problem.status == 412:  # the match has moved on, so it is asked again
                    return True
                _log(f"match {turn['number']}: refused, {problem.detail}")
                if problem.status in AWAY:
                    raise
                if problem.status != 422:
                    return False
                refused = {"code": problem.code, "detail": problem.detail, "command": sent}
            except client_module.LOST:
                raise
            except (IndexError, ValueError):
                _log(f"match {turn['number']}: no form offers a command")
                return False
            else:
                return True
        return False

    def _chosen(self, turn: Json, refused: Json | None) -> Json | str | None:
        """Return the command, or the text of an order, that the program chooses; None if it does not answer."""
        question: Json = {
            "op": "choose",
            **{name: turn[name] for name in ("match", "game", "seat", "version", "prompt", "forms")},
        }
        question["view"] = self.client.view(turn["match"])["view"]
        if refused is not None:
            question["refused"] = refused
        try:
            answer = self._program(turn["match"]).ask(question)
        except NoAnswer as fault:
            _log(f"match {turn['number']}: no answer, {fault}")
            self.programs.pop(turn["match"]).end()
            return None
        if isinstance(order := answer.get("order"), str):
            return order
        return answer.get("command") if isinstance(answer.get("command"), dict) else None

    def _program(self, match: str) -> Program:
        if match not in self.programs:
            self.programs[match] = PROTOCOLS[self.protocol](self.command, self.seconds)
        return self.programs[match]

    def _is_over(self, match: str) -> bool:
        """Return True for a match that is over, and end its program."""
        try:
            told = self.client.call("GET", f"/matches/{match}/")
        except client_module.Problem as problem:
            if problem.passes:
                raise
            return False  # a challenge that was declined
        if told["status"] in ("open", "running"):
            return False
        if (program := self.programs.pop(match, None)) is not None:
            with contextlib.suppress(OSError):
                program.over(told)
            program.end()
        _log(f"match {told['number']}: {told['status']}")
        return told["started_at"] is not None


def play_random(seed: str = "") -> None:
    """Be a program that plays any command which a form offers: an example of the line protocol."""
    rng = random.Random(seed or None)
    for line in sys.stdin:
        question = json.loads(line)
        if question["op"] == "choose":
            command = client_module.fill(rng.choice(question["forms"]), rng)
            sys.stdout.write(json.dumps({"command": command}) + "\n")
            sys.stdout.flush()


def _log(text: str) -> None:
    sys.stderr.write(f"{client_module.printable(text)}\n")
    sys.stderr.flush()


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the bridge. Returns 1 where the service refused it, or did not answer."""
    parser = argparse.ArgumentParser(prog="gamesvc-bot", description="Let a program play on a gamesvc.")
    parser.add_argument("--url", default=os.environ.get("GAMESVC_URL", "http://localhost:8000"), help="default: GAMESVC_URL")
    parser.add_argument("--token", default=os.environ.get("GAMESVC_TOKEN", ""), help="of the bot account; default: GAMESVC_TOKEN")
    parser.add_argument("--game", action="append", default=[], help="accept challenges to this game; repeat for several")
    parser.add_argument("--hours", nargs=2, type=int, default=(0, 10**6), metavar=("LEAST", "MOST"), help="paces to accept")
    parser.add_argument("--most", type=int, default=8, help="matches at the same time")
    parser.add_argument("--opponents", choices=("all", "bots", "people"), default="all")
    parser.add_argument("--seconds", type=float, default=60.0, help="time for an answer of the program")
    parser.add_argument("--protocol", choices=tuple(PROTOCOLS), default="json", help="the language of the program")
    parser.add_argument("--matches", type=int, default=None, help="stop when so many matches are over")
    parser.add_argument("program", nargs="+", help="the program and its arguments, after --; `random` is one that is built in")
    given = parser.parse_args(arguments)
    if given.program[0] == "random":
        given.program = [sys.executable, str(Path(__file__).resolve()), "--random", *given.program[1:]]
    rules = Rules(given.game, tuple(given.hours), given.most, given.opponents)
    client = client_module.Client(given.url, given.token)
    try:
        Bridge(client, given.program, rules, given.seconds, protocol=given.protocol).run(given.matches)
    except client_module.Problem as problem:
        _log(problem.detail or str(problem))
        return 1
    except client_module.LOST as lost:
        _log(f"the service does not answer, {lost}")
        return 1
    except KeyboardInterrupt:
        return 130
    return 0


if __name__ == "__main__":
    if sys.argv[1:2] == ["--random"]:
        play_random("".join(sys.argv[2:3]))
    else:
        sys.exit(main())
