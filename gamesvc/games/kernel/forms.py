"""The interpreter of forms: the only module that knows the meaning of a parameter's schema.

Pages, mail help, bots, tests and the shape check of commands all read schemas through this module. A schema is JSON Schema (draft
2020-12), restricted to `type` (one, or a list), `enum`, `const`, `title`, `description`, `default`, `minimum`, `maximum`,
`minLength`, `maxLength`, `pattern` (matches the whole text), `items`, `minItems`, `maxItems`, `uniqueItems`, `properties`,
`required`, `minProperties`, `additionalProperties` and `oneOf`, whose alternatives have a `title`. Nine more keywords, eight of
them our own:

  `examples`  valid values where the rest of the schema cannot express the limits; bots and self-play pick one of them.
  `labels`    {value: words for people} beside an `enum`.
  `shape`     a description of texts that match `pattern`, for people: a phrase that reads right after "must be".
  `supply`    on an array: {item: count}; no item may be chosen more often than its count. Cards in a hand that cannot
              be told apart are chosen by kind this way.
  `total`     on an array or an object: the sum of worths must lie within `minimum`..`maximum`. The worth of a string
              is `worth`[item] (default 1), of an integer the number itself, of an object the sum of its integer fields.
              With `"spare": false`, removing any item must drop the sum below `minimum` (payments).
  `pairwise`  on an array of objects: the names of fields whose values must differ between any two items.
  `ordered`   true on an array whose order means something: what comes first is done, tried, paid or hit first.
  `payment`   true on what is paid. Its `default` is legal, and what an omitted payment stands for; pages fill it in, folded.
  `at`        the targets in the picture that values stand for: {value: target} beside `enum` or `supply`, one target beside
              `const`. Only forms for programs have it (`targets.form_as_json`); no check reads it.
"""

from __future__ import annotations

import itertools
import json
import random
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from gamesvc.errors import GamesvcError
from gamesvc.games.kernel.game import Command, Form, Schema
from gamesvc.games.kernel.wording import counted, listed
from gamesvc.json_types import JsonObject
from gamesvc.language import say

_TYPES: dict[str, tuple[type, ...]] = {
    "object": (dict,),
    "array": (list, tuple),
    "string": (str,),
    "integer": (int,),
    "boolean": (bool,),
    "null": (type(None),),
}


@dataclass(frozen=True, slots=True)
class Fault:
    """A value that does not fit its schema: the dotted `path`, and a sentence that says what would be right."""

    path: str
    detail: str


def _is(value: object, name: str) -> bool:
    return isinstance(value, _TYPES[name]) and not (name == "integer" and isinstance(value, bool))


def _types(schema: Schema) -> Sequence[str]:
    kind = schema.get("type", ())
    return (kind,) if isinstance(kind, str) else tuple(kind)


def _join(path: str, name: object) -> str:
    return f"{path}.{name}" if path else str(name)


def _same(a: object, b: object) -> bool:
    return bool(a == b) and isinstance(a, bool) == isinstance(b, bool)


def worth(schema: Schema, item: Any) -> int:
    """Return the amount that an array item contributes to `total`."""
    if isinstance(item, dict):
        return sum(value for value in item.values() if _is(value, "integer"))
    if _is(item, "integer"):
        return int(item)
    return int(schema["total"].get("worth", {}).get(item, 1))


def fault(schema: Schema, value: Any, path: str = "") -> Fault | None:
    """Return the first fault in `value`, or None. A schema without `type` that has properties is read as an object."""
    here = path or say("the command")
    if isinstance(value, float):
        # 1.0 equals 1 and would pass as an integer, but an event cannot hold a float.
        return Fault(path, say("{parameter} must not be written as a fraction.", parameter=here))
    if "oneOf" in schema:
        if any(fault(option, value, path) is None for option in schema["oneOf"]):
            return None
        return fault(_meant(schema["oneOf"], value), value, path)
    if "const" in schema and not _same(value, schema["const"]):
        return Fault(path, say("{parameter} must be {const!r}.", parameter=here, const=schema["const"]))
    if "enum" in schema and not any(_same(value, allowed) for allowed in schema["enum"]):
        allowed = ", ".join(str(item) for item in schema["enum"][:40])
        return Fault(
            path,
            (
                say("{parameter} must be one of: {allowed}.", parameter=here, allowed=allowed)
                if allowed
                else say("{parameter}: nothing can be chosen now.", parameter=here)
            ),
        )
    kinds = _types(schema)
    if kinds and not any(_is(value, kind) for kind in kinds):
        return Fault(path, say("{parameter} must be of type {types}.", parameter=here, types=listed(kinds, "or")))
    if _is(value, "integer"):
        if value < schema.get("minimum", value) or value > schema.get("maximum", value):
            low, high = schema.get("minimum", say("any")), schema.get("maximum", say("any"))
            return Fault(path, say("{parameter} must lie within {low} to {high}.", parameter=here, low=low, high=high))
    elif isinstance(value, str):
        if not schema.get("minLength", 0) <= len(value) <= schema.get("maxLength", 10_000):
            low, high = schema.get("minLength", 0), schema.get("maxLength", 10_000)
            return Fault(path, say("{parameter} must have {low} to {high} characters.", parameter=here, low=low, high=high))
        if "pattern" in schema and not re.fullmatch(schema["pattern"], value, re.ASCII):
            shape = say(schema["shape"]) if "shape" in schema else say("text of the form {pattern}", pattern=schema["pattern"])
            return Fault(path, say("{parameter} must be {shape}.", parameter=here, shape=shape))
    elif isinstance(value, (list, tuple)):
        return _array_fault(schema, value, path)
    elif isinstance(value, dict):
        return _object_fault(schema, value, path)
    return None


