"""What holds for every tool: a new one joins by being listed, an unlisted file fails."""

from __future__ import annotations

import asyncio
import inspect
import json
import re
import tracemalloc
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import msgspec
import pytest
from pydantic import ValidationError
from sqlmodel import SQLModel

import bot.storage.tables  # noqa: F401 (they register themselves)
import tools
from bot.agent.openai_protocol.request import encode_request
from bot.agent.tool_catalogue import MOST_OFFERED, ToolCatalogue
from bot.agent.toolbox import Toolbox
from bot.agent.turn import Limits, Turn
from bot.app import App, open_app, open_services
from bot.contracts.models import ModelRequest
from bot.contracts.services import Services, ToolContext
from bot.contracts.tools import TOOL_NAME, Tool
from bot.events import ignore
from bot.messages.incoming import Person, Sender
from bot.messages.transcript import SystemMessage, Text, ToolCall, ToolResult, UserMessage
from bot.observability import Metrics
from bot.settings import Settings
from tests.support.channels import make_sms, make_whatsapp
from tests.support.fakes import FakeChannel, FakeModel, MemoryJournal, make_services
from tests.support.queries import add_row, change_rows, count_rows
from tests.support.tool_arguments import AT_ONCE, SAMPLES, Hanging, user_of
from tests.support.waiting import until
from tools import TOOLS

_ASKED = SAMPLES["browse_url"]["url"]
"""What the person wrote: only an address that they wrote is opened."""
every_tool = pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
_WRONG_TYPES = {
    "string": [12, ["a"], {"a": 1}],
    "integer": ["many", "1", [1]],
    "number": ["many", [1]],
    "boolean": ["perhaps", [True]],
    "array": ["a", 12],
    "object": ["a", 12],
}


def test_every_file_in_the_folder_is_listed_under_its_name() -> None:
    files = {path.stem for path in Path(tools.__file__).parent.glob("[!_]*.py")}
    assert files == {tool.name for tool in TOOLS}


def test_no_tool_is_listed_twice() -> None:
    assert len({tool.name for tool in TOOLS}) == len(TOOLS)


@every_tool
def test_file_function_and_tool_share_one_name(tool: Tool[Any]) -> None:
    assert TOOL_NAME.fullmatch(tool.name)
    assert tool.function.__module__ == f"tools.{tool.name}"
    assert tool.arguments.__name__ == "".join(word.title() for word in tool.name.split("_"))
    assert inspect.iscoroutinefunction(tool.function)


@every_tool
def test_the_description_tells_a_model_when_to_use_it_and_when_not(tool: Tool[Any]) -> None:
    assert 80 < len(tool.spec.description) < 1_000
    assert re.search(r"\b(Use it|Use this)\b", tool.spec.description)
    assert re.search(r"\b(Not|Never|never|not)\b", tool.spec.description)


@every_tool
def test_the_schema_is_an_object_whose_fields_are_described(tool: Tool[Any]) -> None:
    schema = tool.spec.parameters
    jsonschema.Draft202012Validator.check_schema(schema)
    assert schema["type"] == "object"
    assert schema["properties"]
    for name, field in schema["properties"].items():
        assert len(field.get("description", "")) > 10, name


@every_tool
def test_the_encoded_entry_is_what_a_chat_completion_takes(tool: Tool[Any]) -> None:
    entry = msgspec.json.decode(tool.spec.encoded)
    assert entry["type"] == "function"
    assert entry["function"]["name"] == tool.name


@every_tool
def test_arguments_of_a_wrong_type_are_refused(tool: Tool[Any]) -> None:
    for name, field in tool.spec.parameters["properties"].items():
        for value in _WRONG_TYPES.get(field.get("type", ""), []):
            with pytest.raises(ValidationError) as refused:
                tool.arguments.model_validate({name: value})
            wrong = {error["loc"][:1] for error in refused.value.errors()}
            assert (name,) in wrong, f"{name} takes {value!r}: make the field strict"


@every_tool
def test_an_unknown_extra_argument_is_ignored(tool: Tool[Any]) -> None:
    wrong: set[int | str] = set()
    try:
        tool.arguments.model_validate({"surely_unknown": 1})
    except ValidationError as refused:
        wrong = {error["loc"][0] for error in refused.errors()}
    assert wrong == set(tool.spec.parameters.get("required", ()))


