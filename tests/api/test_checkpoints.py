"""Checkpoints over HTTP: they are public, and the proof of a match is for its readers."""

from __future__ import annotations

import json

import pytest
from django.test import Client

from events.proofs import checkpoints, statements
from gamesvc.matches import tasks
from gamesvc.matches.lobby import opening
from gamesvc.matches.record.stream import STORE

pytestmark = pytest.mark.django_db


def get(path):
    return Client().get(f"/api/v1{path}")


def test_everybody_may_read_the_checkpoints_and_the_key(toy, anna, tmp_path, settings):
    settings.CHECKPOINT_FILE = tmp_path / "checkpoints.jsonl"
    assert get("/checkpoints/").json() == {"results": [], "next": None}
    assert get("/checkpoints/latest/").json()["code"] == "no_checkpoint"
    opening.create_match(by=anna, game=toy)
    for _ in range(51):
        checkpoints.make()
    page = get("/checkpoints/").json()
    assert [one["statement"]["number"] for one in page["results"]] == list(range(51, 1, -1))
    rest = get(f"/checkpoints/{page['next']}").json()
    assert [one["statement"]["number"] for one in rest["results"]] == [1]
    assert rest["next"] is None
    assert get("/checkpoints/latest/").json() == page["results"][0] == get("/checkpoints/51/").json()
    for wrong, status in (("/checkpoints/52/", 404), (f"/checkpoints/{10**30}/", 404), ("/checkpoints/?before=x", 400)):
        assert get(wrong).status_code == status
    served = get("/checkpoints/key/")
    assert statements.read_key(served.content.decode()) == bytes.fromhex(page["results"][0]["key"])
    statements.check_signature(statements.read_checkpoint(page["results"][0]))


def test_without_a_key_nothing_is_signed_and_it_is_said(toy, anna, settings):
    settings.CHECKPOINT_KEY = ""
    opening.create_match(by=anna, game=toy)
    assert tasks.make_checkpoint() == 0
    assert get("/checkpoints/key/").json()["code"] == "no_checkpoint"


def test_the_proof_of_a_match(toy, anna, ben, program, tmp_path, settings):
    settings.CHECKPOINT_FILE = tmp_path / "checkpoints.jsonl"
    match = opening.create_match(by=anna, game=toy, entry="invited", watch="nobody")
    path = f"/matches/{match.number}/proof/"
    assert program(anna).get(path).status_code == 404
    opening.cancel_match(by=anna, match=match)
    assert tasks.checkpoint_ended(str(match.id)) == 1
    assert tasks.checkpoint_ended(str(match.id)) == 0, "its end is covered"
    proved = program(anna).get(path).json()
    inclusion = statements.read_inclusion(proved)
    statements.check_signature(inclusion.checkpoint)
    statements.check_inclusion(inclusion, str(match.id))
    assert (inclusion.version, inclusion.hash) == (3, STORE.head(match.id).hash)
    assert program(ben).get(path).status_code == 404
    assert get(path).status_code == 401
    exported = b"".join(program(anna).get(f"/matches/{match.number}/export/").streaming_content)
    assert json.loads(exported.splitlines()[-1])["trailer"]["checkpoint"] == proved
