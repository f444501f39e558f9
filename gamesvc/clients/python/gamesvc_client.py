"""A client of gamesvc for Python 3.11 or later, in one file without dependencies.

    client = Client("https://games.example", token)
    for turn in client.turns(forms=True):
        client.command(turn["match"], fill(random.choice(turn["forms"])), turn["etag"])

`Client` sends requests, and sends them again where that is safe. `fill` and `fits` read forms. Run as a program it plays in a
terminal: `python gamesvc_client.py --help`.
"""

from __future__ import annotations

import argparse
import hashlib
import http.client
import json
import os
import random
import re
import ssl
import sys
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

Json = dict[str, Any]
TRIES = 5
LONGEST_WAIT = 60.0
# The service sends a sign of life every 15 seconds.
SILENCE = 45.0
LARGEST = 64 * 2**20
"""The most bytes of an answer, or of a message of a stream. The service writes nothing near it but exports."""
LOST = (
    *(urllib.error.URLError, http.client.HTTPException, ConnectionError, TimeoutError, ssl.SSLError),
    *(json.JSONDecodeError, UnicodeDecodeError, RecursionError),
)
"""Exceptions for a lost connection, and for an answer that something in between has written."""


def pause(failed: int) -> float:
    """Return the seconds to wait after so many failures in a row."""
    return min(2.0 ** min(failed, 10) / 4, LONGEST_WAIT)


class TooLarge(ValueError):
    """An answer without end: it would fill the memory."""


class Problem(Exception):
    """An answer of the service that is a problem (RFC 9457). `code` says which; `/problems/CODE` explains it."""

    def __init__(self, status: int, body: Mapping[str, Any], retry_after: float | None = None) -> None:
        self.status = status
        self.code = str(body.get("code", ""))
        self.detail = str(body.get("detail", ""))
        self.errors: list[Json] = list(body.get("errors", ()))
        self.retry_after = retry_after
        super().__init__(f"{status} {self.code}: {self.detail}")

    @property
    def passes(self) -> bool:
        """Return True if the same request may be answered later. A proxy before a service that restarts says 502 or 504."""
        return self.status == 429 or self.status >= 500


