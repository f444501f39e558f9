"""The addresses of the service from its URL configuration, for tests that visit all of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from django.urls import URLPattern, URLResolver, get_resolver
from django.urls.resolvers import RoutePattern


@dataclass(frozen=True, slots=True)
class Door:
    """One address: its route, its view, and its parameters with the names of their converters."""

    route: str
    view: Callable[..., Any]
    parameters: Mapping[str, str] = field(default_factory=dict)

    @property
    def methods(self) -> list[str]:
        """Return the methods of an API view; GET and POST for a page."""
        kind = getattr(self.view, "cls", None)
        if kind is None:
            return ["GET", "POST"]
        return [name.upper() for name in ("get", "post", "put", "patch", "delete") if hasattr(kind, name)]

    def path(self, **values: object) -> str:
        """Return the path with a value for each parameter."""
        path = self.route
        for name, kind in self.parameters.items():
            path = path.replace(f"<{kind}:{name}>", str(values[name])).replace(f"<{name}>", str(values[name]))
        return "/" + path


def doors(prefix: str = "") -> list[Door]:
    """Return every address with this prefix that is written as a route, which leaves out regular expressions of libraries."""
    return [door for door in _walk(get_resolver().url_patterns, "", {}) if door.route.startswith(prefix)]


def _walk(patterns: list[Any], before: str, parameters: Mapping[str, str]) -> Iterator[Door]:
    for entry in patterns:
        if not isinstance(entry.pattern, RoutePattern):
            continue
        route = before + str(entry.pattern._route)
        names = {**parameters, **{name: _name(kind) for name, kind in entry.pattern.converters.items()}}
        if isinstance(entry, URLResolver):
            yield from _walk(entry.url_patterns, route, names)
        elif isinstance(entry, URLPattern):
            yield Door(route, entry.callback, names)


def _name(converter: object) -> str:
    return {"String": "str"}.get(name := type(converter).__name__.removesuffix("Converter"), name.lower())
