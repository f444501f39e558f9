"""What each page takes: its door, as `manage.py doors` names it, the reader who posts, and fields as they are meant."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode

from allauth.account.forms import default_token_generator
from allauth.account.models import EmailAddress
from allauth.account.utils import user_pk_to_url_str
from allauth.mfa.recovery_codes.internal.auth import RecoveryCodes
from allauth.mfa.totp.internal.auth import TOTP, generate_totp_secret
from django.test import Client

from accounts.bots import bots
from accounts.models import User
from accounts.oauth import apps
from gamesvc.matches.access import selectors
from gamesvc.matches.lobby import forks as forking
from gamesvc.matches.lobby import invitations, opening
from gamesvc.matches.models import Match, Report
from gamesvc.matches.organising import reports
from gamesvc.matches.record import loading
from notifications.models import Outbox
from notifications.other_channels import subscriptions
from notifications.other_channels.chat_names import SERVICES
from notifications.sending import unsubscribe
from tests.conftest import make_player
from tests.matches.playing import act
from tests.web.page import forms

NO_FORM = {
    "accounts/inactive/": "only says that the account is closed",
    "accounts/logout/": "reads no field",
    "accounts/confirm-email/": "only says that a mail is on its way",
    "accounts/confirm-email/(?P<key>[-:\\w]+)/$": "the key stands in the address",
    "accounts/password/set/": "only for accounts without a password, which there are none of",
    "accounts/password/reset/done/": "only says that a mail is on its way",
    "accounts/password/reset/key/done/": "only says that the password is changed",
    "accounts/2fa/": "reads no field",
    "accounts/2fa/recovery-codes/": "reads no field",
    "accounts/2fa/recovery-codes/download/": "reads no field",
    "accounts/2fa/recovery-codes/generate/": "its form has no field",
    "accounts/2fa/totp/deactivate/": "its form has no field",
    "invitations/<str:token>/": "the link stands in the address, and no field is read",
    "accounts/login/code/confirm/": "sign-in by code is off, so that nobody gets there",
    "mail/resume/<str:token>": "the signed link stands in the address, and no field is read",
    "mail/confirm/<str:token>": "the signed link stands in the address, and no field is read",
    "profile/reply-addresses": "reads no field",
    "oauth/token/": "oauthlib reads the fields",
    "oauth/revoke/": "oauthlib reads the fields",
}
"""Doors where no form of Django's reads what is posted. They are posted to all the same, with the fields that they would have."""

OTHERS = {
    "mail/provider/": "providers post whole mails; tests/notifications/inbound does",
    "admin/": "Django's own pages for operators only read; `test_hostile_forms` searches on them. Their acts are posted to here",
}
"""Doors by the beginning of their address that are attacked elsewhere."""


@dataclass
class Post:
    """Fields to post to an address, by the client of a kind of reader."""

    door: str
    path: str
    fields: dict[str, Any] = field(default_factory=dict)
    reader: str = "player"
    method: str = "post"


