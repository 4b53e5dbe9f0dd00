from __future__ import annotations

from dataclasses import replace

import msgspec
import pytest

from bot.contracts.channels import Capabilities
from bot.messages.outgoing import (
    Acknowledge,
    AskQuiz,
    Button,
    Entity,
    FileBody,
    Invoice,
    RetireButtons,
    Say,
    ShareFile,
    TextBody,
)
from bot.render.renderer import render_outgoing, render_preview
from bot.render.whatsapp_markers import ZERO_WIDTH
from tests.render.channels import FEW_BUTTONS, HTTP, SMS, TELEGRAM, WHATSAPP, WHATSAPP_CLOUD

CHANNELS = [TELEGRAM, WHATSAPP, WHATSAPP_CLOUD, SMS]
ANSWER = """# Fractions

Une **fraction** est une *partie* : `3/4`.
Voir [la page](https://exemple.ci/f_(x)).

1. d'abord
2. ensuite
   - [x] fait
   - [ ] à ~~refaire~~ faire

> Attention

```py
a = 1
```

| n | n² |
|---|---:|
| 2 | 4 |
| 12 | 144 |

---
$$\\frac{a+b}{2} \\leq x^{n+1}$$
"""


def said(markdown: str, channel: Capabilities) -> str:
    return "\n⁂\n".join(body.text for body in texts(markdown, channel))


def texts(markdown: str, channel: Capabilities) -> list[TextBody]:
    bodies = render_outgoing(Say(markdown), channel)
    return [body for body in bodies if isinstance(body, TextBody)]


def test_an_answer_on_telegram_is_text_with_entities() -> None:
    (body,) = texts(ANSWER, TELEGRAM)
    assert body.text == (
        "Fractions\n\nUne fraction est une partie : 3/4.\nVoir la page.\n\n1. d'abord\n2. ensuite\n"
        "   ☑ fait\n   ☐ à refaire faire\n\nAttention\n\na = 1\n\n"
        "n  |  n²\n---+----\n2  |   4\n12 | 144\n\n────────\n\n(a+b)/2 ≤ xⁿ⁺¹"
    )
    shown = [
        (e.kind, body.text[e.offset : e.offset + e.length], e.url or e.language)
        for e in body.entities
    ]
    assert shown == [
        ("bold", "Fractions", ""),
        ("bold", "fraction", ""),
        ("italic", "partie", ""),
        ("code", "3/4", ""),
        ("link", "la page", "https://exemple.ci/f_(x)"),
        ("strikethrough", "refaire", ""),
        ("quote", "Attention", ""),
        ("pre", "a = 1", "py"),
        ("pre", "n  |  n²\n---+----\n2  |   4\n12 | 144", ""),
    ]


def test_an_answer_on_whatsapp_has_its_markers() -> None:
    assert said(ANSWER, WHATSAPP) == (
        "*Fractions*\n\nUne *fraction* est une _partie_ : `3/4`.\n"
        "Voir la page (https://exemple.ci/f_(x)).\n\n1. d'abord\n2. ensuite\n"
        "   ☑ fait\n   ☐ à ~refaire~ faire\n\n> Attention\n\n```a = 1```\n\n"
        "```n  |  n²\n---+----\n2  |   4\n12 | 144```\n\n────────\n\n(a+b)/2 ≤ xⁿ⁺¹"
    )


def test_an_answer_by_sms_is_plain_with_rows_for_tables() -> None:
    assert said(ANSWER, SMS) == (
        "Fractions\n\nUne fraction est une partie : 3/4.\n"
        "Voir la page (https://exemple.ci/f_(x)).\n\n1. d'abord\n2. ensuite\n"
        "   [x] fait\n   [ ] à refaire faire\n\nAttention\n\na = 1\n\n"
        "n: 2\nn^2: 4\n\nn: 12\nn^2: 144\n\n--------\n\n(a+b)/2 <= x^(n+1)"
    )


def test_markdown_channels_get_the_markdown_itself() -> None:
    assert render_outgoing(Say(ANSWER, shown=True), HTTP) == [TextBody(ANSWER, shown=True)]


