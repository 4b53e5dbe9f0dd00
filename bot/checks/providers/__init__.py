"""Asking each provider that is set whether it knows us, all at once and each within seconds.

What a provider says of our settings is an error; that it did not answer is a warning, since it may
be its own trouble, or the network's. Nothing is sent, bought or changed.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

from bot.accounts.payments.providers import open_providers
from bot.checks.findings import Finding
from bot.checks.providers import models, payments, searching, telegram, twilio, whatsapp
from bot.checks.providers.asking import Unanswered
from bot.settings import Endpoint, Settings

SECONDS: Final = 5.0
"""For each provider, however many questions it is asked."""


@dataclass(frozen=True, slots=True)
class _Probe:
    name: str
    address: str
    """The setting that says where it is."""
    examine: Callable[[], Awaitable[Sequence[Finding]]]


@dataclass(frozen=True, slots=True)
class Contact:
    """Where people write to the bot."""

    name: str
    address: str
    """A link or a number; empty when the provider does not tell it now."""


async def ask_providers(settings: Settings, seconds: float = SECONDS) -> list[Finding]:
    """What the providers say, in the order of the settings."""
    found = await asyncio.gather(*(_try(probe, seconds) for probe in _probes(settings)))
    return [finding for findings in found for finding in findings]


async def _try(probe: _Probe, seconds: float) -> Sequence[Finding]:
    try:
        async with asyncio.timeout(seconds):
            return await probe.examine()
    except Unanswered as error:
        reason = str(error)
    except TimeoutError:
        reason = f"no answer within {seconds:g} s"
    advice = f"check the network and {probe.address}, or try again later"
    problem = f"could not be asked: {reason}"
    return [Finding("warning", probe.name, problem, advice, "unanswered")]


def _probes(settings: Settings) -> Iterator[_Probe]:
    yield from _probe_models(settings)
    if settings.searxng_url:
        ask = partial(searching.examine, settings.searxng_url)
        yield _Probe("SearXNG", "SEARXNG_URL", ask)
    if settings.telegram_bot_token:
        yield _Probe("Telegram", "TELEGRAM_API_URL", partial(telegram.examine, settings))
    if settings.twilio_account_sid and settings.twilio_auth_token:
        yield _Probe("Twilio", "TWILIO_API_URL", partial(twilio.examine, settings))
    if settings.whatsapp_token and settings.whatsapp_phone_number_id:
        yield _Probe("WhatsApp", "WHATSAPP_API_URL", partial(whatsapp.examine, settings))
    for name, provider in open_providers(settings).items():
        address = f"{name.upper()}_API_URL"
        yield _Probe(provider.title, address, partial(payments.examine, provider))


def _probe_models(settings: Settings) -> Iterator[_Probe]:
    """The models' own endpoint and the others; none when the answers are scripted."""
    if settings.debug_mock_responses is not None:
        return
    default_url = Settings.model_fields["openai_base_url"].default
    if settings.openai_api_key or settings.openai_base_url != default_url:
        ask = partial(models.examine, main_endpoint(settings), _wanted(settings), "OPENAI_API_KEY")
        yield _Probe("models", "OPENAI_BASE_URL", ask)
    for number, endpoint in enumerate(settings.model_fallbacks, 1):
        setting = f"MODEL_FALLBACKS[{number}]"
        ask = partial(models.examine, endpoint, [endpoint.model], setting)
        yield _Probe(setting, "its base_url", ask)


def main_endpoint(settings: Settings) -> Endpoint:
    """The endpoint that is asked first, with the model that answers."""
    return Endpoint(
        base_url=settings.openai_base_url, api_key=settings.openai_api_key, model=settings.model
    )


async def find_contacts(settings: Settings, seconds: float = SECONDS) -> list[Contact]:
    """Where people can write to this bot; the providers that must be asked are asked at once."""
    asked: list[Awaitable[Contact]] = []
    if settings.telegram_bot_token:
        asked.append(_find_contact("Telegram", telegram.find_address(settings), seconds))
    if settings.whatsapp_token and settings.whatsapp_phone_number_id:
        asked.append(_find_contact("WhatsApp", whatsapp.find_address(settings), seconds))
    contacts = list(await asyncio.gather(*asked))
    if number := settings.twilio_whatsapp_from.removeprefix("whatsapp:"):
        contacts.append(Contact("WhatsApp", whatsapp.link_to(number)))
    if settings.twilio_sms_from:
        contacts.append(Contact("SMS", settings.twilio_sms_from))
    return contacts


async def _find_contact(name: str, asking: Awaitable[str], seconds: float) -> Contact:
    try:
        async with asyncio.timeout(seconds):
            return Contact(name, await asking)
    except (Unanswered, TimeoutError):
        return Contact(name, "")


def _wanted(settings: Settings) -> list[str]:
    """Every model that the first endpoint is asked for, the main one first."""
    names = (
        settings.model,
        settings.utility_model,
        settings.vision_model,
        settings.transcribe_model,
        settings.embed_model,
        settings.answer_model if settings.two_phase else "",
    )
    return list(dict.fromkeys(filter(None, names)))
