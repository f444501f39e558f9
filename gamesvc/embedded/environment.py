"""The environment of an embedded run: addresses of the servers started here, and secrets kept in the data folder."""

from __future__ import annotations

import base64
import contextlib
import os
import secrets
import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from gamesvc.embedded import EmbeddedError, Servers, use

_held: list[Servers] = []  # keeps the servers in use until this process ends


def provide(data_dir: Path) -> None:
    """Set missing variables: DATABASE_URL, DATABASE_OWNER_URL, REDIS_URL and the secrets.

    Raises `EmbeddedError` with a one-sentence reason.
    """
    data_dir = data_dir.absolute()
    provide_secrets(data_dir)
    postgres, valkey = "DATABASE_URL" not in os.environ, "REDIS_URL" not in os.environ
    if not (postgres or valkey):
        return
    servers = use(data_dir, postgres=postgres, valkey=valkey)
    _held.append(servers)
    if postgres:
        os.environ["DATABASE_URL"] = servers.database_url
        os.environ["DATABASE_OWNER_URL"] = servers.owner_url
    if valkey:
        os.environ["REDIS_URL"] = servers.redis_url


def provide_secrets(data_dir: Path) -> None:
    """Set missing secrets from a data folder. They are created at their first use."""
    data_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
    for name, value in _secrets(data_dir / "secrets").items():
        os.environ.setdefault(name, value)


def mend() -> None:
    """Restart the servers held by `provide` that have died."""
    for servers in _held:
        servers.mend()


def release() -> None:
    """Release the servers held by `provide`. The last process to do so stops them."""
    while _held:
        _held.pop().release()


# Variables that lead to the data, mail and mailboxes of a real service. A temporary run must reach none of them.
_OF_A_SERVICE = {
    *(
        "DATABASE_URL",
        "DATABASE_OWNER_URL",
        "REDIS_URL",
        "GAMESVC_DATA",
        "CHECKPOINT_FILE",
        "BASE_URL",
        "LIVE_URL",
        "ALLOWED_HOSTS",
    ),
    *(
        "SECRET_KEY",
        "MATCH_KEYS",
        "CHECKPOINT_KEY",
        "DKIM_KEY",
        "DKIM_SELECTOR",
        "WEBHOOK_SECRETS",
        "IMAP_URL",
        "IMAP_TAKEN_FOLDER",
    ),
    *("EMAIL_BACKEND", "EMAIL_HOST", "EMAIL_PORT", "EMAIL_HOST_USER", "EMAIL_HOST_PASSWORD", "EMAIL_USE_TLS", "HEARTBEAT_PROBES"),
    *("MAIL_DOMAIN", "DEFAULT_FROM_EMAIL", "REPLY_DOMAIN", "REPLY_MAILBOX", "INBOUND_AUTH", "INBOUND_AUTHSERV_ID"),
}


RATE_LIMITS = tuple(f"RATE_LIMIT_{name}" for name in ("PER_ADDRESS", "PER_USER", "PER_TOKEN", "HISTORY", "ACTS", "SECONDS"))


@contextlib.contextmanager
def throwaway(prefix: str, *, servers: bool = True) -> Iterator[Path]:
    """Yield a temporary data folder, with `os.environ` set to its own servers and secrets only.

    Benches, the demo and the simulation run there, so they neither fill nor slow down a real service. Afterwards the servers are
    stopped, the folder is removed and the environment is restored. Without `servers` the folder has only secrets, for an `up`
    that starts its own servers.
    """
    before = dict(os.environ)
    folder = Path(tempfile.mkdtemp(prefix=prefix))
    for name in before:
        if name in _OF_A_SERVICE or name.startswith("ANYMAIL_"):
            del os.environ[name]
    os.environ["GAMESVC_DATA"] = str(folder)
    # Programs there send requests faster than any user, all from one address.
    os.environ |= dict.fromkeys(RATE_LIMITS, "0")
    try:
        provide(folder) if servers else provide_secrets(folder)
        yield folder
    finally:
        release()
        shutil.rmtree(folder, ignore_errors=True)
        os.environ.clear()
        os.environ.update(before)


def _secrets(folder: Path) -> dict[str, str]:
    folder.mkdir(mode=0o700, exist_ok=True)
    made: dict[str, Callable[[], str]] = {
        "SECRET_KEY": lambda: secrets.token_urlsafe(50),
        "MATCH_KEYS": lambda: f"k1:{base64.b64encode(secrets.token_bytes(32)).decode()}",
        "CHECKPOINT_KEY": lambda: base64.b64encode(secrets.token_bytes(32)).decode(),
    }
    found = {}
    for name, make in made.items():
        path = folder / name
        if not path.exists():
            keep(path, make())
        found[name] = path.read_text(encoding="ascii")
        if not found[name]:
            raise EmbeddedError(f"{path} is empty; remove it, or restore it from a backup.")
    return found


def keep(path: Path, secret: str) -> None:
    """Write a secret, completely and durably before anything is sealed with it.

    If another process was faster, its secret stays.
    """
    fresh = path.with_name(f"{path.name}.{secrets.token_hex(8)}.new")
    descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w", encoding="ascii") as file:
        file.write(secret)
        file.flush()
        os.fsync(file.fileno())
    with contextlib.suppress(FileExistsError):
        os.link(fresh, path)
    fresh.unlink()
    for folder in (path.parent, path.parent.parent):
        entries = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(entries)
        finally:
            os.close(entries)