class Client:
    """Requests of one user. Each method returns the JSON of the answer, or raises `Problem`."""

    def __init__(self, url: str, token: str, timeout: float = 60.0) -> None:
        self.url = url.rstrip("/")
        self.token = token
        self.timeout = timeout

    def call(self, method: str, path: str, body: Any = None, *, key: str = "", etag: str = "", **query: Any) -> Any:
        """Send a request to an address below `/api/v1`.

        It is sent again, with the same key, after a lost connection, 429 and any fault of the service: up to five times in all.
        """
        sent = {"Idempotency-Key": key or str(uuid.uuid4()), "Accept": "application/json"}
        if etag:
            sent["If-Match"] = etag
        data = None if body is None else json.dumps(body).encode()
        if data is not None:
            sent["Content-Type"] = "application/json"
        for attempt in range(1, TRIES + 1):
            try:
                with self._open(method, f"/api/v1{path}", data, sent, query) as answer:
                    content = _whole(answer)
                    return json.loads(content) if content else None
            except Problem as problem:
                if attempt == TRIES or not problem.passes:
                    raise
                time.sleep(min(problem.retry_after or 2.0**attempt, LONGEST_WAIT))
            except LOST:
                if attempt == TRIES:
                    raise
                time.sleep(pause(attempt))
        raise AssertionError

    def turns(self, *, forms: bool = False) -> Iterator[Json]:
        """Yield the decisions that wait for you, the most urgent first. With `forms`, each has what you can do."""
        cursor: Json = {}
        while True:
            page = self.call("GET", "/me/turns/", forms=str(forms).lower(), **cursor)
            yield from page["results"]
            if not page["next"]:
                return
            cursor = {"cursor": page["next"]}

    def view(self, match: str) -> Json:
        return dict(self.call("GET", f"/matches/{match}/view/"))

    def command(self, match: str, command: Json, etag: str, key: str = "") -> Json:
        """Send a command that answers the position with this ETag. The receipt has the forms of what you can do next."""
        return dict(self.call("POST", f"/matches/{match}/commands/", command, key=key, etag=etag, forms="true"))

    def order(self, match: str, text: str, etag: str, key: str = "") -> Json:
        """Send a command in the game's notation."""
        return dict(self.call("POST", f"/matches/{match}/orders/", {"text": text}, key=key, etag=etag, forms="true"))

    def export(self, match: str) -> bytes:
        """Return the export of a match: its events as lines of JSON, which anyone can verify."""
        with self._open("GET", f"/api/v1/matches/{match}/export/", None, {}, {}) as answer:
            return bytes(answer.read())

    def follow(self, match: str = "") -> Iterator[Json]:
        """Yield a message for each change in a match, or in all of yours, without end. Connects again where it was cut."""
        path = f"/api/v1/matches/{match}/stream/" if match else "/api/v1/me/stream/"
        last, failed = "", 0
        while True:
            known = {"Accept": "text/event-stream", **({"Last-Event-ID": last} if last else {})}
            try:
                with self._open("GET", path, None, known, {}, SILENCE) as answer:
                    for identity, message in _messages(answer):
                        last, failed = identity or last, 0
                        yield message
            except Problem as problem:
                if not problem.passes:
                    raise
            except LOST:
                pass
            failed += 1
            time.sleep(pause(failed))

    def _open(self, method: str, path: str, data: bytes | None, headers: Json, query: Json, timeout: float = 0.0) -> Any:
        asked = f"?{urllib.parse.urlencode(query)}" if query else ""
        request = urllib.request.Request(f"{self.url}{path}{asked}", data, headers, method=method)
        # Not repeated to the process that a stream is redirected to: that has a ticket.
        request.add_unredirected_header("Authorization", f"Bearer {self.token}")
        try:
            return urllib.request.urlopen(request, timeout=timeout or self.timeout)
        except urllib.error.HTTPError as error:
            with error:
                content = error.read(LARGEST)
            try:
                body = json.loads(content)
            except ValueError:
                body = None
            if not isinstance(body, dict):
                body = {"detail": content[:200].decode(errors="replace")}
            after = error.headers.get("Retry-After", "")
            raise Problem(error.code, body, float(after) if after.isdecimal() else None) from None


def _whole(answer: Any) -> bytes:
    """Return the body of an answer. Raises `TooLarge`."""
    content = bytes(answer.read(LARGEST + 1))
    if len(content) > LARGEST:
        raise TooLarge(f"The answer has more than {LARGEST} bytes.")
    return content


def _messages(lines: Any) -> Iterator[tuple[str, Json]]:
    """Read Server-Sent Events: yield the id and the data of each message. Raises `TooLarge`."""
    identity, data = "", []
    size = 0
    while line := lines.readline(LARGEST + 1):
        size = size + len(line) if line.strip() else 0
        if size > LARGEST:
            raise TooLarge(f"A message has more than {LARGEST} bytes.")
        name, _, value = line.decode().rstrip("\r\n").partition(":")
        if name == "id":
            identity = value.strip()
        elif name == "data":
            data.append(value.strip())
        elif not name and not value and data:
            yield identity, json.loads("\n".join(data))
            data = []


# --- forms ---


def fill(form: Mapping[str, Any], rng: random.Random | None = None) -> Json:
    """Return a random command that a form offers. Raises ValueError if none was found."""
    return dict(_sample(form["parameters"], rng or random.Random()))


