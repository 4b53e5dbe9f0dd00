"""Make the samples of the demo again: run `python ops/make_samples.py`, then commit them.

It draws the photos, and needs espeak-ng, sox and opusenc for the voice notes.
"""

from __future__ import annotations

import io
import shlex
import subprocess
from pathlib import Path
from typing import Any, Final

import pypdfium2
import typst
from PIL import Image, ImageChops, ImageDraw, ImageFilter

from bot.demo.tutor_script import SPOKEN, Language

_FOLDER: Final = Path(__file__).parents[1] / "bot/demo/samples"
_SIZE: Final = (960, 720)
_TEXTS: Final[dict[Language, tuple[str, str, str]]] = {
    "fr": ("Exercice 3", "Résous l’équation, puis vérifie ta réponse.", "(sur 4 points)"),
    "en": ("Exercise 3", "Solve the equation, then check your answer.", "(4 marks)"),
}
_PAGE: Final = """
#set page(width: 480pt, height: 360pt, margin: (left: 76pt, top: 62pt, rest: 30pt))
#set text(font: "New Computer Modern", size: 19pt, fill: rgb("#1d2440"))
*%s* #h(1fr) #text(size: 14pt)[%s]
#v(4pt)
%s
#v(26pt)
#align(center, text(size: 34pt)[$ (2 x) / 3 + 5 = 11 $])
"""
_VOICES: Final[dict[Language, str]] = {"fr": "fr+f3", "en": "en-gb+f3"}


def draw_photo(language: Language) -> bytes:
    """Draw a page of an exercise book as in a phone's photo: askew, in the light of a window."""
    title, task, points = _TEXTS[language]
    source = _PAGE % (title, points, task)
    pdf: Any = pypdfium2
    page = pdf.PdfDocument(typst.compile(source.encode(), format="pdf"))[0]
    ink = page.render(scale=3).to_pil().convert("RGB").resize(_SIZE, Image.Resampling.LANCZOS)
    photo = ImageChops.multiply(_draw_paper(), ink)
    photo = photo.rotate(2.4, Image.Resampling.BICUBIC, expand=False, fillcolor=(122, 88, 60))
    gradient: Any = Image.linear_gradient("L")
    light = gradient.rotate(35).crop((58, 75, 198, 180)).resize(_SIZE)
    light = light.point([min(255, 185 + level * 90 // 255) for level in range(256)])
    grain: Any = Image.effect_noise(_SIZE, 6)
    noise = grain.point([min(255, level + 122) for level in range(256)])
    photo = ImageChops.multiply(photo, Image.merge("RGB", (light,) * 3))
    photo = ImageChops.multiply(photo, Image.merge("RGB", (noise,) * 3))
    out = io.BytesIO()
    photo.filter(ImageFilter.GaussianBlur(0.8)).save(out, "JPEG", quality=55, optimize=True)
    return out.getvalue()


def _draw_paper() -> Image.Image:
    paper = Image.new("RGB", _SIZE, (250, 246, 236))
    draw = ImageDraw.Draw(paper)
    for y in range(36, _SIZE[1], 36):
        draw.line((0, y, _SIZE[0], y), fill=(188, 206, 232), width=2)
    draw.line((118, 0, 118, _SIZE[1]), fill=(226, 140, 140), width=3)
    return paper


def record_voice(language: Language) -> bytes:
    """Record the sentence with a speech synthesiser as a voice note: Opus in Ogg."""
    say = ["espeak-ng", "-v", _VOICES[language], "-s", "150", "--stdout", SPOKEN[language]]
    soften = shlex.split("sox -t wav - -r 16000 -t wav - norm -3 reverb 12")
    encode = shlex.split("opusenc --quiet --bitrate 20 --speech --discard-comments - -")
    return _pipe(encode, _pipe(soften, _pipe(say, b"")))


def _pipe(command: list[str], given: bytes) -> bytes:
    done = subprocess.run(command, input=given, check=True, capture_output=True)  # noqa: S603
    return done.stdout


def main() -> None:
    for language in _TEXTS:
        (_FOLDER / f"photo-{language}.jpg").write_bytes(draw_photo(language))
        (_FOLDER / f"voice-{language}.ogg").write_bytes(record_voice(language))


if __name__ == "__main__":
    main()
