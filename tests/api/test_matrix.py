"""The permission matrix: every address below a match, for every kind of reader, while it runs and after its end.

The addresses come from the URL configuration: a new one fails here until its users are declared.
"""

from __future__ import annotations

import copy
import json
import re

import pytest
from django.db import transaction
from django.test import Client
from django.urls import get_resolver, reverse

from gamesvc.api import doors, permissions
from gamesvc.matches.lobby import opening, substitutes
from gamesvc.matches.models import Refusal
from gamesvc.matches.record import loading
from gamesvc.matches.record.append import Actor
from gamesvc.matches.record.stream import STORE
from tests.conftest import Program, make_player, offer_toy
from tests.matches.playing import act, play_out

pytestmark = [pytest.mark.django_db, pytest.mark.long]

READERS = permissions.KINDS
KEPT = "what seat 1 keeps"
REFUSED_CARD = 9_876_501_234


def seated(match, index, user):
    substitutes.take_over(by=user, match=match, seat=index, link=match.link_token)


def made(people, host, *, play):
    """Return a running match with a player in seat 1. Seat 0 was held before by others, and by the host if they play."""
    match = opening.create_match(by=people[host], game="toy", take_seat=play)
    before = [people["operator_played"], people["former"]]
    if not play:
        opening.join_match(by=before.pop(0), match=match, link=match.link_token)
    match = opening.join_match(by=people["seat"], match=match, link=match.link_token)
    for user in [*before, people["rest"]]:
        substitutes.vacate(match=match, seat=0, actor=Actor("seat", 0))
        seated(match, 0, user)
    return match


@pytest.fixture(scope="module")
def world(shared):
    """Return users of every kind, a match whose host has never played in it, and one whose host has."""
    with shared() as patch:
        offer_toy(patch)
        people = {name: make_player(name, is_staff=name.startswith("operator")) for name in READERS}
        people |= {name: make_player(name) for name in ("rest", "second")}
        found = {"host": made(people, "host", play=False), "host_played": made(people, "host_played", play=True)}
        for match in found.values():
            act(match, 0)
            act(match, 1, {"name": "set_orders", "text": KEPT})
            client = Program(people["seat"])
            tag = client.get(f"/matches/{match.number}/view/")["ETag"]
            refused = client.post(f"/matches/{match.number}/commands/", {"name": "play", "card": REFUSED_CARD}, etag=tag)
            assert refused.status_code == 422
            assert Refusal.objects.filter(match=match).exists()
        return people, found


@pytest.fixture
def people(world, db):
    return copy.deepcopy(world[0])


@pytest.fixture
def matches(world, toy, db):
    return copy.deepcopy(world[1])


@pytest.fixture
def begun(matches):
    """Return the version before the first command of each match."""
    found = {}
    for match in matches.values():
        first = next(stored for stored in STORE.read(match.id) if "command" in stored.meta)
        found[match.pk] = first.version - 1
    return found


def addresses(start):
    """Return the addresses below a match, as routes."""
    found = set()

    def walk(resolver, prefix):
        for pattern in resolver.url_patterns:
            route = prefix + str(pattern.pattern)
            if hasattr(pattern, "url_patterns"):
                walk(pattern, route)
            elif route.startswith(f"{start}matches/<str:ident>/"):
                found.add(route.removeprefix(f"{start}matches/<str:ident>/"))

    walk(get_resolver(), "")
    return found


def filled(route):
    for name, value in {"<int:version>": "7", "<str:kind>": "svg", "<int:seat>": "0", "<int:number>": "1"}.items():
        route = route.replace(name, value)
    return route


