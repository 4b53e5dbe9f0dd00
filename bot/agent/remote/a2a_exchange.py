"""One exchange with a remote agent: its card, then a task given and followed to its end.

Both versions of the protocol that the SDK knows (1.0, 0.3) and both of its HTTP bindings
(JSON-RPC, HTTP+JSON) are spoken. Slow to import: imported with the first call.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing, suppress
from typing import cast

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
)
from a2a.utils.constants import AGENT_CARD_WELL_KNOWN_PATH, TransportProtocol
from a2a.utils.errors import A2AError
from google.protobuf import json_format

from bot.agent.remote.a2a_reply import Reply
from bot.agent.remote.a2a_transport import open_client
from bot.errors import ToolFailed
from bot.settings import RemoteAgent

_CARD_SECONDS = 15.0
_POLL_SECONDS = 15.0
_CANCEL_SECONDS = 2.0
_FIRST_PAUSE = 0.25
_LONGEST_PAUSE = 5.0
_POLL_FAILURES = 3
"""In a row: then the agent is given up."""
_BROKEN = (
    A2AError, httpx.HTTPError, httpx.InvalidURL, httpx.StreamError, json_format.Error, OSError,
    ValueError, TypeError, KeyError, AttributeError, RecursionError, NotImplementedError,
)  # fmt: skip
"""What the SDK lets through when an answer is missing, malformed or meant to break it."""
_log = structlog.get_logger()


def open_pool() -> httpx.AsyncHTTPTransport:
    """Connections for all agents. Unlimited: one agent that hangs must not stop the others."""
    limits = httpx.Limits(max_connections=None, max_keepalive_connections=20)
    return httpx.AsyncHTTPTransport(limits=limits)


async def read_card(agent: RemoteAgent, pool: httpx.AsyncBaseTransport) -> AgentCard:
    """The agent's card. Raises `ToolFailed`."""
    url = httpx.URL(agent.url)
    if url.path == "/":
        url = url.copy_with(path=AGENT_CARD_WELL_KNOWN_PATH)
    try:
        async with asyncio.timeout(_CARD_SECONDS), open_client(pool, agent) as http:
            response = await http.get(url, follow_redirects=True)
            return parse_agent_card(response.raise_for_status().json())
    except _BROKEN as error:
        raise _fail(agent, error, "has no card that can be read") from None


async def give_task(
    agent: RemoteAgent, card: AgentCard, pool: httpx.AsyncBaseTransport, task: str, message_id: str
) -> Reply:
    """Send the task and follow it until it is over; what is given up, is cancelled there too.

    Raises:
        ToolFailed: in plain words, without anything that the agent sent.
    """
    reply = Reply()
    try:
        async with open_client(pool, agent) as http:
            await _follow(_connect(agent, card, http), task, message_id, reply)
    except _BROKEN as error:
        doubt = " Whether it did the task is not known."
        raise _fail(agent, error, "gives no answer that can be read", doubt) from None
    finally:
        if reply.task_id and not reply.is_over:
            await _cancel(agent, card, pool, reply.task_id)
    return reply


def _connect(agent: RemoteAgent, card: AgentCard, http: httpx.AsyncClient) -> Client:
    config = ClientConfig(
        # Without a stream the agent answers at once: only a task that has an id can be cancelled.
        polling=not card.capabilities.streaming,
        httpx_client=http,
        supported_protocol_bindings=[TransportProtocol.JSONRPC, TransportProtocol.HTTP_JSON],
    )
    try:
        return ClientFactory(config).create(card)
    except _BROKEN as error:
        raise _fail(agent, error, "speaks no language that Griot speaks") from None


async def _follow(client: Client, task: str, message_id: str, reply: Reply) -> None:
    message = Message(role=Role.ROLE_USER, message_id=message_id, parts=[Part(text=task)])
    # The SDK declares an iterator and returns a generator, which wants to be closed.
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


async def _poll(client: Client, reply: Reply) -> None:
    """Ask how the task stands, until it is over: no stream was offered, or it broke."""
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


async def _cancel(
    agent: RemoteAgent, card: AgentCard, pool: httpx.AsyncBaseTransport, task_id: str
) -> None:
    with suppress(ToolFailed, *_BROKEN):
        async with asyncio.timeout(_CANCEL_SECONDS), open_client(pool, agent) as http:
            client = _connect(agent, card, http)
            await client.cancel_task(CancelTaskRequest(id=task_id))


def _fail(agent: RemoteAgent, error: Exception, what: str, doubt: str = "") -> ToolFailed:
    unreachable = (httpx.ConnectError, httpx.ConnectTimeout, TimeoutError)
    # The SDK's errors have httpx's as their cause.
    if isinstance(error, unreachable) or isinstance(error.__cause__, unreachable):
        what = "cannot be reached"
    elif isinstance(error, A2AError) and not isinstance(error, A2AClientError):
        what = "answers with an error"
    _log.warning("a2a_failed", agent=agent.name, error=type(error).__name__)
    return ToolFailed(f"The agent {agent.name} {what}.{doubt} Do without it, or try later.")
