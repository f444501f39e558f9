"""The settings that come from the environment. The table in `deploy/README.md` explains each; a test compares the two.

`environs` reads them: it is typed, checks ranges and choices, and finds every wrong variable of a start, not just the first.
"""

import os
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

from django.core.exceptions import ImproperlyConfigured
from environs import Env, EnvValidationError, ValidationError, validate


class Declared(NamedTuple):
    """A variable as the table shows it. `takes` completes the sentence of a refusal; a secret value is not repeated there."""

    kind: str
    default: str
    takes: str
    secret: bool = False


declarations: dict[str, Declared] = {}
_env = Env(eager=False)


def _given(name: str) -> bool:
    """Return True unless a variable is absent or empty: an empty number, flag or choice leaves the default."""
    return bool(os.environ.get(name))


def _text(name: str, default: str = "", *, shown: str = "") -> str:
    declarations[name] = Declared("text", shown or default, "any text")
    return _env.str(name, default)


def _path(name: str, default: str | Path, *, shown: str = "") -> Path:
    declarations[name] = Declared("path", shown or str(default), "the path of a file or folder")
    return _env.path(name, Path(default))


def _names(name: str, default: str = "") -> list[str]:
    """Read a list with commas between its entries; empty ones do not count."""
    declarations[name] = Declared("list", default, "names with commas between them")
    return [entry.strip() for entry in _env.list(name, default.split(","), subcast=str) if entry.strip()]


def _whole(name: str, default: int, *, low: int = 0, high: int | None = None) -> int:
    limits = f"from {low} to {high}" if high else f"of {low} or more"
    declarations[name] = Declared("whole number", str(default), f"a whole number {limits}, such as {default}")
    return _env.int(name, default, validate=validate.Range(low, high)) if _given(name) else default


def _number(name: str, default: float, *, zero: bool = False) -> float:
    limits = "of 0 or more" if zero else "above 0"
    declarations[name] = Declared("number", f"{default:g}", f"a number {limits}, such as {default:g}")
    fits = validate.Range(0, min_inclusive=zero)
    return _env.float(name, default, validate=fits) if _given(name) else float(default)


def _flag(name: str, default: bool) -> bool:
    declarations[name] = Declared("1 or 0", str(int(default)), "1 for yes or 0 for no")
    return _env.bool(name, default) if _given(name) else default


def _choice(name: str, default: str, *others: str) -> str:
    choices = (default, *others)
    declarations[name] = Declared(", ".join(choices[:-1]) + " or " + choices[-1], default, "one of " + ", ".join(choices))
    return _env.str(name, default, validate=validate.OneOf(choices)) if _given(name) else default


def _url(name: str, default: str, *schemes: str, shown: str = "", secret: bool = True) -> str:
    """Read an address. One that may hold a password is a secret."""
    takes = f"an address that begins with {' or '.join(f'{scheme}://' for scheme in schemes)}"
    declarations[name] = Declared("address", shown or default, takes, secret)

    def check(value: str) -> None:
        try:
            parts = urlsplit(value)
            fits = parts.scheme in schemes and parts.port != 0
        except ValueError:
            fits = False
        if value and not fits:
            raise ValidationError(takes)

    return _env.str(name, default, validate=check)


# Data and keys
DATA_DIR = _path("GAMESVC_DATA", "var").absolute()
SECRET_KEY = _text("SECRET_KEY")
MATCH_KEYS = _text("MATCH_KEYS")
CHECKPOINT_KEY = _text("CHECKPOINT_KEY")
CHECKPOINT_FILE = _path("CHECKPOINT_FILE", DATA_DIR / "checkpoints.jsonl", shown="checkpoints.jsonl in GAMESVC_DATA")

