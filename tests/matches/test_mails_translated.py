"""The mails of a whole match in a language that marks what engines say: nothing English stands outside the marks."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from accounts.models import User
from gamesvc import language
from gamesvc.games import catalog
from gamesvc.ops.management.commands import translations
from tests.games.test_translated import ENGINES, compile_marked
from tests.mailing import mailing, verify  # noqa: F401
from tests.matches.test_mail_texts import mails_of

ENGLISH = re.compile(r".{,40}\b(?:the|of|and|your|you|is|are|with|by|has|have|cards)\b.{,40}", re.I)


@pytest.fixture
def in_marks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    compile_marked(tmp_path, translations.SENTENCES)
    monkeypatch.setattr(language, "LOCALE", tmp_path)


def names(game: str) -> re.Pattern[str]:
    """Return a pattern of the names that are the same in all languages: the game's, and those in its data."""
    texts = [path.read_text(encoding="utf-8") for path in (ENGINES / game / "data").rglob("*.toml")]
    found = {name for text in texts for name in re.findall(r'^ *name = "(.+)"', text, re.M)}
    found.add(catalog.game(game).manifest.title)
    return re.compile("|".join(map(re.escape, sorted(found, key=len, reverse=True))))


@pytest.mark.django_db
@pytest.mark.parametrize("game", ["stratastar", "space_war"])
@pytest.mark.usefixtures("in_marks")
def test_no_sentence_stays_english_in_the_mails_of_a_german_player(game, anna, ben, mailing):  # noqa: F811
    User.objects.update(language="de")
    for user in (anna, ben):
        user.refresh_from_db()
    found = mails_of(game, anna, ben, mailing)
    texts = [caught.text for mails in found.values() for caught in mails if caught.recipients[0].startswith(("anna", "ben"))]
    assert any("⟦" in text for text in texts)
    printed = names(game)
    outside = [printed.sub(" ", " ".join(re.sub(r"⟦[^⟧]*⟧|https?://\S+|##-.*-##", " ", text).split())) for text in texts]
    assert not {found[0] for text in outside for found in ENGLISH.finditer(text)}
