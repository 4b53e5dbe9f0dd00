"""Open documents in LibreOffice, and look whether they hold what they should.

    python docs/gallery/check.py

Those of the gallery, and those of `hostile.py`. LibreOffice works out every formula again, and has
to come to what stands in the file. Where it is not installed nothing is checked, and that is said.
"""

from __future__ import annotations

import asyncio
import re
import shutil
import sys
import tempfile
import unicodedata
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, cast

import openpyxl
import pypdfium2
from hostile import CASES, Case
from make import convert, make_all
from samples import SAMPLES

_OFFICE: Final = (".docx", ".xlsx", ".pptx", ".html")
_RESULT = re.compile(rb"(<f>[^<]*</f>)<v>[^<]*</v>")
"""Of a formula, in a sheet's file."""
_CLOSE: Final = 1e-9
_ALL: Final = {
    **{f"gallery-{name}": Case(arguments) for name, arguments in SAMPLES.items()},
    **CASES,
}


def main() -> int:
    """1 if something is wrong."""
    office = shutil.which("soffice")
    if office is None:
        sys.stdout.write("LibreOffice (soffice) is not installed: nothing was checked.\n")
        return 0
    with tempfile.TemporaryDirectory() as folder:
        faults = list(_check_all(office, Path(folder)))
    for fault in faults:
        sys.stdout.write(f"{fault}\n")
    sys.stdout.write(f"{len(_ALL)} documents checked, {len(faults)} faults.\n")
    return 1 if faults else 0


def _check_all(office: str, folder: Path) -> Iterator[str]:
    asyncio.run(make_all({name: case.arguments for name, case in _ALL.items()}, folder))
    opened, recalculated = folder / "opened", folder / "recalculated"
    sheets = [_forget_results(folder / name) for name in _ALL if name.endswith(".xlsx")]
    # one at a time: a spreadsheet and a page of the same name would be the same PDF
    for ending in _OFFICE:
        if paths := sorted(folder.glob(f"*{ending}")):
            convert(office, paths, opened / ending)
    convert(office, sheets, recalculated, "xlsx")
    for name, case in _ALL.items():
        path = folder / name
        shown = opened / path.suffix / f"{path.stem}.pdf" if path.suffix in _OFFICE else path
        faults = _check_pages(shown, case) if shown.suffix == ".pdf" else iter(())
        yield from (f"{name}: {fault}" for fault in faults)
        if path.suffix == ".xlsx":
            yield from (f"{name}: {f}" for f in _check_sheet(path, recalculated / name, case))


def _check_pages(pdf: Path, case: Case) -> Iterator[str]:
    if not pdf.exists():
        yield "LibreOffice cannot open it"
        return
    document = cast("Any", pypdfium2.PdfDocument(pdf))
    pages = [page.get_textpage().get_text_range() for page in document]
    text = _squeeze("".join(pages))
    if len(pages) < case.pages:
        yield f"{len(pages)} pages instead of {case.pages} or more"
    yield from (f"{words!r} is not there" for words in case.holds if _squeeze(words) not in text)


def _squeeze(text: str) -> str:
    """Without the spaces and line ends that setting a page adds."""
    return "".join(unicodedata.normalize("NFKC", text).split())


def _forget_results(path: Path) -> Path:
    """Copy a workbook without the results of its formulas; return the path of the copy."""
    copy = path.parent / "bare" / path.name
    copy.parent.mkdir(exist_ok=True)
    with zipfile.ZipFile(path) as source, zipfile.ZipFile(copy, "w") as target:
        for name in source.namelist():
            target.writestr(name, _RESULT.sub(rb"\1", source.read(name)))
    return copy


def _check_sheet(path: Path, recalculated: Path, case: Case) -> Iterator[str]:
    formulas, ours = openpyxl.load_workbook(path), openpyxl.load_workbook(path, data_only=True)
    theirs = openpyxl.load_workbook(recalculated, data_only=True)
    for sheet in formulas.worksheets:
        for cell in (cell for row in sheet.iter_rows() for cell in row if cell.data_type == "f"):
            here = ours[sheet.title][cell.coordinate].value
            there = theirs[sheet.title][cell.coordinate].value
            if not _is_same(here, there):
                yield f"{cell.coordinate} {cell.value}: {here!r}, by LibreOffice {there!r}"
    first = cast("Any", theirs.worksheets[0])
    for place, expected in case.results.items():
        if not _is_same(first[place].value, expected):
            yield f"{place} is {first[place].value!r} instead of {expected!r}"


def _is_same(here: object, there: object) -> bool:
    if here in (None, "") and not _is_error(there):
        return True  # nothing is claimed: we do not work out everything
    if isinstance(here, int | float) and isinstance(there, int | float):
        return abs(here - there) <= _CLOSE * max(1.0, abs(here), abs(there))
    return here == there or (_is_error(here) and _is_error(there))


def _is_error(value: object) -> bool:
    """LibreOffice calls some errors by other names."""
    return str(value).startswith("#")


if __name__ == "__main__":
    sys.exit(main())
