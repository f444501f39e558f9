"""HTML controls for the forms of engines. Knows schemas, but no games and no Django.

A schema becomes a tree of `Control`. Templates draw the tree, and `posted` collects the posted fields with the same tree. Field
names are the dotted path of a value (`cards.2.kind`).
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from gamesvc.games.kernel.forms import fault, label
from gamesvc.games.kernel.game import Form, Schema
from gamesvc.games.kernel.targets import Stand
from gamesvc.games.kernel.wording import capital, listed
from gamesvc.language import joined, mark, say

MOST_CHIPS = 14
MOST_ROWS = 12
MOST_BROAD_ROWS = 3
MOST_ORDERED = 5
"""The values that are put in order on the page; of more of them the page only chooses some."""
BROAD = 6
NOTHING = ""
WHOLE = "which"
"""The path of the control that chooses among alternatives of a whole command."""
UNSAID = mark("As usual")
"""Label of an optional parameter that is left out."""


@dataclass(frozen=True, slots=True)
class Option:
    """One value to choose. `part`: the target in the picture that stands for it. `note`: help, if there is none on the board."""

    value: str
    label: str
    chosen: bool = False
    part: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True)
class Control:
    """One control. `kind` decides how it is drawn (templates) and read (`posted`).

    `part`: the target in the picture that stands for its one value, or that counts it.
    """

    kind: str
    path: str
    label: str
    schema: Schema
    required: bool = True
    options: tuple[Option, ...] = ()
    children: tuple[Control, ...] = ()
    low: int | None = None
    high: int | None = None
    note: str = ""
    value: str = ""
    part: str = ""
    branched: bool = False

    @property
    def needed(self) -> str:
        """Return the attribute of an input that must be filled in. No browser knows which alternative is chosen."""
        return ("data-needed" if self.branched else "required") if self.required else ""

    @property
    def counted(self) -> bool:
        """Return True if the options are whole numbers, in order."""
        return self.schema.get("type") == "integer"

    @property
    def has_part(self) -> bool:
        """Return True if the picture shows something of it."""
        return bool(self.part) or any(option.part for option in self.options) or any(child.has_part for child in self.children)

    @property
    def alternatives(self) -> list[tuple[Option, Control | None]]:
        """Return the options of alternatives, each with what is to be chosen there; None if that is nothing."""
        shown = {str(at): child for at, child in enumerate(self.children) if not child.bare or child._tells}
        return [(option, shown.get(option.value)) for option in self.options]

    @property
    def _tells(self) -> bool:
        """Return True if it shows a fixed value with its target."""
        return (self.kind == "fixed" and bool(self.part and self.label)) or any(child._tells for child in self.children)

    @property
    def folded(self) -> str:
        """Return what is paid by default, for the line below which the payment is folded; empty for anything else."""
        if not self.schema.get("payment") or "default" not in self.schema:
            return ""
        labels: dict[str, str] = {}
        for option in self.schema.get("oneOf", (self.schema,)):
            labels |= option.get("items", {}).get("labels", {})
        counts = Counter(map(str, self.schema["default"]))
        return (
            listed(
                labels.get(item, item) if count == 1 else f"{count} {labels.get(item, item)}" for item, count in counts.items()
            )
            or "–"
        )

    @property
    def ident(self) -> str:
        return self.path.replace(".", "-")

    @property
    def shown(self) -> str:
        """Return the one value of a fixed control as text."""
        return _label(self.schema, only(self.schema))

    def says_nothing(self, title: str) -> bool:
        """Return True if the title of an alternative says all that its fixed value says: yes, no and what it names."""
        return isinstance(only(self.schema), bool) or self.shown in title

    @property
    def long(self) -> bool:
        """Return True if a text may need several lines."""
        return self.high is None or self.high > 120

    @property
    def bare(self) -> bool:
        """Return True if there is nothing to choose inside."""
        if self.kind in ("group", "counts", "rows"):
            return all(child.bare for child in self.children)
        return self.kind in ("fixed", "absent") or (self.kind == "checks" and not self.options)

    @property
    def complete(self) -> bool:
        """Return True if it can be sent as it stands: nothing that is needed lacks a value."""
        if self.bare or not self.required or self.kind == "check":
            return True
        chosen = [option for option in self.options if option.chosen]
        if self.kind == "alternatives":
            return any(self.children[int(option.value)].complete for option in chosen if option.value.isdecimal())
        if self.kind in ("checks", "counts"):
            taken = len(chosen) + sum(int(text) for child in self.children if (text := child.value[:9]).isdecimal())
            return taken >= int(self.schema.get("minItems", 0))
        if self.kind in ("group", "rows"):
            return all(child.complete for child in self.children)
        return bool(chosen) if self.options else bool(self.value)


@dataclass(frozen=True, slots=True)
class Sheet:
    """A whole form. Its key identifies the form again when it is posted. `weight`: what kind of act it is (`Game.weight`).

    `twin`: what its id ends with if it is the button beside the form of this key that chooses nothing of what is offered there.
    """

    key: str
    form: Form
    controls: tuple[Control, ...] = field(default_factory=tuple)
    weight: str = "main"
    twin: str = ""

    @property
    def plain(self) -> bool:
        """Return True if there is nothing to choose: the button alone is the form."""
        return all(control.bare for control in self.controls)

    @property
    def complete(self) -> bool:
        """Return True if the form can be sent as it stands, though there is something to choose."""
        return not self.plain and all(control.complete for control in self.controls)

    @property
    def summary(self) -> str:
        """Return the form's label with its settled values, which distinguish forms of one command."""
        settled = [
            control
            for control in self.controls
            if control.kind == "fixed" and isinstance(only(control.schema), str) and control.shown not in self.form.label
        ]
        told = ", ".join(control.shown for control in settled)
        return f"{self.form.label}: {told}" if told else self.form.label


