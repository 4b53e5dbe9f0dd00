"""Asking each provider that is set whether it knows us, all at once and each within seconds.

What a provider says of our settings is an error; that it did not answer is a warning, since it may
be its own trouble, or the network's. Nothing is sent, bought or changed.
"""

from __future__ import annotations

import asyncio
import re
import secrets
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, cast

from bot.billing.providers.provider_client import Declined
from bot.billing.providers.registry import open_providers
from bot.checks import channels
from bot.checks.findings import Finding
from bot.checks.http import Answer, Unanswered, ask_provider, get_fields
from bot.contracts.payments import PaymentProvider
from bot.settings import Endpoint, Settings

_NUMBER: Final = re.compile(r"\+?[0-9]{3,15}")
"""Senders that can be written to: short codes and numbers, not names."""
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
    found = await asyncio.gather(*(_run_probe(probe, seconds) for probe in _list_probes(settings)))
    return [finding for findings in found for finding in findings]


async def _run_probe(probe: _Probe, seconds: float) -> Sequence[Finding]:
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


def _list_probes(settings: Settings) -> Iterator[_Probe]:
    yield from _list_model_probes(settings)
    if settings.searxng_url:
        ask = partial(probe_searxng, settings.searxng_url)
        yield _Probe("SearXNG", "SEARXNG_URL", ask)
    if settings.telegram_bot_token:
        yield _Probe("Telegram", "TELEGRAM_API_URL", partial(channels.probe_telegram, settings))
    if settings.twilio_account_sid and settings.twilio_auth_token:
        yield _Probe("Twilio", "TWILIO_API_URL", partial(channels.probe_twilio, settings))
    if settings.whatsapp_token and settings.whatsapp_phone_number_id:
        yield _Probe("WhatsApp", "WHATSAPP_API_URL", partial(channels.probe_whatsapp, settings))
    if settings.orange_client_id and settings.orange_client_secret:
        yield _Probe("Orange", "ORANGE_API_URL", partial(channels.probe_orange, settings))
    if settings.africastalking_username and settings.africastalking_api_key:
        ask = partial(channels.probe_africastalking, settings)
        yield _Probe("Africa's Talking", "AFRICASTALKING_API_URL", ask)
    for name, provider in open_providers(settings).items():
        address = f"{name.upper()}_API_URL"
        yield _Probe(provider.title, address, partial(probe_payments, provider))


def _list_model_probes(settings: Settings) -> Iterator[_Probe]:
    """The models' own endpoint and the others; none when the answers are scripted."""
    if settings.debug_mock_responses is not None:
        return
    default_url = Settings.model_fields["openai_base_url"].default
    if settings.openai_api_key or settings.openai_base_url != default_url:
        ask = partial(
            probe_models, main_endpoint(settings), _list_wanted_models(settings), "OPENAI_API_KEY"
        )
        yield _Probe("models", "OPENAI_BASE_URL", ask)
    for number, endpoint in enumerate(settings.model_fallbacks, 1):
        setting = f"MODEL_FALLBACKS[{number}]"
        ask = partial(probe_models, endpoint, [endpoint.model], setting)
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
        asked.append(_find_contact("Telegram", channels.find_telegram_address(settings), seconds))
    if settings.whatsapp_token and settings.whatsapp_phone_number_id:
        asked.append(_find_contact("WhatsApp", channels.find_whatsapp_address(settings), seconds))
    contacts = list(await asyncio.gather(*asked))
    if number := settings.twilio_whatsapp_from.removeprefix("whatsapp:"):
        contacts.append(Contact("WhatsApp", channels.make_whatsapp_link(number)))
    if settings.twilio_sms_from:
        contacts.append(Contact("SMS", settings.twilio_sms_from))
    if "africastalking" in settings.sms_providers and _NUMBER.fullmatch(
        settings.africastalking_sender
    ):
        contacts.append(Contact("SMS", settings.africastalking_sender))
    return contacts


async def _find_contact(name: str, asking: Awaitable[str], seconds: float) -> Contact:
    try:
        async with asyncio.timeout(seconds):
            return Contact(name, await asking)
    except (Unanswered, TimeoutError):
        return Contact(name, "")


def _list_wanted_models(settings: Settings) -> list[str]:
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


_NO_LIST = (404, 405, 501)


async def probe_models(
    endpoint: Endpoint, wanted: Sequence[str], setting: str
) -> Sequence[Finding]:
    """
    Args:
        wanted: the names of models that are asked there.
        setting: which names the endpoint's key, for the findings.

    Raises `Unanswered`.
    """
    base = endpoint.base_url.rstrip("/")
    headers = {"Authorization": f"Bearer {endpoint.api_key}"} if endpoint.api_key else {}
    listed = await ask_provider(f"{base}/models", headers=headers)
    if listed.status in _NO_LIST:
        return [await _ask_for_a_token(base, headers, wanted[0], setting)]
    if not listed.is_good:
        return [_explain_model_refusal(listed, setting)]
    names = list_model_names(listed)
    if names is None:
        return [await _ask_for_a_token(base, headers, wanted[0], setting)]
    missing = [name for name in wanted if not _is_listed(name, names)]
    if missing:
        advice = "check the spelling, and that the account may use it"
        return [
            Finding("warning", name, "its endpoint lists no such model", advice) for name in missing
        ]
    return [Finding("ok", "models", f"{endpoint.base_url} has {', '.join(wanted)}")]


