"""The state of a turn as the loop sees it: its messages, its limits and what it has used."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from urllib.parse import unquote

import msgspec

from bot.agent.stream_gate import StreamGate
from bot.contracts.services import GivenExercise
from bot.contracts.tools import FORWARDED, ToolSpec, is_untrusted
from bot.contracts.turn import Correction, Finished, Guardrail, Journal, Objection, ObjectionKind
from bot.events import Content, Emit
from bot.messages.incoming import Person
from bot.messages.outgoing import AskApproval, Outgoing
from bot.messages.transcript import (
    AssistantMessage,
    Message,
    ModelReply,
    SystemMessage,
    ToolCall,
    ToolResult,
    Usage,
    UserMessage,
)


class Unguarded:
    """A guardrail that objects to nothing, for texts that no person reads: an advisor's."""

    keeps_secrets = False

    async def prepare(self, outgoing: Sequence[Outgoing]) -> None: ...

    def is_harmless(self, text: str) -> bool:  # noqa: ARG002 (the contract's names)
        return True

    def is_open(self, question: str, options: Sequence[str]) -> bool:  # noqa: ARG002
        return False

    def find_given_away(self, asked: Sequence[GivenExercise], text: str) -> Sequence[Objection]:  # noqa: ARG002
        return ()

    async def inspect(self, text: str) -> Sequence[Objection]:  # noqa: ARG002
        return ()

    async def repair(self, text: str) -> str:
        return text


@dataclass(frozen=True, slots=True)
class Limits:
    """What one turn may use; 0 means none."""

    iterations: int
    seconds: float
    usd: float
    tool_calls: int


CLOSING_SECONDS = 30.0
"""Seconds kept at the end of a turn for an answer without tools; at most a sixth of its time."""
_TIMER_SLACK = 0.01
"""Seconds by which a timer may fire early: event loops may count whole milliseconds."""
MOST_ALIKE = 4
"""Replies with the same calls and no text after which the turn counts as going in circles."""
MOST_OF_ONE_TOOL = 15
"""Calls of one tool at which the turn counts as going in circles; the last is not run."""
MOST_DELEGATES = 2
"""Depth of delegation: a delegate may delegate once more, and that second one may not."""


@dataclass(frozen=True, slots=True)
class _ReplyCalls:
    """The calls of one reply."""

    calls: tuple[tuple[str, bytes], ...]
    has_no_text: bool


