"""Settings for this machine: embedded servers, secrets generated into the data folder (`gamesvc.embedded.environment`)."""

import secrets

from gamesvc.settings.base import *  # noqa: F403
from gamesvc.settings.base import SECRET_KEY

if not SECRET_KEY:
    # Commands without a service (self-play, help) need some key to start, and none that lasts.
    SECRET_KEY = secrets.token_urlsafe(50)
