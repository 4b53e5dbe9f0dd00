"""The channels that the settings name, and the doors by which their providers call.

Adapters are imported when they are wanted: their libraries are slow to import.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from adapters.http import Http
from bot.contracts import Adapter, CodeService
from bot.library.files import Files
from bot.settings import Settings
from bot.web.webhooks import Door

if TYPE_CHECKING:
    from adapters.telegram import Telegram


@dataclass(slots=True)
class Channels:
    """What a process speaks."""

    adapters: list[Adapter] = field(default_factory=list[Adapter])
    doors: dict[str, Door] = field(default_factory=dict[str, Door])
    """By path."""
    telegram: Telegram | None = None
    """It also receives by asking, where it cannot call us."""


def open_channels(settings: Settings, files: Files, more: Sequence[Adapter] = ()) -> Channels:
    """The adapters whose settings are set, and `more`."""
    channels = Channels([Http(files.read), *more])
    _open_telegram(channels, settings, files)
    _open_twilio(channels, settings)
    _open_whatsapp(channels, settings, files)
    return channels


def open_code_service(settings: Settings) -> CodeService | None:
    """What makes, sends and checks codes in our place, where the settings name it."""
    if not settings.twilio_verify_service_sid:
        return None
    from adapters.twilio_verify import TwilioVerify

    return TwilioVerify(settings)


def _open_telegram(channels: Channels, settings: Settings, files: Files) -> None:
    if settings.telegram_bot_token:
        from adapters.telegram import Telegram

        channels.telegram = Telegram(settings, files.read)
        channels.adapters.append(channels.telegram)
        channels.doors["/webhooks/telegram"] = Door(channels.telegram)


def _open_twilio(channels: Channels, settings: Settings) -> None:
    """Both share their routes: either adapter reads what comes for any of the two."""
    opened: list[Adapter] = []
    if settings.twilio_account_sid and settings.twilio_whatsapp_from:
        from adapters.twilio_whatsapp import TwilioWhatsapp

        opened.append(TwilioWhatsapp(settings))
    if settings.twilio_account_sid and settings.twilio_sms_from:
        from adapters.twilio_sms import TwilioSms

        opened.append(TwilioSms(settings, page_segments=settings.sms_page_segments))
    channels.adapters += opened
    for adapter in opened[:1]:
        channels.doors["/webhooks/twilio"] = Door(adapter, status=204)
        channels.doors["/webhooks/twilio/status"] = Door(adapter, status=204)


def _open_whatsapp(channels: Channels, settings: Settings, files: Files) -> None:
    if settings.whatsapp_token and settings.whatsapp_phone_number_id:
        from adapters.whatsapp_cloud import WhatsAppCloud

        adapter = WhatsAppCloud(settings, files.read)
        channels.adapters.append(adapter)
        channels.doors["/webhooks/whatsapp"] = Door(adapter, challenge=adapter.challenge)
