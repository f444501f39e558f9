"""Backup and restore through the real commands, each on its own server: pending work goes on afterwards."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from gamesvc import embedded
from gamesvc.ops import backups

pytestmark = pytest.mark.long
ROOT = Path(__file__).resolve().parents[2]
GIVEN = (
    "DATABASE_URL", "DATABASE_OWNER_URL", "REDIS_URL", "SECRET_KEY", "MATCH_KEYS", "CHECKPOINT_KEY", "CHECKPOINT_FILE",
    "GAMESVC_DATA",
)  # fmt: skip

# The acts of players' programs and workers, through the same services.
COMMON = """
import json, random, uuid
from datetime import timedelta
from django.conf import settings
from django.core.management import call_command
from django.utils import timezone
from accounts.addresses import add_verified_address
from accounts.models import User
from events.proofs import checkpoints
from gamesvc.matches.lobby import opening
from gamesvc.matches.notices import reply_addresses
from gamesvc.matches.play import turns
from gamesvc.matches.record import loading
from gamesvc.matches.record.rows import following
from gamesvc.matches.record.stream import STORE
from gamesvc.matches.statistics import totals
from gamesvc.matches.timekeeping import timeout_sweep
from gamesvc.matches.models import FeedCursor, Holding, Match, Question
from gamesvc.matches.record.append import Actor
from gamesvc.matches.play.turns import Sender
from notifications.inbound import addresses, pipeline, store
from notifications.parsing.cutting import Cut
from notifications.models import InboundMail, Outbox

def submit(match, seat, command):
    loaded = loading.load(match.id, match.game)
    sender = Sender(Actor("seat", seat), "api", timezone.now(), match.seats.get(index=seat).user_id)
    turns.submit(match=match, sender=sender, command=dict(command),
                 expected_version=loaded.viewer_version(seat), command_id=uuid.uuid4())

def play(match, rng, until):
    while True:
        loaded = loading.load(match.id, match.game)
        if loaded.ended or until(loaded):
            return loaded
        seat = rng.choice(loaded.awaited()).seat
        state = loaded.timeline.state
        forms = loaded.game.legal_commands(state, seat)
        submit(match, seat, loaded.game.bots["random"](loaded.game.view(state, seat), forms, rng))

def numbers():
    while totals.follow():
        pass
    return sorted([str(row.holder), row.answers, row.timeouts, row.finished] for row in Holding.objects.all())

def tell(**told):
    print("TOLD", json.dumps(told, default=str))
"""

BEFORE = """
anna, ben = (User.objects.create_user(username=name, email=name + "@players.example") for name in ("anna", "ben"))
for user in (anna, ben):
    add_verified_address(user, user.username + "@players.example")
over = opening.join_match(by=ben, match=opening.create_match(by=anna, game="stratastar", options={"max_rounds": 1}))
play(over, random.Random(1), lambda loaded: False)
match = opening.join_match(by=ben, match=opening.create_match(by=anna, game="stratastar"))
loaded = play(match, random.Random(2), lambda loaded: any(one.kind == "reaction" for one in loaded.awaited()))
[window] = loaded.awaited()
state = loaded.timeline.state
question = Question.objects.get(match=match, seat=window.seat, question=window.id)
holder = match.seats.get(index=window.seat).user
address = reply_addresses.reply_address(
    match=match, loaded=loaded, seat=window.seat, user=holder, key=uuid.uuid4(), question=question)
order = loaded.game.render(loaded.game.default_command(state, window.seat))
lines = ["From: " + holder.email, "To: " + address, "Subject: Re: your turn", "Message-ID: <one@players.example>", "", order, ""]
raw = chr(10).join(lines).encode()
assert store.store(Cut(raw), address=addresses.resolve(address), envelope_from=holder.email, received_at=timezone.now())
checkpoints.make()
checkpoints.append_file()
tell(numbers=numbers(), match=match.number, window=window.as_json(), order=order, version=loaded.version,
     queued=Outbox.objects.filter(status="queued").count(), over=over.number)
"""

AFTER = """
match = Match.objects.get(number=NUMBER)
loaded = loading.load(match.id, match.game)
# The time of the window runs out after the restore; the mail, taken before that, still holds it back.
Question.objects.filter(match=match).update(due_at=timezone.now() - timedelta(milliseconds=1))
told = {"window": [one.as_json() for one in loaded.awaited()], "version": loaded.version, "held": timeout_sweep.sweep(),
        "waiting": InboundMail.objects.filter(status="waiting").count(),
        "queued": Outbox.objects.filter(status="queued").count(), "numbers": numbers()}