def fits(schema: Mapping[str, Any], value: Any) -> bool:
    """Return True if a value fits the schema of a form, the keywords of gamesvc included (`/api/docs/forms/`)."""
    if "oneOf" in schema:
        return any(fits(one, value) for one in schema["oneOf"])
    if "const" in schema and not _same(schema["const"], value):
        return False
    if "enum" in schema and not any(_same(one, value) for one in schema["enum"]):
        return False
    kinds = schema.get("type", ())
    if kinds and _kind(value) not in ([kinds] if isinstance(kinds, str) else kinds):
        return False
    if isinstance(value, str):
        whole = re.fullmatch(schema["pattern"], value, re.ASCII) if "pattern" in schema else True
        return bool(whole) and schema.get("minLength", 0) <= len(value) <= schema.get("maxLength", len(value))
    if isinstance(value, int) and not isinstance(value, bool):
        return bool(schema.get("minimum", value) <= value <= schema.get("maximum", value))
    if isinstance(value, list):
        return _fits_array(schema, value)
    return _fits_object(schema, value) if isinstance(value, dict) else True


def _kind(value: Any) -> str:
    names = {bool: "boolean", int: "integer", str: "string", list: "array", dict: "object", type(None): "null"}
    return names.get(type(value), "")


def _same(one: Any, other: Any) -> bool:
    return bool(one == other) and isinstance(one, bool) == isinstance(other, bool)


def _fits_array(schema: Mapping[str, Any], items: list[Any]) -> bool:
    if not schema.get("minItems", 0) <= len(items) <= schema.get("maxItems", len(items)):
        return False
    if not all(fits(schema.get("items", {}), one) for one in items):
        return False
    written = Counter(json.dumps(one, sort_keys=True) for one in items)
    if schema.get("uniqueItems") and max(written.values(), default=0) > 1:
        return False
    if "supply" in schema and Counter(items) - Counter(schema["supply"]):
        return False
    for name in schema.get("pairwise", ()):
        if len({one.get(name) for one in items}) < len(items):
            return False
    return _fits_total(schema, items)


def _fits_object(schema: Mapping[str, Any], value: Json) -> bool:
    known = schema.get("properties", {})
    rest = schema.get("additionalProperties", not known)
    if not set(schema.get("required", ())) <= set(value) or len(value) < schema.get("minProperties", 0):
        return False
    for name, one in value.items():
        sub = known.get(name, rest)
        if sub is False or (isinstance(sub, dict) and not fits(sub, one)):
            return False
    return _fits_total(schema, [one for one in value.values() if _kind(one) == "integer"])


def _worth(total: Mapping[str, Any], item: Any) -> int:
    if isinstance(item, dict):
        return sum(one for one in item.values() if _kind(one) == "integer")
    return int(item) if _kind(item) == "integer" else int(total.get("worth", {}).get(item, 1))


def _fits_total(schema: Mapping[str, Any], items: Sequence[Any]) -> bool:
    if "total" not in schema:
        return True
    total = schema["total"]
    worths = [_worth(total, one) for one in items]
    least = total.get("minimum", 0)
    if not least <= sum(worths) <= total.get("maximum", sum(worths)):
        return False
    return total.get("spare", True) or all(sum(worths) - one < least for one in worths)


def _sample(schema: Mapping[str, Any], rng: random.Random) -> Any:
    for _ in range(300):
        value = _draw(schema, rng)
        if fits(schema, value):
            return value
    if "default" in schema and fits(schema, schema["default"]):
        return schema["default"]
    raise ValueError(f"no value found for {schema}")


def _draw(schema: Mapping[str, Any], rng: random.Random) -> Any:
    """Return a value that fits, but for sums and what items must not share."""
    if "oneOf" in schema:
        return _sample(rng.choice(schema["oneOf"]), rng)
    if "const" in schema:
        return schema["const"]
    for listed in ("enum", "examples"):
        if listed in schema:
            return rng.choice(schema[listed])
    kinds = schema.get("type", "null")
    kind = kinds if isinstance(kinds, str) else rng.choice(kinds)
    if kind == "integer":
        return rng.randint(schema.get("minimum", 0), schema.get("maximum", 100))
    if kind == "object":
        return _draw_object(schema, rng)
    if kind == "array":
        return _draw_array(schema, rng)
    return {"boolean": rng.random() < 0.5, "string": "text"[: schema.get("maxLength", 4)]}.get(kind)


