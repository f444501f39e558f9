"""Lines of an analysis board: the acts played on it, and one kept as conditional orders of the match that it began from.

Whether a line can be kept is tried on copies of the match, in which everything hidden from the seat is redealt and all dice are
rolled again. A step that is refused in one of them, or looks different, depends on chance or on something hidden: the line ends
before it. So neither the answer nor an order that is kept tells anything about what is hidden.

Not here: trees of conditional orders and how a match follows them (`play.branches`), stepping on the board (`undo.stepping`).
"""

from __future__ import annotations

import itertools
import secrets as system
import time
import uuid
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from events.store import StoredEvent
from gamesvc.games.kernel.dice import Dice, KeyedSource
from gamesvc.games.kernel.game import Event, Game, Refused, see_event
from gamesvc.games.kernel.timeline import Timeline
from gamesvc.json_types import JsonObject
from gamesvc.language import say
from gamesvc.matches.access.selectors import Access, access_match
from gamesvc.matches.errors import Unknown
from gamesvc.matches.events import Rewound
from gamesvc.matches.lobby import forks
from gamesvc.matches.models import Beginning, Match, Premove
from gamesvc.matches.play import branches, conditional_orders, previews, turns
from gamesvc.matches.play.branches import Branch
from gamesvc.matches.play.turns import Sender
from gamesvc.matches.record import conditions, loading, stream
from gamesvc.matches.record.loading import Loaded
from gamesvc.matches.record.stream import STORE

MOST_STEPS = 60


@dataclass(frozen=True, slots=True)
class Step:
    """One act on a board. `version`: that after it; `ahead`: it was gone back from, and can be gone on to."""

    version: int
    seat: int
    command: JsonObject
    events: tuple[Event, ...] = ()
    ahead: bool = False


@dataclass(frozen=True, slots=True)
class Line:
    """A line as it can be kept: the match with the access of its player, its branches, and the match's version at that time.

    `laid`: the last version before the line that its player knows.
    `ends`: the order at which chance or something hidden decides, so that neither it nor what follows is kept; empty if all is.
    """

    access: Access
    since: int
    laid: int
    branches: list[Branch]
    ends: str = ""


# --- the acts on a board ---


def steps(loaded: Loaded) -> list[Step]:
    """Return the acts that led to the position of a board, and then those it went back from without playing anything since."""
    since = loading.first_playable(loaded)
    if since is None:
        return []
    stored = STORE.read(loaded.match_id, since, loaded.version)
    line, ahead = _paths(stored, since)
    acts = [act for act in stream.acts(stored) if "command" in act[0].meta]
    return [*_steps(loaded.game, acts, line), *(replace(step, ahead=True) for step in _steps(loaded.game, acts, ahead - line))]


def _paths(stored: Sequence[StoredEvent], since: int) -> tuple[set[int], set[int]]:
    """Return the versions of the events that led here, and those of the longest path through here that was gone back from."""
    # For each version the event that the path to it ends with, and for each event the one before it: paths share their beginning.
    ends, before = {since: since}, {since: since}
    here = since
    left: list[int] = []  # the ends of the paths that were gone back from, with nothing played since
    for one in stored:
        if one.type == Rewound.TYPE:
            left.append(here)
            here = ends.get(Rewound.of(one.data).to, since)
        else:
            before[one.version], here = here, one.version
            left = []  # nothing was gone back from that comes after it
        ends[one.version] = here
    line = set(_path(before, here, {since}))
    ahead, last = {since, *line}, here
    for end in reversed(left):
        path = _path(before, end, ahead)
        if path and before[path[-1]] != last:
            break  # what was gone back from before goes through neither
        ahead.update(path)
        last = path[0] if path else last
    return line, ahead - {since}


def _path(before: dict[int, int], end: int, known: set[int]) -> list[int]:
    """Return the versions of the events on the way to an event, newest first, as far as they are not known yet."""
    path = []
    while end not in known:
        path.append(end)
        end = before[end]
    return path


