"""Organisers: measures in a running match with their reasons, looks behind, refused commands; and permissions."""

from __future__ import annotations

import uuid
from datetime import timedelta

import pytest
from django.core.management import call_command
from django.utils import timezone

from accounts import erasure
from gamesvc.games.kernel.game import Refused
from gamesvc.matches import retention
from gamesvc.matches.errors import Forbidden
from gamesvc.matches.lobby import opening, substitutes
from gamesvc.matches.models import Look, Match, Question, Reason, Refusal
from gamesvc.matches.notices import measure_notices
from gamesvc.matches.organising import looks, rewinds
from gamesvc.matches.proof import audit, export, verification
from gamesvc.matches.record import loading
from gamesvc.matches.record.stream import STORE
from gamesvc.matches.story import sentences
from notifications.models import Outbox
from tests.matches.exports import node_verify
from tests.matches.playing import act, play_out

pytestmark = pytest.mark.django_db


@pytest.fixture
def olga(player):
    """An organiser who does not play."""
    return player("olga")


@pytest.fixture
def operator(player):
    return player("operator", is_staff=True)


@pytest.fixture
def match(toy, anna, ben, olga):
    made = opening.create_match(by=olga, game=toy, take_seat=False)
    opening.join_match(by=anna, match=made)
    return opening.join_match(by=ben, match=made)


def powers(user):
    """Return the scopes with which a program rules on matches."""
    return ("organise", "operate") if user.is_staff else ("organise",)


def organise(program, user, match, action, **more):
    body = {"action": action, "code": "dispute", "reason": "Said by phone", **more}
    return program(user, *powers(user)).post(f"/matches/{match.number}/organise/", body)


def last(match):
    return STORE.read(match.id)[-1]


def play(program, user, match, **command):
    client = program(user, *powers(user))
    tag = client.get(f"/matches/{match.number}/view/")["ETag"]
    return client.post(f"/matches/{match.number}/commands/", command, etag=tag)


# --- measures ---


def test_the_same_key_with_another_measure_is_refused_and_repeats_are_replayed(match, olga, program):
    caller, path = program(olga, *powers(olga)), f"/matches/{match.number}/organise/"
    body = {"action": "extend", "code": "dispute", "reason": "Said by phone", "seat": 0, "hours": 5}
    assert caller.post(path, body, key="k").status_code == 200
    version = last(match).version
    assert caller.post(path, body, key="k").status_code == 200
    for other in ({"hours": 6}, {"seat": 1}, {"reason": "Said by mail"}, {"action": "pause"}, {"code": "other"}):
        answer = caller.post(path, {**body, **other}, key="k")
        assert (answer.status_code, answer.json()["code"]) == (422, "key_reused"), other
    assert last(match).version == version


def test_a_second_measure_from_the_same_page_is_carried_out(match, olga, client):
    client.force_login(olga)
    form = {"_once": "page", "code": "dispute", "reason": "Said by phone", "action": "extend", "seat": "0", "hours": "5"}
    for hours in ("5", "5", "7"):
        client.post(f"/matches/{match.number}/organise", {**form, "hours": hours})
    extended = [one for one in STORE.read(match.id) if one.type == "match.deadline_set" and one.meta["actor"]["kind"] == "host"]
    assert len(extended) == 2
    assert Reason.objects.count() == 2


def test_a_second_rewind_from_the_same_page_is_carried_out_or_refused_but_never_said_to_be_done(match, olga, anna, client):
    for seat in (0, 1, 0):
        act(match, seat)
    client.force_login(olga)
    form = {"_once": "page", "act": "rewind", "code": "dispute", "reason": "Said by phone"}
    commands = [one.version - 1 for one in STORE.read(match.id) if "command" in one.meta]
    for to in commands[1:3]:
        version = loading.load(match.id, match.game).viewer_version(None)
        client.post(f"/matches/{match.number}/undo", {**form, "to": str(to), "_version": str(version)})
    assert [one.data["to"] for one in STORE.read(match.id) if one.type == "match.rewound"] == commands[1:3]


