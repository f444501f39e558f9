"""The addresses of the pages."""

from django.urls import path

from gamesvc.web import acts, lists, opening, profile, rules, table

app_name = "web"
urlpatterns = [
    path("", lists.home, name="home"),
    path("lobby/", lists.lobby, name="lobby"),
    path("games/", rules.games, name="games"),
    path("games/<slug:game>/", rules.game_rules, name="rules"),
    path("new/", opening.choose_game, name="choose"),
    path("new/<slug:game>/", opening.new_match, name="new"),
    path("invitations/<str:token>/", opening.invitation, name="invitation"),
    path("matches/<str:ident>/", table.match_page, name="match"),
    path("matches/<str:ident>/board.svg", table.board_picture, name="board"),
    path("matches/<str:ident>/version", table.newest_version, name="version"),
    path("matches/<str:ident>/command", acts.send_command, name="command"),
    path("matches/<str:ident>/preview", acts.preview_order, name="preview"),
    path("matches/<str:ident>/orders", acts.send_orders, name="orders"),
    path("matches/<str:ident>/seats", opening.change_seats, name="seats"),
    path("matches/<str:ident>/invite", opening.invite, name="invite"),
    path("profile/", profile.profile, name="profile"),
    path("profile/mails", profile.mails, name="mails"),
    path("profile/tokens", profile.tokens, name="tokens"),
]