class Reader:
    """One kind of reader at their match. All but the stranger have its link."""

    def __init__(self, name, people, matches, program):
        self.name, self.user = name, people[name]
        self.match = matches["host_played" if name == "host_played" else "host"]
        self.link = "" if name == "stranger" else f"?link={self.match.link_token}"
        self.api = program(self.user, "organise", *(["operate"] if self.user.is_staff else []))
        self.page = Client()
        self.page.force_login(self.user)
        self.tags = {}

    def tag(self, head):
        """Return the tag of the match with this many events. Nothing else changes it, since every request is rolled back."""
        if head not in self.tags:
            answer = self.api.get(f"/matches/{self.match.number}/view/{self.link}")
            self.tags[head] = answer.headers.get("ETag", '"none"')
        return self.tags[head]

    def get(self, route, *, page=False):
        path = f"/matches/{self.match.number}/{filled(route)}{self.link}"
        answer = self.page.get(path) if page else self.api.get(path)
        return answer.status_code, (b"".join(answer) if answer.streaming else answer.content).decode()

    def send(self, method, route, body):
        """Return the status, and True if the match has gone on. Roll back afterwards."""
        head = STORE.head(self.match.id)
        tag = self.tag(head)
        with transaction.atomic():
            if route == "standing/<int:number>/":  # a player has a conditional order
                laid, _expected = SENT["POST", "standing/"]
                self.api.call("POST", f"/matches/{self.match.number}/standing/{self.link}", laid, etag=tag)
            answer = self.api.call(method, f"/matches/{self.match.number}/{filled(route)}{self.link}", body, etag=tag)
            moved = STORE.head(self.match.id) != head
            transaction.set_rollback(True)
        return answer.status_code, moved

    def post(self, route, fields):
        head = STORE.head(self.match.id)
        with transaction.atomic():
            fields = {**fields, "_link": "" if self.name == "stranger" else self.match.link_token}
            answer = self.page.post(f"/matches/{self.match.number}/{route}", fields)
            moved = STORE.head(self.match.id) != head
            transaction.set_rollback(True)
        return answer.status_code, moved


@pytest.fixture
def readers(people, matches, program):
    return [Reader(name, people, matches, program) for name in READERS]


# --- reading ---

# In the order of READERS. Addresses that answer no GET have no row here.
SEEN = "404 200 200 200 200 200 200 200"
OWN = "404 403 200 403 403 403 403 403"
HERE = "404 404 200 404 403 403 404 404"
ORGANISER = "404 404 403 404 200 403 200 403"
ROUTES = ("", "board.<str:kind>", "clock/", "events/", "export/", "forks/", "forms/", "looks/", "pause/", "press/", "refusals/")
READ = {
    **dict.fromkeys([*ROUTES, "line/", "steps/<int:version>/", "undo/", "view/"], SEEN),
    "position/": "404 403 403 403 403 403 403 403",
    "notes/": OWN,
    "preferences/": HERE,
    # The live process answers there. The web server leads to it only if it knows its address.
    "stream/": "404 404 404 404 404 404 404 404",
    # There is no checkpoint in these tests.
    "proof/": "404 404 404 404 404 404 404 404",
    "standing/": OWN,
    "tenures/": ORGANISER,
}
READ_OVER = READ | {"position/": SEEN, "tenures/": "404 404 403 404 200 200 200 200"}
PAGES = {
    **dict.fromkeys(("", "board.svg", "clock", "explained", "line", "press", "thumbnail.svg", "version"), SEEN),
    "as-of": "404 302 302 302 302 302 302 302",
    "next": "404 302 302 302 302 302 302 302",
    # In a game without this command everyone is led to the match.
    "resign": "404 302 302 302 302 302 302 302",
}


def answers(readers, start):
    found = {route: [reader.get(route, page=not start) for reader in readers] for route in sorted(addresses(start))}
    return {route: row for route, row in found.items() if {status for status, _text in row} != {405}}


def statuses(found):
    return {route: " ".join(str(status) for status, _more in row) for route, row in found.items()}


def knowing(found, text):
    """Return the readers who get a text at any of the addresses."""
    return {name for row in found.values() for name, (_status, body) in zip(READERS, row, strict=True) if text in body}


def bodies(row):
    """Return the JSON responses of a row, for readers who get one."""
    return {name: json.loads(body) for name, (status, body) in zip(READERS, row, strict=True) if status == 200}