@pytest.mark.parametrize("channel", CHANNELS)
@pytest.mark.parametrize(
    "text",
    [
        "2*3*4 = 24",
        "__init__",
        "rm *.txt ... ls *.md",
        "x_1 + x_2",
        "https://en.wikipedia.org/wiki/Function_(mathematics)",
        "voir https://a.example/_x_/*y*?q=~z~, puis (https://b.example/c).",
        "a**b + c**d",
        "$5 and $10, ou 5$ et 10$",
        "<b>gras</b> & <br>",
        "5 > 3 et 2 < 4",
        "1986. Une belle année",
        "[note]: ceci reste",
        "javascript:alert(1)",
        "+ 5",
    ],
)
def test_text_that_only_looks_like_markup_arrives_as_meant(
    text: str, channel: Capabilities
) -> None:
    (body,) = texts(text, channel)
    assert body.text.replace(ZERO_WIDTH, "") == text
    assert {entity.kind for entity in body.entities} <= {"link"}


@pytest.mark.parametrize(
    ("markdown", "telegram", "elsewhere"),
    [
        ("[Pay here](https://pay.example/abc)", "Pay here", "Pay here (https://pay.example/abc)"),
        ("[https://a.ci](https://a.ci)", "https://a.ci", "https://a.ci"),
        ("<https://a.ci>", "https://a.ci", "https://a.ci"),
        ("![un chat](https://a.ci/c.png)", "un chat", "un chat (https://a.ci/c.png)"),
        ("[écrire](mailto:a@b.ci)", "écrire (mailto:a@b.ci)", "écrire (mailto:a@b.ci)"),
        ("[ici](/page)", "ici (/page)", "ici (/page)"),
        ("[](https://a.ci)", "https://a.ci", "https://a.ci"),
        ("[x](javascript:f)", "x (javascript:f)", "x (javascript:f)"),
    ],
)
def test_links_keep_label_and_target(markdown: str, telegram: str, elsewhere: str) -> None:
    assert said(markdown, TELEGRAM) == telegram
    assert said(markdown, WHATSAPP) == said(markdown, SMS) == elsewhere


@pytest.mark.parametrize(
    ("markdown", "shown"),
    [
        ("Le pluriel : enfant**s** et cheva**ux**.", "Le pluriel : enfants et chevaux."),
        ("nous mange**ons** **vite**", "nous mangeons *vite*"),
        ("par**l**er", "parler"),
        ("pow = base**exp**2", "pow = base**exp**2"),
        ("a**b**c", "a**b**c"),
    ],
)
def test_bold_within_a_word_leaves_no_stars(markdown: str, shown: str) -> None:
    assert said(markdown, WHATSAPP) == shown


def test_bold_within_a_word_is_shown_where_it_can_be() -> None:
    (body,) = texts("enfant**s**", TELEGRAM)
    assert (body.text, body.entities) == ("enfants", (Entity("bold", 6, 1),))


def test_wide_tables_and_tables_with_links_become_a_block_for_each_row() -> None:
    wide = "| Pays | Capitale |\n|---|---|\n| Côte d'Ivoire et ses voisins du Nord | Yamoussoukro |"
    assert said(wide, WHATSAPP) == (
        "*Pays*: Côte d'Ivoire et ses voisins du Nord\n*Capitale*: Yamoussoukro"
    )
    (body,) = render_outgoing(Say(wide), WHATSAPP, "fr")
    assert isinstance(body, TextBody)
    assert "*Pays*\u00a0: Côte" in body.text
    (body,) = render_outgoing(Say(wide), SMS, "fr")
    assert isinstance(body, TextBody)
    assert "Pays : Cote" in body.text
    linked = "| A |\n|---|\n| [x](https://a.ci) |"
    (body,) = texts(linked, TELEGRAM)
    assert body.text == "A: x"
    assert Entity("link", 3, 1, "https://a.ci") in body.entities


@pytest.mark.parametrize(
    ("row", "first", "second"),
    [
        ("| $|x|$ | valeur absolue |", "|x|", "valeur absolue"),
        ("| $P(A|B)$ | $|u| = |k|$ |", "P(A|B)", "|u| = |k|"),
        (r"| \(|x|\) | a |", "|x|", "a"),
        ("| `a | b` | ou |", "a | b", "ou"),
        ("| 1 | 2 | 3 | 4 |", "1", "2 | 3 | 4"),
        ("| 5 $|10 $ |", "5 $", "10 $"),
        ("|($)|($)|", "($)", "($)"),
    ],
)
def test_no_bar_of_a_table_cuts_a_formula_or_loses_words(row: str, first: str, second: str) -> None:
    assert said(f"| A | B |\n|---|---|\n{row}", SMS) == f"A: {first}\nB: {second}"


def test_scripts_in_tags_are_letters_of_their_own() -> None:
    text = "H<sub>2</sub>O, SO<sub>4</sub><sup>2-</sup>, 10<sup>x+1</sup>, `<sub>2</sub>`, <sub>"
    assert said(text, WHATSAPP) == "H₂O, SO₄²⁻, 10ˣ⁺¹, `<sub>2</sub>`, <sub>"
    assert said("CO<sub>2</sub> et m<sup>2</sup>", SMS) == "CO2 et m^2"


