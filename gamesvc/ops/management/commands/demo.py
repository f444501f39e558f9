"""`manage.py demo`: the whole service in a temporary folder plays real matches to their end, and reports what it does."""

from __future__ import annotations

import io
import json
import random
import re
import shutil
import smtplib
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from email.message import EmailMessage
from email.utils import make_msgid
from pathlib import Path

from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError, CommandParser

from gamesvc.embedded import EmbeddedError, environment
from gamesvc.embedded.service import Service, ServiceError, free_port
from gamesvc.errors import GamesvcError
from gamesvc.games import catalog
from gamesvc.json_types import JsonMapping, JsonObject
from gamesvc.matches.events import TimedOut
from gamesvc.ops.client import ApiError, Client
from gamesvc.ops.sink import CaughtMail, MailSink

# An hour on the demo's clocks, short enough to watch a deadline pass.
SECONDS_PER_HOUR = 6
# Hours for a deadline that must pass, and for one that must not, on however slow a machine.
SHORT_HOURS, LONG_HOURS = 1, 100
ROUNDS = 2


class Failed(GamesvcError):
    """The demo did not show what it promises."""


class Command(BaseCommand):
    help = "Start the service in a temporary folder and play real matches through the API, with mails and a timeout."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--out", type=Path, help="Leave the matches' exports and every mail (.eml) in this folder.")
        parser.add_argument(
            "--json", dest="as_json", action="store_true", help="Print the result as one line of JSON at the end."
        )

    def handle(self, *, out: Path | None, as_json: bool, **_: object) -> None:
        self.quiet = as_json
        began = time.monotonic()
        try:
            with environment.throwaway("gamesvc-demo-") as folder:
                result = self.run_in(folder)
                if out is not None:
                    self.keep(out, folder)
        except (EmbeddedError, ServiceError, ApiError, Failed) as error:
            raise CommandError(str(error)) from None
        result["seconds"] = round(time.monotonic() - began, 1)
        self.say(f"Done in {result['seconds']} s. Everything is stopped and removed.")
        if self.quiet:
            self.stdout.write(json.dumps(result))

    def run_in(self, folder: Path) -> JsonObject:
        """Start the service in a folder and play. Return the results."""
        sink = MailSink(folder / "mail")
        sink.start()
        settings = {
            "EMAIL_HOST": "127.0.0.1",
            "EMAIL_PORT": str(sink.port),
            "SECONDS_PER_HOUR": str(SECONDS_PER_HOUR),
            "SWEEP_SECONDS": "0.5",
        }
        try:
            with Service(folder, port=free_port(), environment=settings) as service:
                self.say(f"The service runs at {service.url}, its data in {folder}.")
                result = self.play(service, sink)
                result["mails"] = self.wait_for_mails(sink)
                self.verify(sink.folder.parent / "exports")
        finally:
            sink.stop()
        return result

    def say(self, text: str) -> None:
        if not self.quiet:
            self.stdout.write(text)
            self.stdout.flush()

    def play(self, service: Service, sink: MailSink) -> JsonObject:
        zones = {"anna": "Europe/Berlin", "ben": "America/New_York"}
        with ThreadPoolExecutor(2) as pool:
            asked = {
                name: pool.submit(service.manage, "player", name, f"{name}@players.example", "--time-zone", zone, "--json")
                for name, zone in zones.items()
            }
        players = {name: Client(service.url, json.loads(made.result())["token"]) for name, made in asked.items()}
        self.say("Two players have accounts and API tokens: anna in Berlin, ben in New York.")
        exports = sink.folder.parent / "exports"
        exports.mkdir()
        ben = ByMail(players["ben"], sink, "ben@players.example", service.mail_port)
        with ThreadPoolExecutor(1) as aside:
            # Its deadline passes while the other match is played.
            solo = aside.submit(self.play_solo, Client(service.url, players["anna"].token), exports)
            duel = self.play_duel(players["anna"], ben, exports)
            return {"stratastar": duel, "space_fleet_commander": solo.result()}

    def play_duel(self, anna: Client, ben: ByMail, exports: Path) -> JsonObject:
        """Play Stratastar from the lobby to the last event, with one undo on the way."""
        options = {"max_rounds": ROUNDS}
        opened = anna.post(
            "/api/v1/matches/", {"game": "stratastar", "hours": LONG_HOURS, "options": options, "contribution": "tea"}
        ).body
        match = opened["id"]
        self.say(f"anna opens Stratastar {opened['number']}; the draws are fixed by commitment {opened['commitment'][:16]}.")
        ben.eyes.post(f"/api/v1/matches/{match}/join/", {"contribution": "coffee"})
        ben.match = opened["number"]
        self.say("ben joins, the match starts. From now on ben answers by mail only.")
        commands = self.until_over(match, {0: anna, 1: ben}, undo=True)
        final = anna.get(f"/api/v1/matches/{match}/").body
        timed_out = self.export(anna, match, exports)
        names = [seat["name"] for seat in final["seats"]]
        ranking = [[names[seat] for seat in group] for group in final["outcome"]["ranking"]]
        self.say(f"ben sent {ben.sent} mails with orders and got a receipt for each.")
        self.say(f"Stratastar is over after {commands} commands ({final['outcome']['reason']}): {ranking}.")
        return {"match": match, "commands": commands, "by_mail": ben.sent, "outcome": final["outcome"], "time_outs": timed_out}

    def play_solo(self, anna: Client, exports: Path) -> JsonObject:
        """Play Space Fleet Commander to its end, with one timeout on the way."""
        opened = anna.post("/api/v1/matches/", {"game": "space_fleet_commander", "hours": SHORT_HOURS}).body
        match = opened["id"]
        self.say(f"anna opens Space Fleet Commander {opened['number']}, alone and with a short clock.")
        commands = self.until_over(match, {0: anna}, pause_at=2)
        final = anna.get(f"/api/v1/matches/{match}/").body
        timed_out = self.export(anna, match, exports)
        if not timed_out:
            raise Failed("No deadline ran out.")
        outcome = final["outcome"]
        self.say(
            f"Space Fleet Commander is over after {commands} commands: {outcome['reason']}, {outcome['scores'][0]} stars; "
            f"timeouts: {timed_out}."
        )
        return {"match": match, "commands": commands, "outcome": outcome, "time_outs": timed_out}

    def until_over(
        self, match: str, players: Mapping[int, Client | ByMail], pause_at: int | None = None, *, undo: bool = False
    ) -> int:
        """Play by the API's forms until the match is over. Before command `pause_at`, let the clock run out once.

        With `undo`, the first move that can be undone freely is undone and played again.
        """
        rng = random.Random(match)
        first = players[0]
        assert isinstance(first, Client)
        game = self.game_of(first, match)
        bot = catalog.game(game).bots["greedy"]
        commands = 0
        while True:
            seen = first.view(match)
            if seen["status"] != "running":
                if undo:
                    raise Failed("No move could be undone.")
                return commands
            seat = seen["awaited"][0]["seat"]
            player = players[seat]
            if commands == pause_at:
                pause_at = None
                self.wait_for_clock(first, match, seen["version"])
                continue
            client = player.eyes if isinstance(player, ByMail) else player
            seen, forms, etag = client.turn(match)
            if not forms:
                continue  # the clock was faster
            command = bot(seen["view"], forms, rng)
            if isinstance(player, ByMail):
                commands += player.order(seen, catalog.game(game).render(command))
                continue
            try:
                client.command(match, command, etag)
            except ApiError as error:
                # The clock may have answered in between: look again.
                if error.answer.status not in (412, 422):
                    raise
                continue
            commands += 1
            undo = undo and not self.undo_once(client, match)

    def undo_once(self, client: Client, match: str) -> bool:
        """Undo the last move if that is free. Return True if it was."""
        offer = client.get(f"/api/v1/matches/{match}/undo/").body
        if offer["how"] != "free":
            return False
        before = client.get(f"/api/v1/matches/{match}/view/?version={offer['to']}").body["view"]
        etag = client.get(f"/api/v1/matches/{match}/view/").headers["ETag"]
        try:
            client.post(f"/api/v1/matches/{match}/undo/", If_Match=etag)
        except ApiError as error:
            if error.answer.status not in (412, 422):
                raise
            return False  # the clock was faster
        if client.view(match)["view"] != before:
            raise Failed("After the undo the board differs from the one before the move.")
        self.say(f"A move is undone ({offer['order']}): the board is back at version {offer['to']}.")
        return True

    def game_of(self, client: Client, match: str) -> str:
        return str(client.get(f"/api/v1/matches/{match}/").body["game"])

    def wait_for_clock(self, client: Client, match: str, version: int) -> None:
        self.say("anna leaves her own match alone now; its deadline runs out.")

        def acted() -> bool:
            events = client.get(f"/api/v1/matches/{match}/events/?after={version}").body["events"]
            return any(event.get("meta", {}).get("actor", {}).get("kind") == "clock" for event in events)

        wait_until(acted, 60, "the clock did not act")
        self.say("The clock has answered for her, and the match goes on.")

    def export(self, client: Client, match: str, exports: Path) -> int:
        """Store the match's export. Return how many deadlines passed."""
        text = client.get(f"/api/v1/matches/{match}/export/").raw.decode()
        (exports / f"{match}.jsonl").write_text(text, encoding="utf-8")
        records = [json.loads(line) for line in text.splitlines()]
        return sum(record.get("type") == TimedOut.TYPE for record in records)

    def verify(self, exports: Path) -> None:
        """Prove the exports as anyone could on their own computer. Fails the demo if one does not hold."""
        files = sorted(map(str, exports.iterdir()))
        call_command("verify", *files, stdout=io.StringIO())
        self.say(f"Verified {len(files)} exports: chain, commitment, every draw, every decision.")

    def wait_for_mails(self, sink: MailSink) -> dict[str, int]:
        """Wait for the mails about the end of both matches, and count all mails by subject."""

        def told() -> bool:
            return sum(mail.reason == "match-over" for mail in sink.messages) >= 3

        wait_until(told, 60, "the mails about the ends did not come")
        counted: dict[str, int] = {}
        for mail in sink.messages:
            reason = str(mail.message["X-Game-Reason"])
            counted[reason] = counted.get(reason, 0) + 1
        self.say(f"Mails caught by the SMTP sink: {counted}.")
        return counted

    def keep(self, out: Path, folder: Path) -> None:
        out.mkdir(parents=True, exist_ok=True)
        for name in ("exports", "mail"):
            shutil.copytree(folder / name, out / name, dirs_exist_ok=True)
        self.say(f"Exports and mails are in {out}.")


