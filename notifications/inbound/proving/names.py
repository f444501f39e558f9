"""The name servers, asked about one mail: what they do not answer in time is unknown, and no forgery.

There is one worker for all mail, so dead name servers of one sender must not delay the mail of others. A mail's first try waits
for them for a moment only and is then put behind all fresh mail (`store.claim`); its second try is patient. A domain that
left a patient question unanswered is not asked again for a while.
"""

from __future__ import annotations

import time
from collections import OrderedDict

from dns.exception import Timeout
from dns.resolver import NXDOMAIN, NoAnswer, NoNameservers, resolve

# All questions about one mail last so long together: at its first try, and at a later one. One of them lasts at most so long.
FIRST_SECONDS = 2.0
DNS_SECONDS = 15.0
_ONE_ANSWER = 5.0
# A silent domain is left alone for so long, and so many of them are remembered.
SILENT_SECONDS = 600.0
_MOST_SILENT = 1000
_silent: OrderedDict[str, float] = OrderedDict()


class Unanswered(Exception):
    """Name servers left a question about a mail open that a patient look may yet answer."""


class Names:
    """The questions about one mail: when its time is over, no further one is asked. dkimpy's own lookup takes silence for a
    bad signature."""

    def __init__(self, *, patient: bool) -> None:
        self._patient = patient
        self._end = time.monotonic() + (DNS_SECONDS if patient else FIRST_SECONDS)
        self._open = ""

    def key(self, name: bytes, timeout: float = _ONE_ANSWER) -> bytes | None:
        """Return the text that holds the key of a signature, as dkimpy asks for it; None if there is none."""
        return next(iter(self._texts(name.decode("ascii"))), None)

    def policy(self, name: str, qtype: str = "TXT") -> str:
        """Return the one DMARC record of a name, as authheaders asks for it; empty if there is none, or more than one."""
        texts = (text.decode("ascii", "replace") for text in self._texts(name))
        records = [text for text in texts if text.startswith("v=DMARC1")]
        return records[0] if len(records) == 1 else ""

    def check_answered(self) -> None:
        """Raise `Unanswered` if a question is open and this look was not patient."""
        if self._open and not self._patient:
            raise Unanswered(f"the name servers of {self._open} did not answer in time")

    def _texts(self, name: str) -> list[bytes]:
        domain = _domain(name)
        now = time.monotonic()
        left = min(self._end - now, _ONE_ANSWER)
        if left <= 0 or _silent.get(domain, 0.0) > now:
            self._open = domain
            raise Timeout
        try:
            answers = resolve(name, "TXT", lifetime=left, search=False)
        except (NXDOMAIN, NoAnswer):
            return []
        except (Timeout, NoNameservers):
            self._open = domain
            # Only after its full time: else a mail could use up the time of the next question and have any domain left alone.
            if left == _ONE_ANSWER:
                _remember(domain)
            raise
        return [b"".join(answer.strings) for answer in answers]


def _domain(name: str) -> str:
    """Return the domain that a name of a key or of a policy belongs to."""
    return name.rpartition("_domainkey.")[2].removeprefix("_dmarc.").rstrip(".").lower()


def _remember(domain: str) -> None:
    _silent[domain] = time.monotonic() + SILENT_SECONDS
    _silent.move_to_end(domain)
    while len(_silent) > _MOST_SILENT:
        _silent.popitem(last=False)
