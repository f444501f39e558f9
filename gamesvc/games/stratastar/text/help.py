"""The order grammar for each prompt, short enough for a mail."""

from __future__ import annotations

from gamesvc.games.kernel.notation import lines_on
from gamesvc.games.kernel.wording import capital
from gamesvc.games.stratastar.data import WORLDS_TO_WIN
from gamesvc.games.stratastar.text.parse import spellings
from gamesvc.language import mark, say

_CARDS = mark("Cards: A attack, M move, B build, T trade, R research, + for power: 2A 1M+. `pay ...` chooses the payment.")
_OWN = mark("own time: disaster Blue fleet E5; spy Blue; spy deck; piracy Blue; planning; treaty Blue; raid Blue C4; scout E5 E6")
_HELP: dict[str, tuple[str, ...]] = {
    "homeworld": (mark("home A1 (or J1, A10, J10)"),),
    "ability_draft": (mark("pick ABILITY, e.g. pick warfleet"),),
    "pick_ability": (mark("pick ABILITY, e.g. pick warfleet"),),
    "retool": (mark("retool 1A 2M (discard up to 3, then all draw)"), "retool none", _CARDS),
    "trade": (
        mark("external Blue (take a card for 1 Trade)"),
        mark("internal 2A 1M (discard them with 1 Trade, draw one more)"),
        mark("research (1 Research: draw 2)"),
        "offer Blue give 1T want 1M; accept 7; reject 7; withdraw 7",
        mark("end phase; go to movement (nothing to build); end turn"),
        _OWN,
        _CARDS,
    ),
    "trade_reply": (mark("accept 7 (or just accept)"), "reject 7"),
    "support": (
        "support 2B disband C4 1F E5 1W",
        "support none disband C4 2F",
        mark("support 2 (Build cards alone)"),
    ),
    "build": (
        mark("fleet (1 Build, at home); fleet C4 (Expansion); warfleet"),
        mark("colonize C4 (1 Build: your Fleet is on a world without colonies)"),
        mark("stargate C4 (3 Build: at your colony)"),
        mark("terraform C4 (5 Build: a second colony)"),
        "ally C4; breakthrough",
        "end phase; end turn",
        _OWN,
        _CARDS,
    ),
    "movement": (
        mark("move E5 F5 2F 1W free (all fleets and the free move are assumed)"),
        mark("One space up, down, left or right. One move is free, each further one costs 1 Move."),
        "move E5 F5 paid; gate A1 F6 3F; jump E5 J9 2F; defend C4 2F E5 1F",
        mark("move E5 F5 then battle; move E5 F5 then end (played at once if nobody answers the move)"),
        "end phase; end turn",
        _OWN,
        _CARDS,
    ),
    "battle": (mark("battle D5 (where you and others are; the highest force wins)"), "end phase", _OWN),
    "battle_call": ("call D5", "pass"),
    "commit": (mark("commit 2A 1R (each Attack or Research adds 1 to your force)"), "commit none", _CARDS),
    "window": (
        "pass",
        mark("block (2 Trade)"),
        mark("sabotage (3 Attack)"),
        mark("retreat D6 2F (1 Move)"),
        mark("defend C4 2F (5 Move)"),
        _CARDS,
    ),
}
_ANY_TIME = (
    mark("Any time: orders retreat auto; diplomacy ask any; sabotage ask all; defend auto; fight peace; commit 3; offers reject"),
    mark("Any time: spy Blue; resign"),
)
WORDS = (
    mark("homeworld"),
    mark("ability draft"),
    mark("pick ability"),
    mark("retool"),
    mark("trade"),
    mark("trade reply"),
    mark("support"),
    mark("build"),
    mark("movement"),
    mark("battle"),
    mark("battle call"),
    mark("commit"),
    mark("window"),
)
"""The prompts, as mails name them."""


def order_help(prompt: str | None) -> str:
    """Return the grammar for a prompt, or all of it."""
    if prompt is None:
        lines = [
            f"{say(name.replace('_', ' '))}: {say(line)}"
            for name, entries in _HELP.items()
            for line in entries
            if line not in (_CARDS, _OWN)
        ]
        return "\n".join([*lines, capital(say(_OWN)), *map(say, _ANY_TIME), say(_CARDS)])
    return "\n".join(map(say, _HELP.get(prompt, ()) + _ANY_TIME[:1]))


_SHORT = (
    mark("You win at once with colonies on {worlds} different worlds, or by capturing a Homeworld."),
    mark("Everything is paid with cards: Attack, Move, Build and Trade. Research stands for any one of them."),
    mark("A turn: discard up to three cards, then all players draw; trade; support your fleets; build; move; fight."),
    mark("A colony costs 1 Build where you have a Fleet on a world without colonies; a Fleet at home costs 1 Build."),
    mark("You support 2 fleets, and 1 more for every 2 colonies. Your hand holds 5 cards, and 1 more for every 3 colonies."),
    mark("One move a turn is free, each further one costs 1 Move. Fleets cannot enter hazards."),
    mark(
        "In a battle the highest force loses nothing, and all others lose what they have there; in a tie for the highest all do."
    ),
)


def short_rules() -> str:
    """Return the rules in a few sentences, one a line."""
    return "\n".join(say(line, worlds=WORLDS_TO_WIN) for line in _SHORT)


def word_help(verb: str) -> str:
    """Return the lines of the grammar on an order word, also where they spell it otherwise."""
    return lines_on(order_help(None), spellings(verb))