@every_tool
def test_who_may_how_long_and_how_much_are_set(tool: Tool[Any]) -> None:
    assert tool.modes
    assert set(tool.modes) <= {"child", "pro"}  # a guest has no mode of its own, and no tools
    assert tool.effect in {"read", "repeatable", "once"}
    assert 0 < tool.timeout <= 60
    assert 0 < tool.max_result <= 16_000


@every_tool
def test_people_see_a_short_line_while_it_runs(tool: Tool[Any]) -> None:
    assert re.fullmatch(r"[A-Z].{3,38}…", tool.label)


# Through the toolbox ----------------------------------------------------------------------------

_HUGE = 2_000_000
_MOST_MEMORY = 32_000_000
"""Bytes; what is as huge as that is held a few times on its way, never once for each tool."""
_GUEST = Person("telegram", "43", language="fr")


def settings_for(tool: Tool[Any] | None = None, **values: object) -> Settings:
    """Settings with which there is such a tool."""
    planning = tool is not None and not tool.enabled(Settings.model_validate({}))
    return Settings.model_validate({"planner_mode": planning} | values)


def toolbox_of(
    settings: Settings, services: Services | None = None, *instead: Tool[Any]
) -> Toolbox:
    """The toolbox with all our tools, or with these instead."""
    catalogue = ToolCatalogue(instead or TOOLS, (), settings)
    return Toolbox(catalogue, settings, services or make_services(), Metrics())


def turn_of(person: Person) -> Turn:
    return Turn(
        id=1,
        lane="telegram:42",
        person=person,
        messages=[SystemMessage("You are Griot."), UserMessage((Text(_ASKED),))],
        limits=Limits(iterations=10, seconds=180.0, usd=0.5, tool_calls=40),
        journal=MemoryJournal(),
        emit=ignore,
    )


async def run(toolbox: Toolbox, tool: Tool[Any], person: Person, arguments: str = "") -> ToolResult:
    """The result of a call, always under the same key."""
    turn = turn_of(person)
    given = arguments or json.dumps(SAMPLES[tool.name])
    await toolbox.execute_all([ToolCall("c1", tool.name, given)], turn)
    [result] = [message for message in turn.messages if isinstance(message, ToolResult)]
    return result


def test_every_tool_has_its_sample() -> None:
    assert set(SAMPLES) == {tool.name for tool in TOOLS}, "SAMPLES: tests/support/tool_arguments.py"


@every_tool
def test_the_sample_is_a_right_call(tool: Tool[Any]) -> None:
    tool.arguments.model_validate(SAMPLES[tool.name])


# Who may ----------------------------------------------------------------------------------------


def person_in(mode: str) -> Person:
    if mode == "guest":
        return _GUEST
    return Person("telegram", "42", account=7, mode="pro" if mode == "pro" else "child")


@pytest.mark.parametrize("mode", ["child", "pro", "guest"])
def test_the_model_is_told_of_the_tools_of_the_mode_and_no_others(mode: str) -> None:
    settings, turn = settings_for(), turn_of(person_in(mode))
    allowed = {tool.name for tool in TOOLS if mode in tool.modes and tool.enabled(settings)}
    assert len(allowed) <= MOST_OFFERED, (
        f"{mode} has {len(allowed)} tools: of more than {MOST_OFFERED} the model is told of those"
        " nearest to the request only; leave one out of this mode, or raise MOST_OFFERED"
    )
    offered = toolbox_of(settings).offer(turn)
    request = ModelRequest(turn.messages, offered)
    body = msgspec.json.decode(encode_request(request, model="m", endpoint="e", images={}))
    told = [entry["function"]["name"] for entry in body.get("tools", [])]
    assert sorted(told) == sorted(allowed)


@pytest.mark.parametrize(
    ("tool", "mode"),
    [(tool, mode) for tool in TOOLS for mode in sorted({"child", "pro", "guest"} - tool.modes)],
    ids=lambda each: each if isinstance(each, str) else each.name,
)
async def test_who_may_not_use_it_is_refused_though_the_model_names_it(
    tool: Tool[Any], mode: str
) -> None:
    result = await run(toolbox_of(settings_for(tool), Hanging().services), tool, person_in(mode))
    assert result.is_error
    assert result.text.startswith(f"There is no tool {tool.name!r} here.")


@every_tool
async def test_what_the_operator_switched_off_is_refused_though_the_model_names_it(
    tool: Tool[Any],
) -> None:
    settings = settings_for(tool, disabled_tools=tool.name)
    result = await run(toolbox_of(settings, Hanging().services), tool, user_of(tool))
    assert result.is_error
    assert result.text.startswith(f"There is no tool {tool.name!r} here.")