@dataclass(slots=True)
class Turn:
    """The state of one turn. It can be rebuilt from the journal after a crash."""

    id: int
    lane: str
    person: Person
    messages: list[Message]
    """The whole context, with this turn's own messages last."""
    limits: Limits
    journal: Journal
    emit: Emit
    guardrail: Guardrail = field(default_factory=Unguarded)
    is_previewed: bool = True
    """Whether the person sees the answer while it is being written."""
    monotonic: Callable[[], float] = time.monotonic
    started: float = field(init=False)
    gate: StreamGate = field(init=False)
    """Passes the model's text on to `emit`."""
    iterations: int = 0
    tool_calls: int = 0
    usage: Usage = field(default_factory=Usage)
    spending: dict[tuple[str, str], tuple[int, Usage]] = field(
        default_factory=dict[tuple[str, str], tuple[int, Usage]]
    )
    """(`model` or `tool`, name) → calls and usage."""
    seconds_asking: float = 0.0
    """Seconds spent waiting for models, in this process."""
    is_free: bool = False
    """Whether the turn found no answer, so that the person pays nothing."""
    prose: list[str] = field(default_factory=list[str])
    """Texts of this turn for the person, at most one per iteration."""
    broken_off: str = ""
    """What was shown of the text during which the turn was cancelled."""
    outgoing: list[Outgoing] = field(default_factory=list[Outgoing])
    """Messages and files that tools want delivered, in order."""
    depth: int = MOST_DELEGATES
    """Number of delegates that may still be nested."""
    prefix: str = ""
    """Prefix that tells the keys of a delegate's calls from those of the turn that asked it."""
    asker_may_open: Callable[..., bool] | None = None
    """For a delegate, whose task a model wrote: `may_open` of the turn that asked it."""
    asker_read_strangers: bool = False
    """For a delegate: `has_read_strangers` of the turn that asked it."""
    is_checked: bool = False
    """Whether the completion check was done."""
    offered: tuple[ToolSpec, ...] | None = None
    """The tools that its model is offered; None: not chosen yet."""
    corrections: list[ObjectionKind] = field(default_factory=list[ObjectionKind])
    """The kinds of objection for which replies were changed or withheld, one for each reply."""
    refused_words: int = 0
    """How often there were objections to the text in a tool's arguments."""
    _reply_calls: list[_ReplyCalls] = field(default_factory=list[_ReplyCalls])

    def __post_init__(self) -> None:
        self.started = self.monotonic()
        shown = self.guardrail if self.is_previewed else None
        self.gate = StreamGate(self.emit, shown)

    @property
    def own_messages(self) -> list[Message]:
        """The person's newest message, and all messages after it."""
        positions = range(len(self.messages) - 1, -1, -1)
        start = next((at for at in positions if isinstance(self.messages[at], UserMessage)), 0)
        return self.messages[start:]

    @property
    def has_read_strangers(self) -> bool:
        """Whether the model has read what strangers wrote since the person last wrote, or in what
        they forwarded: what it wants to do may be what a stranger wants."""
        return (
            self.asker_read_strangers
            or FORWARDED in self.request
            or any(
                isinstance(each, ToolResult) and is_untrusted(each.text)
                for each in self.own_messages
            )
        )

    def may_open(self, address: str, *, must_stand: bool = False) -> bool:
        """Return whether an address on the web may be opened: any, until the model has read what
        strangers wrote; then those that stand in the person's words, in such a text, or in an
        earlier answer, which the person has seen.

        One that the model made up by then may hold what it knows of the person, for a server whose
        page asked for it.

        Args:
            must_stand: a delegate asks that has read such a text itself.
        """
        strangers = [
            each.text
            for each in self.messages
            if isinstance(each, ToolResult) and is_untrusted(each.text)
        ]
        must_stand = must_stand or bool(strangers)
        if self.asker_may_open is None:
            is_free = not must_stand
        else:
            is_free = self.asker_may_open(address, must_stand=must_stand)
        if is_free:
            return True
        texts = [*strangers, *(self._list_trusted() if self.asker_may_open is None else ())]
        wanted = _strip_address(address)
        return bool(wanted) and any(wanted in unquote(text).casefold() for text in texts)

    def _list_trusted(self) -> list[str]:
        """List the person's words and the earlier answers."""
        earlier = self.messages[: -len(self.own_messages)]
        return [
            *(each.text for each in self.messages if isinstance(each, UserMessage)),
            *(each.text for each in earlier if isinstance(each, AssistantMessage)),
        ]

    @property
    def request(self) -> str:
        """The text of the person's request."""
        return next((m.text for m in reversed(self.messages) if isinstance(m, UserMessage)), "")

    @property
    def can_call_model(self) -> bool:
        """Whether the limits allow any call of the model at all."""
        limits = self.limits
        return self.iterations < limits.iterations and limits.usd > 0 and limits.seconds > 0

    @property
    def must_close(self) -> bool:
        """Whether the next iteration must be the answer: a limit is reached, or the turn goes in
        circles."""
        return self.is_limited or self.is_stalled

    @property
    def is_limited(self) -> bool:
        """Whether only one iteration, no call, no money or only the time to close is left."""
        limits = self.limits
        return (
            self.iterations + 1 >= limits.iterations
            or self.usage.usd >= limits.usd
            or self.seconds_to_work <= 0
            or 0 < limits.tool_calls <= self.tool_calls
        )

    @property
    def is_cut_short(self) -> bool:
        """Whether a turn that a limit ended could go on: it has money left and does not go in
        circles."""
        return self.usage.usd < self.limits.usd and not self.is_stalled

    @property
    def is_stalled(self) -> bool:
        """Whether the model goes in circles, or calls one tool too often."""
        last = self._reply_calls[-MOST_ALIKE:]
        alike = len(last) == MOST_ALIKE and all(
            each.has_no_text and each.calls == last[0].calls for each in last
        )
        return alike or any(
            kind == "tool" and calls >= MOST_OF_ONE_TOOL
            for (kind, _), (calls, _) in self.spending.items()
        )

    @property
    def awaits_approval(self) -> bool:
        """Whether a tool has asked for the person's consent."""
        return any(isinstance(each, AskApproval) for each in self.outgoing)

    @property
    def seconds_left(self) -> float:
        return self.limits.seconds - (self.monotonic() - self.started)

    @property
    def is_out_of_time(self) -> bool:
        return self.seconds_left <= _TIMER_SLACK

    @property
    def seconds_to_work(self) -> float:
        """Seconds left for tools; some are kept for an answer at the end."""
        return self.seconds_left - min(CLOSING_SECONDS, self.limits.seconds / 6)

    @property
    def unanswered_calls(self) -> tuple[ToolCall, ...]:
        """The calls of the newest reply that have no result yet."""
        answered: set[str] = set()
        for message in reversed(self.messages):
            if isinstance(message, ToolResult):
                answered.add(message.call_id)
            elif isinstance(message, AssistantMessage):
                return tuple(call for call in message.tool_calls if call.id not in answered)
            else:
                break
        return ()

    def call_key(self, call: ToolCall) -> str:
        """Return the call's key within the turn. It includes the iteration, since providers may
        reuse an id in a later reply."""
        return f"{self.prefix}{self.iterations}/{call.id}"

    @property
    def answer(self) -> str:
        """All texts of this turn for the person, joined."""
        return "\n\n".join(self.prose)

    @property
    def separator(self) -> str:
        """The separator between new text and earlier text of this turn."""
        return "\n\n" if self.prose else ""

    def say(self, text: str) -> None:
        """Send the person a text that does not come from the model."""
        self.emit(Content(self.separator + text))
        self.prose.append(text)

    def replay_journal(
        self, steps: Sequence[ModelReply | Finished | Correction | UserMessage]
    ) -> None:
        """Count the steps in the journal from before a crash; their messages are there already."""
        for step in steps:
            match step:
                case ModelReply():
                    self._count_reply(step)
                case Finished():
                    self._count_result(step)
                case Correction():
                    self.corrections.append(step.kind)
                case UserMessage():
                    self.count_transcription(step)

    def add_reply(self, reply: ModelReply) -> None:
        """Add the model's message, and count the call."""
        self.messages.append(reply.message)
        self._count_reply(reply)

    def count_side_call(self, reply: ModelReply) -> None:
        """Count a call of the model that is no part of the conversation."""
        self.usage += reply.usage
        self._spend("model", reply.model, reply.usage)

    def count_transcription(self, message: UserMessage) -> None:
        """Count what transcribing the message's voice notes cost."""
        if message.transcriber:
            usage = Usage(usd=message.transcribing_usd)
            self.usage += usage
            self._spend("model", message.transcriber, usage)

    def add_correction(self, correction: Correction) -> None:
        """Replace the text of the newest reply by the corrected one, or remove it."""
        self.corrections.append(correction.kind)
        self.prose.pop()
        if correction.text:
            self.prose.append(correction.text)
        if correction.note:
            self.messages.append(SystemMessage(correction.note))

    def add_result(self, finished: Finished) -> None:
        """Add a tool's result, and count the call."""
        self.messages.append(finished.result)
        self._count_result(finished)

    def _count_reply(self, reply: ModelReply) -> None:
        self.iterations += 1
        self.count_side_call(reply)
        message = reply.message
        if text := message.text.strip():
            self.prose.append(text)
        if message.tool_calls:
            calls = tuple(
                (call.name, _normalize_arguments(call.arguments)) for call in message.tool_calls
            )
            self._reply_calls.append(_ReplyCalls(calls, has_no_text=not text))

    def _count_result(self, finished: Finished) -> None:
        self.tool_calls += 1
        self._spend("tool", finished.result.name, Usage())
        self.outgoing.extend(finished.outgoing)
        for spent in finished.spent:
            self.usage += spent.usage
            self._spend(spent.kind, spent.name, spent.usage, calls=spent.calls)

    def _spend(self, kind: str, name: str, usage: Usage, *, calls: int = 1) -> None:
        before, used = self.spending.get((kind, name), (0, Usage()))
        self.spending[kind, name] = before + calls, used + usage


def _normalize_arguments(arguments: str) -> bytes:
    """Return the same bytes for arguments that differ only in spaces or order."""
    try:
        return msgspec.json.encode(msgspec.json.decode(arguments), order="sorted")
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return arguments.encode(errors="replace")


_START_OF_ADDRESS = re.compile(r"https?://(www\.)?")


def _strip_address(address: str) -> str:
    """Return the part of an address that people write too: `example.org/page`."""
    bare = _START_OF_ADDRESS.sub("", unquote(address).casefold().strip(), count=1)
    return bare.partition("#")[0].rstrip("/")
