"""The web application, loaded by the server (granian)."""

import gc
import os
import sys

from django.core.wsgi import get_wsgi_application

gc.disable()  # until everything is loaded: `gamesvc.web.apps`
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "gamesvc.settings.dev")
application = get_wsgi_application()

# The apps must be loaded first.
from gamesvc.matches.checks import refuse_wrong_keys  # noqa: E402
from gamesvc.matches.record import availability  # noqa: E402
from gamesvc.web.common import chunks  # noqa: E402

application = chunks.whole(application)  # type: ignore[assignment]

# A short request asks for the lock of the interpreter ten times and more. Beside threads that compute, each time takes as long as
# this and longer: with the usual 5 ms the refusals of one user's requests lasted seconds, and all others waited behind them.
sys.setswitchinterval(0.0005)

refuse_wrong_keys()
availability.keep_beating()
