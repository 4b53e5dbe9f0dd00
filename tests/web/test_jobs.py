"""Jobs over HTTP: begun, looked at, cancelled; what they know and whose they are."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from yarl import URL

from bot.contracts.models import ModelRequest
from bot.errors import ModelUnavailable
from bot.events import Content, Emit, Progress
from bot.messages.transcript import ModelReply
from tests.support.fakes import FakeModel, Step, reply
from tests.support.queries import read_row
from tests.support.site import Events, Site, parse_sse
from tests.support.waiting import until

MakeSite = Callable[..., Awaitable[Site]]
NOTE = ("generate_md", '{"filename": "fiche.md", "content": "# Les fractions"}')


class Thinking(FakeModel):
    """Answers nothing before it may."""

    def __init__(self, *steps: Step) -> None:
        super().__init__(*steps)
        self.begun = asyncio.Event()
        self.may_go_on = asyncio.Event()

    async def ask(self, request: ModelRequest, emit: Emit) -> ModelReply:
        self.begun.set()
        await self.may_go_on.wait()
        return await super().ask(request, emit)


class Writer(FakeModel):
    """Answers as it is told, at its own pace."""

    def __init__(self, write: Callable[[ModelRequest, Emit], Awaitable[ModelReply]]) -> None:
        super().__init__()
        self._write = write

    async def ask(self, request: ModelRequest, emit: Emit) -> ModelReply:
        return await self._write(request, emit)


async def begin(site: Site, message: str = "write it", **fields: Any) -> str:
    body = {"message": message, "background": True} | fields
    status, answer = await site.request("POST", "/api/v1/chat", json=body)
    assert status == 202
    return answer["job_id"]


async def look(site: Site, job: str) -> dict[str, Any]:
    status, answer = await site.request("GET", f"/api/v1/jobs/{job}")
    assert status == 200
    return answer


async def listen(
    site: Site, job: str, then: Callable[[], object] = lambda: None, *, after: bytes = b""
) -> Events:
    """All its events, as they are told; `then` is called when a line begins with `after`, by
    default as soon as there is a stream."""
    url, heard, is_called = f"{site.url}/api/v1/jobs/{job}/events", bytearray(), False
    async with site.session.get(url, headers=site.headers) as stream:
        if not after:
            then()
        async for line in stream.content:
            heard += line
            if after and not is_called and line.startswith(after):
                is_called = True
                then()
    return parse_sse(heard.decode())


async def ended(site: Site, job: str) -> dict[str, Any]:
    async def has_ended() -> bool:
        return (await look(site, job))["status"] not in {"queued", "running"}

    await until(has_ended)
    return await look(site, job)


async def test_a_job_is_done_while_nobody_waits(site: MakeSite) -> None:
    one = await site(FakeModel(reply("", NOTE), reply("Here it is.")))
    await one.log_in()
    done = await ended(one, await begin(one))
    assert (done["status"], done["step"], done["max_steps"]) == ("done", 2, 10)
    assert done["text"] == "Here it is."
    assert [file["filename"] for file in done["files"]] == ["fiche.md"]
    assert done["started_at"] <= done["finished_at"]
    async with one.session.get(done["files"][0]["url"]) as download:
        assert b"fractions" in await download.read()


async def test_one_that_is_begun_again_with_the_same_key_runs_once(site: MakeSite) -> None:
    model = FakeModel(reply("One."), reply("Two."))
    griot = await site(model)
    await griot.log_in()
    griot.headers["Idempotency-Key"] = "one"
    first, second = await asyncio.gather(begin(griot), begin(griot))
    assert (await ended(griot, first))["text"] == "One."
    assert (second, await begin(griot)) == (first, first)
    griot.headers["Idempotency-Key"] = "two"
    other = await begin(griot)
    assert (await ended(griot, other))["text"] == "Two."


async def test_it_is_running_while_it_runs_and_ends_when_it_is_told_to(site: MakeSite) -> None:
    model = Thinking(reply("too late"))
    one = await site(model)
    await one.log_in()
    job = await begin(one)
    await model.begun.wait()
    running = await look(one, job)
    assert (running["status"], running["finished_at"]) == ("running", None)
    status, _ = await one.request("DELETE", f"/api/v1/jobs/{job}")
    assert status == 202
    assert (await ended(one, job))["status"] == "cancelled"
    turn = await read_row(one.app.database, "turn", reason="cancelled")
    assert turn["credits"] == 0


async def test_what_was_shown_of_one_that_is_cancelled_is_kept(site: MakeSite) -> None:
    shown, asked = asyncio.Event(), list[list[str]]()

    async def write(request: ModelRequest, emit: Emit) -> ModelReply:
        asked.append([getattr(each, "text", "") for each in request.messages][1:])
        if shown.is_set():
            return reply("Go on.")
        emit(Content("Here is the beginning"))
        shown.set()
        await asyncio.sleep(60)
        raise AssertionError("never")

    one = await site(Writer(write))
    await one.log_in()
    job = await begin(one, session_id=(await one.chat("/help"))[0][1]["session_id"])
    await shown.wait()
    await one.request("DELETE", f"/api/v1/jobs/{job}")
    done = await ended(one, job)
    assert (done["status"], done["step"]) == ("cancelled", 1)
    assert done["text"] == "Here is the beginning\n\nRéponse arrêtée."
    assert await listen(one, job)
    _, memory = await one.request("GET", f"/api/v1/sessions/job:{job}/events")
    kept = [(each["event_type"], each["content"]) for each in memory["events"]]
    stopped = ("user_message", "[I stopped your answer here.]")
    assert kept[1:] == [("agent_response", "Here is the beginning"), stopped]


@pytest.mark.parametrize("limit", [{"job_timeout": 0}, {"max_iterations": 0}])
async def test_one_that_a_limit_ends_without_an_answer_has_failed(
    site: MakeSite, limit: dict[str, Any]
) -> None:
    griot = await site(FakeModel(), **limit)
    await griot.log_in()
    job = await ended(griot, await begin(griot))
    assert job["status"] == "failed"
    assert job["error"].endswith("Réessaie, ou pose une question plus courte.")
    assert "text" not in job


async def test_one_that_a_limit_ends_with_an_answer_is_done(site: MakeSite) -> None:
    griot = await site(FakeModel(reply("So far")), max_iterations=1)
    await griot.log_in()
    job = await ended(griot, await begin(griot))
    assert (job["status"], job["text"]) == ("done", "So far")


async def test_one_that_has_ended_stays_as_it_is(site: MakeSite) -> None:
    one = await site(FakeModel(reply("Here.")))
    await one.log_in()
    job = await begin(one)
    await ended(one, job)
    await one.request("DELETE", f"/api/v1/jobs/{job}")
    assert (await look(one, job))["status"] == "done"


async def test_its_events_are_shown_as_they_happen_and_again_afterwards(site: MakeSite) -> None:
    model = Thinking(reply("Here it is."))
    one = await site(model)
    await one.log_in()
    job = await begin(one)
    await model.begun.wait()
    live = await listen(one, job, model.may_go_on.set)
    assert ("content", {"text": "Here it is."}) in live
    assert live[-1] == ("end", {"reason": "answered"})
    again = await listen(one, job)
    assert ("content", {"text": "Here it is."}) in again
    assert again[-1] == ("end", {"reason": "answered"})


async def test_head_of_its_events_has_no_body(site: MakeSite) -> None:
    """Whatever followed the headers would be read as the next answer on that connection."""
    one = await site(FakeModel(reply("Here it is.")))
    await one.log_in()
    job = await begin(one)
    await ended(one, job)
    address = URL(one.url)
    reader, writer = await asyncio.open_connection(address.host, address.port)
    head = [f"HEAD /api/v1/jobs/{job}/events HTTP/1.1", f"Host: {address.host}"]
    head += [f"{name}: {value}" for name, value in one.headers.items()]
    writer.write("\r\n".join([*head, "Connection: close", "", ""]).encode())
    answer = (await reader.read()).decode()
    writer.close()
    await writer.wait_closed()
    assert answer.startswith("HTTP/1.1 200 OK")
    assert "text/event-stream" in answer
    assert answer.partition("\r\n\r\n")[2] == ""


async def test_who_joins_late_is_told_what_it_does_at_once_and_what_it_says_whole(
    site: MakeSite,
) -> None:
    half, told = asyncio.Event(), asyncio.Event()

    async def write(request: ModelRequest, emit: Emit) -> ModelReply:
        emit(Content("Here "))
        half.set()
        while not told.is_set():
            emit(Progress(2, 10, "write"))
            await asyncio.sleep(0.02)
        emit(Content("it is."))
        return reply("Here it is.")

    one = await site(Writer(write))
    await one.log_in()
    job = await begin(one)
    await half.wait()
    events = await listen(one, job, told.set, after=b"event: progress")
    names = [name for name, _ in events]
    assert ("progress", {"step": 2, "max_steps": 10, "action": "write", "target": ""}) in events
    assert [data["text"] for name, data in events if name == "content"] == ["Here it is."]
    assert names[-3:] == ["content", "usage", "end"]


async def test_who_joins_one_that_is_taken_up_again_is_told_the_whole_text(site: MakeSite) -> None:
    again, joined = asyncio.Event(), asyncio.Event()
    asked: list[ModelRequest] = []

    async def write(request: ModelRequest, emit: Emit) -> ModelReply:
        asked.append(request)
        if len(asked) == 1:
            emit(Content("First."))
            return reply("First.", NOTE)
        if len(asked) == 2:
            raise ModelUnavailable("down")
        again.set()
        await joined.wait()
        emit(Content("Second."))
        return reply("Second.")

    one = await site(Writer(write))
    await one.log_in()
    job = await begin(one)
    await again.wait()
    events = await listen(one, job, joined.set)
    assert [data["text"] for name, data in events if name == "content"] == ["First.\n\nSecond."]


async def test_it_says_every_two_seconds_where_it_is(site: MakeSite) -> None:
    model = Thinking(reply("Here it is."))
    one = await site(model)
    await one.log_in()
    job = await begin(one)
    await model.begun.wait()
    later = asyncio.get_running_loop().call_later
    events = await listen(one, job, lambda: later(4.5, model.may_go_on.set))
    told = [data for name, data in events if name == "progress"]
    assert len(told) >= 2
    assert told[-1] == {"step": 1, "max_steps": 10, "action": "think", "target": ""}


async def test_it_knows_its_session_and_the_session_knows_it(site: MakeSite) -> None:
    model = FakeModel(reply("Hello."), reply("The essay."), reply("As I wrote."))
    one = await site(model)
    await one.log_in()
    await one.chat("my name is Awa", session_id="s1")
    await ended(one, await begin(one, "write an essay", session_id="s1"))
    assert "my name is Awa" in str(model.requests[1].messages)
    await one.chat("what did you write?", session_id="s1")
    assert "The essay." in str(model.requests[2].messages)


async def test_somebody_elses_is_not_found(site: MakeSite) -> None:
    one = await site(FakeModel(reply("Here.")))
    await one.log_in()
    job = await begin(one)
    await one.log_in("+2250701020305")
    for method, path in (("GET", ""), ("DELETE", ""), ("GET", "/events")):
        assert (await one.request(method, f"/api/v1/jobs/{job}{path}"))[0] == 404
    status, answer = await one.request("GET", "/api/v1/jobs/nothing")
    assert (status, answer["error"]["message"]) == (404, "There is no such job.")
    status, _ = await one.request(
        "POST", "/api/v1/chat", json={"message": "x", "background": True, "session_id": "s9"}
    )
    assert status == 404


async def test_one_that_may_not_begin_has_failed_and_says_why(site: MakeSite) -> None:
    one = await site(FakeModel(), max_person_day_usd=0)
    await one.log_in()
    failed = await ended(one, await begin(one))
    assert failed["status"] == "failed"
    assert failed["error"]


async def test_commands_are_answered_at_once(site: MakeSite) -> None:
    one = await site(FakeModel())
    body = {"message": "/balance", "background": True}
    assert (await one.request("POST", "/api/v1/chat", json=body))[0] == 400


async def test_a_job_has_more_time_than_a_turn(site: MakeSite) -> None:
    model = Thinking(reply("Slowly."))
    one = await site(model, turn_timeout=0.2)
    await one.log_in()
    job = await begin(one)
    await model.begun.wait()
    await asyncio.sleep(0.4)
    model.may_go_on.set()
    assert (await ended(one, job))["text"] == "Slowly."
