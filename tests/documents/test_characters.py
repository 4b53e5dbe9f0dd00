from __future__ import annotations

import pytest

from bot.documents.characters import (
    clean_markdown,
    name_emoji,
    name_unsupported_scripts,
    print_scripts,
    replace_emoji,
)


def test_what_nobody_sees_is_left_out() -> None:
    assert clean_markdown("a\x00b\u202ec\ufeff\x1b[1md\u2066e") == "abc[1mde"
    assert clean_markdown("a\r\nb\rc\u2028d\te") == "a\nb\nc\nd\te"
    assert clean_markdown("\ud83d!") == "\ufffd!"


@pytest.mark.parametrize(
    ("typed", "shown"),
    [
        ("🎯 Objectifs", "Objectifs"),
        ("✅ fait, ❌ non", "✔ fait, ✘ non"),
        ("Bravo 🎉 !", "Bravo !"),
        ("1️⃣ un ➋ ➀", "1 un ❷ ①"),
        ("❤️ ✖", "♥ ✘"),
        ("👩‍👩‍👧‍👦🇨🇮", ""),
        ("☀ ★ → ✓ ⚠ ½ ₣ é", "☀ ★ → ✓ ⚠ ½ ₣ é"),
    ],
)
def test_colour_pictures_become_plain_signs_or_nothing(typed: str, shown: str) -> None:
    assert replace_emoji(typed) == shown


def test_pictures_that_are_left_out_are_named_and_those_with_a_sign_are_not() -> None:
    assert name_emoji("🎯 un 🎯 ✅ 1️⃣ ❤️ 🧪, 👩‍👩‍👧‍👦") == ["🎯", "🧪", "👩‍👩‍👧‍👦"]
    assert name_emoji("✅ ☀ é") == []


def test_scripts_that_cannot_be_shown_are_named() -> None:
    assert name_unsupported_scripts("Ɔyɛ ŋutɔ, ƴamɓe: Ελλάδα, Россия, مرحبا, ℝ, 𝑥, ª") == []
    assert name_unsupported_scripts("ߒߞߏ, ⵜⵉⴼⵉⵏⴰⵖ") == []
    assert name_unsupported_scripts("𞤀𞤣 et 中文, አማርኛ") == ["Ethiopic", "Cjk", "Adlam"]


@pytest.mark.parametrize(
    ("typed", "shown"),
    [
        ("H~2~O et CO~2~", "H₂O et CO₂"),
        ("C~n~H~2n+2~, SO~4~^2−^", "CₙH₂ₙ₊₂, SO₄²⁻"),
        ("1 250 m^2^, XIX^e^ siècle, ^14^C", "1 250 m², XIXᵉ siècle, ¹⁴C"),
        ("à ~5 km, 5~10~20, ~~non~~", "à ~5 km, 5~10~20, ~~non~~"),
        ("x^2+y^2, x^2 et x^3", "x^2+y^2, x^2 et x^3"),
        ("x^2y^3, 2^n-1^(m), ^-^", "x^2y^3, 2^n-1^(m), ^-^"),
        ("R~É~", "RÉ"),
    ],
)
def test_scripts_of_markdown_are_characters_in_a_line(typed: str, shown: str) -> None:
    assert print_scripts(typed) == shown
