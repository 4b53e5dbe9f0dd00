from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.files.text_worker import clean_text, take_characters


@pytest.mark.parametrize(
    ("raw", "plain"),
    [
        ("a\r\nb\rc\u2028d", "a\nb\nc\nd"),
        ("exam\ufffe\r\nple et exa\x02\nmen", "example et examen"),
        ("ef\ufb01cace, e\u0301te\u0301", "efficace, été"),
        ("un\x00deux\x1b[31m\u202etrois\u200b", "undeux[31mtrois"),
        ("visible\U000e0041\U000e0042", "visible"),
        ("moitié\ud83d de", "moitié de"),
        ("a  \n\n\n\n\nb\t\n", "a\n\nb"),
        ("x² + ½ ≠ √2, مرحبا 👩🏽‍🎓", "x² + ½ ≠ √2, مرحبا 👩🏽‍🎓"),
        ("\n\n", ""),
    ],
)
def test_text_is_kept_but_not_what_nobody_sees(raw: str, plain: str) -> None:
    assert clean_text(raw) == plain


@given(st.text(alphabet=st.characters(), max_size=300))
def test_clean_text_can_be_written_down_and_is_clean_again(raw: str) -> None:
    plain = clean_text(raw)
    assert clean_text(plain) == plain
    assert "\x00" not in plain
    plain.encode()


def test_no_more_is_gathered_than_there_is_room_for() -> None:
    taken: list[str] = []

    def pieces():
        for piece in ("abc", "def", "ghi"):
            taken.append(piece)
            yield piece

    assert take_characters(pieces(), 9) == ("abcdefghi", False)
    taken.clear()
    assert take_characters(pieces(), 5) == ("abcde", True)
    assert taken == ["abc", "def"]
