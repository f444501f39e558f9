"""The sentences of engines and refusals in the language of their reader.

A sentence is written in English, with named places for its values: `say("You have no unit at {space}.", space=space)`. Where
nothing else is asked for, that is what comes out; so events, records, exports and the API stay English. A service that knows its
readers says once where their language is to be found (`follow`). `manage.py translations` keeps the translations, which are in
`gamesvc/locale/*/LC_MESSAGES/sentences.po`. Names of cards, units and abilities, and the words of orders, are the same in all
languages. Standard library only, because engines stand on it.
"""

from __future__ import annotations

import functools
import gettext
from collections.abc import Callable
from pathlib import Path

LOCALE = Path(__file__).parents[1] / "locale"
DOMAIN = "sentences"


def _nobody() -> str | None:
    """Ask for no language: English."""
    return None


_asked: Callable[[], str | None] = _nobody


class Said(str):
    """A translated sentence that remembers its English: what people read differs, what is stored does not."""

    english: str


def follow(asked: Callable[[], str | None]) -> None:
    """From now on, speak the language that `asked` returns for the reader of the moment; English for None."""
    global _asked
    _asked = asked


def english(text: str) -> str:
    """Return the text as it is stored: the English of a sentence, and any other text unchanged."""
    return text.english if isinstance(text, Said) else text


def say(message: str, context: str = "", /, **values: object) -> str:
    """Return a sentence with its values. `context` tells apart what is the same in English alone."""
    translations = _translations() if message else None  # the empty message is the head of a catalogue
    if translations is None:
        return message.format(**values) if values else message
    found = translations.pgettext(context, message) if context else translations.gettext(message)
    return _said(found, message, values)


def say_many(one: str, many: str, number: int, /, **values: object) -> str:
    """Return the sentence for one or for many; `{number}` stands for the number."""
    message, values = one if number == 1 else many, {"number": number, **values}
    translations = _translations()
    if translations is None:
        return message.format(**values)
    return _said(translations.ngettext(one, many, number), message, values)


def again_in(seconds: int) -> str:
    """Return in a sentence when to try again."""
    minutes, hours = -(-seconds // 60), -(-seconds // 3600)
    if seconds < 120:
        time = say_many("{number} second", "{number} seconds", seconds)
    elif seconds <= 7200:
        time = say_many("{number} minute", "{number} minutes", minutes)
    else:
        time = say_many("{number} hour", "{number} hours", hours)
    return say("Try again in {time}.", time=time)


def joined(*texts: str, between: str = " ") -> str:
    """Return texts one behind the other. Unlike a format, it keeps the English of translated ones."""
    if not any(isinstance(text, Said) for text in texts):
        return between.join(texts)
    said = Said(between.join(texts))
    said.english = between.join(map(english, texts))
    return said


def shortened(text: str, most: int) -> str:
    """Return a text of at most so many characters, and with it its English. A longer one ends with three dots."""
    if len(text) <= most and len(english(text)) <= most:
        return text
    said = Said(_cut(text, most))
    said.english = _cut(english(text), most)
    return said


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 3]}..."


def mark(message: str) -> str:
    """Mark a text of a table for translation. `say` translates it where it is used."""
    return message


def _said(found: str, message: str, values: dict[str, object]) -> Said:
    said = Said(found.format(**values) if values else found)
    plain = {name: english(value) if isinstance(value, str) else value for name, value in values.items()}
    said.english = message.format(**plain) if plain else message
    return said


def _translations() -> gettext.NullTranslations | None:
    asked = _asked()
    return None if asked is None or asked == "en" else _catalogue(asked, LOCALE)


@functools.cache
def _catalogue(language: str, folder: Path) -> gettext.NullTranslations | None:
    """Return the translations of a language; None for one that has none, which is English here."""
    path = folder / language / "LC_MESSAGES" / f"{DOMAIN}.mo"
    if not path.exists():
        return None
    with path.open("rb") as file:
        return gettext.GNUTranslations(file)
