"""Absence: the user's own vacations and quiet hours, and pauses by agreement."""

from __future__ import annotations

from django.utils import timezone
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts import absences
from accounts.models import Absence, User
from gamesvc.api.idempotency import once
from gamesvc.api.v1 import schemas
from gamesvc.api.v1.base import KEY, PRIVATE, PROBLEMS, REFUSALS, View, documented
from gamesvc.json_types import JsonObject
from gamesvc.matches.access.selectors import Access
from gamesvc.matches.errors import Unknown
from gamesvc.matches.models import Match
from gamesvc.matches.timekeeping import pauses, vacations


class Days(schemas.Strict):
    first = serializers.DateField(help_text="The first day away, in your own time zone; today begins at once.")
    last = serializers.DateField(help_text="The last day away.")


class AbsenceShape(schemas.Shape):
    id = serializers.IntegerField()
    first = serializers.DateField()
    last = serializers.DateField()
    starts_at = serializers.DateTimeField()
    ends_at = serializers.DateTimeField()


class Budget(schemas.Shape):
    year = serializers.IntegerField()
    days_left = serializers.IntegerField()


class AbsencesShape(schemas.Shape):
    results = AbsenceShape(many=True)
    budget = Budget(many=True)


@extend_schema_field({"type": "string", "pattern": r"^([01]\d|2[0-3]):[0-5]\d$", "examples": ["22:00"]})
class HourField(serializers.TimeField):
    """A local time of day, such as 22:00. It is not a `time` of JSON Schema, which has seconds and an offset."""

    def __init__(self, *, help_text: str | None = None) -> None:
        super().__init__(format="%H:%M", allow_null=True, help_text=help_text)


class Quiet(schemas.Strict):
    start = HourField(help_text="In your own time zone; null ends them.")
    end = HourField()


class QuietShape(schemas.Shape):
    start = HourField()
    end = HourField()
    zone = serializers.CharField(allow_null=True, help_text="Your time zone as you set them; they stay in it.")


class Wish(schemas.Strict):
    pause = serializers.BooleanField(help_text="True asks for a pause, false to go on.")


class PauseShape(schemas.Shape):
    paused_since = serializers.DateTimeField(allow_null=True)
    paused_by = serializers.ChoiceField(
        ["seats", "host"],
        allow_null=True,
        help_text="`seats`: the players agreed; `host`: the organiser, who alone can resume it while they rule on the match.",
    )
    agreed = serializers.ListField(child=serializers.IntegerField(), help_text="Seats that want it changed.")
    missing = serializers.ListField(child=serializers.IntegerField(), help_text="Seats that have not agreed yet.")
    one_resumes = serializers.BooleanField(
        help_text="True if a player who took a seat after the pause, and never agreed to it, can resume the match alone; "
        f"after {pauses.LONGEST_DAYS} days each player can, and at once if an organiser paused it who no longer rules on it."
    )


class Absences(View):
    made_at = "me/absences/{id}/"

    @documented(responses={200: AbsencesShape, **PROBLEMS}, operation_id="me_absences_list")
    def get(self, request: Request) -> Response:
        """List your present and future vacations, with the days left for this year and the next."""
        return Response(_absences(self.user), headers=PRIVATE)

    @documented(request=Days, responses={201: AbsenceShape, **REFUSALS}, parameters=[KEY], operation_id="me_absences_create")
    def post(self, request: Request) -> Response:
        """Announce a vacation of whole days. Deadlines move in matches that honour vacations; your fellow players see it."""
        body = self.body(Days)

        def effect() -> tuple[int, JsonObject]:
            return 201, _absence(absences.announce(user=self.user, first=body["first"], last=body["last"]))

        answer = once(request, effect)
        if answer.status_code == 201:
            vacations.settle(self.user.pk)
        return answer


class AbsenceDetail(View):
    @documented(responses={200: AbsencesShape, 404: schemas.Problem, **REFUSALS}, operation_id="me_absences_delete")
    def delete(self, request: Request, absence_id: int) -> Response:
        """Cancel a vacation. A running one ends now, and the days begun count as used."""
        found = Absence.objects.filter(user=self.user, pk=absence_id).first()
        if found is None:
            raise Unknown("You have not announced such a vacation.", code="unknown_absence")
        absences.call_off(absence=found)
        vacations.settle(self.user.pk)
        return Response(_absences(self.user), headers=PRIVATE)


