from __future__ import annotations

from collections.abc import AsyncGenerator
from typing import Any

import pytest
from pydantic import ValidationError

from bot.contracts.services import Budget, CommandResult, ToolContext
from bot.errors import ToolFailed
from bot.settings import Settings
from tests.support.fakes import make_services, tool_context
from tests.support.sandbox import Opened, open_sandbox
from tools.bash_execute import TOOL, BashExecute, bash_execute


class FakeSandbox:
    """Keeps how long commands were given."""

    def __init__(self) -> None:
        self.seconds: list[float] = []

    async def run(self, command: str, *, seconds: float, show: object) -> CommandResult:
        self.seconds.append(seconds)
        return CommandResult("", 0, None, 0.0)


@pytest.fixture
async def sandbox() -> AsyncGenerator[Opened]:
    async with open_sandbox() as opened:
        yield opened


async def execute(sandbox: Any, command: str, **values: Any) -> str:
    services = make_services(sandbox=sandbox)
    context: ToolContext = tool_context(services=services, **values)
    return await bash_execute(BashExecute(command=command), context)


async def test_the_model_reads_what_the_command_said_and_how_it_ended(sandbox: Opened) -> None:
    assert await execute(sandbox, "echo $((6 * 7)); exit 2") == "exit status 2\n42"


async def test_a_long_output_fits_into_four_thousand_characters(sandbox: Opened) -> None:
    result = await execute(sandbox, "seq 100000")
    assert result.startswith("exit status 0\n1\n2\n")
    assert result.endswith("\n99999\n100000")
    assert "truncated" in result
    assert 3_500 < len(result) <= TOOL.max_result == 4_000


@pytest.mark.parametrize("first", ["#!bg", "  #!bg ", "#!bg\r"])
async def test_a_command_in_the_background_is_named_at_once_and_reported_later(
    sandbox: Opened, first: str
) -> None:
    result = await execute(sandbox, f"{first}\necho later", lane="telegram:9", key="k9")
    end = await sandbox.ends.get()
    assert result.startswith(f"{end.id} runs in the background")
    assert (end.lane, end.key, end.command) == ("telegram:9", "k9", "echo later")
    assert end.outcome.output == "later\n"


@pytest.mark.parametrize("command", ["#!bg", "#!bg\n \n"])
async def test_nothing_in_the_background_is_a_mistake(command: str) -> None:
    with pytest.raises(ToolFailed, match="Nothing follows"):
        await execute(None, command)


@pytest.mark.parametrize(
    ("tool_timeout", "left", "seconds"), [(60, 180, 30), (60, 20, 14), (6, 180, 4), (60, 3, 2)]
)
async def test_a_command_is_given_the_time_that_is_left_less_that_for_ending_it(
    tool_timeout: int, left: int, seconds: int
) -> None:
    fake = FakeSandbox()
    settings = Settings.model_validate({"tool_timeout": tool_timeout})
    budget = Budget(seconds=left, usd=1, tool_calls=1, depth=1)
    await execute(fake, "true", settings=settings, left=budget)
    assert fake.seconds == [seconds]


async def test_without_time_nothing_is_started() -> None:
    with pytest.raises(ToolFailed, match="no time left"):
        await execute(None, "true", left=Budget(seconds=0, usd=1, tool_calls=1, depth=1))


@pytest.mark.parametrize("command", ["", "  \n", "a\0b", "x" * 20_001, "\ud83d", 1, ["ls"], None])
def test_what_is_no_command_is_refused_before_anything_runs(command: object) -> None:
    with pytest.raises(ValidationError, match="command"):
        BashExecute.model_validate({"command": command})


def test_only_professionals_have_it() -> None:
    assert TOOL.modes == {"pro"}


def test_a_person_sees_the_first_line_of_what_runs() -> None:
    assert TOOL.detail(BashExecute(command="#!bg\n\n  seq 3 \nls")) == "seq 3"
    assert TOOL.detail(BashExecute(command="#!bg\n")) == ""
