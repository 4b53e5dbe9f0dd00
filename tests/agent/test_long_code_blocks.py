"""Long code blocks, taken out of an answer while it streams."""

from __future__ import annotations

import time

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from bot.agent.long_code_blocks import (
    EXTENSIONS,
    LONGEST_NAME,
    MOST_LINES,
    CodeFile,
    LongBlockExtractor,
    extract_long_blocks,
)


def say(filename: str) -> str:
    return f"[{filename} follows]"


def lines(count: int) -> str:
    return "".join(f"line {number}\n" for number in range(count))


LONG = lines(MOST_LINES + 1)
SHORT = lines(MOST_LINES)


def stream(text: str, size: int = 1) -> list[str]:
    """What is shown after each piece, the rest last."""
    blocks = LongBlockExtractor(say)
    shown = [blocks.feed(text[at : at + size]) for at in range(0, len(text), size)]
    return [*shown, blocks.close()]


def name_of(info: str, first_line: str = "x = 1") -> str:
    [block] = extract_long_blocks(f"```{info}\n{first_line}\n{LONG}```", say)[1]
    return block.filename


def test_a_long_block_becomes_a_file_and_one_line_says_so() -> None:
    shown, found = extract_long_blocks(f"Voici :\n```python\n{LONG}```\nBonne lecture.\n", say)
    assert shown == "Voici :\n[code-1.py follows]\nBonne lecture.\n"
    assert found == [CodeFile("code-1.py", "python", LONG)]


def test_a_block_of_thirty_lines_is_shown_unchanged() -> None:
    text = f"Voici :\n```python\n{SHORT}```\nFin"
    assert extract_long_blocks(text, say) == (text, [])


@pytest.mark.parametrize("closing", ["", "\n", "\n  ", "\n```", "\n```\n"])
def test_the_lines_are_counted_without_the_fences(closing: str) -> None:
    assert len(extract_long_blocks(f"```\n{SHORT.rstrip()}{closing}", say)[1]) == 0
    assert extract_long_blocks(f"```\n{LONG.rstrip()}{closing}", say)[1] == [
        CodeFile("code-1.txt", "", LONG)
    ]


def test_blank_lines_count() -> None:
    assert extract_long_blocks("```\n" + "\n" * 31, say)[1] == [
        CodeFile("code-1.txt", "", "\n" * 31)
    ]


def test_a_line_of_windows_ends_like_any_other() -> None:
    text = f"a\n```python\n{LONG}```\nb".replace("\n", "\r\n")
    assert extract_long_blocks(text, say) == (
        "a\r\n[code-1.py follows]\r\nb",
        [CodeFile("code-1.py", "python", LONG)],
    )


FENCES = {
    "tildes": f"~~~\n{LONG}~~~",
    "a longer end": f"```\n{LONG}`````  ",
    "an indented fence": f"   ```\n{LONG}  ```",
    "backticks behind tildes": f"~~~ `a`\n{LONG}~~~",
    "no end": f"```\n{LONG}",
}


@pytest.mark.parametrize("text", FENCES.values(), ids=list(FENCES))
def test_what_commonmark_calls_a_fence_is_one(text: str) -> None:
    assert extract_long_blocks(text, say) == (
        "[code-1.txt follows]",
        [CodeFile("code-1.txt", "", LONG)],
    )


NO_FENCES = {
    "two marks": f"``\n{LONG}``",
    "four spaces": f"    ```\n{LONG}    ```",
    "a tab": f"\t```\n{LONG}\t```",
    "inline code": f"```a``` is inline\n{LONG}",
    "within a line": f"so: ```\n{LONG}",
    "behind a list marker": "- ```\n"
    + "  a\n" * 31
    + "  ```\n1. ~~~js\n"
    + "   a\n" * 31
    + "   ~~~",
}


@pytest.mark.parametrize("text", NO_FENCES.values(), ids=list(NO_FENCES))
def test_what_is_no_fence_stays_text(text: str) -> None:
    assert extract_long_blocks(text, say) == (text, [])


ENDLESS = {
    "shorter": "````\n%s```\n",
    "of the other mark": "```\n%s~~~\n",
    "with a word behind it": "```\n%s``` end\n",
    "indented by four spaces": "```\n%s    ```\n",
}


@pytest.mark.parametrize("text", ENDLESS.values(), ids=list(ENDLESS))
def test_what_does_not_end_a_block_belongs_to_it(text: str) -> None:
    last = text.rpartition("%s")[2]
    assert extract_long_blocks(text % LONG, say)[1] == [CodeFile("code-1.txt", "", LONG + last)]


def test_a_fence_within_a_longer_fence_is_code() -> None:
    inner = f"```python\n{LONG}```\n"
    shown, found = extract_long_blocks(f"````markdown\n{inner}````\nafter", say)
    assert shown == "[code-1.md follows]\nafter"
    assert found == [CodeFile("code-1.md", "markdown", inner)]