def key_of(form: Form) -> str:
    """Return an id for a form. It changes only when the form offers something else."""
    written = json.dumps(form.as_json(), sort_keys=True, separators=(",", ":"), default=list)
    return hashlib.sha256(written.encode()).hexdigest()[:16]


def sheet(form: Form) -> Sheet:
    """Return the controls of a form, in its order. Alternatives of a whole command are one control."""
    if form.choice is not None:
        chosen = control(form.choice, WHOLE)
        return Sheet(key_of(form), form, (replace(chosen, options=tuple(replace(one, chosen=False) for one in chosen.options)),))
    required = tuple(form.parameters) if form.required is None else form.required
    controls = tuple(control(schema, name, name in required) for name, schema in form.parameters.items())
    return Sheet(key_of(form), form, controls)


def placed(the_sheet: Sheet, stands: Iterable[Stand], weight: str) -> Sheet:
    """Return the form with its weight, and with the targets in the picture that stand for its options."""
    parts = {(one.field, key(one.value)): one.target for one in stands}
    return replace(the_sheet, controls=tuple(_placed(one, parts) for one in the_sheet.controls), weight=weight)


def _placed(one: Control, parts: Mapping[tuple[str, str], str]) -> Control:
    where = ".".join(name for name in one.path.removeprefix(f"{WHOLE}.").split(".") if not name.isdecimal())
    children = tuple(_placed(child, parts) for child in one.children)
    if one.kind == "alternatives":
        shared = next((part for _field, part in _fixed_parts(replace(one, children=children))), "")
        return replace(one, options=_begun(one.options, children), children=children, part=shared)
    options = tuple(replace(option, part=parts.get((where, option.value), "")) for option in one.options)
    fixed = one.kind == "fixed" or (one.kind == "number" and "const" in one.schema)
    part = parts.get((where, key(only(one.schema))), "") if fixed else ""
    return replace(one, options=options, children=children, part=part)


def _begun(options: tuple[Option, ...], children: tuple[Control, ...]) -> tuple[Option, ...]:
    """Return alternatives with the target that tells each from the others: choosing it is choosing the alternative."""
    fixed = [list(_fixed_parts(child)) for child in children]
    common = set(fixed[0]).intersection(*fixed[1:]) if len(fixed) > 1 else set()
    own = [next((part for field, part in parts if (field, part) not in common), "") for parts in fixed]
    return tuple(replace(one, part=own[int(one.value)]) if one.value.isdecimal() else one for one in options)


