"""The examples of the OpenAPI document: requests and answers of real matches, and what recorded matches hold.

`tests/api/test_examples.py` records them. Of a long list an example has the first items.
"""

from __future__ import annotations

import functools
import json
from pathlib import Path
from typing import Any

Document = dict[str, Any]
FILE = Path(__file__).parent / "examples.json"
JSON = "application/json"


@functools.cache
def _recorded() -> Document:
    found: Document = json.loads(FILE.read_text(encoding="utf-8"))
    return found


def shape(name: str) -> Any:
    """Return an example of a shape of a game, or None."""
    return _recorded()["shapes"].get(name)


def command(game_id: str, name: str) -> Any:
    """Return an example of a command, or None."""
    return _recorded()["commands"].get(game_id, {}).get(name)


def event(type_: str) -> Any:
    """Return an example of an event: its type, its version and its content. Or None."""
    return _recorded()["events"].get(type_)


def told(example: Any) -> Document:
    """Return what a schema says of an example; nothing of None."""
    return {} if example is None else {"examples": [example]}


def add(path: str, method: str, operation: Document) -> None:
    """Give the request of an operation and its answers their examples."""
    for status, answer in operation["responses"].items():
        recorded = _recorded()["operations"].get(f"{method} {path} {status}")
        if recorded is None:
            continue
        if media := answer.get("content", {}).get(JSON):
            media["example"] = recorded["answer"]
        if "request" in recorded and (sent := operation.get("requestBody", {}).get("content", {}).get(JSON)):
            sent["example"] = recorded["request"]
