from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from bot.files.search_terms import MOST_SHOWN, cut_snippet, parse_terms

FILLER = "Rien de cela ne dit quoi que ce soit. " * 15


def test_a_short_text_is_shown_whole_on_one_line() -> None:
    assert cut_snippet("L’eau\n\tbout.", parse_terms("eau")) == ("L’eau bout.", 0)


def test_the_place_with_most_of_the_words_is_shown() -> None:
    text = f"L’eau seule. {FILLER}Les équations de l’eau bouillante. {FILLER}"
    shown, position = cut_snippet(text, parse_terms("équation eau bouillir"))
    assert "Les équations de l’eau bouillante." in shown
    assert text[position:].startswith("équations")
    assert shown.startswith("…")
    assert shown.endswith("…")


def test_where_no_word_stands_the_beginning_is_shown() -> None:
    shown, position = cut_snippet(FILLER, parse_terms("photosynthèse"))
    assert shown.startswith("Rien de cela")
    assert position == 0


@given(st.text(max_size=1_500), st.text(max_size=40))
def test_no_snippet_is_longer_than_it_may_be(text: str, question: str) -> None:
    shown, position = cut_snippet(text, parse_terms(question))
    assert len(shown) <= MOST_SHOWN + 2
    assert 0 <= position <= len(text)
