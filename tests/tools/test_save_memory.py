from __future__ import annotations

from collections.abc import Callable

import pytest
from pydantic import ValidationError

from bot.contracts.services import ToolContext
from bot.errors import ToolFailed
from tests.tools.fakes import FakeMemory
from tools.save_memory import SaveMemory, save_memory


async def test_the_fact_is_kept_for_the_persons_account(
    context: ToolContext, memory: FakeMemory
) -> None:
    result = await save_memory(SaveMemory(fact="  Prépare le BEPC  "), context)
    assert memory.saved == [(7, "Prépare le BEPC")]
    assert "Remembered" in result


async def test_a_full_memory_is_told_to_the_model(
    make_context: Callable[..., ToolContext], memory: FakeMemory
) -> None:
    memory.room = 0
    with pytest.raises(ToolFailed, match="full"):
        await save_memory(SaveMemory(fact="Aime les oiseaux"), make_context())


@pytest.mark.parametrize("fact", ["", "   ", "x" * 501])
def test_an_empty_or_endless_fact_is_refused(fact: str) -> None:
    with pytest.raises(ValidationError):
        SaveMemory(fact=fact)