def test_a_match_is_paused_and_goes_on(match, olga, anna, program):
    assert organise(program, olga, match, "pause").status_code == 200
    event = next(one for one in reversed(STORE.read(match.id)) if one.type == "match.paused")
    assert event.meta["actor"] == {"kind": "host"}
    assert (event.data["by"], event.data["code"]) == ("host", "dispute")
    assert "phone" not in str([stored.as_record() for stored in STORE.read(match.id)])
    assert Reason.objects.get(pk=event.data["reason_id"]).words == "Said by phone"
    match.refresh_from_db()
    assert match.paused_at is not None
    assert organise(program, olga, match, "pause").json()["code"] == "paused_already"
    assert organise(program, olga, match, "resume").status_code == 200
    match.refresh_from_db()
    assert match.paused_at is None
    assert sorted(Outbox.objects.filter(kind="measure").values_list("user__username", "payload__action")) == [
        ("anna", "pause"),
        ("anna", "resume"),
        ("ben", "pause"),
        ("ben", "resume"),
    ]


def test_a_deadline_is_extended(match, olga, program):
    before = Question.objects.get(match=match, seat=0).due_at
    assert organise(program, olga, match, "extend", seat=0, hours=10).status_code == 200
    assert Question.objects.get(match=match, seat=0).due_at - before == timedelta(hours=10)
    assert last(match).data["cause"] == "extended"
    for wrong, code in (
        ({"seat": 1, "hours": 1}, "not_awaited"),
        ({"seat": 9, "hours": 1}, "bad_seat"),
        ({"seat": 0}, "bad_hours"),
    ):
        answer = organise(program, olga, match, "extend", **wrong)
        assert (answer.status_code, answer.json()["code"]) == (422, code)


def test_a_substitute_who_comes_during_a_rewind_is_notified(match, olga, anna, ben, player, program, monkeypatch):
    cleo, load = player("cleo"), loading.load
    version = load(match.id, match.game).viewer_version(None)
    act(match, 0)
    expected = load(match.id, match.game).viewer_version(None)
    key, lost = uuid.uuid4(), []

    def slowly(match_id, game, **more):
        loaded = load(match_id, game, **more)
        if not lost:
            lost.append(True)
            substitutes.give_up(by=ben, match=match, seat=1)
            substitutes.take_over(by=cleo, match=match, seat=1)
        return loaded

    monkeypatch.setattr(loading, "load", slowly)
    ruling = {"code": "dispute", "reason": "Said by phone", "expected_version": expected, "received_at": timezone.now()}
    rewinds.rewind(by=olga, match=match, to=version, command_id=key, **ruling)
    assert set(Outbox.objects.filter(kind="taken_back").values_list("user__username", flat=True)) == {"anna", "cleo"}


def test_the_match_is_rewound(match, olga, anna, program):
    version = loading.load(match.id, "toy").version
    assert play(program, anna, match, name="draw").status_code == 200
    assert organise(program, olga, match, "rewind", to=version).status_code == 200
    assert last(match).type != "toy.turn_ended"
    rewound = next(one for one in reversed(STORE.read(match.id)) if one.type == "match.rewound")
    assert (rewound.data["to"], rewound.data["cause"], rewound.data["code"]) == (version, "host", "dispute")


def test_a_match_is_aborted_and_proves_itself(match, olga, anna, program):
    assert organise(program, olga, match, "abort").status_code == 200
    match.refresh_from_db()
    assert (match.status, match.outcome) == ("cancelled", None)
    ended = last(match)
    assert (ended.data["reason"], ended.data["code"], ended.data["outcome"]) == ("aborted", "dispute", None)
    assert audit.check_match(match.id) == []
    report = verification.verify("".join(export.lines(loading.load(match.id, "toy"), None)).encode())
    assert report.ok, report.as_json()
    assert play(program, anna, match, name="draw").json()["code"] == "match_over"
    assert organise(program, olga, match, "abort").json()["code"] == "match_over"
    assert set(Outbox.objects.filter(kind="match_ended").values_list("user__username", flat=True)) == {"anna", "ben"}


