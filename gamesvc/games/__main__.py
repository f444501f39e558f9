"""Run the engine protocol on stdin and stdout: `python -m gamesvc.games GAME`."""

import io
import sys

from gamesvc.games.catalog import OFFERED, game
from gamesvc.games.kernel.game import Refused
from gamesvc.games.protocol import serve

if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(f"usage: python -m gamesvc.games GAME, where GAME is one of: {', '.join(OFFERED)}")
    try:
        engine = game(sys.argv[1])
    except Refused as refused:
        sys.exit(refused.detail)
    serve(engine, io.TextIOWrapper(sys.stdin.buffer, encoding="utf-8", errors="replace"), sys.stdout)
