"""Serializers of requests and responses: they validate input and define the OpenAPI document."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cached_property
from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from accounts.tokens import SCOPES
from gamesvc.games.kernel.intake import LARGEST
from gamesvc.matches.access import authority
from gamesvc.matches.lobby.opening import USUAL_HOURS
from gamesvc.matches.models import Match
from gamesvc.matches.story.undo_words import CODES


class Shape(serializers.Serializer[Any]):
    # The base of every answer: the view that declares it in `documented` renders its data with it. No docstring: classes without
    # one would inherit it in the OpenAPI document.

    @cached_property
    def _by_name(self) -> dict[str, Any]:
        return {name: field for name, field in self.fields.items() if not field.write_only}

    def to_representation(self, instance: Mapping[str, object]) -> dict[str, object]:
        """Return the documented members of an answer, in its own order. Optional ones may be missing."""
        known = self._by_name
        return {
            name: None if value is None else known[name].to_representation(value)
            for name, value in instance.items()
            if name in known
        }


# The types of JSON that fields take, and how a refusal names them. Django REST framework also takes "yes", 1 and "7".
JSON_TYPES: Mapping[type[serializers.Field[Any, Any, Any, Any]], tuple[type, str]] = {
    serializers.BooleanField: (bool, "true or false"),
    serializers.CharField: (str, "text"),
    serializers.IntegerField: (int, "a whole number"),
}


MOST_ITEMS = 100
"""Most items of a list in a request that has no limit of its own."""
MOST_NAMES = 1_000
"""Most members of an object in a request. Positions have fewer, with hundreds of things in each."""
MOST_UNKNOWN = 10
"""Unknown fields that a refusal names."""


class Strict(Shape):
    # The base of every request: it refuses unknown fields and names the known ones, and takes values of their own type only.

    def to_internal_value(self, data: object) -> Any:
        if isinstance(data, dict):
            known = ", ".join(self.fields)
            whole_ones = {name for name, field in self.fields.items() if isinstance(field, serializers.IntegerField)}
            data = {name: as_whole(value) if name in whole_ones else value for name, value in data.items()}
            faults = {name: [f"Not known here; known: {known}."] for name in sorted(set(data) - set(self.fields))[:MOST_UNKNOWN]}
            faults |= {name: [fault] for name, field in self.fields.items() if (fault := _fault(field, data.get(name)))}
            if faults:
                raise serializers.ValidationError(faults)
        return super().to_internal_value(data)


def as_whole(value: object) -> object:
    """Return a number that is whole in JSON Schema's sense, such as 1.0, as an integer; anything else as it is."""
    return int(value) if isinstance(value, float) and value.is_integer() and abs(value) <= LARGEST else value


def _fault(field: Any, value: object) -> str:
    """Say what a field takes, if this is of another type of JSON, or a text that is too long with the blanks around it."""
    if value is None:
        return ""
    if isinstance(field, serializers.ListField | serializers.DictField):
        items = value if isinstance(value, list) else value.values() if isinstance(value, dict) else ()
        # Before they are looked at: the framework writes a sentence of its own for each at fault.
        most = (getattr(field, "max_length", None) or MOST_ITEMS) if isinstance(value, list) else MOST_NAMES
        if len(items) > most:
            return f"This takes at most {most} items; these are {len(items)}."
        return next((f"Of its items: {fault}" for one in items if (fault := _fault(field.child, one))), "")
    for kind, (wanted, name) in JSON_TYPES.items():
        if isinstance(field, kind) and (not isinstance(value, wanted) or (wanted is int and isinstance(value, bool))):
            return f"This takes {name}."
    if isinstance(field, serializers.CharField) and isinstance(value, str) and len(value) > (field.max_length or len(value)):
        return f"This takes at most {field.max_length} characters; these are {len(value)}, with the blanks around the text."
    return ""


class Reasoned(Strict):
    code = serializers.ChoiceField(list(CODES), help_text="Why, for the record of the match.")
    reason = serializers.CharField(
        max_length=authority.LONGEST_REASON,
        required=False,
        default="",
        help_text="In words; the players read it. Left out by an organiser who is banned from messages, and by nobody else.",
    )


SEAT = "^[0-9]{1,2}$"
"""A seat number as the name of a member."""


