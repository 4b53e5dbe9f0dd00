from __future__ import annotations

import random

import pytest

from bot.sandbox.command_run import MAX_TEXT, CommandOutput
from tests.support.memory import measure_bytes


def record(*parts: bytes) -> CommandOutput:
    made = CommandOutput()
    for part in parts:
        made.add(part)
    return made


def test_what_is_short_is_kept_whole() -> None:
    assert record(b"one\n", b"two\n").text == "one\ntwo\n"
    assert record().text == ""


@pytest.mark.parametrize("size", [MAX_TEXT, MAX_TEXT + 1, 20_000, 40_000, 500_000])
def test_of_what_is_long_both_ends_are_kept_and_the_cut_is_told(size: int) -> None:
    said = b"".join(b"%07d\n" % number for number in range(size // 8 + 1))[:size]
    text = record(said[: size // 3], said[size // 3 :]).text
    assert len(text) <= MAX_TEXT
    if size > MAX_TEXT:
        head, _, tail = text.partition(f"\n[truncated: {size:,} bytes in all, the middle is left")
        tail = tail.partition("]\n")[2]
        assert said.startswith(head.encode())
        assert said.endswith(tail.encode())
        assert min(len(head), len(tail)) > 1_800
    else:
        assert text == said.decode()


def test_it_does_not_matter_in_which_pieces_it_comes() -> None:
    said = ("é😀ع" * 9_000).encode()
    pieces = random.Random(1).choices(range(1, 3_000), k=200)
    cut = record()
    while said_now := said[cut.size :][: pieces[cut.size % 200]]:
        cut.add(said_now)
    assert cut.text == record(said).text
    assert "�" not in cut.text


def test_it_keeps_little_of_very_much() -> None:
    made = record()
    empty = measure_bytes(made)
    for _ in range(200):
        made.add(bytes(65_536))
    assert made.size == 200 * 65_536
    assert measure_bytes(made) - empty < 40_000


@pytest.mark.parametrize(
    ("said", "text"),
    [
        pytest.param(b"\x1b[1;31mred\x1b[0m", "red", id="colours"),
        pytest.param(b"\x1b]0;title\x07a\x1b]8;;x\x1b\\b\x1b(c", "ab(c", id="titles"),
        pytest.param(b"10%\r20%\r\ndone", "10%\n20%\ndone", id="progress"),
        pytest.param(b"a\0b\x08\x7f\x9b\tc", "ab�\tc", id="controls"),
        pytest.param("\x85\u2028é".encode(), "\u2028é", id="unicode-controls"),
        pytest.param(b"\xff\xed\xa0\xbd", "����", id="no-text"),
    ],
)
def test_nothing_is_left_that_does_harm_where_it_is_kept_or_shown(said: bytes, text: str) -> None:
    assert record(said).text == text


def test_the_last_lines_are_those_said_last() -> None:
    made = record(b"first\n" * 10_000, b"last words\n")
    assert made.last_lines.endswith("first\nlast words")
    assert len(made.last_lines) <= 400
