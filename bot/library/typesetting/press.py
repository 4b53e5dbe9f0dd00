"""The program that makes pictures: a process of its own, which may be killed.

It answers requests (`frames`) from its standard input on its standard output, and ends with them.
"""

from __future__ import annotations

import os
import resource
import sys
import time
from collections.abc import Sequence
from typing import Any, BinaryIO

import msgspec
import pypdfium2
import typst

from bot.kernel.seclusion import seclude
from bot.library.typesetting import chart as charts
from bot.library.typesetting.chart import Chart
from bot.library.typesetting.formula import to_parts
from bot.library.typesetting.frames import LENGTH, READY
from bot.library.typesetting.greyscale import to_png
from bot.library.typesetting.notation import PREAMBLE
from bot.library.typesetting.source import Untypesettable, call, join

_PIXELS_PER_POINT = 2
_TALLEST = 2_400
"""Points. Telegram takes 10,000 pixels for width and height together."""
_MEMORY = 768 * 1024 * 1024
_CPU_SECONDS = 3
"""Of one request; then the system ends the process."""
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


class Press:
    """Typst with its fonts loaded."""

    def __init__(self) -> None:
        fonts = typst.Fonts(include_system_fonts=False)
        self._compiler = typst.Compiler(
            root=".", font_paths=fonts, package_path=".", package_cache_path="."
        )

    def picture(self, formulas: Sequence[str]) -> bytes:
        """The formulas that can be shown, with the numbers of their places; b"" if none can."""
        bodies = {number: _body(latex) for number, latex in enumerate(formulas, start=1)}
        shown = {number: body for number, body in bodies.items() if body}
        page = self._compile(shown, len(formulas))
        if not page:
            sound = {n: body for n, body in shown.items() if self._compile({n: body}, 1)}
            page = self._compile(sound, len(formulas))
        return _paint(page) if page else b""

    def chart(self, chart: Chart) -> bytes:
        """The picture of somebody's progress; b"" if it cannot be set."""
        try:
            page = self._compiler.compile(
                charts.read_source(), format="pdf", sys_inputs=charts.to_inputs(chart)
            )
        except typst.TypstError:
            return b""
        return _paint_chart(page) if isinstance(page, bytes) else b""

    def _compile(self, bodies: dict[int, str], given: int) -> bytes:
        """A page as PDF; b"" if there is nothing on it, or something does not compile."""
        if not bodies:
            return b""
        numbers = "".join(f"{number}," for number in bodies) if given > 1 else ""
        source = f"{PREAMBLE}{_PAGE}#show-all(({numbers}), {', '.join(bodies.values())})"
        try:
            pages = self._compiler.compile(source.encode(), format="pdf")
        except typst.TypstError:
            return b""
        return pages if isinstance(pages, bytes) else b""


def _body(latex: str) -> str:
    """The formula and its breakable pieces as code of Typst; "" if it cannot be read."""
    try:
        parts = to_parts(latex)
    except Untypesettable:
        return ""
    pieces = "".join(f"${call('display', part)}$," for part in parts if "(" in part)
    return f"(${call('display', join(parts))}$, ({pieces}))"


def _paint(page: bytes) -> bytes:
    document: Any = pypdfium2.PdfDocument(page)  # its renderer has no types
    try:
        if document[0].get_height() > _TALLEST:
            return b""
        bitmap = document[0].render(scale=_PIXELS_PER_POINT, grayscale=True)
        return to_png(bytes(bitmap.buffer), bitmap.width, bitmap.height, bitmap.stride)
    finally:
        document.close()


def _paint_chart(page: bytes) -> bytes:
    document: Any = pypdfium2.PdfDocument(page)
    try:
        bitmap = document[0].render(scale=charts.PIXELS_PER_POINT, rev_byteorder=True)
        return charts.to_small_png(bitmap)
    finally:
        document.close()


def _limit_resources() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
    resource.setrlimit(resource.RLIMIT_NOFILE, (32, 32))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _grant_cpu() -> None:
    """Seconds for one more request: the limit counts from the start of the process."""
    _, most = resource.getrlimit(resource.RLIMIT_CPU)
    resource.setrlimit(resource.RLIMIT_CPU, (int(time.process_time()) + 1 + _CPU_SECONDS, most))


def serve(requests: BinaryIO, answers: BinaryIO) -> None:
    """Answer until there are no more requests."""
    press = Press()
    press.picture(["x"])
    _limit_resources()
    answers.write(READY)
    answers.flush()
    while header := requests.read(LENGTH.size):
        (length,) = LENGTH.unpack(header)
        _grant_cpu()
        asked = msgspec.json.decode(requests.read(length), type=list[str] | Chart)
        picture = press.chart(asked) if isinstance(asked, Chart) else press.picture(asked)
        answers.write(LENGTH.pack(len(picture)) + picture)
        answers.flush()


if __name__ == "__main__":
    os.closerange(3, os.sysconf("SC_OPEN_MAX"))  # an event loop may leave some of its own open
    seclude("bot")  # before Typst has threads, which would not be held to it
    serve(sys.stdin.buffer, sys.stdout.buffer)
