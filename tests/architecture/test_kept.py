"""Everything that a process keeps in memory between requests is named here with its bound.

What is kept by what people send must be bounded in number and in length: otherwise anybody can fill the memory.
"""

from __future__ import annotations

import ast

import pytest

from tests.architecture import kept

REGISTERED = "what modules register when they are loaded"
ONE = "one value"
SETTING = "one for each value of a setting"
TYPES = "one for each type of the program"
GAMES = "one for each game"
BOUNDS = {
    "accounts.erasure._before": REGISTERED,
    "accounts.erasure._erasers": REGISTERED,
    "accounts.network._networks": SETTING,
    "accounts.oauth.grants._server": ONE,
    "accounts.operators._closed": REGISTERED,
    "accounts.retention._ended": "one for each rule of retention",
    "accounts.throttling._statement": "one for each number of limits that the program counts together",
    "accounts.tokens._find": ONE,
    "accounts.validators._top_level_domains": ONE,
    "accounts.validators.zone_names": ONE,
    "events.proofs.checkpoints._trees": "TREES checkpoints",
    "events.store._alone_query": "512 statements, by numbers of events and texts of the program",
    "events.store._within_query": "512 statements, by numbers of events and texts of the program",
    "gamesvc.api.live.tickets._cipher": SETTING,
    "gamesvc.api.openapi.examples._recorded": ONE,
    "gamesvc.database.direct._numbered": "1,000 statements of the program",
    "gamesvc.database.rows._fields": "one for each model",
    "gamesvc.database.rows._inserting": "one for each model",
    "gamesvc.embedded.environment._held": REGISTERED,
    "gamesvc.games.drawing.font._width": "5,000 texts of pictures, of 100 characters at most (limits.LONGEST_TEXT)",
    "gamesvc.games.drawing.paper._icon_shapes": "icons times colours",
    "gamesvc.games.drawing.paper.number": "10,000 numbers",
    "gamesvc.games.drawing.sheets._seen": "10,000 elements of pictures, of 400 bytes at most",
    "gamesvc.games.kernel.codec.reading._field_readers": TYPES,
    "gamesvc.games.kernel.codec.reading._reader": TYPES,
    "gamesvc.games.kernel.codec.writing._field_writers": TYPES,
    "gamesvc.games.kernel.codec.writing._namer": TYPES,
    "gamesvc.games.kernel.codec.writing._writer": TYPES,
    "gamesvc.games.kernel.frozen._fields": TYPES,
    "gamesvc.games.kernel.limits.fields": TYPES,
    "gamesvc.games.kernel.typed._KEYS": TYPES,
    "gamesvc.games.lessons.lesson": GAMES,
    "gamesvc.games.lessons.position": "200 positions of the lessons",
    "gamesvc.games.schemas._view": GAMES,
    "gamesvc.games.secrecy._words": "20,000 small parts of views; self-play alone asks",
    "gamesvc.games.space_fleet_commander.bots.fleets.plan_fleet": "2,000 formations of six dice",
    "gamesvc.games.space_fleet_commander.bots.greedy._keeps": "252 results of five dice: invariants refuse more of a colour",
    "gamesvc.games.space_fleet_commander.bots.greedy._rolls": "5 numbers of dice: invariants refuse more of a colour",
    "gamesvc.games.space_fleet_commander.bots.odds.chance": "20,000 numbers",
    "gamesvc.games.space_fleet_commander.rules.missions.met": "200,000 results of 250 bytes: 50 MB",
    "gamesvc.games.space_fleet_commander.rules.missions.steps_to": "200,000 results of 250 bytes: 50 MB",
    "gamesvc.games.space_fleet_commander.secrecy.view.board_view": "maps times options",
    "gamesvc.games.space_war.rules.decision.TASKS": REGISTERED,
    "gamesvc.games.space_war.text.help.rules_help": ONE,
    "gamesvc.games.specimen._view": GAMES,
    "gamesvc.games.star_commander.rules.computed._compute": "KNOWN states of matches",
    "gamesvc.games.star_commander.state.distance": "pairs of the cells of a board; commands are compared with those first",
    "gamesvc.games.star_commander.state.near": "cells of a board times distances",
    "gamesvc.games.star_commander.state.place": "cells of a board",
    "gamesvc.language._catalogue": "one for each language that is translated",
    "gamesvc.matches.access.selectors._seated": ONE,
    "gamesvc.matches.backoff._resting": "one for each match that failed within LONGEST_REST",
    "gamesvc.matches.clock.parsing._parsed": "512 policies that passed the schema, of 1 KB",
    "gamesvc.matches.clock.parsing._zones": ONE,
    "gamesvc.matches.clock.spans.holiday_places": ONE,
    "gamesvc.matches.clock.spans.holidays_of": "256 years of places",
    "gamesvc.matches.hints._published_at": "two names of tasks",
    "gamesvc.matches.mail_orders.blocks._id_of": GAMES,
    "gamesvc.matches.mail_orders.blocks._is_like": "2,000 words of LONGEST_LIKE characters, with the words of a game: 20 MB",
    "gamesvc.matches.mail_orders.held_orders._seated": ONE,
    "gamesvc.matches.notices.pictures.canvas._engine": ONE,
    "gamesvc.matches.notices.pictures.outlines._commands": ONE,
    "gamesvc.matches.notices.pictures.outlines._font": "three fonts",
    "gamesvc.matches.notices.pictures.outlines._glyph": "the glyphs of three fonts",
    "gamesvc.matches.notices.pictures.outlines.outline": "MOST_TEXTS of 2 KB on average",
    "gamesvc.matches.notices.pictures.png.to_png": "8 pictures with their SVG, of some 100 KB",
    "gamesvc.matches.notices.pictures.shades._wanted": "four palettes",
    "gamesvc.matches.notices.pictures.shades.palette": ONE,
    "gamesvc.matches.notices.pictures.tiles.STRIPS": "MOST_STRIPS of 6 KB on average",
    "gamesvc.matches.notices.pictures.tiles.TILES": "MOST_TILES of 14 KB: 35 MB",
    "gamesvc.matches.play.bots.SPENT": "users whose bots were over their allowance within minutes",
    "gamesvc.matches.record.loading._from_positions": "REMEMBERED_POSITIONS ids",
    "gamesvc.matches.record.loading._remembered": "REMEMBERED matches of 60 KB, REMEMBERED_POSITIONS of them of 1.4 MB",
    "gamesvc.matches.record.secrets._keys": SETTING,
    "gamesvc.matches.record.snapshots.fingerprint": GAMES,
    "gamesvc.matches.timekeeping.last_orders._keepers": REGISTERED,
    "gamesvc.matches.timekeeping.vacations._resting": "one for each match that took all the time of a task within REST",
    "gamesvc.request_limits.computing_time.SHARES": "KEPT holders, or twice those of the last hour",
    "gamesvc.request_limits.computing_time._known": "KEPT hashes",
    "gamesvc.request_limits.long_answers._reading": "AT_ONCE holders",
    "gamesvc.request_limits.valkey": SETTING,
    "gamesvc.sent_tasks._valkey": SETTING,
    "gamesvc.settings.environment.declarations": "one for each setting",
    "gamesvc.web.common.markdown.contents": "16 texts of the games",
    "gamesvc.web.common.markdown.render": "16 texts of the games",
    "gamesvc.web.common.markdown.sections": "16 texts of the games",
    "gamesvc.web.docs.guides.guides": ONE,
    "gamesvc.web.docs.reference.reference": ONE,
    "gamesvc.web.templatetags.around_tags._drawn": GAMES,
    "gamesvc.web.templatetags.web_tags._drawn": "one for each seat",
    "notifications.channels._channels": REGISTERED,
    "notifications.hints._broker": SETTING,
    "notifications.inbound.proving.authentication._suffixes": ONE,
    "notifications.inbound.proving.names._silent": "_MOST_SILENT domains",
    "notifications.inbound.proving.names._unanswered": "MOST_LATELY moments",
    "notifications.inbound.purposes._handlers": REGISTERED,
    "notifications.inbound.purposes._weighing": REGISTERED,
    "notifications.inbound.store._claim": ONE,
    "notifications.other_channels.outward._of_users": "users with a transfer at this moment",
    "notifications.other_channels.subscriptions._looks": REGISTERED,
    "notifications.registry._facts": REGISTERED,
    "notifications.registry._kinds": REGISTERED,
    "notifications.registry._topics": REGISTERED,
    "notifications.retention._living": REGISTERED,
    "notifications.sending.calendar._sources": REGISTERED,
    "notifications.sending.digests._sources": REGISTERED,
    "notifications.sending.dkim._key": SETTING,
}


