"""Requests that schemathesis makes from the OpenAPI document: whatever fits it, or misses it, gets an answer that it lists.

`tests.answers` holds each answer against the document. `API_EXAMPLES=500` makes a long run of it.
"""

from __future__ import annotations

import json
import os
import uuid
from functools import cache
from typing import Any
from urllib.parse import quote

import pytest
import schemathesis
from django.db import transaction
from django.test import Client
from hypothesis import HealthCheck, given, seed, settings
from hypothesis import strategies as st
from schemathesis.generation import GenerationMode

from accounts.tokens import SCOPES, create_token
from gamesvc.api.openapi.document import operations
from gamesvc.games import catalog
from tests.answers import document

pytestmark = [pytest.mark.long, pytest.mark.django_db]
EXAMPLES = int(os.environ.get("API_EXAMPLES", "12"))
MADE = [(path, method) for path, method, _operation in operations(document())]


@cache
def requests(path: str, method: str) -> st.SearchStrategy[Any]:
    """Return requests to an operation: some as the document asks for, some not."""
    described = json.loads(json.dumps(document()))
    operation = schemathesis.openapi.from_dict(described)[path][method.upper()]
    return st.one_of(*(operation.as_strategy(generation_mode=mode) for mode in GenerationMode))


@pytest.fixture
def caller(anna, ben, program):
    """A token with every scope of a player, and what its addresses may name: a running match of each kind, and a player."""
    one, other = program(anna), program(ben)
    played = one.post("/matches/", {"game": "stratastar"}).json()["number"]
    other.post(f"/matches/{played}/join/")
    waiting = one.post("/matches/", {"game": catalog.OFFERED[-1]}).json()["number"]
    token = create_token(user=anna, name="all", scopes=[one for one in SCOPES if one != "operate"])[1]
    return token, {"ident": [played, waiting], "name": [ben.username], "game_id": ["stratastar"], "number": [1], "seat": [1]}


def send(case: Any, token: str, path: str) -> Any:
    headers = {name: value for name, value in (case.headers or {}).items() if value.isascii() and value.isprintable()}
    query = [(name, one) for name, given in (case.query or {}).items() for one in (given if isinstance(given, list) else [given])]
    asked = "&".join(f"{quote(str(name), errors='replace')}={quote(str(one), errors='replace')}" for name, one in query)
    body = b"" if isinstance(case.body, schemathesis.core.NotSet) else json.dumps(case.body, default=str).encode()
    client = Client(raise_request_exception=False)
    known = {**headers, "Authorization": f"Bearer {token}"}
    return client.generic(case.method, f"{path}?{asked}", body, "application/json", headers=known)


@pytest.mark.parametrize(("path", "method"), MADE)
def test_every_request_gets_an_answer_that_the_document_lists(path: str, method: str, caller: Any) -> None:
    token, known = caller

    @seed(19)
    @settings(
        max_examples=EXAMPLES, database=None, deadline=None, suppress_health_check=list(HealthCheck), report_multiple_bugs=False
    )
    @given(data=st.data())
    def ask(data: st.DataObject) -> None:
        case = data.draw(requests(path, method))
        named = {}
        for name, value in (case.path_parameters or {}).items():
            real = st.sampled_from(known.get(name, [uuid.uuid5(uuid.NAMESPACE_URL, name)]))
            named[name] = quote(str(data.draw(real | st.just(value))), safe="", errors="replace")
        with transaction.atomic():
            answer = send(case, token, path.format(**named))
            transaction.set_rollback(True)
        assert answer.status_code < 500, answer.content[:500]

    ask()
