"""The settings themselves: one field per variable, in lower case, with its default.

The docstring below each field explains it: its first line in `.env.example`, all of it in
`docs/settings.md`. `make settings` writes both from here (`bot/settings/reference.py`).
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Mapping
from ipaddress import IPv4Network, IPv6Network
from typing import Annotated, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, Json, field_validator

from bot.settings.values import (
    Advisor,
    CallingCode,
    Capability,
    Count,
    Country,
    DialingCode,
    Endpoint,
    McpServer,
    MessageCategory,
    Money,
    Names,
    Networks,
    Origins,
    PackOffer,
    PerSecond,
    Price,
    PricedCountry,
    RemoteAgent,
    RetentionDays,
    ScriptedCalls,
    Seconds,
    Secret,
    SiteUrl,
    SmsProvider,
    Url,
)

COMMA_SEPARATED: Final = (
    "disabled_tools",
    "otp_countries",
    "trusted_proxies",
    "cors_origins",
    "sms_one_way",
)
"""Settings that are lists without JSON."""
NEEDED_FOR_SMS: Final[Mapping[SmsProvider, tuple[str, ...]]] = {
    "twilio": ("twilio_account_sid", "twilio_auth_token", "twilio_sms_from"),
    "orange": ("orange_client_id", "orange_client_secret"),
    "africastalking": ("africastalking_username", "africastalking_api_key"),
}
"""The settings without which a provider sends no SMS."""


class Settings(BaseModel):
    """All settings: one field per variable, in lower case."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    def __repr__(self) -> str:
        return "Settings(…)"

    __str__ = __repr__

    database_url: Annotated[str, Field(pattern=r"^(sqlite:///.|postgres(ql)?://)")] = (
        "sqlite:///griot.db"
    )
    """Where everything is kept: `sqlite:///griot.db`, or `postgresql://user:password@host/name`.

    SQLite is for one machine and one process that runs turns.
    """
    redis_url: Annotated[str, Field(pattern=r"^(rediss?|unix)://")] | None = None
    """Redis, needed as soon as there is more than one process: `redis://host:6379/0`."""
    blob_url: Annotated[str, Field(pattern=r"^(file:.|s3://[^/\s])")] = "file:./files"
    """Where files are kept: `file:./files`, or `s3://bucket/prefix` with the keys below."""
    aws_endpoint_url: Url | None = None
    """The address of the S3 store, where it is not Amazon's."""
    aws_access_key_id: Secret = ""
    """The key of the S3 store."""
    aws_secret_access_key: Secret = ""
    """The secret of the S3 store."""
    aws_region: str = ""
    """The region of the S3 bucket."""

    host: str = "127.0.0.1"
    """The address to listen on; `0.0.0.0` behind a proxy on another host or container."""
    port: Annotated[int, Field(ge=0, le=65535)] = 8080
    """The port to listen on; 0 takes any that is free."""
    public_url: SiteUrl | None = None
    """The address that people and providers reach: `https://griot.example`.

    Without it Telegram is polled, and links in answers lead to this machine only. Twilio and the
    payment providers need it.
    """
    trusted_proxies: Networks = (IPv4Network("127.0.0.0/8"), IPv6Network("::1/128"))
    """Proxies trusted for the client's address: addresses or networks, comma-separated."""
    client_address_header: Annotated[str, Field(pattern=r"^[A-Za-z0-9-]+$")] = "X-Forwarded-For"
    """The header in which a trusted proxy names the client's address.

    It holds one address, or a list whose last one the proxy added itself. On Fly.io:
    `Fly-Client-IP`.
    """
    cors_origins: Origins = frozenset()
    """Other sites whose pages may use the API, comma-separated; `*` allows all, without cookies."""
    secret_key: Secret = ""
    """The key that signs links and hashes codes; `griot init` makes one.

    It is required, and the same in every process.
    """
    secret_key_previous: Secret = ""
    """The key before this one: anything signed with it stays valid, nothing new is."""
    log_level: Literal["debug", "info", "warning", "error"] = "info"
    """The minimum level that is logged."""

    openai_api_key: Secret = ""
    """The key of the model's endpoint; a server of your own may need none."""
    openai_base_url: Url = "https://api.openai.com/v1"
    """The model's endpoint, OpenAI-compatible: Ollama's is `http://127.0.0.1:11434/v1`."""
    model: str = "gpt-4o-mini"
    """The model that answers."""
    model_fallbacks: Json[tuple[Endpoint, ...]] = ()
    """Endpoints that are asked in turn when the first one fails, as JSON.

    `[{"base_url": "https://…/v1", "api_key": "…", "model": "…"}]`
    """
    utility_model: str = ""
    """The model that summarises long conversations; unset: `MODEL`."""
    vision_model: str = ""
    """The model that reads photos and scanned PDFs; unset: `MODEL`."""
    transcribe_model: str = ""
    """The model that transcribes voice notes; unset: they are not heard."""
    embed_model: str = ""
    """The model that finds files by meaning; unset: they are found by words alone."""
    answer_model: str = ""
    """The model that writes the answer where `TWO_PHASE` is on; unset: `MODEL`."""
    model_capabilities: Json[Mapping[str, Capability]] = Field(default_factory=dict)
    """What your models can do and cost, as JSON, laid over the built-in table.

    `{"my-model": {"tools": false, "vision": true, "reasoning": false, "context_window": 8000,
    "usd_in": 0.15, "usd_out": 0.6}}`. Prices are US dollars per million tokens, the window is in
    tokens. Of a model that transcribes, `usd_hour` is the price of an hour of speech.
    """
    debug_mock_responses: Json[tuple[str | ScriptedCalls, ...]] | None = None
    """Scripted answers in place of a model, as a JSON list; for tests.

    Each is a text or `{"content": "…", "tool_calls": [{"name": "…", "arguments": {}}]}`.
    """

    telegram_bot_token: Secret = ""
    """The bot's token, from @BotFather."""
    telegram_webhook_secret: Secret = ""
    """Protects the webhook that Telegram calls; needed with `PUBLIC_URL`.

    1 to 256 letters, digits, `_` or `-`. `griot init` makes one, and each start tells it to
    Telegram.
    """
    telegram_api_url: Url = "https://api.telegram.org"
    """Telegram's address, for a Bot API server of your own."""
    telegram_per_second: PerSecond = 25
    """Messages a second to everybody together.

    Telegram takes about 30, more where it is paid for.
    """

    twilio_account_sid: str = ""
    """The account's SID, from Twilio's console: `AC…`."""
    twilio_auth_token: Secret = ""
    """The account's live auth token, from Twilio's console."""
    twilio_sms_from: str = ""
    """The number that sends SMS: `+1…`."""
    twilio_whatsapp_from: str = ""
    """The number that sends WhatsApp messages: `+1…`."""
    twilio_template_sid: str = ""
    """An approved template that asks people to write, outside WhatsApp's window of 24 hours.

    It has one variable: what is quoted of the answer that waits.
    """
    twilio_verify_service_sid: str = ""
    """A Twilio Verify service that makes, sends and checks login codes: `VA…`."""
    twilio_api_url: Url = "https://api.twilio.com"
    """Twilio's address."""
    twilio_sms_per_second: PerSecond = 10
    """SMS a second to everybody together."""
    twilio_whatsapp_per_second: PerSecond = 80
    """WhatsApp messages a second to everybody together."""
    twilio_message_usd: Annotated[float, Field(ge=0, le=1000)] = 0.005
    """What Twilio adds to each WhatsApp message that is delivered, also to free ones."""

    whatsapp_token: Secret = ""
    """A permanent token of a system user, from Meta's business settings."""
    whatsapp_phone_number_id: str = ""
    """The phone number's id (not the number), from WhatsApp, API setup."""
    whatsapp_app_secret: Secret = ""
    """The app's secret, from App settings, Basic; it verifies webhooks."""
    whatsapp_verify_token: Secret = ""
    """A word of your own that Meta repeats when it subscribes; `griot init` makes one."""
    whatsapp_template: str = ""
    """An approved template that asks people to write, with its language: `name:fr`."""
    whatsapp_api_url: Url = "https://graph.facebook.com/v25.0"
    """Meta's address, with the version of the Graph API."""
    whatsapp_per_second: PerSecond = 80
    """Messages a second to everybody together."""

    sms_routes: Json[Mapping[CallingCode, SmsProvider]] = Field(
        default_factory=lambda: {"*": "twilio"}
    )
    """Who sends SMS, as JSON by calling code: `{"225": "orange", "*": "twilio"}`.

    `twilio`, `orange` or `africastalking`; the longest code that fits a number wins, `*` is for all
    other numbers. Without `*`, Twilio sends to these where it is set up, else nobody does. It
    decides how SMS go out, not how they come in.
    """
    sms_one_way: frozenset[Country] = frozenset({"CI", "GN", "CG", "CD", "GM", "ST", "BF"})
    """Countries whose phones cannot answer our SMS: `CI,GN,CG,CD,GM,ST,BF`; empty: none.

    There an SMS holds links to pages in place of options, MORE and STOP, so `PUBLIC_URL` is needed.
    Take out a country where you have a number that takes answers. A sender that is a name cannot be
    answered from anywhere.
    """
    orange_client_id: str = ""
    """The client id of an application with Orange's SMS API, from developer.orange.com."""
    orange_client_secret: Secret = ""
    """The client secret of that application."""
    orange_sender: Annotated[str, Field(pattern=r"^\+[1-9][0-9]{6,14}$")] = "+2250000"
    """Orange's sender of the country: `+2250000`, in Senegal `+2210000`."""
    orange_sender_name: Annotated[str, Field(pattern=r"^[A-Za-z0-9 ._-]{0,11}$")] = ""
    """The name that phones show as the sender, registered with Orange: 11 characters at most."""
    orange_api_url: Url = "https://api.orange.com"
    """Orange's address."""
    africastalking_username: str = ""
    """The username of the application at Africa's Talking; `sandbox` in its sandbox."""
    africastalking_api_key: Secret = ""
    """The API key of that application."""
    africastalking_sender: Annotated[
        str, Field(pattern=r"^(\+?[0-9]{3,15}|[A-Za-z0-9 ._-]{0,11})$")
    ] = ""
    """The short code or sender id that is registered there; unset: Africa's Talking chooses."""
    africastalking_api_url: Url = "https://api.africastalking.com"
    """Its address; the sandbox is `https://api.sandbox.africastalking.com`."""

    smtp_url: Secret = ""
    """The mail server: `smtp://user:password@host:587`, or `smtps://…`."""
    mail_from: str = ""
    """The sender of e-mails: `Griot <griot@example.org>`."""
    operator_email: str = ""
    """Where user-reported faults are sent; several with commas."""
    operator_whatsapp: str = ""
    """Numbers that user-reported faults are sent to: `+225…`, several with commas."""
    operator_token: Secret = ""
    """Opens the operator page at `/operator`, and then `/metrics` too; 24 characters or more."""

    tavily_api_key: Secret = ""
    """The key of Tavily, which searches the web; without it public engines are asked."""
    tavily_url: Url = "https://api.tavily.com"
    """Tavily's address."""
    searxng_url: Url | None = None
    """A SearXNG server that searches the web in place of Tavily; its JSON format must be on."""
    jina_url: Url | None = None
    """A Jina reader that fetches pages; without it they are fetched here."""
    jina_api_key: Secret = ""
    """The key of the Jina reader."""

    stripe_secret_key: Secret = ""
    """Stripe's secret key; setting up each provider: docs/payments.md."""
    stripe_webhook_secret: Secret = ""
    """The signing secret of Stripe's webhook."""
    stripe_api_url: Url = "https://api.stripe.com"
    """Stripe's address."""
    paystack_secret_key: Secret = ""
    """Paystack's secret key."""
    paystack_api_url: Url = "https://api.paystack.co"
    """Paystack's address."""
    cinetpay_api_key: Secret = ""
    """CinetPay's API key; the newer API has `sk_live_…` and `sk_test_…`, one for each country."""
    cinetpay_api_password: Secret = ""
    """The password of that key; it chooses CinetPay's newer API."""
    cinetpay_country: Literal[
        "CI", "BF", "BJ", "ML", "NE", "SN", "TG", "CF", "CG", "CM", "GA", "GQ", "TD"
    ] = "CI"
    """The country of the account that has the password; it decides the currency."""
    cinetpay_site_id: str = ""
    """CinetPay's site id: with the secret key, and without a password, Checkout v2 is used."""
    cinetpay_secret_key: Secret = ""
    """CinetPay's secret key, of Checkout v2."""
    cinetpay_api_url: Url | None = None
    """CinetPay's address; unset: that of the API chosen, for `sk_test_…` the sandbox's."""
    flutterwave_secret_key: Secret = ""
    """Flutterwave's secret key."""
    flutterwave_hash: Secret = ""
    """The secret hash of Flutterwave's webhook."""
    flutterwave_api_url: Url = "https://api.flutterwave.com"
    """Flutterwave's address."""
    wave_api_key: Secret = ""
    """Wave's API key."""
    wave_webhook_secret: Secret = ""
    """The secret of Wave's webhook."""
    wave_api_url: Url = "https://api.wave.com"
    """Wave's address."""
    mtn_momo_user: Annotated[str, Field(pattern=r"^[^:]*$")] = ""
    """MTN MoMo's API user, a UUID."""
    mtn_momo_key: Secret = ""
    """The key of MTN MoMo's API user."""
    mtn_momo_subscription_key: Secret = ""
    """The subscription key of MTN MoMo's collections."""
    mtn_momo_api_url: Url = "https://proxy.momoapi.mtn.com"
    """MTN MoMo's address."""
    mtn_momo_environment: Literal[
        "sandbox", "mtnivorycoast", "mtnbenin", "mtncameroon", "mtncongo"
    ] = "mtnivorycoast"
    """MTN MoMo's target environment (`X-Target-Environment`).

    At the sandbox's own address it is always `sandbox`.
    """

    mcp_servers: Json[Mapping[str, McpServer]] = Field(default_factory=dict)
    """Servers of MCP tools, as JSON: `{"maps": {"command": "…"}, "wiki": {"url": "…"}}`.

    The model sees their tools as `maps_…` and `wiki_…`. A command sees only the variables you list
    in `env`, and harmless ones such as `PATH`; a URL may have `headers`.
    """
    advisors: Json[tuple[Advisor, ...]] = ()
    """Specialists with a prompt of their own, as JSON; the model asks them as `delegate_to_NAME`.

    `[{"name": "chemist", "description": "Knows chemistry.", "prompt": "You are …", "tools":
    ["web_search"]}]`; a `model` of its own is optional.
    """
    a2a_agents: Json[tuple[RemoteAgent, ...]] = ()
    """Agents elsewhere, over A2A, as JSON: `[{"name": "…", "url": "…"}]`.

    `url` is that of the agent card; `token` and `description` are optional.
    """

    max_iterations: Count = 10
    """Requests to the model in one turn; 0 allows none."""
    tool_timeout: Seconds = 60
    """Seconds that any tool may take."""
    turn_timeout: Seconds = 180
    """Seconds that a turn may take."""
    job_timeout: Seconds = 1800
    """Seconds that a job in the background may take."""
    max_turn_usd: Money = 0.50
    """US dollars that a turn may cost."""
    max_person_day_usd: Money = 2.00
    """US dollars that one person may cost in a day, with the messages to them."""
    max_tool_calls: Count = 40
    """Tool calls in one turn."""
    rate_limit_per_minute: Count = 20
    """Messages of a person in a minute; 0 switches this limit off.
    On WhatsApp and by SMS, where each answer costs money, it is three times as many, at least 20,
    with commands, taps and answers to exercises."""
    disabled_tools: Names = frozenset()
    """Tools that are not offered, comma-separated; `griot tools` lists all."""
    planner_mode: bool = False
    """Lets the model make a plan, which the person approves, changes or cancels first."""
    verify: bool = False
    """Makes a second pass to check that a job is done."""
    two_phase: bool = False
    """Gathers with `MODEL` and answers with `ANSWER_MODEL`."""
    check_maths: bool = True
    """Checks mathematics before it is said: what is wrong goes back to the model."""
    leak_guard: bool = True
    """Keeps back what would give away the solution of an open exercise or quiz."""
    busy_mode: Literal["queue", "steer"] = "queue"
    """What a message during a turn does: it waits (`queue`), or goes to that turn (`steer`)."""

    curriculum: str = ""
    """A folder with further skills, one TOML file a subject; unset: the built-in map alone.

    `docs/progress.md` says how to write one; `griot doctor` checks it and
    `griot skills list` shows the whole map.
    """
    reviews_a_day: Count = 10
    """Exercises that `/review` asks of a person a day, at most."""

    burst_seconds: Seconds = 0.6
    """Messages sent within this time are answered together; 0: each by itself."""
    burst_long_seconds: Seconds = 2.0
    """The same after a very long message, whose rest clients send as another one."""
    burst_most_seconds: Seconds = 10.0
    """The longest time for which messages are joined."""
    quiet_hours: Annotated[str, Field(pattern=r"^([01]?\d|2[0-4])-([01]?\d|2[0-4])$")] = "21-7"
    """Hours without reminders, by each person's clock; both the same: none.

    A reminder that comes late waits for their end, unless its time was chosen in them.
    """
    whatsapp_prices: Json[Mapping[PricedCountry, Mapping[MessageCategory, Price]]] = Field(
        default_factory=dict[str, Mapping[str, float]]
    )
    """US dollars for a delivered WhatsApp message, as JSON by country and category.

    For example `{"CI": {"service": 0.004, "utility": 0.004}, "*": {"service": 0.0077}}`.

    `*` is for all other countries. What is not set is taken from a table that comes with Griot
    (`bot/gateway/delivery/message_prices.toml`); `griot doctor` tells its date. Where WhatsApp says
    of a message that it is not billable, it costs nothing.
    """
    whatsapp_free_messages: Count = 1000
    """Delivered answers (category `service`) of each sending number that are free in a month (UTC).
    """
    sms_prices: Json[Mapping[PricedCountry, Price]] = Field(default_factory=dict[str, float])
    """US dollars for one SMS segment, as JSON by country: `{"CI": 0.08, "*": 0.05}`.

    `*` is for all other countries; what is not set is taken from the table named above.
    """
    sms_page_segments: Annotated[int, Field(gt=0)] = 4
    """Segments of a long SMS answer that are sent at once; the rest follows on MORE."""

    welcome_credits: Count = 50
    """Credits of a new account."""
    guest_daily_messages: Count = 10
    """Messages a day of somebody who is not logged in."""
    credits_per_usd: Count = 1000
    """Credits for one US dollar of model cost."""
    min_turn_credits: Count = 1
    """The least that an answer costs, in credits."""
    packs: Json[Annotated[tuple[PackOffer, ...], Field(max_length=10)]] = ()
    """What is sold, as JSON: `[{"fcfa": 500, "credits": 100, "stars": 50}]`; unset: four packs.

    `fcfa` is the price in XOF and XAF alike and names the pack; `stars` 0: not for Telegram Stars.
    """
    otp_countries: frozenset[DialingCode] = frozenset()
    """Calling codes that login codes are sent to, comma-separated: `225,221`; unset: all."""
    link_seconds: Annotated[int, Field(gt=0)] = 86_400
    """Seconds for which a link to a file, a page of progress or a short page in an SMS is valid."""

    message_retention_days: RetentionDays = 0
    """Days after which messages and their answers are deleted, 62 at least; 0: never.

    What people have learned, their files, facts, tasks and credits stay, and summaries do.
    """

    lease_seconds: Annotated[float, Field(ge=1)] = 15
    """Seconds after which another worker takes over from one that died."""
    drain_seconds: Seconds = 20
    """Seconds that running turns get when the process is asked to end.

    Give it ten more before it is killed.
    """
    max_running_turns: Annotated[int, Field(gt=0)] = 2000
    """Turns that one process runs at once."""

    @field_validator(*COMMA_SEPARATED, mode="before")
    @classmethod
    def _comma_separated(cls, value: object) -> object:
        if isinstance(value, str):
            return [name.strip() for name in value.split(",") if name.strip()]
        return value

    @field_validator("packs")
    @classmethod
    def _check_distinct(cls, packs: tuple[PackOffer, ...]) -> tuple[PackOffer, ...]:
        if len({pack.fcfa for pack in packs}) < len(packs):
            raise ValueError("two packs have the same price")
        return packs

    @field_validator(
        "public_url",
        "telegram_api_url",
        "openai_base_url",
        "twilio_api_url",
        "orange_api_url",
        "africastalking_api_url",
    )
    @classmethod
    def _no_trailing_slash(cls, value: str | None) -> str | None:
        return value.rstrip("/") if value else value

    @property
    def is_sqlite(self) -> bool:
        return self.database_url.startswith("sqlite")

    @property
    def secret_keys(self) -> tuple[str, ...]:
        """The current key, then the previous one, by which older signatures stay valid."""
        return tuple(filter(None, (self.secret_key, self.secret_key_previous)))

    def list_webhook_keys(self, provider: str) -> tuple[str, ...]:
        """List the keys accepted in the address of a webhook whose provider signs nothing: the
        current one, then that of the previous `SECRET_KEY`. Empty without a `SECRET_KEY`."""
        words = f"webhook:{provider}".encode()
        return tuple(
            hmac.new(key.encode(), words, hashlib.sha256).hexdigest()[:32]
            for key in self.secret_keys
        )

    @property
    def sms_providers(self) -> frozenset[SmsProvider]:
        """The providers of SMS that are set up."""
        return frozenset(
            provider
            for provider, needed in NEEDED_FOR_SMS.items()
            if all(getattr(self, name) for name in needed)
        )

    @property
    def base_url(self) -> str:
        """The address at which people reach us: `PUBLIC_URL`, or the local address."""
        return self.public_url or f"http://{self.host}:{self.port}"