def _draw_object(schema: Mapping[str, Any], rng: random.Random) -> Json:
    needed = schema.get("required", ())
    value = {
        name: _sample(sub, rng) for name, sub in schema.get("properties", {}).items() if name in needed or rng.random() < 0.5
    }
    return _settled(schema.get("total"), value, schema.get("properties", {}), rng)


def _draw_array(schema: Mapping[str, Any], rng: random.Random) -> list[Any]:
    items, least = schema.get("items", {}), schema.get("minItems", 0)
    if "supply" in schema:
        pool = [one for one, count in schema["supply"].items() for _ in range(count)]
    elif "enum" in items:
        pool = list(items["enum"]) * (1 if schema.get("uniqueItems") else schema.get("maxItems", 1))
    else:
        size = rng.randint(least, schema.get("maxItems", least + 2))
        options = list(items.get("oneOf", ()))
        chosen = rng.sample(options, min(size, len(options))) if "pairwise" in schema and options else [items] * size
        found = [_sample(one, rng) for one in chosen]
        return _settled_items(schema.get("total"), found, chosen, rng)
    rng.shuffle(pool)
    if "total" not in schema:
        return pool[: rng.randint(least, min(schema.get("maxItems", len(pool)), len(pool)))]
    return _paid(schema["total"], pool, rng)


def _paid(total: Mapping[str, Any], pool: list[Any], rng: random.Random) -> list[Any]:
    """Choose items until their worth is enough, then leave out what is not needed."""
    least, most = total.get("minimum", 0), total.get("maximum", 10**9)
    goal = least if not total.get("spare", True) else rng.randint(least, min(most, least + 3))
    chosen: list[Any] = []
    for one in pool:
        sum_now = sum(_worth(total, other) for other in chosen)
        if sum_now < goal and sum_now + _worth(total, one) <= most:
            chosen.append(one)
    for one in sorted(chosen, key=lambda item: _worth(total, item)):
        if not total.get("spare", True) and sum(_worth(total, other) for other in chosen) - _worth(total, one) >= least:
            chosen.remove(one)
    return chosen


def _settled(total: Mapping[str, Any] | None, value: Json, known: Mapping[str, Any], rng: random.Random) -> Json:
    """Change the integers of an object so that their sum fits, as far as each allows."""
    names = [name for name, one in value.items() if _kind(one) == "integer"] if total else []
    rng.shuffle(names)
    for name in names:
        value[name] += _missing(total or {}, sum(value[one] for one in names))
        value[name] = max(known[name].get("minimum", 0), min(known[name].get("maximum", value[name]), value[name]))
    return value


def _settled_items(total: Mapping[str, Any] | None, items: list[Any], schemas: Sequence[Any], rng: random.Random) -> list[Any]:
    places = [(at, name) for at, one in enumerate(items) if total and isinstance(one, dict) for name in one]
    rng.shuffle(places)
    for at, name in places:
        if _kind(items[at][name]) == "integer":
            limits = schemas[at].get("properties", {}).get(name, {})
            wanted = items[at][name] + _missing(total or {}, sum(_worth(total or {}, one) for one in items))
            items[at][name] = max(limits.get("minimum", 0), min(limits.get("maximum", wanted), wanted))
    return items


def _missing(total: Mapping[str, Any], now: int) -> int:
    """Return how much a sum has to change to fit."""
    return int(max(total.get("minimum", now) - now, 0) or min(total.get("maximum", now) - now, 0))


# --- proof ---


