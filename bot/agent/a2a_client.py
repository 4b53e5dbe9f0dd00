"""Talk with a remote agent: read its card, give it a task and follow the task to its end.

Speaks both versions of the protocol that the SDK knows (1.0, 0.3) over both of its HTTP bindings
(JSON-RPC, HTTP+JSON). Slow to import: imported with the first call.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterable
from contextlib import aclosing, suppress
from typing import Literal, cast

import httpx
import structlog
from a2a.client import A2AClientError, Client, ClientConfig, ClientFactory
from a2a.client.card_resolver import parse_agent_card
from a2a.types import (
    AgentCard,
    CancelTaskRequest,
    GetTaskRequest,
    Message,
    Part,
    Role,
    SendMessageRequest,
    StreamResponse,
    Task,
    TaskState,
    TaskStatus,
)
from a2a.utils.constants import AGENT_CARD_WELL_KNOWN_PATH, TransportProtocol
from a2a.utils.errors import A2AError
from google.protobuf import json_format

from bot.errors import ToolFailed
from bot.settings import RemoteAgent

_CARD_SECONDS = 15.0
_POLL_SECONDS = 15.0
_CANCEL_SECONDS = 2.0
_FIRST_PAUSE = 0.25
_LONGEST_PAUSE = 5.0
_POLL_FAILURES = 3
"""Failed polls in a row after which the agent is given up."""
_BROKEN = (
    A2AError, httpx.HTTPError, httpx.InvalidURL, httpx.StreamError, json_format.Error, OSError,
    ValueError, TypeError, KeyError, AttributeError, RecursionError, NotImplementedError,
)  # fmt: skip
"""Errors that the SDK lets through when an answer is missing, malformed or hostile."""
_log = structlog.get_logger()


async def read_card(agent: RemoteAgent) -> AgentCard:
    """Read the agent's card. Raises `ToolFailed`."""
    url = httpx.URL(agent.url)
    if url.path == "/":
        url = url.copy_with(path=AGENT_CARD_WELL_KNOWN_PATH)
    try:
        async with asyncio.timeout(_CARD_SECONDS), open_client(agent) as http:
            response = await http.get(url, follow_redirects=True)
            return parse_agent_card(response.raise_for_status().json())
    except _BROKEN as error:
        raise _explain_failure(agent, error, "has no card that can be read") from None


async def give_task(agent: RemoteAgent, card: AgentCard, task: str, message_id: str) -> AgentReply:
    """Send the task and follow it until it is over; a task that is given up is cancelled there too.

    Raises:
        ToolFailed: the message is in plain words, without any text that the agent sent.
    """
    reply = AgentReply()
    try:
        async with open_client(agent) as http:
            await _follow(_connect(agent, card, http), task, message_id, reply)
    except _BROKEN as error:
        doubt = " Whether it did the task is not known."
        raise _explain_failure(agent, error, "gives no answer that can be read", doubt) from None
    finally:
        if reply.task_id and not reply.is_over:
            await _cancel(agent, card, reply.task_id)
    return reply


def _connect(agent: RemoteAgent, card: AgentCard, http: httpx.AsyncClient) -> Client:
    config = ClientConfig(
        # Without a stream the agent is asked to answer at once, with a task id: only a task that
        # has an id can be cancelled.
        polling=not card.capabilities.streaming,
        httpx_client=http,
        supported_protocol_bindings=[TransportProtocol.JSONRPC, TransportProtocol.HTTP_JSON],
    )
    try:
        return ClientFactory(config).create(card)
    except _BROKEN as error:
        raise _explain_failure(agent, error, "speaks no language that Griot speaks") from None


async def _follow(client: Client, task: str, message_id: str, reply: AgentReply) -> None:
    message = Message(role=Role.ROLE_USER, message_id=message_id, parts=[Part(text=task)])
    # The SDK declares an iterator but returns a generator, which has to be closed.
    events = cast(
        "AsyncGenerator[StreamResponse]", client.send_message(SendMessageRequest(message=message))
    )
    try:
        async with aclosing(events):
            async for event in events:
                reply.take(event)
                if reply.is_over:
                    return
                await asyncio.sleep(0)  # thousands of events may lie in one piece of the stream
    except _BROKEN:
        if not reply.task_id:
            raise
    await _poll(client, reply)


async def _poll(client: Client, reply: AgentReply) -> None:
    """Ask for the state of the task until it is over: no stream was offered, or it broke."""
    if not reply.task_id:
        raise ValueError("an answer without a task")
    pause, failures = _FIRST_PAUSE, 0
    while not reply.is_over:
        await asyncio.sleep(pause)
        pause = min(pause * 1.5, _LONGEST_PAUSE)
        try:
            async with asyncio.timeout(_POLL_SECONDS):
                reply.take_task(await client.get_task(GetTaskRequest(id=reply.task_id)))
            failures = 0
        except (ToolFailed, *_BROKEN):
            failures += 1
            if failures == _POLL_FAILURES:
                raise


