from __future__ import annotations

import pytest

from bot.documents.pdf_layouts import split_answers
from tests.support.documents import blocks_of, said


def parted(markdown: str) -> tuple[list[str], list[str]]:
    questions, answers = split_answers(blocks_of(markdown))
    return said(questions), said(answers)


@pytest.mark.parametrize(
    "heading",
    [
        "# Corrigé", "## CORRECTION", "## Réponses", "## Les solutions", "## Answers",
        "## Answer key", "## 3. Corrigé", "## ✅ Corrigé", "## Éléments de réponse",
        "## Model answers",
        "**Corrigé**", "**Réponses :**", "**Solution**",
    ],
)  # fmt: skip
def test_what_stands_under_a_heading_of_answers_is_parted(heading: str) -> None:
    assert parted(f"Combien ?\n\n{heading}\n\nQuatre.\n\n- a\n- b") == (
        ["Combien ?"],
        ["Quatre.", "a b"],
    )


@pytest.mark.parametrize(
    "heading", ["# Répondre", "# Questions", "# La correctrice", "**Consigne**"]
)
def test_other_headings_part_nothing(heading: str) -> None:
    assert parted(f"{heading}\n\nTexte")[1] == []


def test_questions_go_on_after_the_answers_of_one_exercise() -> None:
    questions, answers = parted(
        "## Exercice 1\n\nA ?\n\n### Corrigé\n\n1\n\n#### Détail\n\n2\n\n"
        "## Exercice 2\n\nB ?\n\n### Corrigé\n\n3"
    )
    assert questions == ["Exercice 1", "A ?", "Exercice 2", "B ?"]
    assert answers == ["Exercice 1", "1", "Détail", "2", "Exercice 2", "3"]


def test_a_heading_that_says_whose_answers_these_are_stays() -> None:
    assert parted("A ?\n\n## Corrigé de l'exercice 1\n\n1")[1] == ["Corrigé de l’exercice 1", "1"]


@pytest.mark.parametrize(
    ("markdown", "questions", "answers"),
    [
        ("A ?\n\n**Réponse :** 4\n\nB ?", ["A ?", "B ?"], ["Réponse : 4"]),
        ("A ?\n**Réponse :** 4", ["A ?"], ["Réponse : 4"]),
        ("A ?  \n*Solution* : 4", ["A ?"], ["Solution : 4"]),
        ("1. A ?\n   Réponse : 4\n2. B ?", ["A ? B ?"], ["1. Réponse : 4"]),
        ("3. A ?\n\n   **Answer:** 4\n\n4. B ?", ["A ? B ?"], ["3. Answer: 4"]),
        ("> A ?\n>\n> Réponse : 4", ["A ?"], ["Réponse : 4"]),
    ],
)
def test_an_answer_within_the_questions_is_cut_out(
    markdown: str, questions: list[str], answers: list[str]
) -> None:
    assert parted(markdown) == (questions, answers)


def test_a_rule_ends_the_answers_under_a_line_in_bold() -> None:
    assert parted("A ?\n\n**Réponses**\n\n1\n\n---\n\nB ?")[0] == ["A ?", "", "B ?"]


@pytest.mark.parametrize(
    "markdown",
    [
        "A ?\n\nRéponse :\n\nB ?",
        "A ?\n\n**Réponse :** ________ cm\n\nB ?",
        "A ?\nRéponse : ………………\n\nB ?",
        "1. A ?\n\n   Solution : ........ FCFA\n2. B ?",
        "A ?\n\n**Réponse**\n\n____________\n\n____________\n\nB ?",
        "## Exercice\n\n### Réponse\n\n____________\n\nB ?",
    ],
)
def test_a_place_to_write_the_answer_stays_with_its_question(markdown: str) -> None:
    assert parted(markdown) == (said(blocks_of(markdown)), [])


@pytest.mark.parametrize("heading", ["## Corrigé", "# Solutions", "### Answer key"])
def test_lines_under_a_heading_of_solutions_give_nothing_away(heading: str) -> None:
    assert parted(f"A ?\n\n{heading}\n\n________\n\nQuatre.\n\n________\n\nCinq.") == (
        ["A ?"],
        ["", "Quatre.", "", "Cinq."],
    )
