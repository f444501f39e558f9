"""A real Chromium on pages of a real server, shared by all tests with a browser."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable, Iterator

import pytest
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.contrib.sessions.backends.db import SessionStore
from django.core.signals import request_finished, request_started
from playwright.sync_api import Browser, Page, expect, sync_playwright

from accounts.models import User
from gamesvc.matches.record import loading

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
WIDE, PHONE = (1280, 720), (360, 740)
# A busy machine may take long to answer.
expect.set_options(timeout=60_000)


RUNNING: list[None] = []
request_started.connect(lambda **_: RUNNING.append(None), weak=False)
request_finished.connect(lambda **_: RUNNING and RUNNING.pop(), weak=False)


def wait_for_answers() -> None:
    """Wait until the server answers nothing: a page that is closed sends its leave, and the database is cleared after a test."""
    for _ in range(40):
        time.sleep(0.05)
        if not RUNNING:
            break


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    if CHROMIUM is None:
        pytest.skip("There is no Chromium on the path. Install Debian's chromium to run the tests with a browser.")
    # Playwright runs a loop in this thread, and Django refuses its database to threads with a loop.
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "1"
    with sync_playwright() as playwright:
        made = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield made
        made.close()
    del os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"]


@pytest.fixture
def opened(browser: Browser, live_server, transactional_db) -> Iterator[Callable[..., Page]]:
    """A function that opens a page as a user. A script that fails on any of these pages fails the test."""
    loading.forget_all()
    contexts, faults = [], []

    def opening(
        user: User | None,
        path: str,
        size: tuple[int, int] = WIDE,
        *,
        scripts: bool = True,
        dark: bool = False,
        touch: bool = False,
        motion: bool = False,
    ) -> Page:
        context = browser.new_context(
            viewport={"width": size[0], "height": size[1]},
            java_script_enabled=scripts,
            has_touch=touch,
            color_scheme="dark" if dark else "light",
            reduced_motion="no-preference" if motion else "reduce",
            base_url=live_server.url,
        )
        contexts.append(context)
        if user is not None:
            context.add_cookies([{"name": "sessionid", "value": session_of(user), "url": live_server.url}])
        page = context.new_page()
        page.on("pageerror", lambda fault: faults.append(str(fault)))
        page.goto(path)
        return page

    yield opening
    for context in contexts:
        context.close()
    wait_for_answers()
    assert not faults


def session_of(user: User) -> str:
    session = SessionStore()
    session[SESSION_KEY] = str(user.pk)
    session[BACKEND_SESSION_KEY] = "django.contrib.auth.backends.ModelBackend"
    session[HASH_SESSION_KEY] = user.get_session_auth_hash()
    session.create()
    return str(session.session_key)
