from __future__ import annotations

import pytest

from bot.cli.checks import check
from bot.settings import Settings

TOKEN = "123456:" + "A" * 35


def complaints(**values: object) -> list[tuple[str, str]]:
    sound = {"secret_key": "x", "openai_api_key": "x", "tavily_api_key": "x"}
    found = check(Settings.model_validate(sound | values))
    return [(item.level, item.name) for item in found if item.level != "ok"]


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ({}, []),
        ({"secret_key": ""}, [("error", "SECRET_KEY")]),
        ({"openai_api_key": ""}, [("error", "OPENAI_API_KEY")]),
        ({"openai_api_key": "", "openai_base_url": "http://127.0.0.1:11434/v1"}, []),
        ({"openai_api_key": "", "debug_mock_responses": "[]"}, []),
        ({"model": "nobody-knows-it"}, [("warning", "MODEL")]),
        ({"tavily_api_key": ""}, [("warning", "web search")]),
        ({"tavily_api_key": "", "disabled_tools": "web_search"}, []),
        ({"disabled_tools": "wev_search"}, [("warning", "DISABLED_TOOLS")]),
        ({"redis_url": "redis://x"}, [("warning", "DATABASE_URL")]),
        ({"redis_url": "redis://x", "database_url": "postgresql://x/y"}, []),
        ({"public_url": "http://griot.example"}, [("warning", "PUBLIC_URL")]),
    ],
)
def test_what_is_missing_or_cannot_work_is_named(
    values: dict[str, object], expected: list[tuple[str, str]]
) -> None:
    assert complaints(**values) == expected


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ({}, []),
        ({"telegram_bot_token": "12:short"}, [("error", "TELEGRAM_BOT_TOKEN")]),
        ({"public_url": "https://griot.example"}, [("error", "TELEGRAM_WEBHOOK_SECRET")]),
        (
            {"public_url": "https://griot.example", "telegram_webhook_secret": "white space"},
            [("error", "TELEGRAM_WEBHOOK_SECRET")],
        ),
        ({"public_url": "https://griot.example", "telegram_webhook_secret": "s-1_x"}, []),
        (
            {"public_url": "http://griot.example", "telegram_webhook_secret": "s"},
            [("warning", "PUBLIC_URL"), ("error", "PUBLIC_URL")],
        ),
    ],
)
def test_telegram_needs_what_its_way_of_receiving_needs(
    values: dict[str, object], expected: list[tuple[str, str]]
) -> None:
    assert complaints(**{"telegram_bot_token": TOKEN} | values) == expected


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ({"twilio_account_sid": "AC1"}, [("error", "Twilio")]),
        ({"twilio_sms_from": "+1"}, [("error", "Twilio")]),
        ({"twilio_account_sid": "AC1", "twilio_auth_token": "t"}, [("error", "Twilio")]),
        (
            {"twilio_account_sid": "AC1", "twilio_auth_token": "t", "twilio_sms_from": "+1"},
            [],
        ),
        ({"whatsapp_token": "t"}, [("error", "WhatsApp")]),
        ({"smtp_url": "smtp://x"}, [("error", "mail")]),
        ({"stripe_secret_key": "t"}, [("error", "Stripe")]),
        ({"paystack_secret_key": "t"}, []),
    ],
)
def test_settings_that_need_each_other_come_together(
    values: dict[str, object], expected: list[tuple[str, str]]
) -> None:
    assert complaints(**{"public_url": "https://griot.example"} | values) == expected


def test_who_calls_us_back_needs_to_know_where() -> None:
    assert complaints(paystack_secret_key="t") == [("error", "Paystack")]
