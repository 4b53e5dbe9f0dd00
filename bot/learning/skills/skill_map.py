"""Load the map of skills from CP to Terminale: what there is to learn, and in which order.

The built-in map lies in `bot/learning/skills/`, one TOML file for each subject and stage. Its order
follows the programmes of France (`source` in each file), which are near to those of French-speaking
West Africa but not the same. A school adds files of its own in the folder that `CURRICULUM` names;
`docs/progress.md` describes them.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

import msgspec

from bot.errors import SettingsError
from bot.learning.subjects import fold_subject
from bot.practice.grades import RANKS, Grade

BUILT_IN: Final = Path(__file__).parent
MAX_BYTES: Final = 1_000_000
"""Most bytes of one file."""
MAX_NAME: Final = 80
"""Most characters of a name, which stands on buttons and in lists."""
_MARKUP: Final = frozenset("*_`<>[]{}~$|\\")
"""Characters that a channel or a page could take for markup."""
_JOINERS: Final = "\u200c\u200d\u00a0\u202f"
"""Invisible characters that some scripts need between letters, and no-break spaces."""
_ID = re.compile(r"[a-z][a-z0-9-]{0,30}\.[a-z0-9][a-z0-9-]{0,60}")
_SPACES: Final = re.compile(r"[ \t\r\n]+")
"""What becomes one space in a name; no-break spaces stay."""


@dataclass(frozen=True, slots=True)
class Skill:
    """One thing to learn, small enough for a handful of exercises."""

    id: str
    """Its subject with `-` for `_`, a point, and words: `maths.add-to-100`."""
    subject: str
    """A name from `fold_subject`."""
    grade: Grade
    """The grade in which it is usually learnt."""
    french: str
    english: str
    prerequisites: tuple[str, ...]
    """Ids of skills of the same or a lower grade."""
    aliases: tuple[str, ...] = ()
    """Other words, in either language, by which pupils ask for it; skills may share them."""

    @property
    def rank(self) -> int:
        """The place of its grade in `GRADES`."""
        return RANKS[self.grade]

    def name(self, language: str) -> str:
        """Return the skill's name for a pupil, in French or else in English."""
        return self.french if language == "fr" else self.english


@dataclass(frozen=True, slots=True, eq=False)
class SkillMap:
    """All skills of an installation; two maps are the same only if they are one object."""

    by_id: Mapping[str, Skill]
    """Sorted by grade, and within a grade with prerequisites first."""
    depth: Mapping[str, int]
    """Length of the longest chain of prerequisites in a skill's grade; 0 if it needs none there."""


class _Names(msgspec.Struct, forbid_unknown_fields=True):
    fr: str
    en: str


class _Entry(msgspec.Struct, forbid_unknown_fields=True):
    """A skill as written in a file, also one copied from `griot skills list --json`."""

    id: str
    grade: Grade
    fr: str = ""
    en: str = ""
    names: _Names | None = None
    """In place of `fr` and `en`."""
    prerequisites: list[str] = []
    aliases: list[str] = []
    subject: str = ""
    """That of the file, or left out."""
    practice: bool = False
    """Not read: a skill has exercises if there is a generator for it."""


@dataclass(frozen=True, slots=True)
class _Read:
    """Skills read from files, each with its file's name, and the problems found in them."""

    skills: list[tuple[str, Skill]]
    problems: list[str]


class _Installation:
    """The settings with which this process was started."""

    curriculum: str = ""


def use_curriculum(folder: str) -> None:
    """Set the folder of further skills that this process reads. Raises as `load_skills`."""
    if folder:
        load_skills(folder)
    _Installation.curriculum = folder


def installed_skills() -> SkillMap:
    """Return the map of skills of this process."""
    return load_skills(_Installation.curriculum)


@cache
def load_skills(curriculum: str = "") -> SkillMap:
    """Return the built-in map, with the skills of the folder `curriculum` if one is named.

    The result is cached for the process.

    Raises:
        SettingsError: the folder's files have problems; its text names each on a line, by file and
            skill.
    """
    paths = sorted(BUILT_IN.glob("*.toml"))
    read = _Read([], [])
    if curriculum:
        own = sorted(Path(curriculum).glob("*.toml"))
        if not own:
            raise SettingsError(f"CURRICULUM: no file *.toml in {curriculum}; name another folder")
        paths += own
    for path in paths:
        _read_file(path, read)
    problems = read.problems or [*_find_conflicts(read.skills)]
    if problems:
        raise SettingsError("\n".join(f"CURRICULUM: {problem}" for problem in problems))
    return _make_map([skill for _, skill in read.skills])


