from __future__ import annotations

import json
import re
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

import bot
from bot.billing.providers import PROVIDERS
from bot.checks.settings import check_message_prices, check_settings, refuse_broken_settings
from bot.errors import SettingsError
from bot.gateway.delivery.message_costs import get_table_date
from bot.settings import Settings

TOKEN = "123456:" + "A" * 35
SECRET = "q4Wm-8sVx2LrTz0KpYb6NcEh"


def complaints(**values: object) -> list[tuple[str, str]]:
    sound = {"secret_key": SECRET, "openai_api_key": "x", "tavily_api_key": "x"}
    found = check_settings(Settings.model_validate(sound | values), today=get_table_date)
    return [(item.level, item.name) for item in found if item.level != "ok"]


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ({}, []),
        ({"secret_key": ""}, [("error", "SECRET_KEY")]),
        ({"secret_key": "x"}, [("warning", "SECRET_KEY")]),
        ({"openai_api_key": ""}, [("error", "OPENAI_API_KEY")]),
        ({"openai_api_key": "", "openai_base_url": "http://127.0.0.1:11434/v1"}, []),
        ({"openai_api_key": "", "debug_mock_responses": "[]"}, []),
        ({"operator_token": "secret"}, [("warning", "OPERATOR_TOKEN")]),
        ({"operator_token": "ababababababababababababab"}, [("warning", "OPERATOR_TOKEN")]),
        ({"operator_token": SECRET}, []),
        ({"model": "nobody-knows-it"}, [("warning", "MODEL")]),
        ({"tavily_api_key": ""}, []),
        ({"tavily_api_key": "", "disabled_tools": "web_search"}, []),
        ({"disabled_tools": "wev_search"}, [("error", "DISABLED_TOOLS")]),
        ({"redis_url": "redis://x"}, [("warning", "DATABASE_URL")]),
        ({"secret_key_previous": "y"}, []),
        ({"secret_key_previous": SECRET}, [("warning", "SECRET_KEY_PREVIOUS")]),
        ({"redis_url": "redis://x", "database_url": "postgresql://x/y"}, []),
        ({"public_url": "http://griot.example"}, [("warning", "PUBLIC_URL")]),
        ({"public_url": "https://griot.example"}, []),
        (
            {"public_url": "https://griot.example", "host": "0.0.0.0"},
            [("warning", "TRUSTED_PROXIES")],
        ),
        (
            {
                "public_url": "https://griot.example",
                "host": "0.0.0.0",
                "trusted_proxies": "10.0.0.0/8",
            },
            [],
        ),
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
        ({"aws_access_key_id": "t"}, [("error", "S3 keys")]),
        ({"aws_access_key_id": "t", "aws_secret_access_key": "t"}, []),
    ],
)
def test_settings_that_need_each_other_come_together(
    values: dict[str, object], expected: list[tuple[str, str]]
) -> None:
    assert complaints(**{"public_url": "https://griot.example"} | values) == expected


ACCOUNT = {"twilio_account_sid": "AC1", "twilio_auth_token": "t"}
VERIFY = {"twilio_verify_service_sid": "VA" + "0a" * 16}


TWILIO = {"twilio_account_sid": "AC" + "0" * 32, "twilio_auth_token": "x"}
META = {
    "whatsapp_token": "x",
    "whatsapp_phone_number_id": "1",
    "whatsapp_app_secret": "x",
    "whatsapp_verify_token": "x",
}


