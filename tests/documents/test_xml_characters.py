from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from bot.documents.characters import clean_line, clean_text, is_right_to_left


def test_what_xml_cannot_hold_is_left_out_and_the_rest_stays() -> None:
    assert clean_text("a\x00\x0b\ud83db\ufffe\uffffc") == "abc"
    assert clean_text("é \u202fمرحبا😀\u200f\tx") == "é \u202fمرحبا😀\u200f\tx"


def test_every_line_break_is_a_line_feed() -> None:
    assert clean_text("a\r\nb\rc\u2028d\x85e") == "a\nb\nc\nd\ne"
    assert clean_line("  a\r\n b\t c ") == "a b c"


def test_the_direction_is_that_of_the_first_letter() -> None:
    assert is_right_to_left("123 مرحبا hello")
    assert is_right_to_left("שלום")
    assert not is_right_to_left("hello مرحبا")
    assert not is_right_to_left("123 😀")


@given(st.text(st.characters(exclude_categories=())))
def test_whatever_it_was_it_fits_into_xml(text: str) -> None:
    element = etree.Element("a")
    element.text = clean_text(text)
    assert etree.fromstring(etree.tostring(element)).text in (element.text, None)
