"""A learner's overview as a page: readable by eye and by ear, without scripts or anything to load.

The chart is SVG whose colours follow the reader's light or dark; the table under it says the same.
Every word of a person or a model is escaped.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Final

from bot.learning.overview import Overview, SubjectLine, name_day
from bot.learning.progress import Day
from bot.texts import say
from bot.web.layout import LOGO, read_style, read_template, write_page

MOST_SUBJECTS: Final = 30
"""That have a line on the page: it is to be small on thin data plans."""
_STYLE = read_style("colours.css", "page.css")
_PROGRESS = read_template("progress.html")
POLICY: Final = (
    f"default-src 'none'; style-src {_STYLE.source}; img-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
"""The Content-Security-Policy of these pages: their own style, and nothing else."""
_STEP, _BAR, _HEIGHT = 20, 14, 220
"""Of the chart's bars, in its own units."""


def write_progress(overview: Overview, grade: str) -> str:
    """The page; `grade` may be empty."""
    language = overview.language
    main = _PROGRESS.substitute(
        logo=LOGO,
        title=escape(overview.title),
        grade=f'<p class="grade"><bdi>{escape(grade)}</bdi></p>' if grade else "",
        headlines="".join(
            f"<div><dt>{escape(each.words)}</dt><dd>{escape(each.number)}</dd></div>"
            for each in overview.headlines
        ),
        month=escape(say(language, "The last 30 days")),
        right=escape(say(language, "right")),
        wrong=escape(say(language, "wrong")),
        chart=_write_chart(overview),
        as_table=escape(say(language, "The same as a table")),
        day=escape(say(language, "Day")),
        answers=escape(say(language, "Answered")),
        days="".join(_write_day(language, day) for day in overview.days),
        by_subject=escape(say(language, "By subject")),
        subjects=_write_subjects(overview),
        privacy=escape(
            say(
                language,
                "Whoever has the link of this page can see it until the link expires. "
                "/progress gives you a new one.",
            )
        ),
    )
    name = say(language, "Griot: progress")  # it may stand in a preview: nobody's name
    return write_page(language, name, _STYLE, f"<main>{main}</main>")


def _write_chart(overview: Overview) -> str:
    days, language = overview.days, overview.language
    most = max(1, *(day.answered for day in days))
    width = _STEP * len(days)
    bars = "".join(
        _write_bar(day, _STEP * place + (_STEP - _BAR) // 2, most, name_day(language, day.date))
        for place, day in enumerate(days)
    )
    dated = (days[0], days[len(days) // 2], days[-1])
    dates = "".join(f"<span>{escape(name_day(language, day.date))}</span>" for day in dated)
    return (
        f'<p class="most">{escape(overview.silence or overview.most)}</p>'
        f'<svg viewBox="0 0 {width} {_HEIGHT + 2}" role="img" aria-labelledby="month">'
        f'<path class="l" d="M0 .5H{width}M0 {_HEIGHT + 1}H{width}"/>{bars}</svg>'
        f'<div class="dates" aria-hidden="true">{dates}</div>'
    )


def _write_bar(day: Day, x: int, most: int, name: str) -> str:
    if not day.answered:
        return f'<circle class="n" cx="{x + _BAR // 2}" cy="{_HEIGHT - 3}" r="2.5"/>'
    right = _HEIGHT * day.correct / most
    wrong = _HEIGHT * (day.answered - day.correct) / most
    top = _HEIGHT - right - wrong
    rects = "".join(
        f'<rect class="{kind}" x="{x}" y="{y:.1f}" width="{_BAR}" height="{height:.1f}"/>'
        for kind, y, height in (("w", top, wrong), ("r", top + wrong, right))
        if height
    )
    return f"<g><title>{escape(name)}: {day.correct}/{day.answered}</title>{rects}</g>"


def _write_day(language: str, day: Day) -> str:
    name = escape(name_day(language, day.date))
    return f'<tr><th scope="row">{name}</th><td>{day.answered}</td><td>{day.correct}</td></tr>'


def _write_subjects(overview: Overview) -> str:
    lines: Sequence[SubjectLine] = overview.subjects
    if not lines:
        words = say(
            overview.language,
            "Nothing to show yet. Answer a quiz or do an exercise with me, and it will be here.",
        )
        return f"<p>{escape(words)}</p>"
    return "<ul>" + "".join(map(_write_subject, lines)) + "</ul>"


def _write_subject(line: SubjectLine) -> str:
    return (
        f'<li><p><bdi>{escape(line.name)}</bdi><span class="count">{escape(line.count)}</span>'
        f"<strong>{escape(line.percent)}</strong></p>"
        '<svg class="bar" aria-hidden="true"><rect class="w" width="100%" height="100%"/>'
        f'<rect class="r" width="{line.share}%" height="100%"/></svg></li>'
    )
