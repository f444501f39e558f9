"""Real matches played through the service to be exported, forged and proved; and the verifier in JavaScript beside ours."""

from __future__ import annotations

import base64
import json
import random
import shutil
import subprocess
import uuid
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

from django.utils import timezone

from events import canonical
from gamesvc.games.kernel import Viewer
from gamesvc.matches import clocks, export, loading, lobby, robots, turns
from gamesvc.matches.models import Match, Question
from gamesvc.matches.recording import Actor
from gamesvc.matches.turns import Sender

SCRIPT = Path(__file__).resolve().parents[1] / "verifier" / "verify.mjs"
Edit = list[tuple[int, int, bytes]]


def export_of(match: Match, viewer: Viewer = None) -> bytes:
    loading.forget_all()
    return "".join(export.lines(loading.load(match.id, match.game), viewer)).encode()


def act(match: Match, seat: int, command: dict[str, Any]) -> None:
    loaded = loading.load(match.id, match.game)
    turns.submit(
        match=match,
        sender=Sender(Actor("seat", seat), "api", timezone.now()),
        command=command,
        expected_version=loaded.viewer_version(seat),
        command_id=uuid.uuid4(),
    )


def play_out(match: Match, seed: int = 1, most: int = 1000) -> None:
    """Random forms, asides among them, to the end or for so many commands."""
    rng = random.Random(seed)
    for _ in range(most):
        loaded = loading.load(match.id, match.game)
        if loaded.ended:
            return
        seat = rng.choice(loaded.awaited()).seat
        state = loaded.timeline.state
        forms = loaded.game.legal_commands(state, seat)
        act(match, seat, dict(loaded.game.bots["random"](loaded.game.view(state, seat), forms, rng)))


def duel(anna: Any, ben: Any) -> Match:
    """A toy match with everything in it: sealed orders, a reaction that goes back, a time-out; then played out."""
    match = lobby.create_match(by=anna, game="toy", contribution_text="tea")
    match = lobby.join_match(by=ben, match=match, contribution_text="coffee")
    act(match, 1, {"name": "set_orders", "text": "grün \u0007 \"'"})
    act(match, 0, {"name": "play", "card": loading.load(match.id, "toy").timeline.state.hands[0][0]})
    played = loading.load(match.id, "toy").version - 2
    act(match, 1, {"name": "draw"})
    act(match, 1, {"name": "counter", "item": played})
    time_out(match)
    return match


def time_out(match: Match) -> None:
    Question.objects.filter(match=match).update(due_at=timezone.now() - timedelta(seconds=1))
    assert clocks.sweep() >= 1


def of_bots(host: Any, game: str, options: dict[str, Any] | None = None) -> Match:
    match = lobby.create_match(by=host, game=game, options=options, take_seat=False)
    match = lobby.start_match(by=host, match=match, bot="random")
    for _ in range(20):
        robots.play(match.id)
    match.refresh_from_db()
    return match


# --- forging ---


def records_of(content: bytes) -> list[dict[str, Any]]:
    return [json.loads(line) for line in content.splitlines()[:-1]]


def forge(records: Sequence[dict[str, Any]], checkpoint: Any = None) -> bytes:
    """The file that a forger makes who knows the format: everything hashed anew."""
    before = canonical.genesis(uuid.UUID(records[0]["match"]))
    lines = []
    for record in records:
        fields = {name: record[name] for name in ("version", "type", "type_version", "occurred_at")}
        data, meta = canonical.encode(record["data"]), canonical.encode(record["meta"])
        digest = canonical.digest(stream=record["match"], data=data, meta=meta, salt=bytes.fromhex(record["salt"]), **fields)
        before = canonical.link(before, digest)
        lines.append(canonical.encode({**record, "digest": digest.hex(), "hash": before.hex()}))
    trailer = {"match": records[0]["match"], "count": len(records), "head": before.hex()}
    if checkpoint is not None:
        trailer["checkpoint"] = checkpoint
    return b"\n".join([*lines, canonical.encode({"trailer": trailer}), b""])


def spans_of(content: bytes) -> list[tuple[int, int]]:
    """Where each line begins and ends, its newline included."""
    spans, start = [], 0
    for line in content.splitlines(keepends=True):
        spans.append((start, start + len(line)))
        start += len(line)
    return spans


def random_edits(content: bytes, count: int, rng: random.Random) -> list[tuple[Edit, int]]:
    """Changes of an export, each with the number of the first line it spoils."""
    spans = spans_of(content)
    lines = [content[start:end] for start, end in spans]
    edits: list[tuple[Edit, int]] = []
    while len(edits) < count:
        kind = rng.choice(("byte", "byte", "byte", "insert byte", "remove byte", "remove", "tail", "swap", "insert"))
        at = rng.randrange(len(content))
        line = next(number for number, (start, end) in enumerate(spans, 1) if start <= at < end)
        a, b = sorted(rng.sample(range(len(lines)), 2))
        if kind == "byte":
            edits.append(([(at, at + 1, bytes([rng.choice([c for c in range(256) if c != content[at]])]))], line))
        elif kind == "insert byte":
            edits.append(([(at, at, bytes([rng.randrange(256)]))], line))
        elif kind == "remove byte":
            edits.append(([(at, at + 1, b"")], line))
        elif kind == "remove":
            edits.append(([(spans[a][0], spans[b][0], b"")], a + 1))
        elif kind == "tail":
            # What is left is sound up to the missing trailer.
            edits.append(([(spans[b][0], len(content), b"")], len(lines)))
        elif kind == "swap":
            edits.append(([(*spans[a], lines[b]), (*spans[b], lines[a])], a + 1))
        else:
            edits.append(([(spans[b][0], spans[b][0], lines[a])], b + 1))
    return edits


def edited(content: bytes, edit: Edit) -> bytes:
    for start, end, text in reversed(edit):
        content = content[:start] + text + content[end:]
    return content


# --- the verifier in JavaScript ---


def node(*arguments: str) -> Any:
    program = shutil.which("node")
    assert program is not None, "Install Node.js: the independent verifier in tests/verifier is run with `node`."
    done = subprocess.run([program, str(SCRIPT), *arguments], capture_output=True, text=True, check=False, timeout=120)
    assert not done.stderr, done.stderr
    return json.loads(done.stdout)


def node_verify(folder: Path, *contents: bytes) -> list[dict[str, Any]]:
    files = [folder / f"{number}.jsonl" for number in range(len(contents))]
    for file, content in zip(files, contents, strict=True):
        file.write_bytes(content)
    found: list[dict[str, Any]] = node(*map(str, files))
    return found


def node_judge(folder: Path, content: bytes, edits: Sequence[Edit]) -> list[dict[str, Any]]:
    (folder / "whole.jsonl").write_bytes(content)
    parts = [[[start, end, base64.b64encode(text).decode()] for start, end, text in edit] for edit in edits]
    (folder / "edits.json").write_text(json.dumps(parts), encoding="ascii")
    found: list[dict[str, Any]] = node("--mutations", str(folder / "whole.jsonl"), str(folder / "edits.json"))
    return found
