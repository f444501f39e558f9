"""The report of a simulation: figures by section, and violations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from gamesvc.json_types import JsonObject

Lines = JsonObject


@dataclass
class Report:
    """Figures by section, and violations."""

    sections: dict[str, Lines] = field(default_factory=dict)
    wrong: list[str] = field(default_factory=list)

    @classmethod
    def from_json(cls, told: JsonObject) -> Report:
        """Return the report that `as_json` wrote."""
        return cls({title: section for title, section in told.items() if title != "wrong"}, list(told["wrong"]))

    def add(self, other: Report) -> None:
        """Append the sections and the violations of another report."""
        self.sections |= other.sections
        self.wrong += other.wrong

    def as_json(self) -> JsonObject:
        return {**self.sections, "wrong": self.wrong}

    def as_text(self) -> str:
        lines = []
        for title, section in self.sections.items():
            lines += [title, *(f"  {name:58} {_figure(value)}" for name, value in section.items()), ""]
        lines += ["What must not be", *(f"  {finding}" for finding in self.wrong or ["none of it was found"])]
        return "\n".join(lines)

    def must_be_none(self, section: str, what: str, found: Sequence[object]) -> None:
        """Count violations, and name the first of them."""
        self.sections[section][what] = len(found)
        if found:
            self.wrong.append(f"{section.lower()}: {len(found)} {what}, the first: {found[0]}")


def _figure(value: object) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{name} {count}" for name, count in sorted(value.items(), key=lambda pair: -pair[1])) or "none"
    return f"{value:,}" if isinstance(value, int) else str(value)
