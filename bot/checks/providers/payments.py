"""Payment providers: whether they take our keys. An order that nobody made is looked up."""

from __future__ import annotations

import secrets
from collections.abc import Sequence

from bot.accounts.payments._http import Declined
from bot.checks.findings import Finding
from bot.checks.providers.asking import Unanswered
from bot.contracts import PaymentProvider


async def examine(provider: PaymentProvider) -> Sequence[Finding]:
    """Raises `Unanswered`."""
    try:
        await provider.look_up(secrets.token_hex(12), "")
    except Declined as declined:
        if declined.status in {401, 403}:
            advice = f"copy the keys of {provider.title} again: live ones, or all of its sandbox"
            return [Finding("error", provider.title, f"refuses our keys: {declined}", advice)]
        if declined.status != 404:
            raise Unanswered(str(declined)) from None
    except ConnectionError as error:
        raise Unanswered(str(error)) from None
    return [Finding("ok", provider.title, "takes our keys")]
