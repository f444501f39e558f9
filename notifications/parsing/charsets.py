"""Names of charsets in mails. A mail may name a thousand that do not exist."""

from __future__ import annotations

import codecs
import encodings

_LONGEST_NAME = 100


def forget_unknown() -> None:
    """Have Python look names of charsets up without keeping those that it does not know.

    `encodings` remembers each name it was ever asked for: with mails that make names up, a worker's memory would only grow.
    """
    codecs.unregister(encodings.search_function)
    codecs.unregister(_search)
    codecs.register(_search)


def _search(name: str) -> codecs.CodecInfo | None:
    found = encodings.search_function(name) if len(name) <= _LONGEST_NAME else None
    if found is None:
        known: dict[str, object] = vars(encodings).get("_cache", {})
        known.pop(name, None)
    return found
