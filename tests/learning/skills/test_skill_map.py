from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import get_args

import pytest

from bot.errors import SettingsError
from bot.learning.skills.skill_map import MAX_BYTES, load_skills
from bot.learning.skills.skill_matching import find_skills
from bot.practice import generator
from bot.practice.catalogue import all_generators
from bot.practice.grades import GRADES, Grade, find_grade

DOCS = Path(__file__).parents[3] / "docs" / "progress.md"
MARKET = """
subject = "maths"

[[skills]]
id = "maths.market-prices"
grade = "CM2"
fr = "Prix au marché"
en = "Prices at the market"
prerequisites = ["maths.add-to-1000"]
"""


def problems(folder: Path, text: str, name: str = "own.toml") -> list[str]:
    """What is said of a school's folder with this file."""
    (folder / name).write_text(text)
    with pytest.raises(SettingsError) as raised:
        load_skills(str(folder))
    lines = str(raised.value).splitlines()
    assert all(line.startswith(f"CURRICULUM: {name}: ") for line in lines)
    return [line.removeprefix(f"CURRICULUM: {name}: ") for line in lines]


def skill(name: str, grade: str = "CM2", needs: str = "") -> str:
    text = f'[[skills]]\nid = "{name}"\ngrade = "{grade}"\nfr = "f"\nen = "e"\n'
    return text + (f'prerequisites = ["{needs}"]\n' if needs else "")


def test_the_map_goes_from_cp_to_terminale() -> None:
    skills = load_skills().by_id.values()

    of_maths = Counter(skill.grade for skill in skills if skill.subject == "maths")
    assert len(skills) >= 200
    assert of_maths.total() >= 120
    assert set(of_maths) == set(GRADES)
    assert {"french", "english", "science", "biology"} < {skill.subject for skill in skills}


def test_no_two_skills_have_one_name() -> None:
    skills = load_skills().by_id.values()

    for language in ("fr", "en"):
        names = Counter(skill.name(language) for skill in skills)
        assert [name for name, count in names.items() if count > 1] == []


def test_prerequisites_come_before_what_needs_them() -> None:
    seen: set[str] = set()
    for skill in load_skills().by_id.values():
        assert seen.issuperset(skill.prerequisites)
        seen.add(skill.id)


def test_each_generator_is_of_a_skill_of_its_grade() -> None:
    skills = load_skills().by_id

    assert [each.skill for each in all_generators() if each.skill not in skills] == []
    assert [e.skill for e in all_generators() if skills[e.skill].grade != e.grade] == []
    assert get_args(generator.Grade) == GRADES


_NEGATIVE_FACTOR = re.compile(r"(?:\\times|\\div) \(?-|(?<![\d\w)])-\d+x? \\(?:times|div)|-\d+\(")
_NEEDED: dict[str, tuple[tuple[Grade, ...], Callable[[str], object]]] = {
    "maths.relative-multiply": (("6e", "5e", "4e", "3e"), _NEGATIVE_FACTOR.search),
    "maths.numbers-to-10000": (("CE2",), re.compile(r"(?<![\d,{])\d{4}(?!\d)").search),
    "maths.numbers-to-1000": (("CE1",), re.compile(r"(?<!\d)\d{3}(?!\d)").search),
}


@pytest.mark.parametrize("needed", _NEEDED)
def test_exercises_use_what_their_skill_builds_on(needed: str) -> None:
    skills = load_skills().by_id
    builds_on: dict[str, set[str]] = {}
    for skill in skills.values():
        before = skill.prerequisites
        builds_on[skill.id] = {skill.id, *before}.union(*(builds_on[each] for each in before))
    grades, is_used = _NEEDED[needed]

    for made in all_generators():
        if made.grade in grades and needed not in builds_on[made.skill]:
            items = (made.make(seed, difficulty=seed % 3 + 1, language="fr") for seed in range(90))
            assert not any(
                is_used(text) for item in items for text in (item.statement, *item.steps)
            )


def test_a_school_adds_skills(tmp_path: Path) -> None:
    (tmp_path / "market.toml").write_text(MARKET)

    extended = load_skills(str(tmp_path)).by_id

    assert extended["maths.market-prices"].name("fr") == "Prix au marché"
    assert len(extended) == len(load_skills().by_id) + 1


def test_the_example_of_the_docs_loads_also_with_a_byte_order_mark(tmp_path: Path) -> None:
    [example] = re.findall(r"```toml\n(.*?)```", DOCS.read_text(encoding="utf-8"), re.DOTALL)
    (tmp_path / "maths.toml").write_text(example, encoding="utf-8-sig")

    extended = load_skills(str(tmp_path)).by_id

    assert extended["maths.market-prices"].french == "Prix au marché"
    change = extended["maths.market-change"]
    assert change.english == "Giving change at the market"
    assert find_skills(load_skills(str(tmp_path)), "rendre l'argent", "fr") == [change]


