"""Sentences read right for you, one, many and nobody, for 0 and 1: every event type that a game writes, for every viewer.

The events are those of recorded matches, of golden files, and of scripted matches in the tests of each game.
"""

from __future__ import annotations

import ast
import itertools
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from gamesvc.games import catalog, records
from gamesvc.games.kernel.events import of_service
from gamesvc.games.kernel.game import Event, see_event
from gamesvc.games.kernel.wording import capital, counted, listed, named, opening
from tests.games.golden.record import FOLDER, GAMES, read, written_today

NAMES = ("anna", "ben", "cy", "dee", "eve", "fay")
PLURALS = (
    "actions|cards|colonies|counters|credits|developments|dice|fighters|fleets|hits|items|offers|points|rounds|seats|ships|slots|"
    "stars|standing orders|systems|targets|turns|vessels|warfleets|worlds"
)
WRONG = {
    "one with a plural": re.compile(rf"(?<![\w.,/+-])1 (?:{PLURALS})\b", re.I),
    "many or none with a singular": re.compile(
        r"(?<![\w.,/+:-])(?:0|[2-9]|\d\d+) (?:action|card|colony|credit|die|star|ship)\b", re.I
    ),
    "a capital You in mid-sentence": re.compile(r"[\w,'] (You|Your)\b|: (You|Your)\."),
    "a small you at the beginning": re.compile(r"(^|\. )your?\b"),
    "a verb that does not fit you": re.compile(r"\byou (is|has|was|does|(?!as\b|this\b)\w*[a-rt-z]s)\b", re.I),
    "you where your belongs": re.compile(r"\b(of you|you's)\b|\byour?[.,;:] (?:\w+ )?phase", re.I),
    "none and are": re.compile(r"\b(0 are left|1 are left)\b"),
    "doubled or stray punctuation": re.compile(r"[.,;:!?]{2}|\s{2}|\s[.,;:]|\(\s*\)|[,;:]$|: [.,;]"),
    "an empty list": re.compile(r"\b(and|or|with|by|to|of|:) ?\."),
    "snake case": re.compile(r"[a-z]_[a-z]"),
    "the id of a card": re.compile(r"\b[ab]-\d+"),
    "an id without its noun": re.compile(r"\b(with|moved|used|chose|assigned|from|set aside|removed|changed|:) [vcs]\d+\b"),
    "a value of Python": re.compile(r"\b(None|True|False)\b|[\[\]{}]"),
    "no end": re.compile(r"[^.\"]$"),
}


def faults(sentence: str) -> list[str]:
    return [name for name, pattern in WRONG.items() if pattern.search(sentence)]


def streams(game_id: str) -> Iterator[tuple[int, Sequence[Event]]]:
    """Yield the number of seats and the events of all recorded matches and golden files of a game."""
    for path in sorted((Path(__file__).parent / game_id / "playthroughs").glob("*.json")):
        record = records.load(path.read_text(encoding="utf-8"))
        yield record.seats, record.events
    for path in sorted(FOLDER.glob(f"{game_id}/*.json")):
        yield catalog.game(game_id).manifest.max_seats, read(path)["events"]


def told(game_id: str) -> Iterator[tuple[str, str]]:
    """Yield type and sentence of every event, for every viewer, hidden parts left out."""
    game = catalog.game(game_id)
    for seats, events in streams(game_id):
        for event in map(game.lift, events):
            if of_service(event.type):
                continue
            for viewer in (None, *range(seats)):
                for names in (NAMES, ()):
                    seen = see_event(game, event, viewer)
                    if seen is not None:
                        yield event.type, game.tell(seen, viewer, names)
                    if viewer is not None:  # after the end of a match nothing is hidden
                        yield event.type, game.tell(event, viewer, names)


@pytest.mark.parametrize("game_id", catalog.OFFERED)
def test_the_log_reads_right_for_every_viewer(game_id: str) -> None:
    sentences = set(told(game_id))
    wrong = {(kind, sentence, fault) for kind, sentence in sentences if sentence for fault in faults(sentence)}
    assert not wrong, sorted(wrong)[:20]
    types = {kind for kind, _ in written_today(catalog.game(game_id)) if not of_service(kind)}
    assert types <= {kind for kind, _ in sentences}, "an event type is not told"
    assert any(sentence.startswith("You ") for _, sentence in sentences)
    assert any(sentence.startswith("anna ") for _, sentence in sentences)


@pytest.mark.parametrize(
    "sentence",
    [
        "greedy bot and You passed automatically.",
        "Turn 2 begins: You.",
        "You paid 1 credits; 2 are left.",
        "anna drew a card from science; 1 are left.",
        "anna has 0,0 with 1 developments.",
        "Turn 22, your. Ready phase.",
        "anna jumped with v2 from 0,0 to 0,1.",
        "Blue must choose for: play_card.",
        "This attack flips exactly 1 face-down cards, 1 cards.",
        "You passes.",
        "you passed.",
        "Trade 2 of you is withdrawn.",
        "The orders are: .",
        "anna chose a-17.",
        "ben chose None.",
        "ben drew 3 card.",
        "ben passed..",
        "ben passed",
    ],
)
def test_the_patterns_find_what_was_wrong(sentence: str) -> None:
    assert faults(sentence)


