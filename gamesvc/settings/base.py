"""Settings shared by all environments. Every secret and address comes from the environment; README.md lists the names."""

import os
import sys
from pathlib import Path
from urllib.parse import parse_qs, unquote, urlsplit

from gamesvc import queues

BASE_DIR = Path(__file__).resolve().parents[2]
DATA_DIR = Path(os.environ.get("GAMESVC_DATA", "var")).absolute()

SECRET_KEY = os.environ.get("SECRET_KEY", "")
# Keys that seal the secrets of running matches: "id:base64,id:base64". The first one seals, all of them open.
MATCH_KEYS = os.environ.get("MATCH_KEYS", "")
# Keys that sign the checkpoints over all matches: base64 of 32 bytes (Ed25519). The first signs; the others are still trusted.
CHECKPOINT_KEY = os.environ.get("CHECKPOINT_KEY", "")
CHECKPOINT_FILE = Path(os.environ.get("CHECKPOINT_FILE", str(DATA_DIR / "checkpoints.jsonl")))
DEBUG = False
ALLOWED_HOSTS = [host for host in os.environ.get("ALLOWED_HOSTS", "localhost,127.0.0.1,[::1]").split(",") if host]
BASE_URL = os.environ.get("BASE_URL", "http://localhost:8000")
CSRF_TRUSTED_ORIGINS = [BASE_URL]
# Addresses or networks of our own proxies (`unix`: through a socket file). Only their X-Forwarded-For is trusted.
TRUSTED_PROXIES = [name.strip() for name in os.environ.get("TRUSTED_PROXIES", "").split(",") if name.strip()]

# Set by `up`: the start of the service to which this process belongs, shown by /health/.
INSTANCE = os.environ.get("GAMESVC_INSTANCE", "")

INSTALLED_APPS = [
    # Without autodiscovery: the operators' site shows only what is registered there by name.
    "django.contrib.admin.apps.SimpleAdminConfig",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "allauth",
    "allauth.account",
    "allauth.mfa",
    "rest_framework",
    "drf_spectacular",
    "events",
    "accounts",
    "notifications",
    "gamesvc.matches",
    "gamesvc.api",
    "gamesvc.web",
    "gamesvc.ops",
]

MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    # Before everything that answers without a view: refused requests count too.
    "gamesvc.border.RateLimits",
    # Before anything reads the request: a cookie with U+0000 would be looked up among the sessions.
    "gamesvc.border.Border",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "gamesvc.web.common.private.Private",
    # No LocaleMiddleware: pages and API are English throughout, since a page half translated helps nobody. Mails use the language
    # of the account, and the pages behind their links choose it themselves.
    "gamesvc.web.common.slashes.Slashes",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "allauth.account.middleware.AccountMiddleware",
]

ROOT_URLCONF = "gamesvc.urls"
WSGI_APPLICATION = "gamesvc.wsgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "gamesvc" / "web" / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ]
        },
    }
]


def database(url: str) -> dict[str, object]:
    """Return Django's settings for a `postgresql://user:password@host:port/name` address; `?host=DIR` gives a socket folder."""
    parts = urlsplit(url)
    query = {key: values[-1] for key, values in parse_qs(parts.query).items()}
    return {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": unquote(parts.path.lstrip("/")),
        "USER": unquote(parts.username or ""),
        "PASSWORD": unquote(parts.password or ""),
        "HOST": query.pop("host", "") or parts.hostname or "",
        "PORT": query.pop("port", "") or (parts.port or ""),
        "CONN_MAX_AGE": None,
        "CONN_HEALTH_CHECKS": True,
        # Prepared on the server: the append and the reads of a turn are always the same few statements.
        "OPTIONS": {**query, "server_side_binding": True, "prepare_threshold": 2},
    }


DATABASE_URL = os.environ.get("DATABASE_URL", "postgresql:///gamesvc")
# The owner runs migrations. Everything else runs as a role that may only SELECT and INSERT in the event log.
DATABASE_OWNER_URL = os.environ.get("DATABASE_OWNER_URL", DATABASE_URL)
DATABASE_RUNTIME_ROLE = urlsplit(DATABASE_URL).username or ""
DATABASES = {"default": database(DATABASE_OWNER_URL if {"migrate", "prepare", "restore"} & set(sys.argv[1:2]) else DATABASE_URL)}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

