from django.http import HttpResponse
from django.urls import include, path

urlpatterns = [
    path("accounts/", include("accounts.signing_in.urls")),
    path("", lambda request: HttpResponse(request.user.get_username())),
]