def _fixed_parts(one: Control) -> dict[tuple[str, str], None]:
    """Return the fields and targets of the fixed values of an alternative, in order; of inner alternatives, those that all have.

    One space may be where a move begins in one alternative, and where it ends in another.
    """
    if one.kind != "alternatives":
        fixed = [child for child in (one, *one.children) if child.kind == "fixed" and child.part]
        return dict.fromkeys((child.path.rsplit(".", 1)[-1], child.part) for child in fixed)
    first, *others = map(_fixed_parts, one.children)
    return {part: None for part in first if all(part in other for other in others)}


def words(name: str) -> str:
    """Return an identifier as words: `from_slot` is "From slot"."""
    return capital(name.replace("_", " ").strip())


def key(value: object) -> str:
    """Return a value of an enum as HTML shows it."""
    return value if isinstance(value, str) else json.dumps(value, sort_keys=True)


# --- from schema to controls ---


def control(schema: Schema, path: str, required: bool = True) -> Control:
    """Return the control for one value."""
    title = str(schema.get("title") or words(path.rsplit(".", 1)[-1]))
    base: dict[str, Any] = {
        "path": path,
        "label": title,
        "schema": schema,
        "required": required,
        "note": str(schema.get("description", "")),
    }
    if "oneOf" in schema:
        some = [option for option in schema["oneOf"] if option.get("type") != "null"]
        if len(some) == 1 and len(schema["oneOf"]) == 2 and isinstance(some[0].get("type"), str):
            # "This or nothing" is shown as this, in a field that may stay empty.
            return control({**some[0], "title": title, "type": [some[0]["type"], "null"]}, path, required=False)
        return _one_of(schema, path, base)
    if "const" in schema:
        return Control("fixed", **base) if required else _choice([schema["const"]], schema, base)
    if "enum" in schema:
        return _choice(list(schema["enum"]), schema, base)
    kinds = [schema["type"]] if isinstance(schema.get("type"), str) else list(schema.get("type", ()))
    if "null" in kinds:
        base["required"] = False
        kinds.remove("null")
        if not kinds:
            return Control("absent", **base)
    kind = kinds[0] if len(kinds) == 1 else "json"
    if kind == "integer":
        return _integer(schema, base)
    if kind == "boolean":
        return _yes_or_no(schema, base, required)
    if kind == "string":
        return Control("text", **base, high=schema.get("maxLength"), value=str(schema.get("default") or ""))
    if kind == "object" and "properties" in schema:
        return _group(schema, path, base)
    if kind == "array":
        return _array(schema, path, base)
    default = json.dumps(schema["default"]) if "default" in schema else ""
    return Control("json", **base, value=default)


def _yes_or_no(schema: Schema, base: dict[str, Any], required: bool) -> Control:
    """Return a box where leaving it empty means no, else a choice with an empty answer."""
    default = schema.get("default")
    if required or default is False:
        return Control("check", **base, value="true" if default else "")
    return _choice([True, False], schema, base)


def _choice(values: list[object], schema: Schema, base: dict[str, Any]) -> Control:
    if not base["required"] and len(values) == 1 and not values[0] and values[0] != "":
        # Zero, no or nothing is the only choice: leaving it out means the same.
        return Control("absent", **base)
    if base["required"] and len(values) == 1:
        return Control("fixed", **base)
    options = [Option(key(value), _label(schema, value), "default" in schema and value == schema["default"]) for value in values]
    if not base["required"]:
        options.insert(0, Option(NOTHING, say(UNSAID), not any(option.chosen for option in options)))
    return Control("radios" if len(options) <= MOST_CHIPS else "select", **base, options=tuple(options))


def only(schema: Schema) -> object:
    """Return the one value that a schema allows."""
    if "const" in schema:
        return schema["const"]
    if "oneOf" in schema:
        return schema["oneOf"][0]["const"]
    return schema["enum"][0] if "enum" in schema else schema["minimum"]


def _label(schema: Schema, value: object) -> str:
    if value is None:
        return say("Nothing")
    if isinstance(value, bool):
        labels = schema.get("labels", {})
        return str(labels.get(str(value).lower(), say("Yes") if value else say("No")))
    shown = label(schema, value)
    return words(shown) if isinstance(value, str) and shown == value and "_" in value else shown


