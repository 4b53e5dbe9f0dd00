"""Build the content of short pages: texts as plain HTML; questions with options and verdicts."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from html import escape
from typing import Final, Literal, NamedTuple

from markupsafe import Markup

from bot.documents.html_elements import HtmlPage, MathmlFormulas, write_blocks
from bot.documents.markdown_blocks import read_tokens, to_blocks
from bot.formulas.line_text import print_minus, replace_formulas, to_printed_line
from bot.gateway.commands.preferences import PreferenceChoice
from bot.i18n import say
from bot.learning.exercises import Exercise
from bot.learning.new_exercise import NewExercise
from bot.typography import typeset

MOST_BYTES: Final = 7_000
"""The most bytes of HTML of a long answer on one page, so that the page stays below 15 KB."""


# Markdown --------------------------------------------------------------------------------------


class _LineFormulas(MathmlFormulas):
    """Writes formulas as one line of text, as old phones know no MathML."""

    def _to_html(self, latex: str, *, displayed: bool) -> str:
        line = escape(to_printed_line(latex))
        return f'<p class="formula">{line}</p>' if displayed else line


def write_markdown(markdown: str, language: str) -> Markup:
    """Return Markdown as HTML without pictures; all foreign text in it is escaped."""
    page = HtmlPage({}, {}, keeps_lines=True, formulas=_LineFormulas())
    return Markup(write_blocks(to_blocks(read_tokens(markdown, language)), page))  # noqa: S704


def write_pages(markdown: str, language: str) -> list[Markup]:
    """Return a long text as pages of at most `MOST_BYTES`, cut between paragraphs if possible."""
    html = write_markdown(markdown, language)
    if len(html.encode()) <= MOST_BYTES or len(markdown) < 2:
        return [html]
    cut = _find_cut(markdown)
    first, rest = markdown[:cut].rstrip(), markdown[cut:].lstrip("\n")
    return [*write_pages(first, language), *write_pages(rest, language)]


def _find_cut(markdown: str) -> int:
    """Return the best place near the middle to cut a text, never within a block of code that can
    stay whole."""
    middle = len(markdown) // 2
    for mark in ("\n\n", "\n", " "):
        places = [found.end() for found in re.finditer(mark, markdown)]
        whole = [at for at in places if markdown.count("```", 0, at) % 2 == 0]
        good = [at for at in whole or places if 0 < at < len(markdown)]
        if good:
            best = min(good, key=lambda at: abs(at - middle))
            if abs(best - middle) < middle * 0.8:
                return best
    return middle


# Questions -------------------------------------------------------------------------------------


class Option(NamedTuple):
    label: str
    value: str
    mark: Literal["", "right", "wrong"] = ""
    """Set once the question is over."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """The verdict on an answer, or a note in its place."""

    mood: Literal["right", "wrong", "note"]
    head: str
    words: Markup = field(default_factory=Markup)


@dataclass(frozen=True, slots=True)
class QuestionView:
    """A question as the page shows it.

    Args:
        path: the address to which its forms are sent.
        mark: sent back by the forms, so that an answer counts for this question only; empty: the
            path names the question.
        kind: the kind of answer: an option, or a kind of typed text.
    """

    path: str
    statement: Markup
    kind: str
    mark: str = ""
    options: Sequence[Option] = ()
    unit: str = ""
    hints: Sequence[Markup] = ()
    has_hint: bool = False
    has_help: bool = True
    """Whether a hint or the solution may be asked for."""
    is_open: bool = True
    verdict: Verdict | None = None
    following: QuestionView | None = None
    goes_on: bool = False
    """Whether another exercise waits."""


def list_options(
    options: Sequence[str], language: str, right: int | None = None, chosen: int | None = None
) -> list[Option]:
    def mark(index: int) -> Literal["", "right", "wrong"]:
        if index == right:
            return "right"
        return "wrong" if index == chosen else ""

    return [
        Option(write_plain(option, language), str(index), mark(index))
        for index, option in enumerate(options)
    ]


def view_choice(choice: PreferenceChoice, path: str, language: str) -> QuestionView:
    """Return the view of the choice of a preference."""
    options = [Option(label, value) for label, value in choice.options]
    return QuestionView(path, write_markdown(choice.question, language), "quiz", options=options)


def view_new(new: NewExercise, path: str, language: str) -> QuestionView:
    """Return the view of an exercise that was not asked yet."""
    return QuestionView(
        path,
        write_markdown(new.statement, language),
        new.kind,
        mark=mark_review(new),
        options=[Option(write_plain(each, language), each) for each in new.body.options],
        unit=new.body.unit,
        has_hint=bool(new.body.hints),
    )


def mark_review(exercise: NewExercise | Exercise) -> str:
    """Return the mark of a review's exercise, which differs for each instance of a card."""
    body = exercise.body
    text = "\x1f".join((body.card, str(body.reviews), exercise.statement))
    return sha256(text.encode()).hexdigest()[:16]


def view_exercise(
    exercise: Exercise, path: str, language: str, *, is_marked: bool = False
) -> QuestionView:
    """Return the view of an exercise in its current state, with the solution and its steps if that
    was shown.

    Args:
        is_marked: whether the path leads to whichever exercise is to be reviewed.
    """
    body = exercise.body
    left = [option for option in body.options if option not in exercise.tries]
    is_open = exercise.state == "open" and not exercise.is_expired
    verdict = None
    solution = body.write_solution(exercise.kind, language)
    if exercise.state == "right":
        verdict = praise(language, solution)
    elif exercise.state == "shown":
        head = say(language, "The solution: {solution}", solution=write_plain(solution, language))
        steps = "\n".join(f"- {step}" for step in body.steps)
        verdict = Verdict("note", head, write_markdown(steps, language))
    return QuestionView(
        path,
        write_markdown(exercise.statement, language),
        exercise.kind,
        mark=mark_review(exercise) if is_marked else "",
        options=[Option(write_plain(option, language), option) for option in left],
        unit=body.unit,
        hints=[write_markdown(hint, language) for hint in body.hints[: exercise.hints_shown]],
        has_hint=exercise.hints_left > 0,
        has_help=not exercise.is_placing,
        is_open=is_open,
        verdict=verdict,
    )


def praise(language: str, right: str) -> Verdict:
    head = say(language, "Well done! {right} is right.", right=write_plain(right, language))
    return Verdict("right", head)


def write_plain(text: str, language: str) -> str:
    return typeset(print_minus(replace_formulas(text, to_printed_line)), language)
