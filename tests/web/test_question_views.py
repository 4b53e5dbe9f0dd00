"""Texts on short pages: whole, small, and nothing of a stranger's in the markup."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.web.question_views import MOST_BYTES, write_markdown, write_pages

WORDS = st.text(alphabet="abc é*_`#|->[]()!<&$\\\n", max_size=200)


@settings(max_examples=40)
@given(st.lists(WORDS, max_size=60))
def test_each_page_of_a_long_text_is_small(parts: list[str]) -> None:
    markdown = "\n\n".join(parts * 3)
    assert all(len(page.encode()) <= MOST_BYTES for page in write_pages(markdown, "fr"))


@pytest.mark.parametrize("gap", ["\n\n", "\n", " "])
def test_no_word_of_a_long_text_is_lost(gap: str) -> None:
    words = [f"mot{n}" for n in range(4000)]
    pages = write_pages(gap.join(words), "fr")
    assert len(pages) > 1
    assert re.findall(r"mot\d+", "".join(pages)) == words


def test_lines_stay_lines_as_in_the_chat() -> None:
    assert write_markdown("Un vers\nun autre", "fr") == "<p>Un vers<br>un autre</p>"


def test_a_block_of_code_is_not_parted_where_it_can_stay_whole() -> None:
    code = "```\n" + "\n\n".join(f"line {n}" for n in range(100)) + "\n```"
    pages = write_pages(f"{'mot ' * 1500}\n\n{code}\n\n{'mot ' * 500}", "fr")
    assert [page.count("<pre") for page in pages if "line" in page] == [1]


@pytest.mark.parametrize(
    "hostile",
    [
        "<script>alert(1)</script>",
        "[x](javascript:alert(1))",
        "![x](https://evil.example/p.png)",
        "<img src=x onerror=alert(1)>",
        "`</code><script>`",
        "$</p><script>$",
    ],
)
def test_a_stranger_writes_no_markup(hostile: str) -> None:
    html = write_markdown(hostile, "fr")
    assert not re.search(r"<(?:script|img|[^>]*javascript:)", html)


def test_formulas_are_lines_of_text() -> None:
    html = write_markdown("Donc $x^{2}$ et\n\n$$\\frac{a}{b}$$", "fr")
    assert "x²" in html
    assert "a/b" in html
    assert "<math" not in html
