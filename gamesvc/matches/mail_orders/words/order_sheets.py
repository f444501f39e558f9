"""Order sheets: the orders that a seat can give now, one a line, each legal as it stands or with blanks to fill in.

They are made from the legal commands alone. A blank stands for the words of an order that another choice would change.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from django.utils.translation import gettext as _

from gamesvc.games.kernel import forms
from gamesvc.games.kernel.game import RESIGN, Form, Game, Refused, Schema
from gamesvc.json_types import JsonObject

BLANK = "____"
MOST_LINES = 6
"""The orders of one form that are written out; with more of them, one order with blanks stands for all."""
MOST_CHOICES = 24
"""The choices for a blank that are listed."""
MOST_LISTED = 400
"""The values that are looked at for one parameter."""
_TRIES = 30


@dataclass(frozen=True, slots=True)
class Entry:
    """One form on the sheet: its label and its orders; with blanks also what fits them, and one order as an example."""

    name: str
    label: str
    orders: tuple[str, ...]
    choices: tuple[str, ...] = ()
    example: str = ""

    @property
    def text(self) -> str:
        lines = [f"{self.label}:", *(f"  {order}" for order in self.orders), *(f"    {choice}" for choice in self.choices)]
        if self.example:
            lines.append(f"    {_('for example: %(order)s') % {'order': self.example}}")
        return "\n".join(lines)


class Offer:
    """The orders that a seat can give in one position, worked out when first asked for, and once, however many lines ask."""

    def __init__(self, game: Game, legal: Callable[[], Sequence[Form]]) -> None:
        self._game = game
        self._legal = legal

    @cached_property
    def forms(self) -> Sequence[Form]:
        return self._legal()

    @cached_property
    def entries(self) -> list[Entry]:
        return entries(self._game, self.forms)


def entries(game: Game, legal: Sequence[Form]) -> list[Entry]:
    """Return what goes on the sheet of a seat. Resigning is on none, nor what takes more than a line to fill in."""
    found = [_entry(game, form) for form in legal if form.name != RESIGN]
    return list({(one.label, one.orders): one for one in found if one is not None}.values())


def sheet(found: Sequence[Entry]) -> str:
    """Return the sheet as text; empty if there is nothing to order."""
    if not found:
        return ""
    intro = _("Copy the lines you want to the top of your answer, one order a line.")
    if any(BLANK in order for entry in found for order in entry.orders):
        intro += " " + _("Fill in the blanks (%(blank)s).") % {"blank": BLANK}
    return "\n\n".join([intro, *(entry.text for entry in found)])


def _entry(game: Game, form: Form) -> Entry | None:
    required = tuple(form.parameters) if form.required is None else form.required
    if form.aside and not all(_plain(form.parameters[name]) for name in required):
        return None
    label = form.label.rstrip(":")
    commands = _listed(form, required)
    if commands:
        orders = dict.fromkeys(game.render(command) for command in commands)
        return Entry(form.name, label, tuple(orders))
    return _with_blanks(game, form, required, label)


def _listed(form: Form, required: Sequence[str]) -> list[JsonObject]:
    """Return all commands of a form with only the parameters it needs; none if they are too many."""
    if not all(_plain(form.parameters[name]) for name in required):
        return []
    each = [list(forms.values(form.parameters[name], MOST_LINES + 1)) for name in required]
    found = [dict(zip(required, values, strict=True)) for values in itertools.islice(itertools.product(*each), MOST_LINES + 1)]
    return [{"name": form.name, **values} for values in found] if len(found) <= MOST_LINES else []


def _plain(schema: Schema) -> bool:
    """Return True for a schema of single values: an enum, a number, yes or no."""
    return "enum" in schema or "const" in schema or schema.get("type") in ("integer", "boolean", "null")


def _with_blanks(game: Game, form: Form, required: Sequence[str], label: str) -> Entry | None:
    rng = random.Random(0)
    base = _example(game, form, required, rng)
    if base is None:
        return None
    words = game.render(base).split()
    spans = {}
    for name in required:
        others = (game.render({**base, name: value}).split() for value in _others(form.parameters[name], base[name], rng))
        if found := [span for other in others if (span := _span(words, other)) is not None]:
            spans[name] = min(start for start, _end in found), max(end for _start, end in found)
    order, filled = _blanked(words, spans)
    each = [_choices(game, form.parameters[name], base, name, words, spans[name]) for name in filled]
    numbers = [f" {number}" if len(filled) > 1 else "" for number in range(1, len(filled) + 1)]
    choices = tuple(f"{BLANK}{number}: {choice}" for number, choice in zip(numbers, each, strict=True) if choice)
    bare = [game.render({**base, name: empty}) for name in required for empty in _empty(form.parameters[name])]
    return Entry(form.name, label, tuple(dict.fromkeys((order, *bare))), choices, " ".join(words) if filled else "")


def _empty(schema: Schema) -> list[list[object] | dict[str, object]]:
    """Return the empty list or object, if it fits."""
    empties: tuple[list[object] | dict[str, object], ...] = ([], {})
    return [empty for empty in empties if not _plain(schema) and forms.fault(schema, empty) is None]


def _example(game: Game, form: Form, required: Sequence[str], rng: random.Random) -> JsonObject | None:
    """Return a legal command with only the parameters that the form needs, and lists that are not empty where they may be."""
    found: list[JsonObject] = []
    for _try in range(_TRIES):
        try:
            command = {"name": form.name, **{name: forms.sample(form.parameters[name], rng) for name in required}}
        except forms.Unfillable:
            continue
        if forms.fits(form, command):
            found.append(command)
            if all(command[name] not in ([], {}) for name in required):
                break
    return found[-1] if found else None


def _others(schema: Schema, value: object, rng: random.Random) -> Iterator[object]:
    """Yield some other values of a parameter."""
    if _plain(schema):
        yield from (other for other in forms.values(schema, MOST_CHOICES) if other != value)
        return
    for _try in range(_TRIES // 3):
        try:
            other = forms.sample(schema, rng)
        except forms.Unfillable:
            return
        if other not in (value, [], {}):
            yield other


def _span(words: Sequence[str], others: Sequence[str]) -> tuple[int, int] | None:
    """Return the words that differ, as start and end; None if they are the same."""
    if words == others:
        return None
    shorter = min(len(words), len(others))
    start = next((at for at in range(shorter) if words[at] != others[at]), shorter)
    same = next((at for at in range(shorter - start) if words[-1 - at] != others[-1 - at]), shorter - start)
    return start, len(words) - same


def _blanked(words: Sequence[str], spans: Mapping[str, tuple[int, int]]) -> tuple[str, list[str]]:
    """Return the order with a blank for each span, and the parameters of the blanks from left to right."""
    order: list[str] = []
    filled: list[str] = []
    at = 0
    for name, (start, end) in sorted(spans.items(), key=lambda one: one[1]):
        if filled and start < at:
            at = max(at, end)
            continue
        order += [*words[at:start], BLANK]
        filled.append(name)
        at = end
    return " ".join([*order, *words[at:]]), filled


def _choices(game: Game, schema: Schema, base: JsonObject, name: str, words: Sequence[str], span: tuple[int, int]) -> str:
    """Return what fits a blank, in the words of orders; empty if the example must do."""
    left, right = span[0], len(words) - span[1]

    def word_of(value: object) -> str:
        said = game.render({**base, name: value}).split()
        return " ".join(said[left : len(said) - right])

    if _plain(schema):
        if schema.get("type") == "integer" and "enum" not in schema:
            low, high = schema.get("minimum", 0), schema.get("maximum", 100)
            if high - low >= MOST_CHOICES:
                return _("%(low)s to %(high)s") % {"low": word_of(low), "high": word_of(high)}
        return _joined(word_of(value) for value in forms.values(schema, MOST_LISTED))
    pool = schema.get("supply") or schema.get("items", {}).get("enum")
    if not pool:
        return ""
    try:
        items = list(dict.fromkeys(word_of([item]) for item in pool))
    except Refused:
        return ""
    low, high = schema.get("minItems", 0), schema.get("maxItems", len(items))
    if low == high:
        return _("%(count)s of: %(choices)s") % {"count": low, "choices": _joined(items)}
    return _("one or more of: %(choices)s") % {"choices": _joined(items)}


def _joined(words: Iterable[str]) -> str:
    listed = list(dict.fromkeys(word for word in words if word))
    return ", ".join(listed[:MOST_CHOICES]) + (", …" if len(listed) > MOST_CHOICES else "")
