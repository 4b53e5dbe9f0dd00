"""Writes `docs/rendering.md` as rendering is: `python -m tests.render.document`."""

from __future__ import annotations

import asyncio
from pathlib import Path

from bot.contracts.channels import Capabilities
from bot.documents.typesetter import Typesetter
from bot.messages.outgoing import Say, TextBody
from bot.render.formula_pictures import formulas_in
from bot.render.renderer import render_outgoing
from bot.render.sms import count_segments, to_gsm7
from bot.render.whatsapp_markers import ZERO_WIDTH
from tests.render.channels import SMS, TELEGRAM, WHATSAPP, WHATSAPP_CLOUD

PATH = Path(__file__).resolve().parents[2] / "docs" / "rendering.md"
PICTURE = PATH.parent / "pictures" / "formulas.png"
CHANNELS = {
    "Telegram": TELEGRAM,
    "WhatsApp (Twilio)": WHATSAPP,
    "WhatsApp (Cloud)": WHATSAPP_CLOUD,
    "SMS": SMS,
}
CASES = (
    "2*3*4 = 24",
    "__init__",
    "rm *.txt … ls *.md",
    "[Pay here](https://pay.example/abc)",
    "https://en.wikipedia.org/wiki/Function_(mathematics)",
    "$x^{n+1}$",
    r"$\frac{-b \pm \sqrt{b^2-4ac}}{2a}$",
    r"$\dfrac12$",
    r"$\overrightarrow{AB}$",
    r"$\begin{pmatrix} 1 & 2 & 3 \\ 4 & 5 & 6 \\ 7 & 8 & 9 \end{pmatrix}$",
)
SPELLINGS = (
    "« L’été, la forêt… » – ça va",
    "CO₂, x₁, uₙ₊₁, 10⁻³",
    "3 × 4 ÷ 2 ≠ 5",
    "3 × x ≤ 2πr²",
    "½, 2½, √2, ∛(8)",
    "90°, 20 °C, n° 5",
    "✅ Bravo ! 🎉",
    "https://fr.example/Côte_d’Ivoire",
    "On écrit « forêt », pas « foret ».",
    "x ∈ ℝ, même seul",
    "Où est le 🐱 ?",
)
TEXT = """# What a text looks like on each channel

This page is made by `python -m tests.render.document`; a test fails when it is out of date.

Griot parses Markdown once into styled text, cuts it into messages that fit, and writes these in the
channel's form. The table also shows the line of text that stands for a formula. `¦` is a zero-width
space, which keeps WhatsApp from reading a character as markup.

{cases}

On all channels but SMS, complex formulas are also sent as one image beside the text, numbered if
there are several. The image for the table:

![The quadratic formula and the matrix, set as in a book](pictures/formulas.png)

## SMS: the alphabet that costs least

A segment holds 160 characters of GSM-7 (153 when several are joined), but 70 (67) of UCS-2, and one
character outside GSM-7 turns the whole message to UCS-2. Griot therefore spells an answer in GSM-7,
once and before it is cut, unless that would spoil it. Every letter stays as it is where

- a character has no substitute that a student understands without explanation (another script, `∈`,
  `∫`, an emoji within a sentence),
- two words of four letters or more, or two options, would become the same (`forêt`, `foret`),
- the spelling would take more segments than it saves.

Links are never respelled; characters that GSM-7 lacks are percent-encoded in them.

{spellings}

`[OK]`, `[X]` and `:)` replace ✅, ❌ and 😊. Emoji that only decorate the beginning or the end of
a line are left out. Products are written with `x` if all factors in the answer are numbers and `x`
is no variable, else with `*`. `python -m bench sms` measures what this saves on a lesson.

## Fewest messages

On WhatsApp each message is paid, and a message can carry a text of up to 1,024 characters with a
picture or document above it and buttons below. What an answer consists of is joined so
(`delivery/compose.py`), in its order. Over 200 recorded turns of pupils (lessons, formulas,
quizzes, exercises, documents, photos: `tests/flows/recorded_turns.jsonl`) that is 1.04 messages a
turn instead of 1.47, with the same words, pictures and documents; a test fails above 1.2.
"""


def document() -> str:
    cases = [("Written", *CHANNELS), ("---",) * 5]
    cases += [
        (_code(case), *(_shown(case, channel) for channel in CHANNELS.values())) for case in CASES
    ]
    spellings = [("Written", "Sent", "Alphabet"), ("---",) * 3]
    for text in SPELLINGS:
        spelled = to_gsm7(text)
        spellings.append((_code(text), _code(spelled), count_segments(spelled).encoding))
    return TEXT.format(cases=_table(cases), spellings=_table(spellings))


def _shown(markdown: str, channel: Capabilities) -> str:
    (body,) = render_outgoing(Say(markdown), channel)
    assert isinstance(body, TextBody)
    kinds = ", ".join(entity.kind for entity in body.entities)
    return _code(body.text.replace(ZERO_WIDTH, "¦")) + (f" ({kinds})" if kinds else "")


def _code(text: str) -> str:
    return f"`{text}`".replace("|", r"\|")


def _table(rows: list[tuple[str, ...]]) -> str:
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


async def picture() -> bytes:
    """The formulas of the table that need a picture, as people get them."""
    typesetter = Typesetter()
    try:
        drawn = await typesetter.picture(formulas_in("\n\n".join(CASES)))
    finally:
        await typesetter.close()
    assert drawn is not None
    return drawn


if __name__ == "__main__":
    PATH.write_text(document())
    PICTURE.parent.mkdir(exist_ok=True)
    PICTURE.write_bytes(asyncio.run(picture()))
