"""Fields that forms of several rooms have: the version that a page showed, a seat."""

from __future__ import annotations

from gamesvc.forms import PostedForm, WholeField
from gamesvc.language import mark


class VersionField(WholeField):
    """The version that the page showed."""

    def __init__(self) -> None:
        super().__init__(mark("The page did not say which version it showed. Load it again."), required=True)


class SeatField(WholeField):
    """One of the seats on the page; None if it is left out."""

    def __init__(self) -> None:
        super().__init__(mark("Choose one of the seats on the page."), high=99)


class VersionForm(PostedForm):
    """A form that cannot do without the version that the page showed."""

    _version = VersionField()
