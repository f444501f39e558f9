"""`manage.py selfplay GAME`: bots play matches in the engine; all invariants are checked after every command."""

from __future__ import annotations

import json
import multiprocessing
import os
import random
import sys
import time
import traceback
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from django.core.management.base import BaseCommand, CommandError, CommandParser

from gamesvc.games import catalog, records
from gamesvc.games.handovers import figures
from gamesvc.games.kernel import forms
from gamesvc.games.kernel.dice import seed_secret
from gamesvc.games.kernel.game import RANDOM, Game, Refused
from gamesvc.games.kernel.timeline import check_options
from gamesvc.games.kernel.wording import counted
from gamesvc.games.secrecy import Broken
from gamesvc.games.selfplay import Record, Tally, bounded, play
from gamesvc.json_types import JsonObject
from gamesvc.ops import written

Job = JsonObject
Result = tuple[Job, Record | None, str]
"""The parameters of a match, and its record or the fault that broke it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """The matches to play, as the command line has them. `seats` 0 and no `bots`: they differ from match to match."""

    matches: int
    seed: str
    seats: int
    options: JsonObject
    varied: bool
    bots: list[str]
    check_every: int
    interrupt: float
    export: bool


def jobs_of(game: Game, plan: Plan) -> Iterator[Job]:
    """Yield the parameters of each match. The same plan gives the same ones."""
    for number in range(plan.matches):
        seed = f"{plan.seed}-{number}"
        rng = random.Random(seed)
        options = {**(vary(game, rng) if plan.varied else bounded(game)), **plan.options}
        seats = plan.seats or fitting_seats(game, options, rng) or game.manifest.min_seats
        yield {
            "game": game.id,
            "seats": seats,
            "options": options,
            "seed": seed,
            "bots": plan.bots or bots_for(game, seats, number),
            "check_every": plan.check_every,
            "interrupt": plan.interrupt,
            "export": plan.export,
        }


def bots_for(game: Game, seats: int, number: int) -> list[str]:
    """Return random bots, with a greedy one on one seat in turn if there are several: it brings the match to an end."""
    bots = [RANDOM] * seats
    if seats > 1 and "greedy" in game.bots:
        bots[number % seats] = "greedy"
    return bots


def vary(game: Game, rng: random.Random) -> JsonObject:
    """Return random options that fit together."""
    for _ in range(200):
        options = {
            name: forms.sample(schema, rng) for name, schema in game.manifest.options["properties"].items() if rng.random() < 0.5
        }
        # Matches of random bots may never end unless the options set a limit.
        options |= {name: min(options.get(name) or most, most) for name, most in bounded(game).items()}
        if fitting_seats(game, options, rng):
            return options
    return bounded(game)


def fitting_seats(game: Game, options: JsonObject, rng: random.Random) -> int:
    """Return a number of seats that fits the options; 0 if none does."""
    counts = list(range(game.manifest.min_seats, game.manifest.max_seats + 1))
    rng.shuffle(counts)
    for count in counts:
        try:
            check_options(game, options, count)
        except Refused:
            continue
        return count
    return 0


def play_job(job: Job) -> Result:
    """Play one match."""
    game = catalog.game(job["game"])
    try:
        more: JsonObject = {}
        if job["export"]:
            full = check_options(game, job["options"], job["seats"])
            more["match_id"] = str(written.match_of(game, job["seed"]))
            more["opening"] = written.opening(game, full, job["seats"], seed_secret(job["seed"]))
        record = play(
            game,
            options=job["options"],
            seats=job["seats"],
            seed=job["seed"],
            bots=tuple(job["bots"]),
            check_every=job["check_every"],
            interrupt=job["interrupt"],
            **more,
        )
    except (Broken, Refused) as broken:
        return job, None, str(broken)
    except Exception:  # a fault of the engine is a finding, and must not end the other matches
        return job, None, traceback.format_exc(limit=-4)
    return job, record, ""


class Command(BaseCommand):
    help = "Let bots play whole matches in the engine. Check invariants after every command; replay each match and compare."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("game", choices=catalog.OFFERED)
        parser.add_argument("--matches", type=int, default=100)
        parser.add_argument("--seed", default="1")
        parser.add_argument("--seats", type=int, default=0, help="Default: every number the game allows.")
        parser.add_argument(
            "--option",
            dest="option_texts",
            action="append",
            default=[],
            metavar="K=V",
            help="A match option; V as JSON or plain text.",
        )
        parser.add_argument("--vary", dest="varied", action="store_true", help="Draw the options of each match at random.")
        parser.add_argument(
            "--bots", default="", help="One per seat, repeated: greedy,random. Default: random, one seat of several greedy."
        )
        parser.add_argument("--check-every", type=int, default=1, help="Check after every n-th command; 0: only at the end.")
        parser.add_argument(
            "--interrupt",
            type=float,
            default=0.1,
            help="How often a seat acts out of turn, the match goes back, or a fork is tried, instead of the next command.",
        )
        parser.add_argument("--jobs", dest="processes", type=int, default=os.cpu_count() or 1, help="Processes.")
        files = parser.add_mutually_exclusive_group()
        files.add_argument(
            "--out", dest="exports_folder", type=Path, help="Write an export of each match, for `verify`, into this folder."
        )
        files.add_argument(
            "--records", dest="records_folder", type=Path, help="Write each match's record, for playthroughs, into this folder."
        )
        parser.add_argument("--json", dest="as_json", action="store_true", help="Machine-readable output.")

    def handle(
        self,
        *,
        game: str,
        matches: int,
        seed: str,
        seats: int,
        option_texts: list[str],
        varied: bool,
        bots: str,
        check_every: int,
        interrupt: float,
        processes: int,
        exports_folder: Path | None,
        records_folder: Path | None,
        as_json: bool,
        **_: object,
    ) -> None:
        engine = catalog.game(game)
        plan = Plan(
            matches=matches,
            seed=seed,
            seats=seats,
            options=dict(read_option(text) for text in option_texts),
            varied=varied,
            bots=read_bots(engine, bots),
            check_every=check_every,
            interrupt=interrupt,
            export=exports_folder is not None,
        )
        tally, broken, began = Tally(), [], time.monotonic()
        for job, record, what in self.play_all(engine, plan, processes):
            if record is None:
                broken.append({"job": job, "broken": what})
            else:
                tally.add(record)
                keep(engine, record, exports_folder=exports_folder, records_folder=records_folder)
        self.report(tally, broken, time.monotonic() - began, as_json=as_json)

    def play_all(self, game: Game, plan: Plan, processes: int) -> Iterator[Result]:
        """Yield the result of each match, in the order in which the processes finish."""
        with multiprocessing.get_context("spawn").Pool(processes) as pool:
            for number, result in enumerate(pool.imap_unordered(play_job, jobs_of(game, plan), chunksize=4), 1):
                yield result
                if number % 50 == 0 and sys.stderr.isatty():
                    self.stderr.write(f"{number} of {plan.matches} matches", ending="\r")

    def report(self, tally: Tally, broken: list[JsonObject], seconds: float, *, as_json: bool) -> None:
        scores = [score for match in tally.scores for score in match]
        result: JsonObject = {
            "matches": tally.matches,
            "broken": broken,
            "refusals": sum("refused" in one["broken"] for one in broken),
            "commands": tally.commands,
            "events": tally.events,
            "hand_overs": figures(tally.handovers),
            "checks": dict(sorted(tally.checks.items())),
            "seconds": round(seconds, 2),
            "commands_per_second": round(tally.commands / seconds),
            "events_per_second": round(tally.events / seconds),
            "reasons": dict(tally.reasons.most_common()),
            "first_places": dict(sorted(tally.wins.items())),
            "mean_score": round(sum(scores) / len(scores), 2) if scores else None,
        }
        if as_json:
            self.stdout.write(json.dumps(result))
        else:
            handed = result["hand_overs"]
            told = "median {median}, 90th percentile {ninetieth}, of {turns} turns".format_map(handed)
            for name, value in {**result, "hand_overs": told}.items():
                self.stdout.write(f"{name.replace('_', ' '):20} {value}")
        if broken:
            raise CommandError(f"{counted(len(broken), 'match', 'matches')} broke; the first: {broken[0]['broken']}")


def keep(game: Game, record: Record, *, exports_folder: Path | None, records_folder: Path | None) -> None:
    """Write the export of a match and its record into their folders, if these are given."""
    if exports_folder is not None:
        _write(exports_folder / f"{game.id}-{record.seed}.jsonl", written.write(game, record))
    if records_folder is not None:
        _write(records_folder / f"{game.id}-{record.seed}.json", records.dump(game, record).encode())


def _write(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)


def read_bots(game: Game, text: str) -> list[str]:
    """Read the argument of `--bots`. Raises `CommandError` for bots that the game does not have."""
    bots = text.split(",") if text else []
    if unknown := set(bots) - set(game.bots):
        raise CommandError(f"No such bot: {', '.join(sorted(unknown))}; there are: {', '.join(game.bots)}.")
    return bots


def read_option(text: str) -> tuple[str, object]:
    """Parse `k=v`, with v as JSON or as plain text."""
    name, equals, value = text.partition("=")
    if not equals or not name:
        raise CommandError(f"--option {text!r} must be NAME=VALUE.")
    try:
        return name, json.loads(value)
    except ValueError:
        return name, value