SEALED = {"match", "version", "digest", "hash"}
_MATCH = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.ASCII)
WHOLE = SEALED | {"type", "type_version", "data", "meta", "occurred_at", "salt"}


def check_chain(export: bytes) -> tuple[str, int, int, str]:
    """Return the match of an export, the number of its events, how many of them are proved by their content, and the last hash.

    Each event's digest is made of its content, and each hash of the digest and the hash before it (`/api/docs/proof/`). Of an
    event that is hidden from the export's reader, in whole or in part, only the place in the chain is proved: what the file shows
    of it may be anything. Raises ValueError where the chain is broken.
    """
    *lines, last, rest = export.split(b"\n")
    if rest or not lines:
        raise ValueError("the export has no events, or its last line is cut off")
    match, proved, before = "", 0, b""
    event: Json = {}
    for version, line in enumerate(lines, start=1):
        moment = event.get("occurred_at", "")
        event = _event(line, version)
        if not match:
            match = event["match"]
            before = hashlib.sha256(_prefixed("gamesvc.stream/1", match)).digest()
        if event["version"] != version or event["match"] != match or event.get("occurred_at", moment) < moment:
            raise ValueError(f"version {version}: another event stands here")
        if set(event) == WHOLE:
            if _digest(event) != event["digest"]:
                raise ValueError(f"version {version}: the content does not give the digest")
            proved += 1
        before = hashlib.sha256(before + bytes.fromhex(event["digest"])).digest()
        if before.hex() != event["hash"]:
            raise ValueError(f"version {version}: the hash does not follow from the one before")
    trailer = _read(last, "the last line").get("trailer")
    found = {"match": match, "count": len(lines), "head": before.hex()}
    if not isinstance(trailer, dict) or {name: one for name, one in trailer.items() if name != "checkpoint"} != found:
        raise ValueError("the last line does not fit the events")
    return match, len(lines), proved, before.hex()


def _event(line: bytes, version: int) -> Json:
    """Return an event, whole or hidden. Raises ValueError for anything else."""
    event = _read(line, f"version {version}")
    names = set(event)
    is_partial = event.get("redacted") is True and SEALED <= names < WHOLE | {"redacted"} and not names >= WHOLE
    numbers = [event[name] for name in ("version", "type_version") if name in event]
    texts = [event[name] for name in ("match", "type", "occurred_at", "salt", "digest", "hash") if name in event]
    if (
        not (names in (WHOLE, SEALED) or is_partial)
        or {type(one) for one in numbers} != {int}
        or {type(one) for one in texts} != {str}
        or not _MATCH.fullmatch(event["match"])
    ):
        raise ValueError(f"version {version}: this is no event")
    return event


def _read(line: bytes, place: str) -> Json:
    """Return the object of a line in canonical JSON. Raises ValueError for any other: it may say two things."""
    try:
        value = json.loads(line)
        written = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()
    except (ValueError, RecursionError):
        raise ValueError(f"{place}: this is not JSON") from None
    if not isinstance(value, dict) or written != line:
        raise ValueError(f"{place}: this is not canonical JSON")
    return value


def _digest(event: Json) -> str:
    data, meta = (json.dumps(event[name], sort_keys=True, separators=(",", ":"), ensure_ascii=False) for name in ("data", "meta"))
    known = (
        event["match"],
        event["version"],
        event["type"],
        event["type_version"],
        data,
        meta,
        event["occurred_at"],
        event["salt"],
    )
    return hashlib.sha256(_prefixed("gamesvc.event/1", *known)).hexdigest()


def _prefixed(*fields: Any) -> bytes:
    parts = [str(one).encode() for one in fields]
    return b"".join(len(one).to_bytes(4, "big") + one for one in parts)


# --- the player in a terminal ---


def printable(text: object) -> str:
    """Return a text for a terminal. What would steer that, such as a moved cursor, is written out: it may hide the rest."""
    return "".join(one if one.isprintable() or one in "\n\t\u00a0" else ascii(one)[1:-1] for one in str(text))


