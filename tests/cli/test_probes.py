from __future__ import annotations

import pytest

from bot.cli.probes import probe
from bot.settings import Settings
from tests.standins.telegram import TelegramStandIn


async def find(settings: Settings, name: str) -> tuple[str, str]:
    [found] = [item async for item in probe(settings) if item.name == name]
    return found.level, found.message


async def test_a_token_that_telegram_knows_is_fine(make_settings) -> None:
    async with TelegramStandIn() as telegram:
        settings = make_settings(telegram_bot_token=telegram.token, telegram_api_url=telegram.url)

        assert await find(settings, "Telegram") == ("ok", "knows the token")


async def test_a_token_that_telegram_refuses_is_an_error(make_settings) -> None:
    async with TelegramStandIn() as telegram:
        telegram.fail_next("getMe", 401, "Unauthorized")
        settings = make_settings(telegram_bot_token=telegram.token, telegram_api_url=telegram.url)

        level, message = await find(settings, "TELEGRAM_BOT_TOKEN")

    assert (level, "Unauthorized" in message) == ("error", True)


async def test_telegram_out_of_reach_is_only_a_warning(make_settings) -> None:
    settings = make_settings(
        telegram_bot_token="123456:" + "A" * 35, telegram_api_url="http://127.0.0.1:1"
    )

    assert (await find(settings, "Telegram"))[0] == "warning"


@pytest.mark.blank_database
async def test_an_empty_database_is_made_at_the_first_start(make_settings) -> None:
    level, message = await find(make_settings(), "DATABASE_URL")

    assert (level, message) == ("warning", "reachable, without tables yet")


async def test_the_sandbox_is_tried_out_unless_it_is_not_wanted(make_settings) -> None:
    assert await find(make_settings(), "bash_execute") == ("ok", "its sandbox holds")
    off = make_settings(disabled_tools="bash_execute")
    assert "bash_execute" not in [item.name async for item in probe(off)]
