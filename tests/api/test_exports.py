"""The bulk export: finished public matches, page after page, each once, whole and verifiable."""

from __future__ import annotations

import json
from datetime import timedelta

import pytest
import time_machine
from django.test import Client
from django.utils import timezone

from gamesvc import paging
from gamesvc.matches.lobby import opening
from gamesvc.matches.models import Match
from gamesvc.matches.proof import verification
from gamesvc.matches.statistics import ratings
from tests.conftest import make_anna, make_ben, offer_toy
from tests.matches.exports import export_of
from tests.matches.playing import play_out

pytestmark = pytest.mark.django_db

MATCHES, RESULTS = "/api/v1/exports/matches/", "/api/v1/exports/results/"


def over(people, **more) -> Match:
    match = opening.join_match(by=people[1], match=opening.create_match(by=people[0], game="toy", **more))
    play_out(match)
    return match


@pytest.fixture(scope="module")
def ended(shared):
    """Four finished public matches of two players, in the order of their ends, which is not that of their numbers."""
    with shared() as patch:
        offer_toy(patch)
        people = [make_anna(), make_ben()]
        found = [over(people, watch="all") for _ in range(4)]
        over(people, watch="link")
        opening.join_match(by=people[1], match=opening.create_match(by=people[0], game="toy", watch="all"))
        found = [found[0], found[2], found[1], found[3]]
        then = timezone.now() - timedelta(hours=1)
        # Two end at the same moment: their numbers decide.
        for match, minutes in zip(found, (1, 2, 3, 3), strict=True):
            Match.objects.filter(pk=match.pk).update(ended_at=then + timedelta(minutes=minutes))
        return [match.pk for match in found]


@pytest.fixture(autouse=True)
def _of_two(monkeypatch, toy, ended):
    monkeypatch.setattr(paging, "EXPORTED", 2)
    monkeypatch.setattr(paging, "RESULTS", 3)


def lines(path, **query) -> list[bytes]:
    answer = Client().get(path, query)
    assert (answer.status_code, answer["Content-Type"]) == (200, "application/x-ndjson")
    return b"".join(answer).splitlines(keepends=True)


def test_it_is_read_to_its_end_in_pages_and_each_part_is_the_export_of_a_match(ended):
    files, after = [], {}
    while page := lines(MATCHES, **after):
        part = b""
        for line in page:
            if cursor := json.loads(line).get("cursor"):
                files.append(part)
                part, after = b"", {"after": cursor}
            else:
                part += line
        assert part == b""
    assert files == [export_of(Match.objects.get(pk=match)) for match in ended]
    assert all(verification.verify(content).ok for content in files)


def test_a_client_that_was_cut_off_goes_on_after_its_last_cursor(ended):
    whole = lines(MATCHES)
    cut = whole[: next(at for at, line in enumerate(whole) if b'"cursor"' in line) + 3]  # within the second match
    last = next(json.loads(line)["cursor"] for line in reversed(cut) if b'"cursor"' in line)
    rest = lines(MATCHES, after=last)
    assert json.loads(rest[0])["match"] == str(ended[1])
    assert [json.loads(line)["trailer"]["match"] for line in rest if b'"trailer"' in line] == [str(one) for one in ended[1:3]]


def test_an_answer_ends_after_so_many_events_however_few_matches_they_are(ended, monkeypatch):
    monkeypatch.setattr(paging, "EXPORTED", 4)
    sizes = [Match.objects.get(pk=match).version for match in ended]

    def exported() -> list[str]:
        return [json.loads(line)["trailer"]["match"] for line in lines(MATCHES) if b'"trailer"' in line]

    for most, found in ((1, 1), (sum(sizes[:2]), 2), (sum(sizes[:3]) - 1, 2), (sum(sizes), 4)):
        monkeypatch.setattr(paging, "EXPORTED_EVENTS", most)
        assert exported() == [str(match) for match in ended[:found]]


def test_the_results_name_players_outcomes_and_ratings(ended, feed):
    while ratings.follow():
        pass
    first, second = [json.loads(line) for line in lines(RESULTS)], []
    second = [json.loads(line) for line in lines(RESULTS, after=first[-1]["cursor"])]
    assert (len(first), [one["match"] for one in first + second]) == (3, [str(match) for match in ended])
    assert lines(RESULTS, after=second[-1]["cursor"]) == []
    for one in first:
        match = Match.objects.get(pk=one["match"])
        assert (one["number"], one["outcome"], one["events"]) == (match.number, match.outcome, match.version)
        assert [seat["name"] for seat in one["seats"]] == ["anna", "ben"]
    assert {seat["rating_after"] is None for one in first for seat in one["seats"]} == {False}


def test_only_what_everyone_may_watch_of_the_game_asked_for(ended):
    assert lines(MATCHES, game="stratastar") == lines(RESULTS, game="stratastar") == []
    assert len(lines(RESULTS, game="toy")) == 3
    Match.objects.update(watch="nobody")
    assert lines(MATCHES) == lines(RESULTS) == []


def test_a_match_that_has_just_ended_waits_until_none_can_precede_it(ended, player):
    newest = over([player("carla"), player("dan")], watch="all")
    Match.objects.exclude(pk=newest.pk).update(watch="nobody")
    assert lines(RESULTS) == []
    with time_machine.travel(timezone.now() + timedelta(minutes=2), tick=False):
        assert [json.loads(line)["match"] for line in lines(RESULTS)] == [str(newest.pk)]


@pytest.mark.parametrize("cursor", ["", "x", "1-", "-1", "1-2-3", "9" * 18 + "-1", "١-١"])
def test_a_cursor_that_is_none_is_refused(cursor):
    answer = Client().get(MATCHES, {"after": cursor})
    assert (answer.status_code, answer.json()["code"]) == (400, "bad_cursor")


def test_the_queries_for_results_do_not_grow_with_their_number(ended, monkeypatch, django_assert_num_queries):
    monkeypatch.setattr(paging, "RESULTS", 1)
    with django_assert_num_queries(3):
        assert len(lines(RESULTS)) == 1
    monkeypatch.setattr(paging, "RESULTS", 4)
    with django_assert_num_queries(3):
        assert len(lines(RESULTS)) == 4