class ByMail:
    """A player who answers the service's mails: one order per mail, by SMTP. `eyes` is the client for looking at the board."""

    def __init__(self, eyes: Client, sink: MailSink, address: str, port: int) -> None:
        self.eyes = eyes
        self.sink = sink
        self.address = address
        self.port = port
        self.match = 0
        self.sent = 0

    def order(self, seen: JsonMapping, order: str) -> bool:
        """Answer the newest mail about the match and wait for the receipt. Return True if the order was carried out."""
        answer = EmailMessage()
        answer["From"], answer["To"] = self.address, str(self.newest(seen["version"]).message["Reply-To"])
        answer["Subject"], answer["Message-ID"] = "Re: your turn", make_msgid(domain="players.example")
        answer.set_content(f"{order}\nEND\n")
        with smtplib.SMTP("127.0.0.1", self.port, timeout=20) as server:
            server.send_message(answer)
        self.sent += 1
        receipt = self.sink.wait_for(lambda mail: mail.message["In-Reply-To"] == answer["Message-ID"], timeout=40)
        return "1 order done" in receipt.text

    def newest(self, version: int) -> CaughtMail:
        """Return the mail that shows the match at a version; if none comes soon, the last that can be answered."""
        head = re.compile(rf"\b{version}:[0-9a-f]{{16}}\b")

        def answerable(mail: CaughtMail) -> bool:
            return self.address in mail.recipients and mail.is_about(self.match) and mail.message["Reply-To"] is not None

        try:
            return self.sink.wait_for(lambda mail: answerable(mail) and head.search(mail.text) is not None, timeout=5)
        except TimeoutError:
            self.sink.wait_for(answerable, timeout=30)
            return [mail for mail in self.sink.messages if answerable(mail)][-1]


def wait_until(true: Callable[[], bool], seconds: float, complaint: str) -> None:
    until = time.monotonic() + seconds
    while not true():
        if time.monotonic() > until:
            raise Failed(f"After {seconds} s {complaint}.")
        time.sleep(0.2)
