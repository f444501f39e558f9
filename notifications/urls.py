"""The addresses that stand in mails: `notifications:unsubscribe`, `notifications:confirm`. Include them under `mail/`."""

from django.urls import path

from notifications import views

app_name = "notifications"
urlpatterns = [
    path("unsubscribe/<str:token>", views.unsubscribe, name="unsubscribe"),
    path("confirm/<str:token>", views.confirm, name="confirm"),
]
