"""The address of a notice's receiver, and whether mail to it is stopped."""

from __future__ import annotations

from collections.abc import Sequence

from accounts.addresses import sending_address, sending_addresses
from notifications.models import Outbox, Suppression
from notifications.returned import suppression
from notifications.wanted import shared_reads


def address_of(row: Outbox) -> str | None:
    """Return the address to which a notice goes; None if its receiver has none that is verified."""
    user = row.user
    if user is None:
        return row.address
    return shared_reads.for_all(_addresses, user.pk, lambda: sending_address(user))


def _addresses(rows: Sequence[Outbox]) -> dict[int, str | None]:
    users = {row.user.pk: row.user for row in rows if row.user is not None}
    return dict.fromkeys(users) | sending_addresses(users.values())


def stopped(address: str, kind: str) -> Suppression | None:
    """Return why nothing of this kind is sent to an address; None if it may be sent."""
    found = shared_reads.for_all(_suppressions, address, lambda: suppression.of_addresses([address])[address])
    return next((one for one in found if one.kind in ("", kind)), None)


def _suppressions(rows: Sequence[Outbox]) -> dict[str, list[Suppression]]:
    return suppression.of_addresses([address for row in rows if (address := address_of(row)) is not None])
