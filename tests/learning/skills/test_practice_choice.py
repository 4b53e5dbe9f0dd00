"""What a person asks to practise, in their own words."""

from __future__ import annotations

import pytest

from bot.learning.skills.practice_choice import leave_request


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("je veux travailler les fractions", "les fractions"),
        ("les fractions s'il te plaît", "les fractions"), ("fractions stp merci", "fractions"),
        ("Bonjour, je voudrais m’entraîner sur les tables de 7", "les tables de 7"),
        ("donne-moi des exercices de géométrie", "géométrie"), ("je veux travailler", ""),
        ("I want to work on fractions please", "fractions"),
        ("let's practise decimals", "decimals"),
        ("on peut faire les divisions", "les divisions"), ("avoir", "avoir"), ("plus", "plus"),
        ("être et avoir", "être et avoir"), ("théorème de Pythagore", "théorème de Pythagore"),
        ("travail d'une force", "travail d'une force"), ("", ""), ("faire", "faire"),
    ],
)  # fmt: skip
def test_words_that_ask_for_practice_name_no_skill(text: str, asked: str) -> None:
    assert leave_request(text) == asked
