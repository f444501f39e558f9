"""Settings that every way of running shares. Secrets, addresses and limits come from `gamesvc.settings.environment`."""

import sys
from pathlib import Path
from urllib.parse import parse_qs, unquote, urlsplit

from gamesvc import queues
from gamesvc.games.kernel.wording import SEAT_NAMES
from gamesvc.settings.environment import *  # noqa: F403
from gamesvc.settings.environment import (
    ANYMAIL_SETTINGS,
    BASE_URL,
    DATA_DIR,
    DATABASE_OWNER_URL,
    DATABASE_URL,
    DKIM_KEY,
    EMAIL_BACKEND,
    HEARTBEAT_SECONDS,
    IMAP_SECONDS,
    LOG_LEVEL,
    REDIS_URL,
    SWEEP_SECONDS,
    WEBHOOK_SECRETS,
)

BASE_DIR = Path(__file__).resolve().parents[2]

DEBUG = False
CSRF_TRUSTED_ORIGINS = [BASE_URL]

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
    # The first of all: a body that arrives late must not act for the user, or at the time, of its headers.
    "gamesvc.border.WholeBody",
    "django.middleware.security.SecurityMiddleware",
    "gamesvc.web.common.protections.Protections",
    # Before everything that answers without a view: refused requests count too.
    "gamesvc.border.RateLimits",
    # Before anything reads the request: a cookie with U+0000 would be looked up among the sessions.
    "gamesvc.border.Border",
    # Programs in the browser call the API with a token; no answer to another site's page is made for a session.
    "corsheaders.middleware.CorsMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "gamesvc.api.compression.Compressed",
    "gamesvc.api.conditional.Conditional",
    "gamesvc.web.common.private.Private",
    "gamesvc.web.common.slashes.Slashes",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    # In place of Django's LocaleMiddleware: a user's own choice comes first, and the API stays English.
    "gamesvc.web.languages.PageLanguage",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "allauth.account.middleware.AccountMiddleware",
]

CORS_URLS_REGEX = r"^/api/"
CORS_ALLOW_ALL_ORIGINS = True
CORS_ALLOW_CREDENTIALS = False
CORS_ALLOW_HEADERS = (
    "accept",
    "authorization",
    "content-type",
    "idempotency-key",
    "if-match",
    "if-none-match",
    "last-event-id",
)
CORS_EXPOSE_HEADERS = (
    "ETag",
    "Idempotent-Replayed",
    "Location",
    "RateLimit",
    "RateLimit-Policy",
    "Retry-After",
)

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
            ],
            "builtins": ["django.templatetags.i18n"],
        },
    }
]


# A server on another machine may vanish without a word, as in a failover. With the system's own limits each thread would wait a
# quarter of an hour for its answer, and two minutes for a connection.
_SESSION = {
    "connect_timeout": 10,
    "keepalives_idle": 30,
    "keepalives_interval": 10,
    "keepalives_count": 3,
    "tcp_user_timeout": 30_000,
    # One on a server that only reads, as during a failover, could stay so when the server writes again.
    "target_session_attrs": "read-write",
}


def database(url: str) -> dict[str, object]:
    """Return Django's settings for a `postgresql://user:password@host:port/name` address; `?host=DIR` gives a socket folder."""
    parts = urlsplit(url)
    query = {key: values[-1] for key, values in parse_qs(parts.query).items()}
    return {
        "ENGINE": "gamesvc.database",
        "NAME": unquote(parts.path.lstrip("/")),
        "USER": unquote(parts.username or ""),
        "PASSWORD": unquote(parts.password or ""),
        "HOST": query.pop("host", "") or parts.hostname or "",
        "PORT": query.pop("port", "") or (parts.port or ""),
        "CONN_MAX_AGE": None,
        "CONN_HEALTH_CHECKS": True,
        # The frequent statements are prepared by `gamesvc.database.direct`; psycopg would make the server forget them with its
        # own after a rollback. All others are planned with their values: a plan for any values does without the indexes that hold
        # for some, and has taken many times as long.
        "OPTIONS": {**_SESSION, **query, "server_side_binding": True, "prepare_threshold": None},
    }


# The owner runs migrations. Everything else runs as a role that may only SELECT and INSERT in the event log.
DATABASE_RUNTIME_ROLE = urlsplit(DATABASE_URL).username or ""
DATABASES = {"default": database(DATABASE_OWNER_URL if {"migrate", "prepare", "restore"} & set(sys.argv[1:2]) else DATABASE_URL)}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

CELERY_BROKER_URL = REDIS_URL
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_ACKS_LATE = True
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
# Workers log like everything else, by LOGGING below.
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
# A missing broker must not delay a turn: the hint is dropped and the sweep finds the work.
CELERY_TASK_PUBLISH_RETRY = False
CELERY_BROKER_TRANSPORT_OPTIONS = {
    # Strictly by name: in turns, the bots of one user's matches could slow the sweeps until each expires before its turn.
    "queue_order_strategy": "sorted",
    "socket_connect_timeout": 1,
    "socket_timeout": 30,
    "visibility_timeout": 3600,
    "max_retries": 0,
}
# The queue of each task, and its time limit.
CELERY_TASK_ROUTES = (queues.route,)
CELERY_TASK_ANNOTATIONS = (queues.Limits(),)