def _steps(game: Game, acts: Sequence[Sequence[StoredEvent]], path: set[int]) -> list[Step]:
    """Return the acts with events on a path. One that went back itself, as a reaction may, has its command before them."""
    steps = []
    for act in acts:
        if left := [one for one in act if one.version in path]:
            meta = act[0].meta
            events = tuple(stream.lift(game, one) for one in left)
            steps.append(Step(act[-1].version, meta["actor"].get("seat", 0), meta["command"], events))
    return steps


# --- keeping a line ---


def keep(access: Access) -> list[Premove]:
    """Keep the line on a board as conditional orders of its match. Raises `Refused`."""
    line = read(access)
    seat = line.access.seat
    assert seat is not None
    assert access.user is not None
    match, since, laid = line.access.match, line.since, line.laid
    return branches.keep(match=match, seat=seat.index, user=access.user, line=line.branches, since=since, laid=laid)


def read(access: Access) -> Line:
    """Return the line on a board as it can be kept now. Raises `Refused` with the reason why nothing of it can be."""
    origin, begun = _origin(access)
    board = loading.load(access.match.id, access.match.game)
    seat = origin.viewer
    assert seat is not None
    wanted = [step for step in steps(board) if not step.ahead and _counts(board.game, step, seat)]
    if len(wanted) > MOST_STEPS:
        detail = say("A line has at most {most} steps; this one has {count}.", most=MOST_STEPS, count=len(wanted))
        raise Refused("line_too_long", detail)
    loaded = loading.load(origin.match.id, origin.match.game)
    at, shown = forks.settled_version(loaded, seat, begun)
    tried = _tried(loading.load_at(loaded.game, loaded.match_id, at).timeline, seat, wanted)
    stored = STORE.read(loaded.match_id, at, loaded.version)
    played = _played(loaded, seat, stored, at, tried) if _leads_here(stored, at, shown) else None
    if played is None:
        raise Refused("line_left", say(branches.LEFT))
    line, ended = _branches(seat, tried[len(played) :])
    missing = [ended.command] if ended is not None else [step.command for step in wanted[len(tried) :]]
    ends = board.game.render(missing[0]) if missing else ""
    if not line and ends:
        why = say("It cannot be kept: at {order} chance decides, or something that you cannot see.", order=ends)
        raise Refused("line_uncertain", why)
    if not line:
        raise Refused(
            "no_answer", say("Play an act of another player and your answer to it. An answer is what an order can keep.")
        )
    laid = played[-1].seen_version if played else shown
    return Line(origin, loaded.version, laid, line, ends)


def open_board(access: Access, branch: Premove, **options: Any) -> Match:
    """Open an analysis board at the present position, and play the way to a branch on it. Raises as `forks.fork`."""
    loaded = loading.load(access.match.id, access.match.game)
    way = [branch]
    while (before := way[0].after) is not None and before.status in conditions.OPEN:
        way.insert(0, before)
    board = forks.fork(access=access, version=loaded.viewer_version(access.viewer), board=True, **options)
    assert access.user is not None
    for row in way:
        played = [(row.condition["seat"], row.condition["command"]), *((row.seat, command) for command in row.commands)]
        for seat, command in played:
            now = loading.load(board.id, board.game)
            turns.submit(
                match=board,
                sender=Sender.player(access.user.pk, seat, "web"),
                command=command,
                expected_version=now.viewer_version(seat),
                command_id=uuid.uuid4(),
            )
    return board


def behind(access: Access) -> Access | None:
    """Return the running match of the user from which a board began, as they may use it; None if there is none."""
    try:
        return _origin(access)[0]
    except Refused:
        return None


def _origin(access: Access) -> tuple[Access, int]:
    """Return the match behind a board and the version it began from. Raises `Refused` unless the user plays on there."""
    if not access.match.board:
        raise Refused("not_a_board", say("Only the line of an analysis board can be kept."))
    row = Beginning.objects.filter(match=access.match).values_list("origin", "version", "seat").first()
    refused = Refused("no_match_behind", say("This board began from no running match in which you have that seat."))
    if row is None or row[0] is None or row[1] is None:
        raise refused
    try:
        origin = access_match(user=access.user, ident=str(row[0]))
    except Unknown:
        raise refused from None
    if origin.match.board or origin.match.status != Match.Status.RUNNING or origin.seat is None or origin.viewer != row[2]:
        raise refused
    return origin, row[1]


