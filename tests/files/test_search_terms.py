from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.files.search_terms import (
    MOST_TERMS,
    Term,
    index_words,
    iterate_words,
    matches_term,
    parse_terms,
)


@pytest.mark.parametrize(
    "alike",
    [
        "fraction fractions Fractions FRACTIONS",
        "cheval chevaux",
        "eau eaux l'eau l’eau d'eau",
        "élève eleve élèves Élèves",
        "calculer calculé calculée calculées calcul calculs",
        "grand grande grands grandes",
        "analyse analyses analyser",
        "national nationale nationales nationaux",
        "œuvre oeuvre œuvres",
        "study studies",
        "class classes",
        "e\u0301te\u0301 été",
    ],
)
def test_forms_of_a_word_have_one_stem(alike: str) -> None:
    assert len(set(index_words(alike).split())) == 1


@pytest.mark.parametrize("apart", ["eau air", "mer mère maire", "x2 x3", "nation natation"])
def test_different_words_stay_different(apart: str) -> None:
    assert len(set(index_words(apart).split())) == len(apart.split())


def test_signs_and_emoji_are_no_words_and_other_scripts_are() -> None:
    assert index_words("¿C'est… 👩🏽‍🎓 x² + y ≥ ½ ; مَرْحَبًا!") == "est x2 y 1 2 مرحبا"


def test_what_tells_nothing_is_not_looked_for() -> None:
    assert parse_terms("Quelle est la formule de l’eau ?") == [
        Term("formul", True),
        Term("eau", False),
    ]


def test_a_question_of_nothing_else_is_taken_as_it_is() -> None:
    assert [term.stem for term in parse_terms("que faire de lui")] == ["fair"]
    assert [term.stem for term in parse_terms("où est-il")] == ["ou", "est", "il"]
    assert parse_terms("?!… 👍") == []


def test_an_endless_question_is_cut() -> None:
    assert len(parse_terms(" ".join(f"mot{number}" for number in range(500)))) == MOST_TERMS
    assert parse_terms("ab" * 150) == [Term("ab" * 20, True)]


def test_short_words_are_looked_for_whole_and_longer_ones_as_beginnings() -> None:
    eau, fraction = parse_terms("eau fraction")
    assert not matches_term(eau, "eaument")
    assert matches_term(eau, "eau")
    assert matches_term(fraction, "fractionnai")


def test_words_are_found_where_they_stand() -> None:
    text = "L’été, d'où vient-il ? E\u0301te\u0301 !"
    places = [text[word.start : word.end] for word in iterate_words(text) if word.stem == "ete"]
    assert places == ["L’été", "E\u0301te\u0301"]


@given(st.text(max_size=200))
def test_whatever_the_text_its_words_are_letters_and_digits(text: str) -> None:
    for word in index_words(text).split():
        assert word.isalnum()
        assert len(word) <= 40


@given(st.text(max_size=60))
def test_each_telling_word_of_a_text_finds_the_text(text: str) -> None:
    stems = index_words(text).split()
    assert all(any(matches_term(term, stem) for stem in stems) for term in parse_terms(text))
