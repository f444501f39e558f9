"""Settings for a whole service in separate processes, on its own servers, with a sink for its mails."""

from __future__ import annotations

from pathlib import Path

from gamesvc import queues
from gamesvc.embedded import Servers
from gamesvc.ops.sink import MailSink


def environment_of(data: Path, servers: Servers, sink: MailSink, *, seconds_per_hour: int, **more: str) -> dict[str, str]:
    """Return the environment of such a service. Time runs fast, and sweeps come more often than in production."""
    return {
        "DJANGO_SETTINGS_MODULE": "gamesvc.settings.dev",
        "GAMESVC_DATA": str(data),
        "DATABASE_URL": servers.database_url,
        "DATABASE_OWNER_URL": servers.owner_url,
        "REDIS_URL": servers.redis_url,
        "SECRET_KEY": "a key for tests",
        "MATCH_KEYS": "t1:" + "A" * 43 + "=",
        "EMAIL_HOST": "127.0.0.1",
        "EMAIL_PORT": str(sink.port),
        "SECONDS_PER_HOUR": str(seconds_per_hour),
        "SWEEP_SECONDS": "1",
        **more,
    }


def workers(*alone: str) -> dict[str, tuple[str, ...]]:
    """Return one Celery worker for all queues, which starts sooner than five, beside those `alone` that tests stop or kill."""
    shared = tuple(queue for name, listens in queues.WORKERS.items() if name not in alone for queue in listens)
    return {"worker": shared, **{name: queues.WORKERS[name] for name in alone}}
