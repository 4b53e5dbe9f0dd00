"""Write every setting with its explanation to `.env.example` and `docs/settings.md`.

Names, defaults and explanations are read from `Settings`, so that both files agree with it.
`make settings` writes both into the current folder.
"""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any, Final, Literal, cast, get_args, get_origin

from pydantic_core import to_json

from bot.settings.variables import Settings

EXAMPLE: Final = ".env.example"
PAGE: Final = "docs/settings.md"
_SECTIONS: Final[Mapping[str, str]] = {
    "database_url": "Database and files",
    "host": "Addresses, keys, logs",
    "openai_api_key": "Models",
    "telegram_bot_token": "Telegram",
    "twilio_account_sid": "WhatsApp and SMS through Twilio",
    "whatsapp_token": "WhatsApp through Meta",
    "sms_routes": "SMS through Orange or Africa's Talking",
    "smtp_url": "E-mail and operators",
    "tavily_api_key": "The web",
    "stripe_secret_key": "Payments",
    "mcp_servers": "More tools",
    "max_iterations": "Limits and ways to work",
    "curriculum": "Learning",
    "burst_seconds": "Messages and reminders",
    "welcome_credits": "Credits, logins, links",
    "lease_seconds": "Processes",
}
"""The titles, by the setting that each section begins with."""
_EXAMPLE_HEAD: Final = """\
# Every setting of Griot, with its default. `griot init` asks for what a bot needs and writes it to
# .env. By hand: copy this file to .env, take away the # before what you set, and ask `griot doctor`
# what is missing. More about each: docs/settings.md
"""
_PAGE_HEAD: Final = """\
# Settings

Environment variables, or lines `NAME=value` of a file `.env` in the folder where Griot is started;
the environment wins. An empty value counts as unset, but for `SMS_ONE_WAY`. `griot init` asks for
what a bot needs, `griot doctor` explains what is missing or wrong,
[`.env.example`](../.env.example) is a file to copy.

This page is made from the code by `make settings`.
"""


@dataclass(frozen=True, slots=True)
class Setting:
    """One variable.

    Attributes:
        default: the value as a variable; empty where there is none.
        summary: one line.
        details: further sentences, possibly none.
    """

    name: str
    default: str
    summary: str
    details: str


@cache
def sections() -> Mapping[str, Sequence[Setting]]:
    """Return all settings under the titles of their sections, in the order of `Settings`."""
    explained = _read_docstrings()
    found: dict[str, list[Setting]] = {}
    title = ""
    for name in Settings.model_fields:
        title = _SECTIONS.get(name, title)
        summary, _, details = explained.get(name, "").partition("\n")
        found.setdefault(title, []).append(
            Setting(name.upper(), _default_of(name), summary, " ".join(details.split()))
        )
    return found


def render_example() -> str:
    """Return the text of `.env.example`."""
    parts = [_EXAMPLE_HEAD]
    for title, settings in sections().items():
        parts.append(f"\n# {title}\n")
        parts += (f"\n# {each.summary}\n#{each.name}={_quote(each.default)}\n" for each in settings)
    return "".join(parts)


def render_page() -> str:
    """Return the text of `docs/settings.md`."""
    parts = [_PAGE_HEAD]
    for title, settings in sections().items():
        parts.append(f"\n## {title}\n\n| name | default | |\n|---|---|---|\n")
        for each in settings:
            default = f"`{each.default}`" if each.default else "–"
            words = " ".join(filter(None, (each.summary, _choices(each.name), each.details)))
            parts.append(f"| `{each.name}` | {default} | {words.replace('|', chr(92) + '|')} |\n")
    return "".join(parts)


def _read_docstrings() -> Mapping[str, str]:
    """Return the docstring below each field. pydantic could do this too, but at each start."""
    module = ast.parse(inspect.getsource(Settings))
    body = cast("ast.ClassDef", module.body[0]).body
    found: dict[str, str] = {}
    for field, below in pairwise(body):
        match field, below:
            case (
                ast.AnnAssign(target=ast.Name(id=name)),
                ast.Expr(value=ast.Constant(value=str(text))),
            ):
                found[name] = inspect.cleandoc(text)
            case _:
                pass
    return found


def _default_of(name: str) -> str:
    value: Any = Settings.model_fields[name].get_default(call_default_factory=True)
    match value:
        case None:
            return ""
        case bool() | float():
            return f"{value:g}" if isinstance(value, float) else str(value).lower()
        case tuple() | frozenset():
            words = map(str, cast("Sequence[object]", value))
            return ",".join(words if isinstance(value, tuple) else sorted(words))
        case Mapping():
            return to_json(value).decode() if value else ""
        case _:
            return str(value)


def _choices(name: str) -> str:
    kind = Settings.model_fields[name.lower()].annotation
    if get_origin(kind) is not Literal:
        return ""
    return f"One of {', '.join(f'`{choice}`' for choice in get_args(kind))}."


def _quote(value: str) -> str:
    return f"'{value}'" if re.search(r"[\s#'\"$]", value) else value


def main() -> None:
    Path(EXAMPLE).write_text(render_example(), encoding="utf-8")
    Path(PAGE).write_text(render_page(), encoding="utf-8")
