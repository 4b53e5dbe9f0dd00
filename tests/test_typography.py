from __future__ import annotations

import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.typography import StreamTypesetter, to_ordinary_signs, typeset

N = "\u202f"
F = "\u00a0"

_SIGNS = [*"aé1 «»;:!?'’*_`$()[]|~>-.,…%\n", " ", " ?", " :", "\n\n", "```", "$$", "l'", "12 000"]
_WORDS = [
    "https://a.ci/l'x?",
    "F",
    " CFA",
    " 000",
    "M. ",
    "<",
    "/",
    "\\(",
    "\\)",
    "10 F CFA",
    "\u00a0",
    "\u202f",
    "n° 5",
    "mot ",
]
PIECES = st.lists(st.sampled_from([*_SIGNS, *_WORDS]), max_size=40)


@pytest.mark.parametrize(
    ("written", "typeset_"),
    [
        ("Ça va ? Oui ! Bien ;\nVoici :", f"Ça va{N}? Oui{N}! Bien{N};\nVoici{F}:"),
        ("**Total** : *quoi* ?", f"**Total**{F}: *quoi*{N}?"),
        ("**Total :** 5", f"**Total{F}:** 5"),
        ("Vraiment ?! (oui ?)", f"Vraiment{N}?! (oui{N}?)"),
        ("« oui » ou «non»", f"«{F}oui{F}» ou «non»"),
        ("l'eau, aujourd'hui, qu'**elle**", "l’eau, aujourd’hui, qu’**elle**"),
        ("jusqu'à 10, lorsqu'à midi, J'… ai", "jusqu’à 10, lorsqu’à midi, J’… ai"),
        ("10 000 F CFA, 22 %, 7,3 Ko", f"10{N}000{F}F{F}CFA, 22{F}%, 7,3{F}Ko"),
        ("]-∞ ; 3], f′ ; g", f"]-∞{N}; 3], f′{N}; g"),
        ("n° 5 de M. Koffi", f"n°{F}5 de M.{F}Koffi"),
    ],
)
def test_spaces_and_apostrophes_become_french_ones(written: str, typeset_: str) -> None:
    assert typeset(written, "fr") == typeset_


@pytest.mark.parametrize(
    "text",
    [
        "12:30, a:b, 1 : 100, +33 612 345 678",
        "Bravo :) ou ;) ou :-) ou :/",
        "`a ? b : l'x` et ``c ` d ?``",
        "```js\nx ? 'l'x : 1 ;\n```",
        "~~~\na ? b\n\nc ?\n~~~",
        "$f'(x) ; 2 ?$ et $$a ? b$$ \\(p ? q\\) \\[r : s\\]",
        "https://a.ci/l'eau?q=1 [ici](/l'eau) a.b@c.d",
        "`jamais fermé ? oui",
        "How are you?",
        "f'(x) et f'g",
        "| a | b |\n| :--- | ---: |",
        "?",
        " ?",
        "- : vide",
    ],
)
def test_what_is_no_french_prose_stays(text: str) -> None:
    assert typeset(text, "fr") == text


def test_other_languages_stay() -> None:
    assert typeset("Est-ce l'eau ?", "en") == "Est-ce l'eau ?"


@given(PIECES)
def test_letters_and_length_never_change(pieces: list[str]) -> None:
    text = "".join(pieces)
    done = typeset(text, "fr")
    assert len(done) == len(text)
    assert re.sub(r"[ \u00a0\u202f'’]", "", done) == re.sub(r"[ \u00a0\u202f'’]", "", text)
    assert to_ordinary_signs(done) == to_ordinary_signs(text)


@given(PIECES)
def test_typesetting_twice_changes_nothing_more(pieces: list[str]) -> None:
    done = typeset("".join(pieces), "fr")
    assert typeset(done, "fr") == done


@given(PIECES)
def test_a_stream_is_typeset_as_the_whole_is(pieces: list[str]) -> None:
    typesetter = StreamTypesetter("fr")
    streamed = "".join([*map(typesetter.feed, pieces), typesetter.close()])
    assert streamed == typeset("".join(pieces), "fr")


def test_a_stream_holds_back_no_more_than_a_word() -> None:
    typesetter = StreamTypesetter("fr")
    assert typesetter.feed("Une phrase assez longue ") == "Une phrase assez longue"
    assert typesetter.feed("? Oui") == f"{N}? Oui"
    assert typesetter.close() == ""


def test_a_long_text_is_typeset_in_little_time() -> None:
    for text in ("l'eau ? " * 20_000, "`" * 50_000, "$a " * 50_000, "```\n" * 20_000, " " * 50_000):
        started = time.perf_counter()
        typeset(text, "fr")
        assert time.perf_counter() - started < 2


@pytest.mark.parametrize(
    "line",
    [
        "/" * 4_000,
        "QUJD/" * 800,
        "x" * 20_000,
        "(" * 20_000,
        "1+" * 8_000,
        "1 " * 8_000,
        " !" * 8_000,
    ],
)
@pytest.mark.parametrize("size", [20, 100_000])
def test_a_long_line_is_streamed_in_little_time(line: str, size: int) -> None:
    text = f"Voici :\n\n```\n{line}\n```\nFin."
    typesetter = StreamTypesetter("fr")
    started = time.process_time()
    given_text = "".join(typesetter.feed(text[at : at + size]) for at in range(0, len(text), size))
    assert time.process_time() - started < 2
    assert given_text + typesetter.close() == typeset(text, "fr")


def test_a_long_number_is_grouped_wherever_it_is_cut() -> None:
    text = "? 000 000 000»2«(*, !)x"
    for cut in range(1, len(text)):
        typesetter = StreamTypesetter("fr")
        pieces = [typesetter.feed(text[:cut]), typesetter.feed(text[cut:]), typesetter.close()]
        assert "".join(pieces) == typeset(text, "fr")
