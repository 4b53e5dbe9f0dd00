"""Meta restricts our number: by both providers nothing more is sent, and all goes out later."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest

from bot.settings import Settings
from bot.standins.twilio_errors import DISABLED
from tests.adapters.conformance.driver import BINTA
from tests.adapters.conformance.stage import MakeStage, Stage, staging
from tests.adapters.conformance.table import CLOUD, WHATSAPP
from tests.standins.whatsapp_errors import LOCKED, POLICY, Refused
from tests.standins.whatsapp_faults import Call, Fault
from tests.support.fakes import FakeModel, reply
from tests.support.queries import NOW, change_rows, count_rows, read_row
from tests.support.waiting import until


@pytest.fixture
async def stage(make_settings: Callable[..., Settings]) -> AsyncIterator[MakeStage]:
    async with staging(make_settings) as make:
        yield make


class MessageFault(Fault):
    """Meets messages, not marks that one was read."""

    def meets(self, call: Call) -> bool:
        return super().meets(call) and "type" in call.content


def restrict(one: Stage, code: int) -> None:
    """Refuse the next message."""
    driver: Any = one.driver
    if one.driver.name == CLOUD:
        refused = Refused(code)
        told = (refused.status, refused.answer)
        driver.whatsapp.add_fault(MessageFault("messages", "", 1, "answer", False, *told))
    else:
        driver.twilio.fail_next("messages", accept=False, status=403, code=code)


def count_tries(one: Stage) -> int:
    """How often Griot tried to send a message to anybody."""
    driver: Any = one.driver
    if one.driver.name != CLOUD:
        return one.driver.tries() + one.driver.tries(BINTA)
    return sum(
        call.place == "messages" and "type" in call.content for call in driver.whatsapp.calls
    )


@pytest.mark.parametrize(("name", "code"), [(CLOUD, POLICY), (CLOUD, LOCKED), (WHATSAPP, DISABLED)])
async def test_a_restricted_number_sends_nothing_until_it_may_again(
    stage: MakeStage, name: str, code: int
) -> None:
    one = await stage(name, FakeModel(reply("un"), reply("deux"), reply("trois"), reply("quatre")))
    restrict(one, code)
    await one.say("a")
    await one.settle()
    await one.say("b")
    await one.settle()
    await one.say("c", BINTA)
    await one.settle()
    assert count_tries(one) == 1
    assert await one.states() == ["waiting_for_sender"] * 3
    await change_rows(one.database, "restriction", {"try_at": NOW})
    assert await one.told(1) == ["un"]

    async def is_over() -> bool:
        return await count_rows(one.database, "restriction") == 0

    await until(is_over)
    assert await one.told(2) == ["un", "deux"]
    assert await one.told(1, BINTA) == ["trois"]
    await one.say("d")
    assert await one.told(3) == ["un", "deux", "quatre"]


async def test_a_restriction_that_a_status_reports_stops_sending_too(stage: MakeStage) -> None:
    one = await stage(CLOUD, FakeModel(reply("un"), reply("deux")))
    await one.say("a")
    await one.told(1)
    await one.settle()
    driver: Any = one.driver
    [shown] = driver.whatsapp.chat("2250701020304")
    failed = driver.whatsapp.status("2250701020304", shown.wamid, "failed", code=LOCKED)
    await one.take(driver.pack(failed))
    await one.say("b")
    await one.settle()
    assert count_tries(one) == 1
    assert await one.states() == ["waiting_for_sender"] * 2
    assert (await read_row(one.database, "restriction"))["reason"] == str(LOCKED)
