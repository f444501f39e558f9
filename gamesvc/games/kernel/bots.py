"""Bots that know nothing about a game: they fill the forms they are offered."""

from __future__ import annotations

import random
from collections.abc import Sequence

from gamesvc.games.kernel import forms
from gamesvc.games.kernel.game import RESIGN, Command, Data, Form, Game


def play_random(view: Data, offered: Sequence[Form], rng: random.Random) -> Command:
    """Fill a randomly chosen form. Forms that do not move the match on (`aside`) are chosen rarely, `resign` never."""
    main = [form for form in offered if not form.aside]
    aside = [form for form in offered if form.aside and form.name != RESIGN]
    pool = aside if aside and (not main or rng.random() < 0.02) else main
    return forms.fill(rng.choice(pool), rng)


def bot_of(game: Game) -> str:
    """Return the id of the bot that replaces an absent player: `greedy` if the game has it."""
    return "greedy" if "greedy" in game.bots else next(iter(game.bots))