def _counts(game: Game, step: Step, seat: int) -> bool:
    """Return True for a step of a line: neither standing orders, nor an act that the seat would not see."""
    if game.standing_orders is not None and step.command["name"] == game.standing_orders.command:
        return False
    return step.seat == seat or any(see_event(game, event, seat) is not None for event in step.events)


def _tried(real: Timeline, seat: int, wanted: Sequence[Step]) -> list[Branch]:
    """Return the steps that go the same way on every deal, each as its seat sees it, up to the first that does not.

    One's own act may show something new, if nothing that follows hangs on it; then it is here without events.
    """
    began = time.thread_time()
    deals = [previews.dealt(real, seat) for _ in range(previews.DEALS)]
    tried: list[Branch] = []
    for step in wanted:
        if time.thread_time() - began > previews.CPU_SECONDS:
            break
        looks = [_look(deal, step, seat) for deal in deals]
        certain = all(look == looks[0] for look in looks)
        if None in looks or (not certain and step.seat != seat):
            break
        tried.append(Branch(step.seat, step.command, (certain and looks[0]) or []))
    return tried


def _look(deal: Timeline, step: Step, seat: int) -> list[JsonObject] | None:
    """Play a step on a deal, and return it as the seat sees it; None if the rules refuse it there."""
    try:
        run = deal.command(step.seat, step.command, Dice(KeyedSource(system.token_bytes(32)), deal.draws))
    except Refused:
        return None
    deal.follow(run)
    return conditions.seen_act(deal.game, run.events, seat)


def _leads_here(stored: Sequence[StoredEvent], at: int, shown: int) -> bool:
    """Return True if the position of the match follows from the one at version `at`, given all events since.

    It does not where the match has gone back behind `shown`, the last version before `at` that the seat knows, and not come back.
    What nobody else saw of an undo changes nothing.
    """
    following, leads = set[int](), True
    for one in stored:
        if one.type == Rewound.TYPE and not (back := Rewound.of(one.data)).private:
            leads = shown <= back.to <= at or back.to in following
        if leads:
            following.add(one.version)
    return leads


def _played(
    loaded: Loaded, seat: int, stored: Sequence[StoredEvent], since: int, tried: Sequence[Branch]
) -> list[branches.Seen] | None:
    """Return the acts with which the match has followed the line since the board began; None if it made others."""
    acts = conditional_orders.standing_acts(stored, since)
    known = (branches.Seen(loaded, act, seat) for act in acts)
    seen = list(itertools.islice((one for one in known if one.visible and not one.is_private), len(tried) + 1))
    if len(seen) > len(tried) or not all(_same(act, step, seat) for act, step in zip(seen, tried, strict=False)):
        return None
    return seen


def _same(act: branches.Seen, step: Branch, seat: int) -> bool:
    """Return True if an act of the match is this step: one's own by its command, another's by what is seen of it."""
    if act.is_own or step.seat == seat:
        return act.is_own and act.command == step.command
    return conditions.seen_act(act.game, act.events, seat) == step.act


def _branches(seat: int, tried: Sequence[Branch]) -> tuple[list[Branch], Branch | None]:
    """Return steps as branches, and the one at which they end, if it is before the last.

    One's own acts are answers to the act before them; those before any other's must be made by hand, so the tree waits for
    them too. Acts at the end without an answer are left out.
    """
    line: list[Branch] = []
    ends = None
    for step in tried:
        if step.seat == seat and any(one.seat != seat for one in line):
            line[-1].answers.append(step.command)
        elif step.act:
            line.append(step)
        else:
            ends = step
            break
    while line and not line[-1].answers:
        line.pop()
    return line, ends
