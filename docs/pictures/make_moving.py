"""Film the demo: one moving picture of a lesson, a quiz, an SMS and a killed process.

    python docs/pictures/make_moving.py [--language en|fr] [--out FILE]

The script starts `griot demo` in an empty folder, drives its page in the system's Chromium, takes
screenshots, writes a caption above them and joins them to an animated WebP. It finds everything by
roles and names, so a new layout needs no change here; only the words in `SCENES` must be those of
the page. Install a font with emoji first. How long each scene is shown is fixed: a slow machine
makes the same film as a fast one, but for the clock, the process id and how far an answer has grown
in each frame.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Generator
from dataclasses import dataclass, field
from io import BytesIO
from pathlib import Path
from typing import Any, Final

from PIL import Image, ImageChops
from playwright.sync_api import Browser, Locator, Page, ViewportSize, sync_playwright

HERE: Final = Path(__file__).parent
_BROWSERS: Final = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
_VIEW: Final[ViewportSize] = {"width": 1280, "height": 620}
"""Wide enough for all phones beside each other."""
_WIDTH: Final = 800
"""Pixels of the page that a frame shows, around the phone in use: text keeps its size."""
_CAPTION: Final = 56
"""Pixels above the page, for one line of text."""
_FRAME: Final = 110
"""Milliseconds that a frame of something that moves is shown."""
_QUIET: Final = 1.2
"""Seconds without a change after which an answer is complete."""
_PATIENCE: Final = 90.0
"""Seconds until the demo is ready, or an answer complete."""
_PAUSE: Final = 0.05
"""Seconds between two words of the scripted tutor."""

Words = dict[str, Any]
SCENES: Final[dict[str, Words]] = {
    "en": {
        "locale": "en-US",
        "language": "English",
        "contact": re.compile("^(Share my number|Log in)$"),
        "logged in": "logged in",
        "kill": "Kill the process",
        "restarted": r"back in \d",
        "lesson": "Explain fractions to me",
        "quiz": "Give me a quiz on fractions",
        "answer": re.compile(r"(5.6|3.7)\b"),
        "history": "Tell me about Nkrumah",
        "end of lesson": "have you eaten in all",
        "end of quiz": "1/2 + 1/3",
        "end of answer": "Another question",
        "end of history": "why do you think",
        "opening": "Griot: a tutor and an assistant on the phones that people have",
        "on telegram": "Telegram: the lesson appears as it is written",
        "on whatsapp": "WhatsApp: a quiz to tap",
        "on sms": "SMS: the same lesson, in as few paid segments as possible",
        "dying": "Now the process is killed, in the middle of an answer",
        "living": "The answer arrives all the same: once, in order, charged once",
    },
    "fr": {
        "locale": "fr-FR",
        "language": "Français",
        "contact": re.compile("^(Partager mon numéro|Connexion)$"),
        "logged in": "Connexion réussie",
        "kill": "Tuer le processus",
        "restarted": r"revenu en \d",
        "lesson": "Explique-moi les fractions",
        "quiz": "Fais-moi un quiz sur les fractions",
        "answer": re.compile(r"(5.6|3.7)\b"),
        "history": "Parle-moi de Nkrumah",
        "end of lesson": "mangé en tout",
        "end of quiz": "1/2 + 1/3",
        "end of answer": "Encore une question",
        "end of history": "À toi",
        "opening": "Griot\u202f: un tuteur et un assistant sur les téléphones que les gens ont",
        "on telegram": "Telegram\u00a0: la leçon s’affiche à mesure qu’elle s’écrit",
        "on whatsapp": "WhatsApp\u00a0: un quiz à toucher",
        "on sms": "SMS\u00a0: la même leçon, en aussi peu de segments payants que possible",
        "dying": "Ici, le processus est tué en pleine réponse",
        "living": "La réponse arrive quand même\u00a0: une fois, dans l’ordre, payée une fois",
    },
}


@dataclass
class Film:
    """Frames of the page under a caption, each with the milliseconds that it is shown."""

    page: Page
    title: Page
    """A page of its own, which draws the captions."""
    frames: list[Image.Image] = field(default_factory=list[Image.Image])
    durations: list[int] = field(default_factory=list[int])
    _left: int = 0
    _caption: Image.Image = field(default_factory=lambda: Image.new("RGB", (1, 1)))

    def caption(self, text: str) -> None:
        """Write this above all frames that follow."""
        self.title.locator("p").evaluate("(part, text) => { part.textContent = text }", text)
        self._caption = _read(self.title.screenshot())

    def focus(self, phone: Locator) -> None:
        """Move to where this phone is in the middle, or as near to it as the page goes."""
        box = phone.bounding_box()
        middle = box["x"] + box["width"] / 2 if box else _WIDTH / 2
        left = int(min(max(0, middle - _WIDTH / 2), _VIEW["width"] - _WIDTH))
        start = self._left
        for step in range(1, 6):
            self._left = start + (left - start) * step // 5
            self._add(self._shoot(), 50)

    def hold(self, milliseconds: int) -> None:
        """Show the page as it is now for so long."""
        self._add(self._shoot(), milliseconds)

    def follow(self, is_over: Callable[[], bool], most: int) -> None:
        """Show what moves until it is over, in at most so many frames."""
        taken: list[Image.Image] = []
        end = time.monotonic() + _PATIENCE
        while not is_over():
            if time.monotonic() > end:
                raise TimeoutError("the page did not come to rest")
            frame = self._shoot()
            if not taken or _differ(taken[-1], frame):
                taken.append(frame)
        step = max(1.0, len(taken) / most)
        for index in range(min(most, len(taken))):
            self._add(taken[int(index * step)], _FRAME)

    def save(self, path: Path) -> None:
        """Write the frames as one WebP that repeats for ever."""
        first, *rest = self.frames
        first.save(
            path, save_all=True, append_images=rest, duration=self.durations, loop=0,
            quality=70, method=6, minimize_size=True, allow_mixed=True,
        )  # fmt: skip

    def _shoot(self) -> Image.Image:
        page = _read(self.page.screenshot())
        shown = page.crop((self._left, 0, self._left + _WIDTH, page.height))
        frame = Image.new("RGB", (shown.width, shown.height + self._caption.height))
        frame.paste(self._caption, (0, 0))
        frame.paste(shown, (0, self._caption.height))
        return frame

    def _add(self, frame: Image.Image, milliseconds: int) -> None:
        if self.frames and not _differ(self.frames[-1], frame):
            self.durations[-1] += milliseconds
        else:
            self.frames.append(frame)
            self.durations.append(milliseconds)


class Answered:
    """Called again and again, true once a phone shows these words once more and then rests."""

    def __init__(self, phone: Locator, words: str) -> None:
        self._phone, self._words = phone, words
        self._text = phone.inner_text()
        self._before = self._text.count(words)
        self._changed_at = time.monotonic()

    def __call__(self) -> bool:
        text = self._phone.inner_text()
        if text != self._text:
            self._text, self._changed_at = text, time.monotonic()
        rests = time.monotonic() - self._changed_at > _QUIET
        return rests and text.count(self._words) > self._before


def make(language: str, path: Path) -> None:
    """Film the demo in this language, and write the picture to `path`."""
    executable = next(filter(None, map(shutil.which, _BROWSERS)), None)
    if executable is None:
        sys.exit(f"No browser is installed: one of {', '.join(_BROWSERS)} is needed.")
    with _running_demo() as url, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=executable, args=["--no-sandbox"])
        film = _open(browser, url, language)
        _play(film, SCENES[language])
        film.save(path)
        browser.close()
    seconds = sum(film.durations) / 1000
    size = path.stat().st_size / 1e6
    sys.stdout.write(f"{path}: {len(film.frames)} frames, {seconds:.1f} s, {size:.2f} MB\n")


def _open(browser: Browser, url: str, language: str) -> Film:
    words = SCENES[language]
    context = browser.new_context(viewport=_VIEW, locale=words["locale"], color_scheme="light")
    page = context.new_page()
    page.set_default_timeout(20_000)
    page.goto(url)
    switch = page.get_by_role("button", name=words["language"], exact=True)
    if switch.count():
        switch.click()
    title = context.new_page()
    title.set_viewport_size({"width": _WIDTH, "height": _CAPTION})
    title.set_content(
        "<body style='margin:0;background:#2b2420;color:#fff6ea'><p style='margin:0;"
        f"font:600 20px/{_CAPTION}px system-ui,sans-serif;text-align:center'></p>"
    )
    page.bring_to_front()
    return Film(page, title)


def _play(film: Film, words: Words) -> None:
    page = film.page
    telegram, whatsapp, sms = (_phone(page, name) for name in ("Telegram", "WhatsApp", "SMS"))
    logged_in = Answered(telegram, words["logged in"])
    telegram.get_by_role("button", name=words["contact"]).first.click()
    while not logged_in():
        time.sleep(0.1)
    film.caption(words["opening"])
    film.hold(1500)

    film.caption(words["on telegram"])
    _ask(film, telegram, words["lesson"], words["end of lesson"], most=16)
    film.hold(700)

    film.caption(words["on whatsapp"])
    film.focus(whatsapp)
    _ask(film, whatsapp, words["quiz"], words["end of quiz"], most=3)
    film.hold(600)
    _tap(film, whatsapp, words)
    film.hold(1200)

    film.caption(words["on sms"])
    film.focus(sms)
    _ask(film, sms, words["lesson"], words["end of lesson"], most=3)
    film.hold(1400)

    _kill(film, telegram, words)


def _kill(film: Film, telegram: Locator, words: Words) -> None:
    """Kill the gateway in the middle of an answer, and follow that answer to its end."""
    film.caption(words["dying"])
    film.focus(telegram)
    enough = len(telegram.inner_text()) + 260
    answered = Answered(telegram, words["end of history"])
    _write(telegram, words["history"])
    film.follow(lambda: len(telegram.inner_text()) > enough, most=8)
    film.page.get_by_role("button", name=words["kill"]).click()
    film.hold(800)
    restarted = re.compile(words["restarted"])
    film.follow(lambda: bool(restarted.search(film.page.locator("body").inner_text())), most=4)
    film.caption(words["living"])
    film.follow(answered, most=14)
    film.hold(1700)


def _ask(film: Film, phone: Locator, text: str, end: str, *, most: int) -> None:
    answered = Answered(phone, end)
    _write(phone, text)
    film.follow(answered, most)


def _write(phone: Locator, text: str) -> None:
    box = phone.get_by_role("textbox")
    box.fill(text)
    box.press("Enter")


def _tap(film: Film, phone: Locator, words: Words) -> None:
    """Choose the answer, which may stand in a list that a button opens."""
    answered = Answered(phone, words["end of answer"])
    key = phone.get_by_role("button", name=words["answer"])
    if not key.count():
        phone.get_by_role("log").get_by_role("button").last.click()
        film.page.wait_for_timeout(400)
        film.hold(900)
        key = film.page.get_by_role("dialog").get_by_role("button", name=words["answer"])
    key.last.click()
    film.follow(answered, most=3)


def _phone(page: Page, name: str) -> Locator:
    return page.get_by_role("region", name=name, exact=True)


def _read(png: bytes) -> Image.Image:
    return Image.open(BytesIO(png)).convert("RGB")


def _differ(one: Image.Image, other: Image.Image) -> bool:
    return one.size != other.size or ImageChops.difference(one, other).getbbox() is not None


@contextlib.contextmanager
def _running_demo() -> Generator[str]:
    """Run a demo in an empty folder, with its scripted tutor; yield its address."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("OPENAI_", "MODEL"))}
    start = "from bot.main import main; main()"
    command = [sys.executable, "-c", start, "demo", "--port=0", f"--pause={_PAUSE}"]
    with tempfile.TemporaryDirectory() as folder:
        process = subprocess.Popen(  # noqa: S603
            command, cwd=folder, env=kept, stdout=subprocess.PIPE, text=True
        )
        try:
            line = process.stdout.readline() if process.stdout else ""
            found = re.search(r"http://\S+", line)
            if found is None:
                sys.exit(f"The demo did not start: {line!r}")
            yield found.group()
        finally:
            process.send_signal(signal.SIGINT)
            process.wait(timeout=_PATIENCE)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Film the demo.")
    parser.add_argument("--language", choices=sorted(SCENES), default="en")
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    make(options.language, options.out or HERE / f"demo-{options.language}.webp")