def list_model_names(listed: Answer) -> list[str] | None:
    """The models that an endpoint lists; None: it is no list of models."""
    models = listed.fields.get("data")
    if not isinstance(models, list):
        return None
    return [str(get_fields(each).get("id", "")) for each in cast("list[Any]", models)]


def _is_listed(name: str, names: Sequence[str]) -> bool:
    """Gemini lists `models/NAME`, Ollama `NAME:latest`, where both take NAME alone."""
    return any(
        name in {each, each.removeprefix("models/"), each.partition(":")[0]} for each in names
    )


async def try_model(endpoint: Endpoint, setting: str) -> Finding:
    """Ask for one token, where the endpoint's list does not say enough. Raises `Unanswered`."""
    headers = {"Authorization": f"Bearer {endpoint.api_key}"} if endpoint.api_key else {}
    base = endpoint.base_url.rstrip("/")
    return await _ask_for_a_token(base, headers, endpoint.model, setting)


async def _ask_for_a_token(base: str, headers: dict[str, str], model: str, setting: str) -> Finding:
    question = {
        "model": model,
        "messages": [{"role": "user", "content": "1"}],
        "max_tokens": 1,
        "stream": True,  # as turns ask
    }
    answer = await ask_provider(f"{base}/chat/completions", headers=headers, question=question)
    if answer.is_good:
        return Finding("ok", "models", f"{model} answers (one token was paid for)")
    return _explain_model_refusal(answer, setting, model)


def _explain_model_refusal(answer: Answer, setting: str, model: str = "") -> Finding:
    """Raises `Unanswered` for what says nothing about our settings."""
    if answer.status in {401, 403}:
        advice = "copy the key again, and check that it belongs to this endpoint"
        return Finding("error", setting, f"the endpoint refuses it: {answer.status}", advice)
    if answer.status == 404 and model:
        advice = "check the name of the model and the path of the base URL, often /v1"
        return Finding("error", setting, f"the endpoint knows no {model}, or is none", advice)
    if answer.status in {402, 429}:
        advice = "look at its billing and limits"
        return Finding("warning", setting, f"the endpoint is at a limit: {answer.status}", advice)
    raise answer.unexpected()


async def probe_payments(provider: PaymentProvider) -> Sequence[Finding]:
    """Raises `Unanswered`."""
    try:
        await provider.look_up(secrets.token_hex(12), "")
    except Declined as declined:
        if declined.status in {401, 403}:
            advice = f"copy the keys of {provider.title} again: live ones, or all of its sandbox"
            return [Finding("error", provider.title, f"refuses our keys: {declined}", advice)]
        if declined.status != 404:
            raise Unanswered(str(declined)) from None
    except ConnectionError as error:
        raise Unanswered(str(error)) from None
    return [Finding("ok", provider.title, "takes our keys")]


async def probe_searxng(searxng_url: str) -> Sequence[Finding]:
    """Raises `Unanswered`."""
    answer = await ask_provider(f"{searxng_url.rstrip('/')}/search?q=griot&format=json")
    if answer.status == 403:
        advice = "add json to search.formats in its settings.yml, or let our address through"
        return [Finding("error", "SEARXNG_URL", "it gives us no JSON", advice)]
    if not answer.is_good or "results" not in answer.fields:
        raise answer.unexpected()
    return [Finding("ok", "SEARXNG_URL", "answers")]


USUAL_PORTS: Final[Mapping[str, int]] = {
    "Ollama": 11434,
    "LM Studio": 1234,
    "llama-server": 8080,
    "vLLM": 8000,
}
"""All four speak OpenAI's API below /v1, without a key."""
_LOCAL_SECONDS: Final = 0.7
_OURSELVES: Final = "griot"
"""The model of a Griot that runs here, on one of these ports."""
_NO_CHAT: Final = ("embed", "rerank", "whisper")
"""In the names of models that do not answer in words."""


@dataclass(frozen=True, slots=True)
class LocalServer:
    """A server that answers, and the models it has."""

    name: str
    base_url: str
    models: Sequence[str]


async def find_local_servers(ports: Mapping[str, int] = USUAL_PORTS) -> list[LocalServer]:
    """The servers that answer within a moment and have a model; only this machine is asked."""
    found = await asyncio.gather(*(_find_local_server(name, port) for name, port in ports.items()))
    return [server for server in found if server is not None]


async def _find_local_server(name: str, port: int) -> LocalServer | None:
    base_url = f"http://127.0.0.1:{port}/v1"
    try:
        async with asyncio.timeout(_LOCAL_SECONDS):
            listed = await ask_provider(f"{base_url}/models")
    except (Unanswered, TimeoutError):
        return None
    if not listed.is_good:
        return None
    models = [
        model
        for model in list_model_names(listed) or ()
        if model and model != _OURSELVES and not any(word in model.lower() for word in _NO_CHAT)
    ]
    return LocalServer(name, base_url, models) if models else None
