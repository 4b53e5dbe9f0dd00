from __future__ import annotations

import subprocess
import sys

_LOOK = """
import sys
import bot.main
from bot.cli import without_rich

assert "structlog" in sys.modules
assert not [name for name in sys.modules if name.split(".")[0] in {"rich", "pygments"}]
with without_rich():
    try:
        import rich
    except ImportError:
        pass
    else:
        raise AssertionError("there it is")
import rich
with without_rich():
    import rich
print(rich.__name__)
"""


def test_rich_is_only_loaded_by_whoever_wants_it() -> None:
    done = subprocess.run(
        [sys.executable, "-c", _LOOK], check=False, capture_output=True, text=True
    )
    assert (done.stdout, done.stderr) == ("rich\n", "")
