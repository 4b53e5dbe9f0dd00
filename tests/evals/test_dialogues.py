from __future__ import annotations

from pathlib import Path

import pytest

from bot.evals.dialogues import UnreadableDialogues, find_text, read_dialogues

ONE = """[[dialogue]]
name = "one"
persona = "shy"
grade = "CM2"
language = "fr"
opening = "Bonjour"
pupil = [{ when = "essaie", says = "12" }]
turns = 2
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "own.toml"


def test_forty_come_with_griot() -> None:
    dialogues = read_dialogues([])

    assert len({each.name for each in dialogues}) == len(dialogues) == 40
    assert {each.language for each in dialogues} == {"fr"}
    grades = {each.grade.split()[0] for each in dialogues}
    assert {"CP", "CE1", "CE2", "CM1", "CM2", "6e", "5e", "4e", "3e"} < grades
    assert {"2nde", "1re", "Tle"} < grades
    assert len({each.persona for each in dialogues}) == 13


def test_a_file_is_read_and_what_is_optional_may_be_left_out(path: Path) -> None:
    path.write_text(ONE)

    [dialogue] = read_dialogues([path])

    assert (dialogue.name, dialogue.turns, dialogue.pupil[0].says) == ("one", 2, "12")
    assert (dialogue.solution, dialogue.must, dialogue.must_not) == ("", (), ())


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        (ONE + 'must = ["("]\n', 9, '"(" is no regular expression'),
        (ONE.replace('"essaie"', '"[a"'), 7, '"[a" is no regular expression'),
        (ONE + "colour = 1\n", 9, "`colour`"),
        (ONE.replace("turns = 2\n", ""), 1, "`turns`"),
        (ONE + ONE.replace('"one"', '"two"').replace("= 2", "= 'x'"), 16, "turns"),
        (ONE.replace("= 2", "= 0"), 8, "turns"),
        (ONE.replace('"fr"', '"de"'), 5, "language"),
        (ONE + "turns = = 3\n", 9, "no TOML"),
        (ONE + 'solution = "3\n', 9, "no TOML"),
        (f"deep = {'[' * 5000}{']' * 5000}\n", 1, "nested too deeply"),
        ("", 1, "[[dialogue]]"),
        ("dialogue = 3", 1, "[[dialogue]]"),
    ],
)
def test_what_cannot_be_read_is_named_with_its_line(
    path: Path, text: str, line: int, words: str
) -> None:
    path.write_text(text)

    with pytest.raises(UnreadableDialogues) as caught:
        read_dialogues([path])

    assert str(caught.value).startswith(f"{path}, line {line}: ")
    assert words in str(caught.value)


def test_a_file_that_is_not_there_or_not_text_is_named(path: Path) -> None:
    with pytest.raises(UnreadableDialogues, match="No such file"):
        read_dialogues([path])
    path.write_bytes(b"# \n\xff\n")
    with pytest.raises(UnreadableDialogues, match="line 2: not UTF-8"):
        read_dialogues([path])
    path.write_text("#" * 1_000_001)
    with pytest.raises(UnreadableDialogues, match="larger than"):
        read_dialogues([path])


def test_a_name_is_used_once(path: Path, tmp_path: Path) -> None:
    path.write_text(ONE)
    other = tmp_path / "other.toml"
    other.write_text(ONE)

    with pytest.raises(UnreadableDialogues, match=f"{other}: .*also .* in {path}"):
        read_dialogues([path, other])


def test_typography_does_not_hide_words() -> None:
    assert find_text("l'aire", "Calcule L’AIRE")
    assert find_text("3 000 F", "Tu paies 3\u202f000\u00a0F")
    assert find_text("x = 4", "Alors **x** = $4$")
    assert find_text(r"\*\*gras", "**gras**")
    assert not find_text("aire", "air")
