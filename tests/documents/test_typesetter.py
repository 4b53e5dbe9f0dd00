from __future__ import annotations

import asyncio
import os
import struct
import sys
import zlib
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bot.documents.typesetter import MOST_FORMULAS, PictureLimits, Typesetter
from bot.formulas.syntax import MAX_LENGTH
from bot.process_restrictions import is_sandbox_possible

QUADRATIC = r"x = \frac{-b \pm \sqrt{b^2-4ac}}{2a}"
MATRIX = r"\begin{pmatrix} 1 & 2 & 3 \\ 4 & 5 & 6 \\ 7 & 8 & 9 \end{pmatrix}"
BROKEN = r"\frac{1}{"
UNKNOWN = r"\nosuchcommand{x}"


@pytest.fixture
async def typesetter() -> AsyncIterator[Typesetter]:
    typesetter = Typesetter()
    yield typesetter
    await typesetter.close()


@pytest.fixture
async def stuck() -> AsyncIterator[Typesetter]:
    """Its child is ready and answers nothing."""
    program = r"import sys, time; sys.stdout.write('ready\n'); sys.stdout.flush(); time.sleep(60)"
    typesetter = Typesetter(PictureLimits(picture=0.2), (sys.executable, "-c", program))
    yield typesetter
    await typesetter.close()


def size_of(picture: bytes | None) -> tuple[int, int]:
    """Width and height in pixels."""
    assert picture is not None
    assert picture.startswith(b"\x89PNG\r\n\x1a\n")
    width, height = struct.unpack("!II", picture[16:24])
    return width, height


def greys_of(picture: bytes | None) -> set[int]:
    """The greys, of sixteen, that the picture holds."""
    width, height = size_of(picture)
    assert picture is not None
    start = picture.index(b"IDAT")
    (length,) = struct.unpack("!I", picture[start - 4 : start])
    rows = zlib.decompress(picture[start + 4 : start + 4 + length])
    step = (width + 1) // 2 + 1
    assert len(rows) == height * step
    pixels = b"".join(rows[at + 1 : at + step] for at in range(0, len(rows), step))
    return {grey for pixel in pixels for grey in (pixel >> 4, pixel & 15)}


def child_of(typesetter: Typesetter) -> tuple[int, Path]:
    """Its process and its folder."""
    assert typesetter._child is not None
    return typesetter._child.process.pid, typesetter._child.folder.path


def read(path: str) -> str:
    return Path(path).read_text()


def target_of(link: str) -> Path:
    return Path(link).readlink()


def contents_of(folder: Path) -> list[Path]:
    return [*folder.iterdir()]


def is_alive(pid: int) -> bool:
    return Path(f"/proc/{pid}").exists()


async def test_a_formula_is_a_small_grey_picture_of_its_size(typesetter: Typesetter) -> None:
    picture = await typesetter.picture([QUADRATIC])
    width, height = size_of(picture)
    assert 400 <= width <= 600
    assert 80 <= height <= 200
    assert {0, 15} < greys_of(picture)
    assert len(picture or b"") < 2_500


async def test_several_stand_under_one_another_with_numbers(typesetter: Typesetter) -> None:
    one = size_of(await typesetter.picture([QUADRATIC]))
    two = size_of(await typesetter.picture([QUADRATIC, QUADRATIC]))
    assert two[1] > 1.8 * one[1]
    assert two[0] > one[0]


async def test_a_broken_formula_is_left_out_and_the_others_keep_their_numbers(
    typesetter: Typesetter,
) -> None:
    whole = await typesetter.picture([QUADRATIC, MATRIX])
    for wrong in (BROKEN, UNKNOWN, "x" * (MAX_LENGTH + 1)):
        picture = await typesetter.picture([QUADRATIC, wrong, MATRIX])
        assert size_of(picture) == size_of(whole)
        assert picture != whole  # it says (3), not (2)


async def test_what_typst_itself_refuses_is_left_out(typesetter: Typesetter) -> None:
    """It nests tables deeper than Typst goes, and would take all the others with it."""
    deep = r"\begin{array}{|c|}" * 19 + "x" + r"\end{array}" * 19
    assert await typesetter.picture([deep]) is None
    assert size_of(await typesetter.picture([deep, QUADRATIC, MATRIX])) == size_of(
        await typesetter.picture([QUADRATIC, MATRIX])
    )


async def test_no_picture_if_no_formula_is_left(typesetter: Typesetter) -> None:
    assert await typesetter.picture([]) is None
    assert await typesetter.picture(["x" * (MAX_LENGTH + 1)]) is None
    assert typesetter._child is None  # nothing was asked of it
    assert await typesetter.picture([BROKEN, UNKNOWN]) is None


async def test_a_picture_holds_a_dozen(typesetter: Typesetter) -> None:
    dozen = [f"{QUADRATIC} + {number}" for number in range(MOST_FORMULAS)]
    assert await typesetter.picture([*dozen, MATRIX]) == await typesetter.picture(dozen)


async def test_a_wide_formula_is_broken_or_made_smaller(typesetter: Typesetter) -> None:
    terms = " + ".join(f"{number}x^{{{number}}}" for number in range(40))
    cells = " & ".join(str(10**9 + number) for number in range(20))
    broken = size_of(await typesetter.picture([terms]))
    smaller = size_of(await typesetter.picture([rf"\begin{{pmatrix}} {cells} \end{{pmatrix}}"]))
    assert broken[0] <= 900
    assert broken[1] > 200
    assert smaller[0] <= 1200
    assert smaller[1] < 200