def test_a_real_match_with_all_measures_is_proved_by_both_verifiers(anna, ben, olga, operator, program, tmp_path):
    made = opening.create_match(by=olga, game="stratastar", take_seat=False)
    opening.join_match(by=anna, match=made)
    opening.join_match(by=ben, match=made)
    play_out(made, most=3)
    version = loading.load(made.id, made.game).version
    play_out(made, most=1)
    looks.look_behind(by=operator, match=made, seat=0, version=version, reason="A complaint")
    asked = Question.objects.filter(match=made).first().seat
    for action, more in (
        ("extend", {"seat": asked, "hours": 2}),
        ("rewind", {"to": version}),
        ("pause", {}),
        ("resume", {}),
        ("replace", {"seat": 1}),
        ("abort", {}),
    ):
        answer = organise(program, olga, made, action, **more)
        assert answer.status_code == 200, (action, answer.content)
    assert audit.check_match(made.id) == []
    file = tmp_path / "aborted.jsonl"
    call_command("export", str(made.id), "--out", str(file))
    call_command("verify", str(file))
    assert verification.verify(file.read_bytes()).ok
    [judged] = node_verify(tmp_path, file.read_bytes())
    assert judged["ok"], judged
    kinds = {stored.type for stored in STORE.read(made.id)}
    assert {"match.looked", "match.paused", "match.resumed", "match.rewound", "match.vacated", "match.deadline_set"} <= kinds


def test_a_player_is_replaced_by_a_substitute(match, olga, anna, program, player):
    assert organise(program, olga, match, "replace", seat=0).status_code == 200
    vacated = next(one for one in reversed(STORE.read(match.id)) if one.type == "match.vacated")
    assert (vacated.meta["actor"], vacated.data["seat"], vacated.data["code"]) == ({"kind": "host"}, 0, "dispute")
    assert match.seats.get(index=0).user is None
    assert program(anna).get(f"/matches/{match.number}/view/").json()["seat"] is None
    gone = Outbox.objects.get(kind="measure", user=anna)
    worded = measure_notices.word_measure(gone)
    assert "has replaced a player" in worded.text
    assert "Said by phone" in worded.text
    assert not worded.images
    dora = player("dora")
    substitutes.take_over(by=dora, match=match, link=match.link_token)
    assert play(program, dora, match, name="draw").status_code == 200
    assert audit.check_match(match.id) == []


def test_a_player_is_replaced_by_a_bot(match, olga, ben, program):
    assert organise(program, olga, match, "replace", seat=0, bot=True).status_code == 200
    seats = program(ben).get(f"/matches/{match.number}/").json()["seats"]
    assert [seat["kind"] for seat in seats] == ["bot", "user"]
    assert audit.check_match(match.id) == []
    assert organise(program, olga, match, "replace", seat=7).json()["code"] == "bad_seat"


def test_the_log_tells_each_measure_with_its_reason(match, olga, anna, program):
    after = loading.load(match.id, "toy").version
    for action, more in (("extend", {"seat": 0, "hours": 1}), ("pause", {}), ("resume", {}), ("replace", {"seat": 1})):
        assert organise(program, olga, match, action, reason=f"because of {action}", **more).status_code == 200
    loaded = loading.load(match.id, "toy")
    told = [one.sentence for one in sentences.tell(loaded, 0, ("anna", "ben"), after, loaded.version)]
    for action in ("extend", "pause", "resume", "replace"):
        [sentence] = [one for one in told if f"because of {action}" in one]
        assert "Reason: a dispute is settled." in sentence


def test_the_same_request_does_it_once(match, olga, program):
    body = {"action": "extend", "code": "fault", "reason": "down", "seat": 0, "hours": 5}
    client = program(olga, *powers(olga))
    before = Question.objects.get(match=match, seat=0).due_at
    for _ in range(3):
        assert client.post(f"/matches/{match.number}/organise/", body, key="same").status_code == 200
    assert Question.objects.get(match=match, seat=0).due_at - before == timedelta(hours=5)
    assert Reason.objects.count() == 1


@pytest.mark.parametrize("action", ["pause", "extend", "rewind", "replace", "abort"])
def test_no_organiser_acts_on_a_match_they_play_in(toy, anna, ben, program, action):
    own = opening.join_match(by=ben, match=opening.create_match(by=anna, game=toy))
    anna.is_staff = True
    anna.save()
    version = loading.load(own.id, "toy").version
    answer = organise(program, anna, own, action, seat=0, hours=1, to=version)
    assert answer.status_code == 403
    assert loading.load(own.id, "toy").version == version
    assert not Reason.objects.exists()


def test_nor_a_stranger_and_a_stranger_learns_nothing(match, program, player, anna):
    assert organise(program, player("stranger"), match, "abort").status_code == 404
    assert organise(program, anna, match, "abort").status_code == 403
    match.refresh_from_db()
    assert match.status == "running"


