"""Posted controls turned back into commands: the counterpart of `controls`.

Array items come in the listed order for check boxes and counts, and in the numbered order for rows. Where their order matters,
check boxes count as they are posted: a plain form posts them as listed, the script of the page as they were ticked. A value that
does not fit its control is refused here, in the words of the page; whether the game allows a command, the engine checks.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from django.http import HttpRequest

from gamesvc.errors import Refusal
from gamesvc.games.kernel import intake
from gamesvc.games.kernel.forms import Fault, fault
from gamesvc.games.kernel.game import Schema
from gamesvc.json_types import JsonObject
from gamesvc.language import joined, say
from gamesvc.web.common.controls import NOTHING, WHOLE, Control, Sheet, key, only, words

Posted = Mapping[str, Sequence[str]]
MISSING = object()


def fields(request: HttpRequest) -> dict[str, list[str]]:
    """Return all fields of a posted form: those of a game have the names that its schema gives them."""
    return {name: request.POST.getlist(name) for name in request.POST}


class Unreadable(Refusal):
    """A posted field that does not fit its control; `parameter` names the field, the sentence says it as the page does."""

    code = "unreadable"
    title = "The form cannot be read"
    detail = "A field holds no value of its kind."
    advice = "The sentence names the field and what fits; fill it in and send the form again."

    def __init__(self, path: str, detail: str) -> None:
        super().__init__(detail=detail, parameter=path)


def filled(one: Control, posted: Posted) -> Control:
    """Return the control with the posted values, so that a refused form need not be filled in again."""
    children = tuple(filled(child, posted) for child in one.children)
    if one.kind in ("radios", "select", "checks", "alternatives"):
        given = posted.get(one.path, ())
        options = tuple(replace(option, chosen=option.value in given) for option in one.options)
        return replace(one, options=options, children=children)
    return replace(one, value=_first(posted, one.path), children=children)


def read(the_sheet: Sheet, posted: Posted) -> JsonObject:
    """Return the posted command. Raises `Unreadable`. The engine checks its legality."""
    command: JsonObject = {"name": the_sheet.form.name}
    for one in the_sheet.controls:
        value = read_value(one, posted)
        if one.path == WHOLE and the_sheet.form.choice is not None:
            command |= value
        elif value is not MISSING:
            command[one.path] = value
    return command


def _first(posted: Posted, path: str) -> str:
    values = posted.get(path, ())
    return values[-1].strip() if values else ""


def _empty(one: Control) -> object:
    """Return the value of an empty field: missing, or null if the schema allows it."""
    kinds = one.schema.get("type", ())
    return None if not isinstance(kinds, str) and "null" in kinds else MISSING


def _none(one: Control) -> object:
    """Return the value of a list in which nothing is chosen."""
    return [] if one.required else _empty(one)


def read_value(one: Control, posted: Posted) -> Any:
    """Return the value of one control; `MISSING` if it was left empty. Raises `Unreadable`, of inner controls first."""
    value = _value(one, posted)
    if value is MISSING or value is None:
        return value
    if found := fault(one.schema, value):
        raise _unfit(one, value, found)
    return value


def _unfit(one: Control, value: object, found: Fault) -> Unreadable:
    """Return the refusal of a value whose parts fit, each by itself, in the words of the page."""
    name, _, _ = found.path.partition(".")
    for part in one.children:
        if part.path.rsplit(".", 1)[-1] == name and not isinstance(value, list):
            return _left_empty(part)
    field = _field(one)
    if isinstance(value, list):
        if sentence := _miscounted(one.schema, field, len(value)):
            return Unreadable(one.path, sentence)
        if (twice := _named_twice(one, value)) is not None:
            return Unreadable(one.path, say("{field}: choose nothing twice.", field=joined(field, *twice, between=", ")))
    again = fault(one.schema, value, field)
    return Unreadable(one.path, again.detail if again else found.detail)


def _left_empty(one: Control) -> Unreadable:
    """Return the refusal of a control that must not stay empty."""
    if one.kind == "number":
        return Unreadable(one.path, say("{field}: write a whole number.", field=_field(one)))
    return Unreadable(one.path, say("{field}: choose one.", field=_field(one)))


def _field(one: Control) -> str:
    """Return what the page calls a control. Those without a label of their own are called by the name of their field."""
    return one.label or words(next((name for name in reversed(one.path.split(".")) if not name.isdecimal()), one.path))


def _miscounted(schema: Schema, field: str, count: int) -> str:
    """Return what the form says of how many to choose, with the number chosen; empty if that number is right."""
    low, high = int(schema.get("minItems", 0)), schema.get("maxItems")
    if low <= count and (high is None or count <= high):
        return ""
    if low == high:
        return say("{field}: choose {low} ({count} chosen).", field=field, low=low, count=count)
    if high is None:
        return say("{field}: choose at least {low} ({count} chosen).", field=field, low=low, count=count)
    if not low:
        return say("{field}: choose at most {high} ({count} chosen).", field=field, high=high, count=count)
    return say("{field}: choose {low} to {high} ({count} chosen).", field=field, low=low, high=high, count=count)


def _named_twice(one: Control, items: Sequence[Any]) -> list[str] | None:
    """Return what names the repeated things: nothing if they are the items, else the label of their field; None if all differ."""
    if one.schema.get("uniqueItems") and len({key(item) for item in items}) < len(items):
        return []
    for name in one.schema.get("pairwise", ()):
        if len({key(item[name]) for item in items}) < len(items):
            labels = [child.label for row in one.children for child in row.children if child.path.rsplit(".", 1)[-1] == name]
            return labels[:1]
    return None


def _value(one: Control, posted: Posted) -> Any:
    match one.kind:
        case "fixed":
            return only(one.schema)
        case "absent":
            return _empty(one)
        case "radios" | "select":
            return _read_choice(one, posted)
        case "number":
            return _read_number(one, _first(posted, one.path))
        case "check":
            return _first(posted, one.path) == "true" or (False if one.required else MISSING)
        case "text":
            text = _first(posted, one.path)
            return text if text or one.required else _empty(one)
        case "group":
            return _read_group(one, posted)
        case "alternatives":
            return _read_alternatives(one, posted)
        case "checks":
            return _read_checks(one, posted) or _none(one)
        case "counts":
            counted = [child.schema["const"] for child in one.children for _ in range(_read_count(child, posted))]
            return counted or _none(one)
        case "rows":
            rows = [read_value(_numbered(one, row), posted) for row in one.children]
            return [row for row in rows if row is not MISSING] or _none(one)
        case _:
            return _read_json(one, _first(posted, one.path))


def _numbered(one: Control, row: Control) -> Control:
    """Return a row that has only a number with the label of its list before it, for sentences that name it alone."""
    return replace(row, label=f"{one.label} {row.label}") if row.label.isdecimal() else row


def _values(one: Control) -> list[object]:
    schema = one.schema
    if "oneOf" in schema:
        return [option["const"] for option in schema["oneOf"]]
    if "const" in schema:
        return [schema["const"]]
    if "enum" in schema:
        return list(schema["enum"])
    if schema.get("type") == "boolean":
        return [True, False]
    return list(range(schema["minimum"], schema["maximum"] + 1))


def _read_choice(one: Control, posted: Posted) -> object:
    text = _first(posted, one.path)
    if text == NOTHING and not any(key(value) == NOTHING for value in _values(one)):
        if one.required:
            raise _left_empty(one)
        return _empty(one)
    for value in _values(one):
        if key(value) == text:
            return value
    raise Unreadable(one.path, say("{field}: {text!r} is not among the choices.", field=one.label, text=text))


def _read_count(one: Control, posted: Posted) -> int:
    """Return the number chosen of an item. It cannot exceed the supply, so no input makes an endless list."""
    text = _first(posted, one.path)
    count = int(_read_number(one, text)) if text else 0
    if not 0 <= count <= (one.high or 0):
        raise Unreadable(one.path, say("{field}: take 0 to {high}.", field=one.label, high=one.high or 0))
    return count


def _read_number(one: Control, text: str) -> Any:
    if not text:
        if one.required:
            raise _left_empty(one)
        return _empty(one)
    if not re.fullmatch(r"[+-]?[0-9]{1,12}", text):
        raise Unreadable(one.path, say("{field}: {text!r} is not a whole number.", field=one.label, text=text[:40]))
    return int(text)


def _read_group(one: Control, posted: Posted) -> object:
    found = {child.path.rsplit(".", 1)[-1]: read_value(child, posted) for child in one.children}
    found = {name: value for name, value in found.items() if value is not MISSING}
    if not one.required and all(child.kind == "fixed" or _blank(child, posted) for child in one.children):
        return _empty(one)
    return found


def _blank(one: Control, posted: Posted) -> bool:
    return not any(
        value.strip()
        for path, values in posted.items()
        if path == one.path or path.startswith(one.path + ".")
        for value in values
    )


def _read_alternatives(one: Control, posted: Posted) -> object:
    text = _first(posted, one.path)
    if text == NOTHING:
        if one.required:
            raise _left_empty(one)
        return _empty(one)
    chosen = intake.whole(text, 4)
    if chosen is None or chosen >= len(one.children):
        raise Unreadable(one.path, say("{field}: {text!r} is not among the choices.", field=one.label, text=text))
    branch = one.children[chosen]
    named = [option.label for option in one.options if option.value == text]
    return read_value(replace(branch, label=branch.label or named[0]), posted)


def _read_checks(one: Control, posted: Posted) -> list[object]:
    ticked = posted.get(one.path, ())
    listed: list[object] = list(one.schema["supply"]) if "supply" in one.schema else list(one.schema["items"]["enum"])
    known = {key(value) for value in listed}
    for text in ticked:
        if text not in known:
            raise Unreadable(one.path, say("{field}: {text!r} is not among the choices.", field=one.label, text=text))
    if one.schema.get("ordered"):
        return sorted((value for value in listed if key(value) in ticked), key=lambda value: ticked.index(key(value)))
    return [value for value in listed if key(value) in ticked]


def _read_json(one: Control, text: str) -> object:
    if not text and not one.required:
        return _empty(one)
    try:
        read = json.loads(text)
    except (ValueError, RecursionError):
        raise Unreadable(one.path, say("{field}: this is not JSON.", field=one.label)) from None
    if found := intake.value_fault(read):
        raise Unreadable(one.path, f"{one.label}: {found.detail}")
    return read