def test_a_break_in_a_cell_is_a_new_line() -> None:
    table = "| Ville | Prix |\n|---|--:|\n| Dakar<br>Thiès | 5<br/>12 |\n| `<br>` | 1 <BR> |"
    assert said(table, WHATSAPP) == (
        "```Ville | Prix\n------+-----\nDakar |    5\nThiès |   12\n<br>  |    1```"
    )
    assert said(table, SMS) == ("Ville: Dakar\nThiès\nPrix: 5\n12\n\nVille: <br>\nPrix: 1")


def test_a_bar_within_a_formula_of_a_header_keeps_the_table() -> None:
    assert said("| $x$ | $|x|$ |\n|---|---|\n| -1 | 1 |", SMS) == "x: -1\n|x|: 1"


@pytest.mark.timeout(30)  # it takes a tenth of a second, and minutes where each sign is a start
@pytest.mark.parametrize("piece", ["`", "`|", "$|", "\\(", " "])
def test_a_cell_that_is_a_flood_of_signs_is_read_at_once(piece: str) -> None:
    flood = piece * (120_000 // len(piece))
    assert said(f"| a | b |\n|---|---|\n| x | y{flood}z |", SMS)


def test_a_fence_reopens_in_the_next_chunk() -> None:
    code = "\n".join(f"line_{number} = '*'" for number in range(200))
    bodies = texts(f"Voici :\n\n```py\n{code}\n```\n\nFin.", WHATSAPP)
    assert len(bodies) > 1
    assert all(body.text.count("```") % 2 == 0 for body in bodies)
    assert all(len(body.text) <= 1600 for body in bodies)
    joined = "\n".join(body.text for body in bodies).replace("```", "")
    assert joined.replace("\n\n", "\n") == f"Voici :\n{code}\nFin."


def test_code_keeps_its_language_in_every_chunk_on_telegram() -> None:
    bodies = texts("```py\n" + "x = '😀'\n" * 1500 + "```", TELEGRAM)
    assert len(bodies) == 4
    for body in bodies:
        size = len(body.text.encode("utf-16-le")) // 2
        assert body.entities == (Entity("pre", 0, size, language="py"),)
        assert size <= 4096


def test_indentation_of_code_is_kept_where_it_is_cut() -> None:
    code = "\n\n".join(["    x = 1"] * 8)
    pieces = [body.text for body in texts(f"```\n{code}\n```", replace(TELEGRAM, max_text=20))]
    assert pieces == ["    x = 1\n\n    x = 1"] * 4


def test_styles_pause_for_code_and_leave_out_the_space_beside_it() -> None:
    (body,) = texts("**a `c` b**", TELEGRAM)
    assert body.entities == (Entity("bold", 0, 1), Entity("code", 2, 1), Entity("bold", 4, 1))


def test_a_message_has_no_more_entities_than_telegram_takes() -> None:
    bodies = texts("\n\n".join(f"**{n}** mot" for n in range(250)), TELEGRAM)
    assert [len(body.entities) for body in bodies] == [100, 100, 50]


def test_blank_text_gives_no_body() -> None:
    assert not any(render_outgoing(Say(" \n"), channel) for channel in (*CHANNELS, HTTP))


def test_buttons_stand_under_the_last_chunk_and_shown_is_copied() -> None:
    buttons = (Button("Oui", "t1"), Button("Non", "t2"))
    bodies = render_outgoing(Say("mot " * 2000, buttons, shown=True), TELEGRAM)
    assert [body.buttons for body in bodies if isinstance(body, TextBody)] == [(), (buttons,)]
    assert all(isinstance(body, TextBody) and body.shown for body in bodies)


def test_a_text_above_whatsapp_buttons_fits_their_shorter_limit() -> None:
    bodies = render_outgoing(Say("mot " * 700, (Button("Oui", "t"),)), WHATSAPP)
    sizes = [len(body.text) for body in bodies if isinstance(body, TextBody)]
    assert sizes[0] > 1500
    assert sizes[-1] <= 1024


def quiz(*options: str, question: str = "**2×3** ?") -> AskQuiz:
    tokens = tuple(f"t{index}" for index in range(len(options)))
    return AskQuiz("q", "interactive_quiz", question, options, tokens, 0.0)


def test_a_quiz_with_short_options_is_its_question_and_buttons_two_a_row() -> None:
    (body,) = render_outgoing(quiz("cinq", "six", "sept"), TELEGRAM)
    assert body == TextBody(
        "2×3 ?",
        (Entity("bold", 0, 3),),
        ((Button("cinq", "t0"), Button("six", "t1")), (Button("sept", "t2"),)),
        choices=(Button("cinq", "t0"), Button("six", "t1"), Button("sept", "t2")),
    )


def test_options_too_long_for_a_button_are_lettered() -> None:
    (body,) = render_outgoing(quiz("oui", "une option de plus de vingt signes"), WHATSAPP)
    assert isinstance(body, TextBody)
    assert body.text == "*2×3* ?\n\nA) oui\nB) une option de plus de vingt signes"
    assert body.buttons == ((Button("A", "t0"),), (Button("B", "t1"),))
    assert [option.label for option in body.choices] == [
        "oui",
        "une option de plus de vingt signes",
    ]


def test_options_are_numbered_where_there_are_no_buttons() -> None:
    assert render_outgoing(quiz("*oui*", "forêt"), SMS) == [
        TextBody(
            "2x3 ?\n\n1) *oui*\n2) foret\nReply with the number.",
            choices=(Button("*oui*", "t0"), Button("forêt", "t1")),
            segments=1,
        )
    ]


@pytest.mark.parametrize(
    ("length", "ends"), [(126, "number."), (127, "2) b"), (145, "2) b"), (165, "number.")]
)
def test_how_to_answer_is_left_out_where_it_costs_a_segment(length: int, ends: str) -> None:
    (body,) = render_outgoing(quiz("a", "b", question="x" * length), SMS)
    assert isinstance(body, TextBody)
    assert body.text.endswith(ends)
    assert body.segments == 1 + (length > 160)


def test_options_that_differ_by_an_accent_only_keep_it_by_sms() -> None:
    (body,) = render_outgoing(quiz("du", "dû", question="Lequel est un participe ?"), SMS)
    assert isinstance(body, TextBody)
    assert body.text.endswith("1) du\n2) dû\nReply with the number.")


def test_a_text_about_letters_keeps_them_by_sms_whatever_it_costs() -> None:
    for said in (
        Say("Écris ç", keeps_letters=True),
        msgspec.structs.replace(quiz(question="Écris ç"), keeps_letters=True),
    ):
        (body,) = render_outgoing(said, SMS)
        assert isinstance(body, TextBody)
        assert "ç" in body.text
    (body,) = render_outgoing(Say("✅ Né à l’école…", keeps_letters=True), SMS)
    assert isinstance(body, TextBody)
    assert body.text == "[OK] Né à l'école..."


def test_french_has_its_typography_in_all_that_is_read() -> None:
    asked = quiz("l'eau !", "rien", question="C'est quoi ?")
    (body,) = render_outgoing(asked, TELEGRAM, "fr")
    assert isinstance(body, TextBody)
    assert body.text == "C’est quoi\u202f?"
    assert [button.label for button in body.choices] == ["l’eau\u202f!", "rien"]
    (said,) = render_outgoing(Say("Voici : `a ? b` **oui** !"), TELEGRAM, "fr")
    assert isinstance(said, TextBody)
    assert said.text == "Voici\u00a0: a ? b oui\u202f!"


def test_french_typography_never_makes_an_sms_dearer() -> None:
    (body,) = render_outgoing(quiz("l'eau !", "rien", question="C'est quoi ?"), SMS, "fr")
    assert isinstance(body, TextBody)
    assert body.text == "C'est quoi ?\n\n1) l'eau !\n2) rien\nRéponds par le numéro."
    (said,) = render_outgoing(
        Say("Ζωή « x »\u202f: l’eau\u202f?"), SMS, "fr"
    )  # no spelling in GSM-7
    assert isinstance(said, TextBody)
    assert said.text == "Ζωή « x » : l'eau ?"


def test_what_opens_a_list_says_so_in_words() -> None:
    channel = replace(WHATSAPP, opens_lists=True)
    for language, label in (("fr", "Choisir"), ("en", "Choose")):
        (body,) = render_outgoing(quiz("a", "b", "c", "d"), channel, language)
        assert isinstance(body, TextBody)
        assert (body.list_label, body.language) == (label, language)


def test_all_options_stand_under_the_last_part_of_a_long_text() -> None:
    buttons = (Button("Oui", "t1"), Button("Non", "t2"))
    for channel in CHANNELS:
        *parts, last = render_outgoing(Say("mot " * 2000, buttons), channel)
        assert isinstance(last, TextBody)
        assert last.choices == buttons
        assert all(isinstance(part, TextBody) and part.choices == () for part in parts)


def test_markdown_channels_are_told_the_options_too() -> None:
    buttons = (Button("Oui", "t1"),)
    assert render_outgoing(Say("?", buttons), HTTP) == [
        TextBody("?", buttons=(buttons,), choices=buttons)
    ]


def test_a_long_answer_by_sms_says_what_it_costs() -> None:
    bodies = texts("mot " * 600, SMS)
    assert [body.segments for body in bodies] == [11, 6]
    assert all(body.segments == 0 for body in texts("mot", TELEGRAM))


def test_one_sign_without_substitute_keeps_all_accents_right() -> None:
    bodies = texts("forêt ∈ Côte. " * 100, SMS)
    assert "".join(body.text for body in bodies).count("forêt ∈ Côte.") == 100
    assert all(len(body.text) <= 700 for body in bodies)


def test_options_are_text_not_markdown() -> None:
    (body,) = render_outgoing(quiz("2*3*4", "_x_", "c", "d"), FEW_BUTTONS)
    assert isinstance(body, TextBody)
    assert body.text.replace(ZERO_WIDTH, "|") == ("*2×3* ?\n\nA) 2*3*4\nB) |_|x_\nC) c\nD) d")


def test_a_quiz_for_http_carries_itself_with_its_options_escaped() -> None:
    asked = quiz("*a*", "b")
    assert render_outgoing(asked, HTTP) == [
        TextBody(
            "**2×3** ?\n\nA) \\*a\\*  \nB) b",
            buttons=((Button("*a*", "t0"),), (Button("b", "t1"),)),
            choices=(Button("*a*", "t0"), Button("b", "t1")),
            quiz=asked,
        )
    ]


def test_a_caption_is_cut_to_its_limit_and_goes_on_as_text() -> None:
    file = ShareFile("f", "a.pdf", "application/pdf", 9, "**Voici** " + "mot " * 500)
    first, *rest = render_outgoing(file, TELEGRAM)
    assert isinstance(first, FileBody)
    assert len(first.file.caption) <= 1024
    assert first.entities == (Entity("bold", 0, 5),)
    words = [first.file.caption, *(body.text for body in rest if isinstance(body, TextBody))]
    assert " ".join(words) == ("Voici " + "mot " * 500).strip()


def test_a_channel_without_captions_says_them_after_the_file() -> None:
    file = ShareFile("f", "a.pdf", "application/pdf", 9, "*Voici*")
    bare = msgspec.structs.replace(file, caption="")
    assert render_outgoing(file, SMS) == [FileBody(bare), TextBody("Voici", segments=1)]
    assert render_outgoing(bare, SMS) == [FileBody(bare)]


@pytest.mark.parametrize("channel", [*CHANNELS, HTTP])
def test_acknowledgements_and_retired_buttons_pass_as_they_are(channel: Capabilities) -> None:
    for outgoing in (Acknowledge("c", "Bien reçu"), RetireButtons("m")):
        assert render_outgoing(outgoing, channel) == [outgoing]


def test_a_draft_is_the_end_of_the_answer_within_the_limit() -> None:
    text, entities = render_preview("😀" * 5000 + " **fin", TELEGRAM)
    assert len(text.encode("utf-16-le")) // 2 <= 4096
    assert text.endswith("😀 fin")
    assert entities == (Entity("bold", len(text.encode("utf-16-le")) // 2 - 3, 3),)


def test_a_draft_of_an_open_fence_is_code() -> None:
    assert render_preview("```py\nx = 1", TELEGRAM) == (
        "x = 1",
        (Entity("pre", 0, 5, language="py"),),
    )


@pytest.mark.parametrize("channel", [TELEGRAM, WHATSAPP, SMS])
def test_control_characters_do_not_reach_a_phone(channel: Capabilities) -> None:
    (body,) = render_outgoing(Say("a\x00b\x07c\x1b[1m\n\n`d\x08e`"), channel)
    assert isinstance(body, TextBody)
    assert not any(ord(char) < 32 and char != "\n" for char in body.text)
    assert body.text.replace("`", "").startswith("abc")


def test_an_invoice_goes_where_the_channel_has_such_things_and_nowhere_else() -> None:
    invoice = Invoice("a1", "100 credits", "For your questions", 50, "XTR")
    assert render_outgoing(invoice, replace(TELEGRAM, invoices=True)) == [invoice]
    for channel in (WHATSAPP, WHATSAPP_CLOUD, SMS, HTTP):
        assert render_outgoing(invoice, channel) == []
