"""What is written for people who work on Griot names only what is there, and all of it."""

from __future__ import annotations

import re
from io import StringIO
from pathlib import Path

import pytest
from dotenv import dotenv_values

from bot.settings import Settings, load, unknown
from bot.settings.reference import EXAMPLE, PAGE, render_example, render_page, sections
from tools import TOOLS

ROOT = Path(__file__).parent.parent
PAGES = [
    ROOT / "README.md",
    ROOT / "README.fr.md",
    ROOT / "CONTRIBUTING.md",
    *sorted((ROOT / "docs").glob("*.md")),
]
CODE = ("adapters", "bench", "bot", "docs", "ops", "tests", "tools")
THERE = {
    path.relative_to(ROOT).as_posix()
    for part in CODE
    for path in (ROOT / part, *(ROOT / part).rglob("*"))
    if "__pycache__" not in path.parts
} | {path.name for path in ROOT.iterdir()}
LINK = re.compile(r"\]\(([^)\s]+)\)|src=\"([^\"]+)\"")
SETTING = re.compile(r"\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\b")
ELSEWHERE = re.compile(r"[a-z]+:")
FENCED = re.compile(r"^```.*?^```", re.DOTALL | re.MULTILINE)
QUOTED = re.compile(r"`([^`\n]+)`")
PATH = re.compile(
    rf"(?:{'|'.join(CODE)})/[\w./*-]*|[\w*][\w/*-]*/|[\w*-][\w./*-]*\.(?:css|js|json|md|po|py|sh|toml|ya?ml)"
)
"""Below one of our own folders, a folder, or a file by its ending."""
PLACEHOLDER = re.compile(r"NAME|N{4}|\*")
"""Stands for what whoever reads is about to choose."""


def paths_in(page: Path) -> set[str]:
    text = FENCED.sub("", page.read_text(encoding="utf-8"))
    return {name for name in QUOTED.findall(text) if PATH.fullmatch(name)}


def is_there(name: str) -> bool:
    """From the root, or from wherever the sentence stands: `close.py`, `turns/run.py`."""
    fixed = PLACEHOLDER.split(name, maxsplit=1)[0]
    if fixed != name:
        fixed = fixed.rpartition("/")[0]
    path = fixed.rstrip("/")
    if not path:
        return True
    if path.partition("/")[0] in CODE:
        return path in THERE
    return any(f"/{each}".endswith(f"/{path}") for each in THERE)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_path_that_is_named_is_there(page: Path) -> None:
    assert [name for name in sorted(paths_in(page)) if not is_there(name)] == []


def anchors(page: Path) -> set[str]:
    """The ids that GitHub gives to the headings of a page."""
    headings = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    words = (re.sub(r"[^\w\- ]", "", heading.lower()) for heading in headings)
    return {each.replace(" ", "-") for each in words}


def is_broken(page: Path, link: str) -> bool:
    name, _, anchor = link.partition("#")
    target = page.parent / name if name else page
    return not target.exists() or (anchor != "" and anchor not in anchors(target))


TEXTS = sorted((ROOT / "docs" / "gallery" / "texts").glob("*.md"))


@pytest.mark.parametrize("page", [*PAGES, *TEXTS], ids=lambda page: page.name)
def test_every_link_leads_somewhere(page: Path) -> None:
    links = {a or b for a, b in LINK.findall(page.read_text(encoding="utf-8"))}
    ours = {link for link in links if not ELSEWHERE.match(link)}

    assert [link for link in sorted(ours) if is_broken(page, link)] == []


def test_broken_links_are_found() -> None:
    readme = ROOT / "README.md"
    assert not is_broken(readme, "docs/operating.md#backup")
    assert is_broken(readme, "docs/operating.md#nowhere")
    assert is_broken(readme, "docs/nowhere.md")


@pytest.mark.parametrize("name", ["README.md", "README.fr.md"])
def test_the_readme_names_settings_that_exist(name: str) -> None:
    named = set(SETTING.findall((ROOT / name).read_text(encoding="utf-8")))

    assert len(named) > 2
    assert {each for each in named if each.lower() not in Settings.model_fields} == set()


def test_the_readme_is_short() -> None:
    assert len((ROOT / "README.md").read_text(encoding="utf-8").splitlines()) <= 250


def test_paths_are_found_and_missed() -> None:
    assert paths_in(ROOT / "docs" / "adding-a-channel.md") >= {
        "adapters/NAME.py",
        "bot/channel_registry.py",
    }
    assert is_there("adapters/NAME.py")
    assert is_there("NAME.md")
    assert is_there("delivery/sender.py")
    assert not is_there("bot/checks.py")
    assert not is_there("bot/nowhere/NAME.py")
    assert not is_there("no_such_file.py")


@pytest.mark.parametrize(
    ("name", "text"), [(EXAMPLE, render_example()), (PAGE, render_page())], ids=[EXAMPLE, PAGE]
)
def test_the_list_of_settings_is_that_of_the_code(name: str, text: str) -> None:
    assert (ROOT / name).read_text(encoding="utf-8") == text, "write it anew with: make settings"


def test_the_tools_are_counted_as_they_are_offered() -> None:
    offered = [tool for tool in TOOLS if not tool.name.endswith("_plan_mode")]
    child, pro = (sum(mode in tool.modes for tool in offered) for mode in ("child", "pro"))
    words = f"A student (`child`) has {child}, a professional (`pro`) {pro}, a guest none."
    assert words in (ROOT / "docs/tools.md").read_text(encoding="utf-8")


def test_every_setting_is_explained_in_one_line() -> None:
    listed = [each for part in sections().values() for each in part]
    assert [each.name.lower() for each in listed] == list(Settings.model_fields)
    assert [each.name for each in listed if not 10 < len(each.summary) < 97] == []
    assert [each.name for each in listed if not each.summary.endswith((".", "…"))] == []


def test_the_example_sets_nothing_until_it_is_edited(tmp_path: Path) -> None:
    assert dotenv_values(stream=StringIO(render_example())) == {}
    uncommented = re.sub(r"^#(?=[A-Z0-9_]+=)", "", render_example(), flags=re.MULTILINE)
    path = tmp_path / ".env"
    path.write_text(uncommented, encoding="utf-8")
    assert load({}, path) == Settings()
    assert unknown({}, path) == []
