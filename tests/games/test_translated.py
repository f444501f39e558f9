"""Every sentence of an engine can be translated, whole: in a language that marks what is translated, nothing stands outside.

The marks go around the words of a sentence and not around its values. So what is left over is a value: the name of a player,
card or unit, an order, an id; or a piece of English that somebody forgot.
"""

from __future__ import annotations

import ast
import functools
import itertools
import random
import re
import tomllib
from collections.abc import Collection, Iterator
from pathlib import Path

import polib
import pytest

from gamesvc import language
from gamesvc.games import catalog, records
from gamesvc.games.acts import acts
from gamesvc.games.kernel import codec
from gamesvc.games.kernel.dice import seeded
from gamesvc.games.kernel.forms import label
from gamesvc.games.kernel.game import Caption, Event, Game, Refused, Schema, see_event
from gamesvc.games.kernel.timeline import Timeline, check_command, check_options
from gamesvc.games.kernel.wording import SEAT_NAMES, Speaker, listed
from gamesvc.games.selfplay import bounded, play
from gamesvc.ops.management.commands import translations
from gamesvc.web.common.controls import Control, sheet
from tests.games.positions import corpus

NAMES = ("anna", "ben", "cy", "dee", "eve", "fay")
_VALUE = re.compile(r"((?<!\{)\{\w+[^{}]*\})")
_WORD = re.compile(r"[^\W\d_]{3,}|(?<![^\W_])[a-z]{2}(?![^\W_])")
ENGINES = Path(catalog.__file__).parent


def marked(text: str) -> str:
    """Return a translation of a text that shows which words are translated."""
    text = text.replace("{whose}", "{whom}").replace("{their}", "their")  # English only: other languages use the names
    return "".join(part if _VALUE.fullmatch(part) or not part.strip() else f"⟦{part}⟧" for part in _VALUE.split(text))


def left_over(text: str) -> set[str]:
    """Return the words outside of the marks."""
    words = _WORD.findall(re.sub("⟦[^⟧]*⟧", " ", text))
    return {word for word in words if word in (word.lower(), word.upper(), word.capitalize())}  # others are rows of signs


@functools.cache
def gathered(domain: str) -> list[translations.Text]:
    return sorted(translations.gathered(domain))


def compile_marked(folder: Path, domain: str, without: Collection[str] = ()) -> None:
    """Write the catalogue of the language that marks its words, as `de`; some texts are left out of it."""
    catalogue = polib.POFile()
    catalogue.metadata = translations.begun("de").metadata
    for text in gathered(domain):
        if text.singular in without:
            continue
        entry = polib.POEntry(msgid=text.singular, msgid_plural=text.plural, msgctxt=text.context or None)
        if text.plural:
            entry.msgstr_plural = {0: marked(text.singular), 1: marked(text.plural)}
        else:
            entry.msgstr = marked(text.singular)
        catalogue.append(entry)
    path = folder / "de" / "LC_MESSAGES" / f"{domain}.mo"
    path.parent.mkdir(parents=True, exist_ok=True)
    catalogue.save_as_mofile(str(path))


@pytest.fixture
def in_marks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    compile_marked(tmp_path, translations.SENTENCES)
    monkeypatch.setattr(language, "LOCALE", tmp_path)
    monkeypatch.setattr(language, "_asked", lambda: "de")


