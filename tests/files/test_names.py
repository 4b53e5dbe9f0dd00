from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.files.names import MAX_BYTES, clean_name


@pytest.mark.parametrize(
    ("name", "clean"),
    [
        ("Résumé d'été.md", "Résumé d'été.md"),
        ("Re\u0301sume\u0301.md", "Résumé.md"),
        ("../../etc/passwd", "passwd"),
        ("C:\\Users\\me\\notes.txt", "notes.txt"),
        ("a\nb\tc\0.txt", "a b c.txt"),
        ("facture\u202egpj.exe", "facturegpj.exe"),
        ("zero\u200bwidth\ufeff.txt", "zerowidth.txt"),
        ('what?<is>"this"|*.txt', "what__is__this.txt"),
        ("Compte rendu : réunion du 30/11/2026 ?.pdf", "Compte rendu - réunion du 30-11-2026.pdf"),
        ("Bilan: 2026", "Bilan - 2026"),
        ("12:30", "12_30"),
        ("a/1.pdf", "1.pdf"),
        (".htaccess", "htaccess"),
        ("...", "document"),
        ("", "document"),
        ("  a   b  .txt ", "a b.txt"),
        ("CON", "_CON"),
        ("nul.tar.gz", "_nul.tar.gz"),
        ("com1.txt", "_com1.txt"),
        ("console.txt", "console.txt"),
        ("كتاب 学习 📚.pdf", "كتاب 学习 📚.pdf"),
        ("name. . .", "name"),
    ],
)
def test_a_name_keeps_what_people_read_and_loses_what_machines_obey(name: str, clean: str) -> None:
    assert clean_name(name) == clean


@pytest.mark.parametrize(
    ("name", "clean"),
    [
        ("notes", "notes.md"),
        ("notes.md", "notes.md"),
        ("notes.MD", "notes.md"),
        ("tarif 1.2", "tarif 1.2.md"),
        ("notes.exe", "notes.exe.md"),
        ("", "document.md"),
        (".md", "document.md"),
        ("aux", "_aux.md"),
        ("bail.docx", "bail.md"),
        ("bail.DOCX.pdf", "bail.md"),
        ("bail.docx.md", "bail.md"),
        ("docx", "docx.md"),
        ("v1.2.xlsx", "v1.2.md"),
        ("Node.js", "Node.js.md"),
    ],
)
def test_the_asked_extension_is_enforced(name: str, clean: str) -> None:
    assert clean_name(name, ".md") == clean


def test_a_long_name_is_cut_between_characters_and_keeps_its_extension() -> None:
    clean = clean_name("é" * 200 + ".xlsx")
    assert clean == "é" * 57 + ".xlsx"
    assert len(clean.encode()) <= MAX_BYTES


@given(st.text(max_size=300), st.sampled_from(["", ".md", ".pdf"]))
def test_whatever_comes_in_a_safe_name_comes_out(name: str, extension: str) -> None:
    clean = clean_name(name, extension)
    assert clean.endswith(extension)
    assert 1 <= len(clean.encode()) <= MAX_BYTES
    assert not set(clean) & set('/\\<>:"|?*')
    assert not any(unicodedata.category(character).startswith("C") for character in clean)
    assert clean == clean.strip(" .")
    assert clean_name(clean, extension) == clean
