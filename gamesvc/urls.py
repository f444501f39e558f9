"""Where each address leads."""

from django.urls import include, path

urlpatterns = [
    path("api/v1/", include("gamesvc.api.v1.urls")),
    path("accounts/", include("allauth.urls")),
    path("mail/", include("notifications.urls")),
    path("", include("gamesvc.web.urls")),
]
