"""Formulas, tables and lists in the chat: every one is drawn, the same while it is written."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from html import unescape
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from bot.documents.html_elements import HtmlPage as Sheet
from bot.documents.html_elements import write_blocks
from bot.documents.markdown_blocks import read_tokens, to_blocks
from bot.formulas import symbols
from tests.browser.griot import Griot, address_of, griot
from tests.support.browser_pages import MakePage, screenshot
from tests.support.fakes import FakeModel, reply
from tests.support.school import FORMULAS, TABLES

pytestmark = pytest.mark.browser

TEXTS = (
    "- a\n- b\n  - c\n    - d\n- e",
    "1. un\n2. deux\n   - x\n   - y\n3. trois",
    "1. un\n\n   suite\n\n2. deux",
    "> cite\n> - a\n> - b\n\naprès",
    "```python\nx = 1\n\nprint(x)\n```\nfin",
    "Titre\n=====\n\ntexte\n\n---\n\nfin",
    "[lien](https://a.org/x_(y)_z) et <https://b.org> et https://c.org/d, fin.",
    "***fort*** **a *b* c** ~~non~~ __init__ et snake_case_name",
    "Ça coûte $5 et $10 aujourd’hui. Prix : 5 $ ou 10 $ ; $PATH et $HOME.",
    "Si $x=2$ alors \\(y=3\\) et \\[z=4\\] fin",
    "$$\nx = 1\n$$\n\n$$y=2$$ suite",
    "\\*pas\\* \\_rien\\_ &amp; &lt;b&gt; <b>html</b>",
    "- [ ] à faire\n- [x] fait",
    "H<sub>2</sub>O et 10<sup>x+1</sup>, <sub>",
    "texte\n- a\n- b\nsuite\n2. pas une liste",
    "texte avant\n| a | b |\n|---|---|\n| 1 | 2 |\n\naprès",
    "| $x$ | $|x|$ |\n|---|---|\n| $|-1|$ | `a | b` |\n| 1 | 2 | 3 | 4 |\n| 5 $|10 $ |\n| 1<br>2 |",
    "| a | b |\n|---|---|\n| ``a|b` | 1 |",
)
"""Markdown that the chat and documents read alike."""

SHOW = """async ([module, markdown, steps]) => {
    const { Prose } = await import(module);
    const element = Object.assign(document.createElement("div"), { className: "prose" });
    document.querySelector("#log").append(element);
    const prose = new Prose(element);
    const seen = [];
    for (let end = 1; steps && end < markdown.length; end += 1) {
        prose.show(markdown.slice(0, end), true);
        seen.push(element.textContent);
    }
    prose.show(markdown);
    return [element.innerHTML, seen, element.textContent];
}"""


@pytest.fixture
def model() -> FakeModel:
    return FakeModel()


@pytest.fixture
def here(model: FakeModel, sqlite_template: Path, tmp_path: Path) -> Iterator[Griot]:
    shutil.copy(sqlite_template, tmp_path)
    with griot(tmp_path / "griot.db", model, guest_daily_messages=20) as running:
        yield running


@pytest.fixture
def page(here: Griot, make_page: MakePage) -> Page:
    page = make_page(390, 800)
    page.goto(f"{here.url}/chat")
    expect(page.locator("#state")).to_have_text("en ligne")
    return page


def show(page: Page, markdown: str, *, growing: bool = False) -> tuple[str, list[str], str]:
    """The HTML, the text after each character if it grew, and the text."""
    module = address_of(page, "markdown.js")
    html, seen, text = page.evaluate(SHOW, [module, markdown, growing])
    return html, seen, text


def ask(page: Page, text: str = "Explique") -> None:
    page.get_by_label("Ton message").fill(text)
    page.keyboard.press("Enter")
    expect(page.locator("#log")).not_to_have_attribute("aria-busy", "true")


def test_every_school_formula_is_drawn(page: Page) -> None:
    for latex in FORMULAS:
        for mark in ("$", "$$"):
            html, _, _ = show(page, f"{mark}{latex}{mark}")
            assert html.count("<math ") == 1, latex
            assert '<code class="tex">' not in html, latex


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("2 H2 + O2 -> ? H2O", "2H2+O2→?H2O"),
        ("CaCO3 + 2 H+ -> Ca^2+ + CO2 + H2O", "CaCO3+2H+→Ca2++CO2+H2O"),
        ("SO4^{2-}", "SO42-"),
        ("Al2(SO4)3", "Al2(SO4)3"),
        ("NH3 + H2O <=> NH4+ + HO-", "NH3+H2O⇌NH4++HO-"),
    ],
)
def test_chemistry_is_drawn(page: Page, source: str, text: str) -> None:
    html, _, shown = show(page, f"$\\ce{{{source}}}$")
    assert '<code class="tex">' not in html
    assert html.count("<msub") + html.count("<msup") >= 1
    assert re.sub(r"\s", "", shown).replace("−", "-") == text


def test_a_formula_is_mathml(page: Page) -> None:
    for latex, elements in (
        (r"\frac{a}{b}", "<mfrac><mi>a</mi><mi>b</mi></mfrac>"),
        (r"\sqrt[3]{8}", "<mroot><mn>8</mn><mn>3</mn></mroot>"),
        (r"x_1^2", "<msubsup><mi>x</mi><mn>1</mn><mn>2</mn></msubsup>"),
        (r"\mathbb{R}", "<mi>ℝ</mi>"),
        (r"3{,}5", "<mn>3,5</mn>"),
        (r"\overline{AB}", '<mrow class="overlined">'),
        (r"\begin{cases} 1 \\ 2 \end{cases}", '<mtable class="cases">'),
        (r"\text{si } x", "<mtext>si&nbsp;</mtext><mi>x</mi>"),
        (r"\lim_{x \to 0} x", "<munder>"),
        (r"a < b", "&lt;</mo>"),
    ):
        assert elements in show(page, f"${latex}$")[0], latex


def test_a_sign_is_no_subtraction_and_a_bracket_of_an_interval_opens(page: Page) -> None:
    spaced = r'<mspace width="0.2222em"></mspace>'
    for latex in ("x = -b", r"]-\infty ; 2[", r"\left(-1\right)", "(-1)"):
        assert spaced not in show(page, f"${latex}$")[0], latex
    assert show(page, "$a - b$")[0].count(spaced) == 2


def test_every_command_of_documents_is_known(page: Page) -> None:
    named = (
        *symbols.SYMBOLS,
        *symbols.NUMBERS,
        *symbols.FUNCTIONS,
        *symbols.LIMITS,
        *(name for name in symbols.SPACES if name.isalpha()),
    )
    formulas = [f"x \\{name} y" for name in named if name not in {"lbrace", "rbrace"}]
    formulas += [f"\\{name}{{x}}" for name in (*symbols.WRAPPERS, *symbols.TEXTS)]
    formulas += [f"\\{name}{{x}}" for name in (*symbols.STRETCHED, *symbols.TRANSPARENT)]
    formulas += [f"{{\\{name} x}}" for name in symbols.SWITCHES]
    formulas += [f"\\{name}( x" for name in symbols.SIZES]
    for name in (
        *symbols.MATRICES,
        *symbols.LINES,
        *symbols.CENTRED,
        *symbols.CASES,
    ):
        columns = "{cc}" if name in {"array", "alignedat"} else ""
        formulas.append(f"\\begin{{{name}}}{columns} a & b \\\\ c & d \\end{{{name}}}")
    html, _, _ = show(page, "\n\n".join(f"$$\n{latex}\n$$" for latex in formulas))
    assert re.findall(r'<code class="tex">(.*?)</code>', html) == []


def test_what_cannot_be_drawn_is_shown_as_typed(page: Page) -> None:
    for latex in (r"\foo{x}", r"\constructor{x}", r"\frac{1}{", "x^", "{x", r"\begin{cases} 1"):
        html, _, text = show(page, f"$$\n{latex}\n$$")
        assert text == latex
        assert '<code class="tex">' in html


def test_it_is_read_as_documents_read_it(page: Page) -> None:
    for markdown in (*TABLES, *TEXTS):
        html, _, _ = show(page, markdown)
        blocks = to_blocks(read_tokens(markdown, "xx"))
        assert outline(html) == outline(write_blocks(blocks, Sheet({}, {}))), markdown


def outline(html: str) -> str:
    """The elements and words, without what differs on purpose: classes, and how formulas look."""
    html = re.sub(r"<math.*?</math>", "·", html, flags=re.DOTALL)
    html = re.sub(r'<div class="code-bar">.*?</div>', "", html)
    html = re.sub(r"(<(?!a |ol)\w+) [^>]*>", r"\1>", html)
    html = re.sub(r'<a [^>]*?(href="[^"]*")[^>]*>', r"<a \1>", html)
    html = re.sub(r"</?(div|span)>|<tbody></tbody>", "", html).replace("<br>", " ")
    html = re.sub(r"<(/?)h\d>", r"<\1h>", html)
    html = re.sub(r"[\s\u00a0\u202f]+", " ", unescape(html))
    return re.sub(r" ?(</?(?:p|[uo]l|li|t\w+|h|blockquote|hr|pre|code)\b[^>]*>) ?", r"\1", html)


def test_what_grew_looks_as_what_came_at_once(page: Page) -> None:
    for markdown in (*TABLES, *TEXTS, *(f"Soit ${each}$, donc" for each in FORMULAS)):
        whole, _, _ = show(page, markdown)
        assert show(page, markdown, growing=True)[0] == whole, markdown


def test_no_mark_is_seen_while_it_is_written(page: Page) -> None:
    for markdown in (
        "Soit $x = \\frac{-b \\pm \\sqrt{\\Delta}}{2a}$, alors :\n\n$$\n\\Delta = b^2\n$$\n\nFin.",
        "| Nombre | Carré |\n|---|--:|\n| $n$ | $n^2$ |\n\nFin.",
        "**Gras** et *it* et `code` et [lien](https://a.org) fin \\(x^2\\) et $$y$$.",
    ):
        for text in show(page, markdown, growing=True)[1]:
            assert not re.search(r"[$|*`\[\]]|\\\w|\\\(|--", text.replace("\\text", "")), text


def test_lines_of_a_long_formula_appear_as_they_are_written(page: Page) -> None:
    latex = "$$\n\\begin{aligned} 2x &= 4 \\\\ x &= 2 \\\\ y &= 3 \\end{aligned}\n$$"
    seen = show(page, latex, growing=True)[1]
    assert "2x=4" in [re.sub(r"\s", "", text) for text in seen]
    assert not any("\\" in text or "$" in text for text in seen)


def test_money_is_no_formula_also_while_it_is_written(page: Page) -> None:
    seen = show(page, "Il a payé $5 pour le pain, puis rien.", growing=True)[1]
    assert any(text.endswith("$5 pour") for text in seen)


class TestAnswers:
    """In the conversation, of answers as models write them."""

    @pytest.fixture
    def model(self) -> FakeModel:
        wide = " + ".join(f"x_{{{n}}}^2" for n in range(1, 30))
        return FakeModel(
            reply(
                "### Le discriminant\n\nOn calcule $\\Delta = b^2 - 4ac$, puis "
                "$x = \\frac{-b \\pm \\sqrt{\\Delta}}{2a}$, et voilà.\n\n"
                f"$$\n{wide} = 0\n$$\n\net ${wide}$ aussi.\n\n##### Détail\n\n"
                f"{TABLES[-1]}\n\n```python\n{'x' * 200}\n```\n\n## Exemples\n\n{TABLES[2]}\n\n"
                "| Long |\n|---|\n| un | deux |"
            )
        )

    def test_what_is_wide_scrolls_in_its_box_and_the_page_does_not(self, page: Page) -> None:
        ask(page)
        for part in ("html", "#log", ".bubble"):
            assert page.locator(part).evaluate("part => part.scrollWidth - part.clientWidth") <= 0
        for box in (".maths.block", ".wide", ".scroll", "pre"):
            found = page.locator(box).first
            assert found.evaluate("box => box.scrollWidth > box.clientWidth"), box
            assert found.get_attribute("tabindex") == "0"
        screenshot(page, "chat-wide")

    def test_headings_skip_no_level(self, page: Page) -> None:
        ask(page)
        names = page.locator(".bubble :is(h1, h2, h3, h4, h5, h6)")
        levels = names.evaluate_all("found => found.map((each) => each.localName)")
        assert levels == ["h2", "h3", "h2"]

    def test_a_comma_stays_beside_its_formula(self, page: Page) -> None:
        ask(page)
        for width in range(320, 420, 7):
            page.set_viewport_size({"width": width, "height": 800})
            alone = page.locator(".glued").evaluate_all(
                "all => all.filter((each) => new Set(Array.from("
                "each.getClientRects(), (box) => box.top)).size > 1).length"
            )
            assert alone == 0


class TestReload:
    @pytest.fixture
    def model(self) -> FakeModel:
        table = "| a | b |\n|---|---|\n| $x^2$ | **2** |"
        return FakeModel(reply(f"La racine est $x = \\frac{{-b}}{{2a}}$.\n\n{table}"))

    def test_an_answer_looks_after_a_reload_as_it_did(self, page: Page) -> None:
        ask(page)
        before = page.locator(".bubble").inner_html()
        assert "<mfrac>" in before
        page.reload()
        expect(page.locator(".bubble table")).to_be_visible()
        assert page.locator(".bubble").inner_html() == before
