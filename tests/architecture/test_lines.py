"""One function divides the text of mails into lines, by the line ends at which mail programs put their marks of quotes."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).parents[2]
FOLDERS = ("notifications/parsing", "notifications/inbound", "gamesvc/matches/mail_orders")
DIVIDES = ROOT / "notifications/parsing/lines.py"


def test_what_reads_mail_divides_it_in_one_way():
    found = [path for folder in FOLDERS for path in (ROOT / folder).rglob("*.py") if ".splitlines(" in path.read_text()]
    assert found == [DIVIDES]
