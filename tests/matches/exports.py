"""Matches exported, forged and proved; and the JavaScript verifier beside ours."""

from __future__ import annotations

import base64
import json
import random
import shutil
import subprocess
import uuid
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from events import canonical
from gamesvc.games.kernel.game import Viewer
from gamesvc.matches.models import Match
from gamesvc.matches.proof import export
from gamesvc.matches.record import loading

SCRIPT = Path(__file__).resolve().parents[1] / "verifier" / "verify.mjs"
Edit = list[tuple[int, int, bytes]]


def export_of(match: Match, viewer: Viewer = None) -> bytes:
    loading.forget_all()
    return "".join(export.lines(loading.load(match.id, match.game), viewer)).encode()


# --- forging ---


def records_of(content: bytes) -> list[dict[str, Any]]:
    return [json.loads(line) for line in content.splitlines()[:-1]]


def forge(records: Sequence[dict[str, Any]], checkpoint: Any = None) -> bytes:
    """Return the file of a forger who knows the format: everything hashed again."""
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
    """Return where each line begins and ends, its newline included."""
    spans, start = [], 0
    for line in content.splitlines(keepends=True):
        spans.append((start, start + len(line)))
        start += len(line)
    return spans


def random_edits(content: bytes, count: int, rng: random.Random) -> list[tuple[Edit, int]]:
    """Return changes of an export, each with the number of the first line it spoils."""
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
            # The rest is valid up to the missing trailer.
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


# --- the JavaScript verifier ---


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
