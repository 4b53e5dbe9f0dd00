"""Read the text of a file by its format: PDF, page, book, RTF, e-mail, plain text, Office."""

from __future__ import annotations

import codecs
import csv
import io
import posixpath
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Final
from urllib.parse import unquote

import pypdfium2

from bot.errors import ToolFailed
from bot.files.archives import BROKEN, Archive, collect_attributes
from bot.files.column_totals import ColumnTotals
from bot.files.extracted_formulas import Formula
from bot.files.formula_elements import WEB_RULES
from bot.files.list_labels import read_integer, spell_number
from bot.files.office_text import read_docx, read_opendocument, read_pptx, read_xlsx

_PDF = re.compile(rb"[\s\S]{0,1024}%PDF-")
_OLD_OFFICE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
"""OLE: https://learn.microsoft.com/openspecs/windows_protocols/ms-cfb"""
_PAGE_START = re.compile(
    r"\s*+(?:<!--(?:(?!-->)[\s\S]){0,2000}+-->\s*+)*+<(?:!doctype\s+html|html|head|body)", re.I
)
_PAGE_ENDINGS = (".html", ".htm", ".xhtml", ".xht")
_TABLE_TYPES = ("text/csv", "text/tab-separated-values")
_TABLE_ENDINGS = (".csv", ".tsv")


def read_text_of(
    content: bytes, mime_type: str, filename: str, totals: ColumnTotals | None = None
) -> Iterator[str]:
    """Return the text of a file in pieces, uncleaned.

    Args:
        totals: is given the rows of a workbook or CSV file while the pieces are read.

    Raises:
        ToolFailed: it is empty, of a kind that cannot be read, damaged or protected; also raised
            later, while the pieces are read.
    """
    if not content:
        raise ToolFailed("The file is empty.")
    if content.startswith(b"PK\x03\x04"):
        return _read_zip(content, totals or ColumnTotals())
    if _PDF.match(content):
        return read_pdf(content)
    if content.startswith(_OLD_OFFICE):
        raise ToolFailed(
            "The file is of an old Office format (.doc, .xls, .ppt), or protected by a password. "
            "Ask for it as .docx, .xlsx, .pptx or PDF, without a password."
        )
    if content.startswith(rb"{\rtf"):
        return read_rtf(content)
    if not is_text(content):
        raise ToolFailed("There is no text in a file of this kind, or none that can be read.")
    return _read_plain(content, mime_type, filename.lower(), totals or ColumnTotals())


def _read_plain(
    content: bytes, mime_type: str, filename: str, totals: ColumnTotals
) -> Iterator[str]:
    if mime_type.startswith("message/rfc822") or filename.endswith(".eml"):
        return read_email(content)
    is_page = mime_type.startswith(("text/html", "application/xhtml"))
    if (
        is_page
        or filename.endswith(_PAGE_ENDINGS)
        or _PAGE_START.match(decode_text(content[:4_096]))
    ):
        return read_webpage(decode_page(content))
    if mime_type.startswith(_TABLE_TYPES) or filename.endswith(_TABLE_ENDINGS):
        return read_csv(decode_text(content), totals)
    return iter((decode_text(content),))


def _read_zip(content: bytes, totals: ColumnTotals) -> Iterator[str]:
    archive = Archive(content)
    if archive.first("word/document", ".xml"):
        return read_docx(archive)
    if archive.has("xl/workbook.xml"):
        return read_xlsx(content, archive, totals)
    if archive.has("ppt/presentation.xml"):
        return read_pptx(archive)
    if archive.has(_CONTAINER):
        return read_epub(archive)
    if archive.has("mimetype") and archive.has("content.xml"):
        return read_opendocument(archive, totals)
    raise ToolFailed("The file is an archive, which is not opened. Ask for what is in it.")


_DELIMITERS = "\t;|,"
_SAMPLE_LINES = 50
_ROWS_AT_ONCE = 1_000
_LONGEST_LINE = 1_000_000


def read_csv(text: str, totals: ColumnTotals) -> Iterator[str]:
    """Yield the text as it is; then give its rows to `totals`, yielding nothing from time to time.

    Source: RFC 4180, with other delimiters.
    """
    delimiter = _find_delimiter(text)
    if delimiter:
        totals.begin_table("", is_delimited=True)
    yield text
    if not delimiter:
        return
    first = 0 if text.startswith("sep=") else 1  # a line for Excel, which it does not show
    try:
        for number, row in enumerate(csv.reader(_read_lines(text), delimiter=delimiter), first):
            totals.add_row(number, [" ".join(cell.split()) for cell in row])
            if number % _ROWS_AT_ONCE == 0:
                yield ""
    except csv.Error:  # a cell or a line that is too long: quotes that never end
        totals.drop_table()
    totals.end_table()


