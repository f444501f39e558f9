"""The forms behind the links in mails."""

from __future__ import annotations

from django import forms
from django.http import QueryDict

from notifications.sending.unsubscribe import Subscription


class UnsubscribeForm(forms.Form):
    """The mails to stop, or to get `again`. A mail provider's one-click request (RFC 8058) names neither."""

    again = forms.CharField(required=False)

    def __init__(self, data: QueryDict, *, subscription: Subscription) -> None:
        super().__init__(data)
        scopes = [scope.value for scope in subscription.scopes]
        self.fields["scope"] = forms.TypedChoiceField(
            required=False, choices=[(scope, scope) for scope in scopes], empty_value=scopes[0]
        )
