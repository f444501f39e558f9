"""The form for a new match: its defaults, what a refusal keeps, and the sentence about time."""

import re
from html.parser import HTMLParser

import pytest

from gamesvc.games import catalog
from gamesvc.matches.models import Match
from tests.web.page import chosen, form_to

pytestmark = pytest.mark.django_db


def html(response) -> str:
    return " ".join(response.content.decode().split())


def new_form(client, game):
    return form_to(client.get(f"/new/{game}/").content.decode(), "", "Create game")


def seats(game) -> list[int]:
    manifest = catalog.game(game).manifest
    return list(range(manifest.min_seats, manifest.max_seats + 1))


@pytest.mark.parametrize("game", [game.id for game in catalog.games()])
@pytest.mark.parametrize("entry", ["public", "invited", "bots"])
def test_every_default_opens_a_match(game, entry, clients):
    form = new_form(clients[0], game)
    for count in seats(game):
        values = ({"seats": [str(count)]} if "seats" in form.choices else {}) | (
            {"entry": [entry]} if "entry" in form.choices else {}
        )
        answer = clients[0].post(f"/new/{game}/", chosen(form, values))
        assert answer.status_code == 302, (count, html(answer))
        match = Match.objects.latest("number")
        assert match.seat_count == count
        assert (match.status == "running") == (entry == "bots" or count == 1)


class Radios(HTMLParser):
    """The radio buttons of a page that must be answered: how many are chosen, by name."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.chosen: dict[str, int] = {}
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        if given.get("type") == "radio":
            assert given.keys() <= {"type", "name", "value", "id", "checked", "required"}, given
            if "required" in given:
                self.chosen[given["name"]] = self.chosen.get(given["name"], 0) + ("checked" in given)


@pytest.mark.parametrize("game", [game.id for game in catalog.games()])
def test_a_browser_finds_nothing_missing_in_the_defaults(game, clients):
    chosen_by_name = Radios(clients[0].get(f"/new/{game}/").content.decode()).chosen
    assert chosen_by_name
    assert set(chosen_by_name.values()) == {1}, chosen_by_name


def test_every_number_of_players_may_play_each_time_control(toy_offered, clients):
    form = new_form(clients[0], "toy")
    for kind in sorted(form.choices["clock"] - {"parts"}):
        assert clients[0].post("/new/toy/", chosen(form, {"clock": [kind]})).status_code == 302
    assert Match.objects.count() == len(form.choices["clock"]) - 1


def test_the_sentence_about_time_makes_the_clock(toy_offered, clients, people):
    people[0].timezone = "Europe/Berlin"
    people[0].save()
    form = new_form(clients[0], "toy")
    values = {"hours": ["72"], "react": ["12h"], "stops": ["weekends and nights"]}
    assert clients[0].post("/new/toy/", chosen(form, values)).status_code == 302
    assert Match.objects.get().clock == {
        "turn": "72h",
        "reaction": "12h",
        "choice": "12h",
        "days_off": {"weekdays": ["sat", "sun"], "zone": "Europe/Berlin"},
        "quiet_hours": 10,
    }


def test_the_time_is_told_with_dates(toy_offered, clients):
    moment = r"<time [^>]*>\w{3} \d+ \w{3} 20:00 UTC</time>"
    assert re.search(f"a turn that begins on {moment} is due on {moment}", html(clients[0].get("/new/toy/")))


def test_a_refusal_keeps_everything_and_names_each_field(toy_offered, clients):
    form = new_form(clients[0], "toy")
    values = {"entry": ["invited"], "hours": ["72"], "react": ["1d"], "bot1": ["greedy"], "watch": ["all"], "undo": ["never"],
              "anonymous": ["1"], "finished": ["180"]}  # fmt: skip
    answer = clients[0].post("/new/toy/", chosen(form, values))
    assert answer.status_code == 422
    page = html(answer)
    assert "<title>Error: " in page
    assert '<a href="#asks">' in page
    kept = form_to(answer.content.decode(), "", "Create game").fields
    assert {name: kept[name][-1:] for name in values} == values
    folds = re.findall(r'<details class="fold" id="(\w+)" ?(open)?', page)
    assert {name for name, opened in folds if opened} == {"talk", "watch", "asks"}


@pytest.mark.parametrize("game", [game.id for game in catalog.games()])
def test_a_refusal_loses_nothing_that_was_typed(game, clients):
    form = new_form(clients[0], game)
    usual = {name: set(form.fields.get(name, [])) for name in form.choices if name not in ("csrfmiddlewaretoken", "_once")}
    # Another answer than the default to each question, as far as there is one.
    typed = {
        name: ["3"] if "*" in form.choices[name] else sorted(form.choices[name] - default)[:1] or sorted(default)
        for name, default in usual.items()
    } | {"finished": ["many"]}
    answer = clients[0].post(f"/new/{game}/", chosen(form, typed))
    assert answer.status_code == 422
    kept = form_to(answer.content.decode(), "", "Create game").fields
    assert {name: kept.get(name, []) for name in typed} == typed


def test_several_errors_are_told_at_once(toy_offered, clients):
    answer = clients[0].post("/new/toy/", chosen(new_form(clients[0], "toy"), {}) | {"hours": ["many"], "timeouts": ["-1"]})
    page = html(answer)
    assert "2 things to change" in page
    assert '<a href="#time">Choose how many hours' in page
    assert '<a href="#asks">Enter the number of timeouts' in page
    assert not Match.objects.exists()


@pytest.mark.parametrize("game", [game.manifest.id for game in catalog.games()])
def test_every_choice_among_options_is_in_words(game, clients):
    """A value such as `high_score` is for programs."""
    for option in catalog.game(game).manifest.options["properties"].values():
        choice = option if "enum" in option else option.get("items", {})
        texts = [value for value in choice.get("enum", ()) if isinstance(value, str)]
        assert set(texts) <= choice.get("labels", {}).keys(), option["title"]
