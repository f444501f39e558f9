"""Tables of matches, one module per subject. The event streams are the source of truth; most columns follow from them."""

from gamesvc.matches.models.absence import Follow, PauseWish
from gamesvc.matches.models.clocks import Heartbeat, Outage
from gamesvc.matches.models.conduct import MessageBan, Report, ReportAct
from gamesvc.matches.models.core import DEADLINE, PACE, PACE_ENDS, Answered, Invitation, Match, Question, Refusal, Seat
from gamesvc.matches.models.forks import Beginning
from gamesvc.matches.models.mail_words import DoneWord, HeldOrders
from gamesvc.matches.models.notes import Note
from gamesvc.matches.models.organising import Look
from gamesvc.matches.models.press import Press
from gamesvc.matches.models.projections import FeedCursor, Holding, Rated, Rating, Reckoned
from gamesvc.matches.models.standing import Premove
from gamesvc.matches.models.undo import Reason, UndoRequest

__all__ = [
    "DEADLINE",
    "PACE",
    "PACE_ENDS",
    "Answered",
    "Beginning",
    "DoneWord",
    "FeedCursor",
    "Follow",
    "Heartbeat",
    "HeldOrders",
    "Holding",
    "Invitation",
    "Look",
    "Match",
    "MessageBan",
    "Note",
    "Outage",
    "PauseWish",
    "Premove",
    "Press",
    "Question",
    "Rated",
    "Rating",
    "Reason",
    "Reckoned",
    "Refusal",
    "Report",
    "ReportAct",
    "Seat",
    "UndoRequest",
]
