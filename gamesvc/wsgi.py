"""The web application, loaded by the server (granian)."""

import gc
import os

from django.core.wsgi import get_wsgi_application

gc.disable()  # until everything is loaded: `gamesvc.web.apps`
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "gamesvc.settings.dev")
application = get_wsgi_application()

# The apps must be loaded first.
from gamesvc.matches.checks import refuse_wrong_keys  # noqa: E402
from gamesvc.matches.record import availability  # noqa: E402
from gamesvc.web.common import chunks  # noqa: E402

application = chunks.whole(application)  # type: ignore[assignment]

refuse_wrong_keys()
availability.keep_beating()
