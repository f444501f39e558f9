"""One form per act: what a page and a program choose from.

Engines offer narrow forms: one per origin, card or way of paying, as far as these decide what else can be chosen. Bots, order
sheets and refusals read those. Here the forms of one command become one: what differs in a single choice becomes a list, and what
depends on a first choice a `oneOf`, each alternative with a title. An act offers exactly what its forms offer together.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from gamesvc.games.kernel.forms import label, worded_by
from gamesvc.games.kernel.game import Form, Game, Schema
from gamesvc.json_types import JsonObject
from gamesvc.language import mark, say

S = TypeVar("S")


def acts(game: Game[S], state: S, seat: int) -> tuple[Form, ...]:
    """Return the legal commands of a seat with one form per act, in the order of the engine."""
    return merged(game, game.legal_commands(state, seat))


def merged(game: Game[S], forms: Iterable[Form]) -> tuple[Form, ...]:
    """Return forms with those of one command merged into one. Commands beside the game stay apart from the others."""
    groups: dict[tuple[str, bool], list[Form]] = {}
    for form in forms:
        groups.setdefault((form.name, form.aside), []).append(form)
    return tuple(_act(say(game.words.get(name, "")), group) for (name, _aside), group in groups.items())


def _act(words: str, forms: Sequence[Form]) -> Form:
    first = replace(forms[0], act=words)
    if len(forms) == 1:
        return replace(first, parameters=_worded(first.body)["properties"])
    leaves = [_Leaf(form.label, _worded(form.body)) for form in forms]
    label = first.label if len({form.label for form in forms}) == 1 else first.verb
    if (single := _collapsed(leaves)) is not None:
        return replace(first, label=label, parameters=single["properties"], required=tuple(single["required"]))
    return replace(first, label=label, parameters={}, required=None, choice=_tree(leaves))


FIELDS = {
    "abilities": mark("When an ability is used"),
    "actions": mark("When something else is done"),
    "always_ask": mark("Always ask about"),
    "any": mark("Whatever it is"),
    "assign": mark("When damage is assigned"),
    "assignments": mark("Shots"),
    "attacker": mark("Attacker"),
    "auto": mark("Cards to play by themselves"),
    "by": mark("Played by"),
    "card": mark("Card"),
    "cards": mark("Cards"),
    "carried": mark("Carried along"),
    "cell": mark("System"),
    "combat": mark("In combat"),
    "commander": mark("Commander"),
    "commands": mark("When a card is played"),
    "commit": mark("Cards to commit"),
    "credits": mark("Credits"),
    "defend_homeworld": mark("Defend the Homeworld"),
    "die": mark("Die"),
    "diplomacy": mark("Diplomacy"),
    "discard": mark("Discard"),
    "do": mark("Then"),
    "domain": mark("Deck"),
    "draw": mark("Decks to draw from"),
    "extra_row": mark("Row of the extra card"),
    "after_assign": mark("After damage is assigned"),
    "after_initiate": mark("After a combat is opened"),
    "after_resolve": mark("After shots are resolved"),
    "after_retreat": mark("After retreats"),
    "from": mark("From"),
    "fight": mark("When a battle can be called"),
    "flip_slots": mark("Station cards to flip"),
    "give": mark("You give"),
    "hand": mark("Cards of the hand"),
    "hits_station": mark("It hits a station"),
    "item": mark("Answer to"),
    "keep": mark("Keep"),
    "kind": mark("Kind of act"),
    "kinds": mark("Which actions"),
    "max_cost": mark("Cost at most"),
    "mill": mark("Mill two instead"),
    "min_cost": mark("Cost at least"),
    "mode": mark("How"),
    "moves": mark("Retreats"),
    "n": mark("Number"),
    "offer": mark("Offer"),
    "offers": mark("Offers"),
    "on": mark("In answer to"),
    "only_concerned": mark("Only if it concerns you"),
    "options": mark("Options"),
    "orders": mark("Orders"),
    "picks": mark("Choose"),
    "play": mark("Reaction"),
    "retreat": mark("Retreat"),
    "row": mark("Row"),
    "sabotage": mark("Sabotage"),
    "seat": mark("Seat"),
    "shields": mark("Shields, in the order of hits"),
    "ship": mark("Ship"),
    "ships": mark("Ships"),
    "slot": mark("Slot"),
    "slots": mark("Station cards"),
    "source": mark("Used"),
    "spaces": mark("Where"),
    "systems": mark("Systems"),
    "target": mark("Target"),
    "targets": mark("Targets"),
    "technologies": mark("Technologies"),
    "tender": mark("Repair Tender"),
    "times": mark("How many times"),
    "to": mark("To"),
    "type": mark("Type of card"),
    "uid": mark("Card"),
    "uids": mark("Cards"),
    "until": mark("Until"),
    "upto": mark("All up to"),
    "use": mark("Cards to react with, the best first"),
    "value": mark("Choice"),
    "vessels": mark("Vessels"),
    "want": mark("You want"),
    "does": mark("What happens"),
    "free": mark("Free move"),
    "piece": mark("Piece"),
    "prompt": mark("Question"),
    "space": mark("Space"),
    "wait": mark("Wait for the answer"),
    "when": mark("If"),
    "x": mark("Value of X"),
}
"""Words for the fields of commands, where a form does not say it better."""
VALUES = {
    "ask": mark("ask me"),
    "auto": mark("by itself"),
    "all": mark("all of them"),
    "any": mark("anywhere"),
    "cancelled": mark("until I cancel it"),
    "concerned": mark("ask me if it concerns me"),
    "fight": mark("fight"),
    "hold_fire": mark("hold fire"),
    "homeworld": mark("at the Homeworld"),
    "involved": mark("ask me if I am in the combat"),
    "mill": mark("mill two of the opponent's cards"),
    "move_onto_me": mark("a move onto me"),
    "never": mark("never"),
    "none": mark("none of them"),
    "pass": mark("pass"),
    "peace": mark("no battle"),
    "pressed": mark("when pressed"),
    "react": mark("react"),
    "reject": mark("reject"),
    "return_fire": mark("return fire"),
    "stand": mark("let it stand"),
    "stay": mark("stay"),
    "turn": mark("until the end of the turn"),
}
"""Words for the choices of standing orders."""


@dataclass(frozen=True, slots=True)
class _Leaf:
    """One of the forms: its label, and the schema of its parameters."""

    label: str
    schema: Schema

    def __getitem__(self, name: str) -> Schema:
        found: Schema = self.schema["properties"][name]
        return found

    @property
    def names(self) -> Sequence[str]:
        return tuple(self.schema["properties"])


def field_title(name: str) -> str:
    """Return the words for a field whose form gives none."""
    return say(FIELDS.get(name, "")) or name.replace("_", " ").capitalize()


def _worded(schema: Schema, field: str = "") -> JsonObject:
    """Return a schema with its titles in the language of the reader, and with a title for each field that has none.

    What has a default comes last: nobody is asked for it. The title that an engine gives beside a fixed text is the name of the
    text; here it is its label. Titles of ways to pay are names of cards.
    """
    more: JsonObject = {}
    named = isinstance(schema.get("const"), str)
    if named and "title" in schema:
        more["labels"] = {schema["const"]: schema["title"]}
    if "title" in schema and not named:
        more["title"] = say(schema["title"])
    elif field:
        more["title"] = field_title(field)
    if "description" in schema:
        more["description"] = say(schema["description"])
    if words := {value: say(VALUES[value]) for value in schema.get("enum", ()) if isinstance(value, str) and value in VALUES}:
        more["labels"] = {**schema.get("labels", {}), **words}
    if "oneOf" in schema and not schema.get("payment"):
        more["oneOf"] = [_worded(option) for option in schema["oneOf"]]
    if "properties" in schema:
        asked_first = sorted(schema["properties"].items(), key=lambda one: "default" in one[1])
        more["properties"] = {name: _worded(inner, name) for name, inner in asked_first}
    if "items" in schema:
        more["items"] = _worded(schema["items"])
    return {**schema, **more}


def _tree(leaves: Sequence[_Leaf]) -> JsonObject:
    """Return the `oneOf` of several forms: by their first parameter that tells them apart, else by their labels.

    A parameter with a default is no question to begin with.
    """
    name = next((name for name in leaves[0].names if "default" not in leaves[0][name] and _tells_apart(leaves, name)), None)
    if name is None:
        return {"title": say("Which one"), "oneOf": _distinct([{**leaf.schema, "title": leaf.label} for leaf in leaves])}
    groups: dict[str, list[_Leaf]] = {}
    for leaf in leaves:
        groups.setdefault(_key(_values(leaf[name])), []).append(leaf)
    titles = _titles(list(groups.values()), name)
    options = [{**_branch(group), "title": title} for group, title in zip(groups.values(), titles, strict=True)]
    more = {"title": leaves[0][name]["title"]}
    return {**more, "oneOf": _distinct(options, [group[0][name] for group in groups.values()])}


def _branch(leaves: Sequence[_Leaf]) -> JsonObject:
    if len(leaves) == 1:
        return dict(leaves[0].schema)
    if (single := _collapsed(leaves)) is not None:
        return dict(single)
    tree = _tree(leaves)
    return {"description": tree["title"], "oneOf": tree["oneOf"]}


def _titles(groups: Sequence[Sequence[_Leaf]], name: str) -> list[str]:
    """Return what the forms of each alternative share: their value, or the label of the only form where that says it shorter."""
    labels = [group[0].label for group in groups if len(group) == 1]
    told = len(set(labels)) == len(groups)
    return [group[0].label if told and len(_values(group[0][name]) or ()) > 1 else _title(group[0][name]) for group in groups]


def _tells_apart(leaves: Sequence[_Leaf], name: str) -> bool:
    """Return True if a parameter parts the forms: all have it, some with other values, and none share a part of them.

    Yes and no do not: the labels of the forms say what they mean.
    """
    if not all(name in leaf.names and _values(leaf[name]) and not isinstance(leaf[name].get("const"), bool) for leaf in leaves):
        return False
    sets = {_key(values): {_key(value) for value in values} for leaf in leaves if (values := _values(leaf[name])) is not None}
    return len(sets) > 1 and sum(map(len, sets.values())) == len(set().union(*sets.values()))


def _collapsed(leaves: Sequence[_Leaf]) -> Schema | None:
    """Return one schema for forms that differ in the single value of one parameter; None for others."""
    first = leaves[0]
    if any(leaf.names != first.names or leaf.schema["required"] != first.schema["required"] for leaf in leaves):
        return None
    differing = [name for name in first.names if any(leaf[name] != first[name] for leaf in leaves)]
    if not differing:
        return first.schema
    [name, *others] = differing
    values = [_values(leaf[name]) for leaf in leaves]
    if others or any(found is None or len(found) != 1 for found in values):
        return None
    listed = [found[0] for found in values if found]
    titles = _distinct([{"title": _title(leaf[name])} for leaf in leaves], [leaf[name] for leaf in leaves])
    merged: JsonObject = {
        "title": first[name]["title"],
        "enum": listed,
        "labels": {worded_by(value): one["title"] for value, one in zip(listed, titles, strict=True)},
    }
    return {**first.schema, "properties": {**first.schema["properties"], name: merged}}


def _values(schema: Schema) -> Sequence[object] | None:
    """Return the values that a choice lists, or those of a list of things; None if it lists none."""
    if "const" in schema:
        return (schema["const"],)
    if schema.get("type") == "array":
        return _values(schema["items"]) if "supply" not in schema else None
    return tuple(schema["enum"]) if schema.get("enum") else None


def _title(schema: Schema) -> str:
    """Return what a choice is called: the name of its value, or of its values where they are several."""
    if "const" in schema:
        return label(schema, schema["const"])
    items = schema.get("items", schema)
    return ", ".join(dict.fromkeys(label(items, value) for value in _values(schema) or ()))


def _distinct(options: Sequence[JsonObject], schemas: Sequence[Schema] = ()) -> list[JsonObject]:
    """Return alternatives whose titles differ: where some are alike, the value, or else a number, is added."""
    titles = [option["title"] for option in options]
    found, seen = [], dict.fromkeys(titles, 0)
    for at, option in enumerate(options):
        title = option["title"]
        if titles.count(title) > 1:
            seen[title] += 1
            values = _values(schemas[at]) if schemas else None
            title = f"{title} {values[0]}" if values else f"{title} ({seen[title]})"
        found.append({**option, "title": title})
    return found


def _key(value: object) -> str:
    return json.dumps(value, sort_keys=True)
