"""The addresses of the pages."""

from django.urls import path

from gamesvc.web.account import apps, erasure, profile
from gamesvc.web.community import blocked, reports, terms
from gamesvc.web.docs import guides, problems, reference
from gamesvc.web.games import about, learn
from gamesvc.web.lobby import creating, dashboard, forks, lines, lists, notes, opening, press, thumbnails
from gamesvc.web.notices import preferences, push, undelivered, webhooks
from gamesvc.web.organising import measures
from gamesvc.web.play import acts, going_on, resigning, standing_orders, table
from gamesvc.web.statistics import players, ratings
from gamesvc.web.timekeeping import absence, clocks
from gamesvc.web.undo import undo

app_name = "web"
urlpatterns = [
    path("", dashboard.home, name="home"),
    path("lobby/", lists.lobby, name="lobby"),
    path("lobby/watch/", lists.watch, name="watch"),
    path("lobby/archive/", lists.archive, name="archive"),
    path("games/", about.games, name="games"),
    path("games/<slug:game>/", about.game_page, name="game"),
    path("games/<slug:game>/rules/", about.game_rules, name="rules"),
    path("games/<slug:game>/learn/", learn.learn, name="learn"),
    path("games/<slug:game>/cards/", about.cards, name="cards"),
    path("games/<slug:game>/leaderboard/", ratings.leaderboard, name="leaderboard"),
    path("ratings/", ratings.explained, name="ratings"),
    path("new/", creating.choose_game, name="choose"),
    path("new/<slug:game>/", creating.new_match, name="new"),
    path("new/<slug:game>/now", opening.quick, name="quick"),
    path("invitations/answer", opening.answer_invitation, name="answer_invitation"),
    path("invitations/<str:token>/", opening.invitation, name="invitation"),
    path("matches/<str:ident>/", table.match_page, name="match"),
    path("matches/<str:ident>/board.svg", table.board_picture, name="board"),
    path("matches/<str:ident>/thumbnail.svg", thumbnails.match_thumbnail, name="thumbnail"),
    path("matches/<str:ident>/version", table.newest_version, name="version"),
    path("matches/<str:ident>/explained", table.explained, name="explained"),
    path("matches/<str:ident>/command", acts.send_command, name="command"),
    path("matches/<str:ident>/resign", resigning.resign, name="resign"),
    path("matches/<str:ident>/preview", acts.preview_order, name="preview"),
    path("matches/<str:ident>/orders", acts.send_orders, name="orders"),
    path("matches/<str:ident>/seats", opening.change_seats, name="seats"),
    path("matches/<str:ident>/invite", opening.invite, name="invite"),
    path("matches/<str:ident>/press", press.press_page, name="press"),
    path("matches/<str:ident>/notes", notes.save, name="notes"),
    path("matches/<str:ident>/clock", clocks.clock_page, name="clock"),
    path("matches/<str:ident>/next", going_on.next_match, name="next"),
    path("matches/<str:ident>/after-turn", going_on.after_turn, name="after_turn"),
    path("matches/<str:ident>/standing", standing_orders.change, name="standing"),
    path("matches/<str:ident>/absence", absence.change, name="absence"),
    path("matches/<str:ident>/undo", undo.send_undo, name="undo"),
    path("matches/<str:ident>/organise", measures.send_measure, name="organise"),
    path("matches/<str:ident>/fork", forks.fork, name="fork"),
    path("matches/<str:ident>/rematch", opening.rematch, name="rematch"),
    path("matches/<str:ident>/close", forks.close, name="close"),
    path("matches/<str:ident>/line", lines.line_page, name="line"),
    path("matches/<str:ident>/go-to", lines.go_to, name="go_to"),
    path("matches/<str:ident>/as-of", forks.as_of, name="as_of"),
    path("players/<str:name>/", players.player, name="player"),
    path("api/docs/", guides.contents, name="docs"),
    path("api/docs/forms.schema.json", guides.form_schema, name="form_schema"),
    path("api/docs/gamesvc_client.py", guides.client, guides.PYTHON, name="python_client"),
    path("api/docs/gamesvc-client.js", guides.client, guides.TYPESCRIPT, name="typescript_client"),
    path("api/docs/reference/", reference.sections, name="docs_reference"),
    path("api/docs/reference/shapes/", reference.shapes, name="docs_shapes"),
    path("api/docs/reference/<slug:name>/", reference.section, name="docs_section"),
    path("api/docs/<slug:slug>/", guides.guide, name="docs_guide"),
    path("substitutes/", absence.free_seats, name="substitutes"),
    path("profile/vacations", absence.change_vacations, name="vacations"),
    path("profile/quiet-hours", absence.quiet_hours, name="quiet_hours"),
    path("profile/follow", absence.follow, name="follow"),
    path("problems/", problems.problems_page, name="problems"),
    path("problems/<str:code>", problems.problem_page, name="problem"),
    path("profile/", profile.profile, name="profile"),
    path("profile/mails", profile.mails, name="mails"),
    path("profile/timing", preferences.timing, name="notice_timing"),
    path("profile/reply-addresses", preferences.reply_addresses, name="reply_addresses"),
    path("profile/calendar", preferences.feed_address, name="calendar_address"),
    path("profile/push", push.change, name="push"),
    path("sw.js", push.worker, name="worker"),
    path("manifest.webmanifest", push.manifest, name="manifest"),
    path("profile/webhook", preferences.webhook, name="webhook"),
    path("profile/webhooks/", webhooks.own_webhooks, name="webhooks"),
    path("profile/webhooks/<uuid:hook_id>/", webhooks.webhook_log, name="webhook_log"),
    path("calendar/<str:secret>.ics", preferences.calendar_feed, name="calendar"),
    path("profile/mails/again", undelivered.send_again, name="send_again"),
    path("terms/", terms.terms, name="terms"),
    path("report/", reports.report, name="report"),
    path("profile/blocked/", blocked.blocked, name="blocked"),
    path("profile/tokens", profile.tokens, name="tokens"),
    path("profile/apps/", apps.own_apps, name="apps"),
    path("oauth/authorize/", apps.authorize, name="authorize"),
    path("oauth/token/", apps.token, name="oauth_token"),
    path("oauth/revoke/", apps.revoke, name="oauth_revoke"),
    path(".well-known/oauth-authorization-server", apps.metadata, name="oauth_metadata"),
    path("profile/erase", erasure.erase, name="erase"),
]
