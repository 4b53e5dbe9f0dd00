"""Documents that try to break the tools, and what has to be found in each all the same.

`check.py` makes them and opens them in LibreOffice.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final

_CONTROLS: Final = "a\x00b\x07c\x1bd\u202ee\u2066f\ufffeg\U000e0041h"
_PICTURES: Final = "Bravo 🎉👩🏾‍🏫🇨🇮 ! Étape 1️⃣ ✅, puis ❤️ et 🧪."
_ARABIC: Final = "مرحبا بالعالم، هذا نص عربي مع 123 رقم."
_HEBREW: Final = "שלום עולם 42"
_SCRIPTS: Final = "ɛ̀ ŋ ɔ́ Ɗ ẹ ṣ ± Ω Ж 中文 አማርኛ ߒߞߏ"
_MATHS: Final = r"""
Soit $\frac{1}{2$ et $x^{2$, puis $\left( a$, $\undefined{x}$, $\begin{matrix}1&2$ et $5 ou 6$.

$$\sqrt{\frac{a+b}{c}} = \sum_{i=1}^{n} x_i^2 \tag{1}$$

$$\begin{aligned} a &= b \\ &= c \end{align}$$

$$\def\a{\a\a}\a \href{javascript:alert(1)}{x} \includegraphics{/etc/passwd}$$
"""
_MARKUP: Final = """
<script>alert(1)</script> <b onclick="x()">gras</b> &amp; &lt; [lien](javascript:alert(1))
![image](file:///etc/passwd) #raw("x") #eval("1") @label *étoile* _souligné_ `x="1"`, x="1".

Une définition : la variable x="1" vaut "un" ; prix="500 F", f("a")="b", a = "texte cité".
"""
_TABLES: Final = """
| A | B |
|---|---|

|  |  |
|---|---|
|  |  |

| Seule |
|---|
| MotTrèsLongSansAucuneEspace_abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabcdefghijklmnop |

| a | b | c | d | e | f | g | h | i | j | k | l |
|---|---|---|---|---|---|---|---|---|---|---|---|
| un | deux | trois | quatre | cinq | six | sept | huit | neuf | dix | onze | douze |
| 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | 10 | 11 | 12 | 13 | 14 |
"""
_NESTED: Final = "\n".join(f"{'  ' * depth}- niveau {depth}" for depth in range(12))
_QUOTED: Final = "\n".join(f"{'> ' * depth}cité {depth}" for depth in range(1, 12))
HOSTILE_TEXT: Final = "\n\n".join(
    (
        "## Commandes", _CONTROLS,
        "## Images 🎓", _PICTURES,
        "## Écritures", _ARABIC, _HEBREW, _SCRIPTS,
        "## Formules", _MATHS,
        "## Balises", _MARKUP,
        "## Tableaux", _TABLES,
        "## Profondeur", _NESTED, _QUOTED,
        "## Fin du texte",
    )
)  # fmt: skip
_POINTS: Final = "\n".join(f"- Point {point} du chapitre" for point in range(60))


def _write_long(chapters: int) -> str:
    return "\n\n".join(
        f"## Chapitre {number}\n\nLes prix restent ceux du marché mondial.\n\n{_POINTS}"
        for number in range(1, chapters + 1)
    )


_FORMULAS: Final = (
    "=SUM(A2:A9)", "=AVERAGE(A2:A9)", "=MIN(A2:A9)", "=MAX(A2:A9)", "=COUNT(A2:A9)",
    "=COUNTA(A2:B9)", "=PRODUCT(A2:A4)", '=SUMIF(A2:A9,">2")', '=COUNTIF(B2:B9,"a*")',
    '=AVERAGEIF(A2:A9,"<>0",A2:A9)', '=SUMIF(B2:B9,"abc",A2:A9)', "=ABS(A6)", "=INT(A6)",
    "=SQRT(A5)", "=SQRT(A6)", "=MOD(A6,3)", "=MOD(7,A6)", "=MOD(1,0)", "=ROUND(2.5,0)",
    "=ROUND(-2.5,0)", "=ROUND(1234.567,-2)", "=ROUND(1.005,2)", "=ROUND(2.675,2)",
    "=ROUNDUP(1.01,1)", "=ROUNDUP(-1.01,0)", "=ROUNDDOWN(-1.99,1)", "=IF(A2>A3,1,2)",
    '=IF(B2="ABC","même","autre")', "=IF(A9,1,0)", "=IFERROR(1/0,-1)", '=IFERROR(B2*1,"texte")',
    "=AND(A2>0,A6<0)", "=OR(A2>9,FALSE)", "=NOT(A2=1)", '=CONCATENATE(B2,"-",A7)', "=B2&A6",
    "=2^-1", "=-2^2", "=-A2^2", "=2^3^2", "=10%", "=50%*A4", "=A4/A5%", "=1=1", '="a"<"B"',
    "=0.1+0.2", "=0.1+0.2=0.3", "=1/3", "=1E+3*2", "=A2+B2", "=A2+A9", '="3"*2', "=B9&1",
    "=A2<>A3", "=+A2", "=--A2", "=(A2+A3)*(A4-A5)", "=SUBTOTAL(9,A2:A9)", "=SUBTOTAL(101,A2:A9)",
    "=MAX(A9)", "=SUM(B2:B9)", '=COUNTIF(A2:A9,"")', "=COUNTIF(A2:A9,1)", "=AVERAGE(B2:B3)",
    "=SOMME(A2:A9)", "=MOYENNE(A2:A9)", "=ARRONDI(2,345;2)", '=SI(A2>0;"oui";"non")',
    "=NB.SI(A2:A9;\">1\")", "=1e308*10", "=A6^0.5", "=0^0", "=TRUE+1", "=DATE(2026,2,28)",
    "=TODAY()-TODAY()", '=VLOOKUP(3,A2:B9,2,FALSE)', "=MEDIAN(A2:A9)", "=LEN(B2)", '=LEFT(B2,2)',
)  # fmt: skip
"""Over numbers in A2 to A9 and texts in B2 to B9."""
_NUMBERS: Final = (1, 2, 3, 4, -5, 0.5, 0, None)
_WORDS: Final = ("abc", "ABD", "3", "", "a", "é", "zz", None)


@dataclass(frozen=True, slots=True)
class Case:
    """A document, and what it has to hold once LibreOffice has opened it."""

    arguments: dict[str, Any]
    holds: tuple[str, ...] = ()
    pages: int = 1
    """At least so many."""
    results: dict[str, Any] = field(default_factory=dict[str, Any])
    """Of a spreadsheet: what LibreOffice works out, by the cell of the first sheet."""


_TEXT: Final[dict[str, Any]] = {"title": 'Ç🎓 <b>"Titre"</b> & $x^2$', "content": HOSTILE_TEXT}
_HELD: Final = ("Fin du texte", "niveau 11", "douze", "Bravo")

CASES: Final[dict[str, Case]] = {
    "text.docx": Case(_TEXT, holds=(*_HELD, 'x="1"')),
    "page.html": Case(_TEXT, holds=(*_HELD, 'x="1"')),
    "report.pdf": Case({**_TEXT, "template": "report"}, holds=_HELD),
    "lesson.pdf": Case({**_TEXT, "template": "lesson"}, holds=_HELD),
    "exercise.pdf": Case({**_TEXT, "template": "exercise"}, holds=_HELD),
    "letter.pdf": Case({**_TEXT, "template": "letter"}, holds=_HELD),
    "long-report.pdf": Case(
        {"title": "Deux cents pages", "content": _write_long(140), "template": "report"},
        holds=("Chapitre 140",),
        pages=200,
    ),
    "long.docx": Case(
        {"title": "Long", "content": _write_long(120)}, holds=("Chapitre 120",), pages=150
    ),
    "cells.xlsx": Case(
        {
            "sheets": [
                {
                    "name": "a/b:c*[d]?'e",
                    "columns": [
                        {"header": "=cmd|'/c calc'!A1"},
                        {"header": "Nombre", "type": "number"},
                        {"header": "Prix", "type": "money"},
                        {"header": "Part", "type": "percent"},
                        {"header": "Jour", "type": "date"},
                        {"header": "Total", "type": "formula", "format": "FCFA"},
                        {"header": "Texte", "type": "formula"},
                    ],
                    "rows": [
                        ["=cmd|'/c calc'!A1", 2, 500, 0.25, "2026-02-28", "=B{row}*C{row}",
                         '=IF(B2>1,"oui","non")'],
                        ["+1+1", "3", "1 500 F", "12,5 %", "29/02/2026", "=[Nombre]*[Prix]",
                         "=SI(B3>5;\"oui\";\"non\")"],
                        ["@SUM(A1)", None, "abc", "x", "hier", "=1/0", "=NOSUCH(1)"],
                        ["-2", 1e300, -5, 1.5, "1899-12-31", "=B5", "=WEBSERVICE(\"http://x\")"],
                        [_CONTROLS + _PICTURES + _ARABIC, True, 0, 0, "", "=SUM(B2:B3)", "="],
                        ["x" * 40_000, 0.1, 0.2, 0.3, "2026-12-31", "=B7+C7", "=A2&\" fin\""],
                    ],
                    "totals": ["Prix", "Total"],
                    "chart": {"type": "pie", "x": "=cmd|'/c calc'!A1", "y": "Prix"},
                },
                {"name": "vide", "columns": [{"header": ""}], "rows": []},
                {"name": "a/b:c*[d]?'e", "columns": [{"header": "x"}, {"header": "x"}],
                 "rows": [[1, 2], []], "totals": ["x"],
                 },
            ]
        },
        results={"F2": 1000, "F3": 4500, "G2": "oui", "G3": "non", "F6": 5,
                 "A2": "=cmd|'/c calc'!A1"},
    ),
    "functions.xlsx": Case(
        {
            "sheets": [
                {
                    "name": "Formules",
                    "columns": [
                        {"header": "Nombre", "type": "number"},
                        {"header": "Texte", "type": "text"},
                        {"header": "Formule", "type": "formula"},
                    ],
                    "rows": [
                        [*(part[at] if at < 8 else None for part in (_NUMBERS, _WORDS)), formula]
                        for at, formula in enumerate(_FORMULAS)
                    ],
                }
            ]
        },
        results={"C2": 5.5, "C4": -5},
    ),
    "rows.xlsx": Case(
        {
            "sheets": [
                {
                    "name": "Ventes",
                    "columns": [
                        {"header": "Article"},
                        {"header": "Quantité", "type": "number"},
                        {"header": "Prix", "type": "money"},
                        {"header": "Total", "type": "formula", "format": "FCFA"},
                    ],
                    "rows": [
                        [f"Article {row}", row, 50, "=[Quantité]*[Prix]"]
                        for row in range(1, 10_001)
                    ],
                    "totals": ["Quantité", "Total"],
                    "chart": {"type": "line", "x": "Article", "y": "Total"},
                }
            ]
        },
        pages=100,
        results={"D2": 50, "D10001": 500_000, "B10002": 50_005_000, "D10002": 2_500_250_000},
    ),
    "slides.pptx": Case(
        {
            "title": 'Ç🎓 <b>"Titre"</b> & $x^2$ ' + "long " * 30,
            "slides": [
                {"title": "Images", "bullets": [_PICTURES, _CONTROLS, _ARABIC, _SCRIPTS, 'x="1"']},
                {"title": "Beaucoup", "bullets": [f"Point {n} " + "mot " * 30 for n in range(30)]},
                {"title": "Mot", "bullets": ["x" * 1_900, "", "  ", "    profond", "- tiret"]},
                {"title": "Maths", "bullets": [r"$\frac{1}{2$ et $x^{n+1}$", r"$$\sum_i x_i$$"]},
                {"title": "Seul"},
                {"title": "", "table": [[]]},
                {"title": "Vide", "table": [["A", "B"], ["", ""]]},
                {"title": "Large", "table": [[f"colonne {n}" for n in range(10)]] * 3},
                {"title": "Haut", "table": [["N", "Carré"]] + [[n, n * n] for n in range(45)]},
                {"title": "Cellule", "table": [["A", "B"], ["mot " * 200, "=cmd|'/c calc'!A1"]]},
                {"title": "Fin", "notes": _CONTROLS + _PICTURES},
            ],
        },
        holds=("Point 29", "profond", "1936", 'x="1"', "Fin"),
        pages=12,
    ),
}  # fmt: skip
