"""The terms of conduct."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe


@require_safe
def terms(request: HttpRequest) -> HttpResponse:
    """Show how players treat each other, and what the operators do if one of them does not."""
    return render(request, "web/community/terms.html")