async def test_what_would_be_too_tall_for_a_picture_is_none(typesetter: Typesetter) -> None:
    tower = r"\begin{matrix}" + r"x\\" * 400 + r"\end{matrix}"
    assert await typesetter.picture([tower]) is None


async def test_code_in_a_formula_is_shown_as_text(typesetter: Typesetter) -> None:
    shown = await typesetter.picture([r'\text{#read("/etc/passwd")}'])
    assert size_of(shown)[1] < 120
    assert await typesetter.picture(['#read("/etc/passwd")']) is not None


async def test_the_child_may_do_little_in_an_empty_folder(typesetter: Typesetter) -> None:
    await typesetter.picture([QUADRATIC])
    pid, folder = child_of(typesetter)
    limits = read(f"/proc/{pid}/limits")
    assert target_of(f"/proc/{pid}/cwd") == folder
    assert contents_of(folder) == []
    assert f"Max address space         {768 * 1024 * 1024}" in limits
    assert "Max file size             0" in limits
    assert "Max open files            32" in limits
    assert "Max cpu time              unlimited" not in limits
    assert read(f"/proc/{pid}/environ").count("\0") == 3
    assert ("Seccomp:\t2" in read(f"/proc/{pid}/status")) == is_sandbox_possible()


async def test_one_child_makes_many_pictures_and_is_replaced_after_its_number() -> None:
    typesetter = Typesetter(PictureLimits(pictures=2))
    children: list[int] = []
    for _ in range(3):
        first = await typesetter.picture([QUADRATIC])
        assert first is not None
        children.append(child_of(typesetter)[0] if typesetter._child else 0)
    await typesetter.close()
    assert children[0] != 0
    assert children[1] == 0  # retired after its second picture
    assert children[2] not in children[:2]
    assert not is_alive(children[0])


async def test_a_child_that_died_is_replaced_at_once(typesetter: Typesetter) -> None:
    whole = await typesetter.picture([QUADRATIC])
    pid, folder = child_of(typesetter)
    os.kill(pid, 9)
    assert typesetter._child is not None
    await typesetter._child.process.wait()
    assert await typesetter.picture([QUADRATIC]) == whole
    assert not folder.exists()


async def test_a_child_that_hangs_is_ended(stuck: Typesetter) -> None:
    task = asyncio.create_task(stuck.picture([QUADRATIC]))
    while stuck._child is None:
        await asyncio.sleep(0.01)
    pid, folder = child_of(stuck)
    assert await task is None
    assert not is_alive(pid)
    assert not folder.exists()


@pytest.mark.parametrize(
    "command",
    [
        ("/no/such/program",),
        (sys.executable, "-c", "print('Hello.', flush=True)"),
        (sys.executable, "-c", "raise SystemExit(3)"),
    ],
)
async def test_a_child_that_cannot_begin_gives_no_picture(
    command: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))  # where folders could be left behind
    typesetter = Typesetter(command=command)
    assert await typesetter.picture([QUADRATIC]) is None
    assert contents_of(tmp_path) == []


@pytest.mark.parametrize(
    "said",
    [
        b"ready\n\xff\xff\xff\xff",  # four gigabytes are to come
        b"wrong\n\x00\x00\x00\x03PNG",
    ],
)
async def test_a_child_that_says_something_else_is_not_listened_to(said: bytes) -> None:
    program = f"import sys, time; sys.stdout.buffer.write({said!r}); sys.stdout.flush()"
    command = (sys.executable, "-c", f"{program}; time.sleep(60)")
    typesetter = Typesetter(PictureLimits(picture=60), command)
    assert await typesetter.picture([QUADRATIC]) is None
    assert typesetter._child is None


async def test_a_cancelled_picture_is_not_given_to_the_next_one(typesetter: Typesetter) -> None:
    expected = await typesetter.picture([QUADRATIC])
    task = asyncio.create_task(typesetter.picture([MATRIX]))
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert await typesetter.picture([QUADRATIC]) == expected


async def test_pictures_asked_for_together_are_made_in_turn(typesetter: Typesetter) -> None:
    alone = [await typesetter.picture([formula]) for formula in (QUADRATIC, MATRIX)]
    together = await asyncio.gather(
        *(typesetter.picture([formula]) for formula in (QUADRATIC, MATRIX) * 4)
    )
    assert together == alone * 4


async def test_who_comes_to_a_long_queue_gets_no_picture(stuck: Typesetter) -> None:
    queue = [asyncio.create_task(stuck.picture([QUADRATIC])) for _ in range(32)]
    while stuck._child is None:
        await asyncio.sleep(0.01)
    assert not any(task.done() for task in queue)
    assert await stuck.picture([QUADRATIC]) is None
    assert not any(task.done() for task in queue)
    for task in queue:
        task.cancel()
    await asyncio.wait(queue)


async def test_closing_ends_the_child_and_clears_its_folder_away() -> None:
    typesetter = Typesetter()
    await typesetter.picture([QUADRATIC])
    pid, folder = child_of(typesetter)
    await typesetter.close()
    assert not is_alive(pid)
    assert not folder.exists()
