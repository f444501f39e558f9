"""The forms of absence and substitutes, and of the clock of a new match."""

from __future__ import annotations

from typing import Any

from django import forms

from gamesvc.forms import OneOfField, PostedForm, SomeOfField, TextField, WholeField, says
from gamesvc.language import mark
from gamesvc.matches.clock.notation import WEEKDAYS

LENGTHS = (
    ("turn", mark("Time for each turn")),
    ("commit", mark("Each simultaneous phase")),
    ("reaction", mark("Each reaction")),
    ("choice", mark("Each choice")),
    ("minimum", mark("Minimum for each decision")),
    ("grace", mark("Grace after the deadline")),
)
BANK = (("start", mark("Bank at the start")), ("increment", mark("More with every turn")), ("cap", mark("Never more than")))
REACT = (("", mark("the same")), ("6h", mark("6 hours")), ("12h", mark("12 hours")), ("1d", mark("1 day")))
STOPS = (
    ("", mark("never stops")),
    ("weekends", mark("stops on weekends")),
    ("nights", mark("stops in the quiet hours of each player")),
    ("weekends and nights", mark("stops on weekends and in quiet hours")),
)
QUIET = 10
"""The hours of a player's quiet hours that a chosen sentence honours each day."""
LONGEST = 40
TIMES = ["%H:%M", "%H:%M:%S"]
"""The formats in which browsers send a time of day."""
WHICH_DAY = mark("Write the day like 2026-12-24.")
WHICH_TIME = mark("Write the time like 22:00.")
WHICH_DAYS = mark("Choose from the days of the week.")


class VacationForm(PostedForm):
    """A vacation in whole days."""

    first = forms.DateField(input_formats=["%Y-%m-%d"], error_messages=says(WHICH_DAY))
    last = forms.DateField(input_formats=["%Y-%m-%d"], error_messages=says(WHICH_DAY))


class CallOffForm(PostedForm):
    """The vacation to call off."""

    absence = WholeField("You have not announced such a vacation.", required=True, high=10**17)


class QuietHoursForm(PostedForm):
    """Quiet hours; both fields empty end them."""

    start = forms.TimeField(required=False, input_formats=TIMES, error_messages=says(WHICH_TIME))
    end = forms.TimeField(required=False, input_formats=TIMES, error_messages=says(WHICH_TIME))


class FollowForm(PostedForm):
    """The game or the organiser to follow."""

    game = TextField()
    organiser = TextField()


class StopForm(PostedForm):
    """The subscription to end."""

    follow = WholeField("You do not follow this.", required=True, high=10**17)


class TakeForm(PostedForm):
    """The free seat to take."""

    seat = WholeField("Choose one of the free seats on the page.", high=99)


class ClockForm(PostedForm):
    """The choice of a clock: empty for plain hours, the name of a preset, or `parts` for the fields of `ClockPartsForm`."""

    clock = TextField()


class SentenceForm(PostedForm):
    """The words of the sentence about days per turn that can be changed: the time to react, and when the clock stops."""

    react = OneOfField("Choose how long players have to react.", REACT)
    stops = OneOfField("Choose when the clock stops.", STOPS)

    def policy(self, hours: int, zone: str) -> dict[str, Any] | None:
        """Return the policy; None for plain hours. Raises `Refused`."""
        fields = self.checked()
        if not fields["react"] and not fields["stops"]:
            return None
        policy: dict[str, Any] = {"turn": f"{hours}h"}
        if fields["react"]:
            policy |= {"reaction": fields["react"], "choice": fields["react"]}
        if "weekends" in fields["stops"]:
            policy["days_off"] = {"weekdays": ["sat", "sun"], "zone": zone}
        if "nights" in fields["stops"]:
            policy["quiet_hours"] = QUIET
        return policy


class PartField(forms.CharField):
    """A setting of the time control, as text. `matches.clock.parsing` reads it."""

    def __init__(self) -> None:
        sentence = mark("Write at most 40 characters in each field of the time control.")
        super().__init__(required=False, max_length=LONGEST, error_messages={"max_length": sentence})


class ClockPartsForm(PostedForm):
    """A custom time control."""

    clock_at = PartField()
    clock_at_days = SomeOfField(WHICH_DAYS, [(day, day) for day in WEEKDAYS])
    clock_off = SomeOfField(WHICH_DAYS, [(day, day) for day in WEEKDAYS])
    clock_holidays = PartField()
    clock_quiet_hours = WholeField("Enter how many quiet hours do not count, as a whole number.", high=999)
    clock_vacation = forms.BooleanField(required=False)
    clock_timeout = PartField()
    clock_after = WholeField("Enter the number of timeouts in a row as a whole number.", high=999)
    clock_excused = WholeField("Enter the number of excused timeouts as a whole number.", high=999)

    def __init__(self, data: Any = None) -> None:
        super().__init__(data)
        for name in [f"clock_{name}" for name, _ in LENGTHS] + [f"clock_bank_{name}" for name, _ in BANK]:
            self.fields[name] = PartField()

    def policy(self, zone: str) -> dict[str, Any]:
        """Return the policy, whose times of day are those of this zone. Raises `Refused`."""
        given = {name.removeprefix("clock_"): value for name, value in self.checked().items() if value}
        policy: dict[str, Any] = {name: given[name] for name, _ in LENGTHS if name in given}
        if bank := {name: given[f"bank_{name}"] for name, _ in BANK if f"bank_{name}" in given}:
            policy["bank"] = bank
        if "at" in given:
            days = {"days": given["at_days"]} if "at_days" in given else {}
            policy["adjudication"] = {"at": given["at"].replace(",", " ").split(), "zone": zone, **days}
        if "off" in given or "holidays" in given:
            place = {"holidays": given["holidays"]} if "holidays" in given else {}
            policy["days_off"] = {"weekdays": given.get("off", []), "zone": zone, **place}
        if (quiet := self.cleaned_data["clock_quiet_hours"]) is not None:
            policy["quiet_hours"] = quiet
        if "vacation" in given:
            policy["vacation"] = True
        return policy | {name: given[name] for name in ("timeout", "after", "excused") if name in given}