async def _cancel(agent: RemoteAgent, card: AgentCard, task_id: str) -> None:
    with suppress(ToolFailed, *_BROKEN):
        async with asyncio.timeout(_CANCEL_SECONDS), open_client(agent) as http:
            client = _connect(agent, card, http)
            await client.cancel_task(CancelTaskRequest(id=task_id))


def _explain_failure(
    agent: RemoteAgent, error: Exception, what: str, doubt: str = ""
) -> ToolFailed:
    unreachable = (httpx.ConnectError, httpx.ConnectTimeout, TimeoutError)
    # The SDK's errors have httpx's as their cause.
    if isinstance(error, unreachable) or isinstance(error.__cause__, unreachable):
        what = "cannot be reached"
    elif isinstance(error, A2AError) and not isinstance(error, A2AClientError):
        what = "answers with an error"
    _log.warning("a2a_failed", agent=agent.name, error=type(error).__name__)
    return ToolFailed(f"The agent {agent.name} {what}.{doubt} Do without it, or try later.")


TaskOutcome = Literal[
    "running", "completed", "failed", "rejected", "canceled", "input-required", "auth-required"
]
"""The state of the task, in the protocol's own words; `running` stands for all others."""
_OUTCOMES: dict[int, TaskOutcome] = {
    TaskState.TASK_STATE_COMPLETED: "completed",
    TaskState.TASK_STATE_FAILED: "failed",
    TaskState.TASK_STATE_REJECTED: "rejected",
    TaskState.TASK_STATE_CANCELED: "canceled",
    TaskState.TASK_STATE_INPUT_REQUIRED: "input-required",
    TaskState.TASK_STATE_AUTH_REQUIRED: "auth-required",
}
_MAX_NAME = 100


class AgentReply:
    """The answer of an agent, collected from the events of one task in order.

    Attributes:
        task_id: empty as long as the agent has named no task (a plain message has none).
        outcome: the state that the last event reported.
    """

    def __init__(self) -> None:
        self.task_id = ""
        self.outcome: TaskOutcome = "running"
        self._artifacts: dict[str, list[str]] = {}
        self._words = ""
        self._ends_with_words = False

    @property
    def is_over(self) -> bool:
        """Whether nothing more will come unless we answer the agent."""
        return self.outcome != "running"

    @property
    def text(self) -> str:
        """The artifacts, then the last message; earlier messages only if there is nothing else."""
        blocks = [text for chunks in self._artifacts.values() if (text := "".join(chunks).strip())]
        words = self._words.strip()
        if words and (not blocks or (self._ends_with_words and words not in blocks)):
            blocks.append(words)
        return "\n\n".join(blocks)

    @property
    def last_words(self) -> str:
        """The message that came with the end of the task; empty if there was none."""
        return self._words.strip() if self._ends_with_words else ""

    def take(self, event: StreamResponse) -> None:
        match event.WhichOneof("payload"):
            case "task":
                self.take_task(event.task)
            case "message":
                self._words, self._ends_with_words = _show(event.message.parts), True
                self.outcome = "completed"
            case "status_update":
                self._take_status(event.status_update.task_id, event.status_update.status)
            case "artifact_update":
                self.task_id = self.task_id or event.artifact_update.task_id
                chunks = self._artifacts.setdefault(event.artifact_update.artifact.artifact_id, [])
                if not event.artifact_update.append:
                    chunks.clear()
                chunks.append(_join(event.artifact_update.artifact.parts))
            case _:
                pass

    def take_task(self, task: Task) -> None:
        """Take a snapshot of the whole task so far."""
        if task.artifacts:
            self._artifacts = {a.artifact_id: [_join(a.parts)] for a in task.artifacts}
        answers = [message for message in task.history if message.role == Role.ROLE_AGENT]
        if answers and not self._words:
            self._words = _show(answers[-1].parts)
        self._take_status(task.id, task.status)

    def _take_status(self, task_id: str, status: TaskStatus) -> None:
        self.task_id = self.task_id or task_id
        self.outcome = _OUTCOMES.get(status.state, "running")
        if status.HasField("message"):
            self._words = _show(status.message.parts)
        self._ends_with_words = self.is_over and status.HasField("message")


def _show(parts: Iterable[Part]) -> str:
    return "\n".join(_show_part(part) for part in parts)


def _join(parts: Iterable[Part]) -> str:
    """Join an artifact's parts: its texts are often the pieces of one stream, cut in mid-word."""
    return "".join(
        part.text if part.HasField("text") else f"\n{_show_part(part)}\n" for part in parts
    )


def _show_part(part: Part) -> str:
    match part.WhichOneof("content"):
        case "text":
            return part.text
        case "data":
            try:
                plain = json.dumps(json_format.MessageToDict(part.data))
                values = json.loads(plain, parse_float=_read_number)
                return json.dumps(values, ensure_ascii=False, sort_keys=True)
            except (json_format.Error, ValueError, RecursionError):
                return "[data that cannot be shown]"
        case "raw" | "url":
            name = _shorten(part.filename) or "without a name"
            return f"[file: {name} ({_shorten(part.media_type) or 'of unknown type'})]"
        case _:
            return ""


