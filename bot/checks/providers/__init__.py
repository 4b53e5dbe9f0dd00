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
    return [Finding("warning", probe.name, f"could not be asked: {reason}", advice)]


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
        first = Endpoint(
            base_url=settings.openai_base_url,
            api_key=settings.openai_api_key,
            model=settings.model,
        )
        ask = partial(models.examine, first, _wanted(settings), "OPENAI_API_KEY")
        yield _Probe("models", "OPENAI_BASE_URL", ask)
    for number, endpoint in enumerate(settings.model_fallbacks, 1):
        setting = f"MODEL_FALLBACKS[{number}]"
        ask = partial(models.examine, endpoint, [endpoint.model], setting)
        yield _Probe(setting, "its base_url", ask)


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
