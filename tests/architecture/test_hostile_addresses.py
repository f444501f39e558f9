"""Hostile text in the address and headers of every API operation is never a fault of ours.

The operations and their fields come from the service's own OpenAPI document, so new ones are tested automatically.
"""

from __future__ import annotations

from urllib.parse import quote

import pytest

from tests.architecture.hostile_api import address, every_operation, prepared, send, ways, world  # noqa: F401
from tests.hostile import TEXTS

pytestmark = [pytest.mark.django_db, pytest.mark.long]
QUERIES = {"link", "as"}
"""Query parameters read for every match, and documented nowhere."""


@every_operation
def test_no_text_around_a_body_is_a_fault_of_ours(ways, method, path, operation):  # noqa: F811
    somebody, matches = ways
    body, headers, here = prepared(ways, path, operation)
    queries = {told["name"] for told in operation.get("parameters", ()) if told["in"] == "query"}
    queries |= QUERIES if "{ident}" in path else set()
    named = {told["name"] for told in operation.get("parameters", ()) if told["in"] == "path"}
    statuses = []
    for label, text in TEXTS.items():
        if "surrogate" in label:
            continue
        written = quote(text.encode(), safe="")
        for name in sorted(queries):
            statuses.append(send(somebody, method, f"{here}?{name}={written}", body, **headers).status_code)
        for name in sorted(named):
            statuses.append(send(somebody, method, address(path, matches[0], {name: written}), body, **headers).status_code)
        if "\n" not in text and method != "get":
            header = text.encode().decode("latin-1")
            for name in ("If-Match", "Idempotency-Key"):
                statuses.append(send(somebody, method, here, body, **{**headers, name: header}).status_code)
    # `send` has looked at the problem of each refusal.
    assert len(statuses) >= len(queries) + len(named)
    assert max(statuses, default=200) < 500
