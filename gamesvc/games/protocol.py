"""The engine protocol: one JSON object per line in, one out. Drives any game without Django, database or network.

`{"op":"new","seats":2,"options":{},"seed":"any text"}`, then `dice`, `command`, `order`, `legal`, `view`, `position`, `default`,
`rewind`, `picture`, `schema`, `events`. The fields of each answer are listed in `gamesvc/games/README.md`. A line that cannot be
read gets `{"ok":false,"error":...}`, and the process continues.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from typing import TextIO

from gamesvc.errors import GamesvcError
from gamesvc.games import trial
from gamesvc.games.acts import acts
from gamesvc.games.kernel import codec, intake
from gamesvc.games.kernel.dice import BadScript, Dice, ScriptedSource, seeded
from gamesvc.games.kernel.game import Caption, Event, Game, Refused, Viewer, see_event
from gamesvc.games.kernel.targets import form_as_json, targets
from gamesvc.games.kernel.timeline import Run, Timeline, check_options, read_order
from gamesvc.games.schemas import schemas_of
from gamesvc.json_types import JsonObject


class Misuse(GamesvcError):
    """The request cannot be understood."""


def event_json(game: Game, event: Event) -> JsonObject:
    return {
        "version": event.version,
        "type": game.full_type(event.type),
        "type_version": event.type_version,
        "data": event.data,
        "draws": list(event.draws),
    }


class Session:
    """One match, driven by requests."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self.timeline: Timeline | None = None
        self.dice = seeded("")
        self.log: list[Event] = []

    def answer(self, request: object) -> JsonObject:
        """Answer one request. Never raises for a bad request; an exception from faulty rules propagates."""
        if not isinstance(request, dict) or not isinstance(request.get("op"), str):
            return {"ok": False, "error": 'a request is an object with "op"'}
        op: Callable[[JsonObject], JsonObject] | None = getattr(self, f"_op_{request['op']}", None)
        if op is None:
            known = ", ".join(name[4:] for name in dir(self) if name.startswith("_op_"))
            return {"ok": False, "error": f"unknown op {request['op']!r:.80}; known: {known}"}
        try:
            if "position" not in request:  # a position is checked separately
                codec.check_plain(request)
            return {"ok": True, **op(request)}
        except (Misuse, codec.Malformed) as error:
            return {"ok": False, "error": str(error)}
        except Refused as refused:
            return {"ok": False, "refusal": refused.as_json()}

    @property
    def match(self) -> Timeline:
        if self.timeline is None:
            raise Misuse('no match yet; begin with {"op":"new"}')
        return self.timeline

    def _take(self, run: Run, timeline: Timeline) -> JsonObject:
        timeline.follow(run)
        self.timeline = timeline
        self.log.extend(run.events)
        return {
            "version": timeline.version,
            "events": [event_json(self.game, event) for event in run.events],
            "awaited": [awaited.as_json() for awaited in self.game.awaited(timeline.state)],
            "outcome": outcome.as_json() if (outcome := self.game.outcome(timeline.state)) else None,
        }

    def _seat(self, request: JsonObject) -> int:
        seat, seats = request.get("seat"), self.game.seats(self.match.state)
        if not isinstance(seat, int) or isinstance(seat, bool) or not 0 <= seat < seats:
            raise Misuse(f'"seat" must be a number, 0 to {seats - 1}')
        return seat

    def _viewer(self, request: JsonObject) -> Viewer:
        return None if request.get("seat") is None else self._seat(request)

    def _op_new(self, request: JsonObject) -> JsonObject:
        seed = request.get("seed", "")
        if not isinstance(seed, str):
            raise Misuse('"seed" must be text')
        dice = seeded(seed)
        if isinstance(self.dice.source, ScriptedSource):  # draws left in the script come before the new seed
            dice.source = ScriptedSource(self.dice.source.script, dice.source)
        timeline: Timeline = Timeline(self.game)
        if "position" in request:
            position = codec.complete(self.game, request["position"], seeded(f"completed {seed}"))
            run = Run(timeline, dice)
            run.place(position)
            trial.begin(self.game, position)
        else:
            run = _scripted(lambda: self._begin(timeline, request, dice))
        self.dice, self.log = dice, []
        return self._take(run, timeline)

    def _begin(self, timeline: Timeline, request: JsonObject, dice: Dice) -> Run:
        seats, options = request.get("seats", self.game.manifest.min_seats), request.get("options", {})
        if not isinstance(seats, int) or isinstance(seats, bool) or not isinstance(options, dict):
            raise Misuse('"seats" must be a number and "options" an object')
        return timeline.begin(check_options(self.game, options, seats), seats, dice)

    def _op_dice(self, request: JsonObject) -> JsonObject:
        script = request.get("script")
        if not isinstance(script, list) or not all(isinstance(item, (int, list)) for item in script):
            raise Misuse('"script" must be a list of numbers and lists of numbers')
        source = self.dice.source
        self.dice.source = ScriptedSource(script, source.then if isinstance(source, ScriptedSource) else source)
        return {}

    def _draw(self, decide: Callable[[Dice], Run]) -> JsonObject:
        """Decide something that may draw. A failure uses up neither draw numbers nor scripted results."""
        source = self.dice.source
        if isinstance(source, ScriptedSource):
            source = ScriptedSource(source.script, source.then)
        dice = Dice(source, self.dice.next)
        run = _scripted(lambda: decide(dice))
        self.dice = dice
        return self._take(run, self.match)

    def _decide(self, seat: int, command: object) -> JsonObject:
        if not isinstance(command, dict):
            raise Misuse('"command" must be an object with "name"')
        return self._draw(lambda dice: self.match.command(seat, command, dice))

    def _op_command(self, request: JsonObject) -> JsonObject:
        return self._decide(self._seat(request), request.get("command"))

    def _op_order(self, request: JsonObject) -> JsonObject:
        seat, text = self._seat(request), request.get("text")
        if not isinstance(text, str):
            raise Misuse('"text" must be text')
        command = read_order(self.game, text, self.game.view(self.match.state, seat))
        return {"command": dict(command), **self._decide(seat, dict(command))}

    def _op_legal(self, request: JsonObject) -> JsonObject:
        seat = self._seat(request)
        view = self.game.view(self.match.state, seat)
        return {"forms": [form_as_json(self.game, form, view) for form in acts(self.game, self.match.state, seat)]}

    def _op_view(self, request: JsonObject) -> JsonObject:
        return {"version": self.match.version, "view": self.game.view(self.match.state, self._viewer(request))}

    def _op_position(self, request: JsonObject) -> JsonObject:
        match = self.match
        return {"position": codec.write_position(self.game, match.state, match.version, match.keep_marked())}

    def _op_default(self, request: JsonObject) -> JsonObject:
        seat = self._seat(request)
        if all(awaited.seat != seat for awaited in self.game.awaited(self.match.state)):
            raise Refused("not_awaited", f"Seat {seat} is not awaited.", "seat")
        return {"command": dict(self.game.default_command(self.match.state, seat))}

    def _op_rewind(self, request: JsonObject) -> JsonObject:
        version = request.get("version")
        if not isinstance(version, int) or isinstance(version, bool):
            raise Misuse('"version" must be a number')
        if not 1 <= version <= self.match.version:
            raise Misuse(f"there is no version {version} to go back to; versions are 1 to {self.match.version}")
        return self._draw(lambda dice: self.match.rewind(version, dice))

    def _op_picture(self, request: JsonObject) -> JsonObject:
        view = self.game.view(self.match.state, self._viewer(request))
        picture = self.game.picture(view, Caption())
        return {"svg": str(picture), "targets": [one.as_json() for one in targets(self.game, view, picture, Caption())]}

    def _op_schema(self, request: JsonObject) -> JsonObject:
        return {"schema": schemas_of(self.game)}

    def _op_events(self, request: JsonObject) -> JsonObject:
        since = request.get("since", 0)
        if not isinstance(since, int) or isinstance(since, bool):
            raise Misuse('"since" must be a version')
        events = [event for event in self.log if event.version > since]
        if "seat" not in request:
            return {"events": [event_json(self.game, event) for event in events]}
        seen = (see_event(self.game, event, self._viewer(request)) for event in events)
        return {"events": [event_json(self.game, event) for event in seen if event is not None]}


