"""Users and a small game for the tests of the pages."""

import sys

import pytest
from django.test import Client

from gamesvc.games import catalog
from tests.games import toy


@pytest.fixture
def toy_offered(monkeypatch):
    """Offer the toy duel as the only game of the catalogue."""
    monkeypatch.setattr(catalog, "OFFERED", ("toy",))
    monkeypatch.setitem(sys.modules, "gamesvc.games.toy", toy)
    return toy.GAME


@pytest.fixture
def people(db, django_user_model):
    return [django_user_model.objects.create_user(name, f"{name}@example.org", "pw") for name in ("ines", "marek", "tolu")]


@pytest.fixture
def clients(people):
    found = []
    for person in people:
        client = Client(enforce_csrf_checks=False)
        client.force_login(person)
        found.append(client)
    return found


@pytest.fixture
def operator(player):
    return player("operator", is_staff=True)


@pytest.fixture
def desk(operator):
    """The browser of a signed-in operator."""
    client = Client()
    client.force_login(operator)
    return client
