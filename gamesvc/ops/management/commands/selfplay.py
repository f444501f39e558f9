"""`manage.py selfplay GAME`: bots play matches in the engine; all invariants are checked after every command."""

from __future__ import annotations

import json
import multiprocessing
import os
import random
import sys
import time
import traceback
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

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


def jobs(game: Game, arguments: Mapping[str, Any]) -> Iterator[Job]:
    """Yield the parameters of each match. The same arguments give the same ones."""
    for number in range(arguments["matches"]):
        seed = f"{arguments['seed']}-{number}"
        rng = random.Random(seed)
        options = {**(vary(game, rng) if arguments["vary"] else bounded(game)), **arguments["options"]}
        seats = arguments["seats"] or fitting_seats(game, options, rng) or game.manifest.min_seats
        yield {
            "game": game.id,
            "seats": seats,
            "options": options,
            "seed": seed,
            "bots": arguments["bots"] or bots_for(game, seats, number),
            "check_every": arguments["check_every"],
            "interrupt": arguments["interrupt"],
            "export": arguments["out"] is not None,
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


def play_job(job: Job) -> tuple[Job, Record | None, str]:
    """Play one match. Return its record, or the fault."""
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
            "--option", action="append", default=[], metavar="K=V", help="A match option; V as JSON or plain text."
        )
        parser.add_argument("--vary", action="store_true", help="Draw the options of each match at random.")
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
        parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="Processes.")
        files = parser.add_mutually_exclusive_group()
        files.add_argument("--out", type=Path, help="Write an export of each match, for `verify`, into this folder.")
        files.add_argument("--records", type=Path, help="Write each match's record, for playthroughs, into this folder.")
        parser.add_argument("--json", action="store_true", help="Machine-readable output.")

    def handle(self, **options: Any) -> None:
        game = catalog.game(options["game"])
        arguments = {**options, "options": dict(read_option(text) for text in options["option"])}
        arguments["bots"] = options["bots"].split(",") if options["bots"] else []
        if unknown := set(arguments["bots"]) - set(game.bots):
            raise CommandError(f"No such bot: {', '.join(sorted(unknown))}; there are: {', '.join(game.bots)}.")
        tally, broken, began = Tally(), [], time.monotonic()
        with multiprocessing.get_context("spawn").Pool(options["jobs"]) as pool:
            for number, (job, record, what) in enumerate(pool.imap_unordered(play_job, jobs(game, arguments), chunksize=4), 1):
                if record is None:
                    broken.append({"job": job, "broken": what})
                else:
                    tally.add(record)
                    self.keep(game, record, options)
                if number % 50 == 0 and sys.stderr.isatty():
                    self.stderr.write(f"{number} of {options['matches']} matches", ending="\r")
        self.report(tally, broken, time.monotonic() - began, as_json=options["json"])

    def keep(self, game: Game, record: Record, options: Mapping[str, Any]) -> None:
        """Write the requested files."""
        for name, ending in (("out", "jsonl"), ("records", "json")):
            if (folder := options[name]) is not None:
                folder.mkdir(parents=True, exist_ok=True)
                content = written.write(game, record) if name == "out" else records.dump(game, record).encode()
                (folder / f"{game.id}-{record.seed}.{ending}").write_bytes(content)

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


def read_option(text: str) -> tuple[str, object]:
    """Parse `k=v`, with v as JSON or as plain text."""
    name, equals, value = text.partition("=")
    if not equals or not name:
        raise CommandError(f"--option {text!r} must be NAME=VALUE.")
    try:
        return name, json.loads(value)
    except ValueError:
        return name, value
