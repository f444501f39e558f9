"""The order grammar for each prompt, short enough for a mail."""

from __future__ import annotations

from gamesvc.games.kernel.wording import capital

_CARDS = "Cards: A attack, M move, B build, T trade, R research, + for power: 2A 1M+. `pay ...` chooses the payment."
_OWN = "own time: disaster Blue fleet E5; spy Blue; spy deck; piracy Blue; planning; treaty Blue; raid Blue C4; scout E5 E6"
_HELP: dict[str, tuple[str, ...]] = {
    "homeworld": ("home A1 (or J1, A10, J10)",),
    "ability_draft": ("pick ABILITY, e.g. pick warfleet",),
    "pick_ability": ("pick ABILITY, e.g. pick warfleet",),
    "retool": ("retool 1A 2M (discard up to 3, then all draw)", "retool none", _CARDS),
    "trade": (
        "external Blue (take a card for 1 Trade)",
        "internal 2A 1M (discard them with 1 Trade, draw one more)",
        "research (1 Research: draw 2)",
        "offer Blue give 1T want 1M; accept 7; reject 7; withdraw 7",
        "end phase; end turn",
        _OWN,
        _CARDS,
    ),
    "trade_reply": ("accept 7 (or just accept)", "reject 7"),
    "support": (
        "support 2B disband C4 1F E5 1W",
        "support none disband C4 2F",
        "support 2 (Build cards alone)",
    ),
    "build": (
        "fleet (at home); fleet C4 (Expansion); warfleet",
        "colonize C4; stargate C4; terraform C4; ally C4; breakthrough",
        "end phase; end turn",
        _OWN,
        _CARDS,
    ),
    "movement": (
        "move E5 F5 2F 1W free (all fleets and the free move are assumed)",
        "move E5 F5 paid; gate A1 F6 3F; jump E5 J9 2F; defend C4 2F E5 1F",
        "move E5 F5 then battle; move E5 F5 then end (played at once if nobody answers the move)",
        "end phase; end turn",
        _OWN,
        _CARDS,
    ),
    "battle": ("battle D5", "end phase", _OWN),
    "battle_call": ("call D5", "pass"),
    "commit": ("commit 2A 1R", "commit none", _CARDS),
    "window": ("pass", "block (2 Trade)", "sabotage (3 Attack)", "retreat D6 2F (1 Move)", "defend C4 2F (5 Move)", _CARDS),
}
_ANY_TIME = (
    "Any time: orders retreat auto; diplomacy ask any; sabotage ask all; defend auto; fight peace; commit 3; offers reject",
    "Any time: spy Blue; resign",
)


def order_help(prompt: str | None) -> str:
    """Return the grammar for a prompt, or all of it."""
    if prompt is None:
        lines = [f"{name}: {line}" for name, entries in _HELP.items() for line in entries if line not in (_CARDS, _OWN)]
        return "\n".join([*lines, capital(_OWN), *_ANY_TIME, _CARDS])
    return "\n".join(_HELP.get(prompt, ()) + _ANY_TIME[:1])
