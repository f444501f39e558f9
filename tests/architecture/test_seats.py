"""A seat gets a user only behind `tenures.check_seat`, which knows what they have seen of the match."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from tests.architecture.test_layout import ROOT, tracked

MAY_WRITE = re.compile(r"\.(user|user_id|holder)\b[^=\n]*=[^=]|\bSeat\(|seats\.update")
"""Where a look is worth it: parsing all sources takes long."""
CHECK = "tenures.check_seat"
HELD = ("user", "user_id", "holder")
OTHERS = {
    ("gamesvc/matches/lobby/invitations.py", "accept_invitation"): "the user of an invitation, not of a seat",
    ("gamesvc/matches/lobby/opening.py", "_take_all"): "the seats of an analysis board have no user",
    ("gamesvc/matches/lobby/opening.py", "_seat_bot"): "a bot of the service, which nobody owns",
    ("gamesvc/matches/lobby/opening.py", "_vacate"): "empties a seat",
    ("gamesvc/matches/lobby/substitutes.py", "seat_bot"): "a bot of the service, which nobody owns",
    ("gamesvc/matches/mail_orders/held_orders.py", "seated"): "reads rows",
    ("gamesvc/matches/record/rows/projections.py", "_mend_seats"): "what the events say, in a rebuild",
    ("gamesvc/matches/timekeeping/timeouts.py", "empty"): "empties a seat",
    ("gamesvc/matches/timekeeping/timeouts.py", "_hand_over"): "a bot of the service, which nobody owns",
}
"""Functions that write a holder or user without the check, and why."""


def fillings(source: str) -> Iterator[tuple[str, bool]]:
    """Yield each function that writes the user or holder of something, and True if it has made the check before."""
    if not MAY_WRITE.search(source):
        return
    for function in ast.walk(ast.parse(source)):
        if not isinstance(function, ast.FunctionDef):
            continue
        lines = [node.lineno for node in ast.walk(function) if _writes(node)]
        checks = [node.lineno for node in ast.walk(function) if isinstance(node, ast.Call) and ast.unparse(node.func) == CHECK]
        if lines:
            yield function.name, bool(checks) and min(checks) < min(lines)


def _writes(node: ast.AST) -> bool:
    if isinstance(node, ast.Assign):
        targets = [part for target in node.targets for part in ast.walk(target)]
        written = [part for part in targets if isinstance(part, ast.Attribute) and isinstance(part.ctx, ast.Store)]
        return any(part.attr in HELD and ast.unparse(part.value) != "self" for part in written)
    if isinstance(node, ast.Call):
        written = any(word.arg in HELD for word in node.keywords)
        return written and (ast.unparse(node.func) == "Seat" or ast.unparse(node.func).endswith("seats.update"))
    return False


def test_a_seat_gets_a_user_only_behind_the_check_of_their_past() -> None:
    ours = [path for path in tracked() if path.startswith("gamesvc/") and path.endswith(".py") and "/ops/" not in path]
    found = [(path, *one) for path in ours for one in fillings((ROOT / path).read_text(encoding="utf-8"))]
    assert {(path, name) for path, name, checked in found if not checked} == set(OTHERS)
    assert {path for path, _name, checked in found if checked} == {
        "gamesvc/matches/lobby/opening.py",
        "gamesvc/matches/lobby/substitutes.py",
    }


def test_each_way_to_fill_a_seat_is_noticed() -> None:
    ways = ["seat.user = user", "seat.bot, seat.user_id = '', 3", "match.seats.update(user=user)", "Seat(match=match, user=user)"]
    for way in ways:
        assert [*fillings(f"def take(seat, user):\n    {way}\n")] == [("take", False)], way
        assert [*fillings(f"def take(seat, user):\n    {way}\n    {CHECK}(by=user)\n")] == [("take", False)], way
        assert [*fillings(f"def take(seat, user):\n    {CHECK}(by=user)\n    {way}\n")] == [("take", True)], way
