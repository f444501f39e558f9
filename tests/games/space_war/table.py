"""A table for tests: a described position, driven through the engine protocol.

  t = table(a={"hand": ["luck"]}, b={"play": [("titan", {"damage": 6})]}, turn=7)
  t.do(0, "end_phase")
  t.no(0, "wrong_phase", "end_phase")

`t["a.luck"]` is the instance id of seat a's first Luck, `t["a.luck.2"]` of the second. Station rows are lists of card ids or a
number of Battlestars; a `*` after a card id means flipped. Zones of cards in play: `home` (default) or `enemy`.
"""

from __future__ import annotations

import json
from typing import Any

from gamesvc.games.kernel import codec
from gamesvc.games.kernel.game import Event, see_event
from gamesvc.games.protocol import Session
from gamesvc.games.space_war import GAME
from gamesvc.games.space_war.data import CARDS, COMMANDERS, ROWS
from gamesvc.games.space_war.state import Piece, Side, State, StationCard

FILLER = "battlestar"


class Table:
    """One match through a `Session`, with instance ids by card name."""

    def __init__(self, state: State, names: dict[str, str]) -> None:
        self.names = names
        self.session = Session(GAME)
        position = codec.write_position(GAME, state, 0, {})
        self.ok({"op": "new", "position": json.loads(json.dumps(position)), "seed": "table"})

    def __getitem__(self, key: str) -> str:
        return self.names[key]

    def ok(self, request: dict[str, Any]) -> dict[str, Any]:
        answer = self.session.answer(request)
        assert answer["ok"], answer
        return json.loads(json.dumps(answer))

    def do(self, seat: int, name: str, **parameters: Any) -> list[dict[str, Any]]:
        """Send a command that must be accepted, and check the invariants. Returns its events."""
        answer = self.ok({"op": "command", "seat": seat, "command": {"name": name, **parameters}})
        assert not GAME.faults(self.state), GAME.faults(self.state)
        return answer["events"]

    def no(self, seat: int, code: str | None, name: str, **parameters: Any) -> dict[str, Any]:
        """Send a command that must be refused."""
        answer = self.session.answer({"op": "command", "seat": seat, "command": {"name": name, **parameters}})
        assert not answer["ok"], answer
        assert "refusal" in answer, answer
        assert code is None or answer["refusal"]["code"] == code, answer
        assert answer["refusal"]["detail"]
        return answer["refusal"]

    def dice(self, *script: Any) -> None:
        self.ok({"op": "dice", "script": list(script)})

    def react(self, seat: int, item: int | None, **play: Any) -> list[dict[str, Any]]:
        return self.do(seat, "react", **({} if item is None else {"item": item}), play=play)

    def choose(self, seat: int, *picks: str) -> list[dict[str, Any]]:
        prompt = next(prompt for prompt in self.state.prompts if prompt.seat == seat)
        return self.do(seat, "choose", prompt=prompt.id, picks=list(picks))

    @property
    def state(self) -> State:
        return self.session.match.state

    @property
    def awaited(self) -> list[tuple[int, str]]:
        return [(one.seat, one.prompt) for one in GAME.awaited(self.state)]

    def view(self, seat: int | None) -> dict[str, Any]:
        return self.ok({"op": "view", "seat": seat})["view"]

    def forms(self, seat: int, name: str) -> list[dict[str, Any]]:
        return [form for form in self.ok({"op": "legal", "seat": seat})["forms"] if form["name"] == name]

    def item(self, card: str | None = None) -> int:
        """Return the number of the newest item, or of a card's newest item."""
        return [item for item in self.state.items if card is None or item.card == card][-1].n

    def piece(self, key: str) -> Piece:
        piece = self.state.piece(self.names.get(key, key))
        assert piece is not None, f"{key} is not in play"
        return piece

    def gone(self, key: str) -> bool:
        return self.state.piece(self.names[key]) is None

    def side(self, seat: int) -> Side:
        return self.state.sides[seat]

    def discarded(self, seat: int) -> list[str]:
        return [self.state.cards[one] for one in self.side(seat).discard]

    def hand(self, seat: int) -> list[str]:
        return sorted(self.state.cards[one] for one in self.side(seat).hand)

    def flipped(self, seat: int) -> list[str]:
        return [card.slot for card in self.side(seat).station if card.flipped]

    def seen(self, event: dict[str, Any], viewer: int | None) -> Any:
        """Return an event's data as a viewer sees it; None if sealed."""
        kind = GAME.bare_type(event["type"])
        shown = see_event(GAME, Event(kind, event["data"], event["version"]), viewer)
        return None if shown is None else shown.data