# How long ---------------------------------------------------------------------------------------


@pytest.fixture
async def hanging() -> AsyncIterator[tuple[Hanging, dict[str, object]]]:
    """Services that never answer, and the settings under which the web does not either."""
    services = Hanging()
    server = await asyncio.start_server(services.serve, "127.0.0.1", 0)
    url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    yield services, {"searxng_url": url, "jina_url": url}
    server.close()
    await server.wait_closed()


_AT_ONCE = "a tool that waits for nothing is in AT_ONCE (tests/support/tool_arguments.py)"
waiting_tools = pytest.mark.parametrize(
    "tool", [tool for tool in TOOLS if tool.name not in AT_ONCE], ids=lambda tool: tool.name
)


@waiting_tools
async def test_one_that_takes_too_long_becomes_a_result_and_its_work_is_cancelled(
    tool: Tool[Any], hanging: tuple[Hanging, dict[str, object]]
) -> None:
    services, web = hanging
    settings = settings_for(tool, tool_timeout=0.3, **web)
    result = await run(toolbox_of(settings, services.services), tool, user_of(tool))
    assert result.text == f"{tool.name} took longer than 0.3 s and was stopped.", _AT_ONCE
    assert result.is_error
    await until(lambda: _is(services.cancelled == 1))


@waiting_tools
async def test_a_cancellation_passes_through(
    tool: Tool[Any], hanging: tuple[Hanging, dict[str, object]]
) -> None:
    services, web = hanging
    toolbox = toolbox_of(settings_for(tool, **web), services.services)
    running = asyncio.create_task(run(toolbox, tool, user_of(tool)))
    begun = asyncio.create_task(services.begun.wait())
    await asyncio.wait((running, begun), return_when=asyncio.FIRST_COMPLETED)
    if running.done():
        begun.cancel()
        pytest.fail(f"{running.exception() or running.result()}: {_AT_ONCE}")
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    await until(lambda: _is(services.cancelled == 1))


async def _is(condition: bool) -> bool:
    return condition


# How much ---------------------------------------------------------------------------------------


@every_tool
async def test_a_result_that_is_too_long_is_cut_and_says_so(tool: Tool[Any]) -> None:
    async def flood(args: Any, context: ToolContext) -> str:
        return "x" * 1_000_000

    flood.__name__ = tool.name
    flooding = replace(tool, function=flood)
    result = await run(toolbox_of(settings_for(tool), None, flooding), flooding, user_of(tool))
    assert len(result.text) == tool.max_result
    assert "truncated" in result.text[-100:]


