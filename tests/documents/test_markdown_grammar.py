from __future__ import annotations

import pytest

from bot.documents.markdown_blocks import Block
from tests.support.documents import blocks_of, said


def line_of(markdown: str) -> list[tuple[str, str]]:
    """Types and contents of the inline tokens of the first block."""
    return [
        (token.type, token.content)
        for token in blocks_of(markdown)[0].line
        if token.content or token.nesting
    ]


@pytest.mark.parametrize(
    ("markdown", "formula", "markup"),
    [
        ("soit $x^2$ !", "x^2", "$"),
        (r"soit \(a+b\) ici", "a+b", "$"),
        ("soit $$x$$ ici", "x", "$$"),
        (r"soit \[x\] ici", "x", "$$"),
        ("$n$ entiers", "n", "$"),
        (r"le dioxygène \ce{O2}.", r"\ce{O2}", "$"),
        (r"\ce{^{14}_{6}C + Fe^{3+} -> [..]}", r"\ce{^{14}_{6}C + Fe^{3+} -> [..]}", "$"),
    ],
)
def test_mathematics_stands_between_its_marks(markdown: str, formula: str, markup: str) -> None:
    (found,) = [token for token in blocks_of(markdown)[0].line if token.type == "maths"]
    assert (found.content, found.markup) == (formula, markup)


def test_a_formula_on_lines_of_its_own_is_a_block() -> None:
    blocks = blocks_of("avant\n$$\nx = 1\n$$\n\n\\[\ny\n\\]\n\naprès")
    assert [(block.kind, block.token.content) for block in blocks if block.token.content] == [
        ("maths_block", "x = 1"),
        ("maths_block", "y"),
    ]


@pytest.mark.parametrize("name", ["align", "align*", "equation", "gather*", "cases", "eqnarray"])
def test_an_environment_of_mathematics_needs_no_dollars(name: str) -> None:
    formula = f"\\begin{{{name}}}\nu_1 &= 2 \\\\\nu_2 &= 3\n\\end{{{name}}}"
    blocks = blocks_of(f"On a\n{formula}\n\ndonc")
    assert [(block.kind, block.token.content) for block in blocks if block.token.content] == [
        ("maths_block", formula)
    ]


def test_other_environments_stay_text() -> None:
    assert [block.kind for block in blocks_of("\\begin{itemize}\nx\n\\end{itemize}")] == [
        "paragraph"
    ]
    assert [block.kind for block in blocks_of("\\begin{align}\nx")] == ["paragraph"]


@pytest.mark.parametrize(
    "markdown",
    [
        "de $5 à $10",
        "2*3*4 = 24",
        "__init__ et __main__",
        "a < b & c > d",
        "<script>alert(1)</script>",
        "[Nom]: Awa",
        "prix : 5 $",
        "h2o http:// et https:/x",
        "un [lien](javascript:alert) mort",
        "à ~5 km ou ~10 km",
        "5~10~20",
        "x^2+y^2 et x^2y^3",
        "^-^ et ^_^",
    ],
)
def test_what_only_looks_like_markup_is_text(markdown: str) -> None:
    assert {kind for kind, _ in line_of(markdown)} == {"text"}


@pytest.mark.parametrize(
    ("markdown", "raised"),
    [
        ("H~2~O", [("sub_open", "2")]),
        ("SO~4~^2-^", [("sub_open", "4"), ("sup_open", "2-")]),
        ("**1 250 m^2^**", [("sup_open", "2")]),
        ("^14^C", [("sup_open", "14")]),
        ("`H~2~O` $x^2^3$ https://a.ci/b~2~c", []),
        ("~~barré~~", []),
    ],
)
def test_subscripts_and_superscripts_are_read(markdown: str, raised: list[tuple[str, str]]) -> None:
    line = blocks_of(markdown)[0].line
    found = [
        (token.type, line[at + 1].content)
        for at, token in enumerate(line)
        if token.type in ("sub_open", "sup_open")
    ]
    assert found == raised