pipeline.work()
after = loading.load(match.id, match.game)
told |= {"answered_by": STORE.read(match.id, loaded.version)[0].meta["channel"],
         "mail": list(InboundMail.objects.values_list("status", flat=True)),
         "timeouts": [one.version for one in STORE.read(match.id) if one.meta["actor"]["kind"] == "clock"]}
play(match, random.Random(3), lambda loaded: loaded.version > after.version + 40)
live = numbers()
call_command("rebuild", "--statistics")
told |= {"live": live, "from_zero": numbers(), "epochs": FeedCursor.objects.get(name="statistics").epoch}
checkpoints.make()
told["checkpoints"] = checkpoints.append_file()
tell(**told)
"""


class Server:
    """A data folder with its own servers, and the commands run on it."""

    def __init__(self, folder: Path, held: embedded.Servers) -> None:
        self.folder = folder
        # For commands that start no servers themselves.
        self.addresses = {"DATABASE_URL": held.database_url, "DATABASE_OWNER_URL": held.owner_url}
        kept = {name: value for name, value in os.environ.items() if name not in GIVEN}
        self.environment = {
            **kept,
            "GAMESVC_DATA": str(folder),
            "DJANGO_SETTINGS_MODULE": "gamesvc.settings.dev",
            "EMAIL_BACKEND": "django.core.mail.backends.locmem.EmailBackend",
            "REPLY_DOMAIN": "reply.games.example",
            "INBOUND_AUTH": "loopback",
            "LOG_LEVEL": "ERROR",
        }

    def manage(self, *arguments: str, code: int = 0, **more: str) -> str:
        done = subprocess.run(
            [sys.executable, "manage.py", *arguments],
            cwd=ROOT,
            env={**self.environment, **more},
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        assert done.returncode == code, (
            f"{arguments[0]} ended with {done.returncode}: {done.stdout[-3000:]} {done.stderr[-3000:]}"
        )
        return done.stdout if not code else done.stdout + done.stderr

    def run(self, script: str) -> dict[str, Any]:
        out = self.manage("shell", "-v", "0", "-c", COMMON + script)
        [line] = [line for line in out.splitlines() if line.startswith("TOLD ")]
        found: dict[str, Any] = json.loads(line.removeprefix("TOLD "))
        return found


@pytest.fixture(scope="module")
def servers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[Server]]:
    """Three empty servers, held for the whole of this file."""
    folders = [tmp_path_factory.mktemp(f"server{number}") for number in range(3)]
    held = [embedded.use(folder) for folder in folders]
    yield [Server(folder, one) for folder, one in zip(folders, held, strict=True)]
    for one in held:
        one.release()


@pytest.fixture(scope="module")
def backup(servers: list[Server], tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any]]:
    """A backup of a service with a finished match, an open window, a held deadline, unread mail and queued notices."""
    first = servers[0]
    first.manage("migrate", "--no-input", "-v", "0")
    before = first.run(BEFORE)
    folder = tmp_path_factory.mktemp("backups") / "first"
    told = json.loads(first.manage("backup", str(folder), "--json"))
    assert set(told["files"]) == {
        "database.dump", "checkpoints.jsonl", "keys/SECRET_KEY", "keys/MATCH_KEYS", "keys/CHECKPOINT_KEY",
    }  # fmt: skip
    return folder, before


def test_everything_goes_on_after_a_restore(servers, backup):
    folder, before = backup
    assert before["queued"] > 0
    second = servers[1]
    told = json.loads(second.manage("restore", str(folder), "--json"))
    assert told == {
        "ok": True, "epoch": told["epoch"], "matches": 2, "checkpoints": 1, "notes": [], "lost": [], "findings": [],
    }  # fmt: skip
    assert told["epoch"] > 1
    after = second.run(AFTER.replace("NUMBER", str(before["match"])))
    assert after["window"] == [before["window"]]
    assert (after["version"], after["held"], after["waiting"]) == (before["version"], 0, 1)
    assert after["queued"] == before["queued"]
    assert after["numbers"] == before["numbers"]
    assert (after["answered_by"], after["mail"], after["timeouts"]) == ("mail", ["done"], [])
    assert after["live"] == after["from_zero"] != before["numbers"], "the follower of the feed has missed nothing"
    assert after["epochs"] == told["epoch"]
    assert after["checkpoints"] == 1, "the file goes on where the backup left it"
    second.manage("audit")
    export = second.folder / "over.jsonl"
    second.manage("export", str(before["over"]), "--out", str(export))
    second.manage("verify", str(export))
    again = second.manage("restore", str(folder), code=1)
    assert "not empty" in again
    assert "restore that was broken off" in again


def test_without_the_keys_it_says_what_is_lost(servers, backup, tmp_path):
    folder, before = backup
    bare = tmp_path / "bare"
    shutil.copytree(folder, bare)
    shutil.rmtree(bare / "keys")
    said = servers[2].manage("restore", str(bare), code=1)
    assert "MATCH_KEYS does not open what key 'k1' sealed: 1 match cannot draw" in said
    assert f"({before['match']})" in said
    assert "SECRET_KEY has changed" in said
    assert "CHECKPOINT_KEY has changed" in said
    assert "2 matches and 1 checkpoint restored" in said


def test_a_damaged_backup_is_not_brought_back(servers, backup, tmp_path):
    folder, _ = backup
    broken = tmp_path / "broken"
    shutil.copytree(folder, broken)
    with (broken / "database.dump").open("r+b") as file:
        file.seek(3000)
        file.write(b"\0\0\0\0")
    assert "missing or damaged" in servers[0].manage("restore", str(broken), code=1)
    (broken / "manifest.json").unlink()
    assert "no whole backup" in servers[0].manage("restore", str(broken), code=1)
    assert "not empty: give each backup a folder of its own" in servers[0].manage("backup", str(folder), code=1)
    newer = tmp_path / "newer"
    shutil.copytree(folder, newer)
    manifest = json.loads((newer / "manifest.json").read_text())
    manifest["migrations"].append("matches.9999_later")
    (newer / "manifest.json").write_text(json.dumps(manifest))
    assert "newer version of the service (matches.9999_later" in servers[0].manage("restore", str(newer), code=1)


@pytest.mark.parametrize(
    "wrong",
    [{"keys": None}, {"epoch": "9"}, {"server": None}, {"migrations": {}}, {"files": []}, {"files": {}}],
    ids=lambda wrong: json.dumps(wrong),
)
def test_a_manifest_that_no_backup_wrote_is_refused_before_anything_is_brought_back(tmp_path, wrong):
    written = b"a dump"
    (tmp_path / "database.dump").write_bytes(written)
    whole = {
        "format": backups.FORMAT,
        "made_at": "2026-11-28T00:00:00Z",
        "epoch": 1,
        "server": 15,
        "migrations": ["matches.9999_later"],
        "keys": {},
        "files": {"database.dump": hashlib.sha256(written).hexdigest()},
    }
    (tmp_path / "manifest.json").write_text(json.dumps(whole))
    with pytest.raises(backups.BackupError, match="newer version"):
        backups.restore(tmp_path)
    (tmp_path / "manifest.json").write_text(json.dumps(whole | wrong))
    with pytest.raises(backups.BackupError, match=r"not one that a backup wrote|cannot be read"):
        backups.restore(tmp_path)


def test_a_backup_keeps_its_secrets_to_its_owner(backup):
    folder, _ = backup
    assert [oct(path.stat().st_mode & 0o777) for path in sorted(folder.rglob("*")) if path.is_file()] == ["0o600"] * 6
    assert folder.stat().st_mode & 0o077 == 0


def test_the_feed_misses_and_doubles_nothing(servers, backup):
    """Run `bench feed` with smaller numbers, on the first server, after everything else.

    Eight writers, one killed, a transaction left open, the consumer killed three times.
    """
    inside = {"GAMESVC_BENCH_INSIDE": "1", **servers[0].addresses}
    told = json.loads(servers[0].manage("bench", "feed", "--seconds", "0.1", "--json", **inside))
    [row] = told["rows"]
    assert row["events"] > 2000
    assert (row["missed"], row["doubled"], row["disordered"]) == (0, 0, 0)
    assert (row["writers_killed"], row["followers_killed"], row["transactions_left_open"]) == (1, 3, 1)
