"""Hostile text in orders, commands and protocol lines of every game is refused with a reason and never raises an exception."""

from __future__ import annotations

import io
import json
import random
from contextlib import suppress
from xml.etree import ElementTree

import pytest

from gamesvc.games import catalog
from gamesvc.games.drawing.paper import Paper
from gamesvc.games.kernel import codec, forms, intake
from gamesvc.games.kernel.dice import seeded
from gamesvc.games.kernel.game import Caption, Refused
from gamesvc.games.kernel.timeline import Timeline
from gamesvc.games.protocol import serve
from tests.hostile import TEXTS, UNTAKEN, VALUES, nested

GAMES = (*catalog.OFFERED, "auction")
pytestmark = pytest.mark.usefixtures("auction")


def positions(game_id, steps=12):
    """Yield a few positions of a random match."""
    game, rng = catalog.game(game_id), random.Random(7)
    timeline, dice = Timeline(game), seeded("hostile")
    seats = game.manifest.min_seats
    options = {name: schema["default"] for name, schema in game.manifest.options["properties"].items()}
    timeline.follow(timeline.begin(options, seats, dice))
    for _ in range(steps):
        awaited = game.awaited(timeline.state)
        if not awaited:
            return
        seat = awaited[0].seat
        view, offered = game.view(timeline.state, seat), game.legal_commands(timeline.state, seat)
        yield timeline, seat, view, offered
        command = game.bots["random"](view, offered, rng)
        timeline.follow(timeline.command(seat, dict(command), dice))


def spoilt(order: str, rng: random.Random):
    """Yield the order with each word replaced by hostile text, and with hostile text appended."""
    words = order.split() or [""]
    for text in TEXTS.values():
        place = rng.randrange(len(words))
        yield " ".join([*words[:place], text, *words[place + 1 :]])
        yield f"{order} {text}"
        yield f"{words[0]} {text}"
        yield text


@pytest.mark.long
@pytest.mark.parametrize("game_id", GAMES)
def test_hostile_order_texts_are_refused(game_id):
    game, rng = catalog.game(game_id), random.Random(3)
    tried = refused = 0
    for timeline, seat, view, offered in positions(game_id, 4):
        verbs = {game.render(forms.fill(form, rng)) for form in offered}
        verbs |= {line.split(":")[0].strip() for line in game.order_help(None).splitlines()}
        for order in rng.sample(sorted(verbs), min(len(verbs), 15)):
            for text in spoilt(order, rng):
                tried += 1
                try:
                    timeline.command(seat, dict(game.parse(text, view)), seeded("x"))
                except Refused as why:
                    refused += bool(why.code and str(why))
    assert tried > 100
    assert refused > tried / 2, "hostile text is refused with a code and a sentence"


@pytest.mark.parametrize("game_id", GAMES)
def test_hostile_parameters_are_refused(game_id):
    rng = random.Random(5)
    for timeline, seat, _view, offered in positions(game_id, 3):
        for form in offered:
            command = forms.fill(form, rng)
            for value in VALUES.values():
                for name in command:
                    with suppress(Refused):
                        intake.check_command({**command, name: value})
                        timeline.command(seat, {**command, name: value}, seeded("x"))


def depth(value):
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return 1 + max(map(depth, inner), default=0) if isinstance(value, dict | list) else 0


@pytest.mark.parametrize("game_id", GAMES)
def test_every_real_position_and_command_is_accepted(game_id):
    game = catalog.game(game_id)
    rng = random.Random(9)
    for timeline, _seat, _view, offered in positions(game_id, 15):
        for form in offered:
            intake.check_command(forms.fill(form, rng))
        written = codec.write_position(game, timeline.state, timeline.version, timeline.keep_marked())
        intake.check(written)
        assert depth(written) <= intake.DEEPEST - 4, "with room for what a request wraps around it"


def test_the_protocol_refuses_hostile_text_and_continues():
    lines = [
        '{"op":"new","seed":"a\\u0000"}',
        '{"op":"\\ud800"}',
        '{"op":"new","options":{"\\udfff":1}}',
        json.dumps({"op": "new", "options": nested(600)}),
        '{"op":"new","seats":1000000000000000000000}',
        '{"op":"new","seed":"good"}',
    ]
    out = io.StringIO()
    serve(catalog.game("stratastar"), lines, out)
    out.getvalue().encode()
    answers = [json.loads(line) for line in out.getvalue().splitlines()]
    assert [answer["ok"] for answer in answers] == [False] * 5 + [True]
    assert answers[0]["error"].startswith("#/seed: ")


@pytest.mark.parametrize("text", TEXTS.values(), ids=list(TEXTS))
def test_a_picture_with_hostile_text_is_valid_xml(text):
    paper = Paper(100, 100, prefix=text[:50], title=text, desc=text)
    with paper.group(classes=text, label=text):
        paper.text(1, 1, text)
    assert ElementTree.fromstring(paper.svg().encode("utf-8", "strict"))
    for game in catalog.games():
        timeline, seat, view, _offered = next(positions(game.id))
        assert timeline
        picture = game.picture(view, Caption(text, (text,) * 6))
        ElementTree.fromstring(picture.encode())
        assert seat in range(6)


@pytest.mark.parametrize("text", [text for label, text in TEXTS.items() if label not in UNTAKEN])
def test_unusual_but_harmless_text_is_accepted(text):
    assert intake.text_fault(text) == ""
