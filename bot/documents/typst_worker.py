"""Draw pictures of formulas and charts with Typst, in a process of its own that may be killed.

It answers requests (see `document_request`) from its standard input on its standard output, and
ends when the input ends.
"""

from __future__ import annotations

import io
import os
import resource
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, BinaryIO

import msgspec
import pypdfium2
from PIL import Image

from bot.documents.document_request import LENGTH, READY, Chart
from bot.documents.typst_compiler import compile_page, open_compiler
from bot.formulas.syntax import Untypesettable
from bot.formulas.typst import PREAMBLE, join_math, math_call, to_parts
from bot.process_restrictions import sandbox_self

_PIXELS_PER_POINT = 2
_TALLEST = 2_400
"""Most height of a page in points. Telegram accepts 10,000 pixels for width and height together."""
_MEMORY = 768 * 1024 * 1024
_CHART_SOURCE = Path(__file__).with_name("templates") / "chart.typ"
_CHART_COLOURS = 32
"""A few colours and the shades at the edges of letters and bars: a quarter of the bytes."""
_CPU_SECONDS = 3
"""CPU seconds of one request; then the system ends the process."""
_PAGE = """
#set page(width: auto, height: auto, margin: (x: 16pt, y: 14pt), fill: white)
#set text(font: "New Computer Modern", size: 16pt, top-edge: "bounds", bottom-edge: "bounds")
#let comfortable = 380pt
#let widest = 530pt
#let narrowest = 200pt
#let fitted(body, pieces) = {
  let natural = measure(body).width
  let fits(piece) = measure(piece).width <= comfortable
  if natural > comfortable and pieces.all(fits) {
    block(width: comfortable, align(left, par(leading: 0.9em, hanging-indent: 1.5em, body)))
  } else if natural > widest {
    scale(widest / natural * 100%, reflow: true, body)
  } else { body }
}
#let show-all(numbers, ..formulas) = context {
  let bodies = formulas.pos().map(formula => fitted(..formula))
  let width = calc.max(narrowest, ..bodies.map(body => measure(body).width))
  if numbers.len() < 2 {
    block(width: width, align(center, bodies.first()))
  } else {
    grid(
      columns: (width, auto), row-gutter: 22pt, column-gutter: 14pt, align: horizon,
      ..bodies.zip(numbers).map(((body, number)) => (
        align(center, body), text(size: 12pt, fill: luma(90), [(#number)]),
      )).flatten()
    )
  }
}
"""


class PictureMaker:
    """Typst with its fonts loaded."""

    def __init__(self) -> None:
        self._compiler = open_compiler()

    def picture(self, formulas: Sequence[str]) -> bytes:
        """Draw the formulas that can be shown, numbered by their places; return b"" if none can."""
        bodies = {number: _write_body(latex) for number, latex in enumerate(formulas, start=1)}
        shown = {number: body for number, body in bodies.items() if body}
        page = self._compile(shown, len(formulas))
        if not page:
            sound = {n: body for n, body in shown.items() if self._compile({n: body}, 1)}
            page = self._compile(sound, len(formulas))
        return _draw_formulas(page) if page else b""

    def chart(self, chart: Chart) -> bytes:
        """Draw a person's progress; return b"" if it cannot be set."""
        source, words = _CHART_SOURCE.read_text(), msgspec.json.encode(chart).decode()
        page = compile_page(self._compiler, source, inputs={"chart": words})
        return _draw_chart(page) if page else b""

    def _compile(self, bodies: dict[int, str], given: int) -> bytes:
        """Return a page as PDF; b"" if there are no bodies, or one does not compile."""
        if not bodies:
            return b""
        numbers = "".join(f"{number}," for number in bodies) if given > 1 else ""
        source = f"{PREAMBLE}{_PAGE}#show-all(({numbers}), {', '.join(bodies.values())})"
        return compile_page(self._compiler, source) or b""


def _write_body(latex: str) -> str:
    """Return the formula and its breakable pieces as Typst code; "" if it cannot be read."""
    try:
        parts = to_parts(latex)
    except Untypesettable:
        return ""
    pieces = "".join(f"${math_call('display', part)}$," for part in parts if "(" in part)
    return f"(${math_call('display', join_math(parts))}$, ({pieces}))"


def _draw_formulas(page: bytes) -> bytes:
    """Return a PNG of the page in 16 shades of grey, two pixels to a byte; b"" if it is too
    tall."""
    document: Any = pypdfium2.PdfDocument(page)  # pypdfium2's renderer has no types
    try:
        if document[0].get_height() > _TALLEST:
            return b""
        bitmap = document[0].render(scale=_PIXELS_PER_POINT, grayscale=True)
        picture: Image.Image = bitmap.to_pil().point([grey >> 4 for grey in range(256)])
        picture.putpalette(bytes(shade * 17 for shade in range(16) for _ in "RGB"))
        return _write_png(picture, compress_level=9)
    finally:
        document.close()


def _draw_chart(page: bytes) -> bytes:
    """Return a PNG of the page in few colours."""
    document: Any = pypdfium2.PdfDocument(page)
    try:
        bitmap = document[0].render(scale=_PIXELS_PER_POINT, rev_byteorder=True)
        picture: Image.Image = bitmap.to_pil()
        small = picture.convert("RGB").quantize(
            _CHART_COLOURS, method=Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE
        )
        return _write_png(small, compress_level=6)
    finally:
        document.close()


def _write_png(picture: Image.Image, *, compress_level: int) -> bytes:
    file = io.BytesIO()
    picture.save(file, "PNG", compress_level=compress_level)
    return file.getvalue()


def serve(requests: BinaryIO, answers: BinaryIO) -> None:
    """Answer requests until the input ends."""
    maker = PictureMaker()
    maker.picture(["x"])
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
    resource.setrlimit(resource.RLIMIT_NOFILE, (32, 32))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    answers.write(READY)
    answers.flush()
    while header := requests.read(LENGTH.size):
        (length,) = LENGTH.unpack(header)
        # Allow a few more seconds: the limit counts from the start of the process.
        _, most = resource.getrlimit(resource.RLIMIT_CPU)
        resource.setrlimit(resource.RLIMIT_CPU, (int(time.process_time()) + 1 + _CPU_SECONDS, most))
        asked = msgspec.json.decode(requests.read(length), type=list[str] | Chart)
        picture = maker.chart(asked) if isinstance(asked, Chart) else maker.picture(asked)
        answers.write(LENGTH.pack(len(picture)) + picture)
        answers.flush()


if __name__ == "__main__":
    os.closerange(3, os.sysconf("SC_OPEN_MAX"))  # an event loop may leave files of its own open
    sandbox_self("bot")  # before Typst starts threads, which the sandbox would not restrict
    serve(sys.stdin.buffer, sys.stdout.buffer)