def _meant(options: Sequence[Schema], value: object) -> Schema:
    """Return the alternative that a value was meant for: the first whose fixed fields it has."""
    return next((option for option in options if _has_fixed(option, value)), options[0])


def _has_fixed(schema: Schema, value: object) -> bool:
    if "oneOf" in schema:
        return any(_has_fixed(option, value) for option in schema["oneOf"])
    if not isinstance(value, dict) or "properties" not in schema:
        return False
    needed = {name: sub for name, sub in schema["properties"].items() if name in schema.get("required", ())}
    fixed = {name: sub for name, sub in needed.items() if "const" in sub or len(sub.get("enum", ())) == 1}
    return all(name in value and fault(sub, value[name]) is None for name, sub in fixed.items())


def _object_fault(schema: Schema, value: Mapping[str, object], path: str) -> Fault | None:
    properties: Schema = schema.get("properties", {})
    rest = schema.get("additionalProperties", not properties)
    for name in schema.get("required", ()):
        if name not in value:
            return Fault(_join(path, name), say("{parameter} is missing.", parameter=_join(path, name)))
    if len(value) < schema.get("minProperties", 0):
        return Fault(
            path,
            say(
                "{parameter} is empty; give at least one of: {known}.",
                parameter=path or say("the command"),
                known=", ".join(properties),
            ),
        )
    for name, item in value.items():
        sub = properties.get(name, rest)
        if sub is False:
            known = ", ".join(properties) or say("none")
            return Fault(
                _join(path, name), say("{parameter} is not known here; known: {known}.", parameter=_join(path, name), known=known)
            )
        if sub is not True and (found := fault(sub, item, _join(path, name))):
            return found
    return _total_fault(schema, [item for item in value.values() if _is(item, "integer")], path)


def _array_fault(schema: Schema, value: Sequence[Any], path: str) -> Fault | None:
    here = path or say("the list")
    low, high = schema.get("minItems", 0), schema.get("maxItems", 1000)
    if not low <= len(value) <= high:
        if low == high:
            detail = say("{parameter} must have {items}.", parameter=here, items=counted(low, "item"))
        elif "maxItems" not in schema:
            detail = say("{parameter} must have at least {items}.", parameter=here, items=counted(low, "item"))
        else:
            detail = say("{parameter} must have {low} to {high} items.", parameter=here, low=low, high=high)
        return Fault(path, detail)
    if "items" in schema:
        for at, item in enumerate(value):
            if found := fault(schema["items"], item, _join(path, at)):
                return found
    if schema.get("uniqueItems") and any(_same(a, b) for a, b in itertools.combinations(value, 2)):
        return Fault(path, say("{parameter} must not name anything twice.", parameter=here))
    if "supply" in schema:
        for item, count in Counter(str(item) for item in value).items():
            if count > schema["supply"].get(item, 0):
                return Fault(
                    path,
                    say(
                        "{parameter}: there are {supply} {item}, not {count}.",
                        parameter=here,
                        supply=schema["supply"].get(item, 0),
                        item=item,
                        count=count,
                    ),
                )
    for name in schema.get("pairwise", ()):
        if len({item[name] for item in value}) < len(value):
            return Fault(path, say("{parameter}: no {name} may be named twice.", parameter=here, name=name))
    return _total_fault(schema, value, path)


