"""The documents of the API: guides that are true, links that lead somewhere, a reference of every operation and code."""

from __future__ import annotations

import json
import random
import re
from concurrent.futures import ThreadPoolExecutor

import jsonschema_rs
import orjson
import pytest
from django.test import Client
from django.utils.html import escape
from drf_spectacular.generators import SchemaGenerator

from gamesvc.api.openapi.document import operations
from gamesvc.api.v1.index import OpenAPI
from gamesvc.errors import GamesvcError
from gamesvc.games import catalog
from gamesvc.games.kernel.dice import seeded
from gamesvc.games.kernel.forms import fill
from gamesvc.games.kernel.targets import form_as_json
from gamesvc.games.kernel.timeline import Timeline
from gamesvc.games.selfplay import check_options
from gamesvc.web.docs.guides import guides
from gamesvc.web.docs.problems import codes
from gamesvc.web.docs.reference import reference
from tests.answers import document

PAGES = ["/api/docs/", *(f"/api/docs/{one.slug}/" for one in guides()), "/api/docs/reference/", "/problems/"]
REFERENCE = [f"/api/docs/reference/{name}/" for name in reference().sections]
SHORT = {"space_fleet_commander": {"mode": "race"}, "space_war": {"decks": ["terrans", "swarm"]}}
ANCHOR = re.compile(r'href="(/(?:api|problems)/[^"]*)"')


@pytest.mark.parametrize("page", [*PAGES, *REFERENCE])
@pytest.mark.django_db
def test_every_link_of_the_documents_leads_somewhere(client: Client, page: str) -> None:
    text = client.get(page).content.decode()
    for link in set(ANCHOR.findall(text)):
        path, _, anchor = link.partition("#")
        answer = client.get(path)
        assert answer.status_code == 200, link
        assert not anchor or f'id="{anchor}"' in answer.content.decode(), link


@pytest.mark.django_db
def test_the_reference_shows_every_operation(client: Client) -> None:
    shown = "".join(client.get(f"/api/docs/reference/{name}/").content.decode() for name in reference().sections)
    for path, method, operation in operations(document()):
        assert f'id="{operation["operationId"]}"' in shown
        assert f"{method.upper()} {path.removeprefix('/api/v1')}" in shown
        for answer in operation["responses"].values():
            if example := answer.get("content", {}).get("application/json", {}).get("example"):
                assert escape(json.dumps(example, indent=2, ensure_ascii=False)) in shown


@pytest.mark.django_db
def test_every_code_has_its_page(client: Client) -> None:
    listed = client.get("/problems/").content.decode()
    assert {kind.code for kind in GamesvcError.kinds() if kind.code} <= set(codes())
    for code, meaning in codes().items():
        assert f'href="/problems/{code}"' in listed
        assert meaning.advice


@pytest.mark.parametrize(
    "page", ["/problems/", "/problems/bad_action", *(f"/api/docs/reference/{name}/" for name in reference().sections)]
)
@pytest.mark.django_db
def test_names_of_fields_are_set_as_code_and_not_in_marks(client: Client, page: str) -> None:
    text = re.sub(r"<pre>.*?</pre>", "", client.get(page).content.decode(), flags=re.DOTALL)
    assert "`" not in text
    assert "<code>" in text


@pytest.mark.django_db
def test_an_unknown_guide_is_a_page_that_was_not_found(client: Client) -> None:
    answer = client.get("/api/docs/nowhere/")
    assert (answer.status_code, answer["Content-Type"].partition(";")[0]) == (404, "text/html")


@pytest.mark.parametrize("game_id", catalog.OFFERED)
def test_every_form_fits_the_published_schema(client: Client, game_id: str) -> None:
    validator = jsonschema_rs.validator_for(client.get("/api/docs/forms.schema.json").json())
    game, rng, dice = catalog.game(game_id), random.Random("docs"), seeded("docs", "")
    timeline = Timeline(game)
    timeline.fold(timeline.begin(check_options(game, SHORT.get(game_id, {}), 2), 2, dice).events)
    for _ in range(40):
        if not (awaited := game.awaited(timeline.state)):
            break
        seat = awaited[0].seat
        forms = game.legal_commands(timeline.state, seat)
        view = game.view(timeline.state, seat)
        for form in forms:
            shown = orjson.loads(orjson.dumps(form_as_json(game, form, view)["parameters"], option=orjson.OPT_NON_STR_KEYS))
            assert [str(one) for one in validator.iter_errors(shown)] == []
        timeline.fold(timeline.command(seat, fill(rng.choice([one for one in forms if not one.aside]), rng), dice).events)
    assert timeline.version > 20


def test_the_document_is_made_for_one_reader_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """After a start many may ask for it at once, in several forms."""
    parse, inside, most = SchemaGenerator.parse, [], []

    def counted(self: SchemaGenerator, *args: object) -> object:
        inside.append(self)
        most.append(len(inside))
        try:
            return parse(self, *args)  # type: ignore[no-untyped-call]
        finally:
            inside.remove(self)

    monkeypatch.setattr(SchemaGenerator, "parse", counted)
    monkeypatch.setattr(OpenAPI, "made", {})
    reference.cache_clear()
    with ThreadPoolExecutor(2) as readers:
        answers = list(readers.map(Client().get, ["/api/v1/openapi.json", "/api/docs/reference/shapes/"]))
    assert [answer.status_code for answer in answers] == [200, 200]
    assert most == [1, 1]
