#!/usr/bin/env python
"""The commands of the service: `uv run manage.py help`. Starts the embedded servers if none are configured."""

import gc
import os
import sys
from pathlib import Path

from gamesvc.games.kernel import intake

# These need no database, so they start none; `compat --all` does.
WITHOUT_SERVERS = {"", "help", "--help", "version", "--version"}
WITHOUT_SERVERS |= {"selfplay", "verify", "compat", "demo", "up", "bench", "simulate", "doors"}


def main() -> None:
    for argument in sys.argv[1:]:
        if detail := intake.text_fault(argument):
            sys.exit(f"The argument {argument!r} cannot be taken. {detail}")
    gc.disable()  # until everything is loaded: `gamesvc.web.apps`
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "gamesvc.settings.dev")
    command = sys.argv[1] if len(sys.argv) > 1 else ""
    needed = command not in WITHOUT_SERVERS or (command == "compat" and "--all" in sys.argv)
    if needed and not {"-h", "--help"} & set(sys.argv):
        from gamesvc.embedded import environment

        environment.provide(Path(os.environ.get("GAMESVC_DATA", "var")))
    from django.core.exceptions import ImproperlyConfigured
    from django.core.management import execute_from_command_line

    try:
        execute_from_command_line(sys.argv)
    except ImproperlyConfigured as fault:
        sys.exit(f"gamesvc does not start: {fault}")


if __name__ == "__main__":
    main()