def _total_fault(schema: Schema, items: Sequence[object], path: str) -> Fault | None:
    if "total" not in schema:
        return None
    here, rule = path or say("the list"), schema["total"]
    worths = [worth(schema, item) for item in items]
    total, low = sum(worths), rule.get("minimum", 0)
    if total < low or total > rule.get("maximum", total):
        if "maximum" not in rule:
            return Fault(
                path, say("{parameter} adds up to {total}; it must be at least {low}.", parameter=here, total=total, low=low)
            )
        high = rule["maximum"]
        if low == high:
            return Fault(path, say("{parameter} adds up to {total}; it must be {low}.", parameter=here, total=total, low=low))
        return Fault(
            path,
            say("{parameter} adds up to {total}; it must be {low} to {high}.", parameter=here, total=total, low=low, high=high),
        )
    if rule.get("spare", True) is False and any(total - one >= low for one in worths):
        return Fault(path, say("{parameter}: leave one out; {low} is enough.", parameter=here, low=low))
    return None


def fits(form: Form, command: Command) -> bool:
    """Return True if the form offers this command."""
    return fault(form.schema(), dict(command)) is None


def offered(forms: Sequence[Form], command: Command) -> bool:
    """Return True if any of the forms offers this command."""
    return any(fits(form, command) for form in forms)


class Unfillable(GamesvcError):
    """No value fits the schema. A form with such a schema is a bug in the game."""


def fill(form: Form, rng: random.Random) -> JsonObject:
    """Return a random command that the form offers. Raises `Unfillable`."""
    command: JsonObject = {"name": form.name}
    if form.choice is not None:
        return {**command, **sample(form.choice, rng)}
    required = tuple(form.parameters) if form.required is None else form.required
    for name, schema in form.parameters.items():
        if name in required or rng.random() < 0.5:
            command[name] = sample(schema, rng)
    return command


def sample(schema: Schema, rng: random.Random) -> Any:
    """Return a random value that fits the schema. Raises `Unfillable`."""
    if "oneOf" in schema:
        return sample(rng.choice(list(schema["oneOf"])), rng)
    if "const" in schema:
        return schema["const"]
    if "enum" in schema:
        if not schema["enum"]:
            raise Unfillable(str(schema))
        return rng.choice(list(schema["enum"]))
    if "examples" in schema:
        return rng.choice(list(schema["examples"]))
    kind = rng.choice(list(_types(schema))) if _types(schema) else "null"
    if kind == "integer":
        return rng.randint(schema.get("minimum", 0), schema.get("maximum", 100))
    if kind == "boolean":
        return rng.random() < 0.5
    if kind == "string":
        return "text"[: schema.get("maxLength", 4)].ljust(schema.get("minLength", 0), "x")
    if kind == "null":
        return None
    if kind == "object":
        return _sample_object(schema, rng)
    return _sample_array(schema, rng)


def _sample_object(schema: Schema, rng: random.Random) -> JsonObject:
    properties: Schema = schema.get("properties", {})
    for _ in range(200):
        value = {
            name: sample(sub, rng) for name, sub in properties.items() if name in schema.get("required", ()) or rng.random() < 0.5
        }
        if "total" in schema:
            _settle(schema, value, rng)
        if fault(schema, value) is None:
            return value
    raise Unfillable(str(schema))


def _settle(schema: Schema, value: JsonObject, rng: random.Random) -> None:
    """Adjust the integers of an object in place until their sum fits."""
    low = schema["total"].get("minimum", 0)
    high = schema["total"].get("maximum", 10**6)
    names = [name for name in value if _is(value[name], "integer")]
    rng.shuffle(names)
    for name in names:
        total = sum(value[other] for other in names)
        wanted = value[name] + (low - total if total < low else min(0, high - total))
        sub = schema["properties"][name]
        value[name] = max(sub.get("minimum", 0), min(sub.get("maximum", 10**6), wanted))


def _sample_array(schema: Schema, rng: random.Random) -> list[object]:
    for _ in range(200):
        value = _try_array(schema, rng)
        if fault(schema, value) is None:
            return value
    raise Unfillable(str(schema))


def _pool(schema: Schema) -> list[object] | None:
    """Return all items that an array may contain, each as often as allowed; None if the schema does not list them."""
    items = schema.get("items", {})
    if "supply" in schema:
        return [item for item, count in schema["supply"].items() for _ in range(count)]
    if "enum" in items:
        return list(items["enum"]) * (1 if schema.get("uniqueItems") else max(1, schema.get("maxItems", 1)))
    return None


