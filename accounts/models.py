"""Users and the API tokens of their programs. Knows nothing of matches."""

from __future__ import annotations

import uuid
from datetime import datetime
from zoneinfo import ZoneInfo

from django.contrib.auth.models import AbstractUser
from django.contrib.postgres.fields import ArrayField
from django.core.exceptions import PermissionDenied, ValidationError
from django.db import models
from django.db.models.functions import Lower
from django.utils.timezone import now

from accounts.validators import USERNAME_LENGTH, check_timezone, check_username_characters, username_validators


class Language(models.TextChoices):
    """The languages of mails and of the pages behind their links."""

    ENGLISH = "en", "English"
    GERMAN = "de", "Deutsch"


class User(AbstractUser):
    """A user. Real names are not asked for: what is not stored need not be erased.

    `email` is the primary address as django-allauth keeps it. `accounts.addresses` says whether an address is verified, and which
    others there are.
    """

    username = models.CharField(
        "user name",
        max_length=USERNAME_LENGTH,
        unique=True,
        validators=username_validators,
        error_messages={"unique": "This user name is taken."},
    )
    first_name = None  # type: ignore[assignment]
    last_name = None  # type: ignore[assignment]
    date_joined = None  # type: ignore[assignment]
    timezone = models.CharField("time zone", max_length=64, default="UTC", validators=[check_timezone])
    language = models.CharField(max_length=2, choices=Language.choices, default=Language.ENGLISH)
    created = models.DateTimeField(default=now, editable=False)
    # For a user authenticated by a token: False if it lacks the scope `operate` (see `accounts.tokens`). Never stored.
    speaks_as_operator = True
    # Every night, in the zone of `quiet_zone` (see `accounts.absences`); both or neither.
    quiet_from = models.TimeField(null=True, blank=True)
    quiet_until = models.TimeField(null=True, blank=True)
    # The user's zone when the quiet hours were set. Empty: the present zone.
    quiet_zone = models.CharField(max_length=64, blank=True, default="", db_default="")
    # The moment from which these quiet hours count. It stays when they are ended.
    quiet_since = models.DateTimeField(null=True, blank=True)

    # A program's own account (see `accounts.bots.bots`). It has no password and no address; its owner makes its tokens.
    is_bot = models.BooleanField(default=False, db_default=False, editable=False)
    bot_owner = models.ForeignKey("self", on_delete=models.SET_NULL, null=True, editable=False, related_name="bots")
    # The unfinished matches that a bot plays at the same time.
    bot_matches = models.PositiveSmallIntegerField(default=8, db_default=8, editable=False)
    # Bots may challenge this user.
    plays_bots = models.BooleanField("bots may challenge me", default=False, db_default=False)

    REQUIRED_FIELDS = ["email"]

    class Meta(AbstractUser.Meta):
        # `Anna` and `anna` would be taken for the same user.
        constraints = [models.UniqueConstraint(Lower("username"), name="accounts_user_username_any_case")]

    def get_full_name(self) -> str:
        return self.username

    def get_short_name(self) -> str:
        return self.username

    @classmethod
    def named(cls, name: str) -> User | None:
        """Return the active user with this name; None if there is none, even for text that cannot be a name.

        With its owner a bot is suspended too.
        """
        try:
            check_username_characters(name)
        except ValidationError:
            return None
        return cls.objects.filter(username=name, is_active=True).exclude(bot_owner__is_active=False).first()

    @classmethod
    def lock(cls, *keys: int) -> None:
        """Lock users until the transaction ends. Raises `PermissionDenied` if an account was erased or suspended meanwhile.

        What a request does that began before an erasure would stay on the erased account: a seat, a key, an address.
        """
        rows = list(cls.objects.select_for_update(no_key=True).filter(pk__in=keys).order_by("pk"))
        if not all(user.is_active for user in rows):
            raise PermissionDenied("This account is closed.")

    @property
    def is_operator(self) -> bool:
        """Return True if the user may act as an operator now. A token may act for an operator without that power."""
        return self.is_staff and self.speaks_as_operator

    @property
    def zone(self) -> ZoneInfo:
        """Return the time zone in which this user reads deadlines."""
        return ZoneInfo(self.timezone)