def _say(text: object, *, to: Any = None) -> None:
    (to or sys.stdout).write(f"{printable(text)}\n")
    (to or sys.stdout).flush()


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command of the player. Returns 1 where the service refused it, or did not answer."""
    parser = argparse.ArgumentParser(prog="gamesvc", description="Play on a gamesvc from a terminal.")
    parser.add_argument("--url", default=os.environ.get("GAMESVC_URL", "http://localhost:8000"), help="default: GAMESVC_URL")
    parser.add_argument("--token", default=os.environ.get("GAMESVC_TOKEN", ""), help="default: GAMESVC_TOKEN")
    kinds = parser.add_subparsers(dest="command", required=True)
    kinds.add_parser("turns", help="list what waits for you")
    play = kinds.add_parser("play", help="show a match, or give orders in it")
    play.add_argument("match", help="its number or id")
    play.add_argument("orders", nargs="*", help="orders in the game's notation, one an argument; none: show board and orders")
    watch = kinds.add_parser("watch", help="follow a match, or all of yours")
    watch.add_argument("match", nargs="?", default="")
    export = kinds.add_parser("export", help="write the record of a match, for verify")
    export.add_argument("match")
    export.add_argument("file", help="where to; - for standard output")
    verify = kinds.add_parser(
        "verify", help="check the chain of hashes of an export; `manage.py verify` checks the rules as well"
    )
    verify.add_argument("file")
    given = parser.parse_args(arguments)
    client = Client(given.url, given.token)
    try:
        {"turns": _turns, "play": _play, "watch": _watch, "export": _export, "verify": _verify}[given.command](client, given)
    except Problem as problem:
        _say(problem.detail or problem, to=sys.stderr)
        return 1
    except (*LOST, OSError, ValueError) as fault:
        _say(f"{type(fault).__name__}: {fault}" if isinstance(fault, LOST) else fault, to=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    return 0


def _turns(client: Client, given: argparse.Namespace) -> None:
    for turn in client.turns():
        _say(f"{turn['number']:>6}  {turn['game']:<24} {turn['prompt']:<30} {turn['due_at'] or 'paused'}")


def _play(client: Client, given: argparse.Namespace) -> None:
    if not given.orders:
        with client._open("GET", f"/api/v1/matches/{given.match}/board.txt", None, {}, {}) as answer:
            _say(_whole(answer).decode())
        forms = client.call("GET", f"/matches/{given.match}/forms/")
        _say(forms["help"])
    for text in given.orders:
        etag = f'"{uuid.uuid4()}"'
        for turn in client.turns():
            if given.match in (str(turn["number"]), turn["match"]):
                etag = turn["etag"]
        receipt = client.order(given.match, text, etag)
        _say(f"{text}: done, version {receipt['version']}{', your turn again' if receipt['awaited'] else ''}")


def _watch(client: Client, given: argparse.Namespace) -> None:
    for message in client.follow(given.match):
        _say(f"{message['match']} version {message['version']}{', your turn' if message['awaited'] else ''}")


def _export(client: Client, given: argparse.Namespace) -> None:
    content = client.export(given.match)
    if given.file == "-":
        sys.stdout.buffer.write(content)
    else:
        # For the reader's eyes alone: while the match runs, it has their hand.
        with open(given.file, "wb", opener=lambda path, flags: os.open(path, flags, 0o600)) as file:
            file.write(content)


def _verify(client: Client, given: argparse.Namespace) -> None:
    with open(given.file, "rb") as file:
        match, count, proved, head = check_chain(file.read())
    _say(f"{match}: {count} events, the chain holds, the content of {proved} is proved, head {head}")
    if proved < count:
        _say(f"{count - proved} are hidden: of these nothing but their place is proved")


if __name__ == "__main__":
    sys.exit(main())
