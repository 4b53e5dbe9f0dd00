"""Make one document of every kind, by the tools themselves, with pictures of what it looks like.

    python docs/gallery/make.py

Pictures of PDF come from PDFium, those of HTML from Chromium and those of office documents from
LibreOffice, where these two are installed; else the pictures that are there stay.
"""

from __future__ import annotations

import asyncio
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from importlib import import_module
from io import BytesIO
from pathlib import Path
from typing import Any, Final, cast

import pypdfium2
import time_machine
from PIL import Image
from samples import SAMPLES

from bot.contracts.services import Budget, Services, StoredFile, ToolContext
from bot.errors import ToolFailed
from bot.events import ignore
from bot.isolated_worker.worker import IsolatedWorker
from bot.messages.incoming import Person
from bot.messages.outgoing import ShareFile
from bot.settings import Settings

HERE: Final = Path(__file__).parent
_WIDTH: Final = 520
"""Pixels of a page's picture."""
_GAP: Final = 8
_PAGES: Final = 4
_DAY: Final = "2026-03-02T09:00:00Z"
"""On which all documents are dated."""
_COLOURS: Final = 64
_OFFICE: Final = (".docx", ".xlsx", ".pptx")
_PHONE: Final = "390,1400"
_README: Final = """\
# What the documents look like

Made by `make gallery`, which calls the tools as a model would (`make.py`, `samples.py`, `texts/`).
They are in French, as most people who write to Griot are; the figures are made up.

Then `check.py` makes documents that try to break the tools (`hostile.py`: commands in cells, broken
formulas, control characters, text from right to left, 10,000 rows, 200 pages), opens all of them in
LibreOffice, looks for what they have to hold, and has it work out every formula again. Without
LibreOffice it says so, and checks nothing.
"""


class _Folder:
    """Keeps files in a folder, in place of a person's library; it has the sample pictures."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    async def share(self, _: int, file_id: str) -> ShareFile:
        raise ToolFailed(f"There is no file {file_id!r}.")

    async def listing(self, *_: object) -> list[StoredFile]:
        paths = sorted((HERE / "pictures").glob("*.png"))
        return [StoredFile(p.name, p.name, "image", p.stat().st_size, 0.0) for p in paths]

    async def read(self, file_id: str) -> bytes:
        return (HERE / "pictures" / file_id).read_bytes()

    async def save(
        self, _: int, filename: str, content: bytes, *, mime_type: str, **__: str
    ) -> ShareFile:
        (self._folder / filename).write_bytes(content)
        return ShareFile(filename, filename, mime_type, len(content))


def main() -> None:
    with time_machine.travel(_DAY):
        asyncio.run(make_all(SAMPLES, HERE))
    for name in SAMPLES:
        _paint(HERE / name)
    (HERE / "README.md").write_text(_README + "".join(map(_show, SAMPLES)))


async def make_all(samples: Mapping[str, Mapping[str, Any]], folder: Path) -> None:
    """Have the tools make the documents, and print what the model would read of each."""
    context = _context(folder)
    for name, sample in samples.items():
        tool: Any = import_module(f"tools.generate_{name.rpartition('.')[2]}").TOOL
        arguments = tool.arguments.model_validate({"filename": name, **sample})
        result = await tool.function(arguments, context)
        sys.stdout.write(f"{result}\n")


def _context(folder: Path) -> ToolContext:
    services: dict[str, Any] = dict.fromkeys(Services.__dataclass_fields__)
    services |= {"files": _Folder(folder), "isolated_worker": IsolatedWorker()}
    return ToolContext(
        person=Person("telegram", "gallery", account=1, mode="pro"),
        account=1,
        lane="gallery",
        turn=1,
        call_id="gallery",
        key="gallery",
        settings=Settings.model_validate({}),
        services=Services(**services),
        emit=ignore,
        deliver=lambda _: None,
        may_open=lambda *_: False,
        show=lambda _: None,
        left=Budget(seconds=60, usd=1, tool_calls=20, depth=0),
        spend=lambda _: None,
    )


def _paint(path: Path) -> None:
    """Put a picture of the document's beginning beside it, if there is something to paint with."""
    if path.suffix == ".pdf":
        _keep(path, _photograph_pdf(path.read_bytes()))
    elif path.suffix == ".html" and (browser := _find_browser()):
        _keep(path, _photograph_html(browser, path))
    elif path.suffix in _OFFICE and (office := shutil.which("soffice")):
        with tempfile.TemporaryDirectory() as folder:
            convert(office, [path], Path(folder))
            _keep(path, _photograph_pdf((Path(folder) / f"{path.stem}.pdf").read_bytes()))


def _find_browser() -> str | None:
    return shutil.which("chromium-headless-shell") or shutil.which("chromium")


def _photograph_pdf(pdf: bytes) -> list[Image.Image]:
    document = cast("Any", pypdfium2.PdfDocument(pdf))
    pages = [document[index] for index in range(min(_PAGES, len(document)))]
    pictures = [page.render(scale=2 * _WIDTH / page.get_width()).to_pil() for page in pages]
    document.close()
    return pictures


def _photograph_html(browser: str, path: Path) -> list[Image.Image]:
    with tempfile.TemporaryDirectory() as folder:
        picture = Path(folder) / "page.png"
        _run(
            browser, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
            f"--screenshot={picture}", f"--window-size={_PHONE}", path.resolve().as_uri(),
        )  # fmt: skip
        return [Image.open(BytesIO(picture.read_bytes()))]


def convert(office: str, paths: Sequence[Path], folder: Path, kind: str = "pdf") -> None:
    """Have LibreOffice write `paths` into `folder` as files of another kind."""
    with tempfile.TemporaryDirectory() as profile:
        _run(
            office, f"-env:UserInstallation=file://{profile}", "--headless",
            "--convert-to", kind, "--outdir", str(folder), *map(str, paths),
        )  # fmt: skip


def _run(*command: str) -> None:
    subprocess.run(command, check=True, capture_output=True, timeout=300)  # noqa: S603


def _keep(path: Path, pages: list[Image.Image]) -> None:
    """Store the pages side by side, small and in few colours, as data are dear."""
    small = [page.convert("RGB") for page in pages]
    for page in small:
        page.thumbnail((_WIDTH, page.height), Image.Resampling.LANCZOS)
    width = sum(page.width + _GAP for page in small) + _GAP
    sheet = Image.new("RGB", (width, max(page.height for page in small) + 2 * _GAP), "#8a938e")
    left = _GAP
    for page in small:
        sheet.paste(page, (left, _GAP))
        left += page.width + _GAP
    sheet.quantize(_COLOURS).save(HERE / f"{path.name}.png", optimize=True)


def _show(name: str) -> str:
    """Write the part of the README about one document."""
    size = f"{(HERE / name).stat().st_size / 1000:.0f} KB"
    picture = f"![{name}]({name}.png)\n" if (HERE / f"{name}.png").exists() else ""
    return f"\n## [{name}]({name}), {size}\n\n{picture}"


if __name__ == "__main__":
    main()