@pytest.mark.parametrize(
    ("values", "is_sender"),
    [
        (TWILIO | {"twilio_sms_from": "+15005550006"}, True),
        (TWILIO | {"twilio_sms_from": "36777"}, True),
        (TWILIO | {"twilio_sms_from": "GRIOT"}, True),
        (TWILIO | {"twilio_sms_from": "Griot_CI-2"}, True),
        (TWILIO | {"twilio_sms_from": "GRIOTGRIOTGRIOT"}, False),
        (TWILIO | {"twilio_sms_from": "Griot é"}, False),
        (TWILIO | {"twilio_sms_from": "+1 500 555 0006"}, False),
        (TWILIO | {"twilio_sms_from": "0701020304"}, False),  # a number without its calling code
        (TWILIO | {"twilio_whatsapp_from": "+15005550006"}, True),
        (TWILIO | {"twilio_whatsapp_from": "whatsapp:+15005550006"}, True),
        (TWILIO | {"twilio_whatsapp_from": "griot"}, False),
        (META | {"whatsapp_template": "news:fr"}, True),
        (META | {"whatsapp_template": "news"}, False),
    ],
)
def test_a_sender_from_which_nothing_could_be_sent_is_named(
    values: dict[str, object], is_sender: bool
) -> None:
    found = complaints(public_url="https://griot.example", **values)
    [name] = [name.upper() for name in values if name.endswith(("_from", "_template"))]
    assert found == ([] if is_sender else [("error", name)])


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (ACCOUNT | VERIFY, []),
        (VERIFY, [("error", "TWILIO_VERIFY_SERVICE_SID")]),
        (
            ACCOUNT | {"twilio_verify_service_sid": "MG1"},
            [("warning", "TWILIO_VERIFY_SERVICE_SID")],
        ),
        (ACCOUNT | VERIFY | {"twilio_sms_from": "+1"}, [("error", "Twilio")]),  # no PUBLIC_URL
    ],
)
def test_codes_by_a_service_need_an_account_there_and_no_channel(
    values: dict[str, object], expected: list[tuple[str, str]]
) -> None:
    assert complaints(**values) == expected


@pytest.mark.parametrize("entry", PROVIDERS, ids=lambda entry: entry.module)
def test_a_payment_provider_is_complete_with_what_opens_it(entry: Any) -> None:
    values = dict.fromkeys(entry.needed, "x")
    assert complaints(public_url="https://griot.example", **values) == []
    said = [level for level, _ in complaints(**values)]
    assert said == ["error"], f"{entry.module} has no Group in bot/checks/settings.py"
    for left_out in entry.needed[1:]:
        half = {name: "x" for name in entry.needed if name != left_out}
        assert [level for level, _ in complaints(public_url="https://griot.example", **half)] == [
            "error"
        ]


@pytest.mark.parametrize(("price", "expected"), [(500, []), (502, [("warning", "PACKS")])])
def test_a_price_that_cinetpay_does_not_take_is_named(
    price: int, expected: list[tuple[str, str]]
) -> None:
    packs = json.dumps([{"fcfa": price, "credits": 100}])
    keys = dict.fromkeys(("cinetpay_api_key", "cinetpay_site_id", "cinetpay_secret_key"), "x")
    assert complaints(public_url="https://griot.example", packs=packs, **keys) == expected
    assert complaints(packs=packs) == []


@pytest.mark.parametrize(("price", "expected"), [(502, []), (99, [("warning", "PACKS")])])
def test_cinetpays_newer_api_takes_other_prices(
    price: int, expected: list[tuple[str, str]]
) -> None:
    packs = json.dumps([{"fcfa": price, "credits": 100}])
    keys = dict.fromkeys(("cinetpay_api_key", "cinetpay_api_password"), "x")
    assert complaints(public_url="https://griot.example", packs=packs, **keys) == expected


def test_keys_of_both_of_cinetpays_apis_are_too_many() -> None:
    keys = ("cinetpay_api_key", "cinetpay_api_password", "cinetpay_site_id", "cinetpay_secret_key")
    assert complaints(public_url="https://griot.example", **dict.fromkeys(keys, "x")) == [
        ("warning", "CINETPAY_SITE_ID")
    ]


@pytest.mark.parametrize(
    ("values", "later", "expected"),
    [
        ({}, 0, []),
        ({"twilio_sms_from": "+1"}, 366, [("ok", "WHATSAPP_PRICES"), ("ok", "SMS_PRICES")]),
        (
            {"twilio_sms_from": "+1"},
            367,
            [("warning", "WHATSAPP_PRICES"), ("warning", "SMS_PRICES")],
        ),
        (
            {"orange_client_id": "x", "whatsapp_prices": '{"*": {"service": 0.1}}'},
            999,
            [("warning", "SMS_PRICES")],
        ),
        (
            {
                "whatsapp_phone_number_id": "1",
                "whatsapp_prices": '{"*": {"service": 0.1}}',
                "sms_prices": '{"*": 0.1}',
            },
            999,
            [],
        ),
    ],
)
def test_an_old_table_of_prices_is_named_where_it_is_used(
    values: dict[str, Any], later: int, expected: list[tuple[str, str]]
) -> None:
    settings = Settings.model_validate(values)
    today = get_table_date() + timedelta(days=later)
    found = list(check_message_prices(settings, lambda: today))
    assert [(each.level, each.name) for each in found] == expected
    assert all(str(get_table_date()) in each.message for each in found)


