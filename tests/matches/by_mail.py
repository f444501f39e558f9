"""Whole matches by mail: the service in separate processes, and players who only read and answer mails.

A player's `eyes` read the board through the API, as the player would read the picture in a mail; all acts go through SMTP. Time
runs fast here, an hour on the clocks is a few seconds. So the first question times out at once, and from then on both players are
on vacation, which puts their deadlines days away.
"""

from __future__ import annotations

import io
import json
import random
import re
import smtplib
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import make_msgid
from pathlib import Path
from typing import Any

import psycopg
from django.core.management import call_command

from gamesvc import embedded
from gamesvc.embedded.service import Service, free_port
from gamesvc.games import catalog
from gamesvc.games.kernel.events import REWOUND
from gamesvc.ops.client import Client
from gamesvc.ops.sink import CaughtMail, MailSink
from tests import databases
from tests.serving import environment_of, workers

PATIENCE = 60.0
SECONDS_PER_HOUR = 4
CLOCK = {"turn": "3h", "vacation": True}


MAKE = """
import json
from accounts import addresses, tokens
from accounts.models import User
made = {}
for name in ("host", "anna", "clara", "emma", "gina", "ida", "jan"):
    user = User.objects.create(username=name, email=f"{name}@players.example")
    addresses.add_verified_address(user, user.email)
    keys = range(5 if name == "host" else 1)
    made[name] = [tokens.create_token(user=user, name=str(at), scopes=["read", "play"]) for at in keys]
print(json.dumps({name: [[str(row.id), plain] for row, plain in rows] for name, rows in made.items()}))
"""


class World:
    """A running service, its mails, and the host who opens matches and never plays."""

    def __init__(self, service: Service, servers: embedded.Servers, sink: MailSink) -> None:
        self.service, self.servers, self.sink = service, servers, sink
        self.keys: dict[str, list[list[str]]] = json.loads(service.manage("shell", "--no-imports", "-c", MAKE))

    def eyes(self, name: str) -> Client:
        """Return the client that reads boards for an account. An account created by mail has no key, so it gets one of the
        host's.
        """
        if name not in self.keys:
            self.keys[name] = [self.keys["host"].pop()]
            with psycopg.connect(self.servers.owner_url, autocommit=True) as owner:
                owner.execute(
                    "UPDATE accounts_apitoken SET user_id = (SELECT id FROM accounts_user WHERE username = %s) WHERE id = %s",
                    [name, self.keys[name][0][0]],
                )
        return Client(self.service.url, self.keys[name][0][1])


def address(name: str) -> str:
    return f"{name}@players.example"


@contextmanager
def running(data: Path) -> Iterator[World]:
    """Start the service with all its processes, on its own servers."""
    with MailSink(data / "mail") as sink, embedded.use(data) as servers:
        databases.copy_into(servers)
        more = {"NOTICE_BATCH_MINUTES": "0", "INBOUND_ANSWERS_PER_DAY": "2000", "INBOUND_MAILS_PER_USER": "5000"}
        # The subjects tell what became of a mail.
        more = {"NOTICE_SUBJECT_PER_TURN": "1", "NOTICE_RECEIPT_MINUTES": "0", **more}
        environment = environment_of(data, servers, sink, seconds_per_hour=SECONDS_PER_HOUR, **more)
        with Service(data, port=free_port(), environment=environment, web_workers=1, workers=workers("inbound")) as service:
            yield World(service, servers, sink)


def wait_for(true: Callable[[], Any], what: str, seconds: float = PATIENCE) -> Any:
    until = time.monotonic() + seconds
    while not (found := true()):
        assert time.monotonic() < until, f"waited in vain for {what}"
        time.sleep(0.05)
    return found


