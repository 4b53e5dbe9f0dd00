"""What a process gives up it has given up, and keeps the rest."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from bot.process_restrictions import is_sandbox_possible

PROGRAM = """
import sys
from pathlib import Path
from bot.process_restrictions import drop_privileges
from bot.process_restrictions import restrict_files

read, write, one = map(Path, sys.argv[1:])

def tried(work, *arguments):
    try:
        return work(*arguments)
    except PermissionError:
        return "refused"

drop_privileges()
restrict_files(read=[read, one, Path("/nowhere")], write=[write])
print(tried((read / "file").read_text), tried((read / "file").write_text, "x"))
print(tried((write / "file").write_text, "new"), tried((write / "file").read_text))
print(tried(one.read_text), tried(one.write_text, "x"), tried(one.with_name("other").read_text))
"""

pytestmark = pytest.mark.skipif(not is_sandbox_possible(), reason="the kernel has no Landlock")


def test_a_process_keeps_only_what_it_names(tmp_path: Path) -> None:
    for folder in ("read", "write", "near"):
        (tmp_path / folder).mkdir()
    for path in ("read/file", "near/one", "near/other"):
        (tmp_path / path).write_text("old")
    arguments = (str(tmp_path / path) for path in ("read", "write", "near/one"))
    said = subprocess.run(
        [sys.executable, "-c", PROGRAM, *arguments], check=True, capture_output=True, text=True
    )
    assert said.stdout.splitlines() == ["old refused", "3 new", "old refused refused"]


def test_who_may_still_gain_privileges_is_told_what_is_wrong() -> None:
    """Without `drop_privileges` only root may restrict itself; here it is root no more."""
    program = (
        "from bot.process_restrictions import restrict_files;"
        "import os; os.getuid() or os.setuid(65534);"
        "restrict_files(read=[], write=[])"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], check=False, capture_output=True, text=True
    )
    assert done.stderr.splitlines()[-1].endswith("Landlock: Operation not permitted")
