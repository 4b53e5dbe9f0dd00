from __future__ import annotations

import pytest

from adapters.console import Console
from bot.contracts import Webhook
from bot.errors import NotFound, Refused, Undeliverable
from bot.messages import Attachment, Body, Delivery, TextBody

DELIVERY = Delivery(7, "console:local", "local", TextBody("salut"))


async def test_a_delivery_is_sent_once_it_is_shown() -> None:
    shown: list[Body] = []

    async def show(body: Body) -> None:
        shown.append(body)

    sent = await Console(show).deliver(DELIVERY)

    assert (sent.provider_id, shown) == ("console:7", [TextBody("salut")])


@pytest.mark.parametrize("error", [NotFound("gone"), OSError("disk full")])
async def test_what_cannot_be_shown_is_given_up(error: Exception) -> None:
    async def show(_: Body) -> None:
        raise error

    with pytest.raises(Undeliverable, match=str(error)):
        await Console(show).deliver(DELIVERY)


async def test_nothing_comes_in_from_outside() -> None:
    async def show(_: Body) -> None: ...

    console = Console(show)
    webhook = Webhook("POST", "/webhooks/console", {}, b"{}")

    with pytest.raises(Refused):
        console.verify(webhook)
    assert console.parse(webhook) == ()
    with pytest.raises(NotFound):
        await console.fetch(Attachment("image", "x"))
