"""Rich messages: when one is made, what it says, and its plain form."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.telegram.adapter import Telegram
from bot.messages.outgoing import (
    AskExercise,
    AskQuiz,
    Body,
    Button,
    FileBody,
    Outgoing,
    RichForm,
    Say,
    ShareFile,
    TextBody,
)
from bot.render.markdown import Layout, parse_markdown
from bot.render.rich_messages import render_rich
from bot.standins.telegram_rich import read_rich_message, rich_text

TELEGRAM = Telegram.capabilities
PICTURE = ShareFile("p", "formula.png", "image/png", 9, shows_formulas=True)
REPORT = ShareFile("r", "cours.pdf", "application/pdf", 9)
TABLE = "| x | 1 |\n|---|--:|\n| y | 2 |"
TALL = r"$\frac{-b\pm\sqrt{b^2-4ac}}{2a}$"
TALL_SET = r"<tg-math>\frac{-b\pm\sqrt{b^2-4ac}}{2a}</tg-math>"
ROUTED = [
    line.split("\t")
    for line in (Path(__file__).parents[1] / "formulas" / "data" / "routed_formulas.txt")
    .read_text()
    .splitlines()
]
WORKED = "On isole l'inconnue, puis on divise les deux membres. " * 9


def render(*outgoing: Outgoing, language: str = "en") -> list[Body]:
    return list(render_rich(outgoing, TELEGRAM, language))


def render_one(*outgoing: Outgoing, language: str = "en") -> TextBody:
    [body] = render(*outgoing, language=language)
    assert isinstance(body, TextBody)
    return body


def form_of(body: Body) -> RichForm:
    assert isinstance(body, TextBody)
    assert body.rich is not None
    read_rich_message({"html": body.rich.html})
    return body.rich


def quiz(question: str, *options: str) -> AskQuiz:
    tokens = tuple(f"t{index}" for index, _ in enumerate(options))
    return AskQuiz("q", "interactive_quiz", question, options, tokens, 0.0)


def read_html(html: str) -> str:
    return rich_text(read_rich_message({"html": html})["blocks"])


@pytest.mark.parametrize(
    "markdown",
    [
        "Bonjour Awa !",
        "**Bravo**, c'est *juste*.",
        "Ça coûte $5 and $6, pas $7.",
        "Le prix : $5 ou 5 $.",
        "$x^2 + 2x + 1 = 0$",
        "- un\n- deux",
        "```python\nx = 1\n```",
        r"$\ce{2H2 + O2 -> 2H2O}$",
        "2*3*4 = 24, `a | b`, C# et rm *.txt",
    ],
)
def test_what_plain_text_says_as_well_stays_plain(markdown: str) -> None:
    assert render_one(Say(markdown)).rich is None


@pytest.mark.parametrize(
    ("markdown", "html"),
    [
        (
            TABLE,
            '<table bordered striped><tr><th>x</th><th align="right">1</th></tr>'
            '<tr><td>y</td><td align="right">2</td></tr></table>',
        ),
        ("## Aire\n\nVoici.", "<h2>Aire</h2><p>Voici.</p>"),
        (r"Soit $\dfrac{3}{4}$.", r"<p>Soit <tg-math>\frac{3}{4}</tg-math>.</p>"),
        ("$$\n\\frac{1}{2}\n$$", r"<tg-math-block>\frac{1}{2}</tg-math-block>"),
        (r"$5 pour $\frac{1}{2}$", r"<p>$5 pour <tg-math>\frac{1}{2}</tg-math></p>"),
        (
            "# T\n\n- [x] **a** & `b  <`\n- [ ] [c](https://e.com/?x=1&y=2)\n\n3. d\n",
            '<h1>T</h1><ul><li><input type="checkbox" checked><b>a</b> &amp; <code>b \u00a0&lt;'
            '</code></li><li><input type="checkbox"><a href="https://e.com/?x=1&amp;y=2">c</a>'
            '</li></ul><ol start="3"><li>d</li></ol>',
        ),
        (
            "# T\n\n> a\n> b\n\n```py\nx<1\n```\n\n---",
            "<h1>T</h1><blockquote><p>a<br>b</p></blockquote>"
            '<pre><code class="language-py">x&lt;1</code></pre><hr/>',
        ),
        ("# T\n\n[r](/z) $x<3$", "<h1>T</h1><p>r (/z) x&lt;3</p>"),
    ],
)
def test_what_plain_text_can_only_describe_is_rich(markdown: str, html: str) -> None:
    body = render_one(Say(markdown))
    assert form_of(body) == RichForm(html)
    assert body.text == parse_markdown(markdown, Layout()).text


def test_a_long_worked_part_is_folded_under_its_title() -> None:
    markdown = f"À toi : $2x = 6$.\n\n## Solution détaillée\n\n{WORKED}\n\nDonc $\\frac{{6}}{{2}}$"
    html = form_of(render_one(Say(f"{markdown}\n\n## Et après\n\nUn autre ?"))).html
    assert "<details><summary>Solution détaillée</summary><p>On isole" in html
    assert "<p>Donc 6/2</p></details><h2>Et après</h2>" in html
    assert "<tg-math>" not in html.partition("<details>")[2]


@pytest.mark.parametrize(
    "markdown",
    [
        f"## Solution\n\n{WORKED}",  # nothing would be left to see
        f"Essaie.\n\n## Solution\n\n{TALL} {WORKED}",  # its formula asks for more than a line
        "Essaie.\n\n## Solution\n\nC'est 3.",
        f"Essaie.\n\n## Méthode\n\n{WORKED}",
    ],
)
def test_other_parts_stay_open(markdown: str) -> None:
    assert "<details>" not in form_of(render_one(Say(markdown))).html


def test_a_bold_line_is_a_title_as_well() -> None:
    html = form_of(render_one(Say(f"Essaie.\n\n**Correction** :\n\n{WORKED}"))).html
    assert "<details><summary><b>Correction</b> :</summary>" in html


def test_the_picture_of_a_native_formula_is_of_the_plain_form_alone() -> None:
    form = form_of(render_one(Say(f"Voici {TALL}."), PICTURE))
    text, picture = form.plain
    assert isinstance(text, TextBody)
    assert text.text == "Voici (-b±√(b²-4ac))/(2a)."
    assert picture == FileBody(PICTURE)


def test_the_picture_of_other_formulas_follows_the_rich_message() -> None:
    said = Say(f"{TABLE}\n\n$\\begin{{cases}}x=1\\\\y=2\\end{{cases}}$ et {TALL}")
    rich, picture = render(said, PICTURE)
    assert form_of(rich).plain == ()
    assert "<p>{ x=1; y=2 et <tg-math>" in form_of(rich).html
    assert picture == FileBody(PICTURE)


def test_other_files_and_buttons_stay_where_they_are() -> None:
    buttons = (Button("Oui", "a"), Button("Non", "b"))
    before, after = render(Say(f"# Cours\n\n{TABLE}", buttons, shown=True), REPORT)
    assert isinstance(before, TextBody)
    assert (before.buttons, before.choices, before.shown) == ((buttons,), buttons, True)
    assert after == FileBody(REPORT)


def test_a_quiz_is_one_message_with_its_formula_and_its_buttons() -> None:
    body = render_one(PICTURE, quiz(f"Que vaut {TALL} ?", "$x_1$", "$x_2$"))
    form = form_of(body)
    assert form.html == f"<p>Que vaut {TALL_SET} ?</p>"
    assert [button.label for row in body.buttons for button in row] == ["x₁", "x₂"]
    picture, plain = form.plain
    assert picture == FileBody(PICTURE)
    assert isinstance(plain, TextBody)
    assert plain.buttons == body.buttons


def test_a_picture_belongs_to_the_text_before_it_or_to_the_question_after_it() -> None:
    said, asked = Say(f"Vois {TALL}."), quiz(f"Que vaut {TALL} ?", "a", "b")
    first, second = render(said, PICTURE, PICTURE, asked)
    assert [len(form_of(body).plain) for body in (first, second)] == [2, 2]
    first, second = render(Say("À toi !"), PICTURE, asked)
    assert isinstance(first, TextBody)
    assert first.rich is None
    assert len(form_of(second).plain) == 2


def test_options_that_a_button_cannot_show_are_set_above_them() -> None:
    body = render_one(PICTURE, quiz("Laquelle ?", TALL, "2*3 < $x$"))
    assert form_of(body).html == (
        f"<p>Laquelle ?</p><p>A) {TALL_SET}<br>B) 2*3 &lt; <tg-math>x</tg-math></p>"
    )


def test_an_exercise_keeps_its_hint_and_itself() -> None:
    asked = AskExercise("e", r"Calcule $\frac{1}{2}+\frac{1}{3}$.", "number", 0.0, lead="Bravo !")
    body = render_one(asked, language="fr")
    assert body.exercise is not None
    assert read_html(form_of(body).html).splitlines() == [
        "Bravo\u202f!",
        r"Calcule $\frac{1}{2}+\frac{1}{3}$.",
        body.text.splitlines()[-1],
    ]


def test_a_long_answer_is_one_message_that_would_be_several() -> None:
    body = render_one(Say("# Titre\n\n" + "Une phrase de plus. " * 400))
    assert len(form_of(body).plain) == 2
    assert len(body.text) > TELEGRAM.max_text


def test_what_is_beyond_the_limits_goes_in_parts_with_nothing_lost() -> None:
    paragraphs = [f"## Partie {number}\n\n" + "mot " * 2000 for number in range(9)]
    bodies = render(Say("\n\n".join(paragraphs), (Button("Oui", "a"),)))
    htmls = [form_of(body).html for body in bodies]
    assert len(htmls) == 3
    assert [html.count("<h2>") for html in htmls] == [4, 4, 1]
    assert sum(html.count("mot") for html in htmls) == 18_000
    buttons = [body.buttons for body in bodies if isinstance(body, TextBody)]
    assert buttons[:-1] == [(), ()]
    assert buttons[-1]


def test_a_table_beyond_the_limits_is_several_with_its_header() -> None:
    rows = [f"| {number} | ligne {number} |" for number in range(700)]
    table = "\n".join(["| n | nom |", "|--:|---|", *rows])
    bodies = render(Say(f"# Cours\n\n## Table\n{table}\n\nFin.", (Button("Oui", "a"),)))
    htmls = [form_of(body).html for body in bodies]
    assert [html.count("<h2>") for html in htmls] == [1, 0]
    assert [html.count("<th") for html in htmls] == [2, 2]
    assert re.findall(r">(ligne \d+)<", "".join(htmls)) == [f"ligne {n}" for n in range(700)]
    assert htmls[-1].endswith("</table><p>Fin.</p>")
    assert [len(body.buttons) for body in bodies if isinstance(body, TextBody)] == [0, 1]


@pytest.mark.parametrize(
    "block",
    [
        "|" + "a|" * 21 + "\n|" + "-|" * 21 + "\n|" + "b|" * 21,
        f"| a |\n|---|\n| {'x' * 33_000} |",
        "x" * 33_000,
    ],
)
def test_a_title_is_not_alone_in_a_rich_message(block: str) -> None:
    bodies = render(Say(f"# Cours\n\n## Suite\n\n{block}"))
    assert all(isinstance(body, TextBody) and body.rich is None for body in bodies)


@pytest.mark.parametrize(
    "markdown",
    [
        "|" + "a|" * 21 + "\n|" + "-|" * 21,
        "# T\n\n" + "x" * 33_000,
        "# T\n\n2x\n\n+ 3\n",
        "# T\n\n" + "> " * 15 + "\n> ".join("- a"),
    ],
)
def test_what_no_rich_message_can_hold_is_plain(markdown: str) -> None:
    texts = [body for body in render(Say(markdown)) if isinstance(body, TextBody)]
    assert texts
    for body in texts:
        assert body.rich is None or form_of(body)


def test_four_hundred_formulas_go_the_way_that_shows_them_best() -> None:
    assert len(ROUTED) + 120 >= 400
    for route, formula in ROUTED:
        pictures = [PICTURE] if route == "picture" else []
        bodies = render(Say(f"Ainsi ${formula}$ pour $5."), *pictures)
        first = bodies[0]
        assert isinstance(first, TextBody)
        if route == "native":
            assert "<tg-math>" in form_of(first).html, formula
            assert form_of(first).html.endswith("</tg-math> pour $5.</p>"), formula
        else:
            assert first.rich is None, formula
        assert len(bodies) == 1 + len(pictures), formula


PIECES = st.sampled_from(
    [
        "# T\n", "\n\n", "**g**", "*i*", "`c  d`", "$x^2$", r"$\frac{1}{2}$", "$5 and $6", "\n",
        "| a | b |\n|---|---|\n| 1 | $\\frac12$ |\n", "- x\n", "1. y\n", "> q\n",
        "```py\nz<1\n```\n",
        "<b>&amp;", "https://e.com/(a)", "[l](https://x.y)", "[r](/z)", "~~s~~", " mot ", "---\n",
        "- [x] t\n", "$$\\sum_{k=1}^n k$$\n", "  - n\n", "**Solution**\n\n", "x_1 * 2*3", "é 😀",
        r"$\ce{H2O}$", "\n\n    code\n", "[](https://a.b)", "\x01", "+ p\n", WORKED,
    ]
)  # fmt: skip


@given(st.lists(PIECES, min_size=1, max_size=14).map("".join))
def test_every_rich_form_is_valid_and_says_every_word(markdown: str) -> None:
    for body in render(Say(markdown)):
        if isinstance(body, TextBody) and body.rich:
            said = read_html(body.rich.html).replace("$", "")
            words = re.findall(r"[a-zA-Zé]+", re.sub(r"\S*[^\x00-\x7fé…]\S*", "", body.text))
            assert {word for word in words if word not in said} <= set()
