from __future__ import annotations

import pytest

from bot.documents.characters import (
    clean_markdown,
    name_emoji,
    name_unsupported_scripts,
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
    assert name_unsupported_scripts("ߒߞߏ et 中文, አማርኛ") == ["Nko", "Ethiopic", "Cjk"]
