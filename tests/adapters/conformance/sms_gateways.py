"""SMS by Orange and by Africa's Talking, each driven through its stand-in."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any

from bot.messages.channels import Channel
from bot.settings import Settings
from tests.adapters.conformance.driver import AWA, Driver, Parcel, Status
from tests.standins.africastalking import AfricasTalkingStandIn
from tests.standins.orange import OrangeStandIn
from tests.standins.sms_gateways import Fault, SmsGatewayStandIn, running_gateway

SECRET_KEY = "a key of the conformance suite, long enough"


class GatewayDriver(Driver):
    """See `Driver`. What both gateways have in common; nothing can be tapped, and no file comes."""

    name: str
    provider: str
    channel: Channel = "sms"
    page = 612

    def __init__(self, gateway: SmsGatewayStandIn) -> None:
        self.gateway = gateway

    @property
    def settings(self) -> Mapping[str, object]:
        own: Any = self.gateway
        routes = f'{{"*": "{self.provider}"}}'
        return {**own.settings, "sms_routes": routes, "secret_key": SECRET_KEY}

    @property
    def violations(self) -> Sequence[str]:
        return self.gateway.violations

    async def reach(self, url: str) -> None:
        settings = Settings.model_validate({"secret_key": SECRET_KEY})
        [key] = settings.list_webhook_keys(self.provider)
        self.gateway.webhook = f"{url}/webhooks/{self.provider}/{key}"

    def address(self, person: str) -> str:
        return person

    # What people send

    def choose(self, title: str, person: str = AWA) -> Parcel:
        lines = [line for text in self.shown() for line in text.splitlines()]
        [mark] = [line.partition(")")[0] for line in lines if line.endswith(f") {title}")]
        return self.text(mark, person)

    async def post(self, parcel: Parcel, headers: Mapping[str, str] | None = None) -> int:
        query = "?via=proxy%20one&a=%C3%A9+b&a=c" if headers else ""
        return await self._post(parcel, self.gateway.webhook + query, headers)

    async def forge(self, parcel: Parcel) -> list[int]:
        origin, _, key = self.gateway.webhook.rpartition("/")
        wrong = ["0" * 32, key[:-1], key + "0", key.upper(), "%C3%A9", f"x?key=/{key}"]
        return [await self._post(parcel, f"{origin}/{each}", None) for each in wrong]

    async def _post(self, parcel: Parcel, url: str, headers: Mapping[str, str] | None) -> int:
        raise NotImplementedError

    # What people see

    def shown(self, person: str = AWA) -> list[str]:
        return [message.text for message in self.gateway.chat(person)]

    def toasts(self) -> list[str]:
        return []

    def options(self, person: str = AWA) -> list[tuple[str, str]]:
        return []

    def tries(self, person: str = AWA) -> int:
        return self.gateway.tries(person)

    # The provider's bad days

    def throttle(self, person: str) -> None:
        self.gateway.faults.append(Fault("throttle", person))

    def lose_answer(self, person: str) -> None:
        self.gateway.faults.append(Fault("reset", person, accept=True))

    def refuse_messages(self, person: str, times: int) -> None:
        self.gateway.faults.append(Fault("status", person, times, status=400))

    def come_back(self) -> Parcel:
        return self.text("START")


class OrangeDriver(GatewayDriver):
    name, provider = "orange_sms", "orange"

    def __init__(self, orange: OrangeStandIn) -> None:
        super().__init__(orange)
        self.orange = orange

    def text(self, text: str, person: str = AWA) -> Parcel:
        self.orange.dead_numbers.discard(person)  # who writes has a number that works
        return self.orange.write(person, text)

    def poison(self) -> Parcel:
        return {"inboundSMSMessageNotification": {"inboundSMSMessage": "x"}}

    def odd(self, text: str) -> list[Parcel]:
        """With a field that nobody knows; without an id; without `tel:` and the plus sign."""
        new, nameless, bare = (self.orange.write(AWA, text) for _ in range(3))
        new["newField"] = {"é": ["😀"]}
        del nameless["inboundSMSMessageNotification"]["inboundSMSMessage"]["messageId"]
        sender = {"senderAddress": AWA.removeprefix("+")}
        bare["inboundSMSMessageNotification"]["inboundSMSMessage"] |= sender
        return [new, nameless, bare]

    async def _post(self, parcel: Parcel, url: str, headers: Mapping[str, str] | None) -> int:
        return await self.orange.post_webhook(url=url, json=parcel, headers=headers)

    def block(self, person: str) -> None:
        self.orange.dead_numbers.add(person)

    async def report(self, status: Status) -> None:
        names = {
            "sent": "DeliveredToNetwork",
            "delivered": "DeliveredToTerminal",
            "failed": "DeliveryImpossible",
        }
        await self.orange.report(self.orange.chat(AWA)[-1], names[status])


class AfricasTalkingDriver(GatewayDriver):
    name, provider = "africastalking_sms", "africastalking"

    def __init__(self, africastalking: AfricasTalkingStandIn) -> None:
        super().__init__(africastalking)
        self.africastalking = africastalking

    def text(self, text: str, person: str = AWA) -> Parcel:
        if text == "START":
            self.africastalking.opted_out.discard(person)
        return self.africastalking.write(person, text)

    def poison(self) -> Parcel:
        parcel = self.text("x")
        del parcel["id"]
        return parcel

    def odd(self, text: str) -> list[Parcel]:
        """With a field that nobody knows; with a plus sign that was not encoded."""
        new, blank = (self.africastalking.write(AWA, text) for _ in range(2))
        return [new | {"newField": "é=😀&+%"}, blank | {"from": AWA.replace("+", " ")}]

    async def _post(self, parcel: Parcel, url: str, headers: Mapping[str, str] | None) -> int:
        return await self.africastalking.post_webhook(url=url, form=parcel, headers=headers)

    def block(self, person: str) -> None:
        self.africastalking.opted_out.add(person)

    async def report(self, status: Status) -> None:
        names = {"sent": "Submitted", "delivered": "Success", "failed": "Failed"}
        await self.africastalking.report(self.africastalking.chat(AWA)[-1], names[status])


@asynccontextmanager
async def driving_orange() -> AsyncGenerator[OrangeDriver]:
    async with running_gateway(OrangeStandIn()) as orange:
        yield OrangeDriver(orange)


@asynccontextmanager
async def driving_africastalking() -> AsyncGenerator[AfricasTalkingDriver]:
    async with running_gateway(AfricasTalkingStandIn()) as africastalking:
        yield AfricasTalkingDriver(africastalking)
