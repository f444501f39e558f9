"""`python -m gamesvc.embedded DIR`: start the servers, print their addresses as shell lines, hold them until Ctrl-C."""

from __future__ import annotations

import signal
import sys
from pathlib import Path

from gamesvc.embedded import EmbeddedError, use


def main(arguments: list[str]) -> int:
    if len(arguments) != 1:
        sys.stderr.write("usage: python -m gamesvc.embedded DIR\n")
        return 2
    # SIGTERM ends it like Ctrl-C, so that the servers are released.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        with use(Path(arguments[0])) as servers:
            sys.stdout.write(
                f"DATABASE_URL='{servers.database_url}'\n"
                f"DATABASE_OWNER_URL='{servers.owner_url}'\n"
                f"REDIS_URL='{servers.redis_url}'\n"
            )
            sys.stdout.flush()
            signal.pause()
    except EmbeddedError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    except KeyboardInterrupt:
        return 0
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
