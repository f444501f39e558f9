"""Hostile text in each posted field of every page is never a fault of ours.

`posted_pages` lists what each page takes. A new door that takes posts, and a new field of a form, must join the list.
"""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Iterator
from urllib.parse import urlencode

import pytest
from django import forms

from gamesvc.api import doors
from gamesvc.forms import PostedForm
from tests.architecture.hostile_pages import SENT, send
from tests.architecture.posted_pages import NO_FORM, OTHERS, Post, World
from tests.hostile import UNTAKEN

pytestmark = [pytest.mark.django_db, pytest.mark.long]
ALWAYS = ("many digits", "large number")
"""Texts for every field. The others that reach a form take turns."""
TURNS = [label for label in SENT if label not in (*UNTAKEN, *ALWAYS)]


class Recorder:
    """Note which fields of which forms are cleaned while they hold hostile text."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.met: dict[type, set[str]] = defaultdict(set)
        self.fields: dict[type, set[str]] = defaultdict(set)
        self.times = 0
        hostile, clean = {*SENT.values()}, forms.BaseForm.full_clean

        def full_clean(form: forms.BaseForm) -> None:
            self.fields[type(form)] |= {*form.fields}
            if form.is_bound and (met := {name for name in form.fields if form.data.get(form.add_prefix(name)) in hostile}):
                self.met[type(form)] |= met
                self.times += 1
            clean(form)

        patch.setattr(forms.BaseForm, "full_clean", full_clean)


def attack(world: World, post: Post, turns: Iterator[str]) -> None:
    """Post hostile text in each field in turn; the others keep their values."""
    client = world.clients[post.reader]

    def answer(name: str, label: str) -> int:
        cookies = client.cookies.copy()
        fields = {**post.fields, name: SENT[label]}
        path = post.path if post.method == "post" else f"{post.path}?{urlencode(fields)}"
        status: int = send(client, post.method, path, fields).status_code
        client.cookies = cookies
        return status

    for name in post.fields:
        for label in (*ALWAYS, next(turns)):
            answer(name, label)
    assert answer(next(iter(post.fields)), "nul") in (400, 405), post.door


def doors_that_take_posts() -> set[str]:
    """Return the doors of pages that take posts and are not attacked elsewhere."""
    names = {door.name.removeprefix("/") for door in doors.all_doors()["Pages"] if "POST" in door.use}
    return {name for name in names if not name.startswith(tuple(OTHERS)) or name.endswith("/act/")}


def forms_of_pages(kind: type = PostedForm) -> Iterator[type]:
    for form in kind.__subclasses__():
        if form.__module__.startswith("gamesvc."):
            yield form
            yield from forms_of_pages(form)


def test_no_text_in_a_posted_field_is_a_fault_of_ours(monkeypatch):
    world, turns, recorder = World(), itertools.cycle(TURNS), Recorder(monkeypatch)
    posts, read = world.posts(), set()
    for post in posts:
        before = recorder.times
        attack(world, post, turns)
        if recorder.times > before:
            read.add(post.door)
    assert {post.door for post in posts} == doors_that_take_posts()
    assert {post.door for post in posts} - read == set(NO_FORM), "each post reaches the form that reads it"
    missed = {form.__name__: ({*form.base_fields} | recorder.fields[form]) - recorder.met[form] for form in forms_of_pages()}
    assert {name: fields for name, fields in missed.items() if fields} == {}
