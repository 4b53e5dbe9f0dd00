from __future__ import annotations

from typing import Any

import pytest

from bot.contracts.services import CommandResult
from bot.sandbox.command_run import describe_result


@pytest.mark.parametrize(
    ("values", "first"),
    [
        ({"status": 0}, "exit status 0"),
        ({"status": 137}, "exit status 137"),
        ({"stopped": "time"}, "stopped after 30 s: that was all the time it had"),
        ({"stopped": "output"}, "stopped: it said too much; let it say less"),
        ({"stopped": "memory"}, "stopped: there was too little memory left; let it use less"),
        ({"stopped": "shutdown"}, "stopped: the service restarts; it may be started again"),
    ],
    ids=lambda value: value if isinstance(value, str) else "-".join(map(str, value.values())),
)
def test_the_first_line_says_how_it_ended(values: dict[str, Any], first: str) -> None:
    usual: dict[str, Any] = {"output": "said\n", "status": None, "stopped": None, "seconds": 30.02}
    assert describe_result(CommandResult(**(usual | values))) == f"{first}\nsaid"


def test_it_fits_into_what_a_model_is_given_of_it() -> None:
    assert len(describe_result(CommandResult("x" * 3_800, None, "memory", 1.0))) <= 4_000
