from __future__ import annotations

import json
from pathlib import Path
from typing import get_args

import pytest

from bot.errors import SettingsError
from bot.settings import NEEDED_FOR_SMS, Settings, SmsProvider, load, unknown
from bot.settings.loading import ensure_secret_key


def test_defaults_need_no_environment() -> None:
    settings = load({})
    assert settings.database_url == "sqlite:///griot.db"
    assert (settings.max_iterations, settings.tool_timeout, settings.turn_timeout) == (10, 60, 180)
    assert settings.model == "gpt-4o-mini"


def test_names_are_those_of_the_environment_whatever_their_case() -> None:
    assert load({"PORT": "9000", "telegram_bot_token": "1:x"}).port == 9000


def test_an_empty_value_is_no_value() -> None:
    assert load({"REDIS_URL": "", "PORT": ""}).redis_url is None


def test_no_country_is_a_value() -> None:
    assert load({}).sms_one_way == {"CI", "GN", "CG", "CD", "GM", "ST", "BF"}
    assert load({"SMS_ONE_WAY": "CI, GN"}).sms_one_way == {"CI", "GN"}
    assert load({"SMS_ONE_WAY": ""}).sms_one_way == frozenset()


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("DATABASE_URL", "mysql://x"),
        ("DATABASE_URL", "sqlite:///"),
        ("BLOB_URL", "s3://"),
        ("PUBLIC_URL", "https://x/y?z=1"),
        ("PUBLIC_URL", "https://a b"),
        ("OTP_COUNTRIES", "225,999"),
        ("WELCOME_CREDITS", "99999999999999999999"),
        ("REDIS_URL", "localhost:6379"),
        ("PUBLIC_URL", "griot.example"),
        ("PORT", "eighty"),
        ("PORT", "70000"),
        ("QUIET_HOURS", "21"),
        ("QUIET_HOURS", "21-25"),
        ("MAX_TURN_USD", "-1"),
        ("MODEL_FALLBACKS", "[{"),
        ("MODEL_FALLBACKS", '[{"model": "m"}]'),
        ("MODEL_CAPABILITIES", '{"m": {"colour": 1}}'),
        ("MCP_SERVERS", '{"x": {}}'),
        ("DEBUG_MOCK_RESPONSES", '{"not": "a list"}'),
        ("LEASE_SECONDS", "0"),
        ("TRUSTED_PROXIES", "10.0.0.0/8,everyone"),
        ("TRUSTED_PROXIES", "10.0.0.7/8"),
        ("CLIENT_ADDRESS_HEADER", "X Forwarded"),
        ("BURST_SECONDS", "-1"),
        ("SMS_PAGE_SEGMENTS", "0"),
        ("SMS_ONE_WAY", "225"),
        ("SMS_ONE_WAY", "CI,Guinea"),
        ("SMS_ROUTES", "twilio"),
        ("SMS_ROUTES", '["orange"]'),
        ("SMS_ROUTES", '{"0225": "orange"}'),
        ("ORANGE_SENDER", "2250000"),
        ("ORANGE_SENDER_NAME", "longer than 11"),
        ("ORANGE_API_URL", "api.orange.com"),
        ("AFRICASTALKING_SENDER", "Été"),
    ],
)
def test_a_wrong_value_is_named_with_its_variable(name: str, value: str) -> None:
    with pytest.raises(SettingsError, match=name):
        load({name: value})


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("PORT", "99999", "PORT: must be at most 65535"),
        ("MAX_ITERATIONS", "-1", "MAX_ITERATIONS: must be at least 0"),
        ("MAX_ITERATIONS", "many", "MAX_ITERATIONS: must be a whole number"),
        ("TURN_TIMEOUT", "long", "TURN_TIMEOUT: must be a number"),
        ("MAX_TURN_USD", "nan", "MAX_TURN_USD: must be a number; such as 0.5"),
        ("MAX_TURN_USD", "-1", "MAX_TURN_USD: must be at least 0"),
        ("MESSAGE_RETENTION_DAYS", "61", "MESSAGE_RETENTION_DAYS: 0, or 62 at least: "),
        ("VERIFY", "perhaps", "VERIFY: must be true or false"),
        ("PACKS", '[{"fcfa": 500', "PACKS: Invalid JSON: EOF while parsing an object"),
        ("PACKS", "{}", "PACKS: must be a list; use a JSON list: "),
        ("MCP_SERVERS", "-1", "MCP_SERVERS: must be an object; use a JSON object: "),
        ("A2A_AGENTS", "[5]", "A2A_AGENTS: 0 must be an object; use a JSON list: "),
        ("A2A_AGENTS", '[{"name": "a"}]', "A2A_AGENTS: 0.url is missing; use a JSON list: "),
        ("PORT", "many", "PORT: must be a whole number; such as 8080"),
        (
            "TRUSTED_PROXIES",
            "here",
            "TRUSTED_PROXIES: here is not of the form that is expected; use",
        ),
        ("PACKS", "[500 600]", "PACKS: Invalid JSON: expected `,` or `]`"),
        ("PACKS", '[{"fcfa": 5 "x"]', "PACKS: Invalid JSON: expected `,` or `}`"),
        ("BUSY_MODE", "wait", "BUSY_MODE: must be one of 'queue' or 'steer'"),
        ("OTP_COUNTRIES", "225,CI", "OTP_COUNTRIES: calling codes are digits, such as 225,221"),
        (
            "SMS_ONE_WAY",
            "CI,ZZZ",
            "SMS_ONE_WAY: ZZZ is not of the form that is expected; use countries by two capital",
        ),
        ("SMS_ONE_WAY", "ci", "SMS_ONE_WAY: ci is not of the form that is expected; use countries"),
        (
            "WHATSAPP_PRICES",
            '{"CI": {"Not one": 1}}',
            "WHATSAPP_PRICES: ",
        ),
        ("SMS_ONE_WAY", "CI,XX", "SMS_ONE_WAY: XX is no country by ISO 3166-1, such as CI or GN"),
        (
            "SMS_ROUTES",
            '{"225": "orang"}',
            "SMS_ROUTES: 225 must be one of 'twilio', 'orange' or 'africastalking'; use a JSON",
        ),
        (
            "SMS_ROUTES",
            '{"+225": "orange"}',
            "SMS_ROUTES: +225 is not of the form that is expected; use a JSON object: ",
        ),
        (
            "QUIET_HOURS",
            "at night",
            "QUIET_HOURS: is not of the form that is expected; use hours of the day, such as 21-7",
        ),
    ],
)
def test_what_is_wrong_is_said_in_words_of_ours(name: str, value: str, words: str) -> None:
    with pytest.raises(SettingsError) as raised:
        load({name: value})
    assert str(raised.value).startswith(words)