def _read_lines(text: str) -> Iterator[str]:
    for line in io.StringIO(text, newline=""):
        if len(line) > _LONGEST_LINE:
            raise csv.Error("The line is longer than any row.")
        yield line


def _find_delimiter(text: str) -> str:
    """Return the sign that cuts most of the first lines into as many cells; empty if none does."""
    lines = text[:_SAMPLE].splitlines(keepends=True)[:_SAMPLE_LINES]
    best, most = "", 0
    for delimiter in _DELIMITERS:
        with suppress(csv.Error):
            widths = Counter(len(row) for row in csv.reader(lines, delimiter=delimiter))
            count = max((count for width, count in widths.items() if width > 1), default=0)
            best, most = (delimiter, count) if count > most else (best, most)
    return best


_MOST_PAGES = 3_000
_pdfium: Any = pypdfium2
_PASSWORD = 4
"""FPDF_ERR_PASSWORD: https://pdfium.googlesource.com/pdfium/+/refs/heads/main/public/fpdfview.h"""


def read_pdf(content: bytes) -> Iterator[str]:
    """Yield the pages in order, each after a line `[page 1]`; pages without text are left out."""
    document = _open_pdf(content)
    for number in range(min(len(document), _MOST_PAGES)):
        if words := _read_pdf_page(document, number):
            yield f"\n[page {number + 1}]\n{words}\n"


def _open_pdf(content: bytes) -> Any:
    try:
        return _pdfium.PdfDocument(content)
    except _pdfium.PdfiumError as error:
        if error.err_code == _PASSWORD:
            raise ToolFailed("The PDF is protected by a password. Ask for one without.") from error
        raise ToolFailed(
            "The PDF is damaged and cannot be read. Ask the person to send it again."
        ) from error


def _read_pdf_page(document: Any, number: int) -> str:
    """Return the text of a page; empty if the page is damaged, since the others may be intact."""
    try:
        page = document[number]
        words: str = page.get_textpage().get_text_bounded()
        page.close()
    except _pdfium.PdfiumError:
        return ""
    return words.strip()


_MOST_OF_PAGE = 20_000_000
"""Characters of a page that are read."""
_BLOCK = 65_536
_SPACES = re.compile(r"\s+")
_SILENT = frozenset({"script", "style", "template", "noscript", "svg", "iframe", "object"})
"""Elements whose text is not shown."""
_DRAWN = "katex-html"
"""Class of a formula's repetition in pieces: https://katex.org/docs/options (`output`)."""
_CELLS = frozenset({"td", "th"})
_BLOCKS = """
    address article aside blockquote body br caption dd details dialog div dl dt fieldset
    figcaption figure footer form h1 h2 h3 h4 h5 h6 head header hr li main nav ol option p pre
    section summary table title tr ul
"""
_LINES = frozenset(_BLOCKS.split())
_ENDING = _LINES | _CELLS
"""Elements that no formula contains and that therefore end one:
https://html.spec.whatwg.org/multipage/parsing.html#parsing-main-inforeign"""


_LISTS = frozenset({"ol", "ul"})
_LIST_FORMS: Final = {
    "a": "alphabetic",
    "A": "upperAlphabetic",
    "i": "lowerRoman",
    "I": "upperRoman",
}
"""https://html.spec.whatwg.org/multipage/grouping-content.html#the-ol-element"""


@dataclass(slots=True)
class _WebList:
    number: int | None
    """That of the next item; None: its items have no numbers."""
    form: str
    step: int

    def count(self, value: int | None) -> str:
        """Return the label of the next item, whose own number is `value`; empty if it has none."""
        if self.number is None:
            return ""
        number = self.number if value is None else value
        self.number = number + self.step
        return f"{spell_number(number, self.form)}. "


def _open_list(tag: str, attributes: Mapping[str, str]) -> _WebList:
    """Return a list with its first number, which is not known if it counts down to 1."""
    step = -1 if "reversed" in attributes else 1
    first = read_integer(attributes.get("start")) if tag == "ol" else None
    if first is None and tag == "ol" and step > 0:
        first = 1
    return _WebList(first, _LIST_FORMS.get(attributes.get("type", ""), "decimal"), step)