def _read_number(digits: str) -> float | int:
    """Read a number as an integer if it is one: protobuf knows only floats (31 comes as 31.0)."""
    number = float(digits)
    return int(number) if number.is_integer() and abs(number) < 2**53 else number


def _shorten(text: str) -> str:
    return " ".join(text[:_MAX_NAME].split())


MAX_BYTES = 2 * 1024 * 1024
"""Limit in bytes for all bodies of one exchange together."""
MAX_VALUES = 100_000
"""Values (objects, lists and their items) in these bodies: each takes 2 µs of the event loop."""
_LEAST_CHARGE = 256
"""Least bytes that a piece of a body counts as: 2 MB, a byte at a time, would be 20 s of work."""
_LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1", "0.0.0.0"})  # noqa: S104 (compared only)
_TIMES = httpx.Timeout(None, connect=10, write=30)
"""Reading has no time-out here, because the caller has one: an agent may think for long."""
_TLS = httpx.create_ssl_context()


def open_client(agent: RemoteAgent) -> httpx.AsyncClient:
    """Open a client for one exchange with one agent."""
    bounds = _Bounds(agent)
    token = {"Authorization": f"Bearer {agent.token}"} if agent.token else {}
    return httpx.AsyncClient(
        headers={"Accept-Encoding": "identity", "User-Agent": "Griot", **token},
        timeout=_TIMES,
        trust_env=False,
        max_redirects=3,
        verify=_TLS,
        event_hooks={"request": [bounds.check_target], "response": [bounds.check_answer]},
    )


class _Bounds:
    """Limits one exchange: hosts, bytes and content types. Every method raises `ToolFailed`."""

    def __init__(self, agent: RemoteAgent) -> None:
        self._name = agent.name
        self._home = httpx.URL(agent.url)
        self._bytes_left = MAX_BYTES
        self._values_left = MAX_VALUES

    async def check_target(self, request: httpx.Request) -> None:
        """Allow requests to the operator's host only, and none from HTTPS to HTTP, so that neither
        a card nor a redirect can lead the token elsewhere."""
        url = request.url
        is_home = _machine(url) == _machine(self._home)
        if is_home and (url.scheme == "https" or self._home.scheme == "http"):
            return
        _log.warning("a2a_target_refused", agent=self._name, host=url.host, scheme=url.scheme)
        raise ToolFailed(
            f"The agent {self._name} leads to another place than its own, where Griot does not "
            "follow. Do without it, and say so."
        )

    async def check_answer(self, response: httpx.Response) -> None:
        """Check the status and headers of a response, and count its body while it is read."""
        status = response.status_code
        if status >= 400 or (status >= 300 and response.request.method != "GET"):
            _log.warning("a2a_status", agent=self._name, status=status)
            raise ToolFailed(f"The agent {self._name} {_explain(status)}")
        if status < 300 and not _is_readable(response.headers):
            _log.warning("a2a_form", agent=self._name)
            raise ToolFailed(
                f"What answers in place of the agent {self._name} is no agent. Do without it."
            )
        response.stream = _CountedBody(response, self.count)

    def count(self, chunk: bytes) -> None:
        """Count a piece of a body against the limits."""
        self._bytes_left -= max(len(chunk), _LEAST_CHARGE)
        self._values_left -= chunk.count(b",") + chunk.count(b"{") + chunk.count(b"[")
        if self._bytes_left < 0 or self._values_left < 0:
            raise ToolFailed(
                f"The agent {self._name} sends more than can be taken. Ask it for less."
            )


class _CountedBody(httpx.AsyncByteStream):
    def __init__(self, response: httpx.Response, count: Callable[[bytes], None]) -> None:
        self._body = cast("httpx.AsyncByteStream", response.stream)
        self._count = count

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for chunk in self._body:
            self._count(chunk)
            yield chunk

    async def aclose(self) -> None:
        await self._body.aclose()


def _is_readable(headers: httpx.Headers) -> bool:
    mime_type = headers.get("Content-Type", "").partition(";")[0].strip().lower()
    is_known = mime_type in {"", "application/json", "text/event-stream"}
    packed = headers.get("Content-Encoding", "identity").strip().lower()
    return packed == "identity" and (is_known or mime_type.endswith("+json"))


def _machine(url: httpx.URL) -> str:
    return "localhost" if url.host in _LOOPBACK else url.host


def _explain(status: int) -> str:
    if status in {401, 403}:
        return "does not let Griot in: its operator has to set the right token. Do without it."
    if status in {408, 429, 503}:
        return "is too busy now. Try again later, or another way."
    if status < 500:
        return f"does not take the request (status {status}). Do without it."
    return f"is broken at the moment (status {status}). Try again later, or another way."