def test_the_end_of_a_block_behind_a_list_marker_opens_no_other() -> None:
    text = f"- ```js\n  let a\n  ```\n- next\n{LONG}"
    assert extract_long_blocks(text, say) == (text, [])
    lazy = f"- ```js\n  let a\nback\n```py\n{LONG}```\n"
    assert extract_long_blocks(lazy, say)[0] == "- ```js\n  let a\nback\n[code-1.py follows]\n"


def test_a_blank_line_does_not_end_a_block_behind_a_list_marker() -> None:
    text = f"- ```\n  a\n\n  ```\n{LONG}"
    assert extract_long_blocks(text, say) == (text, [])


BEFORE = {
    "a fence": "- ```\n  a\n  ```\n",
    "a line that is not in the list": "- ```\n  a\nback\n",
    "a block that is not in the list": "- ```\n  a\n```\nb\n```\n",
    "inline code": "- ```a` b\n",
}


@pytest.mark.parametrize("before", BEFORE.values(), ids=list(BEFORE))
def test_what_follows_the_end_of_a_block_behind_a_list_marker_is_seen(before: str) -> None:
    shown, found = extract_long_blocks(f"{before}  ```py\n{LONG}  ```\n", say)
    assert shown == f"{before}[code-1.py follows]\n"
    assert [block.code for block in found] == [LONG]


def test_a_block_in_a_list_item_loses_the_indentation_of_its_fence_and_no_more() -> None:
    [block] = extract_long_blocks("- so:\n  ```\n    a\n b\n" + "  c\n" * 30 + "  ```\n", say)[1]
    assert block.code == "  a\nb\n" + "c\n" * 30


def test_text_is_shown_at_once() -> None:
    text = "Bonjour,\n\n# Titre\n- un ```x```\n> cité\n"
    assert stream(text)[:-1] == list(text)


def test_only_what_may_be_a_fence_is_held_back() -> None:
    assert stream("a\n  ``b") == ["a", "\n", "", "", "", "", "  ``b", ""]
    assert stream("```a`b") == ["", "", "", "", "```a`", "b", ""]
    assert stream("~~") == ["", "", "~~"]


def test_a_short_block_is_shown_when_it_ends() -> None:
    shown = stream("```\na\n```\nb")
    assert shown[-3:] == ["```\na\n```\n", "b", ""]
    assert set(shown[:-3]) == {""}


def test_a_file_is_announced_as_soon_as_the_block_is_long() -> None:
    blocks = LongBlockExtractor(say)
    assert blocks.feed(f"```py\n{SHORT}") == ""
    assert blocks.feed("one more\n") == "[code-1.py follows]"
    assert blocks.feed(LONG) == ""
    assert blocks.found == []
    assert blocks.feed("```\nb") == "\nb"
    assert [block.code for block in blocks.found] == [f"{SHORT}one more\n{LONG}"]


INFOS = {
    "python solution.py": "solution.py",
    'python title="mon script.py"': "mon script.py",
    "js filename='a.js' {1,3}": "a.js",
    "python filename=x.py": "x.py",
    "{.python file=x.py}": "x.py",
    "python:src/app.py": "app.py",
    "Main.java": "Main.java",
    'python title="solution"': "solution.py",
    'dockerfile title="Dockerfile"': "Dockerfile",
    'python title="../../etc/passwd.py"': "passwd.py",
    'python title="..\\..\\boot.py"': "boot.py",
    'python title=".."': "code-1.py",
    'python title="..\u202e\u200b\x07"': "code-1.py",
    'python title="a\u202e<b>.py"': "ab.py",
    'python title="élève.py"': "élève.py",
    "python title=": "code-1.py",
    "python 3.11": "code-1.py",
    "python {1,3}": "code-1.py",
    "c++": "code-1.cpp",
    "C#": "code-1.cs",
    "vb.net": "code-1.vb",
    "klingon": "code-1.txt",
    "": "code-1.txt",
}


@pytest.mark.parametrize("info", INFOS)
def test_the_line_of_the_fence_may_name_the_file(info: str) -> None:
    assert name_of(info) == INFOS[info]


COMMENTS = {
    "# solution.py": "solution.py",
    "#solution.py": "solution.py",
    "// src/app.js": "app.js",
    "<!-- index.html -->": "index.html",
    "/* style.css */": "style.css",
    "-- query.sql": "query.sql",
    "# Fichier : calcul.py": "calcul.py",
    "// filename: a.ts": "a.ts",
    "# version 1.2": "code-1.txt",
    "# numpy.linalg": "code-1.txt",
    "# app.py does it": "code-1.txt",
    "import app.js": "code-1.txt",
}


