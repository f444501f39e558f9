#!/usr/bin/env python
"""The commands of the service: `uv run manage.py help`. Starts the embedded servers if none are configured."""

import gc
import os
import sys
from pathlib import Path

from gamesvc.games.kernel import intake

# These need no database, so they start none; `compat --all` does.
WITHOUT_SERVERS = {"", "help", "--help", "version", "--version"}
# What changes tables shows its own errors.
MIGRATING = {"migrate", "prepare", "makemigrations"}
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
    import psycopg
    from django.core.exceptions import ImproperlyConfigured
    from django.core.management import execute_from_command_line
    from django.db import Error as DatabaseError

    try:
        execute_from_command_line(sys.argv)
    except ImproperlyConfigured as fault:
        sys.exit(f"gamesvc does not start: {fault}")
    except (DatabaseError, psycopg.Error) as fault:
        if "--traceback" in sys.argv or command in MIGRATING:
            raise
        if advice := advice_on(fault):
            sys.exit(advice)
        raise


def advice_on(fault: Exception) -> str:
    """Return what to do about a failure of the database; empty if it is none that an operator can mend."""
    from gamesvc.away import is_away, is_unprepared

    if is_unprepared(fault):
        return "The database is empty, or older than this version. Run `manage.py prepare` first."
    return f"The database does not answer. Check DATABASE_URL. {' '.join(str(fault).split())}" if is_away(fault) else ""


if __name__ == "__main__":
    main()
