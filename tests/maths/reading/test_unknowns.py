"""Letters with a meaning that a text uses as unknowns."""

from __future__ import annotations

import pytest

from bot.maths.reading.prose import read_sentences
from bot.maths.reading.unknowns import PLAIN, mark_unknowns


def _list_marked(text: str) -> set[str]:
    sentences = read_sentences(text)
    mark_unknowns(sentences)
    texts = (token.text for sentence in sentences for token in sentence.tokens)
    return {each.translate(PLAIN) for each in texts if each.translate(PLAIN) != each}


@pytest.mark.parametrize(
    ("text", "letters"),
    [
        ("Soit e le nombre d'enfants : 3e + 5 = 20.", {"e"}),
        ("On pose $e$ le tarif enfant. $5a + 3e = 8500$", {"e"}),
        ("L'épaisseur est e = 4 mm.", {"e"}),
        ("Soit p et f les prix. 2p + 3f = 9 000", {"f"}),
        ("3m + 2b = 700 et m + b = 300, donc m = 100.", {"m"}),
        ("2L + 2l = 26, or L = 8, donc l = 5.", {"L", "l"}),
        ("e ≈ 2,718 et e = 2,71828…", set()),
        ("Soit e le nombre tel que ln e = 1.", set()),
        ("e = 3 et e^x > 0", set()),
        ("Il paie 500f + 200f = 700f.", set()),
        ("Soit f la fonction f(x) = 2x + 3f.", set()),
        ("m = 2 kg, h = 10m, b = 4m.", set()),
        ("t = 2h + 30m", set()),
    ],
)
def test_letters_are_unknowns_where_the_text_says_what_they_stand_for(
    text: str, letters: set[str]
) -> None:
    assert _list_marked(text) == letters