def test_the_patterns_let_right_sentences_pass() -> None:
    for sentence in ("You and ben passed automatically.", "Turn 2 begins: your turn.", "ben jumped with ships v2 and v3 to 1,1."):
        assert faults(sentence) == []


def test_counts_and_lists_fit_none_one_and_many() -> None:
    assert [counted(number, "card") for number in (0, 1, 2)] == ["0 cards", "1 card", "2 cards"]
    assert [counted(number, "colony", "colonies") for number in (0, 1, 2)] == ["0 colonies", "1 colony", "2 colonies"]
    assert [listed(items) for items in ((), ("a",), ("a", "b"), (1, 2, 3))] == ["", "a", "a and b", "1, 2 and 3"]
    assert listed(("a", "b", "c"), "or") == "a, b or c"
    assert [named("slot", items) for items in (("s1",), ("s1", "s2"))] == ["slot s1", "slots s1 and s2"]
    assert [opening(text) for text in ("you won", "your turn", "younis won", "anna won")] == [
        "You won",
        "Your turn",
        "younis won",
        "anna won",
    ]
    assert [capital(text) for text in ("", "a nebula")] == ["", "A nebula"]


# --- numbers in refusals, labels and boards ---

AFTER_A_NUMBER = re.compile(rf" (?:(?:face-down|different|enemy|open|other|own) )?(?:{PLURALS})\b", re.I)
NEVER_ONE = {
    "t.whose(d['seat'])": "a name",
    "t.whose": "a name",
    "t.their(d['seat'])": "your or their",
    "t.Whose": "a name",
    "grid": "3 to 5",
    "count": "only where it is more than one",
    "board.edition.hand_limit": "5 or more",
    "after": "more than the limit",
    "colour": "a colour",
}


def uncounted(source: str) -> Iterator[tuple[int, str]]:
    """Yield line and expression of each value in an f-string in front of a plural, except constants and texts."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.JoinedStr):
            for value, text in itertools.pairwise(node.values):
                if (
                    isinstance(value, ast.FormattedValue)
                    and isinstance(text, ast.Constant)
                    and AFTER_A_NUMBER.match(str(text.value))
                ):
                    expression = ast.unparse(value.value)
                    if not re.match(r"(\w+\.)*[A-Z_]{3,}\b", expression) and expression not in NEVER_ONE:
                        yield node.lineno, expression


def test_every_number_in_front_of_a_plural_is_counted() -> None:
    paths = [path for room in ("rules", "text") for path in GAMES.glob(f"*/{room}/**/*.py")]
    wrong = [
        f"{path.relative_to(GAMES)}:{line} {expression}: use `counted`"
        for path in paths
        if path.stem not in ("invariants", "pending")  # faults of described positions, for programmers
        for line, expression in uncounted(path.read_text(encoding="utf-8"))
    ]
    assert len(paths) > 50
    assert wrong == [], "\n".join(wrong)


@pytest.mark.parametrize(
    ("source", "count"),
    [
        ('f"exactly {flips} face-down cards"', 1),
        ('f"{len(hand)} cards"', 1),
        ("f\"exactly {counted(flips, 'face-down card')}\"", 0),
        ('f"at most {MOST_CARDS} cards"', 0),
    ],
)
def test_a_number_that_is_not_counted_is_found(source: str, count: int) -> None:
    assert len(list(uncounted(source))) == count


def numbered_seats(source: str) -> Iterator[tuple[int, str]]:
    """Yield line and text of each sentence that is said with the number of a seat that exists."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "say" and node.args:
            message = node.args[0]
            if isinstance(message, ast.Constant) and re.search(r"(?<!no )\bseat \{", str(message.value), re.I):
                yield node.lineno, str(message.value)


def test_no_sentence_names_a_player_by_the_number_of_a_seat() -> None:
    paths = [path for room in ("rules", "text") for path in GAMES.glob(f"*/{room}/**/*.py")]
    wrong = [
        f"{path.relative_to(GAMES)}:{line} {message}: use `seat_name`"
        for path in paths
        for line, message in numbered_seats(path.read_text(encoding="utf-8"))
    ]
    assert wrong == [], "\n".join(wrong)


@pytest.mark.parametrize(
    ("source", "count"),
    [
        ('say("Seat {seat} has {cards}.", seat=seat, cards=cards)', 1),
        ('say("The match waits for seat {seat}.", seat=seat)', 1),
        ('say("The match waits for {seat}.", seat=seat_name(seat))', 0),
        ('say("There is no seat {seat} in this match.", seat=seat)', 0),
    ],
)
def test_a_player_named_by_a_number_is_found(source: str, count: int) -> None:
    assert len(list(numbered_seats(source))) == count