def test_a_category_that_is_not_known_may_be_priced_and_is_pointed_out() -> None:
    values = {"twilio_whatsapp_from": "+1", "whatsapp_prices": '{"*": {"servise": 0.004}}'}
    settings = Settings.model_validate(values)
    [found, *_] = check_message_prices(settings, get_table_date)
    assert (found.level, found.name) == ("warning", "WHATSAPP_PRICES")
    assert "servise" in found.message
    assert "known are service, utility, " in found.advice


TWILIO = {"twilio_account_sid": "AC1", "twilio_auth_token": "t", "twilio_sms_from": "+1"}


def test_who_calls_us_back_needs_to_know_where() -> None:
    assert complaints(**TWILIO) == [("error", "Twilio")]


ORANGE = {"orange_client_id": "i", "orange_client_secret": "s"}
AFRICASTALKING = {"africastalking_username": "u", "africastalking_api_key": "k"}


def route(**providers: str) -> dict[str, object]:
    """`_225="orange"`; `_` alone is for all other numbers."""
    return {
        "sms_routes": json.dumps({name[1:] or "*": each for name, each in providers.items()}),
        "public_url": "https://griot.example",
    }


def test_what_cannot_be_answered_needs_an_address() -> None:
    def find(**values: object) -> list[str]:
        settings = Settings.model_validate(values)
        return [str(item) for item in check_settings(settings) if "SMS_ONE_WAY" in str(item)]

    [fine] = find(**ORANGE, **route(_225="orange"))
    assert "BF, CD, CG, CI, GM, GN, ST" in fine
    [warned] = find(**ORANGE, **route(_225="orange") | {"public_url": None})
    assert "neither options nor links" in warned
    assert find(public_url="https://griot.example") == []


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (TWILIO | ORANGE | route(_225="orange", _="twilio"), []),
        (ORANGE | route(_225="orange"), []),
        (ORANGE | route(_22507="orange", _2="orange"), []),
        (AFRICASTALKING | route(_="africastalking"), []),
        (route(_="twilio"), [("error", "SMS_ROUTES")]),
        (TWILIO | route(_225="orange", _="twilio"), [("error", "SMS_ROUTES")]),
        (ORANGE | route(_225="orange", _="twilio"), [("error", "SMS_ROUTES")]),
        (
            ORANGE | {"public_url": "https://griot.example"},
            [("error", "SMS_ROUTES"), ("warning", "SMS_ROUTES")],
        ),
        (TWILIO | AFRICASTALKING | route(_="twilio"), [("warning", "SMS_ROUTES")]),
        (ORANGE | route(_221="orange"), [("warning", "SMS_ROUTES")]),
        (
            ORANGE | route(_225="orange") | {"public_url": None},
            [("warning", "Orange")],
        ),
        ({"orange_client_id": "i"}, [("error", "Orange")]),
        ({"africastalking_api_key": "k"}, [("error", "Africa's Talking")]),
    ],
)
def test_routes_of_sms_lead_to_what_is_set_up(
    values: dict[str, object], expected: list[tuple[str, str]]
) -> None:
    assert complaints(**values) == expected


def test_the_address_of_a_webhook_that_nobody_signs_ends_in_its_key() -> None:
    settings = Settings.model_validate(
        ORANGE | AFRICASTALKING | {"secret_key": SECRET, "public_url": "https://griot.example"}
    )
    found = {item.name: item.message for item in check_settings(settings)}
    for name, provider in (("Orange", "orange"), ("Africa's Talking", "africastalking")):
        [key] = settings.list_webhook_keys(provider)
        assert len(key) == 32
        assert found[name].endswith(f"https://griot.example/webhooks/{provider}/{key}")


MAIL = {"smtp_url": "smtp://x", "mail_from": "Griot <griot@example.org>"}


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (MAIL, []),
        (MAIL | {"operator_email": "a@example.org, b@example.org"}, []),
        (MAIL | {"smtp_url": "http://u:hidden@x"}, [("error", "SMTP_URL")]),
        (MAIL | {"mail_from": "griot"}, [("error", "MAIL_FROM")]),
        (MAIL | {"operator_email": "nobody"}, [("error", "OPERATOR_EMAIL")]),
        ({"operator_email": "a@example.org"}, [("warning", "OPERATOR_EMAIL")]),
        ({"operator_whatsapp": "+2250700000001, +33600000002"}, []),
        ({"operator_whatsapp": "0700000001"}, [("error", "OPERATOR_WHATSAPP")]),
    ],
)
def test_mail_and_operators_are_looked_through(
    values: dict[str, object], expected: list[tuple[str, str]]
) -> None:
    assert complaints(**values) == expected


