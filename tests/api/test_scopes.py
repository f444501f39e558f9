"""Scopes of tokens: every address declares its scopes, and no token reaches further."""

from __future__ import annotations

import importlib
import uuid

import pytest
from django.apps import apps
from django.core.exceptions import ImproperlyConfigured
from django.test import Client
from rest_framework.response import Response

from accounts.models import ApiToken, User
from accounts.tokens import SCOPES, create_token
from gamesvc.api.v1.base import PUBLIC, View, endpoint
from gamesvc.api.v1.index import OpenAPI
from gamesvc.matches.errors import Forbidden
from gamesvc.matches.lobby import opening
from gamesvc.matches.organising import looks
from tests.architecture.test_layout import ROOT, tracked
from tests.walking import doors

API = doors("api/v1/")
DOORS = [(door, method) for door in API for method in door.methods]
NAMES = [f"{method} {door.route.removeprefix('api/v1/')}" for door, method in DOORS]
PARAMETERS = {"kind": "svg", "seat": 0, "version": 1, "number": 1, "name": "ines", "game_id": "stratastar", "service": "ntfy"}


@pytest.fixture
def operator(player):
    return player("olga", is_staff=True)


def call(door, method, user, scopes, ident=1):
    """Send a request with a token that has exactly these scopes."""
    values = {
        "ident": ident,
        "token_id": uuid.uuid4(),
        "absence_id": 1,
        "hook_id": uuid.uuid4(),
        "delivery_id": uuid.uuid4(),
        "challenge_id": uuid.uuid4(),
        "follow_id": 1,
        **PARAMETERS,
    }
    plain = create_token(user=user, name="test", scopes=scopes)[1]
    headers = {"Authorization": f"Bearer {plain}", "Idempotency-Key": "k", "If-Match": '"x"'}
    path = door.path(**{name: values[name] for name in door.parameters})
    return Client(raise_request_exception=False).generic(method, path, b"{}", "application/json", headers=headers)


def lacks_scope(answer) -> bool:
    return answer.status_code == 403 and "lacks the scope" in answer.json()["detail"]


def test_every_address_of_the_api_declares_the_scope_of_each_method():
    assert len(API) > 60
    for door in API:
        declared = door.view.initkwargs["scopes"]
        assert set(declared) == set(door.methods), door.route
        assert all(needed and set(needed) <= {PUBLIC, *SCOPES} for needed in declared.values()), door.route


def test_an_address_without_a_scope_cannot_be_served():
    class Both(View):
        def get(self, request):
            return Response()

        def post(self, request):
            return Response()

    for scopes in ({}, {"GET": "read"}, {"GET": "read", "POST": "fly"}, {"GET": "read", "POST": "play", "PUT": "play"}):
        with pytest.raises(ImproperlyConfigured, match="both/"):
            endpoint("both/", Both, **scopes)
    assert endpoint("both/", Both, GET=PUBLIC, POST=("play", "operate"))


@pytest.mark.parametrize(("door", "method"), DOORS, ids=NAMES)
def test_a_token_without_the_scope_is_refused(toy, operator, door, method):
    needed = door.view.initkwargs["scopes"][method]
    match = opening.create_match(by=operator, game=toy)
    # Every token may read.
    others = [scope for scope in SCOPES if scope not in needed and needed != ("read",)]
    if PUBLIC not in needed and others:
        answer = call(door, method, operator, others, match.number)
        assert lacks_scope(answer), answer.content
        assert f"scope {' or '.join(needed)};" in answer.json()["detail"]
    for scope in needed:
        answer = call(door, method, operator, [scope if scope != PUBLIC else "read"], match.number)
        assert not lacks_scope(answer), answer.content


def test_the_description_is_made_once_and_need_not_be_sent_again(client, monkeypatch):
    first = client.get("/api/v1/openapi.json")
    monkeypatch.setattr(OpenAPI, "_get_schema_response", None)
    again = client.get("/api/v1/openapi.json")
    assert (again.content, again["ETag"], again["Content-Type"]) == (first.content, first["ETag"], first["Content-Type"])
    known = client.get("/api/v1/openapi.json", headers={"If-None-Match": first["ETag"]})
    assert (known.status_code, known.content) == (304, b"")


def test_the_description_names_the_scope_of_each_endpoint(client):
    document = client.get("/api/v1/openapi.json").json()
    for door, method in DOORS:
        if door.route.endswith("openapi.json"):
            continue
        path = "/" + door.route
        for name, kind in door.parameters.items():
            path = path.replace(f"<{kind}:{name}>", f"{{{name}}}")
        operation = document["paths"][path][method.lower()]
        needed = door.view.initkwargs["scopes"][method]
        if PUBLIC in needed:
            assert {} in operation["security"]
            assert "Scope: none" in operation["description"]
        else:
            assert [one["token"] for one in operation["security"] if "token" in one] == [[scope] for scope in needed]
            assert {"session": []} in operation["security"]
            assert all(f"`{scope}`" in operation["description"].rpartition("Scope: ")[2] for scope in needed)


# --- operators ---


@pytest.fixture
def strangers(toy, anna, ben):
    return opening.join_match(by=ben, match=opening.create_match(by=anna, game=toy))


def ruling(action="abort"):
    return {"action": action, "code": "other", "reason": "no reason"}


@pytest.mark.parametrize("scopes", [(), ("organise",), ("account",)])
def test_an_operators_token_without_operate_is_a_players(strangers, operator, program, scopes):
    caller = program(operator, *scopes)
    assert caller.post(f"/matches/{strangers.number}/organise/", ruling()).status_code in (403, 404)
    rewind = {"to": 7, "code": "other", "reason": "no reason"}
    assert caller.post(f"/matches/{strangers.number}/rewind/", rewind, etag='"x"').status_code in (403, 404)
    strangers.refresh_from_db()
    assert strangers.status == "running"


