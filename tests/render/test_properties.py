"""What holds for every text, on every channel."""

from __future__ import annotations

import time
import unicodedata
from dataclasses import replace
from itertools import accumulate

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from bot.contracts.channels import Capabilities
from bot.messages.outgoing import Entity, Say, TextBody
from bot.render.renderer import render_outgoing, render_preview
from bot.render.sms import count_cost, count_segments, is_gsm7
from bot.render.whatsapp_markers import ZERO_WIDTH
from tests.render.channels import SMS, TELEGRAM, WHATSAPP, WHATSAPP_CLOUD

CHANNELS = [TELEGRAM, WHATSAPP, WHATSAPP_CLOUD, SMS]
A_CHANNEL = st.sampled_from(CHANNELS)
FRAGMENTS = [
    "**", "*", "_", "__", "~~", "~", "`", "```", "```py\n", "\n```\n", "\n\n", "\n", "\n- ",
    "\n1. ",
    "\n> ", "\n# ", "\n    ", "[", "](https://a.ci/x_(y))", "![", "$", "$$", "\\(", "\\)", "\\[",
    "\\]", "\\frac{a}", "{", "}", "^", "|", "\n|a|b|\n|-|-|\n|c|d|\n", "\n---\n", "https://b.ci/_c_",
    "<b>", "&amp;", "\\*", "\\", " ", "mot", "é", "😀", "👩‍👩‍👧",
    "🇨🇮", "e\u0301", "한", "x", "2", ".", "(", ")",
]  # fmt: skip
MARKDOWN = st.lists(st.sampled_from(FRAGMENTS), max_size=60).map("".join)
WORDS = st.lists(st.from_regex(r"[a-z]{1,9}[.,!?]?", fullmatch=True), min_size=1, max_size=30)
ATOMS = [
    "a",
    "é",
    "e\u0301",
    "🐈",
    "👩‍👩‍👧‍👦",
    "🖖🏽",
    "🇨🇮",
    "🇸🇳",
    "한",
    "\u1112\u1161\u11ab",
    "☎️",
    "कि",
]


def tight(channel: Capabilities, limit: int) -> Capabilities:
    """The channel with a lower limit; 0: its own."""
    return replace(channel, max_text=limit or channel.max_text)


def bodies(markdown: str, channel: Capabilities) -> list[TextBody]:
    return [body for body in render_outgoing(Say(markdown), channel) if isinstance(body, TextBody)]


def size(text: str, channel: Capabilities) -> int:
    match channel.text_unit:
        case "utf16":
            return len(text.encode("utf-16-le")) // 2
        case "gsm7":
            return count_cost(text)
        case _:
            return len(text)


@given(A_CHANNEL, MARKDOWN, st.sampled_from([20, 37, 160, 0]))
def test_every_chunk_is_within_the_limit_and_not_blank(
    channel: Capabilities, markdown: str, limit: int
) -> None:
    channel = tight(channel, limit)
    for body in bodies(markdown, channel):
        assert 0 < size(body.text, channel) <= channel.max_text
        assert body.text.strip()
        assert body.segments == (
            count_segments(body.text).paid if channel.text_unit == "gsm7" else 0
        )
    text, _ = render_preview(markdown, channel)
    assert size(text, channel) <= channel.max_text


@pytest.mark.parametrize("limit", [20, 4096])
@given(markdown=MARKDOWN)
def test_entities_are_in_range_well_nested_and_whole(limit: int, markdown: str) -> None:
    channel = tight(TELEGRAM, limit)
    for body in bodies(markdown, channel):
        check_entities(body.text, body.entities)
    check_entities(*render_preview(markdown, channel))


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


@given(A_CHANNEL, WORDS, st.sampled_from([20, 50, 1600]))
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


@given(A_CHANNEL, st.lists(MARKUP, max_size=30), st.sampled_from([40, 1600]))
def test_marked_up_words_all_arrive_in_their_order(
    channel: Capabilities, markup: list[str], limit: int
) -> None:
    words = [f"mot{index}" for index in range(len(markup))]
    markdown = " ".join(form.format(word) for form, word in zip(markup, words, strict=True))
    shown = " ".join(body.text for body in bodies(markdown, tight(channel, limit)))
    places = [shown.find(word) for word in words]
    assert -1 not in places
    assert places == sorted(places)


