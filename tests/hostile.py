"""Hostile text, for tests that put it into every field of every input."""

from __future__ import annotations

from typing import Any

UNTAKEN = {"nul": "a\x00b", "nul alone": "\x00", "high surrogate": "a\ud800b", "low surrogate": "\udfff"}
"""Texts that are refused everywhere."""

TEXTS = {
    **UNTAKEN,
    "bidi": "\u202egnp.exe\u2066\u2069",
    "zero width": "a\u200b\u200d\ufeff\u00adb",
    "combining": "e" + "\u0301" * 400,
    "right to left": "שלום عالم",
    "unassigned": "\u0378\U000e0fff",
    "no characters": "\ufffe\uffff\U0010ffff",
    "lines": "a\nb\r\nc\u2028d\u2029e\u0085f\x0bg\x0ch",
    "controls": "\x01\x07\x08\x1b[31m\x7f\x9f",
    "long": "x" * 20_000,
    "markup": "<script>alert(1)</script>&\"'`]]>--><!--</textarea>",
    "formats": "%s %(name)s %n {} {0} {name} ${x} {{ 7 }} {% now %}",
    "expressions": "\\1 \\g<0> (?P<a>.*) [ ( * + ? $",
    "sql": "' OR 1=1; -- % _ \\",
    "paths": "../../etc/passwd?a=b#c%2f%00",
    "digits": "²٣９",
    "many digits": "9" * 5000,
    "large number": "99999999999999999999",
    "negative number": "-1",
    "header": "x\r\nBcc: all@players.example",
}

VALUES: dict[str, Any] = {
    **TEXTS,
    "integer over 2^53": 2**53,
    "integer over 2^63": 2**63,
    "integer of 60 digits": 10**60,
    "fraction": 1.5,
    "whole fraction": 1.0,
    "tiny": 1e-300,
    "true": True,
    "null": None,
    "empty list": [],
    "empty object": {},
    "nul as name": {"a\x00b": 1},
    "long name": {"n" * 300: 1},
    "nul deep inside": [{"a": ["b", {"c": "\x00"}]}],
}


def nested(depth: int) -> Any:
    """Return nested lists."""
    value: Any = []
    for _ in range(depth):
        value = [value]
    return value


VALUES["deep"] = nested(600)
