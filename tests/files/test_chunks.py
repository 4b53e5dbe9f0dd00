from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from bot.files.text_worker import CHUNK_LENGTH, find_place, split_into_chunks

SENTENCE = "Une phrase de taille moyenne, qui finit ici. "


def test_a_short_text_is_one_chunk_and_none_is_none() -> None:
    [chunk] = split_into_chunks("Bonjour.")
    assert (chunk.body, chunk.overlap, chunk.place) == ("Bonjour.", 0, "")
    assert list(split_into_chunks("")) == []


def test_chunks_end_with_sentences_and_begin_with_the_last_one_before() -> None:
    first, second, *_ = split_into_chunks(SENTENCE * 60)
    assert first.body.endswith("ici. ")
    assert CHUNK_LENGTH - len(SENTENCE) < len(first.body) <= CHUNK_LENGTH
    assert second.body[: second.overlap].startswith("Une phrase")
    assert 0 < second.overlap <= 150


def test_paragraphs_are_better_ends_than_sentences() -> None:
    first, *_ = split_into_chunks(SENTENCE * 12 + "\n\n" + SENTENCE * 30)
    assert first.body == SENTENCE * 12 + "\n\n"


def test_text_without_any_space_is_cut_all_the_same() -> None:
    assert [len(chunk.body) for chunk in split_into_chunks("x" * 2_000)] == [
        CHUNK_LENGTH,
        CHUNK_LENGTH,
        200,
    ]


@given(st.text(alphabet="ab .\n[page 1]é", max_size=6_000), st.integers(1, 40))
def test_without_their_overlaps_all_chunks_are_the_text(text: str, times: int) -> None:
    whole = text * times
    chunks = list(split_into_chunks(whole))
    assert "".join(chunk.body[chunk.overlap :] for chunk in chunks) == whole
    assert all(0 < len(chunk.body) - chunk.overlap <= CHUNK_LENGTH for chunk in chunks)
    assert all(0 <= chunk.overlap <= 150 for chunk in chunks)


def test_each_chunk_knows_on_which_page_it_begins() -> None:
    text = f"[page 1]\n{SENTENCE * 30}\n\n[page 2]\ncourt\n\n[page 12]\n{SENTENCE * 50}"
    places = [chunk.place for chunk in split_into_chunks(text)]
    assert places[0] == "page 1"
    assert places[-1] == "page 12"
    assert places == sorted(places, key=lambda place: int(place.split()[1]))


def test_a_page_that_begins_within_a_chunk_is_where_the_next_one_begins() -> None:
    first, second, *_ = split_into_chunks(f"{SENTENCE * 5}\n[page 7]\n{SENTENCE * 40}")
    assert (first.place, second.place) == ("", "page 7")


def test_the_place_of_a_position_is_the_last_mark_before_it() -> None:
    text = "avant\n[sheet Mes notes]\na\n[slide 2]\nb [page 3] c"
    assert find_place(text, 2) == ""
    assert find_place(text, text.index("\na")) == "sheet Mes notes"
    assert find_place(text, len(text)) == "slide 2"