REDIS_URL = os.environ.get("REDIS_URL", "redis://localhost:6379/0")
CELERY_BROKER_URL = REDIS_URL
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_ACKS_LATE = True
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
# Workers log like everything else, by LOGGING below.
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
# A missing broker must not delay a turn: the hint is dropped and the sweep finds the work.
CELERY_TASK_PUBLISH_RETRY = False
CELERY_BROKER_TRANSPORT_OPTIONS = {
    "socket_connect_timeout": 1,
    "socket_timeout": 30,
    "visibility_timeout": 3600,
    "max_retries": 0,
}
SWEEP_SECONDS = float(os.environ.get("SWEEP_SECONDS", "2"))
# The queue of each task, and its time limit.
CELERY_TASK_ROUTES = (queues.route,)
CELERY_TASK_ANNOTATIONS = (queues.Limits(),)
# Addresses that must answer for the service to count as able to take commands: http://host:port/path and tcp://host:port,
# separated by commas. Without a heartbeat for HEARTBEAT_GAP_SECONDS there was an outage, and deadlines within it are moved.
HEARTBEAT_PROBES = [door for door in os.environ.get("HEARTBEAT_PROBES", "").split(",") if door]
HEARTBEAT_SECONDS = float(os.environ.get("HEARTBEAT_SECONDS", "5"))
HEARTBEAT_GAP_SECONDS = float(os.environ.get("HEARTBEAT_GAP_SECONDS", "60"))
# Delay of a deadline: input received in time is stored and applied first. Sweep and margin together stay under 2 s.
DEADLINE_MARGIN_SECONDS = float(os.environ.get("DEADLINE_MARGIN_SECONDS", "0.5"))


def every(seconds: float, task: str) -> dict[str, object]:
    """Return an entry of the schedule. It expires when the next one comes, so that missed runs do not pile up."""
    return {"task": task, "schedule": seconds, "options": {"expires": seconds}}


CELERY_BEAT_SCHEDULE = {
    "heartbeat": every(HEARTBEAT_SECONDS, "gamesvc.matches.tasks.watch_outages"),
    # Twice as often as the rest: no deadline should be late by two seconds.
    "deadlines": every(SWEEP_SECONDS / 2, "gamesvc.matches.tasks.sweep_deadlines"),
    "conditional orders": every(SWEEP_SECONDS / 2, "gamesvc.matches.tasks.give_conditional_orders"),
    "held orders": every(2 * SWEEP_SECONDS, "gamesvc.matches.tasks.sweep_held_orders"),
    "bots": every(5 * SWEEP_SECONDS, "gamesvc.matches.tasks.sweep_bots"),
    "undo": every(5 * SWEEP_SECONDS, "gamesvc.matches.tasks.sweep_undo"),
    "lobby": every(300.0, "gamesvc.matches.tasks.sweep_lobby"),
    "substitutes": every(300.0, "gamesvc.matches.tasks.sweep_substitutes"),
    "snapshots": every(60.0, "gamesvc.matches.tasks.renew_snapshots"),
    "checkpoints": every(3600.0, "gamesvc.matches.tasks.make_checkpoint"),
    "statistics": every(5 * SWEEP_SECONDS, "gamesvc.matches.tasks.follow_statistics"),
    "reminders": every(10 * SWEEP_SECONDS, "gamesvc.matches.tasks.sweep_reminders"),
    "digests": every(10 * SWEEP_SECONDS, "notifications.tasks.sweep_digests"),
    "channels": every(SWEEP_SECONDS, "notifications.tasks.sweep_channels"),
    "outbox": every(SWEEP_SECONDS, "notifications.tasks.send_due"),
    "inbound": every(SWEEP_SECONDS, "notifications.inbound.tasks.sweep_mail"),
    "mailbox": every(float(os.environ.get("IMAP_SECONDS", "20")), "notifications.inbound.tasks.poll_mailbox"),
    "retention": every(3600.0, "gamesvc.matches.tasks.forget"),
}

CACHES = {
    "default": {
        # Not in Redis: users can sign in while the broker is down.
        "BACKEND": "django.core.cache.backends.db.DatabaseCache",
        "LOCATION": "cache",
        # Beyond this number a cache drops entries by name, among them counts of wrong passwords.
        "OPTIONS": {"MAX_ENTRIES": 20_000},
    }
}

from accounts.signing_in.allauth_settings import *  # noqa: F403, E402

AUTH_USER_MODEL = "accounts.User"
AUTHENTICATION_BACKENDS = [
    "django.contrib.auth.backends.ModelBackend",
    "allauth.account.auth_backends.AuthenticationBackend",
]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator"},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]
LOGIN_REDIRECT_URL = "/"

EMAIL_BACKEND = os.environ.get("EMAIL_BACKEND", "django.core.mail.backends.smtp.EmailBackend")
EMAIL_HOST = os.environ.get("EMAIL_HOST", "localhost")
EMAIL_PORT = int(os.environ.get("EMAIL_PORT", "25"))
EMAIL_HOST_USER = os.environ.get("EMAIL_HOST_USER", "")
EMAIL_HOST_PASSWORD = os.environ.get("EMAIL_HOST_PASSWORD", "")
EMAIL_USE_TLS = os.environ.get("EMAIL_USE_TLS", "") == "1"
EMAIL_TIMEOUT = 20
# An RSA key in PEM form, or its file: then mails are signed here (`notifications.sending.dkim`), unless a provider does it.
DKIM_KEY = os.environ.get("DKIM_KEY", "")
DKIM_SELECTOR = os.environ.get("DKIM_SELECTOR", "")
if DKIM_KEY and EMAIL_BACKEND == "django.core.mail.backends.smtp.EmailBackend":
    EMAIL_BACKEND = "notifications.sending.dkim.EmailBackend"
