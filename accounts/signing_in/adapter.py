"""Our adapter for django-allauth: the addresses an account may have, and the mails of accounts."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from smtplib import SMTPException
from types import SimpleNamespace
from typing import Any
from urllib.parse import urlsplit

from allauth.account.adapter import DefaultAccountAdapter
from allauth.core import context as allauth_context
from allauth.core.exceptions import ImmediateHttpResponse
from allauth.core.internal import ratelimit
from django.conf import settings
from django.contrib import messages
from django.core.exceptions import PermissionDenied, ValidationError
from django.core.mail import EmailMessage
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import translation
from django.utils.crypto import constant_time_compare
from django.utils.http import url_has_allowed_host_and_scheme

from accounts import network
from accounts.addresses import is_own, is_taken, mailbox_of
from accounts.models import Language, User
from accounts.signing_in import known_browsers
from accounts.throttling import throttle, throttle_in_turn
from accounts.validators import BOT_SUFFIX, ERASED_PREFIX, check_username_is_no_web_address
from gamesvc.language import say

MAILS_PER_ADDRESS_AND_DAY = 10
ADDRESSES_PER_DAY = 20
"""Mails to addresses that one user has added or wants to confirm: they may be those of strangers."""
MAILS_PER_NETWORK_AND_DAY = 500
"""Of each kind, to all addresses together, that requests from one network cause. Most may be those of strangers."""
SIGN_INS_PER_DAY = 200
"""Of one account from one network. Each begins a session, which lasts two weeks."""
DAY = 24 * 3600
# As in `ACCOUNT_RATE_LIMITS`, `accounts.network.NETWORKS_OF_ONE` times. Tries to sign in that succeed count here too.
OF_A_PROVIDER = {"login": "90/m/key", "login_failed": "15/5m/key", "signup": "60/h/key"}

# The mail that confirms an address, other than at the sign-up.
FURTHER = "account/email/email_confirmation"
# The mails about a forgotten password: to the owner of an account, and to an address without one.
RESET, UNKNOWN = "account/email/password_reset_key", "account/email/unknown_account"
# The same at the sign-up.
SIGN_UP, HAS_ACCOUNT = "account/email/email_confirmation_signup", "account/email/account_already_exists"
AT_ONCE = {RESET: (5, 3600), UNKNOWN: (5, 3600), FURTHER: (1, 180), SIGN_UP: (1, 180), HAS_ACCOUNT: (1, 180)}
"""Mails of one kind to one address within so many seconds, of those that anybody can have sent to addresses of others. What tells
users of changes to their account is none of them. Only mails that are sent count: what a stranger is refused keeps nobody from
theirs.
"""

_BEGAN_WITH = "began_with"  # in a session

log = logging.getLogger(__name__)
_posting = ThreadPoolExecutor(2, thread_name_prefix="account-mail")


def later(post: Callable[[], object]) -> None:
    """Call a function in another thread: the response does not wait for it."""
    _posting.submit(post)


def _counted(request: HttpRequest, action: str, about: str = "") -> bool:
    """Count an act for all IPv6 networks of one customer together. Return False beyond the limit."""
    provider = network.client_provider(request)
    key = f"{about} {provider}"
    return not provider or bool(ratelimit.consume(request, app="accounts", action=action, config=OF_A_PROVIDER, key=key))


def _account(credentials: Mapping[str, object]) -> str:
    """Return the account that is signed in to. allauth adds the host of the request, which its sender chooses."""
    return str(credentials.get("email") or credentials.get("username") or "").lower()


def _of_our_site(context: Mapping[str, object]) -> dict[str, object]:
    """Return the words of a mail with all its links on `BASE_URL`.

    allauth makes them of the host of the request. Anyone can ask for a mail to another user, and chooses that host.
    """
    place = urlsplit(settings.BASE_URL)
    site = SimpleNamespace(name=place.netloc, domain=place.netloc)
    ours = {
        name: urlsplit(value)._replace(scheme=place.scheme, netloc=place.netloc).geturl()
        for name, value in context.items()
        if isinstance(value, str) and name.endswith("_url")
    }
    return {**context, **ours, "current_site": site}


class AccountAdapter(DefaultAccountAdapter):  # type: ignore[misc]
    """Sign-up, sign-in and address management of django-allauth, with our limits."""

    def new_user(self, request: HttpRequest) -> User:
        """Return a new user in the browser's language, if we support it."""
        user: User = super().new_user(request)
        wanted = translation.get_language_from_request(request)[:2]
        if wanted in Language.values:
            user.language = wanted
        return user

    def clean_username(self, username: str, shallow: bool = False) -> str:
        """Refuse the names of erased accounts and of bots, and web addresses, in addition to allauth's and our validators."""
        if username.lower().startswith(ERASED_PREFIX):
            raise ValidationError("Names that begin with erased- are kept for erased accounts.", code="username_blacklisted")
        if username.lower().endswith(BOT_SUFFIX):
            raise ValidationError("Names that end with -bot are kept for bot accounts.", code="username_blacklisted")
        check_username_is_no_web_address(username)
        return str(super().clean_username(username, shallow))

    def clean_email(self, email: str) -> str:
        """Refuse the service's own addresses: it would write to itself, and answer itself."""
        address = str(super().clean_email(email))
        if is_own(address):
            raise ValidationError(f"{address} belongs to this service. Give an address of your own.", code="own_address")
        return address

    def set_password(self, user: User, password: str) -> None:
        """Write the password alone: the request's copy of the user may be older than what else changed."""
        user.set_password(password)
        user.save(update_fields=["password"])

    def get_client_ip(self, request: HttpRequest) -> str:
        """Return what allauth's limits count by: the network address, or the browser that signs in to the account of before.

        allauth takes the /64 of an IPv6 address itself.
        """
        if browser := known_browsers.trying(request):
            return browser
        address = network.client_address(request)
        if address is None:
            raise PermissionDenied("The network address of the client is not known.")
        return address

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        """Count a sign-up for the customer behind an IPv6 network. Always True: beyond the limit the request gets 429."""
        if request.method == "POST" and not _counted(request, "signup"):
            raise ImmediateHttpResponse(ratelimit.respond_429(request))
        return bool(super().is_open_for_signup(request))

    def pre_authenticate(self, request: HttpRequest, **credentials: Any) -> None:
        """Count a try for the customer behind an IPv6 network as well, for all accounts and for this one.

        Not one that is refused to the network itself: phones of one provider may share a /48, and each has its own tries.
        """
        super().pre_authenticate(request, **credentials)
        if known_browsers.trying(request):
            return
        account = _account(credentials)
        if not (_counted(request, "login") and _counted(request, "login_failed", account)):
            raise self.validation_error("too_many_login_attempts")

    def pre_login(self, request: HttpRequest, user: User, **about: Any) -> HttpResponse | None:
        """Remember the password that a sign-in begins with, before a second factor or a confirmation is asked for.

        Who knows it and lacks the second factor uses up the sign-ins of their own network alone, and keeps no owner out.
        """
        if throttle(f"sign-ins {user.pk} {network.client_network(request)}", SIGN_INS_PER_DAY, DAY):
            request.session.flush()  # it already says how this sign-in began
            raise ImmediateHttpResponse(ratelimit.respond_429(request))
        request.session[_BEGAN_WITH] = user.get_session_auth_hash()
        known_browsers.keep(request)
        response: HttpResponse | None = super().pre_login(request, user, **about)
        return response

    def login(self, request: HttpRequest, user: User) -> None:
        """Sign in, unless the user has got a new password since the sign-in began: who knows the old one stays out."""
        began_with = request.session.pop(_BEGAN_WITH, None)
        if began_with is not None and not constant_time_compare(began_with, user.get_session_auth_hash()):
            raise ImmediateHttpResponse(redirect("account_login"))
        super().login(request, user)

    def _get_login_attempts_cache_key(self, request: HttpRequest, **credentials: object) -> str:
        """Count wrong passwords by account and network, so that a guesser does not lock the owner out.

        Those of the owner's own browser count by themselves: a guesser in the same network does not either.
        """
        return f"{_account(credentials)} {known_browsers.trying(request) or network.client_network(request)}"

    def post_login(self, request: HttpRequest, user: User, **about: Any) -> HttpResponse:
        """Remember the browser."""
        response: HttpResponse = super().post_login(request, user, **about)
        known_browsers.remember(response, user)
        return response

    def is_safe_url(self, url: str) -> bool:
        """Return True for an address on this site. allauth also goes to all `ALLOWED_HOSTS`, such as the user's own computer."""
        return url_has_allowed_host_and_scheme(url, allowed_hosts=None)

    def render_mail(
        self, template_prefix: str, email: str | list[str], context: dict[str, object], headers: dict[str, str] | None = None
    ) -> EmailMessage:
        """Mark the mail as automatic, so that no vacation responder answers it."""
        marks = {"Auto-Submitted": "auto-generated", "X-Auto-Response-Suppress": "All", **(headers or {})}
        message: EmailMessage = super().render_mail(template_prefix, email, context, headers=marks)
        return message

    def send_mail(self, template_prefix: str, email: str, context: dict[str, object]) -> None:
        """Send a mail about the account, in its language, at most ten of each kind to one mailbox per day and few of them at
        once, at most twenty to all addresses that one user adds, and so many to all that one network names.

        Each kind counts separately, so causing other mails cannot block the link for a new password. A verified address counts
        by itself: accounts that strangers make for tags of its mailbox cannot block that link either. If no mail server answers,
        the user is told so and can ask again; the account is not lost.

        Who asks for a new password is told nothing, not even by the time it takes: an address without an account costs the
        same work and gets no mail, and the mail to the owner of an account leaves after the response.
        """
        request, user = allauth_context.request, context.get("user")
        if request is not None and _network_is_full(template_prefix, request):
            # The same for every address, known or not.
            messages.error(request, say("Too many mails were asked for from your network today. Ask again tomorrow."))
            return
        if _held_back(template_prefix, email, user):
            return
        language = user.language if isinstance(user, User) else translation.get_language()
        with translation.override(language):
            message = self.render_mail(template_prefix, email, {"request": request, "email": email, **_of_our_site(context)})
        if template_prefix == RESET:
            later(lambda: _sent(template_prefix, message))
        elif template_prefix != UNKNOWN and not _sent(template_prefix, message) and request is not None:
            messages.error(request, say("The mail could not be sent. Please ask for it again in a few minutes."))


