"""Codes by Twilio Verify: which way they go, what is believed, and what each refusal means."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from adapters.twilio.login_codes import TwilioVerify
from bot.errors import CodeUnsent
from bot.settings import Settings
from bot.standins.twilio_errors import BROKEN, INVALID_VERIFY, TOO_MANY_CHECKS, TOO_MANY_SENDS
from tests.standins.twilio import TwilioStandIn, running_twilio
from tests.standins.twilio_verify import SERVICE

AWA, BINTA = "+2250701020304", "+2250701020305"


@pytest.fixture
async def twilio() -> AsyncIterator[TwilioStandIn]:
    async with running_twilio() as standin:
        yield standin
        assert standin.violations == []


@pytest.fixture
async def verify(twilio: TwilioStandIn) -> AsyncIterator[TwilioVerify]:
    service = _open(twilio)
    yield service
    await service.close()


def _open(twilio: TwilioStandIn, service: str = SERVICE, seconds: float = 15.0) -> TwilioVerify:
    settings = Settings.model_validate({**twilio.settings, "twilio_verify_service_sid": service})
    return TwilioVerify(settings, seconds)


def _wrong(code: str) -> str:
    return f"{(int(code) + 1) % 1_000_000:06d}"


async def test_a_code_goes_by_whatsapp_and_counts_once(
    twilio: TwilioStandIn, verify: TwilioVerify
) -> None:
    assert await verify.send(AWA, again=False) == "whatsapp"
    known = twilio.verify.by_number[AWA]
    assert known.sent == ["whatsapp"]
    assert not await verify.check(AWA, _wrong(known.code))
    assert await verify.check(AWA, known.code)
    assert not await verify.check(AWA, known.code)


async def test_who_is_not_on_whatsapp_gets_it_by_sms(
    twilio: TwilioStandIn, verify: TwilioVerify
) -> None:
    twilio.verify.unreachable.add(AWA)
    assert await verify.send(AWA, again=False) == "sms"
    assert await verify.check(AWA, twilio.verify.by_number[AWA].code)


async def test_who_asks_again_gets_it_the_other_way(
    twilio: TwilioStandIn, verify: TwilioVerify
) -> None:
    await verify.send(AWA, again=False)
    assert await verify.send(AWA, again=True) == "sms"
    assert twilio.verify.by_number[AWA].sent == ["whatsapp", "sms"]


@pytest.mark.parametrize("accept", [True, False])
async def test_where_the_first_way_gives_no_answer_the_other_is_tried(
    twilio: TwilioStandIn, verify: TwilioVerify, accept: bool
) -> None:
    twilio.reset_next("verify", accept=accept)
    assert await verify.send(AWA, again=False) == "sms"
    assert await verify.check(AWA, twilio.verify.by_number[AWA].code)


@pytest.mark.parametrize(("status", "code"), [(429, TOO_MANY_SENDS), (429, 20429)])
async def test_too_many_are_told_as_that_and_no_other_way_is_tried(
    twilio: TwilioStandIn, verify: TwilioVerify, status: int, code: int
) -> None:
    twilio.fail_next("verify", accept=False, status=status, code=code)
    with pytest.raises(CodeUnsent) as raised:
        await verify.send(AWA, again=False)
    assert raised.value.too_many
    assert AWA not in str(raised.value)
    assert len(twilio.calls) == 1


async def test_a_number_that_takes_no_code_is_told_as_that(
    twilio: TwilioStandIn, verify: TwilioVerify
) -> None:
    twilio.fail_next("verify", accept=False, status=400, code=INVALID_VERIFY, times=2)
    with pytest.raises(CodeUnsent) as raised:
        await verify.send(AWA, again=False)
    assert not raised.value.too_many


@pytest.mark.parametrize(("status", "code"), [(500, BROKEN), (404, 20404), (401, 20003)])
async def test_what_is_not_the_persons_fault_is_no_refusal(
    twilio: TwilioStandIn, verify: TwilioVerify, status: int, code: int
) -> None:
    twilio.fail_next("verify", accept=False, status=status, code=code, times=2)
    with pytest.raises(ConnectionError):
        await verify.send(AWA, again=False)


@pytest.mark.parametrize(
    ("status", "code"), [(404, 20404), (400, INVALID_VERIFY), (429, TOO_MANY_CHECKS)]
)
async def test_what_is_checked_in_vain_is_wrong(
    twilio: TwilioStandIn, verify: TwilioVerify, status: int, code: int
) -> None:
    await verify.send(AWA, again=False)
    twilio.fail_next("verify", accept=False, status=status, code=code)
    assert not await verify.check(AWA, twilio.verify.by_number[AWA].code)


async def test_one_number_s_code_is_not_another_s(
    twilio: TwilioStandIn, verify: TwilioVerify
) -> None:
    await verify.send(AWA, again=False)
    assert not await verify.check(BINTA, twilio.verify.by_number[AWA].code)


async def test_five_checks_and_no_more(twilio: TwilioStandIn, verify: TwilioVerify) -> None:
    await verify.send(AWA, again=False)
    code = twilio.verify.by_number[AWA].code
    assert not any([await verify.check(AWA, _wrong(code)) for _ in range(5)])
    assert not await verify.check(AWA, code)


@pytest.mark.parametrize(("status", "code"), [(429, 20429), (500, BROKEN), (401, 20003)])
async def test_where_nobody_can_tell_it_is_neither_right_nor_wrong(
    twilio: TwilioStandIn, verify: TwilioVerify, status: int, code: int
) -> None:
    twilio.fail_next("verify", accept=False, status=status, code=code)
    with pytest.raises(ConnectionError):
        await verify.check(AWA, "123456")


async def test_what_hangs_is_not_waited_for_forever(twilio: TwilioStandIn) -> None:
    verify = _open(twilio, seconds=0.2)
    twilio.hang_next("verify", accept=False)
    with pytest.raises(ConnectionError):
        await verify.check(AWA, "123456")
    await verify.close()
