"""The words that the scripts of pages show, for readers whose language is not English."""

from __future__ import annotations

from gamesvc.language import mark, say

# In the scripts each stands in `tr("...")` (`static/words.js`).
WORDS = (
    mark("Cancel"),
    mark("Cannot be undone alone: chance or a reveal"),
    mark("Choose"),
    mark("Confirm"),
    mark("Facts and hand"),
    mark("How many"),
    mark("If you confirm:"),
    mark("More choices"),
    mark("No connection. The page goes on when it is back."),
    mark("One less"),
    mark("One more"),
    mark("Players"),
    mark("Still sending"),
    mark("The board has changed. Choose again"),
    mark("The browser does not allow notifications from this page."),
    mark("The connection is lost. Try again: nothing happens twice"),
    mark("Use {zone}, the zone of this browser"),
    mark("You can undo it until someone acts"),
    mark("You may no longer follow this match. Load the page again."),
)


def translated() -> dict[str, str]:
    """Return the words in the language of the reader, by their English; none for a reader of English."""
    return {word: there for word in WORDS if (there := say(word)) != word}