def test_an_operators_token_with_operate_rules(strangers, operator, program):
    strangers.watch = "all"
    strangers.save(update_fields=["watch"])
    answer = program(operator, "operate").post(f"/matches/{strangers.number}/organise/", ruling())
    assert answer.status_code == 200, answer.content
    strangers.refresh_from_db()
    assert strangers.over


def test_a_token_without_operate_reads_no_refused_commands_of_strangers(toy, anna, ben, operator, program):
    match = opening.join_match(by=ben, match=opening.create_match(by=anna, game=toy, watch="all"))
    player = program(anna)
    tag = player.get(f"/matches/{match.number}/view/")["ETag"]
    assert player.post(f"/matches/{match.number}/commands/", {"name": "counter", "item": 7}, etag=tag).status_code == 422
    assert program(operator).get(f"/matches/{match.number}/refusals/").json()["results"] == []


def test_a_key_without_operate_looks_behind_nothing(strangers, operator):
    operator.speaks_as_operator = False
    strangers.refresh_from_db()
    with pytest.raises(Forbidden):
        looks.look_behind(by=operator, match=strangers, seat=0, version=strangers.version, reason="curious")


def test_only_accounts_asks_for_the_flag_of_operators():
    """Other code checks `is_operator`, which is false for a token without the scope."""
    asking = [
        path
        for path in tracked()
        if path.startswith(("gamesvc/", "events/", "notifications/")) and path.endswith((".py", ".html"))
        if ".is_staff" in (ROOT / path).read_text(encoding="utf-8")
    ]
    # The command that creates operators, the page of their own account, and the rule that nobody suspends one.
    assert set(asking) <= {
        "gamesvc/ops/management/commands/player.py",
        "gamesvc/web/account/profile.py",
        "gamesvc/matches/organising/moderation.py",
    }


def test_a_host_with_a_playing_token_removes_nobody(toy, anna, program):
    match = opening.create_match(by=anna, game=toy)
    for method, path in (("POST", "cancel/"), ("DELETE", "seats/0/")):
        assert lacks_scope(program(anna).call(method, f"/matches/{match.number}/{path}"))
    assert program(anna, "organise").post(f"/matches/{match.number}/cancel/").status_code == 200


# --- former tokens, all tokens ---


def test_old_keys_keep_what_they_could_do_to_matches(anna):
    playing = create_token(user=anna, name="old bot", scopes=["read", "play"])[0]
    ruling = create_token(user=anna, name="old admin", scopes=["read"])[0]
    ApiToken.objects.filter(pk=ruling.pk).update(scopes=["read", "admin"])
    migration = importlib.import_module("accounts.migrations.0006_token_scopes")
    migration.split_admin(apps, None)
    playing.refresh_from_db()
    ruling.refresh_from_db()
    assert (playing.scopes, set(ruling.scopes)) == (["read", "play"], set(SCOPES))


def test_all_tokens_are_revoked_by_one_request(anna, program):
    caller, other = program(anna, "account"), program(anna)
    assert caller.call("DELETE", "/tokens/").status_code == 204
    assert [one.get("/me/").status_code for one in (caller, other)] == [401, 401]


def test_a_token_of_a_token_ends_with_it(anna, program):
    caller = program(anna, "account")
    made = caller.post("/tokens/", {"name": "child", "scopes": ["read"], "expires_at": "2999-01-01T00:00:00Z"}).json()
    assert made["expires_at"].startswith("2999-01-01")
    child = program(anna)
    child.token = made["token"]
    assert child.get("/me/").status_code == 200
    assert caller.call("DELETE", f"/tokens/{made['made_with']}/").status_code == 204
    assert child.get("/me/").status_code == 401


def test_an_expired_day_is_refused(anna, program):
    answer = program(anna, "account").post("/tokens/", {"name": "x", "scopes": ["read"], "expires_at": "2001-01-01T00:00:00Z"})
    assert (answer.status_code, answer.json()["code"]) == (422, "bad_expiry")


def test_a_token_speaks_for_its_user_alone(anna, ben, program):
    ident = create_token(user=ben, name="his", scopes=["read"])[0].pk
    assert program(anna, "account").call("DELETE", f"/tokens/{ident}/").status_code == 404
    assert User.objects.get(pk=ben.pk).api_tokens.filter(revoked_at=None).exists()


@pytest.mark.parametrize("scope", ["account", "operate"])
def test_a_session_alone_makes_no_token_that_can_do_lasting_harm(operator, scope):
    browser = Client()
    browser.force_login(operator)

    def make(**more):
        body = {"name": "x", "scopes": ["read", scope], **more}
        return browser.post(
            "/api/v1/tokens/", body, content_type="application/json", headers={"Idempotency-Key": uuid.uuid4().hex}
        )

    refused = make()
    assert (refused.status_code, refused.json()["code"]) == (403, "password_needed")
    wrong = make(password="not this one")
    assert (wrong.status_code, wrong.json()["code"]) == (422, "wrong_password")
    assert not operator.api_tokens.exists()
    assert make(password="a long password").status_code == 201
    assert operator.api_tokens.get().proven_at is not None
    plain = make(scopes=["read", "play"])
    assert plain.status_code == 201


def test_the_page_of_keys_says_where_each_comes_from(client, anna):
    parent, _plain = create_token(user=anna, name="my laptop", scopes=["read", "account"], proven=True)
    create_token(user=anna, name="a script", scopes=["read"], parent=parent)
    client.force_login(anna)
    page = " ".join(client.get("/profile/").content.decode().split())
    assert page.count("with my laptop") == 1
    assert "never" in page
