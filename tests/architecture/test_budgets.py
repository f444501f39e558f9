"""Limits on what a user may do count a user and their bots together; others say here why they do not."""

from __future__ import annotations

import ast
from pathlib import Path

PACKAGES = ("accounts", "gamesvc", "notifications")
COUNTING = {"throttle", "throttle_in_turn", "count_or_wait"}
# Keys with an account in them, and why its bots need none of their own.
ALONE = {
    ("accounts/absences.py", "vacations {user.pk}"): "the vacations of an account stop the clocks of its own matches alone",
    ("accounts/signing_in/adapter.py", "addresses of {user.pk}"): "a bot has no address",
    ("accounts/signing_in/adapter.py", "sign-ins {user.pk} {network.client_network(request)}"): "nobody signs in as a bot",
    ("accounts/signins.py", "sign-in entries {kind} {user.pk}"): "nobody signs in as a bot",
    ("accounts/tokens.py", "tokens made by {user.bot_owner_id or user.pk}"): "those of a bot count for its owner",
    ("accounts/oauth/grants.py", "permissions by {user.pk}"): "a bot gives no permissions",
    ("accounts/oauth/grants.py", "refreshed by {grant.app_id} for {grant.user_id}"): "a bot gives no permissions",
    ("accounts/oauth/grants.py", "refreshed for {grant.user_id}"): "a bot gives no permissions",
    ("accounts/bots/bots.py", "bots made by {owner.pk}"): "a bot makes no bots",
    ("gamesvc/matches/access/daily_limits.py", "{key} {seconds} {user_id} {match_id}"): "within one match",
    (
        "notifications/inbound/held.py",
        "mail answers {limit or ''} {reason} {address.user_id or address.email}",
    ): "a bot has no mail",
    (
        "notifications/other_channels/subscriptions.py",
        "webhook tries {hook.user_id}",
    ): "no key of a bot has the scope for webhooks",
    ("notifications/wanted/muting.py", "choices of mails by {user.pk}"): "a bot gets no mail",
    ("notifications/wanted/muting.py", "mutes by link {receiver.user_id or receiver.address_hash}"): "a bot gets no mail",
}


def _accounts_in(key: ast.expr) -> bool:
    return any(
        isinstance(node, ast.Attribute | ast.Name) and getattr(node, "attr", getattr(node, "id", "")) in ("pk", "user_id")
        for part in ast.walk(key)
        if isinstance(part, ast.FormattedValue)
        for node in ast.walk(part)
    )


def _keys(call: ast.Call) -> list[ast.expr]:
    """Return the keys that a call counts: its first argument, or that of each of its limits, which it must spell out."""
    given = call.args[0]
    if _name(call) != "throttle_in_turn":
        return [given]
    limits = [given.elt] if isinstance(given, ast.ListComp) else given.elts if isinstance(given, ast.List) else []
    assert limits, f"spell the limits out in the call: {ast.unparse(call)}"
    return [limit.elts[0] for limit in limits if isinstance(limit, ast.Tuple)]


def _name(call: ast.Call) -> str:
    return getattr(call.func, "attr", getattr(call.func, "id", ""))


def test_a_limit_of_a_user_is_one_for_the_user_and_their_bots():
    found = {
        (str(path), ast.unparse(key)[2:-1])
        for package in PACKAGES
        for path in Path(package).rglob("*.py")
        for call in ast.walk(ast.parse(path.read_text()))
        if isinstance(call, ast.Call) and _name(call) in COUNTING and call.args
        for key in _keys(call)
        if _accounts_in(key) and "bots.root" not in ast.unparse(key)
    }
    assert found == set(ALONE)