def read_webpage(page: str) -> Iterator[str]:
    """Yield the text of a page, its blocks in lines and its lists with their numbers; links and
    pictures are left out."""
    library: Any = import_module("lxml.etree")  # only when there is a page
    words = _PageText()
    parser = library.HTMLParser(target=words)
    for at in range(0, min(len(page), _MOST_OF_PAGE), _BLOCK):
        parser.feed(page[at : at + _BLOCK])
        yield words.take()
    parser.close()
    yield words.take()


class _PageText:
    """A target of lxml's parser: https://lxml.de/parsing.html#the-target-parser-interface."""

    def __init__(self) -> None:
        self._taken: list[str] = []
        self._silent = 0
        """Number of open elements within one that is not shown."""
        self._formula: Formula | None = None
        self._after_formula = False
        self._lists: list[_WebList] = []
        self._label = ""
        """The number of the open item, until its first words come."""

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        if self._silent or tag in _SILENT or self._is_drawn_again(attributes):
            self._silent += 1
            return
        if self._formula and (tag in _ENDING or self._formula.is_beyond_bounds):
            self._leave(self._formula)
        if self._formula:
            self._formula.start(_strip_prefix(tag), attributes)
        elif _strip_prefix(tag) == "math":
            self._formula = Formula(WEB_RULES)
        elif tag in _LINES:
            self._taken.append("\n")
            self._begin_line(tag, attributes)
        elif tag in _CELLS:
            self._taken.append("\t")

    def _begin_line(self, tag: str, attributes: Mapping[str, str]) -> None:
        if tag in _LISTS:
            self._lists.append(_open_list(tag, attributes))
        elif tag == "li" and self._lists:
            self._label = self._lists[-1].count(read_integer(attributes.get("value")))

    def _is_drawn_again(self, attributes: Mapping[str, str]) -> bool:
        return self._after_formula and _DRAWN in attributes.get("class", "")

    def end(self, tag: str) -> None:
        if self._silent:
            self._silent -= 1
        elif self._formula and self._formula.depth:
            self._formula.end()
        elif self._formula:
            self._leave(self._formula)
        elif tag in _LINES:
            self._taken.append("\n")
            if tag in _LISTS and self._lists:
                self._lists.pop()
            elif tag == "li":
                self._label = ""

    def _leave(self, formula: Formula) -> None:
        self._taken.append(self._label + formula.spell())
        self._label = ""
        self._formula, self._after_formula = None, True

    def data(self, text: str) -> None:
        if self._silent:
            return
        if self._formula and self._formula.is_beyond_bounds:
            self._leave(self._formula)
        if self._formula:
            self._formula.text(text)
        else:
            line = _SPACES.sub(" ", text)
            if self._label:
                line = line.lstrip() and self._label + line.lstrip()
                self._label = "" if line else self._label
            self._taken.append(line)
            self._after_formula = False

    def comment(self, text: str) -> None: ...

    def close(self) -> None: ...

    def take(self) -> str:
        taken = "".join(self._taken)
        self._taken.clear()
        return taken


def _strip_prefix(tag: str) -> str:
    """Return the tag without the namespace prefix that some programs write."""
    return tag.rpartition(":")[2]


# Books -------------------------------------------------------------------------------------------

_CONTAINER: Final = "META-INF/container.xml"
_ENCRYPTION: Final = "META-INF/encryption.xml"


def read_epub(archive: Archive) -> Iterator[str]:
    """Yield the pages of an EPUB in the order of its spine.

    Sources: https://www.w3.org/TR/epub-33/#sec-container-metainf, `#sec-spine-elem`.

    Raises:
        ToolFailed: it unfolds to too much, its pages are encrypted, or none that it names is there.
    """
    archive.check_total()
    pages = _list_pages(archive)
    if archive.has(_ENCRYPTION):  # often of its fonts only
        encrypted = collect_attributes(archive, _ENCRYPTION, "CipherReference")
        if not {unquote(each.get("URI", "")) for each in encrypted}.isdisjoint(pages):
            raise ToolFailed(
                "The book is protected against copying (DRM), so its text cannot be read. Ask for "
                "photos of the pages in question, or for the text itself."
            )
    for page in pages:
        with archive.open(page) as part:
            content = part.read(_MOST_OF_PAGE)
        if is_text(content):
            yield "\n"
            yield from read_webpage(decode_page(content))


