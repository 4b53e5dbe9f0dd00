"""The wheel that `make wheel` builds works where there is nothing of the repository."""

from __future__ import annotations

import os
import select
import subprocess
import sys
import sysconfig
import tempfile
import time
import urllib.request
import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
UV = Path(sys.executable).with_name("uv")
_PATIENCE = 60.0


def build(folder: Path) -> Path:
    """As `make wheel` does, to another place."""
    command = [UV, "build", "--wheel", "--quiet", "--no-build-isolation", "--offline"]
    command += ["--python", sys.executable]
    subprocess.run([*command, "--out-dir", folder, ROOT], check=True, cwd=folder)
    [wheel] = folder.glob("griot-*.whl")
    return wheel


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(tmp_path_factory.mktemp("dist"))


@pytest.fixture(scope="module")
def griot(wheel: Path) -> Iterator[Path]:
    """The program in an environment with the libraries of this one, and the wheel.

    The libraries are hard links: their files must lie inside, for processes that work on documents
    may read nothing else. The repository, which the tests' own environment links to, is not there.
    """
    libraries = Path(sysconfig.get_path("purelib"))
    name = tempfile.mkdtemp(dir=sys.prefix)
    try:
        python = Path(name) / "bin" / "python"
        command = [UV, "venv", "--quiet", "--offline", "--python", sys.executable, name]
        subprocess.run(command, check=True)
        [packages] = Path(name).glob("lib/python3*/site-packages")
        subprocess.run(["cp", "-al", f"{libraries}/.", packages], check=True)
        install = [UV, "pip", "install", "--quiet", "--offline", "--no-deps", "--python", python]
        subprocess.run([*install, wheel], check=True)
        yield python.with_name("griot")
    finally:
        subprocess.run(["rm", "-rf", name], check=True)


def bare(folder: Path) -> dict[str, str]:
    return {"PATH": os.environ["PATH"], "HOME": str(folder), "LANG": "C"}


def call(griot: Path, folder: Path, arguments: Sequence[str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [griot, *arguments], check=False, capture_output=True, text=True, cwd=folder,
        env=bare(folder) | {"SECRET_KEY": "k" * 40, "OPENAI_API_KEY": "key"},
    )  # fmt: skip


def test_it_has_every_file_of_ours(wheel: Path) -> None:
    listed = subprocess.run(
        ["git", "ls-files", "bot", "adapters", "tools"],
        check=True, capture_output=True, text=True, cwd=ROOT,
    )  # fmt: skip
    with zipfile.ZipFile(wheel) as archive:
        assert {*listed.stdout.split()} - {*archive.namelist()} == set()


def test_it_works_away_from_the_repository(griot: Path, tmp_path: Path) -> None:
    version = call(griot, tmp_path, ["--version"])
    assert (version.returncode, version.stdout.split()[0]) == (0, "griot")

    examined = call(griot, tmp_path, ["doctor", "--offline"])
    assert (examined.returncode, examined.stderr) == (0, "")
    assert examined.stdout.splitlines()[-1].endswith(" 0 missing")
    see_the_demo(griot, tmp_path)


def see_the_demo(griot: Path, tmp_path: Path) -> None:
    """Start it, open its page, and end it."""
    process = subprocess.Popen(
        [griot, "demo", "--port", "0"],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        cwd=tmp_path, env=bare(tmp_path),
    )  # fmt: skip
    try:
        assert process.stdout
        deadline, said = time.monotonic() + _PATIENCE, ""
        while "open http" not in said:
            assert time.monotonic() < deadline, said
            if select.select([process.stdout], [], [], 0.1)[0]:
                line = process.stdout.readline()
                assert line, said
                said += line
        url = said.partition("open ")[2].split()[0]
        with urllib.request.urlopen(url, timeout=10) as page:
            assert "<html" in page.read().decode()
    finally:
        process.terminate()
        process.communicate(timeout=_PATIENCE)
