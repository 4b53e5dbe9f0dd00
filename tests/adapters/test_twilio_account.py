"""What both adapters do with a Twilio account."""

from __future__ import annotations

from collections.abc import AsyncIterator
from urllib.parse import parse_qs

import pytest
from structlog.testing import capture_logs

from adapters.base import require_phone_number
from adapters.twilio.account import Account
from bot.errors import OutcomeUnknown, RetryAt, Undeliverable
from bot.messages.outgoing import Sent
from tests.adapters.twilio_parts import AWA, PUBLIC_URL, SID, SMS_NUMBER, Origin, running, settings


@pytest.fixture
async def origin() -> AsyncIterator[Origin]:
    async with running() as server:
        yield server


@pytest.fixture
async def account(origin: Origin) -> AsyncIterator[Account]:
    opened = Account(settings(twilio_api_url=origin.url))
    yield opened
    await opened.close()


async def test_every_message_says_where_its_status_is_wanted(
    origin: Origin, account: Account
) -> None:
    assert await account.send(SMS_NUMBER, AWA, body="Bonjour") == Sent(SID)
    [seen] = origin.seen
    assert parse_qs(seen.body.decode())["StatusCallback"] == [
        f"{PUBLIC_URL}/webhooks/twilio/status"
    ]


async def test_without_a_public_address_no_status_is_wanted(origin: Origin) -> None:
    account = Account(settings(twilio_api_url=origin.url, public_url=None))
    await account.send(SMS_NUMBER, AWA, body="Bonjour")
    await account.close()
    [seen] = origin.seen
    assert "StatusCallback" not in parse_qs(seen.body.decode())


async def test_an_accepted_message_without_a_name_is_in_doubt(
    origin: Origin, account: Account
) -> None:
    origin.answer(201, '{"sid": null}')
    with pytest.raises(OutcomeUnknown):
        await account.send(SMS_NUMBER, AWA, body="Bonjour")


async def test_the_operator_hears_of_a_wrong_token_and_nothing_is_lost(
    origin: Origin, account: Account
) -> None:
    origin.answer(401, '{"code": 20003, "message": "Authenticate"}')
    with capture_logs() as logs, pytest.raises(RetryAt):
        await account.send(SMS_NUMBER, AWA, body="Bonjour")
    assert logs == [
        {"event": "twilio_account_refused", "log_level": "error", "status": 401, "code": 20003}
    ]


async def test_the_environment_decides_nothing(
    origin: Origin, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in [("REGION", "ie1"), ("EDGE", "dublin"), ("ACCOUNT_SID", "ACevil")]:
        monkeypatch.setenv(f"TWILIO_{name}", value)  # Twilio's SDK reads these
    account = Account(settings(twilio_api_url=origin.url))
    await account.send(SMS_NUMBER, AWA, body="Bonjour")
    await account.close()
    assert origin.seen[0].path.startswith("/2010-04-01/Accounts/AC1/")


def test_a_number_is_an_address() -> None:
    assert require_phone_number(AWA) == AWA


@pytest.mark.parametrize(
    "conversation", ["", "225", "0701020304", f"whatsapp:{AWA}", f"{AWA}\n", "+" + "1" * 16]
)
def test_what_is_no_number_is_undeliverable(conversation: str) -> None:
    with pytest.raises(Undeliverable) as caught:
        require_phone_number(conversation)
    assert not caught.value.dead_target
    assert conversation not in str(caught.value) or not conversation
