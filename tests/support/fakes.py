"""Doubles that keep the contract of what they stand in for, and are passed in."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any

from bot.contracts.channels import Capabilities, Webhook
from bot.contracts.models import ModelRequest
from bot.contracts.services import Budget, Services, ToolContext
from bot.contracts.turn import Correction, Finished
from bot.events import Content, Emit, ignore
from bot.messages.channels import Channel
from bot.messages.incoming import Attachment, Person, Receipt, Update
from bot.messages.outgoing import Delivery, Preview, Sent
from bot.messages.transcript import AssistantMessage, ModelReply, Text, ToolCall, Usage, UserMessage
from bot.settings import Settings

Step = ModelReply | Exception | Callable[[ModelRequest, Emit], ModelReply]


def reply(text: str = "", *calls: tuple[str, str], usd: float = 0.001) -> ModelReply:
    """A model's reply: text, and calls as (name, arguments)."""
    made = tuple(
        ToolCall(f"call_{name}_{number}", name, arguments)
        for number, (name, arguments) in enumerate(calls)
    )
    return ModelReply(AssistantMessage(text, made), Usage(100, 10, usd=usd), "fake-model")


class FakeModel:
    """Answers from a list; keeps what it was asked. It fails when it is asked once too often."""

    def __init__(self, *steps: Step) -> None:
        self._steps = list(steps)
        self.requests: list[ModelRequest] = []

    def add(self, *steps: Step) -> None:
        """Have more answers ready."""
        self._steps += steps

    async def ask(self, request: ModelRequest, emit: Emit) -> ModelReply:
        self.requests.append(replace(request, messages=tuple(request.messages)))
        if not self._steps:
            raise AssertionError("the model was asked once too often")
        step = self._steps.pop(0)
        if isinstance(step, Exception):
            raise step
        answer = step(request, emit) if callable(step) else step
        if answer.message.text:
            emit(Content(answer.message.text))
        return answer

    @property
    def steps_left(self) -> int:
        """Answers that nobody has asked for."""
        return len(self._steps)

    async def close(self) -> None: ...


class MemoryJournal:
    """A journal in a list; `hearsay` is what the person says meanwhile."""

    def __init__(self, intents: Sequence[str] = (), hearsay: Sequence[str] = ()) -> None:
        self.rows: list[ModelReply | Finished | Correction | str] = []
        self._hearsay = list(hearsay)
        self._intents = set(intents)

    async def replied(self, reply: ModelReply) -> None:
        self.rows.append(reply)

    async def corrected(self, correction: Correction) -> None:
        self.rows.append(correction)

    async def intends(self, key: str, name: str) -> bool:
        if key in self._intents:
            return False
        self._intents.add(key)
        self.rows.append(f"intends {name}")
        return True

    async def overheard(self) -> list[UserMessage]:
        heard, self._hearsay = self._hearsay, []
        return [UserMessage((Text(words),)) for words in heard]

    async def finished(self, results: Sequence[Finished]) -> None:
        self.rows.extend(results)


def _forget(_: object) -> None: ...


def make_services(**given: Any) -> Services:
    """The services that are given; no other can be used."""
    return Services(**({each.name: None for each in fields(Services)} | given))


def tool_context(**values: Any) -> ToolContext:
    """What a tool is called with by a logged-in pupil on Telegram; `values` take the places."""
    usual: dict[str, Any] = {
        "person": Person("telegram", "42", account=7),
        "account": 7,
        "lane": "telegram:42",
        "turn": 1,
        "call_id": "call-1",
        "key": "telegram:42/1/call-1",
        "settings": Settings.model_validate({}),
        "services": make_services(),
        "emit": ignore,
        "deliver": _forget,
        "show": _forget,
        "left": Budget(seconds=60.0, usd=0.5, tool_calls=40, depth=2),
        "spend": _forget,
        "may_open": lambda _: True,
    }
    return ToolContext(**(usual | values))


@dataclass
class FakeChannel:
    """A channel that shows what was delivered. `failures` are raised first, one a delivery."""

    name: str = "fake"
    channel: Channel = "telegram"
    capabilities: Capabilities = field(
        default_factory=lambda: Capabilities(
            max_text=4096, markup="markdown", media=(("*/*", 2**20),)
        )
    )
    delivered: list[Delivery] = field(default_factory=list[Delivery])
    failures: list[Exception] = field(default_factory=list[Exception])
    shown: list[Preview] = field(default_factory=list[Preview])

    def verify(self, webhook: Webhook) -> None: ...

    def parse(self, webhook: Webhook) -> Sequence[Update | Receipt]:
        return ()

    async def fetch(self, attachment: Attachment) -> bytes:
        return b""

    async def deliver(self, delivery: Delivery) -> Sent:
        if self.failures:
            raise self.failures.pop(0)
        self.delivered.append(delivery)
        again = f"-{delivery.attempt}" if delivery.attempt > 1 else ""
        return Sent(f"fake-{delivery.id}{again}")

    async def show(self, preview: Preview) -> None:
        self.shown.append(preview)

    async def close(self) -> None: ...


class Clock:
    """A clock turned by hand."""

    def __init__(self, now: float = 1_000_000.0) -> None:
        self.now = now

    def __call__(self) -> float:
        return self.now

    def advance(self, seconds: float) -> None:
        self.now += seconds
