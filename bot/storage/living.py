"""Whether an account still is somebody's: what is erased takes nothing in any more."""

from __future__ import annotations

from bot.contracts import Transaction
from bot.errors import ToolFailed


async def check_living(tx: Transaction, account: int) -> None:
    """Lock the account until the transaction ends, so that nothing is added to it while its person
    is erased, nor afterwards by a tool that ran meanwhile.

    Raises:
        ToolFailed: its person was erased.
    """
    row = await tx.fetch_one(_LOCK, account=account)
    if row is not None and row["phone"] is None:
        raise ToolFailed("This person has had everything erased: nothing is kept for them now.")


_LOCK = """
SELECT phone FROM account WHERE id = :account {for_update}
"""
