"""The scripted model keeps the contract of a real one."""

from __future__ import annotations

import json

import pytest

from bot.agent.scripted_model import ScriptedModel
from bot.contracts.models import ModelRequest
from bot.contracts.tools import ToolSpec
from bot.errors import ScriptExhausted
from bot.events import Content, Event, ToolProgress
from bot.messages.transcript import Text, UserMessage
from bot.settings import ScriptedCall, ScriptedCalls, Settings

DOCUMENT = ToolSpec("generate_md", "Write.", {}, shows_arguments=True)
REQUEST = ModelRequest([UserMessage((Text("Salut"),))], [DOCUMENT])


def calls(*names: str, content: str = "", arguments: object = None) -> ScriptedCalls:
    made = [{"name": name, "arguments": arguments or {}} for name in names]
    return ScriptedCalls.model_validate({"tool_calls": made, "content": content})


async def test_a_text_is_streamed_in_pieces_and_returned() -> None:
    text = "Bonjour, je suis Griot, et je raconte des histoires."
    events: list[Event] = []
    reply = await ScriptedModel([text]).ask(REQUEST, events.append)
    assert len(events) > 1
    assert "".join(event.text for event in events if isinstance(event, Content)) == text
    assert (reply.message.text, reply.finish_reason) == (text, "stop")
    assert reply.usage.output_tokens > 0
    assert reply.usage.usd > 0


async def test_calls_get_ids_of_their_own_in_every_answer() -> None:
    model = ScriptedModel([calls("look", "look"), calls("look")])
    first = await model.ask(REQUEST, lambda _: None)
    second = await model.ask(REQUEST, lambda _: None)
    made = [call.id for call in (*first.message.tool_calls, *second.message.tool_calls)]
    assert len(set(made)) == 3
    assert first.finish_reason == "tool_calls"


async def test_arguments_are_json_unless_given_as_broken_text() -> None:
    model = ScriptedModel([calls("look", arguments={"é": [1]}), calls("look", arguments="{oh")])
    good, broken = [await model.ask(REQUEST, lambda _: None) for _ in range(2)]
    assert json.loads(good.message.tool_calls[0].arguments) == {"é": [1]}
    assert broken.message.tool_calls[0].arguments == "{oh"


async def test_text_beside_calls_is_said() -> None:
    events: list[Event] = []
    reply = await ScriptedModel([calls("look", content="I look.")]).ask(REQUEST, events.append)
    assert events == [Content("I look.")]
    assert reply.message.text == "I look."


async def test_arguments_of_documents_are_shown_as_they_stream() -> None:
    events: list[Event] = []
    entry = calls("generate_md", "look", arguments={"content": "x" * 60})
    reply = await ScriptedModel([entry]).ask(REQUEST, events.append)
    call = reply.message.tool_calls[0]
    shown = [event for event in events if isinstance(event, ToolProgress)]
    assert len(shown) > 1
    assert {event.id for event in shown} == {call.id}
    assert "".join(event.delta or "" for event in shown) == call.arguments


async def test_a_script_that_runs_out_fails_loudly_every_time() -> None:
    model = ScriptedModel(["one"])
    await model.ask(REQUEST, lambda _: None)
    for _ in range(2):
        with pytest.raises(ScriptExhausted, match="1 entries"):
            await model.ask(REQUEST, lambda _: None)
    await model.close()


async def test_the_setting_is_a_script() -> None:
    script = '["hi", {"tool_calls": [{"name": "look", "arguments": {"a": 1}}]}]'
    entries = Settings.model_validate({"debug_mock_responses": script}).debug_mock_responses
    assert entries == (
        "hi",
        ScriptedCalls(tool_calls=(ScriptedCall(name="look", arguments={"a": 1}),)),
    )
    assert (await ScriptedModel(entries).ask(REQUEST, lambda _: None)).message.text == "hi"