def _huge_calls(tool: Tool[Any]) -> Iterator[dict[str, Any]]:
    """The sample with one of its arguments as huge as no right one is."""
    for name, field in tool.spec.parameters["properties"].items():
        match field.get("type"):
            case "string":
                yield {**SAMPLES[tool.name], name: "x" * _HUGE}
            case "array":
                yield {**SAMPLES[tool.name], name: ["x" * _HUGE]}
                yield {**SAMPLES[tool.name], name: ["x"] * (_HUGE // 5)}
            case _:
                yield {**SAMPLES[tool.name], name: "x" * _HUGE}


@every_tool
async def test_a_huge_argument_gets_a_clear_answer_and_little_memory(tool: Tool[Any]) -> None:
    toolbox = toolbox_of(settings_for(tool), Hanging().services)
    for arguments in _huge_calls(tool):
        given = json.dumps(arguments)
        tracemalloc.start()
        result = await run(toolbox, tool, user_of(tool), given)
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert result.is_error
        assert result.text.startswith("Wrong arguments."), result.text[:200]
        assert len(result.text) <= 4_000
        assert peak < _MOST_MEMORY


# Once a key -------------------------------------------------------------------------------------

repeatable_tools = pytest.mark.parametrize(
    "tool", [tool for tool in TOOLS if tool.effect == "repeatable"], ids=lambda tool: tool.name
)


@asynccontextmanager
async def opened(settings: Settings) -> AsyncGenerator[tuple[App, Services, int]]:
    """A app with its real services, and the account of somebody who has all that tools use."""
    telegram = FakeChannel()
    telegram.capabilities = replace(telegram.capabilities, invoices=True)
    channels = [telegram, make_sms(), make_whatsapp()]
    async with (
        open_app(settings, more=channels) as app,
        open_services(app, FakeModel()) as services,
    ):
        sender = Sender("42", "Awa", "fr")
        person = await app.database.write(
            lambda tx: app.people.log_in(tx, "telegram", sender, "+2250701020304")
        )
        await add_row(app.database, "lane", id="telegram:42")
        await change_rows(app.database, "account", {"email": "awa@example.org"})
        yield app, services, person.account or 0


async def count_all(app: App, folder: Path) -> dict[str, int]:
    """Rows of every table, and files."""
    counts = {name: await count_rows(app.database, name) for name in SQLModel.metadata.tables}
    stored = await asyncio.to_thread(lambda: sum(path.is_file() for path in folder.rglob("*")))
    return counts | {"files": stored}


@repeatable_tools
async def test_the_same_key_twice_has_one_effect(
    tool: Tool[Any], make_settings: Callable[..., Settings], tmp_path: Path
) -> None:
    settings = make_settings(smtp_url="smtp://127.0.0.1:1", mail_from="griot@example.org")
    async with opened(settings) as (app, services, account):
        toolbox, person = toolbox_of(settings, services), user_of(tool, account)
        before = await count_all(app, tmp_path / "files")
        first = await run(toolbox, tool, person)
        assert not first.is_error, first.text
        once = await count_all(app, tmp_path / "files")
        assert once != before or tool.name == "bash_execute"  # that one leaves nothing behind
        again = await run(toolbox, tool, person)
        assert again == first
        assert await count_all(app, tmp_path / "files") == once


# What others are told ---------------------------------------------------------------------------


@every_tool
def test_the_documentation_has_a_line_for_it(tool: Tool[Any]) -> None:
    page = Path(tools.__file__).parent.parent / "docs" / "tools.md"
    lines = [line for line in page.read_text().splitlines() if f"| `{tool.name}` |" in line]
    assert len(lines) == 1, "docs/tools.md"
    [line] = lines
    cells = [cell.strip() for cell in line.strip("|").split("|")]
    assert all(cells)
    assert cells[1] == ", ".join(sorted(tool.modes))
    assert cells[2] == tool.effect


def test_the_documentation_names_no_tool_that_there_is_not() -> None:
    page = Path(tools.__file__).parent.parent / "docs" / "tools.md"
    named = re.findall(r"^\| `(\w+)` \|", page.read_text(), re.MULTILINE)
    assert named == [tool.name for tool in TOOLS]


_UNKNOWN_TO_OPENAI = {
    "allOf", "oneOf", "not", "if", "then", "else", "dependentRequired", "dependentSchemas",
    "patternProperties", "prefixItems", "unevaluatedProperties", "propertyNames", "contains",
}  # fmt: skip
"""What https://platform.openai.com/docs/guides/structured-outputs leaves out of its schemas."""


def _look_through(schema: Mapping[str, Any], defs: Mapping[str, Any], depth: int) -> Iterator[str]:
    """What OpenAI would refuse in it, and that also where `strict` was asked for."""
    if reference := schema.get("$ref"):
        name = str(reference).removeprefix("#/$defs/")
        if name not in defs:
            yield f"{reference} leads nowhere"
            return
        schema = defs[name]
    yield from (f"{key} is not supported" for key in _UNKNOWN_TO_OPENAI & set(schema))
    if depth > 10:
        yield "nested too deeply"
        return
    if schema.get("type") == "array" and "items" not in schema:
        yield "array without items"
    if "type" not in schema and "anyOf" not in schema and "enum" not in schema:
        yield "no type"
    if set(schema.get("required", ())) - set(schema.get("properties", {})):
        yield "requires what it does not have"
    below = [*schema.get("properties", {}).values(), *schema.get("anyOf", ())]
    below += [schema["items"]] if "items" in schema else []
    for each in below:
        yield from _look_through(each, defs, depth + 1)


@every_tool
def test_the_entry_as_it_is_sent_keeps_the_rules_of_openai(tool: Tool[Any]) -> None:
    request = ModelRequest([UserMessage((Text("x"),))], [tool.spec])
    sent = msgspec.json.decode(encode_request(request, model="m", endpoint="e", images={}))
    [entry] = sent["tools"]
    assert set(entry) == {"type", "function"}
    function = entry["function"]
    assert set(function) == {"name", "description", "parameters"}
    assert re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", function["name"])
    assert len(function["description"]) <= 1_024
    parameters = function["parameters"]
    assert parameters["type"] == "object"
    assert not {"anyOf", "enum", "oneOf", "allOf", "not"} & set(parameters)
    assert list(_look_through(parameters, parameters.get("$defs", {}), 1)) == []
