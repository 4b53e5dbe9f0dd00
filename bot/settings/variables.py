"""The settings themselves: one field a variable, in lower case, with its default.

Names, defaults and meanings are those of the README's table.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from ipaddress import IPv4Network, IPv6Network
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, Json, field_validator

from bot.settings.values import (
    Advisor,
    Capability,
    Count,
    Endpoint,
    McpServer,
    Money,
    Names,
    Networks,
    Origins,
    PackOffer,
    PerSecond,
    RemoteAgent,
    ScriptedCalls,
    Seconds,
    Secret,
    Url,
)

_CALLING_CODE = re.compile(r"\+?[1-9][0-9]{0,3}")


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
    trusted_proxies: Networks = (IPv4Network("127.0.0.0/8"), IPv6Network("::1/128"))
    """Who may say on whose behalf it asks; anyone else's word for that is ignored."""
    client_address_header: Annotated[str, Field(pattern=r"^[A-Za-z0-9-]+$")] = "X-Forwarded-For"
    """Where a trusted proxy says it: one address, or a list whose last one it added itself."""
    cors_origins: Origins = frozenset()
    """Other sites whose pages may use the API; `*`: all, without cookies."""
    secret_key: Secret = ""
    secret_key_previous: Secret = ""
    """What was made with it is still good; nothing is made with it."""
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
    telegram_per_second: PerSecond = 25
    """Messages to everybody together; Telegram takes about 30, more where it is paid for."""

    twilio_account_sid: str = ""
    twilio_auth_token: Secret = ""
    twilio_sms_from: str = ""
    twilio_whatsapp_from: str = ""
    twilio_template_sid: str = ""
    twilio_verify_service_sid: str = ""
    """Set: login codes are made, sent and checked by Twilio Verify, and not by Griot."""
    twilio_api_url: Url = "https://api.twilio.com"
    twilio_sms_per_second: PerSecond = 10
    twilio_whatsapp_per_second: PerSecond = 80

    whatsapp_token: Secret = ""
    whatsapp_phone_number_id: str = ""
    whatsapp_app_secret: Secret = ""
    whatsapp_verify_token: Secret = ""
    whatsapp_template: str = ""
    whatsapp_api_url: Url = "https://graph.facebook.com/v23.0"
    whatsapp_per_second: PerSecond = 80

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
    mtn_momo_user: Annotated[str, Field(pattern=r"^[^:]*$")] = ""
    """A UUID; it goes before the colon of a Basic login."""
    mtn_momo_key: Secret = ""
    mtn_momo_subscription_key: Secret = ""
    mtn_momo_api_url: Url = "https://proxy.momoapi.mtn.com"
    mtn_momo_environment: Literal[
        "sandbox", "mtnivorycoast", "mtnbenin", "mtncameroon", "mtncongo"
    ] = "mtnivorycoast"
    """`X-Target-Environment`; of the sandbox's own address it is always `sandbox`."""

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

    burst_seconds: Seconds = 0.6
    """Messages that follow within are one turn; 0: never joined."""
    burst_long_seconds: Seconds = 2.0
    """The same after a very long message, of which clients send the rest as another."""
    burst_most_seconds: Seconds = 10.0
    """For how long messages are joined at most."""
    quiet_hours: Annotated[str, Field(pattern=r"^([01]?\d|2[0-4])-([01]?\d|2[0-4])$")] = "21-7"
    """By each person's clock; nobody is then reminded at an hour that they did not choose. Both
    the same: there are none."""
    sms_segment_usd: Money = 0.05
    """Price of one SMS segment, for the accounts."""
    sms_page_segments: Annotated[int, Field(gt=0)] = 4
    """Segments of a long SMS answer that are sent at once; the rest follows on MORE."""

    welcome_credits: Count = 50
    guest_daily_messages: Count = 10
    credits_per_usd: Count = 1000
    min_turn_credits: Count = 1
    packs: Json[Annotated[tuple[PackOffer, ...], Field(max_length=10)]] = ()
    """What is sold; empty: the packs of `bot/accounts/packs.py`."""
    otp_countries: Names = frozenset()
    link_seconds: Annotated[int, Field(gt=0)] = 86_400

    lease_seconds: Annotated[float, Field(ge=1)] = 15
    drain_seconds: Seconds = 20
    max_running_turns: Annotated[int, Field(gt=0)] = 2000

    @field_validator(
        "disabled_tools", "otp_countries", "trusted_proxies", "cors_origins", mode="before"
    )
    @classmethod
    def _comma_separated(cls, value: object) -> object:
        if isinstance(value, str):
            return [name.strip() for name in value.split(",") if name.strip()]
        return value

    @field_validator("packs")
    @classmethod
    def _told_apart(cls, packs: tuple[PackOffer, ...]) -> tuple[PackOffer, ...]:
        if len({pack.fcfa for pack in packs}) < len(packs):
            raise ValueError("two packs have the same price")
        return packs

    @field_validator("otp_countries")
    @classmethod
    def _calling_codes(cls, codes: frozenset[str]) -> frozenset[str]:
        if not all(map(_CALLING_CODE.fullmatch, codes)):
            raise ValueError("calling codes are digits, such as 225,221")
        return codes

    @field_validator("public_url", "telegram_api_url", "openai_base_url", "twilio_api_url")
    @classmethod
    def _no_trailing_slash(cls, value: str | None) -> str | None:
        return value.rstrip("/") if value else value

    @property
    def is_sqlite(self) -> bool:
        return self.database_url.startswith("sqlite")

    @property
    def secret_keys(self) -> tuple[str, ...]:
        """The key that everything is made with, then the one by which older things are known."""
        return tuple(filter(None, (self.secret_key, self.secret_key_previous)))

    @property
    def base_url(self) -> str:
        """Where people reach us: `PUBLIC_URL`, or the local address."""
        return self.public_url or f"http://{self.host}:{self.port}"
