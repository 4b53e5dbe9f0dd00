"""Make file names that are safe everywhere; name kinds of files as people and models do."""

from __future__ import annotations

import re
import unicodedata

MAX_BYTES = 120
"""Most bytes of a name in UTF-8: with a folder before it, it stays below file systems' 255."""
_FORBIDDEN = re.compile(r'[<>:"|?*]')
_DATE_BAR = re.compile(r"(?<=\d)/(?=\d)")
"""A bar of `30/11/2026`, which is no end of a folder."""
_COLON = re.compile(r"\s+:\s+|:\s+")
_LAST_MARKS = re.compile(r"(?<=\w)\s*[?*\"|<>:]+(?=\s*(?:\.[A-Za-z0-9]{1,10})?$)")
"""Marks at the end of a title, such as those of a question."""
_RESERVED = re.compile(r"(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])(\..*)?", re.IGNORECASE)
"""Names of devices on Windows, with any extension."""
_EXTENSION = re.compile(r"(?<=.)\.[A-Za-z0-9]{1,10}$")

_ENDINGS = re.compile(
    r"(?<=[^. ])(?: *\.(?:pdf|docx?|odt|rtf|epub|xlsx?|ods|csv|pptx?|odp|html?|md|markdown|txt))+$",
    re.IGNORECASE,
)
"""The extensions of documents, which a document of another kind must not keep."""


def clean_name(name: str, extension: str = "") -> str:
    """Return `name` without paths, invisible characters and reserved words; accents stay.

    Args:
        name: the name that a model, a person or a channel gave the file.
        extension: the extension that it must have (`.md`), in place of that of another kind of
            document; empty: its own stays.

    Returns:
        A name of 1 to `MAX_BYTES` bytes in UTF-8; cleaning it again changes nothing.
    """
    name = re.split(r"[/\\]", _DATE_BAR.sub("-", name))[-1]
    name = _COLON.sub(" - ", _LAST_MARKS.sub("", unicodedata.normalize("NFC", name)))
    visible = "".join(" " if character.isspace() else character for character in name)
    visible = "".join(c for c in visible if not unicodedata.category(c).startswith("C"))
    tidy = " ".join(_FORBIDDEN.sub("_", visible).split())
    is_given = bool(extension)
    if not extension and (found := _EXTENSION.search(tidy)):
        extension = found[0]
    if is_given and (own := _ENDINGS.search(tidy)):
        tidy = tidy[: own.start()]  # `x.docx` of which a PDF is made
    if extension and tidy.lower().endswith(extension.lower()):
        tidy = tidy[: -len(extension)]
    stem = tidy.strip(". ") or "document"
    if _RESERVED.fullmatch(stem):
        stem = f"_{stem}"
    stem = stem.encode()[: MAX_BYTES - len(extension)].decode(errors="ignore")
    stem = _ENDINGS.sub("", stem.rstrip(". ")) if is_given else stem
    return stem.rstrip(". ") + extension


_KINDS = {
    "pdf": (".pdf",),
    "document": (".docx", ".doc", ".odt", ".rtf", ".epub"),
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


def get_kind(filename: str, mime_type: str) -> str:
    """Return `image`, `audio`, the kind of the file's extension, or `other`."""
    family = mime_type.partition("/")[0]
    if family in {"image", "audio"}:
        return family
    name = filename.lower()
    known = (kind for kind, endings in _KINDS.items() if name.endswith(endings))
    return next(known, "text" if family == "text" else "other")


def is_of_kind(filename: str, mime_type: str, kind: str) -> bool:
    """Return whether a file is of a model's `kind`: a kind, any document, or an extension."""
    wanted = kind.strip().lower().lstrip(".*")
    wanted = _SYNONYMS.get(wanted.removesuffix("s"), wanted)
    if filename.lower().endswith(f".{wanted}"):
        return True
    found = get_kind(filename, mime_type)
    return found in {wanted, wanted.removesuffix("s")} or (
        wanted.removesuffix("s") == "document" and found in _DOCUMENTS
    )