def test_who_reads_what_while_the_match_runs(readers):
    api, pages = answers(readers, "api/v1/"), answers(readers, "")
    assert statuses(api) == READ
    assert statuses(pages) == PAGES
    for found in (api, pages):
        assert knowing(found, KEPT) <= {"seat"}, "what a seat hides is its own, not the host's, nor an operator's"
        assert knowing(found, str(REFUSED_CARD)) <= {"seat"}
    assert knowing(api, KEPT) == knowing(api, str(REFUSED_CARD)) == {"seat"}
    told = {
        name: json.loads(body)["results"] for name, (status, body) in zip(READERS, api["refusals/"], strict=True) if status == 200
    }
    assert {name for name, rows in told.items() if rows} == {"seat", "host", "operator"}
    assert told["host"] == told["operator"]
    assert told["host"][0]["code"] == told["seat"][0]["code"]
    may = {
        name: json.loads(body)["may_rewind"] for name, (status, body) in zip(READERS, api["undo/"], strict=True) if status == 200
    }
    assert {name for name, allowed in may.items() if allowed} == {"host", "operator"}
    assert knowing(pages, 'action="/matches/') >= {"host"}
    assert {reader.name for reader in readers if "/organise" in reader.get("", page=True)[1]} == {"host", "operator"}


def test_who_reads_what_after_the_end(readers):
    for match in {reader.match for reader in readers}:
        play_out(match)
    api, pages = answers(readers, "api/v1/"), answers(readers, "")
    assert statuses(api) == READ_OVER
    assert statuses(pages) == PAGES
    assert knowing(api, KEPT) == set(READERS) - {"stranger"}
    assert knowing(api, str(REFUSED_CARD)) == {"seat", "host", "host_played", "operator", "operator_played"}


# --- acting ---