@extend_schema_field(
    {"type": "object", "propertyNames": {"pattern": SEAT}, "additionalProperties": {"type": "string", "pattern": r"\S"}}
)
class SeatedBots(serializers.DictField):
    """Bots by the number of their seat."""

    def __init__(self, **more: Any) -> None:
        told = "Seat number to bot name."
        super().__init__(child=serializers.CharField(), required=False, default=dict, help_text=told, **more)

    def to_internal_value(self, data: Any) -> dict[int, str]:
        bots = super().to_internal_value(data)
        if not all(re.fullmatch(SEAT, seat) for seat in bots):
            raise serializers.ValidationError('Keys are seat numbers, like {"1": "greedy"}.')
        return {int(seat): bot for seat, bot in bots.items()}


def hours_to_answer() -> serializers.IntegerField:
    """Return the field for a match without a clock policy of its own."""
    return serializers.IntegerField(required=False, default=USUAL_HOURS, help_text="Hours to answer each question.")


@extend_schema_field({"anyOf": [{"type": "string"}, {"type": "object"}]})
class ClockPolicy(serializers.JSONField):
    """A clock policy, or the name of a preset."""


def clock_policy() -> ClockPolicy:
    """Return the field for the clock of a new match."""
    told = "Instead of `hours`: the name of a preset, or a policy; `/clocks/` describes both."
    return ClockPolicy(required=False, allow_null=True, default=None, help_text=told)


class NewMatch(Strict):
    game = serializers.CharField()
    options = serializers.DictField(required=False, default=dict)
    seats = serializers.IntegerField(required=False, allow_null=True, default=None)
    hours = hours_to_answer()
    clock = clock_policy()
    entry = serializers.ChoiceField(Match.Entry.choices, required=False, default=Match.Entry.PUBLIC)
    watch = serializers.ChoiceField(Match.Watch.choices, required=False, default=Match.Watch.LINK)
    watch_delay = serializers.IntegerField(
        required=False, default=0, help_text="Hours by which spectators see the running match late; after the end, they see all."
    )
    press = serializers.ChoiceField(
        Match.PressKind.choices,
        required=False,
        default=Match.PressKind.PRIVATE,
        help_text="What players may write to each other: nothing, to all only, or to chosen seats as well.",
    )
    undo = serializers.ChoiceField(
        Match.Undo.choices,
        required=False,
        default=Match.Undo.FREE,
        help_text="Undo: free until someone acts or something is revealed, only with consent, or never.",
    )
    anonymous = serializers.BooleanField(
        required=False, default=False, help_text="Anonymous until the end: nobody learns who plays, or who opened the match."
    )
    reliability = serializers.DictField(
        required=False,
        allow_null=True,
        default=None,
        help_text='Player requirements, over the last year: {"finished": least percentage, "timeouts": most}.',
    )
    bots = SeatedBots()
    take_seat = serializers.BooleanField(required=False, default=True)
    contribution = serializers.CharField(required=False, allow_blank=True, default="", max_length=1000)
    position = serializers.DictField(
        required=False,
        allow_null=True,
        default=None,
        help_text="Begin from this whole position instead of the set-up; such a match counts in no statistics.",
    )


class Join(Strict):
    seat = serializers.IntegerField(required=False, allow_null=True, default=None, min_value=0)
    contribution = serializers.CharField(required=False, allow_blank=True, default="", max_length=1000)
    link = serializers.CharField(required=False, allow_blank=True, default="")


class AddBot(Strict):
    seat = serializers.IntegerField(required=False, allow_null=True, default=None, min_value=0)
    bot = serializers.CharField()


class Start(Strict):
    bot = serializers.CharField(required=False, allow_null=True, default=None, help_text="Takes the free seats.")


class Invite(Strict):
    user = serializers.CharField(required=False, allow_blank=True, default="")
    address = serializers.CharField(required=False, allow_blank=True, default="")


class Order(Strict):
    text = serializers.CharField(max_length=1000, help_text="One command in the game's notation.")


class NewToken(Strict):
    name = serializers.CharField(max_length=80)
    scopes = serializers.ListField(child=serializers.ChoiceField(list(SCOPES)), min_length=1, max_length=len(SCOPES))
    expires_at = serializers.DateTimeField(
        required=False, allow_null=True, default=None, help_text="Default: that of the token used; never, in a session."
    )
    password = serializers.CharField(
        required=False,
        allow_null=True,
        default=None,
        trim_whitespace=False,
        max_length=1000,
        help_text="In a session needed for the scopes account and operate, unless you just gave it on a page.",
    )


class Command(Shape):
    """A command: its name and its parameters, as offered by one of the forms."""

    name = serializers.CharField()