class ApiToken(models.Model):
    """A bearer token of a program that acts for a user. Only its hash is stored (see `accounts.tokens`)."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="api_tokens")
    name = models.CharField(max_length=60)
    digest = models.CharField(max_length=64, unique=True, editable=False)
    hint = models.CharField(
        max_length=12, editable=False, help_text="The first characters of the key, so that its owner can tell keys apart."
    )
    scopes = ArrayField(models.CharField(max_length=10))
    created_at = models.DateTimeField(default=now, editable=False)
    last_used_at = models.DateTimeField(null=True, blank=True)
    expires_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)
    # The token that created this one. It is revoked together with it, and expires no later.
    parent = models.ForeignKey("self", on_delete=models.CASCADE, null=True, editable=False, related_name="children")
    # The app that uses it, by the user's permission; null for a token that the user made.
    authorization = models.ForeignKey("Authorization", on_delete=models.CASCADE, null=True, editable=False, related_name="tokens")
    # When the owner last gave their password for this token or the one that created it; null: never.
    proven_at = models.DateTimeField(null=True, editable=False)

    class Meta:
        verbose_name = "API token"
        verbose_name_plural = "API tokens"
        ordering = ["-created_at"]
        indexes = [
            models.Index(fields=["expires_at"], name="token_expires", condition=models.Q(expires_at__isnull=False)),
            models.Index(fields=["revoked_at"], name="token_revoked", condition=models.Q(revoked_at__isnull=False)),
        ]

    def __str__(self) -> str:
        return f"{self.name} ({self.hint}…)"

    def usable(self, *, at: datetime) -> bool:
        """Return True if the token is valid at that moment."""
        return self.revoked_at is None and (self.expires_at is None or self.expires_at > at)


class App(models.Model):
    """A program of a developer that other users may let act for them (OAuth 2, see `accounts.oauth`)."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    owner = models.ForeignKey(User, on_delete=models.CASCADE, related_name="apps")
    name = models.CharField(max_length=60)
    redirect_uris = ArrayField(models.CharField(max_length=300))
    # Empty for an app that cannot keep a secret: one that runs in a browser, on a phone or on a desktop.
    secret_digest = models.CharField(max_length=64, blank=True, editable=False)
    created_at = models.DateTimeField(default=now, editable=False)

    class Meta:
        ordering = ["created_at", "pk"]

    def __str__(self) -> str:
        return self.name

    @property
    def confidential(self) -> bool:
        """Return True if the app proves itself by a secret."""
        return self.secret_digest != ""


class Authorization(models.Model):
    """A user's permission for an app, with its code and refresh token as plain hashes (see `accounts.oauth`)."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="authorizations")
    app = models.ForeignKey(App, on_delete=models.CASCADE, related_name="authorizations")
    scopes = ArrayField(models.CharField(max_length=10))
    redirect_uri = models.CharField(max_length=300)
    code_challenge = models.CharField(max_length=128)
    code_digest = models.CharField(max_length=64, unique=True, editable=False)
    code_expires_at = models.DateTimeField()
    code_used_at = models.DateTimeField(null=True)
    refresh_digest = models.CharField(max_length=64, null=True, unique=True, editable=False)
    # Used once more, it shows that a refresh token was stolen.
    previous_refresh_digest = models.CharField(max_length=64, null=True, unique=True, editable=False)
    created_at = models.DateTimeField(default=now, editable=False)
    # When it ends unless the app asks again: the expiry of the code, later that of the refresh token.
    expires_at = models.DateTimeField(db_index=True)
    revoked_at = models.DateTimeField(null=True)

    class Meta:
        indexes = [
            models.Index(fields=["revoked_at"], name="authorization_revoked", condition=models.Q(revoked_at__isnull=False))
        ]

    def __str__(self) -> str:
        return f"{self.app} for {self.user}"


class Throttle(models.Model):
    """The count of an act in the present window. The key is a hash, so no address is stored here."""

    key = models.CharField(max_length=64, primary_key=True)
    started_at = models.DateTimeField()
    ends_at = models.DateTimeField(db_index=True)
    count = models.IntegerField()


class Absence(models.Model):
    """A vacation: whole days in the user's zone at that time, and the moments they meant (see `accounts.absences`)."""

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="absences")
    first_day = models.DateField()
    last_day = models.DateField()
    zone = models.CharField(max_length=64)
    starts_at = models.DateTimeField()
    ends_at = models.DateTimeField()
    announced_at = models.DateTimeField(default=now)

    class Meta:
        indexes = [models.Index(fields=["user", "ends_at"])]

    def __str__(self) -> str:
        return f"{self.first_day} to {self.last_day}"


