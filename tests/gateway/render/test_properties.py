"""What holds for every text, on every channel."""

from __future__ import annotations

import time
from dataclasses import replace
from itertools import accumulate

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from bot.contracts import Capabilities
from bot.gateway.render import draft, render
from bot.messages import Entity, Say, TextBody
from tests.gateway.render.channels import SMS, TELEGRAM, WHATSAPP

CHANNELS = [TELEGRAM, WHATSAPP, SMS]
FRAGMENTS = [
    "**", "*", "_", "__", "~~", "~", "`", "```", "```py\n", "\n```\n", "\n\n", "\n", "\n- ",
    "\n1. ",
    "\n> ", "\n# ", "\n    ", "[", "](https://a.ci/x_(y))", "![", "$", "$$", "\\(", "\\)", "\\[",
    "\\]", "\\frac{a}", "{", "}", "^", "|", "\n|a|b|\n|-|-|\n|c|d|\n", "\n---\n", "https://b.ci/_c_",
    "<b>", "&amp;", "\\*", "\\", " ", "mot", "é", "😀", "👩‍👩‍👧",
    "🇨🇮", "e\u0301", "한", "x", "2", ".", "(", ")",
]  # fmt: skip
MARKDOWN = st.lists(st.sampled_from(FRAGMENTS), max_size=60).map("".join)
WORDS = st.lists(st.from_regex(r"[a-z]{1,9}[.,!?]?", fullmatch=True), min_size=1, max_size=60)
ATOMS = [
    "a",
    "é",
    "e\u0301",
    "😀",
    "👩‍👩‍👧‍👦",
    "👍🏽",
    "🇨🇮",
    "🇸🇳",
    "한",
    "\u1112\u1161\u11ab",
    "☎️",
    "कि",
]


def tight(channel: Capabilities, limit: int) -> Capabilities:
    return replace(channel, max_text=limit)


def bodies(markdown: str, channel: Capabilities) -> list[TextBody]:
    return [body for body in render(Say(markdown), channel) if isinstance(body, TextBody)]


def size(text: str, channel: Capabilities) -> int:
    return len(text.encode("utf-16-le")) // 2 if channel.text_unit == "utf16" else len(text)


@pytest.mark.parametrize("channel", CHANNELS)
@given(MARKDOWN, st.sampled_from([20, 37, 160]))
@settings(max_examples=150, deadline=None)
def test_every_chunk_is_within_the_limit_and_not_blank(
    channel: Capabilities, markdown: str, limit: int
) -> None:
    channel = tight(channel, limit)
    for body in bodies(markdown, channel):
        assert 0 < size(body.text, channel) <= limit
        assert body.text.strip()
    text, _ = draft(markdown, channel)
    assert size(text, channel) <= limit


@pytest.mark.parametrize("limit", [20, 4096])
@given(markdown=MARKDOWN)
@settings(max_examples=200, deadline=None)
def test_entities_are_in_range_well_nested_and_whole(limit: int, markdown: str) -> None:
    channel = tight(TELEGRAM, limit)
    for body in bodies(markdown, channel):
        check_entities(body.text, body.entities)
    check_entities(*draft(markdown, channel))


def check_entities(text: str, entities: tuple[Entity, ...]) -> None:
    edges = {0, *accumulate(2 if char > "\uffff" else 1 for char in text)}
    for one in entities:
        assert one.length > 0
        assert {one.offset, one.offset + one.length} <= edges
        for other in entities:
            if one is not other and one.offset <= other.offset < one.offset + one.length:
                assert other.offset + other.length <= one.offset + one.length or (
                    one.offset == other.offset
                )
                assert not {one.kind, other.kind} & {"code", "pre"} or "quote" in {
                    one.kind,
                    other.kind,
                }