class Player:
    """A player at a mail program."""

    def __init__(self, world: World, name: str) -> None:
        self.world = world
        self.name = name
        self.address = address(name)
        self.eyes: Client
        self.sent = 0

    def mails(self, reason: str = "", about: str = "") -> list[CaughtMail]:
        return [
            mail
            for mail in self.world.sink.to(self.address)
            if reason in str(mail.message["X-Game-Reason"]) and about in mail.subject
        ]

    def newest(self, reason: str = "", about: str = "", *, after: int = 0) -> CaughtMail:
        """Wait for the newest mail of a kind that can be answered; `after`: how many of the kind came before."""

        def found() -> CaughtMail | None:
            mails = self.mails(reason, about)[after:]
            return next((mail for mail in reversed(mails) if mail.message["Reply-To"]), None)

        return wait_for(found, f"a mail to {self.name} {reason} {about}")

    def letter(self, text: str, *, to: CaughtMail) -> EmailMessage:
        """Return an answer to a mail, which quotes it below as mail programs do."""
        answer = EmailMessage()
        answer["From"], answer["To"] = f"{self.name} <{self.address}>", str(to.message["Reply-To"])
        answer["Subject"] = f"Re: {to.subject}"
        answer["Message-ID"] = make_msgid(domain="players.example")
        answer["In-Reply-To"] = str(to.message["Message-ID"])
        quoted = "".join(f"> {line}\n" for line in to.text.splitlines()[:30])
        answer.set_content(f"{text}\n\nOn Fri, 21 Nov 2025 at 18:00, the service wrote:\n{quoted}")
        return answer

    def write(self, text: str, *, to: CaughtMail) -> str:
        """Answer a mail. Return the id of the answer."""
        answer = self.letter(text, to=to)
        self.post(answer)
        return str(answer["Message-ID"])

    def post(self, mail: EmailMessage) -> None:
        with smtplib.SMTP("127.0.0.1", self.world.service.mail_port, timeout=20) as server:
            server.sendmail(self.address, [str(mail["To"])], mail.as_bytes(policy=SMTP))
        self.sent += 1

    def receipts(self, message_id: str) -> list[CaughtMail]:
        """Return all mails of the service in reply to an answer so far."""
        return [mail for mail in self.mails() if mail.message["In-Reply-To"] == message_id]

    def receipt(self, message_id: str) -> CaughtMail:
        """Return the service's reply to an answer."""
        return self.world.sink.wait_for(lambda mail: mail.message["In-Reply-To"] == message_id, timeout=PATIENCE)

    def answer(self, text: str, *, to: CaughtMail) -> CaughtMail:
        return self.receipt(self.write(text, to=to))


