"""The one base of all our errors, and what each says of itself: code, HTTP status, title, sentence, advice, field at fault.

Every door reads these: the API's problem details, the message of a page, the line of a mail, the page behind a problem's
address (`/problems/CODE`). An error is declared beside what raises it; here are the base and what several doors share. Of a
`Refusal` each instance has a code of its own: `refusal_codes` says what these mean. Standard library only, because engines,
`accounts`, `events` and `notifications` stand on it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple, TypeVar

from gamesvc.json_types import JsonMapping
from gamesvc.language import english, shortened


class Meaning(NamedTuple):
    """A code in the words of its page: the title, what it means in general, what to do."""

    title: str
    detail: str
    advice: str


class GamesvcError(Exception):
    """An error of ours. Each attribute holds for the whole class until an instance says more.

    A class that declares no code is seen by nobody but us and by operators, who read its sentence in a log or from a command.
    It shares `fault` and the status 500: that is what a door answers if one ever gets there.
    """

    code = "fault"
    status = 500
    title = "Something broke here"
    detail = "The fault is ours and has been noted. Sent again with the same Idempotency-Key the request counts once."
    advice = "Send it again unchanged: with the same Idempotency-Key it counts once."
    parameter: str | None = None
    """The field at fault, with dots between the names that lead there."""
    retry_after: int | None = None
    """After so many seconds the same may be tried again."""
    more: JsonMapping = {}
    """Members that programs get beside the sentence."""

    def __init__(self, detail: str = "", *, code: str = "", more: JsonMapping | None = None) -> None:
        self._sentence = detail
        self.detail = english(detail) or self.detail
        self.code = code or self.code
        self.more = more if more is not None else self.more
        super().__init__(self.detail)

    @property
    def sentence(self) -> str:
        """The text that users read on a page or in a mail, in their language. `detail` is the same in English, and is stored."""
        return self._sentence or self.detail

    @classmethod
    def meaning(cls) -> Meaning:
        return Meaning(cls.title, cls.detail, cls.advice)

    @classmethod
    def kinds(cls) -> Iterator[type[GamesvcError]]:
        """This class and all that derive from it, as far as they are loaded."""
        yield cls
        for kind in cls.__subclasses__():
            yield from kind.kinds()


class Refusal(GamesvcError):
    """Something asked for that cannot be: a code for each reason, a sentence that says what would be right, the field."""

    code = "refused"
    status = 422
    title = "The rules do not allow this"
    detail = "The code comes from the game that is played. Nothing was changed."
    advice = (
        "The sentence in `detail` says what is wrong and what would be right; `parameter` names the value at fault. What is "
        "possible now is in the forms of the match (`GET /api/v1/matches/NUMBER/forms/`), and the rules of the game are on its "
        "page."
    )

    LONGEST = 4000
    """The longest sentence. It may quote what was sent, which may be a whole request; and it is stored, to be given again."""

    def __init__(self, code: str = "", detail: str = "", parameter: str | None = None) -> None:
        super().__init__(shortened(detail, self.LONGEST), code=code)
        self.parameter = parameter if parameter is not None else self.parameter


R = TypeVar("R", bound=Refusal)


def not_there(refused: R) -> R:
    """Return a refusal of what an address names and is not there: 404 for programs, in its own words for everybody."""
    refused.status, refused.title = 404, "Not found"
    return refused


class TooMany(GamesvcError):
    """A limit is reached; `retry_after` says when the next try may succeed."""

    code = "too_many"
    status = 429
    title = "Too many requests"
    detail = "You have reached a limit."
    advice = "Wait for the seconds that the header Retry-After names."

    def __init__(self, detail: str = "", retry_after: int | None = None) -> None:
        super().__init__(detail)
        self.retry_after = retry_after
