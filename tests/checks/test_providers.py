"""What `griot doctor` says of each provider, against their stand-ins."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest
from aiohttp import web

from bot.checks.providers import ask_providers
from bot.demo.local_server import serve_routes
from bot.settings import Settings
from tests.standins.africastalking import AfricasTalkingStandIn
from tests.standins.orange import OrangeStandIn
from tests.standins.payments_cinetpay import CinetPayStandIn
from tests.standins.payments_cinetpay_v1 import CinetPayV1StandIn
from tests.standins.payments_flutterwave import Flutterwave
from tests.standins.payments_hosted import Hosted
from tests.standins.payments_mtn_momo import MtnMomoStandIn
from tests.standins.payments_paystack import Paystack
from tests.standins.payments_stripe import Stripe
from tests.standins.payments_wave import WaveStandIn
from tests.standins.sms_gateways import running_gateway
from tests.standins.telegram import TelegramStandIn
from tests.standins.twilio import running_twilio
from tests.standins.whatsapp import running_whatsapp

ADDRESS = {"public_url": "https://griot.example"}
NOWHERE = "http://127.0.0.1:1"
PATIENT = 60.0
"""Seconds; the machine may be slow."""


async def find(seconds: float = PATIENT, **values: object) -> list[tuple[str, str, str]]:
    found = await ask_providers(Settings.model_validate(values), seconds)
    assert all(item.advice for item in found if item.level != "ok")
    return [(item.level, item.name, item.message) for item in found]


async def find_one(seconds: float = PATIENT, **values: object) -> tuple[str, str, str]:
    [found] = await find(seconds, **values)
    return found


async def test_nobody_is_asked_where_nothing_is_set() -> None:
    assert await find() == []


# Telegram


@pytest.fixture
async def telegram() -> AsyncIterator[TelegramStandIn]:
    async with TelegramStandIn() as standin:
        yield standin


def bot(telegram: TelegramStandIn) -> dict[str, object]:
    return {"telegram_bot_token": telegram.token, "telegram_api_url": telegram.url}


async def test_a_token_that_telegram_knows_is_fine(telegram) -> None:
    level, name, message = await find_one(**bot(telegram))

    assert (level, name) == ("ok", "Telegram")
    assert message.startswith("knows the token: @")
    assert telegram.violations == []


@pytest.mark.parametrize("token", ["123456:" + "A" * 35, "nonsense"])
async def test_a_token_that_telegram_refuses_is_an_error_and_not_shown(telegram, token) -> None:
    level, name, message = await find_one(**bot(telegram) | {"telegram_bot_token": token})

    assert (level, name) == ("error", "TELEGRAM_BOT_TOKEN")
    assert token not in message


@pytest.mark.parametrize(
    ("url", "public_url", "expected"),
    [
        ("https://griot.example/webhooks/telegram", "https://griot.example", "knows the token"),
        ("", "https://griot.example", "knows the token"),
        ("https://other.example/x/secret", "https://griot.example", "to other.example, not to"),
        ("https://other.example/x/secret", None, "to other.example, so that we cannot poll"),
    ],
)
async def test_where_telegram_sends_updates_is_compared_with_the_address(
    telegram, url: str, public_url: str | None, expected: str
) -> None:
    telegram.webhook = {"url": url}

    _, _, message = await find_one(public_url=public_url, **bot(telegram))

    assert expected in message
    assert "secret" not in message


async def test_what_went_wrong_lately_with_the_webhook_is_told(telegram) -> None:
    telegram.webhook = {"url": "https://griot.example/webhooks/telegram"}
    telegram.webhook_trouble = {
        "last_error_date": int(time.time()) - 60,
        "last_error_message": "Wrong response from the webhook: 403 Forbidden",
        "pending_update_count": 400,
    }
    messages = [message for _, _, message in await find(**ADDRESS, **bot(telegram))]
    telegram.webhook_trouble = {"last_error_date": 1, "last_error_message": "long ago"}
    later = await find_one(**ADDRESS, **bot(telegram))

    assert messages == [
        "could not call us within the last hour: Wrong response from the webhook: 403 Forbidden",
        "400 updates wait for us there",
    ]
    assert later[0] == "ok"


async def test_a_provider_that_is_slow_is_not_waited_for(telegram) -> None:
    telegram.hang_next("getMe", accept=False)

    found = await find_one(0.5, **bot(telegram))

    assert found == ("warning", "Telegram", "could not be asked: no answer within 0.5 s")


async def test_a_provider_out_of_reach_is_only_a_warning(telegram) -> None:
    found = await find_one(**bot(telegram) | {"telegram_api_url": NOWHERE})

    assert found[:2] == ("warning", "Telegram")
    assert telegram.token not in found[2]


async def test_a_provider_in_trouble_is_only_a_warning(telegram) -> None:
    telegram.fail_next("getMe", 502)

    found = await find_one(**bot(telegram))

    assert found == ("warning", "Telegram", "could not be asked: it answered 502")


# Twilio


async def test_a_twilio_account_is_known_with_its_number_and_its_address() -> None:
    async with running_twilio(public_url="https://griot.example") as twilio:
        twilio.sms_url = "https://griot.example/webhooks/twilio"
        assert await find_one(**ADDRESS, **twilio.settings) == (
            "ok",
            "Twilio",
            "knows the account and its number",
        )
        assert twilio.violations == []


@pytest.mark.parametrize(
    ("changes", "standin", "expected"),
    [
        ({"twilio_auth_token": "wrong"}, {}, ("error", "TWILIO_AUTH_TOKEN", "401, error 20003")),
        ({"twilio_account_sid": "ACwrong"}, {}, ("error", "TWILIO_AUTH_TOKEN", "401")),
        ({}, {"account_status": "suspended"}, ("error", "Twilio", "is suspended")),
        ({}, {"sms_url": "https://other.example"}, ("warning", "TWILIO_SMS_FROM", "do not come")),
        ({"twilio_sms_from": "+15005550000"}, {}, ("warning", "TWILIO_SMS_FROM", "is no number")),
        ({"twilio_sms_from": ""}, {}, ("ok", "Twilio", "knows the account")),
        ({"twilio_api_url": NOWHERE}, {}, ("warning", "Twilio", "could not be asked")),
    ],
)
async def test_what_is_wrong_at_twilio_is_named(
    changes: dict[str, str], standin: dict[str, str], expected: tuple[str, str, str]
) -> None:
    async with running_twilio(public_url="https://griot.example") as twilio:
        for name, value in standin.items():
            setattr(twilio, name, value)

        level, name, message = await find_one(**ADDRESS, **twilio.settings | changes)

    assert (level, name) == expected[:2]
    assert expected[2] in message


# Orange and Africa's Talking


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, ("ok", "Orange", "gives us a token")),
        ({"orange_client_secret": "wrong"}, ("error", "ORANGE_CLIENT_SECRET", "refuses it: 401")),
        ({"orange_api_url": NOWHERE}, ("warning", "Orange", "could not be asked")),
    ],
)
async def test_orange_is_asked_for_a_token(
    changes: dict[str, object], expected: tuple[str, str, str]
) -> None:
    async with running_gateway(OrangeStandIn()) as orange:
        level, name, message = await find_one(**orange.settings | changes)
        assert orange.violations == []
    assert (level, name) == expected[:2]
    assert expected[2] in message


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, ("ok", "Africa's Talking", "KES 1785.50")),
        (
            {"africastalking_api_key": "wrong"},
            ("error", "AFRICASTALKING_API_KEY", "refuses it: 401"),
        ),
        ({"africastalking_username": "no"}, ("error", "AFRICASTALKING_API_KEY", "refuses it")),
        ({"africastalking_api_url": NOWHERE}, ("warning", "Africa's Talking", "could not be")),
    ],
)
async def test_africas_talking_is_asked_for_the_balance(
    changes: dict[str, object], expected: tuple[str, str, str]
) -> None:
    async with running_gateway(AfricasTalkingStandIn()) as provider:
        level, name, message = await find_one(**provider.settings | changes)
        assert provider.violations == []
    assert (level, name) == expected[:2]
    assert expected[2] in message


# WhatsApp


@pytest.mark.parametrize(
    ("changes", "quality", "expected"),
    [
        ({}, "GREEN", ("ok", "WhatsApp")),
        ({"whatsapp_app_secret": ""}, "GREEN", ("ok", "WhatsApp")),
        ({}, "RED", ("warning", "WhatsApp")),
        ({"whatsapp_token": "wrong"}, "GREEN", ("error", "WHATSAPP_TOKEN")),
        ({"whatsapp_app_secret": "wrong"}, "GREEN", ("error", "WHATSAPP_APP_SECRET")),
        ({"whatsapp_phone_number_id": "1"}, "GREEN", ("error", "WHATSAPP_PHONE_NUMBER_ID")),
        ({"whatsapp_api_url": NOWHERE}, "GREEN", ("warning", "WhatsApp")),
    ],
)
async def test_what_meta_says_of_our_settings_is_named(
    changes: dict[str, str], quality: str, expected: tuple[str, str]
) -> None:
    async with running_whatsapp() as whatsapp:
        whatsapp.quality = quality
        settings = {name.lower(): value for name, value in whatsapp.settings.items()}

        assert (await find_one(**settings | changes))[:2] == expected


# Models and search


Answers = dict[str, tuple[int, Any]]


@pytest.fixture
async def endpoint() -> AsyncIterator[Callable[[Answers], str]]:
    """Where these answers are given, by path; the base URL ends in /v1."""
    answers: Answers = {}

    async def answer(request: web.Request) -> web.Response:
        if request.headers.get("Authorization", "Bearer right") != "Bearer right":
            return web.json_response({"error": {"message": "hidden"}}, status=401)
        status, content = answers.get(request.path, (404, {"error": "no such path"}))
        return web.json_response(content, status=status)

    async with serve_routes([web.route("*", "/{path:.*}", answer)]) as origin:

        def arrange(given: Answers) -> str:
            answers.update(given)
            return origin

        yield arrange


MODELS: Answers = {"/v1/models": (200, {"data": [{"id": "gpt-4o-mini"}, {"id": "models/small"}]})}


@pytest.mark.parametrize(
    ("answers", "values", "expected"),
    [
        (MODELS, {}, ("ok", "models", "has gpt-4o-mini")),
        (MODELS, {"utility_model": "small"}, ("ok", "models", "gpt-4o-mini, small")),
        (MODELS, {"model": "gpt-9"}, ("warning", "gpt-9", "lists no such model")),
        (MODELS, {"openai_api_key": "wrong"}, ("error", "OPENAI_API_KEY", "refuses it: 401")),
        ({"/v1/models": (500, None)}, {}, ("warning", "models", "it answered 500")),
        ({"/v1/models": (429, None)}, {}, ("warning", "OPENAI_API_KEY", "at a limit")),
        ({"/v1/models": (200, [])}, {}, ("error", "OPENAI_API_KEY", "knows no gpt-4o-mini")),
        ({}, {}, ("error", "OPENAI_API_KEY", "knows no gpt-4o-mini, or is none")),
        (
            {"/v1/chat/completions": (200, {"choices": []})},
            {},
            ("ok", "models", "gpt-4o-mini answers (one token was paid for)"),
        ),
    ],
)
async def test_what_the_models_endpoint_says_is_named(
    endpoint, answers: Answers, values: dict[str, str], expected: tuple[str, str, str]
) -> None:
    url = endpoint(answers)
    settings = {"openai_api_key": "right", "openai_base_url": f"{url}/v1"} | values

    level, name, message = await find_one(**settings)

    assert (level, name) == expected[:2]
    assert expected[2] in message
    assert "hidden" not in message


async def test_every_fallback_is_asked_too(endpoint) -> None:
    url = endpoint(MODELS)
    fallbacks = (
        f'[{{"base_url": "{url}/v1", "api_key": "right", "model": "small"}},'
        f' {{"base_url": "{url}/v1", "api_key": "wrong", "model": "small"}},'
        f' {{"base_url": "{NOWHERE}", "model": "small"}}]'
    )

    found = await find(model_fallbacks=fallbacks)

    assert [(level, name) for level, name, _ in found] == [
        ("ok", "models"),
        ("error", "MODEL_FALLBACKS[2]"),
        ("warning", "MODEL_FALLBACKS[3]"),
    ]


async def test_a_scripted_model_is_not_asked(endpoint) -> None:
    url = endpoint(MODELS)
    assert await find(debug_mock_responses='["Bonjour"]', openai_base_url=f"{url}/v1") == []


@pytest.mark.parametrize(
    ("answers", "expected"),
    [
        ({"/search": (200, {"results": []})}, ("ok", "SEARXNG_URL")),
        ({"/search": (403, None)}, ("error", "SEARXNG_URL")),
        ({"/search": (200, [])}, ("warning", "SearXNG")),
    ],
)
async def test_a_searxng_without_json_is_an_error(
    endpoint, answers: Answers, expected: tuple[str, str]
) -> None:
    assert (await find_one(searxng_url=endpoint(answers)))[:2] == expected


# Payments


@pytest.mark.parametrize(
    ("make", "key"),
    [
        (WaveStandIn, "wave_api_key"),
        (MtnMomoStandIn, "mtn_momo_key"),
        (CinetPayStandIn, "cinetpay_api_key"),
        (CinetPayV1StandIn, "cinetpay_api_password"),
        (Paystack, "paystack_secret_key"),
        (Flutterwave, "flutterwave_secret_key"),
        (Stripe, "stripe_secret_key"),
    ],
)
async def test_payment_providers_say_whether_they_take_our_keys(make: Any, key: str) -> None:
    async with make() as provider:
        settings = provider.settings if not isinstance(provider, Hosted) else hosted(provider, key)
        right = await find_one(**settings)
        wrong = await find_one(**settings | {key: "wrong_key_of_nobody"})
        provider.hang_next()
        slow = await find_one(0.5, **settings)

    assert right[0::2] == ("ok", "takes our keys")
    assert (wrong[0], "refuses our keys" in wrong[2]) == ("error", True)
    assert "wrong_key" not in wrong[2]
    assert slow[0] == "warning"


def hosted(provider: Hosted, key: str) -> dict[str, str]:
    name = key.partition("_")[0]
    others = {
        "paystack": {},
        "flutterwave": {"flutterwave_hash": "h"},
        "stripe": {"stripe_webhook_secret": "s"},
    }
    return {key: provider.key, f"{name}_api_url": provider.url} | others[name]
