"""The forms of the user's own account."""

from __future__ import annotations

from typing import Any

from django import forms

from accounts.models import User
from accounts.tokens import SCOPES
from gamesvc.forms import PostedForm, SomeOfField, TextField, WholeField, says
from gamesvc.language import mark
from notifications import registry

LONGEST_DAYS = 3650
"""Ten years."""
WRONG_NAME = mark("This is not your user name; nothing was erased.")


class ProfileForm(forms.ModelForm):  # type: ignore[type-arg]
    """The settings a user may change here. Addresses and password are on django-allauth's pages."""

    class Meta:
        model = User
        fields = ["timezone", "language", "plays_bots"]

    def save(self, commit: bool = True) -> User:
        """Write the fields of the form alone: the request's copy of the user may be old, and knows no newer password."""
        user: User = self.instance
        user.save(update_fields=self._meta.fields)
        return user


def optional_kinds() -> list[registry.Kind]:
    """Return the kinds of mail that a user may do without."""
    return [kind for kind in registry.kinds() if not kind.essential]


class MailsForm(PostedForm):
    """The optional kinds of mail that the user wants."""

    kinds = SomeOfField(
        "One of these kinds of mail no longer exists. Load the page again and choose once more.",
        lambda: [(kind.name, kind.label) for kind in optional_kinds()],
    )


class NewKeyForm(PostedForm):
    """A new key. `accounts.tokens` checks its name and scopes."""

    name = TextField()
    scopes = SomeOfField("Choose the scopes of the key from those on the page.", [*SCOPES.items()])
    days = WholeField("A key expires after 1 to 3650 days, or never.", low=1, high=LONGEST_DAYS)

    def wanted(self) -> set[str]:
        """Return the scopes as posted, before they are checked."""
        return set(self["scopes"].value())


class RevokeForm(PostedForm):
    """The key to revoke."""

    token = forms.UUIDField(error_messages=says("There is no such key."))


class EraseForm(PostedForm):
    """The user name, typed to confirm that the account is to be erased."""

    name = forms.CharField(error_messages=says(WRONG_NAME))

    def __init__(self, data: Any = None, *, user: User) -> None:
        super().__init__(data)
        self._user = user

    def clean_name(self) -> str:
        name: str = self.cleaned_data["name"]
        if name != self._user.username:
            raise forms.ValidationError(WRONG_NAME)
        return name


class NewAppForm(PostedForm):
    """A new app. `accounts.oauth.apps` checks its name and addresses."""

    name = TextField()
    redirect_uris = TextField()
    confidential = forms.BooleanField(required=False)


class AppForm(PostedForm):
    """The app to delete, or to end the permission of."""

    app = forms.UUIDField(error_messages=says("There is no such app."))


class NewBotForm(PostedForm):
    """A new bot account. `accounts.bots` checks its name and limit."""

    name = TextField()
    at_once = WholeField("A bot plays 1 to 50 matches at the same time.", required=True)


class BotForm(PostedForm):
    """The bot account to change."""

    bot = TextField()


class BotLimitForm(PostedForm):
    """The number of matches that a bot plays at the same time."""

    at_once = WholeField("A bot plays 1 to 50 matches at the same time.", required=True)