def _scripted(decide: Callable[[], Run]) -> Run:
    """Decide with dice that may be scripted. Raises `Misuse` if the script does not fit."""
    try:
        return decide()
    except BadScript as error:
        raise Misuse(str(error)) from error


LONGEST_LINE = 2_000_000
"""The limit for a line, in characters. The longest valid position is much shorter."""


def serve(game: Game, lines: Iterable[str], out: TextIO) -> None:
    """Answer requests line by line until the input ends. No request stops it, not even one on which the rules fail."""
    session = Session(game)
    for line in lines:
        if not line.strip():
            continue
        out.write(json.dumps(_answer(session, line), ensure_ascii=False, separators=(",", ":")) + "\n")
        out.flush()


def _answer(session: Session, line: str) -> JsonObject:
    if len(line) > LONGEST_LINE:
        return {"ok": False, "error": f"a line has at most {LONGEST_LINE} characters, not {len(line)}"}
    try:
        request = json.loads(line)
    except (ValueError, RecursionError) as error:
        return {"ok": False, "error": f"not a line of JSON: {error}"}
    if fault := intake.value_fault(request):
        return {"ok": False, "error": f"{fault.pointer}: {fault.detail}"}
    try:
        return session.answer(request)
    except Exception as error:
        # A bug in the rules. The match is unchanged, because events are applied only after the whole decision.
        return {"ok": False, "error": f"the rules failed on this request ({type(error).__name__}: {error})"}
