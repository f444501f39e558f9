"""Changed copies of frozen dataclasses, for states, which are copied at every event."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dataclasses import replace as replace  # by this name, the type checker compares the changes with the fields
else:

    def replace(value, /, **changes):
        """Return a copy with other values in some fields, as `dataclasses.replace` does, but faster.

        For dataclasses whose fields are all taken by position. Raises TypeError for a name that is no field.
        """
        kind = type(value)
        copy = kind(*[changes.pop(name) if name in changes else getattr(value, name) for name in kind.__match_args__])
        if changes:
            raise TypeError(f"{kind.__name__} has no field {', '.join(changes)}")
        return copy
