"""`griot practice`: print exercises with their solutions, for teachers and for tests."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Annotated, Final

import typer

from bot.cli.cli_runtime import (
    Json,
    exit_with_error,
    load_settings,
    print_json,
    printable,
    terminal_language,
    warn,
)

if TYPE_CHECKING:
    from bot.practice.generator import Generator, Item

_LONGEST_SEED: Final = 2**63 - 1
_ID: Final = re.compile(r"\w+\.\S+")
_MARKS: Final = re.compile(r"\*\*(.+?)\*\*")
_LETTERS: Final = "ABCD"
_MOST_NEAR: Final = 3
"""How many skills are named when there is none of the name."""

Skill = Annotated[str, typer.Argument(metavar="SKILL", help="Id or name of a skill.")]
Count = Annotated[int, typer.Option(min=1, max=1000, help="How many exercises.")]
Seed = Annotated[
    int | None,
    typer.Option(min=0, max=_LONGEST_SEED, help="Same seed, same exercises; else a random one."),
]
Language = Annotated[
    str | None,
    typer.Option(metavar="fr|en", help="Language of the texts; else that of the terminal."),
]
Difficulty = Annotated[int, typer.Option(min=1, max=3, help="1 easy, 2 usual, 3 hard.")]


def practice(
    skill: Skill,
    count: Count = 10,
    seed: Seed = None,
    language: Language = None,
    difficulty: Difficulty = 2,
    as_json: Json = False,
) -> None:
    """Print exercises of a skill, with their answers at the end."""
    from bot.practice.catalogue import draw_items

    generator = _find(skill)
    spoken = language or terminal_language()
    if spoken not in ("fr", "en"):
        raise typer.BadParameter("is fr or en", param_hint="'--language'")
    if seed is None:
        seed = _draw_seed()
        warn(f"seed {seed}")
    items = draw_items(generator, count, seed=seed, difficulty=difficulty, language=spoken)
    if as_json:
        print_json(items)
        return
    typer.echo(_write_sheet(items, spoken))


def _draw_seed() -> int:
    from random import randrange

    return randrange(1_000_000)  # noqa: S311 (not a secret; short enough to type again)


def _find(words: str) -> Generator:
    """Return the generator of the skill with this id or name, else of the only one that the words
    are about; exit with an error if there is none, or more than one."""
    from bot.learning.skills.skill_map import load_skills
    from bot.learning.skills.skill_matching import find_named_skills, find_skills, suggest_skills
    from bot.practice.catalogue import find_generator

    skills, language = load_skills(load_settings().curriculum), terminal_language()
    found = find_skills(skills, words, language)
    about = found if not _ID.fullmatch(words) else []
    for meant in (find_named_skills(skills, words), about):
        generators = [made for each in meant if (made := find_generator(each.id))]
        if len(generators) == 1:
            return generators[0]
    near = dict.fromkeys((*found, *suggest_skills(skills, words, language)))
    ids = [each.id for each in near if find_generator(each.id)]
    nearest = ", ".join(ids[:_MOST_NEAR])
    unlike = "no skill has a name like it; griot skills list names all"
    hint = f"near: {nearest}" if nearest else unlike
    return exit_with_error(f"no exercises for {printable(words)!r}; {hint}")


def _write_sheet(items: Sequence[Item], language: str) -> str:
    """Write numbered exercises, then the answers with their steps, as plain text."""
    from bot.formulas.line_text import print_minus
    from bot.learning.grading.exercise_grading import asks_spelling

    french = language == "fr"
    level = ("facile", "moyen", "difficile") if french else ("easy", "usual", "hard")
    title = f"{items[0].skill} ({level[items[0].difficulty - 1]})"
    questions = [line for n, item in enumerate(items, 1) for line in _write_question(n, item)]
    answers = [line for n, item in enumerate(items, 1) for line in _write_answer(n, item)]
    lines = [title, "", *questions, "Réponses" if french else "Answers", "", *answers]
    plain = (_to_plain(line, language) for line in lines)
    # A hyphen before an ending, as in `-s`, is no minus.
    written = plain if asks_spelling(items[0].skill) else map(print_minus, plain)
    return "\n".join(written).rstrip()


def _write_question(number: int, item: Item) -> Iterator[str]:
    yield f"{number}. {item.statement}"
    unit = f" {item.unit}" if item.unit else ""
    if item.options:
        for letter, option in zip(_LETTERS, item.options, strict=False):
            yield f"   {letter}) {option}"
    else:
        yield f"   …{unit}"
    yield ""


def _write_answer(number: int, item: Item) -> Iterator[str]:
    letter = f"{_LETTERS[item.options.index(item.key)]}) " if item.options else ""
    unit = f" {item.unit}" if item.unit else ""
    yield f"{number}. {letter}{item.key}{unit}"
    for step in item.steps:
        yield f"   {step}"
    yield ""


def _to_plain(markdown: str, language: str) -> str:
    """Return a line of Markdown as plain text for a terminal or a printer."""
    from bot.formulas.line_text import replace_formulas, to_printed_line
    from bot.typography import typeset

    return _MARKS.sub(r"\1", replace_formulas(typeset(markdown, language), to_printed_line))