class SpanShape(Shape):
    until = serializers.DateTimeField()

    def get_fields(self) -> dict[str, Any]:
        """Add `from`, which is a keyword in Python."""
        return {"from": serializers.DateTimeField(), **super().get_fields()}


class SeatShape(Shape):
    seat = serializers.IntegerField()
    name = serializers.CharField()
    kind = serializers.ChoiceField(["user", "bot", "free"])
    is_bot = serializers.BooleanField(help_text="True for a bot of the game, and for a bot account while names are shown.")
    away_until = serializers.DateTimeField(allow_null=True, help_text="While this player is on vacation.")
    away_next = SpanShape(
        allow_null=True,
        help_text="The next announced vacation. Shown to the other players where vacations stop the clock and names are public.",
    )
    unreachable = serializers.BooleanField(
        required=False, help_text="No mail reaches this player. Only the organiser of a running match sees this."
    )


class Question(Shape):
    seat = serializers.IntegerField()
    id = serializers.CharField()
    prompt = serializers.CharField()
    kind = serializers.CharField()
    due_at = serializers.DateTimeField(
        allow_null=True, help_text="Null while the match is paused, and on an analysis board, which has no deadlines."
    )
    grace_from = serializers.DateTimeField(
        allow_null=True, help_text="From when on an answer is late and counts all the same, until `due_at`."
    )
    stands_until = serializers.DateTimeField(
        required=False,
        allow_null=True,
        help_text="The clock is stopped (a night, a day off, a vacation) and runs again from this moment. Not part of a "
        "view, whose ETag does not change with the hour.",
    )


class Origin(Shape):
    """The origin of a fork. `seat`: what this seat could not see was dealt again; null: the whole position was taken."""

    match = serializers.UUIDField()
    number = serializers.IntegerField(allow_null=True, help_text="Null if you may not see that match.")
    version = serializers.IntegerField()
    seat = serializers.IntegerField(allow_null=True)


class MatchShape(Shape):
    id = serializers.UUIDField()
    number = serializers.IntegerField()
    game = serializers.CharField()
    rules = serializers.CharField()
    title = serializers.CharField()
    kind = serializers.ChoiceField(["match", "board"], help_text="A board is a private analysis board.")
    from_position = serializers.BooleanField(help_text="It began from a position, not from the game's set-up.")
    counted = serializers.BooleanField(help_text="True if it counts in statistics.")
    origin = Origin(allow_null=True)
    status = serializers.ChoiceField(Match.Status.choices)
    options = serializers.DictField()
    hours = serializers.IntegerField(help_text="Roughly, for a turn; what counts is `clock`.")
    clock = serializers.DictField(help_text="The clock policy.")
    pace = serializers.CharField(help_text="The clock policy in a few words.")
    paused_at = serializers.DateTimeField(allow_null=True)
    paused_by = serializers.ChoiceField(
        ["seats", "host"],
        allow_null=True,
        help_text="`seats`: the players agreed; `host`: the organiser, who alone can resume it while they rule on the match.",
    )
    entry = serializers.CharField()
    watch = serializers.CharField()
    watch_delay = serializers.IntegerField()
    press = serializers.CharField()
    anonymous = serializers.BooleanField()
    undo = serializers.CharField()
    reliability = serializers.DictField(allow_null=True)
    host = serializers.CharField(allow_null=True)
    seats = SeatShape(many=True)
    your_seat = serializers.IntegerField(allow_null=True)
    commitment = serializers.CharField()
    link = serializers.CharField(
        allow_null=True,
        help_text="Lets others in: send it as `link` to look or to join. Only the host and the players see it.",
    )
    awaited = Question(many=True)
    outcome = serializers.DictField(allow_null=True)
    created_at = serializers.DateTimeField()
    started_at = serializers.DateTimeField(allow_null=True)
    ended_at = serializers.DateTimeField(allow_null=True)


class MatchPage(Shape):
    results = MatchShape(many=True)
    next = serializers.CharField(allow_null=True)


class View(Shape):
    match = serializers.UUIDField()
    version = serializers.IntegerField()
    seat = serializers.IntegerField(allow_null=True)
    status = serializers.CharField()
    view = serializers.DictField(allow_null=True)
    awaited = Question(many=True)
    outcome = serializers.DictField(allow_null=True)


class Change(Shape):
    op = serializers.ChoiceField(["add", "remove", "replace"])
    path = serializers.CharField(help_text="A JSON pointer into the view.")
    before = serializers.JSONField()
    after = serializers.JSONField()


