from __future__ import annotations

import pytest

from adapters.console import Console
from bot.errors import NotFound, Undeliverable
from bot.messages.incoming import Attachment
from bot.messages.outgoing import Body, Delivery, TextBody

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

    with pytest.raises(NotFound):
        await Console(show).fetch(Attachment("image", "x"))
