"""One event, one line: what people wrote cannot begin a line of the log, nor turn its direction."""

from __future__ import annotations

import logging
import re

# Control characters, separators of lines, and marks that turn the direction of what follows.
_BREAKING = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


class OneLine(logging.Formatter):
    """Write what would break the line as an escape. A traceback stays as it is: its lines follow ours, and are indented."""

    def formatMessage(self, record: logging.LogRecord) -> str:
        return _BREAKING.sub(lambda found: found[0].encode("unicode_escape").decode(), super().formatMessage(record))
