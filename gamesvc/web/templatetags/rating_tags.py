"""Drawings of ratings: a point with its range on a scale, and the course over time. Numbers stand beside them as text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime

from django import template
from django.utils.formats import date_format
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from gamesvc.matches.statistics.leaderboards import Point, Standing

register = template.Library()

LOW, HIGH = 900, 2100
"""The ends of the scale on which ranges are drawn. What lies beyond is drawn at its end."""
WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 700, 240, 74, 660, 16, 200


@register.simple_tag
def range_bar(standing: Standing) -> SafeString:
    """Return a rating as a bar of its range with a mark, as decoration beside the numbers."""
    low, mark, high = (_share(value) for value in (standing.low, standing.points, standing.high))
    return format_html(
        '<svg class="range" viewBox="0 0 100 16" preserveAspectRatio="none" aria-hidden="true">'
        '<path d="M0 8H100" class="s-edge"/>'
        '<path d="M{} 4H{}V12H{}Z" class="f-panel s-ink"/><path d="M{} 0V16" class="s-ink m"/></svg>',
        low, high, low, mark,
    )  # fmt: skip


def _share(value: float) -> str:
    return f"{100 * (min(max(value, LOW), HIGH) - LOW) / (HIGH - LOW):.1f}"


@register.simple_tag
def rating_course(points: Sequence[Point], title: str) -> SafeString:
    """Return a line of at least two ratings over time, the range as a shade."""
    scale = _Scale(points)
    spots = [(scale.x(number), point) for number, point in enumerate(points)]
    upper = [f"{x} {scale.y(point.points + point.spread)}" for x, point in spots]
    lower = [f"{x} {scale.y(point.points - point.spread)}" for x, point in reversed(spots)]
    line = " ".join(f"{x} {scale.y(point.points)}" for x, point in spots)
    first, last = points[0], points[-1]
    label = (
        f"Rating in {title}, {_day(first.at)} to {_day(last.at)}: from {first.points} to {last.points}; "
        f"the range goes from {first.spread} to {last.spread}."
    )
    return format_html(
        '<svg class="chart" viewBox="0 0 {} {}" role="img" aria-label="{}"><path d="M{}Z" class="f-tint"/>{}'
        '<path d="M{}" fill="none" class="s-ink" stroke-width="2.5"/><circle cx="{}" cy="{}" r="5" class="f-ink"/>{}</svg>',
        WIDTH, HEIGHT, label, " ".join([*upper, *lower]), format_html_join("", _GRID, scale.grid()),
        line, spots[-1][0], scale.y(last.points), format_html_join("", _DAY, scale.days()),
    )  # fmt: skip


_GRID = (
    '<path d="M74 {0}H660" class="s-line" stroke-width="1.5"/><text x="66" y="{1}" text-anchor="end" class="f-ink2">{2}</text>'
)
_DAY = '<text x="{}" y="230" text-anchor="{}" class="f-ink2">{}</text>'


class _Scale:
    """The axes of a course: matches from left to right, one step each, and points upwards."""

    def __init__(self, points: Sequence[Point]) -> None:
        self.points = points
        low = min(point.points - point.spread for point in points)
        high = max(point.points + point.spread for point in points)
        self.step = 100 if high - low <= 500 else 200
        self.low = self.step * (low // self.step)
        self.high = max(self.step * -(-high // self.step), self.low + self.step)

    def x(self, number: int) -> int:
        return round(LEFT + (RIGHT - LEFT) * number / (len(self.points) - 1))

    def y(self, value: int) -> int:
        return round(BOTTOM - (BOTTOM - TOP) * (value - self.low) / (self.high - self.low))

    def grid(self) -> Iterator[tuple[int, int, str]]:
        """Yield the lines of the grid: where each is, where its number is, and the number."""
        every = self.step * max(1, -(-(self.high - self.low) // self.step // 4))
        for value in range(self.low, self.high + 1, every):
            yield self.y(value), self.y(value) + 5, str(value)

    def days(self) -> Iterator[tuple[int, str, str]]:
        """Yield the days of the first, the middle and the last match."""
        last = len(self.points) - 1
        yield self.x(0), "start", _day(self.points[0].at)
        if last > 3:
            yield self.x(last // 2), "middle", _day(self.points[last // 2].at)
        yield self.x(last), "end", _day(self.points[last].at)


def _day(moment: datetime) -> str:
    return date_format(moment, "j M Y")
