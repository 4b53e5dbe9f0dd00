"""Which tools a model is told of."""

from __future__ import annotations

from collections.abc import Callable

import msgspec
import pytest

from bot.agent.tool_catalogue import ToolCatalogue
from bot.agent.turn import Turn
from bot.messages.transcript import Text, UserMessage
from bot.settings import Settings
from tests.support.noting_tools import PUPIL
from tools import TOOLS

MakeTurn = Callable[..., Turn]


def offered(make_turn: MakeTurn, window: int, text: str = "hello") -> list[str]:
    settings = Settings.model_validate(
        {"model": "m", "model_capabilities": f'{{"m": {{"context_window": {window}}}}}'}
    )
    turn = make_turn()
    turn.messages[-1] = UserMessage((Text(text),))
    return [spec.name for spec in ToolCatalogue(TOOLS, (), settings).offer(turn)]


@pytest.mark.parametrize("window", [20_000, 128_000])
def test_a_model_with_room_is_told_of_all(make_turn: MakeTurn, window: int) -> None:
    usual = Settings.model_validate({})
    allowed = [tool.name for tool in TOOLS if "child" in tool.modes and tool.enabled(usual)]
    assert offered(make_turn, window) == allowed


def test_where_all_would_fill_half_of_the_window_it_is_told_of_those_that_fit_the_request(
    make_turn: MakeTurn,
) -> None:
    few = offered(make_turn, 8_000, "cherche le cours du cacao sur le web")
    assert "web_search" in few
    assert len(few) <= 10


def test_in_a_group_private_tools_are_left_out(make_turn: MakeTurn) -> None:
    catalogue = ToolCatalogue(TOOLS, (), Settings.model_validate({}))
    people = [msgspec.structs.replace(PUPIL, mode=mode) for mode in ("child", "pro")]
    groups = [msgspec.structs.replace(person, in_group=True) for person in people]
    alone, together = (
        {name for each in several for name in catalogue.tools_for(make_turn(each))}
        for several in (people, groups)
    )
    assert alone - together == {
        "draft_email",
        "list_user_files",
        "save_memory",
        "search_user_files",
        "send_email_to_user",
        "send_sms_to_user",
        "send_whatsapp_to_user",
    }
    assert together < alone
