"""Permissions for matches: the one declaration behind the table of doors and the permission matrix."""

from __future__ import annotations

from dataclasses import dataclass

# All kinds of readers in the permission matrix. Everyone but the stranger has the link of the match.
KINDS = ("stranger", "observer", "seat", "former", "host", "host_played", "operator", "operator_played")
_LINKED = frozenset(KINDS[1:])


@dataclass(frozen=True, slots=True)
class Who:
    """The users of an address: as text, and as kinds of readers of a running match.

    `over`: the kinds that may use it once the match is over, if there are more. `kinds` is None for an address that does
    nothing while the match runs: before its start these kinds do not apply.
    """

    text: str
    kinds: frozenset[str] | None
    over: frozenset[str] = frozenset()


READERS = Who("its players and organiser; others as the match allows (everyone, by its link, nobody)", _LINKED)
RULERS = Who("the organiser or an operator who has never held a seat in the match", frozenset({"host", "operator"}))
PLAYER = Who("the player of the seat", frozenset({"seat"}))
FORKER = Who("the player of the seat; after the end everyone who may read the match", frozenset({"seat"}), _LINKED)
REMATCHER = Who("the players who held its seats at its end, once it is over", None, frozenset({"seat"}))
HOST = Who("the host of the match, before it starts", None)
HOST_ALWAYS = Who("the host of the match", frozenset({"host", "host_played"}))
INVITER = Who("the host and the players of the match, before it starts", None)
MEMBER = Who("the player of the seat, before the match starts", None)
NEWCOMER = Who("signed-in users who meet the player requirements, before it starts", None)
SUBSTITUTE = Who("signed-in users who meet the player requirements and never held another seat of it", None)
BOARD = Who("the owner of an analysis board", None)

# Users of the API's reading addresses below a match. Any other is open to the readers of the match.
READS = {
    "notes/": PLAYER,
    "position/": Who(f"{READERS.text}; once the match is over", frozenset()),
    "preferences/": PLAYER,
    "refusals/": Who(
        "each user their own; the organiser and operators who may rule: code and time of all, the rest after the end", _LINKED
    ),
    "standing/": PLAYER,
    "tenures/": RULERS,
    # Served by the live process. The web server only leads to it, if it knows its address.
    "stream/": Who(READERS.text, frozenset()),
}
# Users of the API's changing addresses below a match, by method and address.
ACTS = {
    ("POST", "join/"): NEWCOMER,
    ("POST", "leave/"): MEMBER,
    ("POST", "start/"): HOST,
    ("POST", "cancel/"): HOST,
    ("POST", "link/"): HOST_ALWAYS,
    ("POST", "bots/"): HOST,
    ("DELETE", "seats/<int:seat>/"): HOST,
    ("POST", "invitations/"): INVITER,
    ("POST", "commands/"): PLAYER,
    ("POST", "orders/"): PLAYER,
    ("POST", "press/"): PLAYER,
    ("PUT", "notes/"): PLAYER,
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
    ("POST", "rematch/"): REMATCHER,
    ("POST", "close/"): BOARD,
    ("POST", "line/"): BOARD,
    ("POST", "go-to/"): BOARD,
    ("PATCH", "preferences/"): PLAYER,
    ("POST", "presence/"): PLAYER,
    ("DELETE", "presence/"): PLAYER,
}
# Users of the pages' addresses below a match, where one address may serve several acts.
PAGE_ACTS: dict[str, dict[str, Who]] = {
    "command": {"": PLAYER},
    "after-turn": {"": READERS},
    "orders": {"": PLAYER},
    "preview": {"": READERS},
    "seats": {"join": NEWCOMER, "leave": MEMBER, "everything else": HOST},
    "invite": {"": INVITER},
    "notes": {"": PLAYER},
    "press": {"": PLAYER},
    "standing": {"": PLAYER},
    "absence": {"take": SUBSTITUTE, "everything else": PLAYER},
    "undo": {"rewind": RULERS, "everything else": PLAYER},
    "organise": {"": RULERS},
    "fork": {"": FORKER},
    "rematch": {"": REMATCHER},
    "close": {"": BOARD},
    "line": {"": BOARD},
    "go-to": {"": BOARD},
}


def of_api(method: str, below: str) -> Who:
    """Return the users of an API address below a match. Raises `LookupError` for an undeclared one."""
    if method == "GET":
        return READS.get(below, READERS)
    if (method, below) not in ACTS:
        raise LookupError(f"Say in gamesvc/api/permissions.py who may {method} /matches/<str:ident>/{below}.")
    return ACTS[method, below]


def of_page(method: str, below: str) -> str:
    """Return the users of a page of a match as text. Raises `LookupError` for an undeclared one."""
    if method in ("GET", "HEAD"):
        return READERS.text
    if below not in PAGE_ACTS:
        raise LookupError(f"Say in gamesvc/api/permissions.py who may post to /matches/<str:ident>/{below}.")
    return "; ".join(f"{act}: {who.text}" if act else who.text for act, who in PAGE_ACTS[below].items())