def test_the_words_about_a_switch_name_both_its_forms_and_no_other() -> None:
    with pytest.raises(SettingsError) as raised:
        load({"CHECK_MATHS": "perhaps"})
    assert str(raised.value) == "CHECK_MATHS: must be true or false"


def test_every_wrong_value_is_named_at_once() -> None:
    with pytest.raises(SettingsError) as caught:
        load({"PORT": "x", "DATABASE_URL": "mysql://x", "MAX_ITERATIONS": "many"})
    lines = str(caught.value).splitlines()
    assert [line.partition(":")[0] for line in lines] == ["DATABASE_URL", "PORT", "MAX_ITERATIONS"]


def test_a_wrong_value_is_not_repeated_as_it_may_be_a_secret() -> None:
    with pytest.raises(SettingsError) as caught:
        load({"DATABASE_URL": "mysql://user:s3cr3t@host"})
    assert "s3cr3t" not in str(caught.value)


def test_settings_show_no_secret() -> None:
    settings = load({"SECRET_KEY": "hidden", "OPENAI_API_KEY": "sk-hidden"})
    assert "hidden" not in repr(settings) + str(settings) + f"{settings}"


def test_json_settings_are_read() -> None:
    settings = load(
        {
            "MODEL_FALLBACKS": '[{"base_url": "http://a/v1", "model": "m"}]',
            "DEBUG_MOCK_RESPONSES": '["hi", {"tool_calls": [{"name": "x", "arguments": {}}]}]',
            "DISABLED_TOOLS": "web_search, browse_url",
        }
    )
    assert settings.model_fallbacks[0].model == "m"
    assert settings.debug_mock_responses is not None
    assert len(settings.debug_mock_responses) == 2
    assert settings.disabled_tools == {"web_search", "browse_url"}


def test_bursts_and_sms_have_defaults() -> None:
    settings = load({})
    assert (
        settings.burst_seconds,
        settings.burst_long_seconds,
        settings.burst_most_seconds,
    ) == (0.6, 2.0, 10.0)
    assert settings.sms_page_segments == 4


def test_what_messages_cost_is_set_by_country() -> None:
    settings = load({})
    assert (settings.whatsapp_prices, settings.sms_prices) == ({}, {})
    assert (settings.whatsapp_free_messages, settings.twilio_message_usd) == (1000, 0.005)
    given = {"CI": {"service": 0.004, "utility": 1}, "*": {"service": 0}}
    assert load({"WHATSAPP_PRICES": json.dumps(given)}).whatsapp_prices == given
    assert load({"SMS_PRICES": '{"CI": 0.08, "*": 0.05}'}).sms_prices == {"CI": 0.08, "*": 0.05}
    [line] = unknown({"SMS_SEGMENT_USD": "0.05"})
    assert line.startswith("SMS_SEGMENT_USD: unknown setting")