@pytest.mark.parametrize("channel", CHANNELS)
@given(WORDS, st.sampled_from([20, 50, 1600]))
@settings(max_examples=60, deadline=None)
def test_plain_text_arrives_whole_and_is_left_alone(
    channel: Capabilities, words: list[str], limit: int
) -> None:
    text = " ".join(words)
    pieces = [body.text for body in bodies(text, tight(channel, limit))]
    assert " ".join(pieces) == text
    assert [body.text for body in bodies("\n\n".join(pieces), channel)] == ["\n\n".join(pieces)]


MARKUP = st.sampled_from(
    ["{}", "**{}**", "*{}*", "~~{}~~", "`{}`", "\n\n# {}\n\n", "\n- {}\n", "\n1. {}\n", "\n> {}\n",
     "\n\n```\n{}\n```\n\n", "[{}](https://a.ci)", "\n\n| {} |\n|---|\n| x |\n\n", "***{}***",
     "({})", "![{}](/x)", "\n- [ ] {}\n", "\n\n    {}\n\n"]
)  # fmt: skip


@pytest.mark.parametrize("channel", CHANNELS)
@given(st.lists(MARKUP, max_size=30), st.sampled_from([40, 1600]))
@settings(max_examples=100, deadline=None)
def test_marked_up_words_all_arrive_in_their_order(
    channel: Capabilities, markup: list[str], limit: int
) -> None:
    words = [f"mot{index}" for index in range(len(markup))]
    markdown = " ".join(form.format(word) for form, word in zip(markup, words, strict=True))
    shown = " ".join(body.text for body in bodies(markdown, tight(channel, limit)))
    places = [shown.find(word) for word in words]
    assert -1 not in places
    assert places == sorted(places)


@pytest.mark.parametrize("channel", CHANNELS)
@given(st.lists(st.sampled_from(ATOMS), min_size=1, max_size=60))
@settings(max_examples=100, deadline=None)
def test_no_chunk_splits_what_people_see_as_one_character(
    channel: Capabilities, atoms: list[str]
) -> None:
    text = "".join(atoms)
    pieces = [body.text for body in bodies(text, tight(channel, 24))]
    assert "".join(pieces) == text
    assert set(accumulate(map(len, pieces))) <= set(accumulate(map(len, atoms)))


@pytest.mark.parametrize("channel", CHANNELS)
@given(st.text(max_size=200))
@example("\ud800 \x00 \u2028")
@settings(max_examples=100, deadline=None)
def test_any_text_at_all_can_be_rendered_and_encoded(channel: Capabilities, text: str) -> None:
    for body in bodies(text, tight(channel, 30)):
        body.text.encode()


BOMBS = {
    "brackets": "[" * 10_000,
    "images": "![" * 10_000,
    "links": "[a](" * 10_000,
    "pairs of brackets": "[" * 10_000 + "]" * 10_000,
    "quotes": "> " * 10_000 + "a",
    "lists": "- " * 10_000 + "a",
    "deeper and deeper lists": "\n".join(" " * depth + "- a" for depth in range(140)),
    "stars": "*a " * 10_000,
    "nested emphasis": "*" * 10_000 + "a" + "*" * 10_000,
    "mixed emphasis": "*_" * 5_000 + "a" + "_*" * 5_000,
    "strikes": "~~a" * 10_000,
    "ticks": "`a" * 5_000,
    "maths": "\\(" * 10_000,
    "braces": "$" + "{" * 10_000 + "}" * 10_000 + "$",
    "accents": "e" + "\u0301" * 10_000,
}


@pytest.mark.parametrize("channel", CHANNELS)
@pytest.mark.parametrize("bomb", BOMBS)
def test_hostile_nesting_costs_no_more_than_its_length(channel: Capabilities, bomb: str) -> None:
    started = time.process_time()
    shown = "".join(body.text for body in bodies(BOMBS[bomb], channel))
    assert time.process_time() - started < 1.0  # a tenth of that on a machine of its own
    if "a" in BOMBS[bomb]:
        assert shown.count("a") == BOMBS[bomb].count("a")