def test_every_setting_is_read_somewhere() -> None:
    """One that nothing comes of would only mislead."""
    root = Path(bot.__file__).parent.parent
    sources = [
        file for part in ("bot", "adapters", "tools") for file in (root / part).rglob("*.py")
    ]
    code = "\n".join(file.read_text() for file in sources)
    names = Settings.model_fields
    unread = [name for name in names if not re.search(rf"[sS]ettings\.{name}\b", code)]
    assert unread == [], "no code reads `settings.NAME`"


# Before serving ---------------------------------------------------------------------------------

ADDRESS = {"public_url": "https://griot.example"}


@pytest.mark.parametrize(
    ("values", "line"),
    [
        ({"telegram_bot_token": "hidden"}, "TELEGRAM_BOT_TOKEN: does not have the form"),
        (ADDRESS | {"telegram_bot_token": TOKEN}, "TELEGRAM_WEBHOOK_SECRET: "),
        (
            ADDRESS | {"telegram_bot_token": TOKEN, "telegram_webhook_secret": "no spaces"},
            "TELEGRAM_WEBHOOK_SECRET: ",
        ),
        (MAIL | {"smtp_url": "smtp:/hidden"}, "SMTP_URL: write smtp://"),
        (
            MAIL | {"mail_from": "griot"},
            "MAIL_FROM: 'griot' is no e-mail address: write it like name@example.org, alone; ",
        ),
        (TWILIO, "Twilio: it calls us back, but PUBLIC_URL is not set"),
        (ADDRESS | {"twilio_sms_from": "+1"}, "Twilio: half set up: TWILIO_ACCOUNT_SID, "),
        ({"whatsapp_app_secret": "hidden"}, "WhatsApp: half set up: WHATSAPP_TOKEN, "),
        ({"orange_client_secret": "hidden"}, "Orange: half set up: ORANGE_CLIENT_ID missing"),
        (
            ADDRESS | TWILIO | route(_225="orange"),
            "SMS_ROUTES: sends +225 by orange, which is not set up; set ORANGE_CLIENT_ID and",
        ),
        (
            AFRICASTALKING | ADDRESS,
            "SMS_ROUTES: sends all other numbers by twilio, which is not set up; set TWILIO_",
        ),
        (
            {"disabled_tools": "browse_url,wev_search"},
            "DISABLED_TOOLS: there is no tool 'wev_search'; did you mean 'web_search'?",
        ),
        ({"disabled_tools": "zzz"}, "DISABLED_TOOLS: there is no tool 'zzz'; see griot tools"),
    ],
)
def test_what_would_be_deaf_or_left_on_is_refused_in_one_clear_line(
    values: dict[str, object], line: str
) -> None:
    with pytest.raises(SettingsError) as refused:
        refuse_broken_settings(Settings.model_validate(values))

    assert str(refused.value).startswith(line)
    assert "\n" not in str(refused.value)
    assert "hidden" not in str(refused.value)


@pytest.mark.parametrize(
    "values",
    [
        {},
        {"telegram_bot_token": TOKEN},
        ADDRESS | {"telegram_bot_token": TOKEN, "telegram_webhook_secret": "s-1_x"},
        ADDRESS | TWILIO,
        ORANGE | route(_225="orange"),
        {"secret_key": "", "paystack_secret_key": "t", "stripe_secret_key": "half"},
        {"disabled_tools": "web_search,shop_find", "mcp_servers": '{"shop": {"command": "x"}}'},
    ],
)
def test_what_can_be_served_is_not_refused(values: dict[str, object]) -> None:
    refuse_broken_settings(Settings.model_validate(values))


@pytest.mark.parametrize(("seconds", "hours"), [(86_400, 24), (600, 1)])
def test_how_long_the_previous_key_is_wanted_is_told(seconds: int, hours: int) -> None:
    values = {"secret_key": SECRET, "secret_key_previous": "y", "link_seconds": seconds}
    found = check_settings(Settings.model_validate(values), today=get_table_date)
    [told] = [item.message for item in found if item.name == "SECRET_KEY_PREVIOUS"]
    assert told.endswith(f"leave it out {hours} h after the change")
