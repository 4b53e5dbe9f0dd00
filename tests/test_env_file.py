from __future__ import annotations

from pathlib import Path

import pytest
from dotenv import dotenv_values
from hypothesis import given
from hypothesis import strategies as st

from bot.errors import SettingsError
from bot.settings import load
from bot.settings.loading import read_env_file, write_env_file
from bot.settings.reference import render_example


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / ".env"


def test_a_new_file_has_the_value_under_its_explanation(path: Path) -> None:
    write_env_file(path, {"SECRET_KEY": "abc", "PORT": "9000"})

    lines = path.read_text().splitlines()
    assert lines[1] == "SECRET_KEY=abc"
    assert lines[0].startswith("# The key that signs")
    assert load({}, path).port == 9000


def test_only_its_owner_may_read_it(path: Path) -> None:
    path.write_text("A=1\n")
    path.chmod(0o644)

    write_env_file(path, {"PORT": "1"})

    assert path.stat().st_mode & 0o777 == 0o600
    assert [each.name for each in path.parent.iterdir()] == [".env"]


def test_everything_else_stays_as_it_was(path: Path) -> None:
    path.write_text(
        "# mine\n\nexport port=8000  # as the proxy has it\nnot a line\nMODEL='a model' # good\nX=1"
    )

    write_env_file(path, {"PORT": "9000", "MODEL": "b", "HOST": "::1"})

    assert path.read_text().startswith(
        "# mine\n\nexport PORT=9000  # as the proxy has it\nnot a line\nMODEL=b # good\nX=1\n\n# "
    )
    assert read_env_file(path) == {"PORT": "9000", "MODEL": "b", "HOST": "::1", "X": "1"}


def test_the_last_of_two_lines_counts_and_is_changed(path: Path) -> None:
    path.write_text("MODEL=a\nMODEL=b\n")
    write_env_file(path, {"MODEL": "c"})
    assert path.read_text() == "MODEL=a\nMODEL=c\n"


def test_a_line_of_the_example_is_taken_where_it_stands(path: Path) -> None:
    path.write_text(render_example())

    write_env_file(path, {"MODEL": "qwen3", "VISION_MODEL": "llava"})

    assert path.read_text() == render_example().replace(
        "#MODEL=gpt-4o-mini\n", "MODEL=qwen3\n"
    ).replace("#VISION_MODEL=\n", "VISION_MODEL=llava\n")


def test_line_ends_of_another_system_stay(path: Path) -> None:
    path.write_bytes(b"# mine\r\nPORT=1\r\n")
    write_env_file(path, {"PORT": "2"})
    assert path.read_bytes() == b"# mine\r\nPORT=2\r\n"


def test_a_link_to_the_file_stays_a_link(path: Path, tmp_path: Path) -> None:
    real = tmp_path / "secrets"
    real.write_text("PORT=1\n")
    path.symlink_to(real)
    write_env_file(path, {"PORT": "2"})
    assert (path.is_symlink(), real.read_text()) == (True, "PORT=2\n")


def test_a_value_that_would_be_read_differently_is_not_written(path: Path) -> None:
    path.write_text("PORT=1\n")
    with pytest.raises(SettingsError, match="SECRET_KEY: it cannot be written"):
        write_env_file(path, {"SECRET_KEY": "a${HOME}b"})
    assert path.read_text() == "PORT=1\n"


def test_a_folder_that_cannot_be_written_leaves_nothing_behind(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="No such file"):
        write_env_file(tmp_path / "nowhere" / ".env", {"PORT": "1"})
    assert list(tmp_path.iterdir()) == []


@given(
    st.dictionaries(
        st.sampled_from(["MODEL", "SECRET_KEY", "MODEL_FALLBACKS", "MAIL_FROM"]),
        st.text(
            st.characters(
                codec="utf-8", exclude_characters="$\\\x85\u2028\u2029", min_codepoint=32
            ),
            min_size=1,
        ),
        min_size=1,
    ),
    st.sampled_from(["", "MODEL=x # y\n", "#MAIL_FROM=\nSECRET_KEY=\nMODEL", render_example()]),
)
def test_what_is_written_is_read_again(
    tmp_path_factory: pytest.TempPathFactory, values: dict[str, str], before: str
) -> None:
    path = tmp_path_factory.mktemp("any") / ".env"
    path.write_text(before)
    write_env_file(path, values)
    found = dotenv_values(path)
    assert {name: found[name] for name in values} == values
