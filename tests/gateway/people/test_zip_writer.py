"""A zip written piece by piece."""

from __future__ import annotations

import json
import zipfile
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bot.gateway.people.export import ZipWriter


async def _pages(*pages: list[object]) -> AsyncIterator[list[object]]:
    for page in pages:
        yield page


def _read(path: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(path) as archive:
        assert archive.testzip() is None
        return {name: archive.read(name) for name in archive.namelist()}


async def test_what_was_added_is_in_it(tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    async with ZipWriter(path) as archive:
        await archive.add_text("read.txt", "été\n")
        await archive.add_json("one.json", {"a": [1, "é"]})
        await archive.add_file("files", "b.bin", b"\x00\x01")
    found = _read(path)
    assert found["read.txt"].decode() == "été\n"
    assert json.loads(found["one.json"]) == {"a": [1, "é"]}
    assert found["files/b.bin"] == b"\x00\x01"


@pytest.mark.parametrize(
    "pages", [[], [[]], [[1]], [[1, 2], [3]], [[], [1], []], [[{"a": "b"}], [], [2]]]
)
async def test_a_list_of_pages_is_one_array(tmp_path: Path, pages: list[list[object]]) -> None:
    path = tmp_path / "a.zip"
    async with ZipWriter(path) as archive:
        await archive.add_list("list.json", _pages(*pages))
    assert json.loads(_read(path)["list.json"]) == [item for page in pages for item in page]


async def test_files_of_one_name_stay_apart(tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    names = ("notes.md", "Notes.md", "notes.md", "notes (2).md", "plain", "plain")
    async with ZipWriter(path) as archive:
        for number, name in enumerate(names):
            await archive.add_file("files", name, str(number).encode())
    found = _read(path)
    assert sorted(content.decode() for content in found.values()) == list("012345")
    assert len({name.casefold() for name in found}) == len(names)