REASON = {"code": "dispute", "reason": "x"}
NOBODY = "404 422 422 422 422 422 422 422"
PLAYERS = "404 403 422 403 403 403 403 403"
# By method and address: the body, and the expected statuses; `!`: the match has gone on.
SENT = {
    ("POST", "organise/"): ({"action": "abort", **REASON}, "404 403 403 403 200! 403 200! 403"),
    ("POST", "rewind/"): ({"to": 0, **REASON}, "404 404 403 404 200! 403 200! 403"),
    ("POST", "substitute/"): ({"seat": 0}, NOBODY),
    ("POST", "commands/"): ({"name": "draw"}, "404 404 200! 404 403 403 404 404"),
    ("POST", "orders/"): ({"text": "draw"}, "404 404 200! 404 403 403 404 404"),
    ("POST", "press/"): ({"to": "all", "text": "x"}, "404 422 201 422 422 422 422 422"),
    ("POST", "standing/"): ({"order": "if drew seat=0 then draw"}, "404 403 201 403 403 403 403 403"),
    ("POST", "pause/"): ({"pause": True}, OWN),
    ("POST", "forks/"): ({"version": 0, "kind": "board"}, "404 403 201 403 403 403 403 403"),
    ("POST", "give-up/"): ({}, "404 403 200! 403 403 403 403 403"),
    ("POST", "undo/"): ({}, PLAYERS),
    ("POST", "undo/answer/"): ({"accept": True}, PLAYERS),
    ("POST", "redo/"): ({}, PLAYERS),
    ("POST", "rematch/"): ({}, NOBODY),
    ("POST", "presence/"): ({}, "404 404 204 404 403 403 404 404"),
    ("DELETE", "presence/"): (None, "404 404 204 404 403 403 404 404"),
    ("POST", "join/"): ({}, "404 404 422 404 422 422 404 404"),
    **{("POST", route): ({}, NOBODY) for route in ("leave/", "start/", "cancel/", "close/", "line/")},
    ("POST", "link/"): ({}, "404 422 422 422 200 200 422 422"),
    ("POST", "go-to/"): ({"to": 0}, NOBODY),
    ("POST", "bots/"): ({"bot": "random"}, NOBODY),
    ("POST", "invitations/"): ({"user": "second"}, NOBODY),
    ("DELETE", "seats/<int:seat>/"): (None, NOBODY),
    ("PUT", "standing/own/"): ({"orders": "x"}, PLAYERS),
    ("DELETE", "standing/own/"): (None, PLAYERS),
    ("PUT", "standing/<int:number>/"): ({"order": "if drew seat=0 then draw"}, OWN),
    ("DELETE", "standing/<int:number>/"): (None, "404 403 204 403 403 403 403 403"),
    ("DELETE", "pause/"): (None, PLAYERS),
    ("PATCH", "preferences/"): ({}, HERE),
    ("PUT", "notes/"): ({"text": "x"}, OWN),
}
OVER = {
    ("POST", "organise/"): "404 403 403 403 422 403 422 403",
    ("POST", "rewind/"): "404 404 403 404 422 403 422 403",
    ("POST", "forks/"): "404 201 201 201 201 201 201 201",
    ("POST", "link/"): "404 422 422 422 200 200 422 422",
    ("POST", "rematch/"): "404 422 201 422 422 422 422 422",
    ("POST", "press/"): "404 422 201 422 422 422 422 422",
    ("POST", "presence/"): "404 404 204 404 403 403 404 404",
    ("DELETE", "presence/"): "404 404 204 404 403 403 404 404",
    ("PATCH", "preferences/"): HERE,
    ("PUT", "notes/"): OWN,
}
NEWEST = "the newest version"
# By page: the posted fields, and the readers whose post changes the match.
POSTED = {
    "organise": ({"action": "abort", **REASON}, {"host", "operator"}),
    "undo": ({"act": "rewind", "to": "0", "_version": NEWEST, **REASON}, {"host", "operator"}),
    "absence": ({"act": "give_up"}, {"seat"}),
    "notes": ({"text": "x"}, set()),
    "after-turn": ({"act": "next"}, set()),
    "seats": ({"act": "cancel"}, set()),
    "command": ({"_form": "draw"}, set()),
    "orders": ({"orders": "draw", "_version": NEWEST}, set()),
    "standing": ({"order": "if drew seat=0 then draw"}, set()),
    "close": ({}, set()),
    "line": ({}, set()),
    "go-to": ({"to": "0"}, set()),
    "fork": ({"version": "0", "kind": "board"}, set()),
    "rematch": ({}, set()),
    "invite": ({"whom": "second"}, set()),
    "press": ({"to": "all", "text": "x"}, set()),
    "preview": ({"order": "draw"}, set()),
}


def sent(readers, begun):
    found = {}
    for (method, route), (body, _expected) in SENT.items():
        row = []
        for reader in readers:
            given = body and {name: begun[reader.match.pk] if value == 0 else value for name, value in body.items()}
            row.append("{}{}".format(*(reader.send(method, route, given))).replace("False", "").replace("True", "!"))
        found[method, route] = " ".join(row)
    return found


def by_answer(row):
    """Return who succeeded, and who was not shut out, in a row of responses."""
    answered = dict(zip(READERS, row.split(), strict=True))
    done = {name for name, status in answered.items() if status.startswith("2")}
    return done, {name for name, status in answered.items() if status not in ("403", "404")}


def ways(start):
    """Return all that may be sent below a match, from the table of doors, without what only reads."""
    kind = "API" if start else "Pages"
    found = set()
    for door in doors.all_doors()[kind]:
        _before, is_of_match, below = door.name.partition(f"/{start}matches/<str:ident>/")
        if is_of_match:
            found |= {(method, below) for method in re.findall(r"[A-Z]{3,}", door.use) if method not in ("GET", "HEAD")}
    return found


def test_every_address_that_is_written_to_is_known_here():
    assert addresses("api/v1/") == READ.keys() | {route for _method, route in SENT}
    assert addresses("") == PAGES.keys() | POSTED.keys()
    assert ways("api/v1/") == SENT.keys() == permissions.ACTS.keys()
    assert ways("") == {("POST", page) for page in POSTED} == {("POST", page) for page in permissions.PAGE_ACTS}


