"""Damaged mails neither crash anything nor give orders nobody wrote. `FUZZ_MAILS` is their number; -s shows the results."""

from __future__ import annotations

import os

import pytest

from tests.notifications.inbound import fuzz

MAILS = int(os.environ.get("FUZZ_MAILS", "1500"))


@pytest.mark.long
@pytest.mark.timeout(0 if MAILS > 10_000 else 300)
def test_damaged_mails_crash_nothing_and_order_nothing(settings):
    settings.REPLY_DOMAIN = ""  # so that no address is looked up
    found = fuzz.run(MAILS, seed=int(os.environ.get("FUZZ_SEED", "1")))
    print(dict(found.ended), f"slowest {found.slowest:.3f} s")  # noqa: T201
    assert found.crashes == []
    assert found.leaks == []
    assert sum(found.ended.values()) == MAILS
    assert found.ended["orders"] > MAILS // 10  # most damage is small, and the orders are still read
