"""Answers by all known mail programs, in many languages: no quoted order is ever carried out."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.mail_replies import grading
from tests.mail_replies.cases import BELOW, CAUSES, GROUPS, KINDS, cases
from tests.mail_replies.clients import CLIENTS
from tests.mail_replies.grading import Graded
from tests.mail_replies.languages import LANGUAGES
from tests.mail_replies.positions import position

SHARES = {"orders only": 0.97, "orders and END": 0.99, "orders, then chatter and no END": 0.93, "greeting above": 0.98, BELOW: 0}
"""The share of replies of each group that are understood. The others are refused with an answer, or the receipt says so."""
SAMPLE_SPREAD = 0.1
"""The share by which a sample may fall below."""
MOST_LOST = 1
"""Replies of which a part is not carried out and the receipt does not say so."""


@pytest.fixture(scope="module", params=[5, pytest.param(1, marks=pytest.mark.long)], ids=["a fifth", "all"])
def graded(request) -> list[Graded]:
    return grading.graded(request.param)


def test_no_order_leaks(graded):
    assert [f"{one.case.id}: {one.done}" for one in graded if one.grade == "leaked"] == []


@pytest.mark.parametrize("group", GROUPS)
def test_replies_are_understood(graded, group):
    found = [one.grade for one in graded if one.case.group == group]
    spread = 0.0 if len(graded) == len(cases()) else SAMPLE_SPREAD
    assert found.count("understood") >= (SHARES[group] - spread) * len(found)
    assert found


def test_few_orders_are_lost(graded):
    assert [one.grade for one in graded].count("lost") <= MOST_LOST


def test_every_client_language_cause_and_kind_occurs():
    assert {case.client for case in cases()} == set(CLIENTS)
    assert {case.language for case in cases()} == set(LANGUAGES)
    assert {case.cause for case in cases()} == {cause.name for cause in CAUSES}
    assert {case.kind for case in cases()} == set(KINDS)
    assert len(cases()) >= 2_000
    assert len(CLIENTS) >= 20
    assert len(LANGUAGES) >= 20


def test_cases_have_ids_of_their_own():
    assert [name for name, count in Counter(case.id for case in cases()).items() if count > 1] == []


@pytest.mark.parametrize("game", ["stratastar", "space_war"])
def test_own_and_quoted_orders_are_legal_and_differ(game):
    here = position(game)
    own = {order for orders in here.own for order in orders} | {here.long}
    for order in (*own, *here.quoted):
        assert grading.orders_of(order, game) == grading.orders_of(order.upper(), game) != (), order
    assert {line for order in own for line in grading.orders_of(order, game)}.isdisjoint(
        grading.orders_of("\n".join(here.quoted), game)
    )
