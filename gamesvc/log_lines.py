"""One log line per event: user text can neither begin a new line nor change the text direction."""

from __future__ import annotations

import logging
import re

# Control characters, line separators, and marks that change the direction of the following text.
_BREAKING = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


class OneLine(logging.Formatter):
    """Formatter that escapes whatever would break the line. Tracebacks stay as they are: their lines follow ours and are
    indented.
    """

    def formatMessage(self, record: logging.LogRecord) -> str:
        return _BREAKING.sub(lambda found: found[0].encode("unicode_escape").decode(), super().formatMessage(record))
