"""Our own references at providers that take each but once: an order's id, or that with a number."""

from __future__ import annotations

import re
from collections.abc import Sequence

from bot.contracts import Payment

PAGES = 3
"""Pages that one order can have, one after another: an answer may be lost, with the page's
address in it, and the provider refuses the same reference from then on."""
AFTER_REFUSAL: Payment = "waiting"
"""How a payment stands whose last attempt was refused. Paystack's and Flutterwave's status says
`failed`; but on the same page people try again, with another card or number, under the same
reference. Whoever reads `failed` as the end writes `failed` here, and credits nothing to those who
succeed at the second attempt."""
_ORDER = re.compile(r"[0-9a-f]{24}")
_REFERENCE = re.compile(rf"({_ORDER.pattern})(?:-[2-{PAGES}])?")


def is_order(text: str) -> bool:
    """Whether it has the form of our orders' ids."""
    return _ORDER.fullmatch(text) is not None


def references(order: str) -> Sequence[str]:
    """All references that the order can have, in the order in which they are taken."""
    return (order, *(f"{order}-{number}" for number in range(2, PAGES + 1)))


def order_of(reference: str) -> str:
    """The order's id; empty: the reference is none of ours."""
    found = _REFERENCE.fullmatch(reference)
    return found[1] if found else ""


def mail_of(order: str) -> str:
    """An address to put where one is asked for: people here often have none.

    The domain is reserved and takes no mail (https://www.rfc-editor.org/rfc/rfc2606#section-3), and
    the name tells nothing of the person.
    """
    return f"{order}@example.com"