def test_everything_kept_has_a_bound():
    assert sorted(kept.kept()) == sorted(BOUNDS)


def test_caches_without_a_number_hold_few_results():
    """Give a cache a number where what people send decides what it is asked."""
    few = (ONE, SETTING, TYPES, GAMES)
    others = {name for name in kept.unbounded() if BOUNDS[name] not in few}
    assert others == {
        "accounts.throttling._statement",
        "gamesvc.database.rows._fields",
        "gamesvc.database.rows._inserting",
        "gamesvc.games.drawing.paper._icon_shapes",
        "gamesvc.games.space_fleet_commander.bots.greedy._keeps",
        "gamesvc.games.space_fleet_commander.bots.greedy._rolls",
        "gamesvc.games.space_fleet_commander.secrecy.view.board_view",
        "gamesvc.games.star_commander.state.distance",
        "gamesvc.games.star_commander.state.near",
        "gamesvc.games.star_commander.state.place",
        "gamesvc.language._catalogue",
        "gamesvc.matches.notices.pictures.outlines._font",
        "gamesvc.matches.notices.pictures.outlines._glyph",
        "gamesvc.web.templatetags.web_tags._drawn",
    }


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("@functools.cache\ndef f(): ...", {"f"}),
        ("@lru_cache(maxsize=5)\ndef f(): ...", {"f"}),
        ("f = lru_cache(5)(g)", {"f"}),
        ("SEEN: dict[str, int] = {}\ndef f(a): SEEN[a] = 1", {"SEEN"}),
        ("if True:\n    seen = OrderedDict()\ndef f(a): seen.pop(a)", {"seen"}),
        ("TABLE = {1: 2}\ndef f(a): return TABLE[a]", set()),
    ],
)
def test_what_is_kept_is_found(text, found):
    tree = ast.parse(text)
    assert {*kept.cached(tree), *kept.changed(tree)} == found


@pytest.mark.parametrize(
    ("by", "bound"), [("lru_cache(5)", True), ("lru_cache", True), ("lru_cache(None)", False), ("cache", False)]
)
def test_a_cache_with_a_number_is_told_from_one_without(by, bound):
    assert kept.is_bound(ast.parse(by, mode="eval").body) == bound
