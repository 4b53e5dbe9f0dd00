"""Reading the settings: from the environment and a `.env` file, with every mistake named."""

from __future__ import annotations

import difflib
import os
from collections.abc import Mapping
from pathlib import Path

from dotenv import dotenv_values
from pydantic import ValidationError

from bot.errors import SettingsError
from bot.settings.variables import Settings

_HINTS: Mapping[str, str] = {
    "database_url": "use sqlite:///griot.db or postgresql://user:password@host/name",
    "redis_url": "use redis://host:6379/0, or leave it out when one process does everything",
    "blob_url": "use file:./files or s3://bucket/prefix",
    "public_url": "use the address people reach, such as https://griot.example",
    "trusted_proxies": "use addresses or networks, comma-separated: 127.0.0.0/8,10.0.0.7",
    "client_address_header": "use the name of a header, such as X-Forwarded-For",
    "model_fallbacks": 'use a JSON list: [{"base_url": "https://…", "api_key": "…", "model": "…"}]',
    "model_capabilities": 'use a JSON object: {"model-name": {"tools": true, "usd_in": 0.15}}',
    "mcp_servers": 'use a JSON object: {"name": {"command": "…"}} or {"name": {"url": "…"}}',
    "advisors": 'use a JSON list: [{"name": "…", "description": "…", "prompt": "…", "tools": []}]',
    "a2a_agents": 'use a JSON list: [{"name": "…", "url": "https://…"}]',
    "packs": 'use a JSON list: [{"fcfa": 500, "credits": 100, "stars": 50}]',
    "mtn_momo_user": "use the API user's id, without a colon",
    "quiet_hours": "use hours of the day, such as 21-7",
    "debug_mock_responses": 'use a JSON list of texts or {"tool_calls": [{"name", "arguments"}]}',
}
_WORDS: Mapping[str, str] = {
    "string_pattern_mismatch": "is not of the form that is expected",
    "int_parsing": "must be a whole number",
    "int_from_float": "must be a whole number",
    "float_parsing": "must be a number",
    "finite_number": "must be a number",
    "bool_parsing": "must be true or false",
    "greater_than": "must be greater than {gt}",
    "greater_than_equal": "must be at least {ge}",
    "less_than": "must be less than {lt}",
    "less_than_equal": "must be at most {le}",
    "literal_error": "must be one of {expected}",
    "value_error": "{error}",
}
"""What is wrong, by pydantic's name and context of it; where it is not here, in its own words."""
_FAMILIES = (
    "TELEGRAM_",
    "TWILIO_",
    "WHATSAPP_",
    "CINETPAY_",
    "STRIPE_",
    "WAVE_",
    "PAYSTACK_",
    "FLUTTERWAVE_",
    "MTN_MOMO_",
    "BURST_",
    "SMS_",
    "TAVILY_",
    "OPENAI_BASE",
)


def load(environment: Mapping[str, str] | None = None, env_file: Path | None = None) -> Settings:
    """The settings of this process.

    Raises:
        SettingsError: names each invalid variable and what to write instead.
    """
    values = dict(_read_env_file(env_file)) if env_file else {}
    values.update(os.environ if environment is None else environment)
    known = {
        name.lower(): value
        for name, value in values.items()
        if name.lower() in Settings.model_fields and value != ""
    }
    try:
        return Settings.model_validate(known)
    except ValidationError as error:
        raise SettingsError("\n".join(_explain(error))) from None


def _explain(error: ValidationError) -> list[str]:
    lines: list[str] = []
    for item in error.errors(include_input=False, include_url=False):
        name = str(item["loc"][0]) if item["loc"] else ""
        hint = _HINTS.get(name)
        ours = _WORDS.get(item["type"])
        words = ours.format_map(item.get("ctx", {})) if ours else item["msg"]
        line = f"{name.upper()}: {words}"
        lines.append(f"{line}; {hint}" if hint else line)
    return lines


def unknown(
    environment: Mapping[str, str] | None = None, env_file: Path | None = None
) -> list[str]:
    """One line for each variable that looks meant for Griot but is none of its settings."""
    known = {name.upper() for name in Settings.model_fields}
    from_file = set(_read_env_file(env_file)) if env_file else set[str]()
    lines: list[str] = []
    for name in sorted(from_file | set(os.environ if environment is None else environment)):
        if name.upper() in known:
            continue
        likeness = 0.7 if name in from_file else 0.87  # what the file has was meant for Griot
        near = difflib.get_close_matches(name.upper(), known, n=1, cutoff=likeness)
        if name in from_file or near or name.startswith(_FAMILIES):
            lines.append(
                f"{name}: unknown setting" + (f"; did you mean {near[0]}?" if near else "")
            )
    return lines


def _read_env_file(path: Path) -> dict[str, str]:
    try:
        values = dotenv_values(path)
    except UnicodeDecodeError:
        raise SettingsError(f"{path}: it is not UTF-8 text; save it as UTF-8") from None
    return {name: value for name, value in values.items() if value is not None}
