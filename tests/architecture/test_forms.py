"""Pages read what is posted to them through forms alone, so that every field is checked in one way."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tests.architecture.test_layout import ROOT, tracked

READERS = {
    "gamesvc/border.py": "looks for forbidden text in all fields, whatever they mean",
    "gamesvc/web/account/apps.py": "hands all fields to oauthlib, which refuses those that come twice",
    "gamesvc/web/common/once.py": "takes a fingerprint of all fields",
    "gamesvc/web/common/posted.py": "reads commands and options, whose fields follow from the schema of a game",
}
"""The modules that read posted fields without a form, and why."""

BODIES = {"gamesvc/border.py": "reads the body before anything else looks at the request"}


def readings(source: str, attribute: str) -> Iterator[int]:
    """Yield the lines that use an attribute of a request other than to hand it whole to a form."""
    tree = ast.parse(source)
    handed = {id(part) for node in ast.walk(tree) if isinstance(node, ast.Call) and _makes_form(node) for part in _whole(node)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and node.attr == attribute and id(node) not in handed and _is_request(node.value):
            yield node.lineno


def _makes_form(call: ast.Call) -> bool:
    return (name := ast.unparse(call.func)).endswith("Form") or name == "cls"


def _whole(call: ast.Call) -> Iterator[ast.expr]:
    """Yield the first argument of a call, and its branches if it is a choice."""
    for argument in call.args[:1]:
        if isinstance(argument, ast.IfExp):
            yield from (argument.body, argument.orelse)
        elif isinstance(argument, ast.BoolOp):
            yield from argument.values
        else:
            yield argument


def _is_request(node: ast.expr) -> bool:
    return ast.unparse(node).endswith(("request", "_request"))


def offenders(attribute: str) -> set[str]:
    shipped = [path for path in tracked() if path.endswith(".py") and not path.startswith(("tests/", "gamesvc/ops/"))]
    assert len(shipped) > 400
    return {path for path in shipped for _ in readings((ROOT / path).read_text(encoding="utf-8"), attribute)}


def test_no_view_reads_a_posted_field_without_a_form() -> None:
    assert offenders("POST") == set(READERS)


def test_no_view_reads_the_body_of_a_request() -> None:
    assert offenders("body") == set(BODIES)


def test_each_way_around_a_form_is_noticed() -> None:
    around = [
        'request.POST["act"]',
        'request.POST.get("act")',
        "posted = request.POST",
        "for name in request.POST: pass",
        "read(request.POST)",
        'SomeForm(request.POST["act"])',
        "self.request.POST.lists()",
    ]
    assert [code for code in around if not list(readings(code, "POST"))] == []
    through = ["SomeForm(request.POST)", "SomeForm(request.POST or None, user=user)", "forms.SomeForm.read(request)"]
    assert [code for code in through if list(readings(code, "POST"))] == []
