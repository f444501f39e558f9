"""The addresses that stand in mails. Include them under a path of their own; the name is `notifications:unsubscribe`."""

from django.urls import path

from notifications import views

app_name = "notifications"
urlpatterns = [path("unsubscribe/<str:token>", views.unsubscribe, name="unsubscribe")]
