"""The set-up of a match."""

from __future__ import annotations

from gamesvc.games.kernel.game import Data
from gamesvc.games.kernel.timeline import Run
from gamesvc.games.star_commander.data import DOMAINS
from gamesvc.games.star_commander.data.editions import EDITIONS
from gamesvc.games.star_commander.events.course import GameSetUp
from gamesvc.games.star_commander.manifest import options_of
from gamesvc.games.star_commander.rules.decision import Play
from gamesvc.games.star_commander.rules.turn import advance
from gamesvc.games.star_commander.state import State, corners


def setup(run: Run[State], options: Data, seats: int) -> None:
    """Shuffle everything, lay out the grid, and begin the first turn (RULES.md 3)."""
    edition = EDITIONS[options["edition"]]
    grid, dice = options_of(options, seats), run.dice
    systems = dice.shuffle(edition.cards.system_deck())
    decks = {domain: dice.shuffle(edition.cards.domain_deck(domain)) for domain in DOMAINS}
    uids = dice.shuffle([f"c{at:02d}" for at in range(1, sum(map(len, decks.values())) + 1)])
    named, at = {}, 0
    faces: dict[str, str] = {}
    for domain, deck in decks.items():
        named[domain] = list(uids[at : at + len(deck)])
        faces.update(zip(named[domain], deck, strict=True))
        at += len(deck)
    homes = {cell: seat for seat, cell in enumerate(corners(grid, seats))}
    left = list(systems)
    cells: list[tuple[str, str, int | None]] = []
    for name in (f"{r},{c}" for r in range(grid) for c in range(grid)):
        cells.append((name, "homeworld" if name in homes else left.pop(0), homes.get(name)))
    supply = {card: edition.cards[card].supply for card in edition.cards.core}
    supply["scout"] -= seats
    first = dice.choose(seats)
    run.emit(
        GameSetUp(
            edition=edition.id,
            grid=grid,
            trade=options["trade"],
            lethal=options["lethal"],
            turn_limit=options["turn_limit"],
            cells=cells,
            undealt=left,
            decks=named,
            faces=faces,
            supply=supply,
            credits=[3] * seats,
            vessels=[(f"v{seat + 1}", "scout", seat, cell) for cell, seat in sorted(homes.items(), key=lambda home: home[1])],
            first=first,
        )
    )
    play = Play(run)
    play.push("turn", seat=first, extra=False, queue=[])
    advance(play)