def _list_pages(archive: Archive) -> list[str]:
    roots = collect_attributes(archive, _CONTAINER, "rootfile")
    packages = (unquote(each.get("full-path", "")) for each in roots)
    package = next(filter(archive.has, packages), "")
    if not package:
        raise ToolFailed(BROKEN)
    folder = posixpath.dirname(package)
    hrefs = {
        each.get("id", ""): unquote(each.get("href", "").partition("#")[0])
        for each in collect_attributes(archive, package, "item")
    }
    listed = (each.get("idref", "") for each in collect_attributes(archive, package, "itemref"))
    paths = (posixpath.normpath(posixpath.join(folder, hrefs.get(item, ""))) for item in listed)
    pages = list(dict.fromkeys(filter(archive.has, paths)))
    if not pages:
        raise ToolFailed(BROKEN)
    return pages


# RTF ---------------------------------------------------------------------------------------------

_RTF_HEX = re.compile(rb"[0-9A-Fa-f\s]{2000,}")
"""A picture, in digits: no text has so many without a blank control word."""
_RTF_BINARY = re.compile(rb"\\bin(\d{1,9}) ?")
_RTF_CHARSET = re.compile(rb"\\ansicpg(\d{1,5})")
_RTF_TOKEN = re.compile(
    r"[{}]|\\[^A-Za-z]|\\(footnote|header|footer|pntext|cell|nestcell)[lrf]?(?![A-Za-z])\d* ?"
)
_RTF_OPENED = {
    "footnote": (" [", "]"),
    "header": ("", "\\par "),
    "footer": ("", "\\par "),
    "pntext": ("", ""),
}
"""Beginnings and ends of groups that are read where they stand; striprtf leaves them out."""


def read_rtf(content: bytes) -> Iterator[str]:
    """Yield the text with its headers, footers, notes and list labels, cells separated by tabs.

    Source: Rich Text Format Specification 1.9.1.
    """
    library: Any = import_module("striprtf.striprtf")  # only when there is such a file
    content = _RTF_HEX.sub(b" ", _drop_binary(content))
    charset = _RTF_CHARSET.search(content)
    text = decode_page(content, f"cp{charset[1].decode()}" if charset else "")
    try:
        text = library.rtf_to_text(_open_groups(text), errors="replace")
    except (ValueError, TypeError, LookupError) as error:
        # striprtf raises these for numbers that are missing or too large, and unknown charsets.
        raise ToolFailed(
            "The RTF file cannot be read. Ask the person for it as .docx or PDF."
        ) from error
    # Characters beyond 16 bits are written in halves.
    yield text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _drop_binary(content: bytes) -> bytes:
    """Return the file without its binary data, in which anything may stand."""
    parts: list[bytes] = []
    at = 0
    while found := _RTF_BINARY.search(content, at):
        parts.append(content[at : found.start()])
        at = found.end() + int(found[1])
    return b"".join((*parts, content[at:]))


def _open_groups(text: str) -> str:
    ends: list[str] = []

    def translate(found: re.Match[str]) -> str:
        mark, word = found[0], found[1]
        if mark == "{":
            ends.append("")
        elif mark == "}" and ends:
            return ends.pop() + mark
        elif word in _RTF_OPENED and ends:
            begin, ends[-1] = _RTF_OPENED[word]
            return begin
        elif word:
            return "\\tab "
        return mark

    return _RTF_TOKEN.sub(translate, text)


# E-mail ------------------------------------------------------------------------------------------

_HEADERS: Final = ("From", "To", "Cc", "Date", "Subject")


def read_email(content: bytes) -> Iterator[str]:
    """Yield the usual headers, the words (as text, if that is there) and what is attached.

    Sources: RFC 5322, RFC 2045 to 2047, which `email.parser` reads without refusing anything.
    """
    library: Any = import_module("email.parser")  # only when there is such a file
    try:
        yield from _read_message(library.BytesParser().parsebytes(content))
    except RecursionError as error:
        raise ToolFailed(BROKEN) from error


def _read_message(message: Any) -> Iterator[str]:
    lines = (f"{name}: {_decode_header(message[name])}" for name in _HEADERS if message[name])
    yield "\n\n" + "\n".join(lines) + "\n\n"
    yield from _read_part(message)


def _read_part(part: Any) -> Iterator[str]:
    if not part.is_multipart():
        yield from _read_leaf(part)
        return
    parts: list[Any] = part.get_payload()
    kind = part.get_content_type()
    if kind == "message/rfc822":
        yield from _read_message(parts[0])
        return
    if kind == "multipart/alternative":  # the same in several forms, the plainest first
        parts = ([each for each in parts if each.get_content_type() == "text/plain"] or parts)[:1]
    for each in parts:
        yield from _read_part(each)


