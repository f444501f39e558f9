"""The store of sessions: Django's table, with a limit on the length of each.

What waits in a session until its user does something else is written by others, such as django-allauth: a whole form until they
have given their password, or messages that nobody reads. One form has up to four megabytes, and a session lasts two weeks.
"""

from __future__ import annotations

from typing import Any

from django.contrib.sessions.backends import db

LONGEST = 4096
"""Characters of a session as it is stored."""


class SessionStore(db.SessionStore):
    """A session that leaves out what is too long for it, the longest first. Who is signed in is shorter than all of that."""

    def encode(self, session_dict: dict[str, Any]) -> str:
        """Return the session as it is stored."""
        written, kept = str(super().encode(session_dict)), dict(session_dict)
        while len(written) > LONGEST and kept:
            del kept[max(kept, key=lambda name: len(super(SessionStore, self).encode({name: kept[name]})))]
            written = str(super().encode(kept))
        return written
