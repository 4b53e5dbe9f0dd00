from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from bot.messages.outgoing import Say, TextBody
from bot.render.markdown import Layout, parse_markdown
from bot.render.renderer import render_outgoing
from bot.render.styled_text import Styled
from bot.render.whatsapp_markers import ZERO_WIDTH, strip_markers, write_markers
from tests.render.channels import WHATSAPP


def marked(markdown: str) -> str:
    """The text on WhatsApp, a zero-width space shown as ¦."""
    (body,) = render_outgoing(Say(markdown), WHATSAPP)
    assert isinstance(body, TextBody)
    return body.text.replace(ZERO_WIDTH, "¦")


@pytest.mark.parametrize(
    ("markdown", "text"),
    [
        ("2*3*4", "2*3*4"),
        ("rm *.txt … ls *.md", "rm *.txt … ls *.md"),
        ("a_b_c ~5 et 3 * 4 * 5", "a_b_c ~5 et 3 * 4 * 5"),
        ("une note\\* et \\* une autre", "une note* et * une autre"),
        ("\\*x\\*", "¦*¦x*"),
        ("\\_x\\_ puis \\~a\\~", "¦_¦x_ puis ¦~¦a~"),
        ("__init__", "¦__¦init__"),
        ("(\\*note) **gras**", "(¦*¦note) *gras*"),
        ("\\`a\\`", "¦`¦a`"),
        ("\\> cité", "¦> cité"),
        ("\\- tiret", "¦- tiret"),
        ("`*x*`", "`*x*`"),
        ("https://a.ci/_x_/*y*", "https://a.ci/_x_/*y*"),
    ],
)
def test_only_what_would_be_read_as_markers_is_neutralised(markdown: str, text: str) -> None:
    assert marked(markdown) == text


def test_a_bare_link_below_a_paragraph_is_written_once() -> None:
    assert marked("Pay here:\n\nhttps://a.ci/x") == "Pay here:\n\nhttps://a.ci/x"


@pytest.mark.parametrize(
    ("markdown", "text"),
    [
        ("**B**onjour", "Bonjour"),
        ("**2*3**", "2*3"),
        ("***tout***", "_*tout*_"),
        ("**a `c` b**", "*a* `c` *b*"),
        ("**deux\nlignes**", "*deux*\n*lignes*"),
        ("**a** *b* ~~c~~", "*a* _b_ ~c~"),
        ("# Titre **fort**", "*Titre fort*"),
        ("> a\n> **b**", "> a\n> *b*"),
        ("``a ` b``", "```a ` b```"),
        ("````\na ``` b\n````", "```a `¦`` b```"),
    ],
)
def test_a_style_is_marked_where_its_markers_would_be_read(markdown: str, text: str) -> None:
    assert marked(markdown) == text


@pytest.mark.parametrize(
    ("markdown", "text"),
    [
        ("2*500 = 1000 F et x_1 > 5", "2*500 = 1000 F et x_1 > 5"),
        ("Lance `__init__.py` puis `a*b*c`.", "Lance __init__.py puis a*b*c."),
        ("**gras** *ital* ~~non~~ ***tout***", "gras ital non tout"),
        ("\\*x\\* \\_y\\_ \\`z\\`", "*x* _y_ `z`"),
        ("> **cité**\n> encore", "cité\nencore"),
        ("https://a.ci/_x_/*y* *oui*", "https://a.ci/_x_/*y* oui"),
        ("```\nx = `1` * _2_\n```", "x = `1` * _2_"),
        ("~5 et 3 * 4 * 5", "~5 et 3 * 4 * 5"),
    ],
)
def test_markers_are_taken_out_and_the_text_they_stand_in_stays(markdown: str, text: str) -> None:
    (body,) = render_outgoing(Say(markdown), WHATSAPP)
    assert isinstance(body, TextBody)
    assert strip_markers(body.text) == text


@given(st.lists(st.sampled_from(["a", "1", "*", "_", "~", " ", ".", "**", "é", "("])).map("".join))
def test_unmarked_text_is_what_was_marked(text: str) -> None:
    text = text.strip()
    assert strip_markers(write_markers(Styled(text))[0]) == text


@given(
    st.lists(st.sampled_from(["a", "1", "*", "_", "~", " ", ".", "**", "é", "`*a_`"])).map("".join)
)
@example("_*_*")
@example("*`*a_`_a*_")
def test_no_style_is_left_in_unmarked_markdown(markdown: str) -> None:
    styled = parse_markdown(markdown, Layout(links=False))
    assert strip_markers(write_markers(styled)[0]) == styled.text.rstrip()