def test_the_table_of_doors_tells_of_this_matrix():
    """The readers that the matrix lets in are those in `deploy/DOORS.md`: both use one declaration."""
    for route, row in READ.items():
        who = permissions.of_api("GET", route)
        if route != "proof/":  # there is none yet
            assert {name for name, status in zip(READERS, row.split(), strict=True) if status == "200"} == who.kinds, route
    for way, (_body, row) in SENT.items():
        done, answered = by_answer(row)
        kinds = permissions.of_api(*way).kinds
        if kinds is None:
            assert not done, way  # the match has begun
        else:
            assert (done or answered) == kinds or (way == ("POST", "press/") and done == kinds), way
    for way, row in OVER.items():
        who = permissions.of_api(*way)
        assert by_answer(row)[0] <= (who.over or who.kinds), way


def test_who_does_what_while_the_match_runs(readers, begun):
    assert sent(readers, begun) == {way: expected for way, (_body, expected) in SENT.items()}


def test_who_does_what_after_the_end(readers, begun):
    for match in {reader.match for reader in readers}:
        play_out(match)
    found = sent(readers, begun)
    assert "!" not in "".join(found.values())
    assert {way: row for way, row in found.items() if way in OVER} == OVER
    for way, row in found.items():
        if way not in OVER:
            assert set(row.split()) <= {"403", "404", "422"}, way


def test_before_the_start_the_host_decides_and_members_leave(toy, people, program):
    """Addresses for matches that have not begun: readers who are not in the table are refused."""
    match = opening.create_match(by=people["host"], game="toy", take_seat=False)
    opening.join_match(by=people["seat"], match=match, seat=0, link=match.link_token)
    sends = {way: body for way, (body, _expected) in SENT.items() if permissions.ACTS[way].kinds is None}
    expected = {
        permissions.HOST: {"host"},
        permissions.INVITER: {"host", "seat"},
        permissions.MEMBER: {"seat"},
        permissions.NEWCOMER: {"observer", "host", "operator"},
    }
    for way, body in sends.items():
        who, (method, route) = permissions.ACTS[way], way
        done = set()
        for name in ("observer", "seat", "host", "operator"):
            client = program(people[name], "organise", *(["operate"] if people[name].is_staff else []))
            with transaction.atomic():
                given = {"bot": "random"} if route == "start/" else body  # for the empty seat
                answer = client.call(method, f"/matches/{match.number}/{filled(route)}?link={match.link_token}", given)
                done |= {name} if answer.status_code < 300 else set()
                transaction.set_rollback(True)
            match.refresh_from_db()
        assert done == expected.get(who, set()), way


def test_which_readers_change_the_match_from_its_pages(readers, begun):
    for route, (fields, allowed) in POSTED.items():
        found = set()
        for reader in readers:
            newest = loading.load(reader.match.pk, "toy").viewer_version(None)
            values = {"0": str(begun[reader.match.pk]), NEWEST: str(newest)}
            given = {name: values.get(text, text) for name, text in fields.items()}
            status, moved = reader.post(route, given)
            assert (status == 404) == (reader.name == "stranger"), (route, reader.name)
            found |= {reader.name} if moved else set()
        assert found - {"seat"} == allowed - {"seat"}, route


def test_an_operator_who_has_played_reads_nothing_more_at_the_desk(people, matches):
    for name, knows in (("operator", True), ("operator_played", False)):
        desk = Client()
        desk.force_login(people[name])
        page = desk.get(reverse("admin:matches_match_change", args=[matches["host"].pk])).content.decode()
        assert ("Look behind</button>" in page, "Carry it out" in page, "Verify this match" in page) == (knows, knows, knows)
        listed = desk.get("/admin/matches/refusal/").content.decode()
        rows = Refusal.objects.filter(match=matches["host"])
        for row in rows:
            address = reverse("admin:matches_refusal_change", args=[row.pk])
            assert (address in listed) is knows
            assert str(REFUSED_CARD) not in desk.get(address, follow=True).content.decode()
        assert KEPT not in page
