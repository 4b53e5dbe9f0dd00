"""Settings: environment variables, or a `.env` file, read once into a frozen object.

Names, defaults and meanings are those of the README's table. `load` names every invalid variable
with a hint, and every unknown one that looks meant for Griot.
"""

from __future__ import annotations

import difflib
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Literal

from dotenv import dotenv_values
from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    Json,
    JsonValue,
    ValidationError,
    field_validator,
    model_validator,
)

from bot.errors import SettingsError

Url = Annotated[str, Field(pattern=r"^https?://[^\s/]+")]
Names = frozenset[str]


class Endpoint(BaseModel):
    """An OpenAI-compatible endpoint and the model asked there."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    base_url: Url
    api_key: str = Field(default="", repr=False)
    model: str


class ScriptedCall(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")

    name: str
    arguments: JsonValue = Field(default_factory=dict)
    """An object, or the raw text a broken model would send."""


class ScriptedCalls(BaseModel):
    """One entry of `DEBUG_MOCK_RESPONSES`: tool calls, with or without text."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    tool_calls: tuple[ScriptedCall, ...]
    content: str = ""


class Capability(BaseModel):
    """What a model can do; prices in US dollars per million tokens."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    tools: bool | None = None
    vision: bool | None = None
    reasoning: bool | None = None
    context_window: int | None = Field(default=None, gt=0)
    usd_in: float | None = Field(default=None, ge=0)
    usd_out: float | None = Field(default=None, ge=0)


class McpServer(BaseModel):
    """A server of MCP tools: a command to start, or a URL."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    command: str = ""
    args: tuple[str, ...] = ()
    env: Mapping[str, str] = Field(default_factory=dict, repr=False)
    url: str = ""
    headers: Mapping[str, str] = Field(default_factory=dict, repr=False)

    @model_validator(mode="after")
    def _one_of_two(self) -> McpServer:
        if bool(self.command) == bool(self.url):
            raise ValueError("give either a command or a url")
        return self


