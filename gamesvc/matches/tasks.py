"""Tasks: each takes ids, calls one service and holds no rules."""

from __future__ import annotations

from uuid import UUID

from celery import shared_task

from gamesvc.matches import clocks, lobby, robots


@shared_task(ignore_result=True)  # type: ignore[untyped-decorator]
def play_bots(match_id: str) -> int:
    return robots.play(UUID(match_id))


@shared_task(ignore_result=True)  # type: ignore[untyped-decorator]
def sweep_bots() -> int:
    """Find bots whose turn was forgotten."""
    return sum(robots.play(match_id) for match_id in robots.forgotten())


@shared_task(ignore_result=True)  # type: ignore[untyped-decorator]
def sweep_deadlines() -> int:
    return clocks.sweep()


@shared_task(ignore_result=True)  # type: ignore[untyped-decorator]
def sweep_lobby() -> int:
    return lobby.lapse_matches()