def words_of(value: object) -> Iterator[str]:
    """Yield the words of a game's data, but for its sentences: ids, and the names of cards and units."""
    if isinstance(value, dict):
        for name, inner in value.items():
            if isinstance(inner, dict):
                yield from _WORD.findall(name.replace("_", " "))
            if name not in ("text", "note"):
                yield from words_of(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from words_of(inner)
    elif isinstance(value, str):
        yield from _WORD.findall(value.replace("_", " "))


def names_in(game: Game) -> set[str]:
    """Return the words that are the same in all languages: names, ids and the words of orders."""
    words = {*NAMES, *SEAT_NAMES, *_WORD.findall(game.manifest.title), "Power"}
    # Lessons are sentences, which are translated.
    for path in {*(ENGINES / game.manifest.id / "data").rglob("*.toml")} - {ENGINES / game.manifest.id / "data" / "lesson.toml"}:
        words |= set(words_of(tomllib.loads(path.read_text(encoding="utf-8"))))
    for verb in (*game.verbs, *game.commands):
        words |= set(_WORD.findall(verb.replace("_", " ")))
    return words | {word.capitalize() for word in words}


def texts_of(game: Game, path: Path) -> Iterator[str]:
    """Yield what the game tells of a recorded match."""
    record = records.load(path.read_text(encoding="utf-8"))
    timeline, rng = Timeline(game), random.Random(path.stem)
    for event in map(game.lift, record.events):
        timeline.apply(event)
        for viewer in (None, *range(record.seats)):
            seen = see_event(game, event, viewer)
            if seen is not None:
                yield game.tell(seen, viewer, NAMES)
        if rng.random() < 0.02 or event is record.events[-1]:
            for viewer in (None, *range(record.seats)):
                yield from texts_of_position(game, game.view(timeline.state, viewer))


def texts_of_position(game: Game, view: dict[str, object]) -> Iterator[str]:
    glance = game.glance(view, Caption("", NAMES))
    yield from (game.board_text(view, Caption("", NAMES)), glance.headline, glance.description, glance.task)
    yield from (entry.line for entry in game.reference(view))
    if (ended := game.summary(view, Caption("", NAMES))) is not None:
        yield from (ended.decided, *(f"{noun} {' '.join(values)}" for noun, values in ended.figures))
    for held in game.hand(view) or ():
        yield held.words
        explained = game.explain(view, held.id)
        assert explained is not None
        yield explained.text
    for of in [*NAMED, *(str(name) for name in view.get("pieces", ()) if isinstance(name, str))]:
        if (explained := game.explain(view, of)) is not None:
            yield explained.text


NAMED = [f"{letter}{number}" for letter in "ABCDEFGHIJ" for number in range(1, 11)]


def forgotten(game_id: str, most: int | None = None) -> dict[str, str]:
    """Return the English words in what a game tells of its recorded matches, each with the shortest text that has it."""
    game = catalog.game(game_id)
    known = names_in(game)
    paths = sorted((Path(__file__).parent / game_id / "playthroughs").glob("*.json"))[:most]
    texts = set(itertools.chain.from_iterable(texts_of(game, path) for path in paths))
    found = {(word, text) for text in texts for word in left_over(text) - known}
    return {word: min((text for one, text in found if one == word), key=len) for word in {word for word, _ in found}}


@pytest.mark.parametrize("most", [4, pytest.param(None, marks=pytest.mark.long)])
@pytest.mark.parametrize("game_id", catalog.OFFERED)
@pytest.mark.usefixtures("in_marks")
def test_no_piece_of_a_sentence_stays_english(game_id: str, most: int | None) -> None:
    found = forgotten(game_id, most)
    assert not found, "\n".join(f"{word}: {text}" for word, text in found.items())


def words_to_read(schema: Schema) -> Iterator[str]:
    """Yield what a form shows: titles, and the words for values."""
    yield from (str(schema[name]) for name in ("title", "description") if name in schema)
    yield from (label(schema, value) for value in (*schema.get("enum", ()), *schema.get("supply", ())))
    for inner in (
        *schema.get("oneOf", ()),
        *schema.get("properties", {}).values(),
        *([schema["items"]] if "items" in schema else ()),
    ):
        yield from words_to_read(inner)


def words_of_controls(control: Control) -> Iterator[str]:
    yield from (control.label, control.note, *(option.label for option in control.options))
    for child in control.children:
        yield from words_of_controls(child)


def texts_of_forms(game: Game) -> Iterator[str]:
    """Yield what the acts of many positions show, as programs and as pages get them."""
    for position in corpus(game):
        state, _marked = codec.read_position(game, position, 1)
        for seat in range(game.seats(state)):
            for act in acts(game, state, seat):
                yield from (act.label, act.verb, *words_to_read(act.body))
                for control in sheet(act).controls:
                    yield from words_of_controls(control)


@pytest.mark.parametrize("game_id", catalog.OFFERED)
@pytest.mark.usefixtures("in_marks")
def test_no_word_of_a_form_stays_english(game_id: str) -> None:
    game = catalog.game(game_id)
    known = names_in(game)
    found = {word: text for text in texts_of_forms(game) for word in left_over(text) - known}
    assert not found, "\n".join(f"{word}: {text}" for word, text in found.items())


LEFT_OUT = {
    "stratastar": {"{who} drew {cards}.": "drew", "Your hand: {cards}.": "Your", "Pays for trades and diplomacy.": "Pays"},
    "star_commander": {"{who} drew {card} from {domain}; {left}.": "drew", "YOUR HAND": "YOUR", "How to win": "How"},
    "space_fleet_commander": {"{who} rerolled to {dice}.": "rerolled", "stars": "stars", "Formation dice: {dice}.": "Formation"},
    "space_war": {
        "The match begins.": "begins",
        "Station cards by row, ! flipped. Cards in play with attack/defense.": "row",
        "How to win": "How",
    },
}
"""For each game some sentences (of the log, the board, and a list), and a word of each by which it is missed."""


@pytest.mark.parametrize("game_id", catalog.OFFERED)
def test_a_sentence_without_translation_is_found(game_id: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    compile_marked(tmp_path, translations.SENTENCES, without=LEFT_OUT[game_id])
    monkeypatch.setattr(language, "LOCALE", tmp_path)
    monkeypatch.setattr(language, "_asked", lambda: "de")
    assert {*LEFT_OUT[game_id].values()} <= forgotten(game_id, most=3).keys()


def plain_refusals() -> Iterator[str]:
    """Yield the refusals in our code whose sentence is no call of `say`."""
    for path in {*ENGINES.rglob("*.py")} - {ENGINES / "protocol.py"}:  # which answers programs
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            refused = isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Refused" and len(node.args) > 1
            if refused and isinstance(node.args[1], ast.Constant | ast.JoinedStr):
                yield f"{path}:{node.lineno}"


def test_every_refusal_can_be_translated() -> None:
    assert not [*plain_refusals()]


WORDING = {
    *("say", "say_many", "counted", "listed", "named", "gettext", "ngettext", "pgettext", "_"),
    *("reference", "explain", "tell", "glance", "hand", "picture", "board_text", "order_help", "short_rules", "summary"),
}
"""Functions and parts of a game that speak the language of their reader."""
_CACHES = re.compile(r"(?:functools\.)?(?:lru_)?cache\b")


def test_nothing_said_to_one_reader_is_kept_for_the_next() -> None:
    """What is cached holds no sentences: the next reader may have another language."""
    kept = []
    for path in ENGINES.parents[0].rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef) and any(_CACHES.match(ast.unparse(one)) for one in node.decorator_list):
                called = {ast.unparse(call.func).rpartition(".")[2] for call in ast.walk(node) if isinstance(call, ast.Call)}
                kept += [f"{path}:{node.lineno} {name}" for name in called & WORDING]
    assert not kept


REFUSED = {
    "stratastar": ({"name": "colonize", "space": 7}, "stargte C4"),
    "star_commander": ({"name": "develop"}, "orders comands=ask"),
    "space_fleet_commander": ({"name": "explore"}, "explore"),
    "space_war": ({"name": "draw", "mill": 1}, "drw"),
}
"""For each game a command and an order whose refusals are put together from several sentences."""


@pytest.mark.parametrize("game_id", REFUSED)
def test_a_refusal_is_stored_in_english(game_id: str, in_marks: None) -> None:
    game = catalog.game(game_id)
    command, order = REFUSED[game_id]
    seats = game.manifest.min_seats
    timeline: Timeline = Timeline(game)
    timeline.follow(timeline.begin(check_options(game, {}, seats), seats, seeded("stored")))
    with pytest.raises(Refused) as shape:
        check_command(game, command)
    with pytest.raises(Refused) as text:
        game.parse(order, game.view(timeline.state, 0))
    for refused in (shape.value, text.value):
        assert "⟦" in refused.sentence
        assert "⟦" not in refused.detail


@pytest.mark.parametrize("game_id", catalog.OFFERED)
def test_what_is_recorded_is_the_same_in_every_language(game_id: str, in_marks: None, monkeypatch: pytest.MonkeyPatch) -> None:
    game = catalog.game(game_id)

    def events() -> list[Event]:
        seats, bots = game.manifest.min_seats, ("greedy", "random")
        return list(play(game, options=bounded(game), seats=seats, seed="stored", bots=bots, check_every=0).events)

    marked_events = events()
    monkeypatch.setattr(language, "_asked", lambda: None)
    assert events() == marked_events


def test_a_sentence_keeps_its_english(in_marks: None) -> None:
    said = language.say("You have no unit at {space}.", space="C4")
    assert said == "⟦You have no unit at ⟧C4⟦.⟧"
    assert language.english(said) == "You have no unit at C4."
    assert language.english(Speaker(0, NAMES).says("{who} passed.", who=0)) != ""
    kinds = listed([language.say("card"), language.say("ship"), language.say("station")], "or")
    assert language.english(kinds) == "card, ship or station"