def _try_array(schema: Schema, rng: random.Random) -> list[object]:
    pool = _pool(schema)
    low, rule = schema.get("minItems", 0), schema.get("total")
    if pool is None:
        high = schema.get("maxItems", low + 2)
        size = rng.randint(low, high)
        options = list(schema["items"].get("oneOf", ()))
        if "pairwise" in schema and options:
            # Items that must differ come from different options. Their numbers are adjusted afterwards until the sum fits.
            picked = rng.sample(options, min(size, len(options)))
            return _settle_items(schema, picked, [sample(option, rng) for option in picked], rng)
        chosen: list[object] = []
        while len(chosen) < size:
            item = sample(schema["items"], rng)
            chosen.append(item)
        return chosen
    rng.shuffle(pool)
    if rule is None:
        return pool[: rng.randint(low, min(schema.get("maxItems", len(pool)), len(pool)))]
    need = rule.get("minimum", 0)
    goal = need if rule.get("spare", True) is False else rng.randint(need, rule.get("maximum", need + 3))
    chosen, total = [], 0
    for item in pool:
        if total >= goal or len(chosen) >= schema.get("maxItems", len(pool)):
            break
        if total + worth(schema, item) <= rule.get("maximum", 10**6):
            chosen.append(item)
            total += worth(schema, item)
    if rule.get("spare", True) is False:
        for item in sorted(chosen, key=lambda one: worth(schema, one)):
            if total - worth(schema, item) >= need:
                chosen.remove(item)
                total -= worth(schema, item)
    return chosen


def _settle_items(schema: Schema, options: Sequence[Schema], items: list[Any], rng: random.Random) -> list[Any]:
    """Adjust the integer fields of an array's objects until the sum of the array fits, as far as their schemas allow."""
    if "total" not in schema:
        return items
    low, high = schema["total"].get("minimum", 0), schema["total"].get("maximum", 10**6)
    fields = [(at, name) for at, item in enumerate(items) for name in item if _is(item[name], "integer")]
    rng.shuffle(fields)
    for at, name in fields:
        total = sum(worth(schema, item) for item in items)
        wanted = items[at][name] + (low - total if total < low else min(0, high - total))
        sub = options[at].get("properties", {}).get(name, {})
        kept = options[at].get("total", {}).get("minimum", 0) - worth(schema, items[at]) + items[at][name]
        least = max(sub.get("minimum", 0), kept)
        items[at][name] = max(least, min(sub.get("maximum", 10**6), wanted))
    return items


def values(schema: Schema, most: int = 200) -> Iterator[object]:
    """Yield up to `most` values that fit a schema, simplest first. Used by bots and help; the list may be incomplete."""
    yield from itertools.islice(_values(schema), most)


def _values(schema: Schema) -> Iterator[object]:
    if "oneOf" in schema:
        for option in schema["oneOf"]:
            yield from _values(option)
    elif "const" in schema:
        yield schema["const"]
    elif "enum" in schema:
        yield from schema["enum"]
    elif "integer" in _types(schema):
        yield from range(schema.get("minimum", 0), schema.get("maximum", 100) + 1)
    elif "boolean" in _types(schema):
        yield from (False, True)
    elif "object" in _types(schema):
        names = list(schema.get("properties", {}))
        for combination in itertools.product(*(list(values(schema["properties"][name])) for name in names)):
            value = dict(zip(names, combination, strict=True))
            if fault(schema, value) is None:
                yield value
    elif "array" in _types(schema):
        pool = _pool(schema)
        if pool is None:
            pool = list(values(schema["items"], 20))
        low, high = schema.get("minItems", 0), min(schema.get("maxItems", len(pool)), len(pool))
        seen: set[str] = set()
        for size in range(low, high + 1):
            for chosen in itertools.combinations(pool, size):
                if str(chosen) not in seen and fault(schema, list(chosen)) is None:
                    seen.add(str(chosen))
                    yield list(chosen)
    else:
        yield None


def in_words(values: Sequence[str]) -> JsonObject:
    """Return the schema of a choice among ids, each labelled by its words: `move_onto_me` as "move onto me"."""
    return {"enum": list(values), "labels": {value: value.replace("_", " ") for value in values if "_" in value}}


def worded_by(value: object) -> str:
    """Return the key of the words of a value in `labels`: a list or an object as JSON, anything else as text."""
    return json.dumps(value, sort_keys=True) if isinstance(value, (list, tuple, dict)) else str(value)


def label(schema: Schema, value: object) -> str:
    """Return the words that describe a value of a schema."""
    if isinstance(value, (list, tuple)) and (words := schema.get("labels", {}).get(worded_by(value))):
        return str(words)
    if isinstance(value, (list, tuple)):
        return ", ".join(label(schema.get("items", {}), item) for item in value) or say("none")
    if isinstance(value, dict):
        return ", ".join(f"{name} {item}" for name, item in value.items())
    return str(schema.get("labels", {}).get(value, schema.get("labels", {}).get(str(value), value)))
