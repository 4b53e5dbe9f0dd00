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
from importlib import import_module
from io import BytesIO
from pathlib import Path
from typing import Any, Final, cast

import pypdfium2
from PIL import Image
from samples import SAMPLES

from bot.contracts import Budget, Services, ToolContext
from bot.events import ignore
from bot.library.workshop import Workshop
from bot.messages import Person, ShareFile
from bot.settings import Settings

HERE: Final = Path(__file__).parent
_WIDTH: Final = 520
"""Pixels of a page's picture."""
_GAP: Final = 8
_PAGES: Final = 2
_COLOURS: Final = 64
_OFFICE: Final = (".docx", ".xlsx", ".pptx")
_PHONE: Final = "390,1400"
_README: Final = """\
# What the documents look like

Made by `python docs/gallery/make.py`, which calls the tools as a model would (`samples.py`,
`texts/`). They are in French, as most people who write to Griot are; the figures are made up.
"""


class _Shelf:
    """Keeps files in this folder, in place of somebody's library."""

    async def save(
        self, _: int, filename: str, content: bytes, *, mime_type: str, **__: str
    ) -> ShareFile:
        (HERE / filename).write_bytes(content)
        return ShareFile(filename, filename, mime_type, len(content))


def main() -> None:
    asyncio.run(_make_all())
    for name in SAMPLES:
        _paint(HERE / name)
    (HERE / "README.md").write_text(_README + "".join(map(_show, SAMPLES)))


async def _make_all() -> None:
    context = _context()
    for name, sample in SAMPLES.items():
        tool: Any = import_module(f"tools.generate_{name.rpartition('.')[2]}").TOOL
        arguments = tool.arguments.model_validate({"filename": name, **sample})
        result = await tool.function(arguments, context)
        sys.stdout.write(f"{result}\n")


def _context() -> ToolContext:
    services: dict[str, Any] = dict.fromkeys(Services.__dataclass_fields__)
    services |= {"files": _Shelf(), "workshop": Workshop()}
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
        show=lambda _: None,
        left=Budget(seconds=60, usd=1, tool_calls=20, depth=0),
        spend=lambda _: None,
    )


def _paint(path: Path) -> None:
    """Put a picture of the document's beginning beside it, if there is something to paint with."""
    if path.suffix == ".pdf":
        _keep(path, _photograph_pdf(path.read_bytes()))
    elif path.suffix == ".html" and (browser := shutil.which("chromium")):
        _keep(path, _photograph_html(browser, path))
    elif path.suffix in _OFFICE and (office := shutil.which("soffice")):
        _keep(path, _photograph_pdf(_convert(office, path)))


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


def _convert(office: str, path: Path) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        _run(
            office, f"-env:UserInstallation=file://{folder}/profile", "--headless",
            "--convert-to", "pdf", "--outdir", folder, str(path),
        )  # fmt: skip
        return (Path(folder) / path.name).with_suffix(".pdf").read_bytes()


def _run(*command: str) -> None:
    subprocess.run(command, check=True, capture_output=True, timeout=120)  # noqa: S603


def _keep(path: Path, pages: list[Image.Image]) -> None:
    """The pages side by side, small and in few colours, as data are dear."""
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
    """The part of the README about one document."""
    size = f"{(HERE / name).stat().st_size / 1000:.0f} KB"
    picture = f"![{name}]({name}.png)\n" if (HERE / f"{name}.png").exists() else ""
    return f"\n## [{name}]({name}), {size}\n\n{picture}"


if __name__ == "__main__":
    main()
