from __future__ import annotations

import pytest

from bot.files.names import get_kind, is_of_kind

OCTETS = "application/octet-stream"


@pytest.mark.parametrize(
    ("filename", "mime_type", "kind"),
    [
        ("photo-2026.jpg", "image/jpeg", "image"),
        ("note.ogg", "audio/ogg", "audio"),
        ("Cours.PDF", "application/pdf", "pdf"),
        ("a.docx", OCTETS, "document"),
        ("a.csv", "text/csv", "spreadsheet"),
        ("a.pptx", OCTETS, "presentation"),
        ("page.html", OCTETS, "text"),
        ("script.py", "text/plain", "text"),
        ("a.zip", "application/zip", "other"),
    ],
)
def test_kinds_are_told_by_type_and_name(filename: str, mime_type: str, kind: str) -> None:
    assert get_kind(filename, mime_type) == kind
    assert is_of_kind(filename, mime_type, kind)


@pytest.mark.parametrize(
    ("wanted", "filename", "mime_type"),
    [
        ("photos", "a.jpg", "image/jpeg"),
        ("PDF", "a.pdf", "application/pdf"),
        (".docx", "a.docx", OCTETS),
        ("Word", "a.docx", OCTETS),
        ("excel", "a.xlsx", OCTETS),
        ("documents", "a.pdf", "application/pdf"),
        ("document", "a.txt", "text/plain"),
        ("slides", "a.pptx", OCTETS),
        ("zip", "a.zip", "application/zip"),
    ],
)
def test_models_may_call_a_kind_as_people_do(wanted: str, filename: str, mime_type: str) -> None:
    assert is_of_kind(filename, mime_type, wanted)


@pytest.mark.parametrize("wanted", ["image", "docx", "spreadsheet", "f", "df"])
def test_other_kinds_are_left_out(wanted: str) -> None:
    assert not is_of_kind("a.pdf", "application/pdf", wanted)