# Servers and addresses
DATABASE_URL = _url("DATABASE_URL", "postgresql:///gamesvc", "postgresql", "postgres")
DATABASE_OWNER_URL = _url("DATABASE_OWNER_URL", DATABASE_URL, "postgresql", "postgres", shown="as DATABASE_URL")
REDIS_URL = _url("REDIS_URL", "redis://localhost:6379/0", "redis", "rediss", "redis+socket")
BASE_URL = _url("BASE_URL", "http://localhost:8000", "http", "https", secret=False)
ALLOWED_HOSTS = _names("ALLOWED_HOSTS", "localhost,127.0.0.1,[::1]")
LIVE_URL = _url("LIVE_URL", "", "http", "https", secret=False)
TRUSTED_PROXIES = _names("TRUSTED_PROXIES")
INSTANCE = _text("GAMESVC_INSTANCE")
LOG_LEVEL = _choice("LOG_LEVEL", "INFO", "DEBUG", "WARNING", "ERROR", "CRITICAL")
ACCOUNT_EMAIL_VERIFICATION = _choice("ACCOUNT_EMAIL_VERIFICATION", "mandatory", "optional", "none")

# Mail out
EMAIL_BACKEND = _text("EMAIL_BACKEND", "django.core.mail.backends.smtp.EmailBackend")
EMAIL_HOST = _text("EMAIL_HOST", "localhost")
EMAIL_PORT = _whole("EMAIL_PORT", 25, low=1, high=65535)
EMAIL_HOST_USER = _text("EMAIL_HOST_USER")
EMAIL_HOST_PASSWORD = _text("EMAIL_HOST_PASSWORD")
EMAIL_USE_TLS = _flag("EMAIL_USE_TLS", False)
DKIM_KEY = _text("DKIM_KEY")
DKIM_SELECTOR = _text("DKIM_SELECTOR")
MAIL_DOMAIN = _text("MAIL_DOMAIN", "gamesvc.example")
DEFAULT_FROM_EMAIL = _text("DEFAULT_FROM_EMAIL", f"gamesvc <play@{MAIL_DOMAIN}>", shown="gamesvc <play@MAIL_DOMAIN>")
MAIL_PICTURE_WIDTH = _whole("MAIL_PICTURE_WIDTH", 1080, low=1)
NOTICE_BATCH_MINUTES = _whole("NOTICE_BATCH_MINUTES", 10)
NOTICE_RECEIPT_MINUTES = _whole("NOTICE_RECEIPT_MINUTES", 10)
NOTICE_SUBJECT_PER_TURN = _flag("NOTICE_SUBJECT_PER_TURN", False)
WEBHOOK_TRUSTED_HOSTS = _names("WEBHOOK_TRUSTED_HOSTS")
CHAT_TRUSTED_HOSTS = _names("CHAT_TRUSTED_HOSTS")

# Mail in
REPLY_DOMAIN = _text("REPLY_DOMAIN")
REPLY_MAILBOX = _text("REPLY_MAILBOX")
INBOUND_AUTH = _choice("INBOUND_AUTH", "border", "own", "loopback")
INBOUND_AUTHSERV_ID = _text("INBOUND_AUTHSERV_ID")
INBOUND_ANSWERS_PER_DAY = _whole("INBOUND_ANSWERS_PER_DAY", 300)
INBOUND_MAILS_PER_ADDRESS = _whole("INBOUND_MAILS_PER_ADDRESS", 60)
INBOUND_MAILS_PER_USER = _whole("INBOUND_MAILS_PER_USER", 300)
MAILSERVER_CONNECTIONS = _whole("MAILSERVER_CONNECTIONS", 200)
MAILSERVER_CONNECTIONS_PER_ADDRESS = _whole("MAILSERVER_CONNECTIONS_PER_ADDRESS", 20)
MAILSERVER_SESSION_SECONDS = _number("MAILSERVER_SESSION_SECONDS", 600)
MAILSERVER_COMMANDS = _whole("MAILSERVER_COMMANDS", 500)
MAILSERVER_UNKNOWN_PER_CONNECTION = _whole("MAILSERVER_UNKNOWN_PER_CONNECTION", 5)
MAILSERVER_UNKNOWN_PER_HOUR = _whole("MAILSERVER_UNKNOWN_PER_HOUR", 100)
IMAP_URL = _url("IMAP_URL", "", "imaps", "imap")
IMAP_TAKEN_FOLDER = _text("IMAP_TAKEN_FOLDER")
IMAP_SECONDS = _number("IMAP_SECONDS", 20)
WEBHOOK_SECRETS = _names("WEBHOOK_SECRETS")
# Whatever django-anymail takes: which names there are depends on the provider.
ANYMAIL_SETTINGS = {name.removeprefix("ANYMAIL_"): value for name, value in os.environ.items() if name.startswith("ANYMAIL_")}

