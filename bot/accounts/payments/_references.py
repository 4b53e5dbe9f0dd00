"""Our own references at providers that take each but once: an order's id, or that with a number."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Sequence

from bot.contracts import Payment, PaymentState

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


async def judge(
    order: str, find: Callable[[str], Awaitable[PaymentState | None]], *, known_when_opened: bool
) -> PaymentState:
    """How the order stands: paid if one of its pages is, failed if all that were opened are.

    Args:
        find: how the page with this reference stands; None where the provider does not know it.
        known_when_opened: whether the provider knows a reference from the moment its page is
            opened (Paystack), so that behind the first unknown one there are no more. Where it is
            known only once somebody has tried to pay (Flutterwave), the second page may be paid
            and the first unknown, and all are asked for.
    """
    found: list[PaymentState] = []
    for reference in references(order):
        state = await find(reference)
        if state is None and known_when_opened:
            break
        if state is None:
            continue
        if state.state == "paid":
            return state
        found.append(state)
    is_over = bool(found) and all(state.state == "failed" for state in found)
    return PaymentState("failed" if is_over else "waiting")


def mail_of(order: str) -> str:
    """An address to put where one is asked for: people here often have none.

    The domain is reserved and takes no mail (https://www.rfc-editor.org/rfc/rfc2606#section-3), and
    the name tells nothing of the person.
    """
    return f"{order}@example.com"
