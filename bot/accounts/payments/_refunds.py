"""A refund that is refused: whether asking again can help, or a person has to act."""

from __future__ import annotations

from bot.accounts.payments._http import Declined, codes_of
from bot.errors import PersonError

_FOR_GOOD = frozenset({400, 402, 404, 422})


def refusal(provider: str, reason: str) -> PersonError:
    """For whoever asked for the refund, an operator."""
    return PersonError(
        f"{provider} does not give the money back ({reason}). Look at the payment in {provider}'s "
        "dashboard and give it back there."
    )


def explain(provider: str, declined: Declined) -> PersonError | Declined:
    """What to raise: `declined` itself where asking again can help."""
    if declined.status not in _FOR_GOOD:
        return declined
    said = [*codes_of(declined.answer), declined.reason]
    words = ", ".join(each for each in dict.fromkeys(said) if each)
    return refusal(provider, words or f"status {declined.status}")
