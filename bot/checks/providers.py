"""Ask each configured provider whether it accepts our keys, all at once and each within seconds.

A refusal of our settings is an error; a missing answer is a warning, since the cause may be the
provider or the network. Nothing is sent, bought or changed. Adapters ask by themselves
(`CheckedAdapter`), payment providers by `check_keys`; models and SearXNG are asked here.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Final, cast

import msgspec
from aiohttp import ClientError, ClientSession, DummyCookieJar

from adapters.base import make_whatsapp_link
from bot.billing.providers import open_providers
from bot.billing.providers.provider_client import check_keys
from bot.contracts.channels import Finding
from bot.errors import DeliveryError, NotFound, TooLarge
from bot.net import decode_json, get_fields, read_within
from bot.settings import Endpoint, Settings

if TYPE_CHECKING:
    from bot.channel_registry import Channels

_NUMBER: Final = re.compile(r"\+?[0-9]{3,15}")
"""Senders that people can write to: short codes and numbers, not names."""
SECONDS: Final = 5.0
"""Time limit for each provider, including all questions that it is asked."""


@dataclass(frozen=True, slots=True)
class _Probe:
    name: str
    address: str
    """The setting that holds its address."""
    check: Callable[[], Awaitable[Sequence[Finding]]]


@dataclass(frozen=True, slots=True)
class Contact:
    """An address where people write to the bot."""

    name: str
    address: str
    """A link or a number; empty if the provider does not answer now."""


async def ask_providers(settings: Settings, seconds: float = SECONDS) -> list[Finding]:
    """Return the findings about all providers: models and search first, payments last."""
    probes = [*_list_model_probes(settings)]
    if settings.searxng_url:
        ask = partial(probe_searxng, settings.searxng_url)
        probes.append(_Probe("SearXNG", "SEARXNG_URL", ask))
    async with _open_channels(settings) as channels:
        payments = open_providers(settings)
        probes += [
            _Probe(each.title, where, each.check) for where, each in channels.checked.items()
        ]
        probes += [
            _Probe(each.title, f"{name.upper()}_API_URL", partial(check_keys, each))
            for name, each in payments.items()
        ]
        found = await asyncio.gather(*(_run_probe(probe, seconds) for probe in probes))
    return [finding for findings in found for finding in findings]


@asynccontextmanager
async def _open_channels(settings: Settings) -> AsyncGenerator[Channels]:
    """Open the channels as the app does, except mail and templates: those are not asked here, and
    wrong settings of theirs must not keep the others from being asked."""
    from bot.channel_registry import open_channels  # slow to import, and seldom needed

    unasked = {"smtp_url": "", "whatsapp_template": ""}
    channels = open_channels(settings.model_copy(update=unasked), _read_no_file)
    try:
        yield channels
    finally:
        for each in (*channels.adapters, *channels.checked.values()):
            await each.close()


async def _read_no_file(file_id: str) -> bytes:
    raise NotFound(f"There is no file {file_id}.")


async def _run_probe(probe: _Probe, seconds: float) -> Sequence[Finding]:
    try:
        async with asyncio.timeout(seconds):
            return await probe.check()
    except TimeoutError:
        reason = f"no answer within {seconds:g} s"
    except (ConnectionError, DeliveryError) as error:
        reason = str(error)
    advice = f"check the network and {probe.address}, or try again later"
    problem = f"could not be asked: {reason}"
    return [Finding("warning", probe.name, problem, advice, "unanswered")]


def _list_model_probes(settings: Settings) -> Iterator[_Probe]:
    """Yield the models' own endpoint and the others; none if the answers are scripted."""
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
    """Return the endpoint that is asked first, with the model that answers."""
    return Endpoint(
        base_url=settings.openai_base_url, api_key=settings.openai_api_key, model=settings.model
    )


async def find_contacts(settings: Settings) -> list[Contact]:
    """Return where people can write to this bot; providers that have to be asked are asked at the
    same time."""
    async with _open_channels(settings) as channels:
        asked = (_find_contact(*each) for each in channels.contacts.items())
        contacts = list(await asyncio.gather(*asked))
    if number := settings.twilio_whatsapp_from.removeprefix("whatsapp:"):
        contacts.append(Contact("WhatsApp", make_whatsapp_link(number)))
    if settings.twilio_sms_from:
        contacts.append(Contact("SMS", settings.twilio_sms_from))
    if "africastalking" in settings.sms_providers and _NUMBER.fullmatch(
        settings.africastalking_sender
    ):
        contacts.append(Contact("SMS", settings.africastalking_sender))
    return contacts


async def _find_contact(name: str, find_address: Callable[[], Awaitable[str]]) -> Contact:
    try:
        async with asyncio.timeout(SECONDS):
            return Contact(name, await find_address())
    except (ConnectionError, DeliveryError, TimeoutError):
        return Contact(name, "")


def _list_wanted_models(settings: Settings) -> list[str]:
    """Return every model that the first endpoint is asked for, the main one first."""
    names = (
        settings.model,
        settings.utility_model,
        settings.vision_model,
        settings.transcribe_model,
        settings.embed_model,
        settings.answer_model if settings.two_phase else "",
    )
    return list(dict.fromkeys(filter(None, names)))


_MAX_ANSWER = 4 * 2**20
"""Most bytes of an answer; the longest are lists of models."""