def test_an_operator_rules_on_a_match_that_only_its_players_know(toy, anna, ben, operator, program):
    made = opening.create_match(by=anna, game=toy, entry="invited", watch="nobody")
    made = opening.join_match(by=ben, match=made, link=made.link_token)
    done = organise(program, operator, made, "pause")
    assert (done.status_code, done.json()["paused_by"]) == (200, "host"), done.content
    body = {"action": "resume", "code": "dispute", "reason": "Said by phone"}
    for scopes in ((), ("organise",)):
        assert program(operator, *scopes).post(f"/matches/{made.number}/organise/", body).status_code in (403, 404)


@pytest.mark.parametrize(
    "wrong", [{"action": "explode"}, {"code": "whim"}, {"reason": ""}, {"reason": "a" * 1001}, {"colour": "red"}]
)
def test_what_does_not_fit_is_refused(match, olga, program, wrong):
    body = {"action": "pause", "code": "dispute", "reason": "x", **wrong}
    answer = program(olga, *powers(olga)).post(f"/matches/{match.number}/organise/", body)
    assert answer.status_code == 400
    assert answer.json()["errors"][0]["pointer"] == f"#/{next(iter(wrong))}"


def test_reasons_are_read_in_the_log_and_are_erased_with_their_author(match, olga, anna, program):
    organise(program, olga, match, "abort")
    client = program(anna)
    version = loading.load(match.id, "toy").version
    words = " ".join(client.get(f"/matches/{match.number}/steps/{version - 1}/").json()["words"])
    assert words == "The organiser calls the match off. Reason: a dispute is settled. “Said by phone”"
    erasure.erase(olga)
    words = " ".join(client.get(f"/matches/{match.number}/steps/{version - 1}/").json()["words"])
    assert words == "The organiser calls the match off. Reason: a dispute is settled."


# --- looks behind ---


def test_a_look_is_an_event_before_anything_is_shown_and_the_players_see_it(match, operator, anna, program):
    version = loading.load(match.id, "toy").version
    look = looks.look_behind(by=operator, match=match, seat=1, version=version, reason="Collusion was reported")
    assert last(match).type == "match.looked"
    assert last(match).data == {"seat": 1, "version": version, "look_id": str(look.id)}
    state = loading.state_at(loading.load(match.id, "toy").game, match.id, version)
    assert looks.seen(look)["view"]["hands"][1] == list(state.hands[1])
    [told] = program(anna).get(f"/matches/{match.number}/looks/").json()
    assert (told["by"], told["seat"], told["version"], told["reason"]) == ("operator", 1, version, "Collusion was reported")
    step = program(anna).get(f"/matches/{match.number}/steps/{version}/").json()
    assert step["words"] == [f"An operator looked at what ben sees, at version {version}. “Collusion was reported”"]
    assert audit.check_match(match.id) == []


def test_a_look_makes_no_command_stale(match, operator, anna, program):
    client = program(anna)
    tag = client.get(f"/matches/{match.number}/view/")["ETag"]
    looks.look_behind(by=operator, match=match, seat=1, version=match.version, reason="check")
    assert client.post(f"/matches/{match.number}/commands/", {"name": "draw"}, etag=tag).status_code == 200


def test_nobody_looks_who_plays_or_is_no_operator(match, olga, anna):
    anna.is_staff = True
    anna.save()
    version = match.version
    for user in (anna, olga):
        with pytest.raises(Forbidden):
            looks.look_behind(by=user, match=match, seat=1, version=version, reason="curious")
    assert loading.load(match.id, "toy").version == version
    assert not Look.objects.exists()


@pytest.mark.parametrize(
    ("wrong", "code"),
    [
        ({"reason": "  "}, "bad_reason"),
        ({"seat": 5}, "bad_seat"),
        ({"version": 0}, "no_such_version"),
        ({"version": 999}, "no_such_version"),
    ],
)
def test_a_look_that_does_not_fit_is_refused(match, operator, wrong, code):
    asked = {"seat": 1, "version": match.version, "reason": "check", **wrong}
    with pytest.raises(Refused) as refused:
        looks.look_behind(by=operator, match=match, **asked)
    assert refused.value.code == code
    assert not Look.objects.exists()


def test_after_the_end_there_is_nothing_to_look_behind(match, olga, operator, program):
    organise(program, olga, match, "abort")
    with pytest.raises(Refused) as refused:
        looks.look_behind(by=operator, match=match, seat=0, version=4, reason="check")
    assert refused.value.code == "nothing_hidden"