class QuietHours(View):
    @documented(responses={200: QuietShape, **PROBLEMS}, operation_id="me_quiet_hours")
    def get(self, request: Request) -> Response:
        """Return your quiet hours: the hours of each day in which your clocks stop, in matches that honour them."""
        return Response(_quiet(self.user), headers=PRIVATE)

    @documented(request=Quiet, responses={200: QuietShape, 422: schemas.Problem, **PROBLEMS}, operation_id="me_quiet_hours_set")
    def put(self, request: Request) -> Response:
        """Set your quiet hours, or end them with null. They apply from the next deadline on, and stay as they are for a week."""
        body = self.body(Quiet)
        absences.set_quiet_hours(user=self.user, start=body["start"], end=body["end"])
        return Response(_quiet(self.user), headers=PRIVATE)


class Pause(View):
    @documented(responses={200: PauseShape, **PROBLEMS}, operation_id="matches_pause")
    def get(self, request: Request, ident: str) -> Response:
        """Return whether the match is paused, which seat paused it, and which seats want that changed."""
        return Response(_pause(self.access(ident)), headers=PRIVATE)

    @documented(request=Wish, responses={200: PauseShape, **REFUSALS}, parameters=[KEY], operation_id="matches_pause_wish")
    def post(self, request: Request, ident: str) -> Response:
        """Vote to pause the match, or to resume it. It happens once all players have voted for it. A request to pause lapses
        after seven days.

        A player who has taken a seat since the players paused the match can resume it alone, and each player once it has lasted
        30 days (`one_resumes`).
        """
        body = self.body(Wish)

        def effect() -> tuple[int, JsonObject]:
            access, seat = self.seated(ident, boards=False)
            pauses.wish(match=access.match, by=self.user, seat=seat, pause=body["pause"])
            return 200, _pause(self.access(ident))

        return once(request, effect)

    @documented(responses={200: PauseShape, **REFUSALS}, operation_id="matches_pause_withdraw")
    def delete(self, request: Request, ident: str) -> Response:
        """Withdraw your vote, before all have voted."""
        access, seat = self.seated(ident, boards=False)
        pauses.withdraw(match=access.match, by=self.user, seat=seat)
        return Response(_pause(access), headers=PRIVATE)


def _absences(user: User) -> JsonObject:
    year = timezone.now().astimezone(user.zone).year
    budget = [{"year": one, "days_left": absences.days_left(user, one)} for one in (year, year + 1)]
    return {"results": [_absence(one) for one in absences.absences_of(user)], "budget": budget}


def _absence(row: Absence) -> JsonObject:
    return {
        "id": row.pk,
        "first": row.first_day.isoformat(),
        "last": row.last_day.isoformat(),
        "starts_at": row.starts_at.isoformat(),
        "ends_at": row.ends_at.isoformat(),
    }


def _quiet(user: User) -> JsonObject:
    found = absences.quiet_hours(user)
    if found is None:
        return {"start": None, "end": None, "zone": None}
    return {"start": f"{found.start:%H:%M}", "end": f"{found.end:%H:%M}", "zone": found.zone}


def _pause(access: Access) -> JsonObject:
    match = Match.objects.get(pk=access.match.pk)
    if access.is_delayed:
        return {"paused_since": None, "paused_by": None, "agreed": [], "missing": [], "one_resumes": False}
    pause, agreed = pauses.pause_of(match), pauses.wishes(match)
    seats = list(match.seats.order_by("index"))
    asked = [seat.index for seat in seats if seat.user_id is not None]
    return {
        "paused_since": match.paused_at.isoformat() if match.paused_at is not None else None,
        "paused_by": pause.by if pause is not None else None,
        "agreed": agreed,
        "missing": [seat for seat in asked if seat not in agreed] if agreed else [],
        "one_resumes": bool(pauses.may_resume_alone(match, seats, pause)),
    }
