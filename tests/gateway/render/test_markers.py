from __future__ import annotations

import pytest

from bot.gateway.render import render
from bot.gateway.render.markers import ZERO_WIDTH
from bot.messages import Say, TextBody
from tests.gateway.render.channels import WHATSAPP


def marked(markdown: str) -> str:
    """The text on WhatsApp, a zero-width space shown as ¦."""
    (body,) = render(Say(markdown), WHATSAPP)
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
