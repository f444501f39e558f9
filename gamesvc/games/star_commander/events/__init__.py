"""The events of Star Commander, typed: what each one says, and the names under which it is stored (`kernel.typed`).

Of lists with a fixed length (`tuple[str, int]`) the record holds JSON arrays.
"""

from __future__ import annotations

from gamesvc.games.kernel.typed import by_type
from gamesvc.games.star_commander.events import board, cards, course, plays

KINDS = by_type(
    (
        course.GameSetUp,
        course.TurnStarted,
        course.PhaseEntered,
        course.TurnEnded,
        course.ExtraTurnQueued,
        course.ChoiceRequested,
        course.ChoiceMade,
        course.StandingOrdersSet,
        course.PlayerEliminated,
        course.GameEnded,
        cards.CreditsGained,
        cards.CreditsSpent,
        cards.CardDrawn,
        cards.DrawSkipped,
        cards.CardDiscarded,
        cards.DeckReshuffled,
        cards.HandShown,
        cards.CardTaken,
        cards.TechnologyPlaced,
        board.SystemExplored,
        board.DevelopmentPlaced,
        board.DevelopmentsRemoved,
        board.ControlChanged,
        board.ShipsJumped,
        board.ShipMoved,
        board.VesselBuilt,
        board.VesselDestroyed,
        board.VesselScrapped,
        board.VesselControlChanged,
        board.ModifierAdded,
        board.ModifiersExpired,
        board.DamageDealt,
        board.DamageCleared,
        plays.CardPlayed,
        plays.AbilityActivated,
        plays.ActionDeclared,
        plays.PriorityPassed,
        plays.StackItemResolved,
        plays.StackItemFizzled,
        plays.StackItemCancelled,
        plays.CombatOpened,
        plays.DamageAssigned,
        plays.DamageRedirected,
        plays.CombatClosed,
        plays.RetreatDeclined,
        plays.TradeOffered,
        plays.TradeCompleted,
        plays.TradeDeclined,
        plays.TradeWithdrawn,
        plays.TradesLapsed,
    )
)