@pytest.mark.parametrize(
    ("markdown", "url"),
    [
        ("voir https://a.ci/b_(c)_d.", "https://a.ci/b_(c)_d"),
        ("(https://a.ci/b)", "https://a.ci/b"),
        ("**https://a.ci/b**", "https://a.ci/b"),
    ],
)
def test_a_bare_address_is_a_link_to_its_end(markdown: str, url: str) -> None:
    assert ("text", url) in line_of(markdown)
    assert ("link_open", "") in line_of(markdown)


def test_scripts_may_stand_in_tags() -> None:
    assert line_of("H<sub>2</sub>O et m<sup>2</sup>") == [
        *(("text", "H"), ("sub_open", ""), ("text", "2"), ("sub_close", "")),
        ("text", "O et m"),
        *(("sup_open", ""), ("text", "2"), ("sup_close", "")),
    ]


@pytest.mark.parametrize(
    "markdown",
    [
        '<div align="center">**Titre**</div>',
        '<span style="color:red">**Titre**</span>',
        "<center>**Titre**</center>",
        '<div align="center">\n\n**Titre**\n\n</div>',
        '<p style="text-align:center">\n**Titre**\n</p>',
        "<!-- en rouge -->\n**Titre**",
        "**Titre**<!-- en rouge -->",
        "==Titre==",
    ],
)
def test_what_html_only_lays_out_is_left_out(markdown: str) -> None:
    (block,) = blocks_of(markdown)
    types = [token.type for token in block.line if token.content or token.nesting]
    assert (block.words, types) == ("Titre", ["strong_open", "text", "strong_close"])


@pytest.mark.parametrize(
    ("markdown", "name"),
    [
        (r"\textbf{Bonne $x^2$}", "strong"),
        (r"\textit{Bonne $x^2$}", "em"),
        (r"\emph{Bonne $x^2$}", "em"),
    ],
)
def test_styles_of_latex_are_read(markdown: str, name: str) -> None:
    assert [kind for kind, _ in line_of(markdown)] == [
        *(f"{name}_open", "text", "maths", f"{name}_close"),
    ]


@pytest.mark.parametrize(
    "text",
    ["La balise <div> contient <p>un texte</p>.", "si a==b et c==d", "a == b == c", "a < b > c"],
)
def test_tags_that_a_text_speaks_of_are_text(text: str) -> None:
    assert line_of(text) == [("text", text)]


def test_a_break_of_html_is_one_as_models_write_it_into_cells() -> None:
    (table,) = blocks_of("| a |\n|---|\n| x<br>y<BR/>z |")
    cell = table.children[1].children[0].children[0]
    assert cell.words == "x y z"
    assert [token.type for token in cell.line].count("hardbreak") == 2


def deepest(blocks: list[Block]) -> int:
    return max((1 + deepest(block.children) for block in blocks), default=0)


@pytest.mark.parametrize(
    "markdown", [">" * 500 + " fin", "\n".join("  " * n + "- fin" for n in range(200))]
)
def test_what_nests_too_deeply_stays_text(markdown: str) -> None:
    blocks = blocks_of(markdown)
    assert deepest(blocks) <= 20
    assert "fin" in said(blocks)[0]


def test_what_follows_a_deep_list_is_read_as_ever() -> None:
    deep = "\n".join("  " * depth + f"- niveau {depth}" for depth in range(12))
    blocks = blocks_of(f"{deep}\n\n## Suite\n\n> cité")
    assert [block.kind for block in blocks] == ["bullet_list", "heading", "blockquote"]
    assert "niveau 11" in said(blocks)[0]


@pytest.mark.parametrize(
    ("markdown", "source"),
    [
        ("![Carte](file:aB-9)", "file:aB-9"),
        ("![Carte](https://example.org/é.png)", "https://example.org/%C3%A9.png"),
        ("![Carte](photo du 3 mai.png)", "photo%20du%203%20mai.png"),
    ],
)
def test_a_picture_names_a_file_or_an_address(markdown: str, source: str) -> None:
    (found,) = [token for token in blocks_of(markdown)[0].line if token.type == "image"]
    assert (found.content, found.attrs["src"]) == ("Carte", source)


@pytest.mark.parametrize("url", ["file:///etc/passwd", "file:/etc/passwd", "javascript:alert(1)"])
def test_a_path_of_the_machine_is_no_picture(url: str) -> None:
    assert {token.type for token in blocks_of(f"![Carte]({url})")[0].line} == {"text"}
