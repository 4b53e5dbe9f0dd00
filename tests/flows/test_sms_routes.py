"""SMS by three providers through the whole app: who sends, and what is reported back."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass
from typing import Any

import pytest

from bot.settings import Settings
from tests.adapters.conformance.driver import PUBLIC
from tests.standins.africastalking import AfricasTalkingStandIn
from tests.standins.orange import OrangeStandIn
from tests.standins.sms_gateways import Fault, SmsGatewayStandIn, running_gateway
from tests.standins.twilio import TwilioStandIn, running_twilio
from tests.support.fakes import FakeModel, reply
from tests.support.queries import read_row, read_rows
from tests.support.site import Site, open_site
from tests.support.waiting import until

AWA, WANJIRU, CLAIRE = "+2250701020304", "+254711000111", "+33612345678"
ROUTES = '{"225": "orange", "254": "africastalking", "*": "twilio"}'
SECRET_KEY = "a key of the flow of three gateways"


@pytest.fixture
def database_url(sqlite_url: str) -> str:
    return sqlite_url


@dataclass
class Street:
    """People with simple phones, three providers of SMS, and one Griot."""

    griot: Site
    twilio: TwilioStandIn
    orange: OrangeStandIn
    africastalking: AfricasTalkingStandIn

    def shown(self, number: str) -> dict[str, list[str]]:
        """What a phone shows, by the provider that sent it."""
        texts = {
            "twilio": [each.body for each in self.twilio.chat(number, "sms")],
            "orange": [each.text for each in self.orange.chat(number)],
            "africastalking": [each.text for each in self.africastalking.chat(number)],
        }
        return {name: found for name, found in texts.items() if found}

    async def told(self, number: str, **expected: list[str]) -> None:
        async def is_so() -> bool:
            return self.shown(number) == expected

        await until(is_so)

    async def rows(self, number: str) -> list[Any]:
        return await read_rows(self.griot.app.database, "outbox", lane=f"sms:{number}")

    async def settled(self, number: str, *expected: tuple[str, str, str]) -> None:
        """Wait until the deliveries have these states, receipts and ways."""

        async def is_so() -> bool:
            rows = await self.rows(number)
            return [(row["state"], row["receipt"], row["via"]) for row in rows] == list(expected)

        await until(is_so)


@pytest.fixture
async def street(make_settings: Callable[..., Settings]) -> AsyncIterator[Callable[..., Any]]:
    async with AsyncExitStack() as stack:
        twilio = await stack.enter_async_context(running_twilio(public_url=PUBLIC))
        orange = await stack.enter_async_context(running_gateway(OrangeStandIn()))
        africastalking = await stack.enter_async_context(running_gateway(AfricasTalkingStandIn()))

        async def make(*answers: str, **values: object) -> Street:
            settings = make_settings(
                **{
                    **twilio.settings,
                    **orange.settings,
                    **africastalking.settings,
                    "public_url": PUBLIC,
                    "secret_key": SECRET_KEY,
                    "sms_routes": ROUTES,
                    "rate_limit_per_minute": 0,
                    "burst_seconds": 0,
                }
                | values
            )
            model = FakeModel(*(reply(answer) for answer in answers))
            site = await stack.enter_async_context(open_site(settings, model))
            twilio.post_to = site.url
            gateways: dict[str, SmsGatewayStandIn] = {
                "orange": orange,
                "africastalking": africastalking,
            }
            for name, gateway in gateways.items():
                [key] = settings.list_webhook_keys(name)
                gateway.webhook = f"{site.url}/webhooks/{name}/{key}"
            return Street(site, twilio, orange, africastalking)

        yield make
        assert [*twilio.violations, *orange.violations, *africastalking.violations] == []


async def test_the_number_decides_who_sends_and_not_the_way_in(street: Any) -> None:
    one: Street = await street("à Abidjan", "Nairobi", "à Paris", "encore")
    await one.twilio.say(AWA, "bonjour")
    await one.told(AWA, orange=["à Abidjan"])
    await one.twilio.say(WANJIRU, "habari")
    await one.told(WANJIRU, africastalking=["Nairobi"])
    form = one.africastalking.write(CLAIRE, "salut")
    assert await one.africastalking.post_webhook(form=form) == 200
    await one.told(CLAIRE, twilio=["à Paris"])
    form = one.africastalking.write(AWA, "et moi ?")
    assert await one.africastalking.post_webhook(form=form) == 200
    await one.told(AWA, orange=["à Abidjan", "encore"])


async def test_receipts_update_the_state_of_each_delivery(street: Any) -> None:
    one: Street = await street("un", "deux", "trois")
    await one.twilio.say(AWA, "bonjour")
    await one.told(AWA, orange=["un"])
    await one.settled(AWA, ("sent", "", "orange_sms"))
    assert await one.orange.report(one.orange.chat(AWA)[0], "DeliveredToNetwork") == 200
    assert await one.orange.report(one.orange.chat(AWA)[0], "DeliveredToTerminal") == 200
    await one.settled(AWA, ("sent", "delivered", "orange_sms"))
    await one.twilio.say(AWA, "encore")
    await one.told(AWA, orange=["un", "deux"])
    await one.settled(AWA, ("sent", "delivered", "orange_sms"), ("sent", "", "orange_sms"))
    told = one.orange.report(one.orange.chat(AWA)[1], "DeliveryImpossible", callback=False)
    assert await told == 200
    await one.settled(AWA, ("sent", "delivered", "orange_sms"), ("refused", "failed", "orange_sms"))
    await one.twilio.say(WANJIRU, "habari")
    await one.told(WANJIRU, africastalking=["trois"])
    await one.settled(WANJIRU, ("sent", "", "africastalking_sms"))
    [message] = one.africastalking.chat(WANJIRU)
    assert await one.africastalking.report(message, "Failed", "UserDoesNotExist") == 200
    await one.settled(WANJIRU, ("refused", "failed", "africastalking_sms"))
    lane = await read_row(one.griot.app.database, "lane", id=f"sms:{WANJIRU}")
    assert lane["reachable"] == 0


async def test_an_answer_that_was_lost_is_not_sent_again_and_its_receipt_settles_it(
    street: Any,
) -> None:
    one: Street = await street("un")
    one.orange.faults.append(Fault("reset", AWA, accept=True))
    await one.twilio.say(AWA, "bonjour")
    await one.settled(AWA, ("unknown", "", "orange_sms"))
    await one.orange.report(one.orange.chat(AWA)[0], "DeliveredToTerminal")
    await one.settled(AWA, ("sent", "delivered", "orange_sms"))
    assert one.orange.tries(AWA) == 1


async def test_codes_and_notices_go_by_the_route_as_well(street: Any) -> None:
    values = {"twilio_whatsapp_from": ""}
    one: Street = await street(**values)
    for number, way in ((AWA, "orange"), (WANJIRU, "africastalking"), (CLAIRE, "twilio")):
        status, _ = await one.griot.request("POST", "/api/v1/login/otp", json={"phone": number})
        assert status == 202

        async def has_come(number: str = number) -> bool:
            return bool(one.shown(number))

        await until(has_come)
        assert list(one.shown(number)) == [way]


async def test_a_wrong_key_is_403_and_without_settings_there_is_no_route(street: Any) -> None:
    one: Street = await street(africastalking_username="", sms_routes='{"225": "orange"}')
    receipt: dict[str, object] = {"deliveryInfoNotification": {}}
    for path, status in (
        ("/webhooks/orange/0123456789abcdef0123456789abcdef", 403),
        ("/webhooks/orange/", 404),
        ("/webhooks/orange", 404),
        ("/webhooks/africastalking/0123456789abcdef", 404),
    ):
        found, _ = await one.griot.request("POST", path, json=receipt)
        assert (path, found) == (path, status)
    assert await one.orange.post_webhook(json=[]) == 400
    assert await one.orange.post_webhook(json={"newKind": {}}) == 200


async def test_numbers_without_a_star_go_by_twilio_where_it_is_set_up(street: Any) -> None:
    one: Street = await street(
        "à Paris", sms_routes='{"225": "orange"}', africastalking_username=""
    )
    await one.twilio.say(CLAIRE, "salut")
    await one.told(CLAIRE, twilio=["à Paris"])


async def test_orange_gets_five_a_second_however_many_write(street: Any) -> None:
    people = [f"+22507010203{number:02d}" for number in range(11)]
    one: Street = await street(*("salut" for _ in people))
    began = time.monotonic()
    await asyncio.gather(*(one.twilio.say(person, "bonjour") for person in people))
    for person in people:
        await one.told(person, orange=["salut"])
    assert time.monotonic() - began > 1.9
    assert sorted(set(one.orange.attempts)) == people
    assert one.orange.tokens == ["token-1"]