MAIL_DOMAIN = os.environ.get("MAIL_DOMAIN", "gamesvc.example")
# The domain of reply addresses. If it is empty, mails cannot be answered and do not say so. Addresses look like
# `turn+<token>@REPLY_DOMAIN`; REPLY_MAILBOX replaces the part before the plus if one mailbox takes them all.
REPLY_DOMAIN = os.environ.get("REPLY_DOMAIN", "")
REPLY_MAILBOX = os.environ.get("REPLY_MAILBOX", "")
# The proof of a mail's sender (`notifications.inbound.proving.authentication`): border, own or loopback.
INBOUND_AUTH = os.environ.get("INBOUND_AUTH", "border")
INBOUND_AUTHSERV_ID = os.environ.get("INBOUND_AUTHSERV_ID", "")
INBOUND_ANSWERS_PER_DAY = int(os.environ.get("INBOUND_ANSWERS_PER_DAY", "300"))
# Limits of the mail receiver: connections in all and from one network, seconds and commands of a kind per connection, unknown
# addresses per connection and from one network per hour.
MAILSERVER_CONNECTIONS = int(os.environ.get("MAILSERVER_CONNECTIONS", "200"))
MAILSERVER_CONNECTIONS_PER_ADDRESS = int(os.environ.get("MAILSERVER_CONNECTIONS_PER_ADDRESS", "20"))
MAILSERVER_SESSION_SECONDS = float(os.environ.get("MAILSERVER_SESSION_SECONDS", "600"))
MAILSERVER_COMMANDS = int(os.environ.get("MAILSERVER_COMMANDS", "500"))
MAILSERVER_UNKNOWN_PER_CONNECTION = int(os.environ.get("MAILSERVER_UNKNOWN_PER_CONNECTION", "5"))
MAILSERVER_UNKNOWN_PER_HOUR = int(os.environ.get("MAILSERVER_UNKNOWN_PER_HOUR", "100"))
# Mails per hour that one reply address and one player may send; further ones are deferred.
INBOUND_MAILS_PER_ADDRESS = int(os.environ.get("INBOUND_MAILS_PER_ADDRESS", "60"))
INBOUND_MAILS_PER_USER = int(os.environ.get("INBOUND_MAILS_PER_USER", "300"))
# A mailbox to read answers from (imaps://user:password@host/INBOX), and its folder for processed mails.
IMAP_URL = os.environ.get("IMAP_URL", "")
IMAP_TAKEN_FOLDER = os.environ.get("IMAP_TAKEN_FOLDER", "")
# A mail provider's settings as django-anymail names them (ANYMAIL_POSTMARK_SERVER_TOKEN ...), and the secrets with which it posts
# mail to us: "user:password,user:password". Without a secret that address is closed.
ANYMAIL = {name.removeprefix("ANYMAIL_"): value for name, value in os.environ.items() if name.startswith("ANYMAIL_")}
# The notice's id is sent as metadata and returned with a bounce. Without support by the provider, bounces are matched by address.
ANYMAIL.setdefault("IGNORE_UNSUPPORTED_FEATURES", "1")
ANYMAIL["WEBHOOK_SECRET"] = [one for one in os.environ.get("WEBHOOK_SECRETS", "").split(",") if one]  # type: ignore[assignment]
# Minutes for which turn notices gather while a turn mail about another match is unanswered; 0: each is sent at once. A player may
# choose otherwise.
NOTICE_BATCH_MINUTES = int(os.environ.get("NOTICE_BATCH_MINUTES", "10"))
# Webhook targets that may be in a private network and without https: "host:port,host:port". A host without a port is trusted at
# its ports 80 and 443.
WEBHOOK_TRUSTED_HOSTS = [host for host in os.environ.get("WEBHOOK_TRUSTED_HOSTS", "").split(",") if host]
DEFAULT_FROM_EMAIL = os.environ.get("DEFAULT_FROM_EMAIL", f"gamesvc <play@{MAIL_DOMAIN}>")

USE_TZ = True
TIME_ZONE = "UTC"
LANGUAGE_CODE = "en"
LANGUAGES = [("en", "English"), ("de", "Deutsch")]
LOCALE_PATHS = [BASE_DIR / "gamesvc" / "locale"]

