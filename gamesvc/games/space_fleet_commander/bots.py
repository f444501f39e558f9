"""Bots of this game."""

from __future__ import annotations

from collections.abc import Mapping

from gamesvc.games.bots import play_random
from gamesvc.games.kernel import Bot

BOTS: Mapping[str, Bot] = {"random": play_random}
