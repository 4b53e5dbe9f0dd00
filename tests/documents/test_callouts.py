from __future__ import annotations

import pytest

from bot.documents.markdown_blocks import find_callout, match_callout_kind
from tests.support.documents import blocks_of, said


@pytest.mark.parametrize(
    ("quote", "kind", "label", "content"),
    [
        ("**Définition :** une fraction", "definition", "Définition", ["Une fraction"]),
        ("**Remarque** : oui", "remark", "Remarque", ["Oui"]),
        ("**Exemple**\n>\n> $x$", "example", "Exemple", ["x"]),
        ("**À retenir.**\n> le reste", "key", "À retenir", ["Le reste"]),
        ("💡 **Astuce** — oui", "", "", []),
        ("**Definition 2 (ratio).** A", "definition", "Definition 2 (ratio)", ["A"]),
        ("**Théorème de Thalès** : si", "definition", "Théorème de Thalès", ["Si"]),
    ],
)
def test_a_quote_that_begins_with_a_label_is_a_box(
    quote: str, kind: str, label: str, content: list[str]
) -> None:
    callout = find_callout(blocks_of(f"> {quote}")[0])
    found = (callout.kind, callout.label.words, said(callout.content)) if callout else ("", "", [])
    assert found == (kind, label, content)


@pytest.mark.parametrize(
    "quote", ["Il dit **Définition**", "**Awa** : oui", "texte", "- **Exemple**", "", "**"]
)
def test_other_quotes_stay_quotes(quote: str) -> None:
    assert find_callout(blocks_of(f"> {quote}")[0]) is None


@pytest.mark.parametrize(
    "heading",
    [
        "Objectifs",
        "Les objectifs de la leçon",
        "1. Objectives",
        "Ce qu’il faut retenir",
        "À retenir",
        "Prérequis",
    ],
)
def test_headings_of_aims_are_known(heading: str) -> None:
    assert match_callout_kind(heading) == "key"
