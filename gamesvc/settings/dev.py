"""This machine: embedded servers, secrets generated into the data folder (`gamesvc.embedded.environment`)."""

import secrets

from gamesvc.settings.base import *  # noqa: F403
from gamesvc.settings.base import SECRET_KEY

if not SECRET_KEY:
    # A command that serves nobody (self-play, help) needs some key to start, and none that lasts.
    SECRET_KEY = secrets.token_urlsafe(50)
