"""Map the numbers and user ids by which a channel names a person to the address of their identity.

An identity, and the conversation named after it, keep their first address for ever. On channels of
phones a table maps each number and user id to that address. A number without a row is its own
address; one that was taken from its owner gets a new one. Only this module writes the table.
"""

from __future__ import annotations

from dataclasses import dataclass

from bot.accounts.phone_numbers import is_number
from bot.contracts.storage import Row, Transaction
from bot.messages.channels import CHANNELS, PHONE_CHANNELS, Channel

_TAKEN_OVER = "~"
"""Between number and time (ms) in the address of a person whose number had another owner before."""


@dataclass(frozen=True, slots=True)
class Alias:
    """A number or user id, and the address to which it is mapped."""

    value: str
    address: str
    """Empty: the number was taken from the identity whose address it is, and is mapped to none."""
    is_former: bool
    """A user id that has been replaced."""
    reported_at: float
    """When the provider reported it, by its clock."""


@dataclass(frozen=True, slots=True)
class ContactIds:
    """The number and user id by which a person can be reached on a channel now."""

    number: str = ""
    """E.164; empty: it is not known."""
    user_id: str = ""


async def find_aliases(
    tx: Transaction, channel: Channel, number: str, user_id: str, *, lock: bool = False
) -> tuple[Alias | None, Alias | None]:
    """Return the aliases of a number and of a user id; None: there is none yet.

    Args:
        lock: locks their rows until the transaction ends.
    """
    sql = _FIND + "{for_update}" if lock else _FIND
    rows = await tx.fetch(sql, channel=channel, number=number, user_id=user_id)
    known = {row["value"]: _read(row) for row in rows}
    return known.get(number), known.get(user_id)


async def list_aliases(tx: Transaction, channel: Channel, address: str) -> list[Alias]:
    """Return all numbers and user ids that are mapped to an address, the newest last."""
    return [_read(row) for row in await tx.fetch(_OF_ADDRESS, channel=channel, address=address)]


async def read_contact_ids(
    tx: Transaction, channel: Channel, address: str, *, lock: bool = False
) -> ContactIds:
    """Return the number and user id by which the person with this address can be reached now.

    Args:
        lock: waits for whoever changes them, and locks their rows until the transaction ends.
    """
    if channel not in PHONE_CHANNELS:
        return ContactIds(address if is_number(address) else "")
    if lock:  # a statement of its own: one that waited does not see rows that came meanwhile
        await tx.fetch(_OF_ADDRESS_OR_VALUE + "{for_update}", channel=channel, address=address)
    rows = await tx.fetch(_OF_ADDRESS_OR_VALUE, channel=channel, address=address)
    found = [alias for alias in map(_read, rows) if alias.address == address]
    if not found:
        is_own = is_number(address) and not rows
        return ContactIds(address if is_own else "")
    current = [alias.value for alias in found if not alias.is_former]
    numbers = [value for value in current if is_number(value)]
    user_ids = [value for value in current if not is_number(value)]
    return ContactIds(numbers[-1] if numbers else "", user_ids[-1] if user_ids else "")


async def add_alias(
    tx: Transaction, channel: Channel, value: str, address: str, reported_at: float
) -> bool:
    """Map a number or user id to an address; return False if it is mapped already."""
    values = {"channel": channel, "value": value, "address": address, "at": reported_at}
    return bool(await tx.execute(_ADD, **values))


async def move_alias(
    tx: Transaction, channel: Channel, value: str, address: str, reported_at: float
) -> None:
    """Map a number or user id to an address, whatever it was mapped to; empty: to no person."""
    values = {"channel": channel, "value": value, "address": address, "at": reported_at}
    await tx.execute(_MOVE, **values)


async def mark_former(tx: Transaction, channel: Channel, address: str, user_id: str) -> None:
    """Note that this user id of the address has been replaced by another."""
    await tx.execute(_MARK_FORMER, channel=channel, address=address, value=user_id)


async def find_address(tx: Transaction, channel: Channel, number: str) -> str:
    """Return the address of the person who has the number (E.164) on a channel now.

    Empty where the number was taken from the identity whose address it is, and has no owner since.
    """
    if channel not in PHONE_CHANNELS:
        return number
    known, _ = await find_aliases(tx, channel, number, "")
    return number if known is None else known.address


async def name_address(tx: Transaction, channel: Channel, number: str) -> str:
    """Return the same as `find_address`, or a new address for the number where there is none."""
    if address := await find_address(tx, channel, number):
        return address
    known, _ = await find_aliases(tx, channel, number, "")
    reported_at = known.reported_at if known else 0.0
    address = f"{number}{_TAKEN_OVER}{int(1000 * reported_at)}"
    await move_alias(tx, channel, number, address, reported_at)
    return address


def has_former_owner(address: str, number: str) -> bool:
    """Return whether `name_address` made this address for the number's new owner."""
    return bool(number) and address.startswith(f"{number}{_TAKEN_OVER}")


def find_first_number(address: str) -> str:
    """Return the number in an address that `name_address` made; other addresses as they are."""
    return address.partition(_TAKEN_OVER)[0]


async def list_addresses(
    tx: Transaction, channel: Channel, address: str
) -> list[tuple[Channel, str]]:
    """Return channel and address of all identities that belong to the same number as this one,
    itself included."""
    if not CHANNELS[channel].phone_is_identity:
        return [(channel, address)]
    number = (await read_contact_ids(tx, channel, address)).number
    others = await list_addresses_of_number(tx, number) if number else []
    return sorted({(channel, address), *others})


async def list_addresses_of_number(tx: Transaction, number: str) -> list[tuple[Channel, str]]:
    """Return channel and address of all identities that belong to a number (E.164)."""
    found: list[tuple[Channel, str]] = [
        (channel, await find_address(tx, channel, number)) for channel in PHONE_CHANNELS
    ]
    return [(channel, address) for channel, address in found if address]


def _read(row: Row) -> Alias:
    return Alias(row["value"], row["address"], bool(row["former"]), row["reported_at"])


_FIND = """
SELECT value, address, former, reported_at FROM alias
WHERE channel = :channel AND value IN (:number, :user_id)
"""

_OF_ADDRESS = """
SELECT value, address, former, reported_at FROM alias
WHERE channel = :channel AND address = :address ORDER BY reported_at, value
"""

_OF_ADDRESS_OR_VALUE = """
SELECT value, address, former, reported_at FROM alias
WHERE channel = :channel AND (address = :address OR value = :address) ORDER BY reported_at, value
"""

_ADD = """
INSERT INTO alias (channel, value, address, reported_at) VALUES (:channel, :value, :address, :at)
ON CONFLICT (channel, value) DO NOTHING
"""

_MOVE = """
INSERT INTO alias (channel, value, address, reported_at) VALUES (:channel, :value, :address, :at)
ON CONFLICT (channel, value) DO UPDATE SET
    address = excluded.address, reported_at = excluded.reported_at, former = 0
"""

_MARK_FORMER = """
UPDATE alias SET former = 1 WHERE channel = :channel AND address = :address AND value = :value
"""
