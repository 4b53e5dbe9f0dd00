from __future__ import annotations

import pytest

from bot.documents.markdown_blocks import (
    choose_alignment,
    drop_title,
    extract_title,
    normalize_headings,
    read_rows,
)
from tests.support.documents import blocks_of, said


@pytest.mark.parametrize(
    "heading",
    [
        "# Les élèves : bases",
        "## les  Élèves — bases !",
        "# « LES ELEVES, BASES »",
        "Les *élèves*\nbases\n===",
    ],
)
def test_a_first_heading_that_repeats_the_title_is_not_said_twice(heading: str) -> None:
    assert said(drop_title(blocks_of(f"{heading}\n\nTexte"), "Les élèves : bases")) == ["Texte"]


@pytest.mark.parametrize("heading", ["Introduction", "Fractions", "Introduction aux", "I", "!?"])
def test_a_first_heading_that_says_only_a_part_of_the_title_stays(heading: str) -> None:
    blocks = blocks_of(f"# {heading}\n\nTexte")
    assert drop_title(blocks, "Introduction aux fractions") == blocks


@pytest.mark.parametrize("title", ["", "!", "🎉"])
def test_a_first_heading_without_words_stays_where_the_title_has_none(title: str) -> None:
    assert said(drop_title(blocks_of("# ?\n\nTexte"), title)) == ["?", "Texte"]


def test_a_first_heading_that_says_something_else_stays() -> None:
    blocks = blocks_of("# Les fractions et les décimaux\n\nTexte")
    assert drop_title(blocks, "Les fractions") == blocks
    assert drop_title(blocks_of(""), "x") == []


def test_a_first_heading_whose_letters_happen_to_be_in_the_title_stays() -> None:
    assert said(drop_title(blocks_of("# I\n\nTexte"), "Titre")) == ["I", "Texte"]


def test_headings_begin_at_the_first_level_and_keep_their_order() -> None:
    blocks = normalize_headings(blocks_of("### a\n\n##### b\n\n### c"))
    assert [block.level for block in blocks] == [1, 2, 1]


def test_a_page_without_a_title_takes_its_first_heading() -> None:
    assert extract_title(blocks_of("# A\n\nb"), "")[0] == "A"
    title, blocks = extract_title(blocks_of("b"), "")
    assert (title, said(blocks)) == ("", ["b"])


@pytest.mark.parametrize("labels", ["a) b) c)", "A. B. C.", "(a) (b) (c)"])
def test_choices_stand_in_lines_of_their_own(labels: str) -> None:
    choices = [f"{label} {n}\u00a0cm" for n, label in enumerate(labels.split())]
    (block,) = blocks_of("\n".join(["Combien", "mesure-t-il ?", *choices, "Coche."]))
    kinds = [token.type for token in block.line if "break" in token.type]
    assert kinds == ["softbreak", *["hardbreak"] * 4]


@pytest.mark.parametrize("line", ["à l’école", "a été fait", "C’est b) qui", "h) seul"])
def test_other_lines_of_a_paragraph_flow(line: str) -> None:
    (block,) = blocks_of(f"Un texte\n{line}")
    assert [token.type for token in block.line if "break" in token.type] == ["softbreak"]


def test_an_empty_column_is_set_from_the_left() -> None:
    (table,) = blocks_of("| N° | Émargement | Note |\n|---|---|---|\n| 1 | | 12 |\n| 2 | | |")
    columns = list(zip(*read_rows(table), strict=True))
    assert [choose_alignment(at, cells) for at, cells in enumerate(columns)] == [
        *("left", "left", "right"),
    ]