class Table:
    """A match of two players, both by mail only."""

    def __init__(self, world: World, game: str, **opened: Any) -> None:
        self.world = world
        self.game = catalog.game(game)
        self.rng = random.Random(game)
        asked = {"game": game, "seats": 2, "take_seat": False, "entry": "invited", "clock": CLOCK, **opened}
        self.host = world.eyes("host")
        match = self.host.post("/api/v1/matches/", asked).body
        self.match, self.number = match["id"], match["number"]
        self.about = f"#{self.number}]"
        self.players: dict[int, Player] = {}

    def invite(self, known: str, stranger: str) -> None:
        """Invite one player by name and one by an unknown address; both answer."""
        first, second = Player(self.world, known), Player(self.world, stranger)
        first.eyes = self.world.eyes(known)
        place = f"/api/v1/matches/{self.match}/invitations/"
        self.host.post(place, {"user": known})
        self.host.post(place, {"address": second.address})
        joined = first.answer("join", to=first.newest("invitation"))
        unnamed = second.answer("join", to=second.newest("invitation"))
        assert "no seat yet" in unnamed.subject
        assert "join NAME" in unnamed.text
        named = second.answer(f"join {stranger}\n\nSent from my phone", to=unnamed)
        for player, mail in ((first, joined), (second, named)):
            assert "You have a seat" in mail.subject, mail.text
            seat = re.search(r"hold\s+seat\s+(\d)", mail.text)
            assert seat is not None, mail.text
            self.players[int(seat[1]) - 1] = player
        second.eyes = self.world.eyes(stranger)
        assert sorted(self.players) == [0, 1]

    def sit_down(self, *names: str) -> None:
        """Let players with accounts join through the API."""
        for name in names:
            player = Player(self.world, name)
            player.eyes = self.world.eyes(name)
            player.eyes.post(f"/api/v1/matches/{self.match}/join/")
            self.players[player.eyes.view(self.match)["seat"]] = player

    # --- looking ---

    def seen(self, seat: int = 0) -> Any:
        return self.players[seat].eyes.view(self.match)

    def position(self, seat: int) -> dict[str, Any]:
        """Return a seat's view without question ids and redos, which change after an undo."""
        return {name: what for name, what in self.seen(seat)["view"].items() if name not in ("awaited", "replay")}

    @property
    def over(self) -> bool:
        return bool(self.seen()["status"] != "running")

    @property
    def version(self) -> int:
        return int(self.seen()["version"])

    def kept(self) -> int:
        """Return the number of mails with waiting orders, behind a window or for a deadline."""
        query = "SELECT count(*) FROM matches_held_orders WHERE match_id = %s::uuid AND state = 'held'"
        with psycopg.connect(self.world.servers.owner_url) as owner:
            [count] = owner.execute(query, [self.match]).fetchone() or [0]
        return int(count)

    def mover(self) -> int:
        return int(self.seen()["awaited"][0]["seat"])

    def asked(self) -> list[int]:
        return [int(one["seat"]) for one in self.seen()["awaited"]]

    def prompts(self) -> list[str]:
        return [str(one["prompt"]) for one in self.seen()["awaited"]]

    def prompt(self) -> str:
        return str(self.seen()["awaited"][0]["prompt"])

    def kind(self) -> str:
        return str(self.seen()["awaited"][0]["kind"])

    def choose(self, seat: int) -> str:
        """Return an order for a seat as its player would write it."""
        seen, forms, _etag = self.players[seat].eyes.turn(self.match)
        return self.game.render(self.game.bots["greedy"](seen["view"], forms, self.rng))

    def events(self, after: int = 0) -> list[dict[str, Any]]:
        """Return the public events of the match after a version."""
        found: list[dict[str, Any]] = self.host.get(f"/api/v1/matches/{self.match}/events/?after={after}").body["events"]
        return found

    def acts(self, after: int = 0) -> list[dict[str, Any]]:
        """Return the public acts of the match after a version."""
        return [one["meta"] for one in self.events(after) if "actor" in one.get("meta", {})]

    def await_conditional_orders(self) -> None:
        """Wait until no conditional order is due. One that is played later would change what may be undone, and end a request."""
        behind = """SELECT count(*) FROM matches_premove p JOIN matches_match m ON m.id = p.match_id
            WHERE m.id = %s::uuid AND p.status IN ('waiting', 'armed') AND p.looked_version < m.version"""

        def none() -> bool:
            with psycopg.connect(self.world.servers.owner_url) as owner:
                return owner.execute(behind, [self.match]).fetchone() == (0,)

        wait_for(none, "the conditional orders")

    def offer(self, seat: int) -> Any:
        """Return the undo open to the seat, when no conditional order is due any more."""
        self.await_conditional_orders()
        return self.players[seat].eyes.get(f"/api/v1/matches/{self.match}/undo/").body

    def mail_of(self, seat: int) -> CaughtMail:
        return self.players[seat].newest(about=self.about)

    # --- playing ---

    def say(self, seat: int, text: str) -> CaughtMail:
        """Answer the newest mail about the match. Return the receipt."""
        return self.players[seat].answer(text, to=self.mail_of(seat))

    def step(self, plan: Plan | None = None, seat: int | None = None) -> int:
        """Send orders for an awaited seat, or the given one. At least the first succeeds, unless the clock was faster."""
        self.await_conditional_orders()
        given, seat = seat, self.mover() if seat is None else seat
        lines = [self.choose(seat)] if plan is None else plan(self, seat)
        receipt = self.say(seat, "\n".join([*lines, "END"]))
        text = " ".join(receipt.text.split())
        outdated = "turn is over" in receipt.subject or "turn was undone" in receipt.subject
        if outdated or "Something happened that you had not seen" in text:
            # The clock, a conditional order or the other player was faster than the newest mail: look again.
            return seat if self.over else self.step(plan, given)
        assert re.search(r"(\d of \d+ orders|orders?) done", receipt.subject), f"{lines}\n{receipt.text}"
        return seat

    # --- typical problems ---

    def mend_a_mistake(self) -> None:
        """An unreadable line stops the whole mail; the answer to its receipt corrects it."""
        seat, before = self.mover(), self.version
        order = self.choose(seat)
        receipt = self.say(seat, f"{order}\nxyzzy 12\nEND")
        assert "Nothing was done: a line cannot be read" in receipt.subject, f"{receipt.subject}\n{receipt.text}"
        assert "xyzzy 12: cannot be read" in receipt.text
        assert f"{order}: not done" in " ".join(receipt.text.split())
        assert self.version == before
        mended = self.players[seat].answer(f"{order}\nEND", to=receipt)
        assert "1 order done" in mended.subject, mended.text

    def stop_in_the_middle(self, illegal: str) -> None:
        """An illegal order stops the mail there; the one before it is carried out."""
        for _attempt in range(20):
            seat = self.mover()
            order = self.choose(seat)
            receipt = self.say(seat, f"{order}\n{illegal}\n{order}\nEND")
            if "the rest kept" not in receipt.subject:
                break
            # The first order has opened a window for the other player. What is held behind it is settled before the next try.
            while self.kept():
                other = next((one for one in self.asked() if one != seat), None)
                if other is not None:
                    self.step(seat=other)
                else:
                    time.sleep(0.1)
        text = " ".join(receipt.text.split())
        assert "1 of 3 orders done" in receipt.subject, receipt.text
        assert f"1. {order}: done" in text
        assert ": refused" in text
        assert f"3. {order}: not done" in text

    def undo_freely(self, plan: Plan | None = None) -> None:
        """Undo by one word what nobody has answered and what revealed nothing, and give it again."""
        for _attempt in range(20):
            seat = self.mover()
            before = self.position(seat)
            self.step(plan)
            if self.offer(seat)["how"] == "free":
                break
        receipt = self.say(seat, "undo\nEND")
        assert "1 order done" in receipt.subject, receipt.text
        assert self.position(seat) == before

    def lay_by(self, seat: int, order: str) -> None:
        """Create a conditional order, and list them."""
        receipt = self.say(seat, f"standing {order}\nstanding\nEND")
        text = " ".join(receipt.text.split())
        assert "Saved as conditional order 1." in text
        assert f"1: {order} (waiting)" in text

    def ask_to_undo(self, plan: Plan | None = None) -> None:
        """Undo what others have acted on, with their consent: asked by mail, and granted by mail."""
        for _attempt in range(10):
            seat = self.something_to_ask_for(plan)
            self.say(seat, "status\nEND")  # the other player has acted since this one's last mail, so they look at it first
            if self.offer(seat)["how"] == "ask":
                break  # else a conditional order of the seat has acted since, and that is undone freely
        other = self.players[1 - seat]
        before = len(other.mails("undo-asked"))
        version = self.version
        asking = self.say(seat, "undo\nEND")
        assert "The others are asked. The undo happens when they agree." in " ".join(asking.text.split()), asking.text
        assert not self.undone(version)
        request = other.newest("undo-asked", after=before)
        assert "undo yes" in request.text
        granted = other.answer("undo yes\nEND\n\nNo problem!", to=request)
        assert "1 order done" in granted.subject, granted.text
        assert self.undone(version) == [seat]
        wait_for(lambda: self.players[seat].mails("undo-answered", self.about), "the word that it is granted")
        late = other.answer("undo yes", to=request)
        assert "There is no open undo request" in " ".join(late.text.split()), late.text

    def something_to_ask_for(self, plan: Plan | None = None) -> int:
        """Play until a seat may undo its last order with the other player's consent. Return that seat."""
        for _attempt in range(20):
            seat = self.step(plan)
            if self.offer(seat)["how"] == "free" and self.mover() != seat:
                self.step(plan)
            if self.offer(seat)["how"] == "ask":
                return seat
        raise AssertionError(f"nothing to ask for: {self.offer(seat)}")

    def undone(self, after: int) -> list[int]:
        """Return the seats that have undone something since a version, from public events."""
        events = self.events(after)
        return [one["data"]["seat"] for one in events if one.get("type") == REWOUND and one["data"]["cause"] == "undo"]

    def go_on_vacation(self) -> None:
        """Send the players on vacation, so that their deadlines are put off."""
        today = datetime.now(UTC).date()
        for seat in (0, 1):
            receipt = self.say(seat, f"vacation {today}..{today + timedelta(days=2)}\nstatus\nEND")
            assert f"You are away from {today} to {today + timedelta(days=2)}." in " ".join(receipt.text.split())
        assert self.left() > timedelta(days=1)

    def come_back(self, seat: int) -> None:
        """Bring one player back, with their deadlines."""
        receipt = self.say(seat, "vacation off\nEND")
        assert "is called off" in " ".join(receipt.text.split())

    def left(self) -> timedelta:
        """Return the time that the awaited player still has."""
        return datetime.fromisoformat(self.seen()["awaited"][0]["due_at"]) - datetime.now(UTC)

    def run_out_of_time(self, *, late: bool = True) -> None:
        """Let the clock answer. An answer after it (`late`) gets an explanation."""
        seat, before = self.mover(), self.version
        asked = self.mail_of(seat)
        order = self.choose(seat)
        patience = PATIENCE + max(0.0, self.left().total_seconds())
        wait_for(lambda: any(act["actor"]["kind"] == "clock" for act in self.acts(before)), "the clock to act", patience)
        told = wait_for(lambda: self.players[seat].mails("timed-out", self.about), "the word that time ran out")
        assert "ran out" in " ".join(told[-1].text.split())
        if late:
            receipt = self.players[seat].answer(f"{order}\nEND", to=asked)
            assert "Nothing was done: that turn is over" in receipt.subject, receipt.text

    def cross(self) -> None:
        """Send orders of both players who are asked at once, before either knows of the other's."""
        orders = {seat: self.choose(seat) for seat in (0, 1)}
        sent = {seat: self.players[seat].write(f"{orders[seat]}\nEND", to=self.mail_of(seat)) for seat in (0, 1)}
        for seat, message_id in sent.items():
            receipt = self.players[seat].receipt(message_id)
            assert "1 order done" in receipt.subject, receipt.text

    def play_on(self, plan: Plan, most: int = 150) -> int:
        """Play to the end of the match. Return the number of mails."""
        mails = 0
        while not self.over:
            assert mails < most, "the match does not end"
            self.step(plan)
            mails += 1
        return mails

    def check_the_end(self, folder: Path) -> None:
        """Check that both players were told, only they and the clock acted, all by mail, and the export is proved."""
        for player in self.players.values():
            told = wait_for(lambda player=player: player.mails("match-over", self.about), f"the end to reach {player.name}")
            assert told[-1].message["Reply-To"] is not None, "rematch is answered"
            assert "rematch" in told[-1].text
        export = folder / f"{self.match}.jsonl"
        export.write_bytes(self.host.get(f"/api/v1/matches/{self.match}/export/").raw)
        metas = [json.loads(line).get("meta", {}) for line in export.read_text(encoding="utf-8").splitlines()]
        commands = [meta for meta in metas if "command" in meta]
        by_seats = [meta["channel"] for meta in commands if meta["actor"]["kind"] == "seat"]
        assert set(by_seats) == {"mail", "standing"}
        assert {meta["actor"]["kind"] for meta in commands} <= {"seat", "clock"}
        call_command("verify", str(export), stdout=io.StringIO())


Plan = Callable[[Table, int], list[str]]
