from __future__ import annotations

import json
from pathlib import Path

from bot.practice.grades import GRADES
from tests.cli.terminal import Run

OWN = """
subject = "history"

[[skills]]
id = "history.empires"
grade = "5e"
fr = "Empires du Ghana et du Mali"
en = "Empires of Ghana and Mali"
"""


def test_skills_are_listed_for_programs(griot: Run) -> None:
    found = {skill["id"]: skill for skill in json.loads(griot("skills", "list", "--json").stdout)}

    assert len(found) >= 200
    assert {skill["grade"] for skill in found.values()} == set(GRADES)
    assert found["maths.add-to-100"] == {
        "id": "maths.add-to-100",
        "subject": "maths",
        "grade": "CE1",
        "names": {"fr": "Additionner jusqu’à 100", "en": "Add up to 100"},
        "prerequisites": ["maths.add-within-20", "maths.tens-and-ones"],
        "practice": True,
    }
    assert found["maths.integral"]["practice"] is False


def test_a_school_sees_its_own_skills_by_subject_and_grade(griot: Run, tmp_path: Path) -> None:
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "history.toml").write_text(OWN)

    listed = griot(
        *("skills", "list", "--subject", "Histoire", "--grade", "5ème"),
        CURRICULUM=str(tmp_path / "own"),
        LANG="fr_FR.UTF-8",
    )

    assert listed.stdout.splitlines()[1:] == [
        "history.empires  5e               Empires du Ghana et du Mali"
    ]


def test_chemistry_is_listed_with_the_subject_it_is_a_part_of(griot: Run) -> None:
    listed = griot("skills", "list", "--subject", "chimie", "--grade", "2nde")

    assert "physics-chemistry.mole" in listed.stdout


def test_unknown_subjects_and_grades_are_wrong_use(griot: Run) -> None:
    for option, value in (("--subject", "sorcery"), ("--grade", "CM3")):
        refused = griot("skills", "list", option, value)

        assert refused.returncode == 2
        assert value in refused.stderr
        assert "Traceback" not in refused.stderr


def test_faults_of_a_school_are_told_by_list_and_doctor(griot: Run, tmp_path: Path) -> None:
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "history.toml").write_text(OWN.replace("5e", "5th"))
    told = "history.toml: history.empires: Invalid enum value '5th'"

    listed = griot("skills", "list", CURRICULUM=str(tmp_path / "own"))
    examined = griot("doctor", "--offline", "--json", CURRICULUM=str(tmp_path / "own"))

    assert listed.returncode == 1
    assert told in listed.stderr
    [finding] = [f for f in json.loads(examined.stdout) if f["name"] == "CURRICULUM"]
    assert finding["level"] == "error"
    assert told in finding["message"]
