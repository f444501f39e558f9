"""Facts derived from a position: active texts, attack and defense, keywords, limits, reach. Read-only."""

from __future__ import annotations

from collections.abc import Iterator

from gamesvc.games.space_war.data import CARDS, COMMANDERS, LIMITS, Card, Effect
from gamesvc.games.space_war.state import Piece, State, StationCard
from gamesvc.language import say


class Board:
    """A state with its static effects computed once. Create a new one whenever the state changes."""

    def __init__(self, state: State) -> None:
        self.state = state
        self.pieces = state.pieces
        self.suppressed = self._suppressed()
        self._statics: list[tuple[int, Piece | None, Effect]] = []
        for seat in (0, 1):
            if commander := state.sides[seat].commander:
                self._statics += [(seat, None, effect) for _, effect in COMMANDERS[commander].triggered("static")]
        for piece in self.pieces:
            if not piece.dormant and piece.id not in self.suppressed:
                self._statics += [(piece.controller, piece, effect) for _, effect in CARDS[piece.card].triggered("static")]

    # --- active texts (RULES.md 18.22, 18.23, 18.24) ---

    def _suppressed(self) -> frozenset[str]:
        durations = [piece for piece in self.pieces if CARDS[piece.card].type == "duration"]
        active: list[Piece] = []
        for piece in reversed(durations):
            if any(effect["op"] == "suppress" for _, effect in CARDS[piece.card].triggered("static")) and not any(
                self._silences(other, piece) for other in active
            ):
                active.append(piece)
        self._silencing = active
        return frozenset(
            piece.id for piece in durations if piece not in active and any(self._silences(other, piece) for other in active)
        )

    def silencers(self, piece: Piece) -> list[Piece]:
        """Return the durations that suppress a card's text."""
        return [other for other in self._silencing if self._silences(other, piece)] if piece.id in self.suppressed else []

    @staticmethod
    def _silences(source: Piece, other: Piece) -> bool:
        if source.id == other.id:
            return False
        [effect] = [effect for _, effect in CARDS[source.card].triggered("static") if effect["op"] == "suppress"]
        return bool(effect["target"]["side"] == "any" or source.controller != other.controller)

    def statics(self, op: str) -> Iterator[tuple[int, Piece | None, Effect]]:
        return (entry for entry in self._statics if entry[2]["op"] == op)

    def has_text(self, piece: Piece) -> bool:
        return not piece.dormant and piece.id not in self.suppressed

    # --- cards ---

    @staticmethod
    def face(piece: Piece) -> Card:
        return CARDS[piece.card]

    def _applies(self, seat: int, source: Piece | None, effect: Effect, piece: Piece) -> bool:
        """Return True if a static effect applies to a piece."""
        target = effect.get("target", "self" if source is not None else {"side": "own"})
        if target == "self":
            return source is piece
        side = target.get("side", "any")
        if (side == "own" and piece.controller != seat) or (side == "enemy" and piece.controller == seat):
            return False
        face = CARDS[piece.card]
        if "kind" in target and face.type not in target["kind"]:
            return False
        if "card" in target and face.id != target["card"]:
            return False
        if "without" in target and target["without"] in face.keywords:
            return False
        return "with" not in target or target["with"] in face.keywords

    def _values(self, op: str, piece: Piece) -> list[Effect]:
        return [effect for seat, source, effect in self.statics(op) if self._applies(seat, source, effect, piece)]

    def fast(self, piece: Piece) -> bool:
        return "fast" in CARDS[piece.card].keywords or any(e["value"] == "fast" for e in self._values("keyword", piece))

    def slow(self, piece: Piece) -> bool:
        return "slow" in CARDS[piece.card].keywords and not any(e["value"] == "not_slow" for e in self._values("keyword", piece))

    def attack(self, piece: Piece) -> int:
        """Return the attack value with all bonuses."""
        face = CARDS[piece.card]
        if piece.swapped is not None:
            value = piece.swapped[0]
        elif face.id == "death_ray":
            value = piece.x
        elif any(effect["op"] == "set_attack" for effect in face.effects):
            value = sum(1 for p in self.pieces if p.controller == piece.controller and CARDS[p.card].type == "spaceship")
        else:
            value = face.attack or 0
        value += sum(effect["amount"] for effect in self._values("attack_bonus", piece))
        return int(value) + (piece.counters if face.id == "starhunter" else 0)

    def defense(self, piece: Piece) -> int | None:
        """Return the defense with all bonuses; None if the piece cannot be damaged."""
        face = CARDS[piece.card]
        value = piece.swapped[1] if piece.swapped is not None else face.defense
        if value is None:
            return None
        return int(value) + (piece.counters if face.id == "starhunter" else 0)

    def attacks(self, piece: Piece) -> int:
        return max([1, *(int(effect["amount"]) for effect in self._values("attacks", piece))])

    def forbidders(self, piece: Piece, what: str) -> list[Piece]:
        """Return the cards in play that forbid a card to `move` or to `attack`."""
        return [
            source
            for seat, source, effect in self.statics("forbid")
            if source is not None
            and "target" in effect
            and what in effect["value"]
            and self._applies(seat, source, effect, piece)
        ]

    def forbidden(self, piece: Piece, what: str) -> bool:
        return bool(self.forbidders(piece, what))

    def carrier(self, piece: Piece) -> Piece | None:
        return self.state.piece(piece.on) if piece.on is not None else None

    def cost(self, piece: Piece) -> int:
        """Return the cost of a card in play; for a cost of X, the x it was played with."""
        printed = CARDS[piece.card].cost
        return piece.x if printed is None else printed

    # --- seats ---

    def own(self, seat: int, kind: str = "") -> list[Piece]:
        """Return the cards a seat controls, without attached ones."""
        return [p for p in self.pieces if p.controller == seat and p.on is None and (not kind or CARDS[p.card].type == kind)]

    def upkeep_due(self, seat: int) -> list[Piece]:
        """Return the durations that a seat must pay for in this turn's upkeep: those that entered play earlier."""
        return [p for p in self.own(seat, "duration") if p.entered < self.state.turn]

    def shields(self, seat: int) -> list[Piece]:
        return [p for p in self.pieces if p.controller == seat and CARDS[p.card].is_shield]

    def limited_shield(self, seat: int) -> bool:
        return any(p.controller == seat and "shield_limit" in CARDS[p.card].keywords for p in self.pieces)

    def cost_increase(self) -> int:
        return sum(int(effect["amount"]) for _, _, effect in self.statics("cost_increase"))

    def max_station(self, seat: int) -> int:
        amounts = [e["amount"] for who, _, e in self.statics("set_max_station") if who == seat]
        return int(amounts[0] if amounts else LIMITS["max_station"])

    def actions_per_card(self, seat: int) -> int:
        amounts = [e["amount"] for who, _, e in self.statics("set_actions_per_card") if who == seat]
        return int(amounts[0] if amounts else LIMITS["actions_per_card"])

    def hand_limit(self, seat: int) -> int | None:
        if self.state.sides[seat].free_hand or any(who == seat for who, _, _ in self.statics("no_hand_limit")):
            return None
        return sum(card.row == "hand" for card in self.state.sides[seat].station) * int(LIMITS["hand_limit_per_card"])

    def own_flips(self, seat: int) -> bool:
        """Return True if the owner chooses which of the station cards flip (Keve Bakins)."""
        return any(who == seat for who, _, _ in self.statics("choose_own_flips"))

    def hand_is_safe(self, seat: int) -> bool:
        """Return True if the opponent cannot make this seat discard cards from its hand (Extra Deposit)."""
        return any(
            who == seat and "force_discard" in effect["value"] for who, _, effect in self.statics("forbid") if "who" in effect
        )

    def may_add_station(self, seat: int) -> bool:
        obstacles = any("station_add_from_hand" in e["value"] for _, _, e in self.statics("forbid"))
        return not obstacles and self.room(seat)

    def room(self, seat: int) -> bool:
        return len(self.state.sides[seat].station) < self.max_station(seat)

    def face_down(self, seat: int) -> list[StationCard]:
        return [card for card in self.state.sides[seat].station if not card.flipped]

    def to_flip(self, seat: int) -> int:
        """Return how many more cards of a station can be flipped, not counting flips still to be chosen."""
        waiting = sum(p.most for p in self.state.prompts if p.kind == "flips" and p.task["seat"] == seat)
        return len(self.face_down(seat)) - waiting

    def play_ban(self, seat: int, kind: str) -> str:
        """Return the reason why a seat may not play a card of a type now (Destiny Decided); empty if it may."""
        for who, _, effect in self.statics("forbid"):
            if who == seat and "play_card" in effect["value"]:
                return say("Your own Destiny Decided forbids you to play cards.")
        for who, _, effect in self.statics("play_limit"):
            if who == seat:
                continue
            if self.state.active != seat or self.state.phase == "review":
                return say("Destiny Decided: you may play cards in your own turn only.")
            if kind == "event":
                return say("Destiny Decided: you may not play events.")
            if self.state.sides[seat].plays >= effect["amount"]:
                return say("Destiny Decided: you have played your one card of this turn.")
        return ""

    def uses_to_answer(self, seat: int) -> int:
        """Return how often a seat has used its commander since the other seat's last turn, whether answered or not."""
        return sum(item.by == seat and item.kind == "commander" for item in self.state.items)

    def miller(self, seat: int) -> bool:
        commander = self.state.sides[seat].commander
        return bool(commander) and bool(COMMANDERS[commander].triggered("replace_draw"))