def _network_is_full(template_prefix: str, request: HttpRequest) -> bool:
    """Count a mail about an account that its network asks for. Return True beyond its limit.

    The mails about a forgotten password count together, and before it is known whether their receiver has had too many: so the
    limit tells nobody which address has an account.
    """
    origin = network.client_network(request) if template_prefix in AT_ONCE else ""
    kind = RESET if template_prefix == UNKNOWN else template_prefix
    if not origin or throttle(f"account-mails:{kind}:from {origin}", MAILS_PER_NETWORK_AND_DAY, DAY) == 0:
        return False
    log.warning("account mail %s held back: the network had %s today", template_prefix, MAILS_PER_NETWORK_AND_DAY)
    return True


def _held_back(template_prefix: str, email: str, user: object) -> bool:
    """Count a mail about an account. Return True beyond a limit, of the user who causes it or of its receiver.

    First that of the user: a mail beyond it uses up none of others.
    """
    counted = f"verified {email.lower()}" if is_taken(email) else mailbox_of(email)
    most, seconds = AT_ONCE.get(template_prefix, (MAILS_PER_ADDRESS_AND_DAY, DAY))
    if template_prefix == FURTHER and isinstance(user, User) and throttle(f"addresses of {user.pk}", ADDRESSES_PER_DAY, DAY):
        whose = f"the user had {ADDRESSES_PER_DAY} today"
    elif throttle_in_turn(
        [
            (f"account-mail at once:{template_prefix}:{email.lower()}", most, seconds),
            (f"account-mail:{template_prefix}:{counted}", MAILS_PER_ADDRESS_AND_DAY, DAY),
        ]
    ):
        whose = f"the address had {most} lately or {MAILS_PER_ADDRESS_AND_DAY} today"
    else:
        return False
    log.warning("account mail %s held back: %s", template_prefix, whose)
    return True


def _sent(template_prefix: str, message: EmailMessage) -> bool:
    """Send a mail. Return False if no mail server takes it."""
    try:
        message.send()
    except (SMTPException, OSError) as failure:
        log.error("account mail %s could not be sent: %s", template_prefix, type(failure).__name__)
        return False
    return True
