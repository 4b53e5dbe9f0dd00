"""Kinds of files, as people and models speak of them. Pure."""

from __future__ import annotations

_KINDS = {
    "pdf": (".pdf",),
    "document": (".docx", ".doc", ".odt", ".rtf"),
    "spreadsheet": (".xlsx", ".xls", ".ods", ".csv", ".tsv"),
    "presentation": (".pptx", ".ppt", ".odp"),
    "text": (".txt", ".md", ".markdown", ".html", ".htm", ".json"),
}
_SYNONYMS = {
    "photo": "image",
    "picture": "image",
    "word": "document",
    "doc": "document",
    "excel": "spreadsheet",
    "sheet": "spreadsheet",
    "powerpoint": "presentation",
    "slide": "presentation",
    "voice": "audio",
}
_DOCUMENTS = frozenset({"pdf", "document", "text"})


def kind_of(filename: str, mime_type: str) -> str:
    """`image`, `audio`, one of those that are told by the file's name, or `other`."""
    family = mime_type.partition("/")[0]
    if family in {"image", "audio"}:
        return family
    name = filename.lower()
    known = (kind for kind, endings in _KINDS.items() if name.endswith(endings))
    return next(known, "text" if family == "text" else "other")


def is_of_kind(filename: str, mime_type: str, kind: str) -> bool:
    """Whether a file is what a model calls `kind`: a kind, any document, or an extension."""
    wanted = kind.strip().lower().lstrip(".*")
    wanted = _SYNONYMS.get(wanted.removesuffix("s"), wanted)
    if filename.lower().endswith(f".{wanted}"):
        return True
    found = kind_of(filename, mime_type)
    return found in {wanted, wanted.removesuffix("s")} or (
        wanted.removesuffix("s") == "document" and found in _DOCUMENTS
    )
