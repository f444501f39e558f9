from django.urls import include, path

urlpatterns = [path("notices/", include("notifications.urls"))]