class AbsenceChange(models.Model):
    """A vacation that was announced or cancelled, kept until the deadlines it touches are moved (see `accounts.absences`)."""

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="+")
    starts_at = models.DateTimeField()
    ends_at = models.DateTimeField()
    # The moment it counts from: that of the announcement, which may have been read later (a mail).
    made_at = models.DateTimeField(default=now)
    written_at = models.DateTimeField(default=now)
    # The last time that every match was checked.
    looked_at = models.DateTimeField(null=True)
    # Ids of the matches whose deadlines could not be moved yet.
    failed = models.JSONField(default=list)

    def __str__(self) -> str:
        return f"{self.starts_at:%Y-%m-%d} to {self.ends_at:%Y-%m-%d}"


class Block(models.Model):
    """A user who wants nothing to do with another one (see `accounts.blocks`). The other one is not told."""

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="blocks")
    blocked = models.ForeignKey(User, on_delete=models.CASCADE, related_name="+")
    since = models.DateTimeField(default=now)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["user", "blocked"], name="block_once"),
            models.CheckConstraint(condition=~models.Q(user=models.F("blocked")), name="block_of_another"),
        ]


class FormerName(models.Model):
    """A name that a user had before, for operators: reports and old mails still call them by it."""

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="former_names")
    name = models.CharField(max_length=USERNAME_LENGTH)
    until = models.DateTimeField(default=now)

    class Meta:
        verbose_name = "former name"
        verbose_name_plural = "former names"
        indexes = [models.Index(fields=["user", "-until"], name="former_name_of")]


class SignIn(models.Model):
    """An entry of the audit trail of sign-ins, for operators (see `accounts.signins`).

    A name that belongs to no user is stored as a keyed hash: users type passwords into the wrong field.
    """

    class Kind(models.TextChoices):
        SIGNED_UP = "signed_up", "signed up"
        IN = "in", "signed in"
        FAILED = "failed", "sign-in failed"
        OUT = "out", "signed out"
        TOKEN = "token", "token used (first time in an hour)"
        TOKEN_REFUSED = "token_refused", "token refused"
        PASSWORD_CHANGED = "password_changed", "password changed"
        PASSWORD_RESET = "password_reset", "password reset by mail"
        FACTOR_ADDED = "factor_added", "second factor added"
        FACTOR_REMOVED = "factor_removed", "second factor removed"

    user = models.ForeignKey(User, on_delete=models.CASCADE, null=True, related_name="sign_ins")
    token = models.ForeignKey(ApiToken, on_delete=models.SET_NULL, null=True, related_name="+")
    kind = models.CharField(max_length=20, choices=Kind.choices)
    channel = models.CharField(max_length=10)
    name_hash = models.CharField(max_length=64, blank=True)
    address = models.GenericIPAddressField("network address", null=True)
    at = models.DateTimeField(default=now)

    class Meta:
        verbose_name = "sign-in"
        verbose_name_plural = "sign-ins"
        indexes = [
            models.Index(fields=["at"], name="sign_in_at"),
            models.Index(fields=["user", "-at"], name="sign_in_user"),
        ]

    def __str__(self) -> str:
        return f"{self.get_kind_display()} {self.at:%Y-%m-%d %H:%M}"
