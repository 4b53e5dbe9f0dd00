from __future__ import annotations

from bot.render.sms import to_plain
from bot.render.styled_text import Styled
from bot.render.text_cutting import cut_styled


def pieces(text: str, limit: int) -> list[str]:
    """Cut by a measure in which `#` counts for ten."""
    found = cut_styled(
        Styled(text), to_plain, lambda part: len(part) + 9 * part.count("#"), limit, 0
    )
    return [piece.text for piece in found]


def test_a_formula_is_not_parted_at_its_signs_where_there_are_words() -> None:
    assert pieces("encore un mot puis x = a + b", 24) == ["encore un mot puis", "x = a + b"]
    assert pieces("xxxxx = aaaaa + bbbbb", 14) == ["xxxxx = aaaaa", "+ bbbbb"]


def test_french_punctuation_stays_with_its_word() -> None:
    assert pieces("est-ce un mot ? oui", 14) == ["est-ce un", "mot ? oui"]


def test_after_a_dense_part_pieces_are_full_again() -> None:
    sizes = [len(piece) for piece in pieces("# " * 40 + "mot " * 100, 40)]
    assert sizes[:3] == [5, 5, 5]
    assert sizes[-5:-1] == [39, 39, 39, 39]
