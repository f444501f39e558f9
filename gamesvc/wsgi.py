"""The web application, as the server (granian) loads it."""

import os

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "gamesvc.settings.dev")
application = get_wsgi_application()

from gamesvc.matches.checks import refuse_wrong_keys  # noqa: E402 - the apps must be loaded first

refuse_wrong_keys()
