"""Who may do what with a match: the one declaration behind the table of doors and the matrix of permissions."""

from __future__ import annotations

from dataclasses import dataclass

# Everyone whom the matrix of permissions tries, at a match that they have the link of (but for the stranger).
KINDS = ("stranger", "observer", "seat", "former", "host", "host_played", "operator", "operator_played")
_LINKED = frozenset(KINDS[1:])


@dataclass(frozen=True, slots=True)
class Who:
    """Those who may use a door: in words, and as kinds of readers of a running match.

    `over` are those who may once the match is over, where there are more of them. Of a door for a match that has not begun there
    is nothing to say by these kinds: `kinds` is None.
    """

    text: str
    kinds: frozenset[str] | None
    over: frozenset[str] = frozenset()


READERS = Who("its players and organiser; others as the match allows (everyone, by its link, nobody)", _LINKED)
RULERS = Who("the organiser or an operator, who has never held a seat in the match", frozenset({"host", "operator"}))
PLAYER = Who("the player of the seat", frozenset({"seat"}))
FORKER = Who("the player of the seat; after the end everyone who may read the match", frozenset({"seat"}), _LINKED)
HOST = Who("the host of the match, before it starts", None)
INVITER = Who("the host and the players of the match, before it starts", None)
MEMBER = Who("the player of the seat, before the match starts", None)
NEWCOMER = Who("signed-in users who fit what the match asks for, before it starts", None)
SUBSTITUTE = Who("signed-in users who fit what the match asks for and never held another seat of it", None)
BOARD = Who("the owner of a what-if board", None)

# What is read of a match is for its readers, but for these addresses below it (of the API).
READS = {
    "position/": Who(f"{READERS.text}; once the match is over", frozenset()),
    "preferences/": PLAYER,
    "refusals/": Who(
        "each user their own; the organiser and operators who may rule: code and time of all, the rest after the end", _LINKED
    ),
    "standing/": PLAYER,
    "tenures/": RULERS,
}
# All that is done with a match, by method and address below it.
ACTS = {
    ("POST", "join/"): NEWCOMER,
    ("POST", "leave/"): MEMBER,
    ("POST", "start/"): HOST,
    ("POST", "cancel/"): HOST,
    ("POST", "bots/"): HOST,
    ("DELETE", "seats/<int:seat>/"): HOST,
    ("POST", "invitations/"): INVITER,
    ("POST", "commands/"): PLAYER,
    ("POST", "orders/"): PLAYER,
    ("POST", "press/"): PLAYER,
    ("POST", "organise/"): RULERS,
    ("POST", "standing/"): PLAYER,
    ("PUT", "standing/own/"): PLAYER,
    ("DELETE", "standing/own/"): PLAYER,
    ("PUT", "standing/<int:number>/"): PLAYER,
    ("DELETE", "standing/<int:number>/"): PLAYER,
    ("POST", "pause/"): PLAYER,
    ("DELETE", "pause/"): PLAYER,
    ("POST", "substitute/"): SUBSTITUTE,
    ("POST", "give-up/"): PLAYER,
    ("POST", "undo/"): PLAYER,
    ("POST", "undo/answer/"): PLAYER,
    ("POST", "redo/"): PLAYER,
    ("POST", "rewind/"): RULERS,
    ("POST", "forks/"): FORKER,
    ("POST", "close/"): BOARD,
    ("PATCH", "preferences/"): PLAYER,
    ("POST", "presence/"): PLAYER,
}
# The same of the pages, where one address may stand for several acts.
PAGE_ACTS: dict[str, dict[str, Who]] = {
    "command": {"": PLAYER},
    "orders": {"": PLAYER},
    "preview": {"": READERS},
    "seats": {"join": NEWCOMER, "leave": MEMBER, "everything else": HOST},
    "invite": {"": INVITER},
    "press": {"": PLAYER},
    "standing": {"": PLAYER},
    "absence": {"take": SUBSTITUTE, "everything else": PLAYER},
    "undo": {"rewind": RULERS, "everything else": PLAYER},
    "organise": {"": RULERS},
    "fork": {"": FORKER},
    "close": {"": BOARD},
}


def of_api(method: str, below: str) -> Who:
    """Return who may use an address below a match of the API. Raises `LookupError` for what nobody has decided about."""
    if method == "GET":
        return READS.get(below, READERS)
    if (method, below) not in ACTS:
        raise LookupError(f"Say in gamesvc/api/permissions.py who may {method} /matches/<str:ident>/{below}.")
    return ACTS[method, below]


def of_page(method: str, below: str) -> str:
    """Say who may use a page of a match. Raises `LookupError` for what nobody has decided about."""
    if method in ("GET", "HEAD"):
        return READERS.text
    if below not in PAGE_ACTS:
        raise LookupError(f"Say in gamesvc/api/permissions.py who may post to /matches/<str:ident>/{below}.")
    return "; ".join(f"{act}: {who.text}" if act else who.text for act, who in PAGE_ACTS[below].items())