@given(A_CHANNEL, st.lists(st.sampled_from(ATOMS), min_size=1, max_size=60))
def test_no_chunk_splits_what_people_see_as_one_character(
    channel: Capabilities, atoms: list[str]
) -> None:
    limit = 60 if channel.text_unit == "gsm7" else 24  # more than the longest atom takes
    pieces = [nfc(body.text) for body in bodies("".join(atoms), tight(channel, limit))]
    assert "".join(pieces) == nfc("".join(atoms))
    assert set(accumulate(map(len, pieces))) <= set(accumulate(len(nfc(atom)) for atom in atoms))


def nfc(text: str) -> str:
    return unicodedata.normalize("NFC", text)


PATHS = st.lists(
    st.sampled_from(
        ["a", "B7", "_x_", "*y*", "~z~", "(b)", "-", "?q=1", "&r", "#s", ".html", "%20"]
    ),
    max_size=8,
).map("/".join)


@given(
    A_CHANNEL, st.lists(PATHS, min_size=1, max_size=12), st.booleans(), st.sampled_from([160, 0])
)
def test_links_arrive_whole(
    channel: Capabilities, paths: list[str], labelled: bool, limit: int
) -> None:
    urls = [f"https://a.ci/{number}/{path}/" for number, path in enumerate(paths)]
    form = "**mot** [la page]({}) suite" if labelled else "*mot* {} suite"
    shown = bodies(" ".join(form.format(url) for url in urls), tight(channel, limit))
    if channel is TELEGRAM:
        assert [entity.url for body in shown for entity in body.entities if entity.url] == urls
    else:
        form = "mot la page ({}) suite" if labelled else "mot {} suite"
        text = " ".join(body.text for body in shown)
        plain = text.replace("*mot*", "mot").replace("_mot_", "mot").replace(ZERO_WIDTH, "")
        assert plain == " ".join(form.format(url) for url in urls)
        assert all(any(url in body.text for body in shown) for url in urls)


FORMULAS = {
    "x^{n+1}": ("xⁿ⁺¹", "x^(n+1)"),
    r"\frac{-b \pm \sqrt{b^2-4ac}}{2a}": ("(-b ± √(b²-4ac))/(2a)", "(-b +/- sqrt(b^2-4ac))/(2a)"),
    r"\dfrac12": ("1/2", "1/2"),
    r"u_{n+1} = 2u_n + 3": ("uₙ₊₁ = 2uₙ + 3", "u_(n+1) = 2u_n + 3"),
    r"c \leq a \times b": ("c ≤ a × b", "c <= a * b"),
    r"\overrightarrow{AB}": ("AB\u20d7", "vec(AB)"),
}


@given(
    A_CHANNEL,
    st.lists(st.sampled_from(list(FORMULAS)), min_size=1, max_size=30),
    st.sampled_from([160, 0]),
)
def test_formulas_arrive_whole(channel: Capabilities, formulas: list[str], limit: int) -> None:
    shown = bodies(" ; ".join(f"**mot** ${one}$" for one in formulas), tight(channel, limit))
    readings = [FORMULAS[one][channel is SMS] for one in formulas]
    text = " ".join(body.text for body in shown).replace("*mot*", "mot")
    assert text == " ; ".join(f"mot {reading}" for reading in readings)
    assert all(any(reading in body.text for body in shown) for reading in readings)


@given(A_CHANNEL, st.text(max_size=200))
@example(WHATSAPP, "\ud800 \x00 \u2028")
def test_any_text_at_all_can_be_rendered_and_encoded(channel: Capabilities, text: str) -> None:
    for body in bodies(text, tight(channel, 30)):
        body.text.encode()


@given(MARKDOWN.filter(lambda text: text.count("😀") == 0))
def test_an_answer_by_sms_is_in_one_alphabet(markdown: str) -> None:
    answer = "ça " + markdown.replace("\n    ", "\n")
    kept = [body.text for body in bodies(answer, tight(SMS, 40))]
    assert kept[0].startswith("ca") == all(map(is_gsm7, kept))


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
    "pictures in an open bracket": "[" + "![x](b)" * 1_500,
    "rows of a table without a header": ":\n" * 5_000,
    "tables that are none": "-|-\n-|-|-\n" * 1_000,
    "a table of many rows": "x|y\n-|-\n" + "x|y\n" * 2_000,
}


@pytest.mark.parametrize("channel", CHANNELS)
@pytest.mark.parametrize("bomb", BOMBS)
def test_hostile_nesting_costs_no_more_than_its_length(channel: Capabilities, bomb: str) -> None:
    started = time.process_time()
    shown = "".join(body.text for body in bodies(BOMBS[bomb], channel))
    assert time.process_time() - started < 1.0  # a tenth of that on a machine of its own
    if "a" in BOMBS[bomb]:
        assert shown.count("a") == BOMBS[bomb].count("a")
