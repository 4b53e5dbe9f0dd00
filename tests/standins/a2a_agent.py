"""A remote agent over A2A, made with the SDK's own server. A program: `a2a_process` starts it.

It prints its port and then does what the first word of each task says, which is a function of this
file. `GET /seen` tells what it was given and what was cancelled.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import signal
import socket
from collections.abc import Awaitable, Callable
from typing import Any

import uvicorn
from a2a.helpers import new_data_part, new_raw_part, new_task_from_user_message, new_text_part
from a2a.server.agent_execution import AgentExecutor, RequestContext
from a2a.server.events import EventQueue
from a2a.server.request_handlers import DefaultRequestHandlerV2
from a2a.server.routes import create_agent_card_routes, create_jsonrpc_routes, create_rest_routes
from a2a.server.tasks import InMemoryTaskStore, TaskUpdater
from a2a.types import AgentCapabilities, AgentCard, AgentInterface, AgentSkill, Message
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send


async def answer(updater: TaskUpdater) -> None:
    await updater.add_artifact([new_text_part("It is 31 °C in Abidjan.")])
    await updater.complete()


async def stream(updater: TaskUpdater) -> None:
    for number, piece in enumerate(["One", ", two", ", three."]):
        await updater.add_artifact([new_text_part(piece)], artifact_id="a", append=number > 0)
    await updater.add_artifact([new_data_part({"sky": "clair", "celsius": 31})], artifact_id="b")
    await updater.add_artifact(
        [new_raw_part(b"%PDF", media_type="application/pdf", filename="forecast.pdf")],
        artifact_id="c",
    )
    await updater.complete(_message(updater, "All done."))


async def pause(updater: TaskUpdater) -> None:
    await asyncio.sleep(0.4)
    await updater.complete(_message(updater, "At last."))


async def slow(updater: TaskUpdater) -> None:
    await asyncio.sleep(600)


async def fail(updater: TaskUpdater) -> None:
    await updater.failed(_message(updater, "The weather office is closed. " + "x" * 5_000))


async def reject(updater: TaskUpdater) -> None:
    await updater.reject(_message(updater, "Not my work."))


async def ask(updater: TaskUpdater) -> None:
    await updater.requires_input(_message(updater, "Which city?"))


async def login(updater: TaskUpdater) -> None:
    await updater.requires_auth(_message(updater, "Password?"))


async def nothing(updater: TaskUpdater) -> None:
    await updater.complete()


async def give_up(updater: TaskUpdater) -> None:
    await updater.cancel()


async def crash(updater: TaskUpdater) -> None:
    raise ZeroDivisionError("inside the agent")


async def die(updater: TaskUpdater) -> None:
    await asyncio.sleep(0.1)
    os.kill(os.getpid(), signal.SIGKILL)


async def flood(updater: TaskUpdater) -> None:
    for number in range(100):
        await updater.add_artifact(
            [new_text_part("x" * 100_000)], artifact_id="a", append=number > 0
        )
    await updater.complete()


async def drip(updater: TaskUpdater) -> None:
    while True:
        await updater.start_work(_message(updater, "Wait."))
        await asyncio.sleep(0.01)


TASKS: dict[str, Callable[[TaskUpdater], Awaitable[None]]] = {
    task.__name__: task
    for task in (
        answer, stream, pause, slow, fail, reject, ask, login, nothing, give_up, crash, die, flood,
        drip,
    )
}  # fmt: skip


class Executor(AgentExecutor):
    def __init__(self) -> None:
        self.seen: list[str] = []

    async def execute(self, context: RequestContext, event_queue: EventQueue) -> None:
        task = context.get_user_input()
        assert context.message is not None
        self.seen.append(f"{context.message.message_id} {task}")
        updater = _updater(context, event_queue)
        if task.startswith("say "):
            await event_queue.enqueue_event(_message(updater, task[4:]))
            return
        await event_queue.enqueue_event(new_task_from_user_message(context.message))
        await updater.start_work(_message(updater, "Thinking…"))
        await TASKS[task.split()[0]](updater)

    async def cancel(self, context: RequestContext, event_queue: EventQueue) -> None:
        self.seen.append("cancelled")
        await _updater(context, event_queue).cancel()


class TokenCheck:
    """Lets nobody in without the token; what was seen may be seen by all."""

    def __init__(self, app: ASGIApp, token: str) -> None:
        self._app = app
        self._expected = f"Bearer {token}"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        app: ASGIApp = self._app
        guarded = scope["type"] == "http" and scope["path"] != "/seen"
        if guarded and Request(scope).headers.get("Authorization") != self._expected:
            app = JSONResponse({"error": self._expected}, status_code=401)
        await app(scope, receive, send)


def _updater(context: RequestContext, event_queue: EventQueue) -> TaskUpdater:
    return TaskUpdater(event_queue, context.task_id or "", context.context_id or "")


def _message(updater: TaskUpdater, text: str) -> Message:
    return updater.new_agent_message([new_text_part(text)])


def make_app(options: argparse.Namespace, port: int) -> Starlette:
    executor = Executor()
    interface = AgentInterface(
        url=f"http://127.0.0.1:{port}/a2a",
        protocol_binding=options.binding,
        protocol_version=options.version,
    )
    card = AgentCard(
        name="Stand-in",
        description="Does what the first word\n of its task says.",
        version="1",
        supported_interfaces=[interface],
        capabilities=AgentCapabilities(streaming=not options.no_streaming),
        default_input_modes=["text/plain"],
        default_output_modes=["text/plain"],
        skills=[AgentSkill(id="s", name="s", description="s", tags=["s"])],
    )
    handler = DefaultRequestHandlerV2(executor, InMemoryTaskStore(), card)

    async def show_seen(request: Request) -> JSONResponse:
        return JSONResponse(executor.seen)

    app = Starlette(routes=[Route("/seen", show_seen), *create_agent_card_routes(card)])
    app.routes.extend(_routes(options.binding, handler))
    if options.token:
        app.add_middleware(TokenCheck, token=options.token)
    return app


def _routes(binding: str, handler: DefaultRequestHandlerV2) -> list[Any]:
    if binding == "JSONRPC":
        return [*create_jsonrpc_routes(handler, "/a2a", enable_v0_3_compat=True)]
    return [*create_rest_routes(handler, enable_v0_3_compat=True, path_prefix="/a2a")]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--no-streaming", action="store_true")
    parser.add_argument("--version", default="1.0", choices=["1.0", "0.3"])
    parser.add_argument("--binding", default="JSONRPC", choices=["JSONRPC", "HTTP+JSON"])
    parser.add_argument("--token", default="")
    options = parser.parse_args()
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen(128)
        port = listening.getsockname()[1]
        app = make_app(options, port)
        print(port, flush=True)  # noqa: T201 (that is how the tests learn it)
        uvicorn.Server(uvicorn.Config(app, log_level="critical")).run(sockets=[listening])


if __name__ == "__main__":
    main()