# --- refused commands ---


def test_of_others_the_organiser_reads_code_and_time_until_the_end(match, olga, operator, anna, ben, program):
    play(program, anna, match, name="counter", item=3)
    play(program, ben, match, name="play", card=55)
    Match.objects.filter(pk=match.pk).update(watch="all")
    path = f"/matches/{match.number}/refusals/"
    for reader in (olga, operator):
        answer = program(reader, *powers(reader)).get(path)
        [second, first] = answer.json()["results"]
        assert (first["seat"], first["name"], first["code"]) == (0, "anna", "no_target")
        assert (second["seat"], second["code"]) == (1, "not_your_turn")
        for one in (first, second):
            assert one["received_at"]
            assert {one[name] for name in ("command", "detail", "parameter", "channel")} == {None}
        assert "55" not in str([{**one, "received_at": "", "id": ""} for one in answer.json()["results"]])
    [own] = program(ben).get(path).json()["results"]
    assert (own["id"], own["command"]) == (second["id"], {"card": 55, "name": "play"})
    Match.objects.filter(pk=match.pk).update(status="finished")
    assert program(olga, *powers(olga)).get(path).json()["results"][1]["command"] == {"item": 3, "name": "counter"}


@pytest.mark.parametrize("staff", [False, True])
def test_a_former_player_reads_their_own_refusals_only_until_the_end(toy, anna, ben, program, staff):
    anna.is_staff = staff
    anna.save()
    own = opening.join_match(by=ben, match=opening.create_match(by=anna, game=toy))
    play(program, ben, own, name="counter", item=3)
    play(program, anna, own, name="counter", item=3)
    assert program(anna).post(f"/matches/{own.number}/give-up/").status_code == 200
    assert [one["seat"] for one in program(anna).get(f"/matches/{own.number}/refusals/").json()["results"]] == [0]


def test_an_organiser_who_plays_reads_their_own_only_until_the_end(toy, anna, ben, program):
    own = opening.join_match(by=ben, match=opening.create_match(by=anna, game=toy))
    play(program, anna, own, name="counter", item=3)
    play(program, ben, own, name="counter", item=3)
    assert [one["seat"] for one in program(anna).get(f"/matches/{own.number}/refusals/").json()["results"]] == [0]
    Match.objects.filter(pk=own.pk).update(status="finished")
    assert [one["seat"] for one in program(anna).get(f"/matches/{own.number}/refusals/").json()["results"]] == [1, 0]


def test_the_numbers_of_ones_own_refusals_tell_nothing_of_those_of_others(toy, anna, ben, program):
    """Whether an opponent has tried something between two of one's own is not known, nor how often."""
    gaps = []
    for tries in (0, 3):
        own = opening.join_match(by=ben, match=opening.create_match(by=anna, game=toy))
        play(program, anna, own, name="counter", item=3)
        for item in range(tries):
            play(program, ben, own, name="counter", item=item)
        play(program, anna, own, name="counter", item=3)
        second, first = (one["id"] for one in program(anna).get(f"/matches/{own.number}/refusals/").json()["results"])
        assert second != first
        gaps.append(abs(second - first))
    assert min(gaps) > 1000


def test_many_refusals_come_in_pages(match, olga, program, anna):
    now = timezone.now()
    Refusal.objects.bulk_create(
        Refusal(
            match=match,
            command_id=f"00000000-0000-4000-8000-{at:012d}",
            user=anna,
            seat=0,
            channel="api",
            received_at=now - timedelta(seconds=at // 4),
            command={"name": "draw"},
            code="x",
            detail="x",
        )
        for at in range(120)
    )
    client, read, following = program(olga, *powers(olga)), [], ""
    while following is not None:
        page = client.get(f"/matches/{match.number}/refusals/{following}").json()
        read += [one["id"] for one in page["results"]]
        following = page["next"]
    assert len(read) == len(set(read)) == 120


def test_old_refusals_go(match, anna, ben, program, settings):
    play(program, anna, match, name="counter", item=3)
    play(program, ben, match, name="draw")
    old = Refusal.objects.get(user=anna)
    Refusal.objects.filter(pk=old.pk).update(received_at=timezone.now() - timedelta(days=settings.REFUSALS_KEPT_DAYS + 1))
    retention.forget()
    assert list(Refusal.objects.values_list("user__username", flat=True)) == ["ben"]
