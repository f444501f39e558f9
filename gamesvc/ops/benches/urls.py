"""The addresses of the service, and the minimal view of `manage.py bench submit`."""

from django.urls import path

from gamesvc import urls
from gamesvc.ops.benches.baseline import Baseline

handler400, handler404, handler500 = urls.handler400, urls.handler404, urls.handler500

urlpatterns = [path("api/v1/baseline/<uuid:stream>/", Baseline.as_view()), *urls.urlpatterns]