class Advisor(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str = Field(pattern=r"^[a-z][a-z0-9_]{0,40}$")
    description: str
    prompt: str
    tools: tuple[str, ...] = ()
    model: str = ""


class RemoteAgent(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str = Field(pattern=r"^[a-z][a-z0-9_]{0,40}$")
    description: str = ""
    url: Url
    token: str = Field(default="", repr=False)


Secret = str
"""Never shown: the repr of Settings names no value."""
Seconds = Annotated[float, Field(ge=0)]
Count = Annotated[int, Field(ge=0)]
Money = Annotated[float, Field(ge=0)]


class Settings(BaseModel):
    """One field a variable, in lower case."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    def __repr__(self) -> str:
        return "Settings(…)"

    __str__ = __repr__

    database_url: Annotated[str, Field(pattern=r"^(sqlite:///|postgres(ql)?://)")] = (
        "sqlite:///griot.db"
    )
    redis_url: Annotated[str, Field(pattern=r"^(rediss?|unix)://")] | None = None
    blob_url: Annotated[str, Field(pattern=r"^(file:|s3://)")] = "file:./files"
    aws_endpoint_url: Url | None = None
    aws_access_key_id: Secret = ""
    aws_secret_access_key: Secret = ""
    aws_region: str = ""

    host: str = "127.0.0.1"
    port: Annotated[int, Field(ge=0, le=65535)] = 8080
    public_url: Url | None = None
    secret_key: Secret = ""
    log_level: Literal["debug", "info", "warning", "error"] = "info"

    openai_api_key: Secret = ""
    openai_base_url: Url = "https://api.openai.com/v1"
    model: str = "gpt-4o-mini"
    model_fallbacks: Json[tuple[Endpoint, ...]] = ()
    utility_model: str = ""
    vision_model: str = ""
    transcribe_model: str = ""
    embed_model: str = ""
    answer_model: str = ""
    model_capabilities: Json[Mapping[str, Capability]] = Field(default_factory=dict)
    debug_mock_responses: Json[tuple[str | ScriptedCalls, ...]] | None = None

    telegram_bot_token: Secret = ""
    telegram_webhook_secret: Secret = ""
    telegram_api_url: Url = "https://api.telegram.org"

    twilio_account_sid: str = ""
    twilio_auth_token: Secret = ""
    twilio_sms_from: str = ""
    twilio_whatsapp_from: str = ""
    twilio_template_sid: str = ""
    twilio_api_url: Url = "https://api.twilio.com"

    whatsapp_token: Secret = ""
    whatsapp_phone_number_id: str = ""
    whatsapp_app_secret: Secret = ""
    whatsapp_verify_token: Secret = ""
    whatsapp_template: str = ""
    whatsapp_api_url: Url = "https://graph.facebook.com/v23.0"

    smtp_url: Secret = ""
    mail_from: str = ""
    operator_email: str = ""
    operator_whatsapp: str = ""
    operator_token: Secret = ""

    tavily_api_key: Secret = ""
    tavily_url: Url = "https://api.tavily.com"
    searxng_url: Url | None = None
    jina_url: Url | None = None
    jina_api_key: Secret = ""

    stripe_secret_key: Secret = ""
    stripe_webhook_secret: Secret = ""
    stripe_api_url: Url = "https://api.stripe.com"
    paystack_secret_key: Secret = ""
    paystack_api_url: Url = "https://api.paystack.co"
    cinetpay_api_key: Secret = ""
    cinetpay_site_id: str = ""
    cinetpay_secret_key: Secret = ""
    cinetpay_api_url: Url = "https://api-checkout.cinetpay.com"
    flutterwave_secret_key: Secret = ""
    flutterwave_hash: Secret = ""
    flutterwave_api_url: Url = "https://api.flutterwave.com"
    wave_api_key: Secret = ""
    wave_webhook_secret: Secret = ""
    wave_api_url: Url = "https://api.wave.com"
    mtn_momo_user: str = ""
    mtn_momo_key: Secret = ""
    mtn_momo_subscription_key: Secret = ""
    mtn_momo_api_url: Url = "https://proxy.momoapi.mtn.com"

    mcp_servers: Json[Mapping[str, McpServer]] = Field(default_factory=dict)
    advisors: Json[tuple[Advisor, ...]] = ()
    a2a_agents: Json[tuple[RemoteAgent, ...]] = ()

    max_iterations: Count = 10
    tool_timeout: Seconds = 60
    turn_timeout: Seconds = 180
    job_timeout: Seconds = 1800
    max_turn_usd: Money = 0.50
    max_person_day_usd: Money = 2.00
    max_tool_calls: Count = 40
    rate_limit_per_minute: Count = 20
    disabled_tools: Names = frozenset()
    planner_mode: bool = False
    verify: bool = False
    two_phase: bool = False
    busy_mode: Literal["queue", "steer"] = "queue"

    welcome_credits: Count = 50
    guest_daily_messages: Count = 10
    credits_per_usd: Count = 1000
    min_turn_credits: Count = 1
    otp_countries: Names = frozenset()
    link_seconds: Annotated[int, Field(gt=0)] = 86_400

    lease_seconds: Annotated[float, Field(ge=1)] = 15
    drain_seconds: Seconds = 20
    max_running_turns: Annotated[int, Field(gt=0)] = 2000

    @field_validator("disabled_tools", "otp_countries", mode="before")
    @classmethod
    def _comma_separated(cls, value: object) -> object:
        if isinstance(value, str):
            return frozenset(name.strip() for name in value.split(",") if name.strip())
        return value

    @field_validator("public_url", "telegram_api_url", "openai_base_url", "twilio_api_url")
    @classmethod
    def _no_trailing_slash(cls, value: str | None) -> str | None:
        return value.rstrip("/") if value else value

    @property
    def is_sqlite(self) -> bool:
        return self.database_url.startswith("sqlite")

    @property
    def base_url(self) -> str:
        """Where people reach us: `PUBLIC_URL`, or the local address."""
        return self.public_url or f"http://{self.host}:{self.port}"


_HINTS: Mapping[str, str] = {
    "database_url": "use sqlite:///griot.db or postgresql://user:password@host/name",
    "redis_url": "use redis://host:6379/0, or leave it out when one process does everything",
    "blob_url": "use file:./files or s3://bucket/prefix",
    "public_url": "use the address people reach, such as https://griot.example",
    "model_fallbacks": 'use a JSON list: [{"base_url": "https://…", "api_key": "…", "model": "…"}]',
    "model_capabilities": 'use a JSON object: {"model-name": {"tools": true, "usd_in": 0.15}}',
    "mcp_servers": 'use a JSON object: {"name": {"command": "…"}} or {"name": {"url": "…"}}',
    "advisors": 'use a JSON list: [{"name": "…", "description": "…", "prompt": "…", "tools": []}]',
    "a2a_agents": 'use a JSON list: [{"name": "…", "url": "https://…"}]',
    "debug_mock_responses": 'use a JSON list of texts or {"tool_calls": [{"name", "arguments"}]}',
}
_FAMILIES = (
    "TELEGRAM_",
    "TWILIO_",
    "WHATSAPP_",
    "CINETPAY_",
    "PAYSTACK_",
    "FLUTTERWAVE_",
    "MTN_MOMO_",
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
        line = f"{name.upper()}: {item['msg']}"
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
        near = difflib.get_close_matches(name.upper(), known, n=1, cutoff=0.87)
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