def kinds(events: list[dict[str, Any]]) -> list[str]:
    return [event["type"].removeprefix("space_war.") for event in events]


def table(
    a: dict[str, Any] | None = None,
    b: dict[str, Any] | None = None,
    *,
    turn: int = 7,
    active: int = 0,
    phase: str = "action",
    points: str = "plays_only",
    max_timeouts: int = 3,
) -> Table:
    """Build a position. Odd turns are usually seat a's."""
    names: dict[str, str] = {}
    cards: dict[str, str] = {}
    pieces: list[Piece] = []
    sides = []
    for seat, spec in enumerate((a or {}, b or {})):
        letter, count, seen = "ab"[seat], 0, {}

        def new(card: str, letter: str = letter, seen: dict[str, int] = seen) -> str:
            assert card in CARDS, card
            number = sum(1 for one in cards if one[0] == letter) + 1
            instance = f"{letter}-{number:02}"
            cards[instance] = card
            seen[card] = seen.get(card, 0) + 1
            names.setdefault(f"{letter}.{card}", instance)
            names[f"{letter}.{card}.{seen[card]}"] = instance
            return instance

        hand = [new(card) for card in spec.get("hand", ())]
        for card, fields in [(one, {}) if isinstance(one, str) else one for one in spec.get("play", ())]:
            fields = dict(fields)
            zone = seat if fields.pop("zone", "home") == "home" else 1 - seat
            on = fields.pop("on", None)
            entered = fields.pop("entered", 1)
            if on is not None:
                fields["on"] = names[f"{letter}.{on}"]
            fields.setdefault("zone_turn", entered)
            pieces.append(Piece(new(card), card, seat, seat, zone, entered, order=len(pieces) + 1, **fields))
        station = []
        for row in ROWS:
            content = spec.get("station", {}).get(row, 1)
            for card in [FILLER] * content if isinstance(content, int) else content:
                count += 1
                station.append(StationCard(f"s{count}", new(card.rstrip("*")), row, card.endswith("*")))
        pile = [new(card) for card in spec.get("pile", ["the_gladiator"] * 8)]
        discard = [new(card) for card in spec.get("discard", ())]
        commander = spec.get("commander", "frank_johnson")
        life = spec.get("life", COMMANDERS[commander].life)
        sides.append(
            Side(
                deck="constructed",
                pool=tuple(sorted(COMMANDERS)),
                pile=tuple(pile),
                hand=tuple(hand),
                discard=tuple(discard),
                station=tuple(station),
                commander=commander,
                life=life,
                full_life=max(life, COMMANDERS[commander].life),
                actions=spec.get("actions", 10 if seat == active else 0),
                charge=spec.get("charge", 0),
                slots=count,
                first_turn=spec.get("first_turn", 1 + seat),
                last_turn=spec.get("last_turn", max(0, turn - 2 if seat == active else turn - 1)),
                flip_preference=tuple(spec.get("flip_preference", ())),
            )
        )
    state = State(
        points=points,
        max_timeouts=max_timeouts,
        cards=cards,
        sides=(sides[0], sides[1]),
        phase=phase,
        turn=turn,
        active=active,
        pieces=tuple(pieces),
        next_order=len(pieces) + 1,
    )
    return Table(state, names)
