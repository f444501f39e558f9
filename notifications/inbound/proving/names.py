"""DNS queries about one mail. An answer that does not come in time is unknown, and no sign of a forgery.

There is one worker for all mail, so dead name servers of one sender must not delay the mail of others. A mail's first try waits
only briefly for them and is then put behind all new mail (`store.claim`); its second try is patient. A domain that left a patient
query unanswered is not queried again for a while. Where several first tries were left unanswered lately, whatever their domains,
the next ones wait hardly at all: one sender may have many domains, and many addresses of theirs. Then second tries are as brief:
by that time the resolver has the answers that only came late, and their mails need not wait for the patient tries of silent ones.
"""

from __future__ import annotations

import time
from collections import OrderedDict, deque

from dns.exception import Timeout
from dns.resolver import NXDOMAIN, NoAnswer, NoNameservers, resolve

from gamesvc.errors import GamesvcError

# Total seconds for all queries about one mail, at its first try and at a later one, and the limit for one query.
FIRST_SECONDS = 2.0
DNS_SECONDS = 9.0
_ONE_ANSWER = 5.0
# Seconds of a first or second try in place of `FIRST_SECONDS`, if so many of them were left unanswered within this time.
BRIEF_SECONDS = 0.2
MOST_LATELY = 2
LATELY_SECONDS = 60.0
# How long a silent domain is left alone, and how many of them are remembered.
SILENT_SECONDS = 600.0
_MOST_SILENT = 1000
# A key of 8192 bits has 1430 characters. With a longer one a single signature takes the worker minutes.
_LONGEST_KEY = 1500
_silent: OrderedDict[str, float] = OrderedDict()
_unanswered: deque[float] = deque(maxlen=MOST_LATELY)
"""The moments at which the last tries ended that were left unanswered and were not patient."""


class Unanswered(GamesvcError):
    """A query about a mail remains unanswered, which a patient try may still get answered."""


def is_patient(attempts: int) -> bool:
    """Return True if the try of a mail with this number waits for silent name servers as long as any."""
    return attempts > (2 if _many_lately() else 1)


class Names:
    """The queries about one mail. After its time is up, no further one is made. dkimpy's own lookup takes silence for a bad
    signature.
    """

    def __init__(self, *, patient: bool) -> None:
        self._patient = patient
        self._end = time.monotonic() + (DNS_SECONDS if patient else _first_seconds())
        self._open = ""

    def key(self, name: bytes, timeout: float = _ONE_ANSWER) -> bytes | None:
        """Return the text with the key of a signature, for dkimpy; None if there is none, or only one that is too long."""
        return next((text for text in self._texts(name.decode("ascii")) if len(text) <= _LONGEST_KEY), None)

    def policy(self, name: str, qtype: str = "TXT") -> str:
        """Return the one DMARC record of a name, for authheaders; empty if there is none, or more than one."""
        texts = (text.decode("ascii", "replace") for text in self._texts(name))
        records = [text for text in texts if text.startswith("v=DMARC1")]
        return records[0] if len(records) == 1 else ""

    def check_answered(self) -> None:
        """Raise `Unanswered` if a query is unanswered and this try was not patient."""
        if self._open and not self._patient:
            _unanswered.append(time.monotonic())
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
            # Only after its full time: otherwise a mail could use up the time of the next query and have any domain left alone.
            if left == _ONE_ANSWER:
                _remember(domain)
            raise
        return [b"".join(answer.strings) for answer in answers]


def _first_seconds() -> float:
    return BRIEF_SECONDS if _many_lately() else FIRST_SECONDS


def _many_lately() -> bool:
    return len(_unanswered) == MOST_LATELY and _unanswered[0] > time.monotonic() - LATELY_SECONDS


def _domain(name: str) -> str:
    """Return the domain to which the name of a key or policy belongs."""
    return name.rpartition("_domainkey.")[2].removeprefix("_dmarc.").rstrip(".").lower()


def _remember(domain: str) -> None:
    _silent[domain] = time.monotonic() + SILENT_SECONDS
    _silent.move_to_end(domain)
    while len(_silent) > _MOST_SILENT:
        _silent.popitem(last=False)
