"""The addresses of version 1, and the scope that a token needs for each method.

`play` covers the acts of a player, including opening a match. `organise` covers the host's acts without the players' consent,
`operate` the same acts by an operator who is not the host. What everyone may watch needs no token; of any other match, guests
learn nothing.
"""

from gamesvc.api.v1 import index
from gamesvc.api.v1.account import bots, me, tokens
from gamesvc.api.v1.base import PUBLIC, endpoint
from gamesvc.api.v1.community import blocks, reports
from gamesvc.api.v1.live import streams
from gamesvc.api.v1.lobby import challenges, forks, lines, matches, notes, press, substitutes
from gamesvc.api.v1.notices import chats, inbox, webhooks
from gamesvc.api.v1.organising import measures
from gamesvc.api.v1.play import commands, standing_orders, turns
from gamesvc.api.v1.proof import checkpoints
from gamesvc.api.v1.reading import archive, boards, games
from gamesvc.api.v1.statistics import leaderboards, players
from gamesvc.api.v1.timekeeping import absence, clocks
from gamesvc.api.v1.undo import undo
from gamesvc.request_limits import ALWAYS

RULING = ("organise", "operate")
PAST = ("version", "at")

urlpatterns = [
    endpoint("", index.Index, GET=PUBLIC),
    endpoint("openapi.json", index.OpenAPI, name="openapi", GET=PUBLIC),
    endpoint("clocks/", clocks.Clocks, GET=PUBLIC),
    endpoint("games/", games.Games, GET=PUBLIC),
    endpoint("games/<slug:game_id>/", games.GameDetail, GET=PUBLIC),
    endpoint("games/<slug:game_id>/schemas/", games.GameSchemas, GET=PUBLIC),
    endpoint("games/<slug:game_id>/leaderboard/", leaderboards.Leaderboard, GET="read"),
    endpoint("matches/", matches.Matches, GET=PUBLIC, POST="play"),
    endpoint("matches/<str:ident>/", matches.MatchDetail, GET=PUBLIC),
    endpoint("matches/<str:ident>/join/", matches.JoinMatch, POST="play"),
    endpoint("matches/<str:ident>/leave/", matches.LeaveMatch, POST="play"),
    endpoint("matches/<str:ident>/start/", matches.StartMatch, POST="play"),
    endpoint("matches/<str:ident>/cancel/", matches.CancelMatch, POST="organise"),
    endpoint("matches/<str:ident>/link/", matches.Link, POST="organise"),
    endpoint("matches/<str:ident>/bots/", matches.Bots, POST="play"),
    endpoint("matches/<str:ident>/seats/<int:seat>/", matches.SeatDetail, DELETE="organise"),
    endpoint("matches/<str:ident>/invitations/", matches.Invitations, POST="play"),
    endpoint("matches/<str:ident>/view/", boards.MatchView, folds=PAST, GET=PUBLIC),
    endpoint("matches/<str:ident>/forms/", boards.MatchForms, folds=PAST, GET="read"),
    endpoint("matches/<str:ident>/board.<str:kind>", boards.Picture, folds=(ALWAYS,), GET=PUBLIC),
    endpoint("matches/<str:ident>/events/", boards.MatchEvents, folds=PAST, GET=PUBLIC),
    endpoint("matches/<str:ident>/steps/<int:version>/", boards.Step, folds=(ALWAYS,), GET=PUBLIC),
    endpoint("matches/<str:ident>/export/", boards.Export, folds=(ALWAYS,), GET=PUBLIC),
    endpoint("matches/<str:ident>/proof/", checkpoints.MatchProof, folds=(ALWAYS,), GET=PUBLIC),
    endpoint("matches/<str:ident>/commands/", commands.Commands, adds=True, POST="play"),
    endpoint("matches/<str:ident>/orders/", commands.Orders, adds=True, POST="play"),
    endpoint("matches/<str:ident>/clock/", clocks.MatchClock, folds=(ALWAYS,), GET="read"),
    endpoint("matches/<str:ident>/press/", press.MatchPress, GET="read", POST="play"),
    endpoint("matches/<str:ident>/notes/", notes.MatchNotes, GET="read", PUT="play"),
    endpoint("matches/<str:ident>/organise/", measures.Organise, POST=RULING),
    endpoint("matches/<str:ident>/looks/", measures.Looks, GET="read"),
    endpoint("matches/<str:ident>/refusals/", measures.Refusals, GET="read"),
    endpoint("matches/<str:ident>/tenures/", measures.Tenures, GET="read"),
    endpoint("matches/<str:ident>/standing/", standing_orders.Standing, GET="read", POST="play"),
    endpoint("matches/<str:ident>/standing/own/", standing_orders.Own, PUT="play", DELETE="play"),
    endpoint("matches/<str:ident>/standing/<int:number>/", standing_orders.StandingDetail, PUT="play", DELETE="play"),
    endpoint("matches/<str:ident>/pause/", absence.Pause, GET="read", POST="play", DELETE="play"),
    endpoint("matches/<str:ident>/substitute/", substitutes.Substitute, POST="play"),
    endpoint("matches/<str:ident>/give-up/", substitutes.GiveUp, POST="play"),
    endpoint("matches/<str:ident>/undo/", undo.Undo, adds=True, GET="read", POST="play"),
    endpoint("matches/<str:ident>/undo/answer/", undo.UndoAnswer, POST="play"),
    endpoint("matches/<str:ident>/redo/", undo.Redo, adds=True, POST="play"),
    endpoint("matches/<str:ident>/go-to/", undo.GoTo, adds=True, POST="play"),
    endpoint("matches/<str:ident>/line/", lines.Line, folds=(ALWAYS,), GET="read", POST="play"),
    endpoint("matches/<str:ident>/rewind/", undo.Rewind, POST=RULING),
    endpoint("matches/<str:ident>/forks/", forks.Forks, folds=(ALWAYS,), GET="read", POST="play"),
    endpoint("matches/<str:ident>/rematch/", matches.Rematch, POST="play"),
    endpoint("matches/<str:ident>/position/", forks.Position, folds=(ALWAYS,), GET="read"),
    endpoint("matches/<str:ident>/close/", forks.CloseBoard, POST="play"),
    endpoint("matches/<str:ident>/preferences/", inbox.OfMatch, GET="read", PATCH="play"),
    endpoint("matches/<str:ident>/presence/", inbox.Presence, POST="play", DELETE="play"),
    endpoint("matches/<str:ident>/stream/", streams.MatchStream, GET=PUBLIC),
    endpoint("exports/matches/", archive.Matches, folds=(ALWAYS,), GET=PUBLIC),
    endpoint("exports/results/", archive.Results, folds=(ALWAYS,), GET=PUBLIC),
    endpoint("me/turns/", turns.Turns, GET="read"),
    endpoint("me/stream/", streams.UserStream, GET="read"),
    endpoint("me/absences/", absence.Absences, GET="read", POST="play"),
    endpoint("me/absences/<int:absence_id>/", absence.AbsenceDetail, DELETE="play"),
    endpoint("me/quiet-hours/", absence.QuietHours, GET="read", PUT="play"),
    endpoint("me/follows/", substitutes.Follows, GET="read", POST="play"),
    endpoint("me/follows/<int:follow_id>/", substitutes.FollowDetail, DELETE="play"),
    endpoint("me/blocks/", blocks.Blocks, GET="read"),
    endpoint("me/blocks/<str:name>/", blocks.BlockDetail, PUT="play", DELETE="play"),
    endpoint("reports/", reports.Reports, POST="play"),
    endpoint("substitutes/", substitutes.Substitutes, GET="read"),
    endpoint("me/notices/", inbox.Notices, GET="read"),
    endpoint("me/preferences/", inbox.Preferences, GET="read", PATCH="play"),
    endpoint("me/calendar/", inbox.Calendar, GET="account", POST="account", DELETE="account"),
    endpoint("me/webhook/", webhooks.Hook, GET="account", PUT="account", DELETE="account"),
    endpoint("me/webhook/secret/", webhooks.HookSecret, POST="account"),
    endpoint("me/webhooks/", webhooks.Webhooks, GET="account", POST="account"),
    endpoint("me/webhooks/<uuid:hook_id>/", webhooks.WebhookDetail, GET="account", PATCH="account", DELETE="account"),
    endpoint("me/webhooks/<uuid:hook_id>/secret/", webhooks.WebhookSecret, POST="account"),
    endpoint("me/webhooks/<uuid:hook_id>/ping/", webhooks.WebhookPing, POST="account"),
    endpoint("me/webhooks/<uuid:hook_id>/deliveries/", webhooks.Deliveries, GET="account"),
    endpoint("me/webhooks/<uuid:hook_id>/deliveries/<uuid:delivery_id>/", webhooks.DeliveryAgain, POST="account"),
    endpoint("me/chats/", chats.Chats, GET="account"),
    endpoint("me/chats/<slug:service>/", chats.Chat, PUT="account", DELETE="account"),
    endpoint("checkpoints/", checkpoints.Checkpoints, GET=PUBLIC),
    endpoint("checkpoints/latest/", checkpoints.LatestCheckpoint, GET=PUBLIC),
    endpoint("checkpoints/key/", checkpoints.PublicKeyDetail, GET=PUBLIC),
    endpoint("checkpoints/<int:number>/", checkpoints.CheckpointDetail, GET=PUBLIC),
    endpoint("players/<str:name>/", players.Player, GET="read"),
    endpoint("me/", me.Account, GET="read", PATCH="play", DELETE="account"),
    endpoint("me/bots/", bots.Bots, GET="account", POST="account"),
    endpoint("me/bots/<str:name>/", bots.BotDetail, PATCH="account", DELETE="account"),
    endpoint("me/bots/<str:name>/tokens/", bots.BotTokens, POST="account", DELETE="account"),
    endpoint("challenges/", challenges.Challenges, GET="read", POST="play"),
    endpoint("challenges/<uuid:challenge_id>/", challenges.ChallengeDetail, GET="read", DELETE="play"),
    endpoint("challenges/<uuid:challenge_id>/accept/", challenges.AcceptChallenge, POST="play"),
    endpoint("challenges/<uuid:challenge_id>/decline/", challenges.DeclineChallenge, POST="play"),
    endpoint("tokens/", tokens.Tokens, GET="account", POST="account", DELETE="account"),
    endpoint("tokens/<uuid:token_id>/", tokens.TokenDetail, DELETE="account"),
]