STATIC_URL = "/static/"
STATIC_ROOT = DATA_DIR / "static"
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "whitenoise.storage.CompressedStaticFilesStorage"},
}
WHITENOISE_USE_FINDERS = True
# A mail of 1 MB as a provider posts it, in base64 and perhaps twice. The API's limit is lower.
DATA_UPLOAD_MAX_MEMORY_SIZE = 4 * 1024 * 1024
API_BODY_BYTES = 256 * 1024

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": ["gamesvc.api.authentication.BearerToken", "gamesvc.api.authentication.Session"],
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAuthenticated"],
    "DEFAULT_THROTTLE_CLASSES": ["gamesvc.api.throttling.Throttle"],
    "DEFAULT_RENDERER_CLASSES": ["gamesvc.api.rendering.JSON"],
    "DEFAULT_PARSER_CLASSES": ["gamesvc.api.rendering.JSONBody"],
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
    "EXCEPTION_HANDLER": "gamesvc.api.problems.handle",
    "UNAUTHENTICATED_USER": "django.contrib.auth.models.AnonymousUser",
}
SPECTACULAR_SETTINGS = {
    "TITLE": "gamesvc",
    "DESCRIPTION": "Slow games by mail: the turn API.",
    "VERSION": "1",
    "OAS_VERSION": "3.1.1",
    "SERVE_INCLUDE_SCHEMA": False,
    "ENUM_NAME_OVERRIDES": {
        "UndoOption": "gamesvc.matches.models.Match.Undo",
        "ForkKind": ["match", "board"],
        "SeatKind": ["user", "bot", "free"],
    },
}

# Retention in days: sign-ins and attempts, expired or revoked tokens, refused commands, settled notices, bounce reports, inbound
# mails with their bodies. All others: `gamesvc.matches.retention`.
SIGN_INS_KEPT_DAYS = int(os.environ.get("SIGN_INS_KEPT_DAYS", "90"))
TOKENS_KEPT_DAYS = int(os.environ.get("TOKENS_KEPT_DAYS", "90"))
REFUSALS_KEPT_DAYS = int(os.environ.get("REFUSALS_KEPT_DAYS", "365"))
NOTICES_KEPT_DAYS = int(os.environ.get("NOTICES_KEPT_DAYS", "90"))
BOUNCES_KEPT_DAYS = int(os.environ.get("BOUNCES_KEPT_DAYS", "365"))
INBOUND_MAILS_KEPT_DAYS = int(os.environ.get("INBOUND_MAILS_KEPT_DAYS", "30"))

# Width in pixels of the boards in mails. The time to draw them grows with their area.
MAIL_PICTURE_WIDTH = int(os.environ.get("MAIL_PICTURE_WIDTH", "1080"))

# An hour on the clocks in seconds: less than 3600 only for trials, as in `manage.py demo`.
SECONDS_PER_HOUR = int(os.environ.get("SECONDS_PER_HOUR", "3600"))
# Vacation days of a player per year.
VACATION_DAYS_PER_YEAR = int(os.environ.get("VACATION_DAYS_PER_YEAR", "28"))
# Days that a free seat waits for a substitute before a bot takes it.
SUBSTITUTE_DAYS = float(os.environ.get("SUBSTITUTE_DAYS", "3"))
# Matches one user may open: at once, and per minute.
MATCHES_OPEN_PER_USER = int(os.environ.get("MATCHES_OPEN_PER_USER", "50"))
MATCHES_PER_MINUTE = int(os.environ.get("MATCHES_PER_MINUTE", "10"))
# Requests per minute from one network, for one user and with one token; and of one user for looking at the past, drawing a board,
# trying a position or exporting a match. 0: no limit.
RATE_LIMIT_PER_ADDRESS = int(os.environ.get("RATE_LIMIT_PER_ADDRESS", "1200"))
RATE_LIMIT_PER_USER = int(os.environ.get("RATE_LIMIT_PER_USER", "600"))
RATE_LIMIT_PER_TOKEN = int(os.environ.get("RATE_LIMIT_PER_TOKEN", "300"))
RATE_LIMIT_HISTORY = int(os.environ.get("RATE_LIMIT_HISTORY", "120"))
MATCH_LAPSES_AFTER_DAYS = 14

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"line": {"()": "gamesvc.log_lines.OneLine", "format": "%(asctime)s %(levelname)s %(name)s: %(message)s"}},
    "filters": {"away": {"()": "gamesvc.away.SaidOnceAMinute"}},
    "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "line", "filters": ["away"]}},
    # No handlers of their own: all logging goes through the one above.
    "loggers": {"mail.log": {"level": "WARNING"}, "django": {"handlers": [], "level": "INFO", "propagate": True}},
    "root": {"handlers": ["stderr"], "level": os.environ.get("LOG_LEVEL", "INFO")},
}