@pytest.mark.parametrize("line", COMMENTS)
def test_a_comment_on_the_first_line_may_name_the_file(line: str) -> None:
    assert name_of("", line) == COMMENTS[line]


def test_the_language_of_a_file_that_is_only_named_is_its_extension() -> None:
    [block] = extract_long_blocks(f"```Main.Java\n{LONG}```", say)[1]
    assert (block.filename, block.language) == ("Main.Java", "java")


def test_the_line_of_the_fence_goes_before_the_comment() -> None:
    assert name_of("python a.py", "# b.py") == "a.py"


def test_names_are_unlike_each_other_whatever_their_case() -> None:
    infos = ["py a.py", "py A.py", "py a-2.py", "py a.py", "py", "js", 'py title="Makefile"']
    text = "\n".join(f"```{info}\n{LONG}```" for info in [*infos, 'py title="makefile"'])
    assert [block.filename for block in extract_long_blocks(text, say)[1]] == [
        *("a.py", "A-2.py", "a-2-2.py", "a-3.py", "code-1.py", "code-2.js"),
        *("Makefile", "makefile-2"),
    ]


def test_a_long_name_is_cut_and_keeps_its_ending() -> None:
    text = "\n".join([f"```py {'é' * 200}.py\n{LONG}```"] * 2)
    first, second = (block.filename for block in extract_long_blocks(text, say)[1])
    assert (len(first), len(second)) == (LONGEST_NAME, LONGEST_NAME)
    assert first.endswith("é.py")
    assert second.endswith("é-2.py")


def test_every_language_has_a_plain_extension() -> None:
    assert len(set(EXTENSIONS.values())) >= 40
    assert all(extension.isalnum() for extension in EXTENSIONS.values())


TOKENS = [
    "```",
    "~~~",
    "`",
    "~",
    "\n",
    " ",
    "    ",
    "- ",
    "a",
    "py a.py",
    "\r",
    LONG,
    "\n```\n",
    "",
]


@given(st.lists(st.sampled_from(TOKENS), max_size=25))
@example(["- ", "```", "\n", "    ", "```", "\n", "```", LONG])
def test_the_cuts_between_pieces_do_not_matter(pieces: list[str]) -> None:
    whole = "".join(pieces)
    expected = extract_long_blocks(whole, say)
    for cut in (pieces, list(whole)):
        blocks = LongBlockExtractor(say)
        shown = "".join([blocks.feed(piece) for piece in cut]) + blocks.close()
        assert (shown, blocks.found) == expected


@given(st.lists(st.sampled_from([*TOKENS[:11], "\n\n"]), max_size=40))
def test_without_a_long_block_nothing_changes(pieces: list[str]) -> None:
    text = "".join(pieces)
    if text.count("\n") <= MOST_LINES:
        assert extract_long_blocks(text, say) == (text, [])


@given(st.lists(st.sampled_from(["```", "~~~", "`", "~", "\n", " ", "a", "    ", LONG, "\n```\n"])))
def test_a_reader_of_commonmark_finds_the_same_blocks(pieces: list[str]) -> None:
    text = "".join(pieces)
    tokens = MarkdownIt("commonmark").parse(text)
    codes = [token.content for token in tokens if token.type == "fence"]
    expected = [code if code.endswith("\n") else f"{code}\n" for code in codes]
    found = [block.code for block in extract_long_blocks(text, say)[1]]
    assert found == [code for code in expected if code.count("\n") > MOST_LINES]


@given(st.text(), st.text())
def test_a_name_is_safe_whatever_is_written(info: str, line: str) -> None:
    for block in extract_long_blocks(f"~~~{info}\n{line}\n{LONG}", say)[1]:
        name = block.filename
        assert 0 < len(name) <= LONGEST_NAME
        assert name.isprintable()
        assert not set(name) & set('/\\<>:"|?*')
        assert name.strip(". ") == name


FLOODS = {
    "backticks": "`",
    "tildes": "~",
    "spaces": " ",
    "short lines": "a\n",
    "list markers": "- ",
    "fences": "```\n",
    "fences in lists": "- ```\n",
    "names": "x.py ",
    "the same name": "```a.py\n" + "\n" * 31 + "```\n",
    "titles": 'title="',
}


@pytest.mark.parametrize("flood", FLOODS.values(), ids=list(FLOODS))
@pytest.mark.parametrize("before", ["", "```", "```py\n"], ids=["text", "info", "code"])
@pytest.mark.parametrize(("length", "size"), [(200_000, 200_000), (20_000, 1)])
def test_a_flood_takes_linear_time(flood: str, before: str, length: int, size: int) -> None:
    text = before + flood * (length // len(flood))
    started = time.process_time()
    stream(text, size)
    assert time.process_time() - started < 2
