"""The files of `selfplay`: exports that both verifiers accept, and records that are replayed and played again."""

from __future__ import annotations

import io
import json

import pytest
from django.core.management import call_command

from gamesvc.games import catalog, records
from gamesvc.matches.proof import verification
from tests.matches.exports import node

SHORT = {"stratastar": ["max_rounds=3"], "star_commander": ["turn_limit=6"], "space_war": ["turn_limit=6"]}


def selfplay(game, *arguments):
    out = io.StringIO()
    known = catalog.game(game).manifest.options["properties"]
    options = [f"--option={one}" for one in SHORT.get(game, ()) if one.partition("=")[0] in known]
    call_command("selfplay", game, "--matches=2", "--seed=proof", "--jobs=1", "--json", *options, *arguments, stdout=out)
    told = json.loads(out.getvalue())
    assert (told["matches"], told["broken"]) == (2, [])


LONG = [pytest.param(game, marks=pytest.mark.long) for game in catalog.OFFERED if game != "stratastar"]


@pytest.mark.long
@pytest.mark.parametrize("game", ["stratastar", *LONG])
def test_every_export_is_proved_by_both(game, tmp_path):
    selfplay(game, f"--out={tmp_path}")
    files = sorted(tmp_path.glob("*.jsonl"))
    assert len(files) == 2
    for file in files:
        report = verification.verify(file.read_bytes())
        assert report.ok, report.as_json()
        statuses = {check.name: check.status for check in report.checks}
        assert {statuses[name] for name in ("chain", "trailer", "commitment", "draws", "decisions", "outcome")} == {"proved"}
    judged = node(*map(str, files))
    assert [one["ok"] for one in judged] == [True, True], judged
    call_command("verify", *map(str, files), stdout=io.StringIO())


@pytest.mark.long
def test_records_are_replayed_and_played_again(tmp_path):
    selfplay("space_fleet_commander", f"--records={tmp_path}")
    for file in tmp_path.glob("*.json"):
        record = records.load(file.read_text())
        game = catalog.game(record.game)
        assert records.check_replay(game, record).version == len(record.events)
        records.check_again(game, record)
