"""The card lists: `cards.toml`, read once, checked, and arranged by edition.

Effects remain data here (`Effect`, the vocabulary of RULES.md 16). `rules.effects` and `rules.values` carry them out.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from gamesvc.json_types import JsonMapping

DOMAINS = ("industry", "statecraft", "science")
OPS = frozenset(
    """gain_credits draw develop_free remove_developments modify damage destroy build_free move_ship gain_control
    cancel_command extra_turn take_hand_card lock_movement long_jump prevent_damage deny_attack deny_entry
    deny_command_targets extra_targets redirect guard jump_when_new carry_fighters permit_build permit_build_phase
    conquest_bypass look_discard_top""".split()  # noqa: SIM905 - thirty quoted words are harder to read
)
TRIGGERS = frozenset(
    """static start_credits start_draw start_action play activate first_developed explored entered conquest
    draw""".split()  # noqa: SIM905
)
WINDOWS = ("after_initiate", "after_assign", "after_resolve", "after_retreat")


@dataclass(frozen=True, slots=True)
class Target:
    """One target of a card or ability (RULES.md 16, targets)."""

    name: str
    kind: str
    who: str = "any"
    where: str = "any"
    optional: bool = False
    not_self: bool = False
    not_same_as: str = ""
    same_controller_as: str = ""
    chosen: bool = False


@dataclass(frozen=True, slots=True)
class Effect:
    """One effect of a card."""

    trigger: str
    op: str
    amount: int | str = 0
    scope: str = ""
    stat: str = ""
    what: tuple[str, ...] = ()
    sizes: tuple[str, ...] = ()
    where: str = ""
    vessel: str = ""
    to: str = ""
    from_: str = ""
    ship: str = ""
    duration: str = ""
    minimum: int = 0
    floor: int = 0
    window: str = ""
    limit: str = ""
    reveal: str = ""
    untargetable: bool = False
    phases: tuple[str, ...] = ()
    cost_credits: int | str = 0
    cost_discard: int = 0
    targets: tuple[Target, ...] = ()


@dataclass(frozen=True, slots=True)
class Card:
    """A vessel, system, command or technology as one edition prints it."""

    id: str
    name: str
    kind: str  # ship, station, system, command, technology
    domain: str
    size: str = ""
    grade: str = ""  # for systems: starting, capital, normal
    count: int = 0
    supply: int = 0
    buildable: bool = False
    cost: int = 0
    attack: int = 0
    hp: int = 0
    speed: int = 0
    max_development: int = 0
    text: str = ""
    targets: tuple[Target, ...] = ()
    effects: tuple[Effect, ...] = ()

    @property
    def is_vessel(self) -> bool:
        return self.kind in ("ship", "station")

    @property
    def ability(self) -> Effect | None:
        """Return the `activate` effect, or None. No published card has two."""
        return next((effect for effect in self.effects if effect.trigger == "activate"), None)

    def with_trigger(self, trigger: str) -> tuple[Effect, ...]:
        return tuple(effect for effect in self.effects if effect.trigger == trigger)

    def has(self, op: str) -> bool:
        return any(effect.op == op and effect.trigger in ("static", "conquest", "draw") for effect in self.effects)


@dataclass(frozen=True, slots=True)
class Catalog:
    """All cards of one edition."""

    cards: Mapping[str, Card]
    core: tuple[str, ...]
    hand_limit: int

    def __getitem__(self, card: str) -> Card:
        return self.cards[card]

    def domain_deck(self, domain: str) -> tuple[str, ...]:
        """Return every copy of every card of a domain, in the order of the list."""
        return tuple(
            card.id for card in self.cards.values() for _ in range(card.count) if card.domain == domain and card.kind != "system"
        )

    def system_deck(self) -> tuple[str, ...]:
        return tuple(card.id for card in self.cards.values() if card.kind == "system" for _ in range(card.count))

    def playables(self) -> tuple[str, ...]:
        """Return the ids of all domain cards, for standing orders."""
        return tuple(card.id for card in self.cards.values() if card.kind != "system" and card.domain in DOMAINS)


def _tuple(value: str | Iterable[str]) -> tuple[str, ...]:
    return (value,) if isinstance(value, str) else tuple(value)


def _target(raw: JsonMapping) -> Target:
    fields = dict(raw)
    return Target(name=fields.pop("as"), **fields)


def _effect(raw: JsonMapping) -> Effect:
    fields = dict(raw)
    fields.pop("once", None)  # when `first_developed` counts depends on the edition (RULES.md 6)
    cost = fields.pop("cost", {})
    fields["from_"] = fields.pop("from", "")
    fields["targets"] = tuple(_target(target) for target in fields.pop("targets", ()))
    for name in ("what", "sizes", "phases"):
        fields[name] = _tuple(fields.pop(name, ()))
    effect = Effect(cost_credits=cost.get("credits", 0), cost_discard=cost.get("discard", 0), **fields)
    if effect.op not in OPS or effect.trigger not in TRIGGERS:
        raise ValueError(f"cards.toml: unknown effect {effect.trigger} {effect.op}")
    return effect


def _card(raw: JsonMapping, kind: str, printed: JsonMapping) -> Card:
    system = kind == "system"
    return Card(
        id=raw["id"],
        name=raw["name"],
        kind="system" if system else raw["kind"],
        domain=raw.get("domain", raw.get("deck", "none")),
        size=raw.get("size", "station" if raw.get("kind") == "station" else ""),
        grade=raw["kind"] if system else "",
        count=printed.get("count", 0),
        supply=printed.get("supply", 0),
        buildable=printed.get("buildable", kind != "vessel"),
        cost=printed.get("cost", 0),
        attack=printed.get("attack", 0),
        hp=printed.get("hp", 0),
        speed=printed.get("speed", 0),
        max_development=printed.get("max_development", 0),
        text=printed["text"],
        targets=tuple(_target(target) for target in printed.get("targets", ())),
        effects=tuple(_effect(effect) for effect in printed["effects"]),
    )


def load(text: str) -> dict[str, Catalog]:
    """Read the card file and check it. Raises ValueError for an inconsistent list."""
    raw = tomllib.loads(text)
    catalogs: dict[str, Catalog] = {}
    for edition, rules in raw["edition"].items():
        cards: dict[str, Card] = {}
        for kind in ("vessel", "system", "card"):
            for entry in raw[kind]:
                if edition in entry:
                    cards[entry["id"]] = _card(entry, kind, entry[edition])
        core = tuple(entry["id"] for entry in raw["vessel"] if edition in entry)
        catalog = Catalog(cards, core, rules["hand_limit"])
        for domain in DOMAINS:
            if len(catalog.domain_deck(domain)) != rules["domain_deck_size"]:
                raise ValueError(f"cards.toml: the {edition} {domain} deck has {len(catalog.domain_deck(domain))} cards")
        if len(catalog.system_deck()) != rules["system_deck_size"]:
            raise ValueError(f"cards.toml: the {edition} system deck has {len(catalog.system_deck())} cards")
        for card in cards.values():
            if card.kind == "system" and any(e.op == "modify" and e.stat in ("attack", "hp") for e in card.effects):
                raise ValueError(f"cards.toml: {card.id}: a siege would hang on itself")
            if card.is_vessel and card.hp < 1:
                raise ValueError(f"cards.toml: {card.id} has no hit points")
            if any(e.op == "modify" and e.stat == "hp" and isinstance(e.amount, int) and e.amount < 0 for e in card.effects):
                raise ValueError(f"cards.toml: {card.id} lowers hit points")
        catalogs[edition] = catalog
    return catalogs


CATALOGS = load((Path(__file__).parent / "cards.toml").read_text(encoding="utf-8"))
