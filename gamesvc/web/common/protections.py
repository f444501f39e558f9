"""Headers that limit what a page may do in a browser, should anything foreign ever get into it."""

from __future__ import annotations

from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponse

_SOURCES = {
    "default-src": "'none'",
    "script-src": "'self'",
    "style-src": "'self'",
    "img-src": "'self' data:",
    "font-src": "'self'",
    # Without a proxy in front, live streams come from another port.
    "connect-src": f"'self' {settings.LIVE_URL}".strip(),
    "manifest-src": "'self'",
    "worker-src": "'self'",
    "base-uri": "'none'",
    "frame-ancestors": "'none'",
}
LEAVING = "; ".join(f"{name} {value}" for name, value in _SOURCES.items())
"""The policy of a page whose form leads to another site."""
POLICY = f"{LEAVING}; form-action 'self'"
"""Only our own files: no script, style or event handler within a page (Content Security Policy Level 3)."""
_UNUSED = (
    "accelerometer",
    "camera",
    "display-capture",
    "geolocation",
    "gyroscope",
    "magnetometer",
    "microphone",
    "payment",
    "usb",
)


class Protections:
    """Middleware that sets these headers, unless a view has set its own."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        response.headers.setdefault("Content-Security-Policy", POLICY)
        response.headers.setdefault("Permissions-Policy", ", ".join(f"{name}=()" for name in _UNUSED))
        response.headers.setdefault("Cross-Origin-Resource-Policy", "same-origin")
        return response
