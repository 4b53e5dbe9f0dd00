"""A plan that waits for consent waits through `kill -9`, and goes on in another process."""

from __future__ import annotations

import json

import pytest

from bot.app import open_app
from bot.contracts.storage import Database
from bot.settings import Settings
from tests.support.cluster import Cluster
from tests.support.queries import read_row
from tests.support.site import chat_over_http

pytestmark = pytest.mark.chaos
PLANNING = json.dumps(
    [
        {"tool_calls": [{"name": "enter_plan_mode", "arguments": {"goal": "A sheet"}}]},
        {"tool_calls": [{"name": "exit_plan_mode", "arguments": {"plan": "1. Write it."}}]},
    ]
)
DOING = json.dumps(
    [
        {
            "tool_calls": [
                {"name": "generate_md", "arguments": {"filename": "s.md", "content": "# Sheet"}}
            ]
        },
        "Here is your sheet.",
    ]
)


async def test_a_plan_is_approved_after_the_process_that_asked_was_killed(
    cluster: Cluster, database: Database
) -> None:
    first = await cluster.start("serve", PLANNER_MODE=True, DEBUG_MOCK_RESPONSES=PLANNING)
    token = await _token(cluster)
    asked = await chat_over_http(first.url, token, {"message": "a sheet, please"})
    approval = next(fields for name, fields in asked if name == "awaiting_approval")
    assert approval["text"] == "1. Write it."
    assert asked[-1] == ("end", {"reason": "awaiting_approval"})
    first.kill()
    second = await cluster.start("serve", PLANNER_MODE=True, DEBUG_MOCK_RESPONSES=DOING)
    decision = {"id": approval["id"], "choice": "approve"}
    done = await chat_over_http(second.url, token, {"decision": decision})
    assert "file" in [name for name, _ in done]
    assert done[-1] == ("end", {"reason": "answered"})
    row = await read_row(database, "approval")
    assert row["state"] == "approved"


async def _token(cluster: Cluster) -> str:
    """A bearer token of a person with credits, issued beside the processes."""
    values = {name.lower(): value for name, value in cluster.settings.items()}
    async with open_app(Settings.model_validate(values)) as app:
        return await app.people.issue_token("+2250701020304")