# Clocks and sweeps
SWEEP_SECONDS = _number("SWEEP_SECONDS", 2)
HEARTBEAT_PROBES = _names("HEARTBEAT_PROBES")
HEARTBEAT_SECONDS = _number("HEARTBEAT_SECONDS", 5)
HEARTBEAT_GAP_SECONDS = _number("HEARTBEAT_GAP_SECONDS", 60)
DEADLINE_MARGIN_SECONDS = _number("DEADLINE_MARGIN_SECONDS", 0.5, zero=True)
SECONDS_PER_HOUR = _whole("SECONDS_PER_HOUR", 3600, low=1)
VACATION_DAYS_PER_YEAR = _whole("VACATION_DAYS_PER_YEAR", 28)
SUBSTITUTE_DAYS = _number("SUBSTITUTE_DAYS", 3, zero=True)

# Limits
MATCHES_OPEN_PER_USER = _whole("MATCHES_OPEN_PER_USER", 50)
MATCHES_PER_DAY = _whole("MATCHES_PER_DAY", 200)
MATCHES_PER_MINUTE = _whole("MATCHES_PER_MINUTE", 10)
RATE_LIMIT_PER_ADDRESS = _whole("RATE_LIMIT_PER_ADDRESS", 1200)
RATE_LIMIT_PER_USER = _whole("RATE_LIMIT_PER_USER", 600)
RATE_LIMIT_PER_TOKEN = _whole("RATE_LIMIT_PER_TOKEN", 300)
RATE_LIMIT_HISTORY = _whole("RATE_LIMIT_HISTORY", 120)
RATE_LIMIT_ACTS = _whole("RATE_LIMIT_ACTS", 30_000)
RATE_LIMIT_SECONDS = _whole("RATE_LIMIT_SECONDS", 6)
STREAMS_PER_ADDRESS = _whole("STREAMS_PER_ADDRESS", 200)
STREAMS_PER_USER = _whole("STREAMS_PER_USER", 30)
STREAMS_PER_TOKEN = _whole("STREAMS_PER_TOKEN", 10)

# Retention
SIGN_INS_KEPT_DAYS = _whole("SIGN_INS_KEPT_DAYS", 90)
TOKENS_KEPT_DAYS = _whole("TOKENS_KEPT_DAYS", 90)
REFUSALS_KEPT_DAYS = _whole("REFUSALS_KEPT_DAYS", 365)
REPORTS_KEPT_DAYS = _whole("REPORTS_KEPT_DAYS", 365)
NOTICES_KEPT_DAYS = _whole("NOTICES_KEPT_DAYS", 90)
BOUNCES_KEPT_DAYS = _whole("BOUNCES_KEPT_DAYS", 365)
INBOUND_MAILS_KEPT_DAYS = _whole("INBOUND_MAILS_KEPT_DAYS", 30)


def _refusal(name: str) -> str:
    declared = declarations[name]
    value = "" if declared.secret else f"={os.environ[name]!r}"
    return f"{name}{value} cannot be used: set it to {declared.takes}."


try:
    _env.seal()
except EnvValidationError as _fault:
    _lines = [*map(_refusal, _fault.error_messages), "deploy/README.md lists all settings."]
    raise ImproperlyConfigured("\n".join(_lines)) from None