def _integer(schema: Schema, base: dict[str, Any]) -> Control:
    low, high, default = schema.get("minimum"), schema.get("maximum"), schema.get("default")
    if low is not None and high is not None and high - low < 8:
        return _choice(list(range(low, high + 1)), schema, base)
    value = default if default is not None else (low if base["required"] and low is not None else "")
    return Control("number", **base, low=low, high=high, value=str(value))


def _one_of(schema: Schema, path: str, base: dict[str, Any]) -> Control:
    options = list(schema["oneOf"])
    if all("const" in option for option in options):
        values = [option["const"] for option in options]
        labels = {key(option["const"]): option.get("title", key(option["const"])) for option in options}
        return _choice(values, {**schema, "labels": labels}, base)
    usual = None
    if "default" in schema:
        usual = next((at for at, option in enumerate(options) if fault(option, schema["default"]) is None), None)
    if usual is not None:
        options[usual] = {**options[usual], "default": schema["default"]}
    alternatives = tuple(_alternative(control(option, f"{path}.{at}")) for at, option in enumerate(options))
    begun = 0 if usual is None and base["required"] else usual
    choices = [Option(str(at), str(option.get("title") or _gist(option, at)), at == begun) for at, option in enumerate(options)]
    if not base["required"]:
        choices.insert(0, Option(NOTHING, say(UNSAID), begun is None))
    return Control("alternatives", **base, options=tuple(choices), children=alternatives)


def _alternative(one: Control) -> Control:
    """Return an alternative without what its title says already: the title itself, and the words for fixed values."""
    said = [
        replace(child, label="") if child.kind == "fixed" and child.says_nothing(one.label) else child for child in one.children
    ]
    label, note = ("", one.note) if one.kind == "group" else (one.note or one.label, "")
    return replace(_branched(one), label=label, note=note, children=tuple(map(_branched, said)))


def _branched(one: Control) -> Control:
    """Return a control inside an alternative: a browser may ask for it only where that alternative is chosen."""
    return replace(one, branched=True, children=tuple(map(_branched, one.children)))


def _gist(schema: Schema, at: int) -> str:
    """Return a few words for an alternative without a title: its constants."""
    constants = [key(sub["const"]) for sub in schema.get("properties", {}).values() if "const" in sub]
    return words(", ".join(constants)) if constants else say("Choice {number}", number=at + 1)


def _group(schema: Schema, path: str, base: dict[str, Any]) -> Control:
    needed, parts = schema.get("required", ()), schema["properties"]
    # An object whose parts all have a default is sent with them: the page shows what happens when nobody touches it.
    base["required"] = base["required"] or (bool(parts) and all("default" in sub for sub in parts.values()))
    children = tuple(_member(sub, f"{path}.{name}", name in needed, base["required"]) for name, sub in parts.items())
    base["note"] = " ".join(filter(None, [base["note"], _total(schema)]))
    return Control("group", **base, children=children)


def _member(schema: Schema, path: str, needed: bool, whole: bool) -> Control:
    """Return the control for a field of an object. If the object is optional (`whole` is false), every field may stay empty."""
    if whole or ("const" in schema and needed):
        return control(schema, path, needed or "default" in schema)
    return control({name: value for name, value in schema.items() if name != "default"}, path, required=False)


def _total(schema: Schema) -> str:
    if "total" not in schema:
        return ""
    rule = schema["total"]
    low, high = rule.get("minimum", 0), rule.get("maximum")
    what = say("Worth together") if rule.get("worth") else say("Together")
    if high is None:
        found = say("{what} at least {low}.", what=what, low=low)
    elif low == high:
        found = f"{what} {low}."
    else:
        found = say("{what} {low} to {high}.", what=what, low=low, high=high)
    return joined(found, say("No more than needed.")) if rule.get("spare", True) is False else found


def _span(low: int, high: int | None) -> str:
    if high is None:
        return say("At least {low}.", low=low) if low else ""
    return say("Choose {low}.", low=low) if low == high else say("Choose {low} to {high}.", low=low, high=high)


