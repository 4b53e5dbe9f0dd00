"""Pages for browsers, read back by the parser of the standard library."""

from __future__ import annotations

import base64
import hashlib
import re
from html.parser import HTMLParser

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from bot.documents.document_request import DocumentImage, decode_document
from bot.documents.html_worker import clean_html, make_html
from bot.isolated_worker.worker import IsolatedWorker
from tests.support.documents import letters_of, page_request

_VOID = {"meta", "br", "hr", "img"}


class Page(HTMLParser):
    """Elements with their attributes, and the text between them."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.open: list[str] = []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in _VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if "style" not in self.open:
            self.text += data

    def found(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.elements if name == tag]


def page_of(content: str, title: str = "Titre") -> Page:
    return Page(make_html(page_request(content, title=title)))


def test_a_page_says_its_title_language_and_date() -> None:
    html = make_html(page_request("Texte", title='A & "B" <c>'))
    page = Page(html)
    assert html.startswith("<!DOCTYPE html>")
    assert page.found("html") == [{"lang": "fr"}]
    assert "<title>A &amp; &quot;B&quot; &lt;c&gt;</title>" in html
    assert re.search(r"\d{4}\s+Texte", page.text)
    assert {"charset": "utf-8"} in page.found("meta")
    assert any("width=device-width" in (each.get("content") or "") for each in page.found("meta"))


def test_a_page_asks_the_network_for_nothing_and_runs_nothing() -> None:
    html = make_html(
        page_request("![x](https://a.ci/x.png) [y](https://a.ci) <img src=x onerror=y>")
    )
    (policy,) = re.findall(r'Security-Policy" content="([^"]*)"', html)
    style = html.partition("<style>")[2].partition("</style>")[0]
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    assert policy.split("; ")[:2] == ["default-src 'none'", f"style-src 'sha256-{digest}'"]
    assert "url(" not in style
    assert "@import" not in style
    page = Page(html)
    assert not {"img", "script", "link", "iframe", "object", "form"} & {
        tag for tag, _ in page.elements
    }


def test_what_is_written_is_there() -> None:
    page = page_of(
        "## Un\n\n- a\n- b\n\n3. c\n\n> **Exemple :** d\n\n- [x] e\n\n"
        "| n | p |\n|---|---|\n| x | 12 |\n\n```\n<f>\n```\n\n$\\frac{1}{2}$ ~~g~~ H~2~O m^2^ ![h](https://a.ci)\n\n---\n"
    )
    tags = [tag for tag, _ in page.elements]
    for tag in ("h2", "ul", "ol", "aside", "table", "pre", "math", "mfrac", "s", "em", "hr"):
        assert tag in tags
    assert {"sub", "sup"} <= set(tags)
    assert page.found("ol") == [{"start": "3"}]
    assert page.found("aside") == [{"class": "example"}]
    assert {"class": "right"} in page.found("td")
    assert "☑ e" in page.text
    assert "<f>" in page.text


def test_a_picture_is_in_the_page_with_its_description_and_its_caption() -> None:
    image = DocumentImage(b"\x89PNG", "image/png", 40, 30)
    text = '![Une "carte" <b>](file:a)\n\n![Un plan](file:b)\n\n| ![x](file:a) |\n|---|'
    html = make_html(replace(page_request(text), images={"file:a": image}))
    page = Page(html)
    address = "data:image/png;base64," + base64.b64encode(image.content).decode()
    facts = {"src": address, "width": "40", "height": "30"}
    assert page.found("img") == [
        facts | {"alt": "Une «\u00a0carte\u00a0» <b>"},
        facts | {"alt": "x"},
    ]
    assert "img-src data:;" in html
    assert "Image non affichée\u00a0: Un plan" in page.text
    assert len(page.found("figcaption")) == 1


def test_footnotes_lead_to_their_texts_and_back() -> None:
    page = page_of("## Un[^a]\n\nMil[^a] et riz[^2].\n\n[^a]: *Une* note.\n[^2]: Deux.")
    targets = [each["href"] for each in page.found("a")]
    assert targets == ["#note1", "#note1", "#note2", "#call1", "#call2"]
    assert [each.get("id") for each in page.found("sup")] == ["call1", None, "call2"]
    assert [each.get("id") for each in page.found("li")] == ["note1", "note2"]
    assert page.text.rstrip().endswith("Une note. ↩Deux. ↩")


@pytest.mark.parametrize(
    ("alert", "kind", "label"),
    [
        ("NOTE", "note", "À noter"),
        ("TIP", "tip", "Astuce"),
        ("IMPORTANT", "key", "Important"),
        ("WARNING", "warning", "Attention"),
        ("caution", "warning", "Prudence"),
    ],
)
def test_an_alert_is_a_box_with_a_title(alert: str, kind: str, label: str) -> None:
    page = page_of(f"> [!{alert}]\n> Le texte")
    assert page.found("aside") == [{"class": kind}]
    assert f"{label}Le texte" in page.text


def test_what_is_wider_than_the_page_is_reached_by_the_keyboard() -> None:
    page = page_of("```\nx\n```\n\n| a |\n|---|\n| b |")
    assert page.found("pre") == [{"tabindex": "0"}]
    assert page.found("div") == [{"class": "scroll", "tabindex": "0"}]


async def test_what_cannot_be_drawn_or_found_is_told_to_the_model() -> None:
    request = msgspec.json.encode(page_request("Texte[^2].\n\n```mermaid\ngraph TD\n```"))
    document = decode_document(
        await IsolatedWorker().run("bot.documents.html_worker", request, seconds=60)
    )
    assert "Mermaid is not drawn" in document.notes[0]
    assert "[^2]" in document.notes[1]
    assert "Schéma sous forme de texte" in document.content.decode()


def test_lines_that_were_ended_on_purpose_stay_lines() -> None:
    assert "Awa Koné<br>Cocody" in make_html(page_request("Awa Koné\nCocody"))


def test_a_page_without_a_title_takes_its_first_heading() -> None:
    page = page_of("# Le cajou\n\nTexte", title="")
    assert page.text.count("Le cajou") == 2  # in the tab, and on top


def test_a_first_heading_that_only_begins_the_title_stands() -> None:
    page = page_of("# Introduction\n\ntexte un", title="Introduction aux fractions")
    assert re.search(r"\d{4}\s+Introduction\s+texte un", page.text)


def test_a_long_page_has_contents_that_lead_to_its_headings() -> None:
    page = page_of("\n\n".join(f"## Partie {n}\n\n" + "mot " * 500 for n in range(5)))
    targets = [each["href"] for each in page.found("a")]
    assert targets == [f"#s{n}" for n in range(1, 6)]
    assert [each["id"] for each in page.found("h2")] == [f"s{n}" for n in range(1, 6)]
    assert "Sommaire" in page.text
    assert page_of("## a\n\n## b\n\n## c\n\n## d").found("a") == []


def test_links_lead_only_to_the_web_and_to_mail() -> None:
    page = page_of(
        "[a](https://a.ci) [b](mailto:a@b.ci) [c](file:///x) [d](/x) [e](#s1) [f](data:x)"
    )
    assert [each["href"] for each in page.found("a")] == ["https://a.ci", "mailto:a@b.ci"]
    assert {each["rel"] for each in page.found("a")} == {"noopener noreferrer nofollow"}


@pytest.mark.parametrize(
    "html",
    [
        "<script>x</script>", "<p onclick=x>a</p>", '<a href="javascript:x">a</a>',
        '<img src="https://a.ci/x">', '<p style="x">a</p>', "<iframe></iframe>",
        '<math><mtext><img src=x onerror="y"></mtext></math>', '<p class="other">a</p>',
        '<a href="data:text/html,x">a</a>', "<svg onload=x></svg>",
        '<math href="javascript:x">a</math>',
    ],
)  # fmt: skip
def test_the_second_lock_holds_by_itself(html: str) -> None:
    cleaned = clean_html(html)
    assert not re.search(
        r"script|on\w+=|javascript|https:|style|iframe|other|data:|<svg|<img", cleaned
    )


_HTML = st.sampled_from([
    "<script>", "</script>", "<img src=x onerror=a>", "<a href='javascript:x'>", "](javascript:x)",
    "[a](", '")', "<!--", "-->", "</main>", "<style>", "&lt;", "&#60;script&#62;", "<math>", "$",
    "$$", "\\text{<script>}", "`", "|a|\n|-|\n|", "\n\n", "> ", "# ", "- ", "**", "\x00", "\ud800",
    "'", '"', "[x](https://a.ci/\"onclick=x)", "<https://a.ci/'>", "![<b>](x)", "~~", "*", "_",
    "1. ", "```\n", "[^1]", "\n\n[^1]: ", "> [!NOTE]\n> ", "```mermaid\n",
    '<span id="picture1"></span>',
])  # fmt: skip


@given(
    st.lists(_HTML | st.text(st.characters(exclude_categories=()), max_size=20), max_size=12),
    st.text(st.characters(exclude_categories=()), max_size=20),
)
def test_no_text_fails_or_becomes_markup(parts: list[str], title: str) -> None:
    page = page_of("".join(parts), title)
    assert page.open == []
    for tag, attributes in page.elements:
        assert tag not in {
            "script",
            "img",
            "iframe",
            "object",
            "svg",
            "form",
            "input",
            "link",
            "base",
        }
        assert not any(name.startswith("on") or name in ("src", "style") for name in attributes)
        target = attributes.get("href") or ""
        assert not target or target.startswith(
            ("http://", "https://", "mailto:", "#s", "#note", "#call")
        )
    assert len(page.found("style")) == 1


_WORD = st.text(st.characters(categories=("Lu", "Ll", "Nd"), max_codepoint=0x24F), min_size=1)


@given(st.lists(_WORD, min_size=7, max_size=7))
def test_all_words_arrive(words: list[str]) -> None:
    a, b, c, d, e, f, g = words
    page = page_of(f"## {a}\n\n{b} **{c}**\n\n- p\n  - {d}\n\n> {e}\n\n| {f} |\n|---|\n| `{g}` |\n")
    for word in words:
        assert letters_of(word) in letters_of(page.text)


async def test_the_program_makes_a_page_apart() -> None:
    request = msgspec.json.encode(page_request("# Un\n\n$x^2$"))
    document = decode_document(
        await IsolatedWorker().run("bot.documents.html_worker", request, seconds=60)
    )
    assert "<msup>" in document.content.decode()


def test_what_is_written_from_right_to_left_begins_at_the_right() -> None:
    page = Page(make_html(page_request("## مرحبا\n\nمرحبا بالعالم\n\nbonjour")))
    turned = [tag for tag, attributes in page.elements if attributes.get("dir") == "rtl"]
    assert turned == ["h2", "p"]
    assert clean_html('<p dir="ltr">x</p>') == "<p>x</p>"