class Step(Shape):
    match = serializers.UUIDField()
    seat = serializers.IntegerField(allow_null=True)
    words = serializers.ListField(child=serializers.CharField())
    changes = Change(many=True)

    def get_fields(self) -> dict[str, Any]:
        """Add `from`, which is a keyword in Python, and `to`."""
        return {**super().get_fields(), "from": serializers.IntegerField(), "to": serializers.IntegerField()}


class FormShape(Shape):
    name = serializers.CharField()
    label = serializers.CharField()  # type: ignore[assignment]
    verb = serializers.CharField(help_text="The act in a few words, for a button.")
    weight = serializers.ChoiceField(["main", "end", "danger", "settings"], help_text="`end`: it ends a turn or a phase.")
    aside = serializers.BooleanField(help_text="It does not move the match on.")
    parameters = serializers.DictField(help_text="JSON Schema; `at` names the targets of the picture that values stand for.")


class Forms(Shape):
    match = serializers.UUIDField()
    version = serializers.IntegerField()
    forms = FormShape(many=True)
    help = serializers.CharField()


class EventShape(Shape):
    """An event as you may see it: whole, redacted (`redacted` is true), or sealed (digest and hash only)."""

    match = serializers.UUIDField()
    version = serializers.IntegerField()
    type = serializers.CharField(required=False)
    type_version = serializers.IntegerField(required=False)
    data = serializers.DictField(required=False)  # type: ignore[assignment]
    meta = serializers.DictField(required=False)
    occurred_at = serializers.DateTimeField(required=False)
    salt = serializers.CharField(required=False)
    digest = serializers.CharField()
    hash = serializers.CharField()
    redacted = serializers.BooleanField(required=False)


class Events(Shape):
    events = EventShape(many=True)
    version = serializers.IntegerField()
    next = serializers.CharField(allow_null=True)


class Receipt(Shape):
    match = serializers.UUIDField()
    version = serializers.IntegerField()
    events = EventShape(many=True)
    awaited = serializers.BooleanField(help_text="The match waits for you again, at the moment of this answer.")
    etag = serializers.CharField(help_text="Send it as If-Match with your next command: that of the forms, where they are here.")
    forms = FormShape(many=True, required=False, help_text="With `?forms=true`: what you can do next, as in `forms/`.")


class Turn(Shape):
    """A decision that waits for you. Send the ETag as If-Match with your command."""

    match = serializers.UUIDField()
    number = serializers.IntegerField()
    game = serializers.CharField()
    version = serializers.IntegerField()
    etag = serializers.CharField()
    seat = serializers.IntegerField()
    id = serializers.CharField()
    prompt = serializers.CharField()
    kind = serializers.CharField()
    due_at = serializers.DateTimeField(allow_null=True, help_text="Null while the match is paused.")
    grace_from = serializers.DateTimeField(
        allow_null=True, help_text="From when on an answer is late and counts all the same, until `due_at`."
    )
    forms = FormShape(many=True, required=False, help_text="With `?forms=true`: what you can do, as in `forms/`.")


class TurnPage(Shape):
    results = Turn(many=True)
    next = serializers.CharField(allow_null=True, help_text="The `cursor` of the next page.")


class Game(Shape):
    id = serializers.CharField()
    title = serializers.CharField()
    designer = serializers.CharField()
    credit = serializers.CharField()
    rules_link = serializers.CharField()
    rules = serializers.CharField()
    summary = serializers.CharField()
    seats = serializers.DictField()
    bots = serializers.ListField(child=serializers.CharField())


class GameDetail(Game):
    schema = serializers.DictField()
    order_help = serializers.CharField()
    rules_help = serializers.CharField()


class Token(Shape):
    id = serializers.CharField()
    name = serializers.CharField()
    scopes = serializers.ListField(child=serializers.CharField())
    created_at = serializers.DateTimeField()
    last_used_at = serializers.DateTimeField(allow_null=True)
    expires_at = serializers.DateTimeField(allow_null=True)
    made_with = serializers.CharField(
        allow_null=True, help_text="The token that made this one, which expires and is revoked with it; null: your account page."
    )


class TokenOnce(Token):
    token = serializers.CharField(help_text="Shown this once.")


class Invitation(Shape):
    id = serializers.CharField()
    link = serializers.CharField()


class Problem(Shape):
    """Problem details (RFC 9457)."""

    type = serializers.CharField()
    title = serializers.CharField()
    status = serializers.IntegerField()
    detail = serializers.CharField()
    code = serializers.CharField()
    instance = serializers.CharField(required=False)