def _array(schema: Schema, path: str, base: dict[str, Any]) -> Control:
    items: Schema = schema.get("items", {})
    low, high = int(schema.get("minItems", 0)), schema.get("maxItems")
    unsaid = "" if base["required"] else say("None chosen: as usual.")
    base["note"] = " ".join(filter(None, [base["note"], _span(low, high), _total(schema), unsaid]))
    default = schema.get("default", [])
    if "supply" in schema:
        supply: Mapping[str, int] = {item: count for item, count in schema["supply"].items() if count > 0}
        if all(count == 1 for count in supply.values()):
            return _checks(list(supply), schema, items, base, default)
        return _counts(supply, schema, items, path, base)
    values = list(items["enum"]) if "enum" in items else None
    if values is not None and schema.get("uniqueItems"):
        if base["required"] and low == high == 1 < len(values) and "total" not in schema:
            return _one_of_a_list(schema, items, path, base)
        if schema.get("ordered") and 1 < len(values) <= MOST_ORDERED:
            return _rows(schema, path, base, min(len(values), high or len(values)))
        return _checks(values, schema, items, base, default)
    most = int(high) if high is not None else MOST_ROWS
    if values is not None and most > MOST_ROWS:
        return _counts({key(value): most for value in values}, schema, items, path, base)
    return _rows(schema, path, base, most)


def _checks(values: list[object], schema: Schema, items: Schema, base: dict[str, Any], default: Sequence[object]) -> Control:
    labelled = _labelled(schema, items)
    every = len(values) == schema.get("minItems", 0)
    options = tuple(Option(key(value), _worthy(schema, labelled, value), every or value in default) for value in values)
    return Control("checks", **base, options=options)


def _counts(supply: Mapping[str, int], schema: Schema, items: Schema, path: str, base: dict[str, Any]) -> Control:
    labelled = _labelled(schema, items)
    most = schema.get("maxItems")
    children = tuple(
        Control(
            "number",
            f"{path}.{at}",
            say("{item} (of {count})", item=_worthy(schema, labelled, item), count=count)
            if count < 1000
            else _worthy(schema, labelled, item),
            {"const": item},
            low=0,
            high=count if most is None else min(count, most),
            value=str(list(schema.get("default", ())).count(item)),
        )
        for at, (item, count) in enumerate(supply.items())
    )
    return Control("counts", **base, children=children)


def _labelled(schema: Schema, items: Schema) -> Schema:
    return items if "labels" in items else {"labels": schema.get("labels", {})}


def _worthy(schema: Schema, labelled: Schema, value: object) -> str:
    """Return the label of an item, with its worth if worths are summed."""
    worth = schema.get("total", {}).get("worth", {}).get(value if isinstance(value, str) else str(value))
    shown = _label(labelled, value)
    return f"{shown} · {worth}" if worth is not None else shown


def _breadth(one: Control) -> int:
    return 1 + sum(_breadth(child) for child in one.children)


def _one_of_a_list(schema: Schema, items: Schema, path: str, base: dict[str, Any]) -> Control:
    """Return the control for a list of exactly one of several values: its one row looks and works like a choice."""
    usual = {"default": schema["default"][0]} if schema.get("default") else {}
    row = control({**items, **_labelled(schema, items), **usual, "title": base["label"]}, f"{path}.0")
    return Control("rows", **{**base, "label": "", "note": str(schema.get("description", ""))}, children=(row,))


def _rows(schema: Schema, path: str, base: dict[str, Any], most: int) -> Control:
    needed = int(schema.get("minItems", 0))
    items: Schema = schema.get("items", {})
    first = control({"title": "1", **items}, f"{path}.0", needed > 0)
    shown = min(most, MOST_BROAD_ROWS if _breadth(first) > BROAD else MOST_ROWS)
    usual = [{"default": value} for value in schema.get("default", ())]
    usual += [{}] * (max(needed, shown) - len(usual))
    rows = tuple(
        control({"title": f"{at + 1}", **items, **more}, f"{path}.{at}", at < needed)
        for at, more in enumerate(usual[: max(needed, shown)])
    )
    return Control("rows", **base, children=rows)
