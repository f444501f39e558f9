"""Settings for a public server: nothing is generated, every secret must be given."""

from django.core.exceptions import ImproperlyConfigured

from gamesvc.settings.base import *  # noqa: F403
from gamesvc.settings.base import BASE_URL, MATCH_KEYS, SECRET_KEY

if not SECRET_KEY or not MATCH_KEYS:
    raise ImproperlyConfigured("Set SECRET_KEY and MATCH_KEYS (deploy/README.md, Settings).")
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = BASE_URL.startswith("https:")
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
SECURE_HSTS_SECONDS = 31_536_000 if BASE_URL.startswith("https:") else 0
