"""The addresses of version 1."""

from django.conf import settings
from django.urls import path
from drf_spectacular.views import SpectacularJSONAPIView

from gamesvc.api.v1 import checkpoints, views

urlpatterns = [
    path("openapi.json", SpectacularJSONAPIView.as_view(), name="openapi"),
    path("games/", views.Games.as_view()),
    path("games/<slug:game_id>/", views.GameDetail.as_view()),
    path("matches/", views.Matches.as_view()),
    path("matches/<str:ident>/", views.MatchDetail.as_view()),
    path("matches/<str:ident>/join/", views.JoinMatch.as_view()),
    path("matches/<str:ident>/leave/", views.LeaveMatch.as_view()),
    path("matches/<str:ident>/start/", views.StartMatch.as_view()),
    path("matches/<str:ident>/cancel/", views.CancelMatch.as_view()),
    path("matches/<str:ident>/bots/", views.Bots.as_view()),
    path("matches/<str:ident>/seats/<int:seat>/", views.SeatDetail.as_view()),
    path("matches/<str:ident>/invitations/", views.Invitations.as_view()),
    path("matches/<str:ident>/view/", views.MatchView.as_view()),
    path("matches/<str:ident>/forms/", views.MatchForms.as_view()),
    path("matches/<str:ident>/board.<str:kind>", views.Picture.as_view()),
    path("matches/<str:ident>/events/", views.MatchEvents.as_view()),
    path("matches/<str:ident>/steps/<int:version>/", views.Step.as_view()),
    path("matches/<str:ident>/export/", views.Export.as_view()),
    path("matches/<str:ident>/proof/", checkpoints.MatchProof.as_view()),
    path("matches/<str:ident>/commands/", views.Commands.as_view()),
    path("matches/<str:ident>/orders/", views.Orders.as_view()),
    path("checkpoints/", checkpoints.Checkpoints.as_view()),
    path("checkpoints/latest/", checkpoints.LatestCheckpoint.as_view()),
    path("checkpoints/key/", checkpoints.PublicKey.as_view()),
    path("checkpoints/<int:number>/", checkpoints.CheckpointDetail.as_view()),
    path("tokens/", views.Tokens.as_view()),
    path("tokens/<uuid:token_id>/", views.TokenDetail.as_view()),
]

if settings.BASELINE:
    from gamesvc.api.baseline import Baseline

    urlpatterns.append(path("baseline/<uuid:stream>/", Baseline.as_view()))
