"""Channels are named by adapters, their registry, the demo and the providers' stand-ins alone."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final, get_args

from bot.messages.channels import CHANNELS, WEB, PushChannel
from tests.architecture.modules import Module, read_modules

REGISTRY: Final = ("bot.messages.channels", "bot.channel_registry")
NAMED_ON_PURPOSE: Final = {
    "tools.send_sms_to_user": "the tool of this channel",
    "tools.send_whatsapp_to_user": "the tool of this channel",
}
NAMES: Final = {*get_args(PushChannel), "console"}
PLACES: Final = {"channel", "via", "other"}
"""Names of variables and parameters that hold a channel: `http` is also a scheme of addresses."""


def names_of(module: Module) -> Iterator[str]:
    """The channels that the module's code names, docstrings apart."""
    for node in ast.walk(ast.parse(module.source)):
        match node:
            case ast.Constant(value=str() as text) if text in NAMES or _names_in_sql(text):
                yield text
            case ast.keyword(arg=str() as place, value=ast.Constant(value="http")):
                yield from {WEB} if place in PLACES else ()
            case ast.Compare(left=left, comparators=[ast.Constant(value="http")]):
                yield from {WEB} if ast.unparse(left).rpartition(".")[2] in PLACES else ()
            case _:
                pass


def _names_in_sql(text: str) -> bool:
    is_sql = re.search(r"\b(SELECT|UPDATE|INSERT INTO|DELETE FROM)\b", text)
    return is_sql is not None and any(f"'{name}'" in text for name in CHANNELS)


def modules_that_name_channels(modules: Mapping[str, Module]) -> dict[str, set[str]]:
    found = {
        name: {*names_of(module)}
        for name, module in modules.items()
        if not name.startswith(("adapters", "bot.demo", "bot.standins")) and name not in REGISTRY
    }
    return {name: names for name, names in found.items() if names}


def test_nobody_else_names_a_channel() -> None:
    assert modules_that_name_channels(read_modules()).keys() - NAMED_ON_PURPOSE == set()


def test_planted_violations_are_found(tmp_path: Path) -> None:
    planted = {
        "bot/one.py": 'if channel == "http":\n    pass\n',
        "bot/two.py": 'COSTLY = {"sms"}\n',
        "bot/three.py": "SQL = \"SELECT 1 WHERE channel IN ('sms')\"\n",
        "bot/four.py": '"""SMS, or http."""\n\nSCHEMES = {"http", "https"}\n',
    }
    (tmp_path / "bot").mkdir()
    for name, source in planted.items():
        (tmp_path / name).write_text(source)
    found = modules_that_name_channels(read_modules(tmp_path))
    assert found.keys() == {"bot.one", "bot.two", "bot.three"}