@dataclass(frozen=True, slots=True)
class _Answer:
    status: int
    content: Any
    """The decoded JSON; None if it is no JSON."""

    @property
    def is_good(self) -> bool:
        return 200 <= self.status < 300

    @property
    def fields(self) -> Mapping[str, Any]:
        """The fields of its JSON object; empty if it is none."""
        return get_fields(self.content)

    def unexpected(self) -> ConnectionError:
        return ConnectionError(f"it answered {self.status}")


async def _ask(
    url: str, *, headers: Mapping[str, str] | None = None, question: object = None
) -> _Answer:
    """Send a GET, or a POST with `question` as JSON. Redirects are returned as answers, because
    following them would send keys elsewhere. The caller sets the time limit.

    Raises:
        ConnectionError: no connection, or a broken or too long answer.
    """
    sent = {"User-Agent": "Griot", "Accept": "application/json", **(headers or {})}
    body = None if question is None else msgspec.json.encode(question)
    if body is not None:
        sent["Content-Type"] = "application/json"
    # `from None`: aiohttp's errors contain the URL.
    try:
        async with (
            ClientSession(cookie_jar=DummyCookieJar()) as session,
            session.request(
                "GET" if body is None else "POST",
                url,
                headers=sent,
                data=body,
                allow_redirects=False,
            ) as response,
        ):
            return _Answer(response.status, decode_json(await read_within(response, _MAX_ANSWER)))
    except TooLarge:
        raise ConnectionError(f"it answered more than {_MAX_ANSWER} bytes") from None
    except (ClientError, OSError, ValueError) as error:
        raise ConnectionError(f"no connection ({type(error).__name__})") from None


_NO_LIST = (404, 405, 501)


async def probe_models(
    endpoint: Endpoint, wanted: Sequence[str], setting: str
) -> Sequence[Finding]:
    """Ask an endpoint whether it accepts its key and has the models.

    Args:
        wanted: the names of models that are asked there.
        setting: the setting of the endpoint's key, for the findings.

    Raises:
        ConnectionError: there was no answer, or none about our settings.
    """
    base = endpoint.base_url.rstrip("/")
    headers = {"Authorization": f"Bearer {endpoint.api_key}"} if endpoint.api_key else {}
    listed = await _ask(f"{base}/models", headers=headers)
    if listed.status in _NO_LIST:
        return [await _ask_for_a_token(base, headers, wanted[0], setting)]
    if not listed.is_good:
        return [_explain_model_refusal(listed, setting)]
    names = _list_model_names(listed)
    if names is None:
        return [await _ask_for_a_token(base, headers, wanted[0], setting)]
    missing = [name for name in wanted if not _is_listed(name, names)]
    if missing:
        advice = "check the spelling, and that the account may use it"
        return [
            Finding("warning", name, "its endpoint lists no such model", advice) for name in missing
        ]
    return [Finding("ok", "models", f"{endpoint.base_url} has {', '.join(wanted)}")]


def _list_model_names(listed: _Answer) -> list[str] | None:
    """Return the models that an endpoint lists; None: the answer is no list of models."""
    models = listed.fields.get("data")
    if not isinstance(models, list):
        return None
    return [str(get_fields(each).get("id", "")) for each in cast("list[Any]", models)]


def _is_listed(name: str, names: Sequence[str]) -> bool:
    """Return whether it is listed, if only as `models/NAME` (Gemini) or `NAME:latest` (Ollama)."""
    return any(
        name in {each, each.removeprefix("models/"), each.partition(":")[0]} for each in names
    )


async def try_model(endpoint: Endpoint, setting: str) -> Finding:
    """Ask for one token, if an endpoint's list does not say enough. Raises `ConnectionError`."""
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
    answer = await _ask(f"{base}/chat/completions", headers=headers, question=question)
    if answer.is_good:
        return Finding("ok", "models", f"{model} answers (one token was paid for)")
    return _explain_model_refusal(answer, setting, model)


def _explain_model_refusal(answer: _Answer, setting: str, model: str = "") -> Finding:
    """Return a refusal's finding. Raises `ConnectionError`: it does not concern our settings."""
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


async def probe_searxng(searxng_url: str) -> Sequence[Finding]:
    """Ask SearXNG for JSON. Raises `ConnectionError`."""
    answer = await _ask(f"{searxng_url.rstrip('/')}/search?q=griot&format=json")
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
"""Servers of OpenAI's API below /v1 without a key, and their usual ports."""
_LOCAL_SECONDS: Final = 0.7
_OURSELVES: Final = "griot"
"""The model of a Griot that runs here, on one of these ports."""
_NO_CHAT: Final = ("embed", "rerank", "whisper")
"""Parts of the names of models that do not chat."""


@dataclass(frozen=True, slots=True)
class LocalServer:
    """A server that answers, and its models."""

    name: str
    base_url: str
    models: Sequence[str]


async def find_local_servers(ports: Mapping[str, int] = USUAL_PORTS) -> list[LocalServer]:
    """Return the servers that answer within a moment and have a model; only this machine is
    asked."""
    found = await asyncio.gather(*(_find_local_server(name, port) for name, port in ports.items()))
    return [server for server in found if server is not None]


async def _find_local_server(name: str, port: int) -> LocalServer | None:
    base_url = f"http://127.0.0.1:{port}/v1"
    try:
        async with asyncio.timeout(_LOCAL_SECONDS):
            listed = await _ask(f"{base_url}/models")
    except (ConnectionError, TimeoutError):
        return None
    if not listed.is_good:
        return None
    models = [
        model
        for model in _list_model_names(listed) or ()
        if model and model != _OURSELVES and not any(word in model.lower() for word in _NO_CHAT)
    ]
    return LocalServer(name, base_url, models) if models else None
