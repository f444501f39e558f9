"""The OpenAPI document under the rules of Redocly and Spectral, of which no warning is left either."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest
from django.test import Client

pytestmark = pytest.mark.long
RULES = Path(__file__).parent / "linting"
LINTERS = {
    "redocly": ("@redocly/cli@2.77.0", "lint", "--format=stylish", "--max-problems=1000", "--config", RULES / "redocly.yaml"),
    "spectral": ("@stoplight/spectral-cli@6.16.3", "lint", "--fail-severity=hint", "--ruleset", RULES / "spectral.yaml"),
}


@pytest.fixture
def linted(tmp_path: Path) -> Path:
    file = tmp_path / "openapi.json"
    file.write_bytes(Client().get("/api/v1/openapi.json").content)
    return file


def lint(linter: str, file: Path) -> subprocess.CompletedProcess[str]:
    program = shutil.which("npx")
    assert program is not None, "Install Node.js: the linters of the OpenAPI document are run with `npx`."
    command = [program, "--yes", *map(str, LINTERS[linter]), str(file)]
    return subprocess.run(command, cwd=file.parent, capture_output=True, text=True, timeout=280)


@pytest.mark.parametrize("linter", LINTERS)
def test_the_document_is_clean(linter: str, linted: Path) -> None:
    done = lint(linter, linted)
    assert done.returncode == 0, (done.stdout + done.stderr)[-5000:]


@pytest.mark.parametrize("linter", LINTERS)
def test_a_fault_is_found(linter: str, linted: Path) -> None:
    document = json.loads(linted.read_bytes())
    del document["info"]["title"]
    linted.write_text(json.dumps(document), encoding="utf-8")
    done = lint(linter, linted)
    assert done.returncode != 0
    assert "title" in done.stdout
