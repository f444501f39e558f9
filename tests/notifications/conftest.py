"""A real mail sink, a user with a verified address, and one kind of notice whose wording the test decides."""

import pytest
from allauth.account.models import EmailAddress

from accounts.addresses import add_verified_address
from accounts.models import User
from gamesvc.ops.sink import MailSink
from notifications import hints, registry
from notifications.models import Mute, Outbox
from notifications.registry import Image, Message
from notifications.wanted import muting
from tests.receiving import receiver  # noqa: F401

# The smallest possible picture: one transparent pixel.
PNG = bytes.fromhex(
    "89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c4890000000a49444154789c6360000002000100"
    "05fe02fea70000000049454e44ae426082"
)


@pytest.fixture(autouse=True)
def _no_hints(monkeypatch):
    """No worker listens here: the tests call the sender themselves."""
    monkeypatch.setattr(hints, "publish", lambda task, *args: None)


@pytest.fixture
def sink(tmp_path, settings):
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST = "127.0.0.1"
    settings.EMAIL_HOST_USER = settings.EMAIL_HOST_PASSWORD = ""
    settings.EMAIL_USE_TLS = settings.EMAIL_USE_SSL = False
    settings.MAIL_DOMAIN = "games.example"
    settings.DEFAULT_FROM_EMAIL = "Games <play@games.example>"
    settings.BASE_URL = "https://games.example"
    settings.ROOT_URLCONF = "tests.notifications.urls"
    with MailSink(tmp_path / "mail") as running:
        settings.EMAIL_PORT = running.port
        yield running


def make_user(name="ann", **fields):
    user = User.objects.create_user(name, **fields)
    add_verified_address(user, f"{name}@players.example")
    return user


@pytest.fixture
def ann(db):
    return make_user()


@pytest.fixture
def committed(django_db_setup, django_db_blocker):
    """Real commits, seen by other connections. Cleans up its own tables only: the event log refuses TRUNCATE."""
    with django_db_blocker.unblock():
        yield
        for model in (Outbox, Mute, EmailAddress, User):
            model.objects.all().delete()


class Turns:
    """A renderer for tests: `still` is False once the notice is obsolete, `fault` is an exception to raise."""

    def __init__(self):
        self.still = True
        self.fault = None
        self.asked = []
        self.message = Message(
            subject="[Stones #42] Your turn",
            text="Take one to three stones.\n",
            html='<style>p { color: #13213a }</style><p>Take stones.</p><img src="cid:board" alt="Nine stones">',
            sender_name="Stones #42",
            list_name="match-42",
            images=(Image("board", PNG),),
        )

    def __call__(self, row):
        self.asked.append(row.id)
        if self.fault:
            raise self.fault
        return self.message if self.still else None


@pytest.fixture
def turns(monkeypatch):
    monkeypatch.setattr(registry, "_kinds", {})
    renderer = Turns()
    registry.register("your_turn", renderer, label="Your turn")
    registry.register("receipt", renderer, essential=True)
    muting.register()
    return renderer
