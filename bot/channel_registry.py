"""Open the adapters and webhook routes of the channels whose settings are set.

Only these adapters are imported, because their libraries are slow to import.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from adapters.http_api import HttpApi
from bot.accounts.email_addresses import parse_sender
from bot.contracts.channels import Adapter, CheckedAdapter, CodeService, Receive, WebhookRoute
from bot.contracts.storage import ReadFile
from bot.gateway.delivery.routing import ALL_OTHERS, NO_ROUTES, OutboundRoutes
from bot.settings import Settings

if TYPE_CHECKING:
    from adapters.telegram.adapter import Telegram

Receiver = Callable[[Receive], Awaitable[None]]


@dataclass(slots=True)
class Channels:
    """The adapters and webhook routes of one process."""

    adapters: list[Adapter] = field(default_factory=list[Adapter])
    routes: dict[str, WebhookRoute] = field(default_factory=dict[str, WebhookRoute])
    """The webhook routes by path."""
    receivers: dict[str, Receiver] = field(default_factory=dict[str, Receiver])
    """Functions, by the adapter's name, that set up its webhook, or poll for updates."""
    telegram: Telegram | None = None
    """The Telegram adapter, which also refunds payments in Telegram."""
    outbound: OutboundRoutes = NO_ROUTES
    checked: dict[str, CheckedAdapter] = field(default_factory=dict[str, CheckedAdapter])
    """The accounts at providers, each by the setting of the provider's address."""
    contacts: dict[str, Callable[[], Awaitable[str]]] = field(
        default_factory=dict[str, Callable[[], Awaitable[str]]]
    )
    """Functions, by the provider's name, that ask it for the address at which people write to the
    bot. They raise as `check` does."""


def open_channels(
    settings: Settings,
    read_file: ReadFile,
    more: Sequence[Adapter] = (),
) -> Channels:
    """Open the adapters whose settings are set, beside `more`."""
    channels = Channels([HttpApi(read_file), *more])
    _open_telegram(channels, settings, read_file)
    _open_twilio(channels, settings)
    _open_sms_gateways(channels, settings)
    _open_whatsapp(channels, settings, read_file)
    _open_email(channels, settings, read_file)
    return channels


def open_code_service(settings: Settings) -> CodeService | None:
    """Open the service that makes, sends and checks login codes, where the settings name one."""
    if not settings.twilio_verify_service_sid:
        return None
    from adapters.twilio.login_codes import TwilioVerify

    return TwilioVerify(settings)


def _open_telegram(channels: Channels, settings: Settings, read_file: ReadFile) -> None:
    if settings.telegram_bot_token:
        from adapters.telegram.adapter import Telegram

        channels.telegram = Telegram(settings, read_file)
        channels.adapters.append(channels.telegram)
        channels.checked["TELEGRAM_API_URL"] = channels.telegram
        channels.contacts[channels.telegram.title] = channels.telegram.find_address
        channels.routes["/webhooks/telegram"] = WebhookRoute(channels.telegram)
        channels.receivers[channels.telegram.name] = channels.telegram.receive


def _open_twilio(channels: Channels, settings: Settings) -> None:
    """Open SMS and WhatsApp by Twilio, which share their webhooks."""
    if settings.twilio_account_sid and settings.twilio_auth_token:
        from adapters.twilio.account import Account

        channels.checked["TWILIO_API_URL"] = Account(settings)
    senders = settings.twilio_whatsapp_from or settings.twilio_sms_from
    if not (settings.twilio_account_sid and senders):
        return
    from adapters.twilio.parse import TwilioWebhooks

    route = WebhookRoute(TwilioWebhooks(settings), status=204)
    channels.routes |= {"/webhooks/twilio": route, "/webhooks/twilio/status": route}
    if settings.twilio_whatsapp_from:
        from adapters.twilio.adapter import TwilioWhatsapp

        channels.adapters.append(TwilioWhatsapp(settings))
    if settings.twilio_sms_from:
        from adapters.twilio.adapter import TwilioSms

        channels.adapters.append(TwilioSms(settings))


def _open_sms_gateways(channels: Channels, settings: Settings) -> None:
    """Open the other providers of SMS, and set which provider sends to which numbers."""
    providers = settings.sms_providers
    if "orange" in providers:
        from adapters.orange import OrangeSms, OrangeWebhooks

        orange = OrangeSms(settings)
        channels.adapters.append(orange)
        channels.checked["ORANGE_API_URL"] = orange
        channels.routes["/webhooks/orange/{key}"] = WebhookRoute(OrangeWebhooks(settings))
    if "africastalking" in providers:
        from adapters.africastalking import AfricasTalkingSms, AfricasTalkingWebhooks

        africastalking = AfricasTalkingSms(settings)
        channels.adapters.append(africastalking)
        channels.checked["AFRICASTALKING_API_URL"] = africastalking
        route = WebhookRoute(AfricasTalkingWebhooks(settings))
        channels.routes["/webhooks/africastalking/{key}"] = route
    if providers:
        by_code = {ALL_OTHERS: "twilio"} | dict(settings.sms_routes)
        names = {code: f"{name}_sms" for code, name in by_code.items() if name in providers}
        channels.outbound = OutboundRoutes({"sms": names}, settings.sms_one_way)


def _open_whatsapp(channels: Channels, settings: Settings, read_file: ReadFile) -> None:
    if settings.whatsapp_token and settings.whatsapp_phone_number_id:
        from adapters.whatsapp.adapter import WhatsAppCloud, WhatsAppWebhooks

        cloud = WhatsAppCloud(settings, read_file)
        channels.adapters.append(cloud)
        channels.checked["WHATSAPP_API_URL"] = cloud
        channels.contacts[cloud.title] = cloud.find_address
        reader = WhatsAppWebhooks(settings)
        channels.routes["/webhooks/whatsapp"] = WebhookRoute(reader, challenge=reader.challenge)


def _open_email(channels: Channels, settings: Settings, read_file: ReadFile) -> None:
    if settings.smtp_url and settings.mail_from:
        from adapters.email import EmailAdapter, parse_smtp_url

        server, sender = parse_smtp_url(settings.smtp_url), parse_sender(settings.mail_from)
        channels.adapters.append(EmailAdapter(server, sender, read_file))