class World:
    """The players, matches and rows that the table names, made once."""

    def __init__(self) -> None:
        self.anna, self.ben = make_player("anna"), make_player("ben")
        self.running = self._match(watch="all")
        self.over = self._match()
        act(self.over, 0, {"name": "resign"})
        self.open = opening.create_match(by=self.anna, game="stratastar", seats=3)
        self.hosted = opening.create_match(by=self.anna, game="space_war", take_seat=False, bots={0: "random", 1: "random"})
        access = selectors.access_match(user=self.anna, ident=str(self.running.number))
        version = loading.load(self.running.id, self.running.game).version
        self.version = str(version)
        self.board = forking.fork(access=access, version=version, board=True)
        self.bot = bots.make(owner=self.anna, name="deep-bot")
        self.app = apps.register(owner=self.anna, name="Reader", redirect_uris=["https://app.example/"], confidential=False)[0]
        self.hook = subscriptions.add(self.anna, url="https://hooks.example/turns")
        theirs = opening.create_match(by=self.ben, game="stratastar")
        self.invitation, self.token = invitations.invite(by=self.ben, match=theirs, username="anna")
        self.report: Report = reports.report(by=self.ben, subject=reports.of_player(self.ben, "anna"), kind="abuse", words="See")
        self.clients = {
            "player": self._signed_in(self.anna),
            "operator": self._signed_in(make_player("olga", is_staff=True)),
            "stranger": Client(raise_request_exception=False),
            "guarded": self._guarded(make_player("greta")),
            "halfway": self._halfway(make_player("hanna")),
            "forgetful": Client(raise_request_exception=False),
        }
        link = f"/accounts/password/reset/key/{user_pk_to_url_str(self.ben)}-{default_token_generator.make_token(self.ben)}/"
        self.reset = self.clients["forgetful"].get(link)["Location"]

    def _match(self, **options: Any) -> Match:
        return opening.join_match(by=self.ben, match=opening.create_match(by=self.anna, game="space_war", **options))

    def _signed_in(self, user: User) -> Client:
        client = Client(raise_request_exception=False)
        EmailAddress.objects.get_or_create(user=user, email=user.email, verified=True, primary=True)
        client.post("/accounts/login/", {"login": user.username, "password": "a long password"})
        client.post("/accounts/reauthenticate/", {"password": "a long password"})
        return client

    def _guarded(self, user: User) -> Client:
        """Return the client of a user who has two factors."""
        client = self._signed_in(user)
        TOTP.activate(user, generate_totp_secret())
        RecoveryCodes.activate(user)
        return client

    def _halfway(self, user: User) -> Client:
        """Return a client that has sent the password and not yet the second factor."""
        self._guarded(user)
        client = Client(raise_request_exception=False)
        client.post("/accounts/login/", {"login": user.username, "password": "a long password"})
        return client

    def posts(self) -> list[Post]:
        """Return what is posted to every door."""
        return [*self._matches(), *self._lobby(), *self._profile(), *self._programs(), *self._sign_in(), *self._desk()]

    def _matches(self) -> list[Post]:
        def post(below: str, match: Match, /, **fields: Any) -> Post:
            return Post(f"matches/<str:ident>/{below}", f"/matches/{match.number}/{below}", fields | hidden)

        hidden = {"_once": "once", "_link": "", "_back": "match", "_as": ""}
        running, ours = self.running, self.board
        version = {"_version": self.version}
        resign = {"_form": "resign", "_sure": "yes"}
        return [
            post("command", running, **version, **resign),
            post("preview", running, _form="resign"),
            post("orders", running, **version, orders="resign"),
            post("seats", self.open, act="bot", seat="1", bot="random", contribution="luck"),
            post("invite", self.open, whom="ben"),
            post("press", running, to="all", text="hello"),
            post("press", running, to="1", text="hello"),
            post("notes", running, text="remember"),
            post("after-turn", running, act="next"),
            post("standing", running, order="resign"),
            post("standing", running, cancel="1"),
            post("standing", ours, look="1"),
            post("absence", running, act="pause"),
            post("absence", self.hosted, act="take", seat="0"),
            post("undo", running, act="undo", **version),
            post("undo", running, act="accept", request="1"),
            post("undo", self.hosted, act="rewind", to="1", code="fault", reason="a fault", **version),
            post("organise", self.hosted, action="extend", code="fault", reason="late", seat="0", hours="4", bot="on"),
            post("fork", running, version=self.version, kind="board", seat="0"),
            post("rematch", self.over),
            post("close", ours),
            post("line", ours),
            post("go-to", ours, to=self.version),
        ]

    def _options(self) -> dict[str, Any]:
        """Return the fields of a game's options, as its page has them."""
        page = self.clients["player"].get("/new/space_war/").content.decode()
        return {name: value for form in forms(page) for name, value in form.fields.items() if name.startswith("options.")}

    def _lobby(self) -> list[Post]:
        new = {"hours": "48", "entry": "public", "watch": "all", "watch_delay": "0", "press": "private", "undo": "free"}
        new |= {"anonymous": "", "invite": "", "finished": "80", "timeouts": "3", "seats": "2", "bot": "random", "bot1": ""}
        parts = {f"clock_{name}": "1d" for name in ("turn", "commit", "reaction", "choice", "minimum", "grace")}
        parts |= {f"clock_bank_{name}": "1d" for name in ("start", "increment", "cap")}
        parts |= {"clock_at": "18:00", "clock_at_days": "mon", "clock_off": "sat", "clock_holidays": "", "clock_quiet_hours": "8"}
        parts |= {"clock_vacation": "on", "clock_timeout": "pass", "clock_after": "2", "clock_excused": "1"}
        invitation = f"/invitations/{self.token}/"
        subject = {"match": str(self.running.number), "seat": "1", "message": "", "player": ""}
        report = {"kind": "abuse", "words": "See there", "_once": "once"}
        return [
            Post("new/<slug:game>/", "/new/space_war/", new | {"clock": "", **self._options()}),
            Post("new/<slug:game>/", "/new/space_war/", {"react": "6h", "stops": "weekends", **self._options()}),
            Post("new/<slug:game>/", "/new/space_war/", {"clock": "parts", **parts, **self._options()}),
            Post("new/<slug:game>/now", "/new/space_war/now", {"_once": "once"}),
            Post("new/<slug:game>/pair", "/new/space_war/pair", {"_once": "once"}),
            Post("invitations/answer", "/invitations/answer", {"invitation": str(self.invitation.pk), "act": "accept"}),
            Post("invitations/<str:token>/", invitation, {"act": "accept", "contribution": "luck", "_once": "once"}),
            Post("report/", "/report/?player=ben", report),
            Post("report/", "/report/", subject, method="get"),
        ]

    def _profile(self) -> list[Post]:
        def post(name: str, /, **fields: Any) -> Post:
            return Post(f"profile/{name}", f"/profile/{name}", fields)

        timing = {"reminders": "50%", "batch_minutes": "5", "receipt_minutes": "5", "subject_per_turn": "yes", "digest_hour": "7"}
        timing |= {"immediate_below": "4", "push": "first", "webhook": "after"}
        key = "B" * 87
        return [
            post("", timezone="Europe/Berlin", language="en", plays_bots="on"),
            post("vacations", first="2030-12-24", last="2030-12-26"),
            post("vacations", act="cancel", absence="1"),
            post("quiet-hours", start="22:00", end="07:00"),
            post("follow", act="", game="space_war", organiser=""),
            post("follow", act="", game="", organiser="ben"),
            post("follow", act="stop", follow="1"),
            post("mails", kinds="turn"),
            post("timing", **timing, **dict.fromkeys(SERVICES, "")),
            post("reply-addresses", any="x"),
            post("calendar", act="renew"),
            post("push", act="", endpoint="https://push.example/x", p256dh=key, auth="a" * 22),
            post("push", act="unsubscribe", subscription=str(self.hook.pk), endpoint="https://push.example/x"),
            post("webhook", act="", url="https://hooks.example/x"),
            post("chats/", act="", service="discord", address="https://discord.com/api/webhooks/1/x"),
            post("webhooks/", act="add", url="https://hooks.example/y", match=str(self.running.number), kinds="turn"),
            post("webhooks/", act="test", hook=str(self.hook.pk)),
            Post("profile/webhooks/<uuid:hook_id>/", f"/profile/webhooks/{self.hook.pk}/", {"delivery": str(self.hook.pk)}),
            post("mails/again", suppression="1"),
            post("blocked/", act="block", name="ben", _back="player"),
            post("tokens", act="create", name="bot", scopes="read", days="30"),
            post("tokens", act="revoke", token=str(self.hook.pk)),
            post("apps/", act="register", name="Mine", redirect_uris="https://app.example/done", confidential="on"),
            post("apps/", act="delete", app=str(self.app.pk)),
            post("bots/", act="make", name="wide-bot", at_once="5"),
            post("bots/", act="limit", bot=self.bot.username, at_once="5"),
            post("erase", name="anna"),
        ]

    def _programs(self) -> list[Post]:
        asked = {"response_type": "code", "client_id": str(self.app.pk), "redirect_uri": "https://app.example/", "scope": "read"}
        asked |= {"state": "x", "code_challenge": "a" * 43, "code_challenge_method": "S256"}
        code = {"grant_type": "authorization_code", "code": "x", "client_id": str(self.app.pk), "code_verifier": "v" * 43}
        refresh = {"grant_type": "refresh_token", "refresh_token": "x", "client_id": str(self.app.pk), "scope": "read"}
        secret = {"client_secret": "s", "redirect_uri": "https://app.example/"}
        revoked = {"token": "x", "token_type_hint": "access_token", "client_id": str(self.app.pk), "client_secret": "s"}
        row = Outbox(kind="turn", topic=str(self.running.id), user=self.anna)
        stop = unsubscribe.link(row).partition("/mail/")[2]
        return [
            Post("oauth/authorize/", f"/oauth/authorize/?{urlencode(asked)}", {"act": "allow"}),
            Post("oauth/token/", "/oauth/token/", code | secret, "stranger"),
            Post("oauth/token/", "/oauth/token/", refresh | secret, "stranger"),
            Post("oauth/revoke/", "/oauth/revoke/", revoked, "stranger"),
            Post("mail/unsubscribe/<str:token>", f"/mail/{stop}", {"scope": "kind", "again": "1"}, "stranger"),
            Post("mail/resume/<str:token>", "/mail/resume/x", {"any": "x"}, "stranger"),
            Post("mail/confirm/<str:token>", "/mail/confirm/x", {"any": "x"}, "stranger"),
        ]

    def _sign_in(self) -> list[Post]:
        def post(below: str, reader: str, /, **fields: Any) -> Post:
            return Post(f"accounts/{below}", f"/accounts/{below}", fields | {"next": "/"}, reader)

        new = {"password1": "another long password", "password2": "another long password"}
        reset = "password/reset/key/(?P<uidb36>[0-9A-Za-z]+)-(?P<key>.+)/$"
        return [
            post("login/", "stranger", login="anna", password="a long password", remember="on"),
            post("signup/", "stranger", username="nina", email="nina@players.example", **new),
            post("password/reset/", "stranger", email="anna@players.example"),
            Post(f"accounts/{reset}", self.reset, new, "forgetful"),
            post("password/reset/key/done/", "stranger"),
            post("password/reset/done/", "stranger"),
            post("inactive/", "stranger"),
            post("confirm-email/", "stranger"),
            Post("accounts/confirm-email/(?P<key>[-:\\w]+)/$", "/accounts/confirm-email/x/", {"any": "x"}, "stranger"),
            post("login/code/confirm/", "stranger", code="123456"),
            post("logout/", "player"),
            post("email/", "player", action_add="", email="two@players.example"),
            post("reauthenticate/", "player", password="a long password"),
            post("password/change/", "player", oldpassword="a long password", revoke_keys="on", **new),
            post("password/set/", "player", **new),
            post("2fa/", "player"),
            post("2fa/totp/activate/", "player", code="123456"),
            post("2fa/totp/deactivate/", "guarded"),
            post("2fa/reauthenticate/", "guarded", code="123456"),
            post("2fa/recovery-codes/", "guarded"),
            post("2fa/recovery-codes/download/", "guarded"),
            post("2fa/recovery-codes/generate/", "guarded"),
            post("2fa/authenticate/", "halfway", code="123456"),
        ]

    def _desk(self) -> list[Post]:
        def post(below: str, row: Match | Report, /, **fields: Any) -> Post:
            return Post(
                f"admin/matches/{below}/<path:object_id>/act/", f"/admin/matches/{below}/{row.pk}/act/", fields, "operator"
            )

        measure = {"action": "extend", "code": "fault", "reason": "late", "seat": "0", "hours": "4", "to": "1", "bot": "on"}
        return [
            post("match", self.running, act="look", seat="0", version=self.version, reason="a report"),
            post("match", self.running, act="measure", _once="once", **measure),
            post("report", self.report, act="take", words="Seen", days="3"),
        ]
