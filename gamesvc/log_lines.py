"""One log line per event: user text can neither begin a new line, change the text direction, nor fill the disk."""

from __future__ import annotations

import logging
import re
import threading
import time

LONGEST = 1_000
"""Most characters of a message. An address may have 65,000, and each request to one that does not exist is a line."""
LONGEST_TRACEBACK = 20_000
MOST_REFUSED = 100
"""Lines about what is refused that a process writes in a minute: anyone may send very much."""
MINUTE = 60.0

# Control characters, line separators, and marks that change the direction of the following text.
_BREAKING = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


class OneLine(logging.Formatter):
    """Formatter that escapes whatever would break the line, and cuts what is long. The lines of tracebacks stay as they are: they
    follow ours and are indented.
    """

    def formatMessage(self, record: logging.LogRecord) -> str:
        record.message = _cut(record.message, LONGEST)
        return _BREAKING.sub(lambda found: found[0].encode("unicode_escape").decode(), super().formatMessage(record))

    def formatException(self, ei: object) -> str:
        return _cut(super().formatException(ei), LONGEST_TRACEBACK)  # type: ignore[arg-type]


def _cut(text: str, most: int) -> str:
    """Return a text without its middle if it is too long."""
    half = most // 2
    return text if len(text) <= most else f"{text[:half]} … {text[-half:]}"


class FewRefusals(logging.Filter):
    """Logging filter: of the lines about what was refused to its sender, lets a few a minute through.

    They are those with a status of HTTP or SMTP from 400 to 499, or with 503, as their records tell.
    """

    def __init__(self) -> None:
        super().__init__()
        self._lock = threading.Lock()
        self._since, self._count = -MINUTE, 0

    def filter(self, record: logging.LogRecord) -> bool:
        status = getattr(record, "status_code", 0)
        if not (400 <= status < 500 or status == 503):
            return True
        with self._lock:
            now = time.monotonic()
            if now - self._since >= MINUTE:
                self._since, self._count = now, 0
            self._count += 1
            count = self._count
        if count == MOST_REFUSED:
            record.msg, record.args = "%s More refused requests are not logged within this minute.", (record.getMessage(),)
        return count <= MOST_REFUSED
