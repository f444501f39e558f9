"""The addresses of version 1."""

from django.conf import settings
from django.urls import path
from drf_spectacular.views import SpectacularJSONAPIView

from gamesvc.api.v1 import absence, checkpoints, clocks, forks, me, notices, organising, press, standing, statistics, undo, views

urlpatterns = [
    path("openapi.json", SpectacularJSONAPIView.as_view(), name="openapi"),
    path("clocks/", clocks.Clocks.as_view()),
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
    path("matches/<str:ident>/clock/", clocks.MatchClock.as_view()),
    path("matches/<str:ident>/press/", press.MatchPress.as_view()),
    path("matches/<str:ident>/organise/", organising.Organise.as_view()),
    path("matches/<str:ident>/looks/", organising.Looks.as_view()),
    path("matches/<str:ident>/refusals/", organising.Refusals.as_view()),
    path("matches/<str:ident>/standing/", standing.Standing.as_view()),
    path("matches/<str:ident>/standing/own/", standing.Own.as_view()),
    path("matches/<str:ident>/standing/<int:number>/", standing.StandingDetail.as_view()),
    path("matches/<str:ident>/pause/", absence.Pause.as_view()),
    path("matches/<str:ident>/substitute/", absence.Substitute.as_view()),
    path("matches/<str:ident>/give-up/", absence.GiveUp.as_view()),
    path("matches/<str:ident>/undo/", undo.Undo.as_view()),
    path("matches/<str:ident>/undo/answer/", undo.UndoAnswer.as_view()),
    path("matches/<str:ident>/redo/", undo.Redo.as_view()),
    path("matches/<str:ident>/rewind/", undo.Rewind.as_view()),
    path("matches/<str:ident>/forks/", forks.Forks.as_view()),
    path("matches/<str:ident>/position/", forks.Position.as_view()),
    path("matches/<str:ident>/close/", forks.CloseBoard.as_view()),
    path("matches/<str:ident>/preferences/", notices.OfMatch.as_view()),
    path("matches/<str:ident>/presence/", notices.Presence.as_view()),
    path("me/absences/", absence.Absences.as_view()),
    path("me/absences/<int:absence_id>/", absence.AbsenceDetail.as_view()),
    path("me/quiet-hours/", absence.QuietHours.as_view()),
    path("me/follows/", absence.Follows.as_view()),
    path("me/follows/<int:follow_id>/", absence.FollowDetail.as_view()),
    path("substitutes/", absence.Substitutes.as_view()),
    path("me/notices/", notices.Notices.as_view()),
    path("me/preferences/", notices.Preferences.as_view()),
    path("me/calendar/", notices.Calendar.as_view()),
    path("me/webhook/", notices.Hook.as_view()),
    path("me/webhook/secret/", notices.HookSecret.as_view()),
    path("checkpoints/", checkpoints.Checkpoints.as_view()),
    path("checkpoints/latest/", checkpoints.LatestCheckpoint.as_view()),
    path("checkpoints/key/", checkpoints.PublicKey.as_view()),
    path("checkpoints/<int:number>/", checkpoints.CheckpointDetail.as_view()),
    path("players/<str:name>/", statistics.Player.as_view()),
    path("me/", me.Account.as_view()),
    path("tokens/", views.Tokens.as_view()),
    path("tokens/<uuid:token_id>/", views.TokenDetail.as_view()),
]

if settings.BASELINE:
    from gamesvc.api.baseline import Baseline

    urlpatterns.append(path("baseline/<uuid:stream>/", Baseline.as_view()))