def every(seconds: float, task: str) -> dict[str, object]:
    """Return an entry of the schedule. Missed runs do not pile up: the next is sent once the last has begun (`sent_tasks`)."""
    return {"task": task, "schedule": seconds, "options": {"expires": seconds + queues.CLOCKS_APART_SECONDS}}


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
    "mailbox": every(IMAP_SECONDS, "notifications.inbound.tasks.poll_mailbox"),
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
from accounts.signing_in.allauth_settings import ACCOUNT_USERNAME_BLACKLIST  # noqa: E402

# An order that names a colour means a seat, and one that names a player means theirs.
ACCOUNT_USERNAME_BLACKLIST += [name.lower() for name in SEAT_NAMES]
ACCOUNT_DEFAULT_HTTP_PROTOCOL = "http" if BASE_URL.startswith("http://") else "https"

AUTH_USER_MODEL = "accounts.User"
SESSION_ENGINE = "accounts.signing_in.sessions"
AUTHENTICATION_BACKENDS = [
    "accounts.signing_in.backends.PasswordBackend",
    # Asked for no password: sessions have begun with one or the other, and end without it.
    "django.contrib.auth.backends.ModelBackend",
    "allauth.account.auth_backends.AuthenticationBackend",
]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator"},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]
LOGIN_REDIRECT_URL = "/"

EMAIL_TIMEOUT = 20
# Where a key is given, mails are signed here, unless a provider does it.
if DKIM_KEY and EMAIL_BACKEND == "django.core.mail.backends.smtp.EmailBackend":
    EMAIL_BACKEND = "notifications.sending.dkim.EmailBackend"
ANYMAIL: dict[str, object] = {**ANYMAIL_SETTINGS, "WEBHOOK_SECRET": WEBHOOK_SECRETS}
# The notice's id goes along as metadata, to be given back with a bounce; a provider that cannot do that finds the address.
ANYMAIL.setdefault("IGNORE_UNSUPPORTED_FEATURES", "1")

USE_TZ = True
TIME_ZONE = "UTC"
LANGUAGE_CODE = "en"
LANGUAGES = [("en", "English"), ("de", "Deutsch")]
LOCALE_PATHS = [BASE_DIR / "gamesvc" / "locale"]

STATIC_URL = "/static/"
STATIC_ROOT = DATA_DIR / "static"
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "gamesvc.web.common.static_files.HashedFiles"},
}
WHITENOISE_USE_FINDERS = True
# A mail of 10 MB as a provider posts it, in base64 and perhaps twice. All other bodies have the limits below (`border`).
DATA_UPLOAD_MAX_MEMORY_SIZE = 28 * 1024 * 1024
FORM_BYTES = 1024 * 1024
API_BODY_BYTES = 256 * 1024

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": ["gamesvc.api.authentication.BearerToken", "gamesvc.api.authentication.Session"],
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAuthenticated"],
    "DEFAULT_THROTTLE_CLASSES": ["gamesvc.api.throttling.Throttle"],
    "DEFAULT_RENDERER_CLASSES": ["gamesvc.api.rendering.JSON"],
    "DEFAULT_PARSER_CLASSES": ["gamesvc.api.rendering.JSONBody"],
    "DEFAULT_CONTENT_NEGOTIATION_CLASS": "gamesvc.api.negotiation.Negotiation",
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
    "EXCEPTION_HANDLER": "gamesvc.api.error_responses.handle",
    # Serializers leave moments to the renderer, which writes all of them in one way.
    "DATETIME_FORMAT": None,
    "UNAUTHENTICATED_USER": "django.contrib.auth.models.AnonymousUser",
}
SPECTACULAR_SETTINGS = {
    "TITLE": "gamesvc",
    "DESCRIPTION": "Slow games by mail: the turn API.",
    "VERSION": "1",
    "OAS_VERSION": "3.1.1",
    "SERVE_INCLUDE_SCHEMA": False,
    "DEFAULT_GENERATOR_CLASS": "gamesvc.api.openapi.generator.OneAtATime",
    "POSTPROCESSING_HOOKS": [
        "drf_spectacular.hooks.postprocess_schema_enums",
        "gamesvc.api.openapi.document.complete",
    ],
    # What a value means stands in the description of its field; a list of the values stands in `enum`.
    "ENUM_GENERATE_CHOICE_DESCRIPTION": False,
    "ENUM_NAME_OVERRIDES": {
        "UndoOption": "gamesvc.matches.models.Match.Undo",
        "ForkKind": ["match", "board"],
        "SeatKind": ["user", "bot", "free"],
    },
}

MATCH_LAPSES_AFTER_DAYS = 14

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"line": {"()": "gamesvc.log_lines.OneLine", "format": "%(asctime)s %(levelname)s %(name)s: %(message)s"}},
    "filters": {"away": {"()": "gamesvc.away.SaidOnceAMinute"}, "few": {"()": "gamesvc.log_lines.FewRefusals"}},
    "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "line", "filters": ["away", "few"]}},
    # No handlers of their own: all logging goes through the one above.
    "loggers": {
        "mail.log": {"level": "WARNING"},
        # It writes the addresses of chats, which are keys; what it fails at stands in the row of the handover.
        "apprise": {"level": "CRITICAL"},
        "django": {"handlers": [], "level": "INFO", "propagate": True},
    },
    "root": {"handlers": ["stderr"], "level": LOG_LEVEL},
}
