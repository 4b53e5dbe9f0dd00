"""The types of single settings: simple ones, and the shapes of settings written as JSON."""

from __future__ import annotations

from collections.abc import Mapping
from ipaddress import IPv4Network, IPv6Network
from typing import Annotated, Final, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, JsonValue, model_validator

Url = Annotated[str, Field(pattern=r"^https?://[^\s/]+\S*$")]
SiteUrl = Annotated[str, Field(pattern=r"^https?://[^\s/?#]+[^\s?#]*$")]
"""An address that paths are added to."""
Names = frozenset[str]
Origins = frozenset[Annotated[str, Field(pattern=r"^(\*|https?://[^\s/*@?#]+)$")]]
Networks = tuple[IPv4Network | IPv6Network, ...]
Secret = str
"""A value that is never shown: the repr of Settings names no value."""
Seconds = Annotated[float, Field(ge=0)]
PerSecond = Annotated[float, Field(gt=0)]
Count = Annotated[int, Field(ge=0, le=10**12)]
"""A whole number that databases hold, also as a sum."""
Money = Annotated[float, Field(ge=0)]
Price = Annotated[float, Field(ge=0, le=1000, strict=True, allow_inf_nan=False)]
"""US dollars within JSON, where a text or a boolean is not accepted."""
_LONGEST_CODE: Final = 4
_LEAST_KEPT: Final = 62
"""Days: prices and figures count the messages of a month, also those reported late."""
MESSAGE_CATEGORIES: Final = (
    "service",
    "utility",
    "authentication",
    "authentication_international",
    "marketing",
    "marketing_lite",
    "referral_conversion",
    "general_purpose_ai",
)
"""The categories by which WhatsApp is known to price messages; it may add others."""
MessageCategory = Annotated[str, Field(pattern=r"^[a-z_]{1,40}$")]


def _check_country(code: str) -> str:
    import phonenumbers  # it takes longer to load than everything else here, and few need it

    if code not in phonenumbers.SUPPORTED_REGIONS:
        raise ValueError(f"{code} is no country by ISO 3166-1, such as CI or GN")
    return code


def _check_dialing_code(code: str) -> str:
    from phonenumbers import COUNTRY_CODE_TO_REGION_CODE  # slow to load, and few need it

    digits = code.removeprefix("+")
    if not (digits.isdecimal() and len(digits) <= _LONGEST_CODE and digits[0] != "0"):
        raise ValueError("calling codes are digits, such as 225,221")
    starts = (int(digits[:size]) for size in range(1, len(digits) + 1))
    if not any(start in COUNTRY_CODE_TO_REGION_CODE for start in starts):
        raise ValueError(f"no country has the calling code {digits}")
    return code


def _check_retention(days: int) -> int:
    if 0 < days < _LEAST_KEPT:
        raise ValueError(f"0, or {_LEAST_KEPT} at least: figures need the messages of two months")
    return days


RetentionDays = Annotated[int, Field(ge=0, le=36_500), AfterValidator(_check_retention)]
"""Days after which messages are deleted; 0: never."""
DialingCode = Annotated[str, AfterValidator(_check_dialing_code)]
"""The calling code of a country, with or without a plus sign."""
Country = Annotated[str, Field(pattern=r"^[A-Z]{2}$"), AfterValidator(_check_country)]
"""A country by ISO 3166-1, two letters; one that has phone numbers."""
PricedCountry = Annotated[
    str,
    Field(pattern=r"^(\*|[A-Z]{2})$"),
    AfterValidator(lambda code: code if code == "*" else _check_country(code)),
]
"""A country by ISO 3166-1; `*`: all others."""
CallingCode = Annotated[str, Field(pattern=r"^(\*|[1-9][0-9]{0,8})$")]
"""The first digits of numbers in E.164 without the plus sign; `*`: all other numbers."""
SmsProvider = Literal["twilio", "orange", "africastalking"]


class Endpoint(BaseModel):
    """An OpenAI-compatible endpoint, and the model used there."""

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
    """What a model can do; prices in US dollars per million tokens, and per hour of speech."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    tools: bool | None = None
    vision: bool | None = None
    reasoning: bool | None = None
    context_window: int | None = Field(default=None, gt=0)
    usd_in: float | None = Field(default=None, ge=0)
    usd_out: float | None = Field(default=None, ge=0)
    usd_hour: float | None = Field(default=None, ge=0)


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


class PackOffer(BaseModel):
    """Credits that are sold together, and their prices."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    fcfa: int = Field(gt=0, le=999_999)
    """The price in XOF and XAF alike, by which people name the pack."""
    credits: int = Field(gt=0, le=1_000_000)
    stars: int = Field(default=0, ge=0, le=10_000)
    """The price in Telegram Stars; 0: not sold for them."""


class RemoteAgent(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str = Field(pattern=r"^[a-z][a-z0-9_]{0,40}$")
    description: str = ""
    url: Url
    token: str = Field(default="", repr=False)