def test_an_entry_copied_from_the_listing_loads(tmp_path: Path) -> None:
    entry = """[[skills]]
id = "maths.x"
subject = "maths"
grade = "CE1"
names = { fr = "Additionner", en = "Add" }
prerequisites = []
practice = true
"""
    (tmp_path / "own.toml").write_text('subject = "maths"\n' + entry)

    assert load_skills(str(tmp_path)).by_id["maths.x"].english == "Add"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("subject = ", "cannot be read: Invalid value (at end of document)"),
        ('subject = "maths"', "no [[skills]] in it"),
        ('subject = "maths"\nskills = 3', "no [[skills]] in it"),
        (skill("maths.x"), 'write the subject as subject = "maths"'),
        ('subject = "Algèbre"\n' + skill("maths.x"), 'write the subject as subject = "maths"'),
        (
            'subject = "maths"\n[[skills]]\ngrade = "CP"\nfr = "f"\nen = "e"',
            "skill 1: Object missing required field `id`",
        ),
        (
            'subject = "maths"\n[[skills]]\nid = "maths.x"\ngrade = "CP"\nfr = "f"',
            "maths.x: give it a name of 1 to 80 characters as en",
        ),
        (
            'subject = "maths"\n' + skill("maths.x", "CM3"),
            "maths.x: Invalid enum value 'CM3' - at `$.grade`",
        ),
        (
            'subject = "maths"\n' + skill("physics.x"),
            'physics.x: write its id as "maths." and small letters, digits and -',
        ),
        (
            'subject = "maths"\n' + skill("maths.x").replace('"f"', '" "'),
            "maths.x: give it a name of 1 to 80 characters as fr",
        ),
        (
            'subject = "maths"\n' + skill("maths.x") * 2,
            "maths.x: its id is taken, in own.toml",
        ),
        (
            'subject = "maths"\n' + skill("maths.pythagoras"),
            "maths.pythagoras: its id is taken, in maths-lower-secondary.toml",
        ),
        (
            'subject = "maths"\n' + skill("maths.x", needs="maths.nothing"),
            "maths.x: there is no skill maths.nothing, a prerequisite",
        ),
        (
            'subject = "maths"\n' + skill("maths.x", needs="maths.thales"),
            "maths.x: its prerequisite maths.thales is of a higher grade",
        ),
        (
            'subject = "maths"\n' + skill("maths.x", needs="maths.x"),
            "maths.x: prerequisites in a circle: maths.x > maths.x",
        ),
        (
            'subject = "maths"\n' + skill("maths.pythagoras", "3e", "maths.square-roots"),
            "maths.pythagoras: its id is taken, in maths-lower-secondary.toml",
        ),
        (
            'subject = "maths"\n' + skill("maths.x").replace('"f"', '"f\\u0007"'),
            "maths.x: its name as fr has the control character U+0007",
        ),
        (
            'subject = "maths"\n' + skill("maths.x").replace('"e"', '"<b>e</b>"'),
            "maths.x: its name as en has <, which could be taken for markup",
        ),
        (
            'subject = "maths"\n' + skill("maths.x") + 'subject = "french"',
            "maths.x: its subject is not that of the file, maths",
        ),
        (
            'subject = "maths"\n' + skill("maths.x") + 'aliases = ["x", " "]',
            "maths.x: write each of its aliases in 1 to 80 characters",
        ),
        ("#" * (MAX_BYTES + 1), f"larger than {MAX_BYTES} bytes"),
    ],
)
def test_faults_are_told_by_file_and_skill(tmp_path: Path, text: str, expected: str) -> None:
    assert problems(tmp_path, text) == [expected]


def test_a_circle_of_skills_is_shown(tmp_path: Path) -> None:
    text = 'subject = "maths"\n' + skill("maths.a", needs="maths.b")
    [problem] = problems(tmp_path, text + skill("maths.b", needs="maths.a"))

    assert problem.endswith(("maths.a > maths.b > maths.a", "maths.b > maths.a > maths.b"))


def test_all_faults_are_told_at_once(tmp_path: Path) -> None:
    text = 'subject = "maths"\n' + skill("maths.x", "CM3") + skill("y")

    assert len(problems(tmp_path, text)) == 2


@pytest.mark.parametrize(
    "nested",
    [f"deep = {'[' * 5000}{']' * 5000}", f"deep = {'{a=' * 5000}1{'}' * 5000}"],
)
def test_a_file_that_is_nested_deeply_is_named(tmp_path: Path, nested: str) -> None:
    text = f'subject = "maths"\n{nested}\n{skill("maths.x")}'

    assert problems(tmp_path, text) == ["cannot be read: lists or tables nested too deeply"]


@pytest.mark.parametrize("key", ["id", "grade", "prerequisites", "names", "names.fr"])
def test_a_name_of_many_parts_is_a_fault_of_its_skill(tmp_path: Path, key: str) -> None:
    text = f'subject = "maths"\n[[skills]]\n{key}{".a" * 5000} = 1\n'

    [problem] = problems(tmp_path, text)
    assert problem.startswith("skill 1: ")


def test_a_folder_without_files_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="CURRICULUM: no file"):
        load_skills(str(tmp_path / "nothing"))


@pytest.mark.parametrize(
    ("written", "grade"),
    [
        ("CM2 A", "CM2"),
        ("classe de 6ème", "6e"),
        ("Sixième", "6e"),
        ("Tle D", "Terminale"),
        ("TleD1", "Terminale"),
        ("1ère", "1re"),
        ("seconde C", "2nde"),
        ("JHS 2", "4e"),
        ("collège", None),
        ("10e année", None),
        ("", None),
    ],
)
def test_grades_are_read_as_people_write_them(written: str, grade: str | None) -> None:
    assert find_grade(written) == grade


def test_every_grade_is_read_as_itself() -> None:
    assert [find_grade(grade) for grade in GRADES] == [*GRADES]


def test_numbers_in_names_do_not_break_over_two_lines() -> None:
    names = [name for each in load_skills().by_id.values() for name in (each.french, each.english)]
    assert [name for name in names if re.search(r"\d \d{3}", name)] == []
