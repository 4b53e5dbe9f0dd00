"""An endpoint of models: whether it takes the key and has the models.

Listing costs nothing (https://platform.openai.com/docs/api-reference/models/list). Where an
endpoint lists none, one token is asked for, which costs a tiny part of a cent.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from bot.checks.findings import Finding
from bot.checks.providers.asking import Answer, ask, fields_of
from bot.settings import Endpoint

_NO_LIST = (404, 405, 501)


async def examine(endpoint: Endpoint, wanted: Sequence[str], setting: str) -> Sequence[Finding]:
    """
    Args:
        wanted: the names of models that are asked there.
        setting: which names the endpoint's key, for the findings.

    Raises `Unanswered`.
    """
    base = endpoint.base_url.rstrip("/")
    headers = {"Authorization": f"Bearer {endpoint.api_key}"} if endpoint.api_key else {}
    listed = await ask(f"{base}/models", headers=headers)
    if listed.status in _NO_LIST:
        return [await _ask_for_a_token(base, headers, wanted[0], setting)]
    if not listed.is_good:
        return [_refused(listed, setting)]
    names = names_in(listed)
    if names is None:
        return [await _ask_for_a_token(base, headers, wanted[0], setting)]
    missing = [name for name in wanted if not _is_among(name, names)]
    if missing:
        advice = "check the spelling, and that the account may use it"
        return [
            Finding("warning", name, "its endpoint lists no such model", advice) for name in missing
        ]
    return [Finding("ok", "models", f"{endpoint.base_url} has {', '.join(wanted)}")]


def names_in(listed: Answer) -> list[str] | None:
    """The models that an endpoint lists; None: it is no list of models."""
    models = listed.fields.get("data")
    if not isinstance(models, list):
        return None
    return [str(fields_of(each).get("id", "")) for each in cast("list[Any]", models)]


def _is_among(name: str, names: Sequence[str]) -> bool:
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
    told = await ask(f"{base}/chat/completions", headers=headers, question=question)
    if told.is_good:
        return Finding("ok", "models", f"{model} answers (one token was paid for)")
    return _refused(told, setting, model)


def _refused(told: Answer, setting: str, model: str = "") -> Finding:
    """Raises `Unanswered` for what says nothing about our settings."""
    if told.status in {401, 403}:
        advice = "copy the key again, and check that it belongs to this endpoint"
        return Finding("error", setting, f"the endpoint refuses it: {told.status}", advice)
    if told.status == 404 and model:
        advice = "check the name of the model and the path of the base URL, often /v1"
        return Finding("error", setting, f"the endpoint knows no {model}, or is none", advice)
    if told.status in {402, 429}:
        advice = "look at its billing and limits"
        return Finding("warning", setting, f"the endpoint is at a limit: {told.status}", advice)
    raise told.unexpected()
