"""The addresses of the service."""

from django.urls import include, path

# Importing registers the operators' pages.
import accounts.admin  # noqa: F401
import gamesvc.matches.admin  # noqa: F401
import notifications.admin  # noqa: F401
from accounts.operators import operators
from gamesvc.api.health import health

handler400 = "gamesvc.api.unanswered.bad_request"
handler404 = "gamesvc.api.unanswered.not_found"
handler500 = "gamesvc.api.unanswered.server_error"

urlpatterns = [
    path("api/v1/", include("gamesvc.api.v1.urls")),
    path("accounts/", include("accounts.signing_in.urls")),
    path("mail/", include("notifications.urls")),
    path("health/", health),
    path("admin/", operators.urls),
    path("", include("gamesvc.web.urls")),
]