def _read_leaf(part: Any) -> Iterator[str]:
    kind: str = part.get_content_type()
    content: bytes = part.get_payload(decode=True) or b""
    if name := _decode_header(part.get_filename() or ""):
        yield f"\n\n[attachment {name}]\n"
        try:
            yield from read_text_of(content, kind, name)
        except ToolFailed as reason:
            yield str(reason)
    elif kind == "text/html":
        yield from read_webpage(decode_page(content, part.get_content_charset() or ""))
    elif kind.startswith(("text/", "multipart/")):  # a multipart without its parts is text
        yield decode_page(content, part.get_content_charset() or "")


def _decode_header(written: Any) -> str:
    """Return a header with its encoded words as text."""
    library: Any = import_module("email.header")
    try:
        parts = library.decode_header(written)
    except ValueError:  # base64 that is none
        return str(written)
    decoded = (
        part if isinstance(part, str) else decode_page(part, charset or "")
        for part, charset in parts
    )
    return " ".join("".join(decoded).split())


# Charsets ----------------------------------------------------------------------------------------

_BYTE_ORDER_MARKS: Final = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # before UTF-16, whose mark begins alike
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_DECLARED = re.compile(
    rb"""(?:<meta[^>]{0,200}charset|^\s{0,9}<\?xml[^>]{0,200}encoding)"""
    rb"""\s{0,9}=\s{0,9}["']?([\w:.-]{1,40})""",
    re.I,
)
"""https://html.spec.whatwg.org/multipage/parsing.html#prescan-a-byte-stream-to-determine-its-encoding,
and for XHTML https://www.w3.org/TR/xml/#NT-EncodingDecl"""
_NO_CHARSETS: Final = re.compile(r"idna|punycode|undefined|.*escape.*", re.IGNORECASE)
"""Python codecs that are no charset of a page: they fail, or take hours."""
_LATIN: Final = re.compile(r"(iso-?8859-1|latin-?1|us-?ascii)", re.IGNORECASE)
"""Charsets read as Windows-1252: https://encoding.spec.whatwg.org/#names-and-labels."""
_BINARY = re.compile(rb"[\x00-\x08\x0b\x0e-\x1a\x1c-\x1f]")
_SAMPLE: Final = 65_536


def is_text(content: bytes) -> bool:
    """Return whether the bytes may be text: their beginning has no control characters but the usual
    ones.

    Source: https://mimesniff.spec.whatwg.org/#binary-data-byte
    """
    has_mark = any(content.startswith(mark) for mark, _ in _BYTE_ORDER_MARKS)
    return has_mark or not _BINARY.search(content[:_SAMPLE])


def decode_text(content: bytes) -> str:
    """Decode by the byte order mark, else as UTF-8, else as Windows-1252."""
    text = _decode_marked(content)
    if text is not None:
        return text
    try:
        return content.decode()
    except UnicodeDecodeError:
        return content.decode("cp1252", errors="replace")


def decode_page(content: bytes, charset: str = "") -> str:
    """Decode a web page by the first of these that works: its byte order mark, the charset that the
    server named, UTF-8, the charset that the page declares, Windows-1252."""
    text = _decode_marked(content)
    if text is None and charset:
        text = _decode_as(content, charset)
    if text is not None:
        return text
    try:
        return content.decode()
    except UnicodeDecodeError as error:
        # The text is UTF-8 if only its last character is cut off.
        is_last = error.reason == "unexpected end of data"
        if is_last and not content[: error.start].isascii():
            return content.decode(errors="replace")
    declared = _DECLARED.search(content[:4_096])
    text = _decode_as(content, declared[1].decode()) if declared else None
    return content.decode("cp1252", errors="replace") if text is None else text


def _decode_marked(content: bytes) -> str | None:
    for mark, charset in _BYTE_ORDER_MARKS:
        if content.startswith(mark):
            return content[len(mark) :].decode(charset, errors="replace")
    return None


def _decode_as(content: bytes, charset: str) -> str | None:
    """Decode with the named charset; return None if there is no such charset."""
    if _NO_CHARSETS.fullmatch(charset):
        return None
    with suppress(LookupError, ValueError):
        return content.decode("cp1252" if _LATIN.fullmatch(charset) else charset, errors="replace")
    return None
