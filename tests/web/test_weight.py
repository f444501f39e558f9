"""What the pages load: few bytes, only our own files, under names that browsers may keep."""

import gzip
import re
from pathlib import Path

import pytest
from django.contrib.staticfiles import finders
from django.core.management import call_command
from django.test import Client

from gamesvc.matches.lobby import opening
from tests.web.page import PageForm, form_to

pytestmark = pytest.mark.django_db
SCRIPTS = ("table/*.js", "vendor/*.js", "live.js")
STYLES = ("tokens.css", "site.css", "table.css")
STATIC = Path(finders.find("table.css")).parent
FONTS = tuple(STATIC.glob("fonts/*.woff2"))


def weight(*contents: bytes) -> int:
    return sum(len(gzip.compress(content, 6)) for content in contents)


def scripts() -> int:
    return weight(*(path.read_bytes() for pattern in SCRIPTS for path in STATIC.glob(pattern)))


@pytest.mark.parametrize("game", ["stratastar", "star_commander", "space_war"])
def test_the_match_page_is_light(people, clients, game):
    match = opening.join_match(by=people[1], match=opening.create_match(by=people[0], game=game, seats=2))
    page = clients[0].get(f"/matches/{match.number}/")
    styles = weight(*((STATIC / name).read_bytes() for name in STYLES), (STATIC / "icons.svg").read_bytes())
    assert scripts() < 60_000
    assert weight(page.content) < 30_000, "an act brings the page once"
    assert weight(page.content) + scripts() + styles + sum(path.stat().st_size for path in FONTS) < 150_000


def test_pages_run_nothing_but_our_own_files(people, clients):
    match = opening.join_match(by=people[1], match=opening.create_match(by=people[0], game="stratastar", seats=2))
    for path in ("/", f"/matches/{match.number}/", f"/matches/{match.number}/board.svg", "/accounts/login/", "/nothing/"):
        answer = clients[0].get(path)
        policy = answer["Content-Security-Policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert answer["Cross-Origin-Resource-Policy"] == "same-origin"
        assert "camera=()" in answer["Permissions-Policy"]
        text = answer.content.decode()
        assert " style=" not in text
        assert " onclick=" not in text
        assert "<style" not in text


def test_the_sheet_of_icons_holds_what_pages_show_and_no_more():
    """Boards bring icons of their own. So what only they show is nothing for this file."""
    sheet = set(re.findall(r'<symbol id="([^"]+)"', (STATIC / "icons.svg").read_text()))
    templates = [path.read_text() for path in (STATIC.parent / "templates").rglob("*.html")]
    shown = {name for text in templates for name in re.findall(r'{% icon "([^"]+)"', text)}
    assert sheet == shown | {"first", "previous", "next", "last"}, "with the steps of a replay, which no template names"


@pytest.mark.long
def test_static_files_keep_their_content_under_their_names(settings, tmp_path):
    settings.STATIC_ROOT = tmp_path
    settings.STORAGES = {**settings.STORAGES, "staticfiles": {"BACKEND": "gamesvc.web.common.static_files.HashedFiles"}}
    call_command("collectstatic", interactive=False, verbosity=0)
    [page] = tmp_path.glob("table/page.*.js")
    assert 'from "./taps.js"' not in page.read_text(), "a module imports the others under their hashed names"
    assert page.with_name(f"{page.name}.gz").exists()


def form_on(client: Client, number: int, ending: str) -> PageForm:
    return form_to(client.get(f"/matches/{number}/").content.decode(), ending)


def test_the_next_match_that_waits_is_one_click_away(people, clients):
    first, second = (
        opening.join_match(by=people[1], match=opening.create_match(by=people[0], game="stratastar", seats=2)) for _ in range(2)
    )
    client = clients[0] if b"Your move" in clients[0].get(f"/matches/{first.number}/").content else clients[1]
    assert client.get(f"/matches/{second.number}/next")["Location"] == f"/matches/{first.number}/"
    setting = form_on(client, first.number, "/after-turn")
    client.post(setting.action, {**setting.fields, "act": "next"})
    command = form_on(client, first.number, "/command")
    shown = {name: [sorted(values)[0]] for name, values in command.choices.items() if not name.startswith(("_", "csrf"))}
    answer = client.post(command.action, {**command.fields, **shown})
    assert answer["Location"] in (f"/matches/{second.number}/", "/")
