"""The addresses in mails: `notifications:unsubscribe`, `notifications:confirm`. Include them under `mail/`."""

from django.urls import include, path

from notifications import views
from notifications.inbound.doors import webhooks

app_name = "notifications"
urlpatterns = [
    path("unsubscribe/<str:token>", views.unsubscribe, name="unsubscribe"),
    path("resume/<str:token>", views.resume, name="resume"),
    path("provider/", include((webhooks.urls(), "anymail"))),
    path("confirm/<str:token>", views.confirm, name="confirm"),
]