@pytest.mark.parametrize("price", ["-0.001", "true", '"0.004"', "null", "NaN", "Infinity", "1e9"])
def test_a_price_that_is_none_is_refused(price: str) -> None:
    for name, value in (
        ("WHATSAPP_PRICES", f'{{"CI": {{"service": {price}}}}}'),
        ("SMS_PRICES", f'{{"CI": {price}}}'),
    ):
        with pytest.raises(SettingsError, match=f"{name}: CI"):
            load({name: value})


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("WHATSAPP_PRICES", '{"ci": {"service": 1}}'),
        ("WHATSAPP_PRICES", '{"XX": {"service": 1}}'),
        ("WHATSAPP_PRICES", '{"CI": {"Service!": 1}}'),
        ("WHATSAPP_PRICES", '{"CI": 0.004}'),
        ("WHATSAPP_PRICES", "cheap"),
        ("SMS_PRICES", '{"225": 0.08}'),
        ("TWILIO_MESSAGE_USD", "-0.005"),
        ("TWILIO_MESSAGE_USD", "inf"),
        ("WHATSAPP_FREE_MESSAGES", "-1"),
    ],
)
def test_prices_of_another_form_are_refused(name: str, value: str) -> None:
    with pytest.raises(SettingsError, match=name):
        load({name: value})


def test_proxies_are_addresses_and_networks_this_machine_alone_by_default() -> None:
    assert [str(network) for network in load({}).trusted_proxies] == ["127.0.0.0/8", "::1/128"]
    named = load({"TRUSTED_PROXIES": "10.0.0.7, fdaa::/16"})
    assert [str(network) for network in named.trusted_proxies] == ["10.0.0.7/32", "fdaa::/16"]


def test_a_misspelt_variable_is_named_with_the_one_that_was_meant() -> None:
    lines = unknown({"TELEGRAM_BOT_TOKN": "x", "DATABSE_URL": "x", "PATH": "x", "HOME": "x"})
    assert lines == [
        "DATABSE_URL: unknown setting; did you mean DATABASE_URL?",
        "TELEGRAM_BOT_TOKN: unknown setting; did you mean TELEGRAM_BOT_TOKEN?",
    ]


@pytest.mark.parametrize("name", ["STRIPE_KEY", "WAVE_SECRET", "MTN_MOMO_ID", "CINETPAY_SITE"])
def test_what_belongs_to_a_payment_provider_is_meant_for_us(name: str) -> None:
    [line] = unknown({name: "x"})
    assert line.startswith(f"{name}: unknown setting")


def test_a_misspelt_variable_of_the_file_is_known_by_less(tmp_path: Path) -> None:
    path = tmp_path / ".env"
    path.write_text("MODLE=gpt\n")
    assert unknown({}, path) == ["MODLE: unknown setting; did you mean MODEL?"]
    assert unknown({"MODLE": "gpt"}) == []


def test_an_env_file_is_read_and_the_environment_wins(tmp_path: Path) -> None:
    file = tmp_path / ".env"
    file.write_text('PORT=9001\nMODEL="a model"\nODD_ONE=1\n')
    settings = load({"PORT": "9002"}, env_file=file)
    assert (settings.port, settings.model) == (9002, "a model")
    assert unknown({}, env_file=file) == ["ODD_ONE: unknown setting"]


def test_settings_do_not_change() -> None:
    settings = Settings()
    with pytest.raises(ValueError, match="frozen"):
        settings.port = 1  # type: ignore[misc]


def test_an_env_file_that_is_no_text_is_named(tmp_path: Path) -> None:
    file = tmp_path / ".env"
    file.write_bytes(b"\xff\xfe bad")
    with pytest.raises(SettingsError, match="UTF-8"):
        load({}, env_file=file)


def test_an_env_file_that_is_a_folder_is_to_be_removed(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="it is a folder; remove it"):
        load({}, env_file=tmp_path)


def test_the_secret_key_is_required_where_it_signs() -> None:
    with pytest.raises(SettingsError, match="SECRET_KEY"):
        ensure_secret_key(Settings(), required=True)
    made = ensure_secret_key(Settings(), required=False)
    assert len(made.secret_key) > 30
    assert ensure_secret_key(made, required=True) is made


def test_routes_of_sms_are_read_and_twilio_is_the_default() -> None:
    assert load({}).sms_routes == {"*": "twilio"}
    routes = load({"SMS_ROUTES": '{"225": "orange", "254": "africastalking"}'}).sms_routes
    assert routes == {"225": "orange", "254": "africastalking"}


def test_the_secrets_of_gateways_are_not_shown() -> None:
    settings = load({"ORANGE_CLIENT_SECRET": "hidden", "AFRICASTALKING_API_KEY": "hidden"})
    assert "hidden" not in repr(settings) + str(settings)


def test_a_line_that_is_no_assignment_is_named_with_its_file(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    file = tmp_path / ".env"
    file.write_text('PORT=9000\n\nthis is no line\nMODEL=a\nHOST="::1\n')
    assert load({}, file).port == 9000
    assert unknown({}, file) == [
        f"{file}: line {number} is not read; write NAME=value, and close quotes"
        for number in (3, 5)
    ]
    assert caplog.text == ""


def test_each_provider_of_sms_has_settings_without_which_it_sends_none() -> None:
    assert NEEDED_FOR_SMS.keys() == {*get_args(SmsProvider)}
    needed = {name for names in NEEDED_FOR_SMS.values() for name in names}
    assert needed <= Settings.model_fields.keys()
