from __future__ import annotations

import json

from tests.cli.terminal import Run


def test_disabled_tools_are_marked(griot: Run) -> None:
    found = json.loads(griot("tools", "--json", DISABLED_TOOLS="web_search").stdout)

    assert [tool["name"] for tool in found if tool["disabled"]] == ["web_search"]
    assert {"save_memory", "interactive_quiz"} <= {tool["name"] for tool in found}


def test_models_are_listed_with_their_prices_and_without_keys(griot: Run) -> None:
    fallback = {"base_url": "http://user:hidden@localhost/v1", "api_key": "hidden", "model": "qwen"}

    listed = griot(
        "models", "--json", OPENAI_API_KEY="hidden", MODEL_FALLBACKS=json.dumps([fallback])
    ).stdout

    primary, other = json.loads(listed)
    assert (primary["model"], primary["has_key"], primary["usd_in"]) == ("gpt-4o-mini", True, 0.15)
    assert (other["role"], other["base_url"]) == ("fallback 1", "http://localhost/v1")
    assert "hidden" not in listed
