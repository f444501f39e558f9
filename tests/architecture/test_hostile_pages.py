"""Hostile text in the address and fields of every page is never a fault of ours.

The pages come from the URL configuration, the fields of their addresses from the names that their modules read. New pages are
tested automatically. Posted fields, which forms read, meet hostile text in `test_hostile_fields`.
"""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Callable
from typing import Any
from urllib.parse import urlencode

import pytest

from tests.architecture.hostile_pages import PAGES, SENT, address, reader, send, world  # noqa: F401
from tests.hostile import UNTAKEN

pytestmark = [pytest.mark.django_db, pytest.mark.long]
NAMED = re.compile(r"""(?:POST|GET|posted)\.get(?:list)?\(\s*f?"(\w+)"|_(?:number|version|text)\(request, "(\w+)\"""")
READ_BY_ALL = ("_link", "_as", "_once", "_form", "_version")


def names_read(view: Callable[..., Any]) -> set[str]:
    """Return the fields that the module of a view reads."""
    source = inspect.getsource(sys.modules[inspect.unwrap(view).__module__])
    return {name for found in NAMED.findall(source) for name in found if name}


@pytest.mark.parametrize(("path", "view"), PAGES, ids=[path or "home" for path, _ in PAGES])
def test_no_text_in_an_address_or_a_field_is_a_fault_of_ours(reader, path, view):  # noqa: F811
    client, values, _matches = reader
    ours = inspect.unwrap(view).__module__.startswith(("gamesvc.", "notifications.", "accounts."))
    names = sorted(names_read(view)) if ours else []
    here = address(path, values)
    for label, text in SENT.items():
        if "<" in path or "(?P" in path:
            answer = send(client, "get", address(path, values, text))
            assert answer.status_code in (400, 404) if label in UNTAKEN else True, (path, label)
        answer = send(client, "get", f"{here}?{urlencode(dict.fromkeys([*names, 'page', 'link', 'as', 'next'], text))}")
        if label in UNTAKEN:
            assert answer.status_code == 400, path
        if ours:
            answer = send(client, "post", here, dict.fromkeys([*names, *READ_BY_ALL], text))
            if label in UNTAKEN:
                assert answer.status_code in (400, 405), path