def _read_file(path: Path, read: _Read) -> None:
    try:
        with path.open("rb") as file:
            text = file.read(MAX_BYTES + 1)
        if len(text) > MAX_BYTES:
            read.problems.append(f"{path.name}: larger than {MAX_BYTES} bytes")
            return
        content = tomllib.loads(text.decode("utf-8-sig"))  # Windows Notepad begins with a mark
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        read.problems.append(f"{path.name}: cannot be read: {error}")
        return
    except RecursionError:
        read.problems.append(f"{path.name}: cannot be read: lists or tables nested too deeply")
        return
    subject = content.get("subject")
    if not isinstance(subject, str) or not subject or fold_subject(subject) != subject:
        known = fold_subject(subject) if isinstance(subject, str) else "maths"
        read.problems.append(f'{path.name}: write the subject as subject = "{known or "maths"}"')
        return
    entries: object = content.get("skills")
    if not isinstance(entries, list) or not entries:
        read.problems.append(f"{path.name}: no [[skills]] in it")
        return
    for number, raw in enumerate(entries, 1):  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]
        _read_entry(path.name, number, subject, raw, read)


def _read_entry(file: str, number: int, subject: str, raw: Any, read: _Read) -> None:
    """Read one table `[[skills]]`, the `number`th of its file, into `read`."""
    where = f"skill {number}"
    name: object = raw.get("id") if isinstance(raw, dict) else None  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
    if isinstance(name, str):
        where = name
    try:
        entry = msgspec.convert(raw, _Entry)
    except msgspec.ValidationError as error:
        read.problems.append(f"{file}: {where}: {error}")
        return
    if entry.subject not in ("", subject):
        read.problems.append(f"{file}: {where}: its subject is not that of the file, {subject}")
        return
    names = entry.names or entry
    french, english = (_SPACES.sub(" ", name).strip() for name in (names.fr, names.en))
    skill = Skill(
        entry.id,
        subject,
        entry.grade,
        french,
        english,
        tuple(entry.prerequisites),
        tuple(entry.aliases),
    )
    read.problems.extend(f"{file}: {where}: {problem}" for problem in _find_faults(skill))
    read.skills.append((file, skill))


def _find_faults(skill: Skill) -> Iterator[str]:
    """Yield the problems of one skill by itself."""
    start = f"{skill.subject.replace('_', '-').replace(' ', '-')}."
    if not _ID.fullmatch(skill.id) or not skill.id.startswith(start):
        yield f'write its id as "{start}" and small letters, digits and -'
    for language, name in (("fr", skill.french), ("en", skill.english)):
        if not name or len(name) > MAX_NAME:
            yield f"give it a name of 1 to {MAX_NAME} characters as {language}"
        elif wrong := [c for c in name if not c.isprintable() and c not in _JOINERS]:
            yield f"its name as {language} has the control character U+{ord(wrong[0]):04X}"
        elif wrong := [c for c in name if c in _MARKUP]:
            yield f"its name as {language} has {wrong[0]}, which could be taken for markup"
    for alias in skill.aliases:
        if not alias.strip() or len(alias) > MAX_NAME:
            yield f"write each of its aliases in 1 to {MAX_NAME} characters"


def _find_conflicts(skills: Sequence[tuple[str, Skill]]) -> Iterator[str]:
    """Yield the problems between skills, each of which is valid by itself."""
    files: dict[str, str] = {}
    known: dict[str, Skill] = {}
    for file, skill in skills:
        if skill.id in known:
            yield f"{file}: {skill.id}: its id is taken, in {files[skill.id]}"
        else:
            files[skill.id], known[skill.id] = file, skill
    for skill in known.values():
        file = files[skill.id]
        for needed in skill.prerequisites:
            if needed not in known:
                yield f"{file}: {skill.id}: there is no skill {needed}, a prerequisite"
            elif known[needed].rank > skill.rank:
                yield f"{file}: {skill.id}: its prerequisite {needed} is of a higher grade"
    try:
        TopologicalSorter({name: skill.prerequisites for name, skill in known.items()}).prepare()
    except CycleError as error:
        cycle: list[str] = error.args[1][::-1]
        yield f"{files.get(cycle[0], '')}: {cycle[0]}: prerequisites in a circle: " + " > ".join(
            cycle
        )


def _make_map(skills: Sequence[Skill]) -> SkillMap:
    """Make the map, sorted by grade, within a grade by depth, else in the order of the files."""
    known = {skill.id: skill for skill in skills}
    depth: dict[str, int] = {}
    sorter = TopologicalSorter({skill.id: skill.prerequisites for skill in skills})
    for name in sorter.static_order():
        grade = known[name].grade
        same = (each for each in known[name].prerequisites if known[each].grade == grade)
        depth[name] = max((depth[each] + 1 for each in same), default=0)
    ordered = sorted(skills, key=lambda skill: (skill.rank, depth[skill.id]))
    return SkillMap(
        MappingProxyType({skill.id: skill for skill in ordered}), MappingProxyType(depth)
    )
