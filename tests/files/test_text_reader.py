"""Files that are made to break readers break a process that may be killed, and nothing else."""

from __future__ import annotations

import pytest

from bot.files.extracted_text import TextReader
from bot.isolated_worker.worker import MAX_REQUEST, IsolatedWorker
from tests.files.sample_files import bomb_pdf, make_pdf, word_part


@pytest.fixture
def reader() -> TextReader:
    return TextReader(IsolatedWorker())


async def test_a_file_is_read_in_a_process_of_its_own(reader: TextReader) -> None:
    reading = await reader.read("leçon.pdf", "application/pdf", make_pdf("L’été"))
    assert (reading.state, reading.reason, reading.is_cut) == ("kept", "", False)
    assert reading.pieces[0].body == "[page 1]\nL’été"


async def test_a_refusal_is_for_good(reader: TextReader) -> None:
    reading = await reader.read("a.bin", "", bytes(100))
    assert reading.state == "refused"
    assert "no text" in reading.reason


async def test_a_small_zip_that_unfolds_to_much_text_is_read_as_far_as_may_be(
    reader: TextReader,
) -> None:
    content = word_part(f"<w:p><w:t>{'mot ' * 25_000_000}</w:t></w:p>")
    assert len(content) < 500_000
    reading = await reader.read("a.docx", "", content)
    assert (reading.state, reading.is_cut) == ("kept", True)
    assert 2_000 < len(reading.pieces) < 4_500


async def test_one_that_takes_more_than_there_is_fails_and_may_be_tried_again(
    reader: TextReader,
) -> None:
    content = bomb_pdf(60_000_000)
    assert len(content) < 500_000
    reading = await reader.read("bomb.pdf", "", content)
    assert reading.state == "failed"
    assert reading.reason


async def test_one_that_is_larger_than_a_request_is_not_even_tried(reader: TextReader) -> None:
    reading = await reader.read("a.txt", "", b"x" * (MAX_REQUEST - 1_000))
    assert reading.state == "refused"
    assert "too large" in reading.reason
