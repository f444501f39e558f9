"""A hundred answers by hand, graded once when they were written: 74 understood, 26 refused with a receipt, none leaked or lost.

Of those refused, six stand below a quote without a mark of ours, eight hold several orders or other words in one line, eight
have words before the first order or behind the last one that no list knows, and four have a form that games do not take.
"""

from __future__ import annotations

from collections import Counter

from tests.mail_replies import grading
from tests.mail_replies.independent import FRAMES, replies

UNDERSTOOD = 74


def test_independent_replies():
    graded = [grading.grade(reply) for reply in replies()]
    grades = Counter(one.grade for one in graded)
    wrong = [f"{one.grade}: {one.case.id} {one.done}" for one in graded if one.grade in ("leaked", "lost")]
    assert (len(graded), len(FRAMES), wrong) == (100, 25, [])
    assert grades["understood"] >= UNDERSTOOD, grades
