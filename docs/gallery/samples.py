"""What the gallery's documents are made of: the arguments as a model would give them.

The figures are made up for the purpose.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final


def _read(name: str) -> str:
    """Return a text, in which pictures have the names that the library gives them."""
    text = (Path(__file__).parent / "texts" / f"{name}.md").read_text()
    return text.replace("](../pictures/", "](")


SAMPLES: Final[dict[str, dict[str, Any]]] = {
    "report.pdf": {
        "title": "La filière cajou en Côte d'Ivoire : transformer sur place",
        "content": _read("report"),
        "template": "report",
    },
    "lesson.pdf": {"title": "Les fractions", "content": _read("lesson"), "template": "lesson"},
    "pythagore.pdf": {
        "title": "Le théorème de Pythagore",
        "content": _read("pythagore"),
        "template": "lesson",
    },
    "bail.pdf": {"title": "Contrat de bail commercial", "content": _read("bail")},
    "exercise.pdf": {
        "title": "Fractions et problèmes",
        "content": _read("exercise"),
        "template": "exercise",
    },
    "letter.pdf": {
        "title": "Demande de rendez-vous",
        "content": _read("letter"),
        "template": "letter",
    },
    "lesson.html": {"title": "Les fractions", "content": _read("lesson")},
    "pythagore.html": {"title": "Le théorème de Pythagore", "content": _read("pythagore")},
    "notes.md": {"title": "Révisions du brevet", "content": _read("notes")},
    "contract.docx": {"title": "Contrat de bail", "content": _read("contract")},
    "budget.xlsx": {
        "sheets": [
            {
                "name": "Budget",
                "columns": [
                    {"header": "Poste"},
                    {"header": "Quantité", "type": "number"},
                    {"header": "Prix", "type": "money"},
                    {"header": "Total", "type": "formula", "format": "FCFA"},
                ],
                "rows": [
                    ["Riz (kg)", 50, 450, "=B{row}*C{row}"],
                    ["Huile (l)", 20, 1200, "=B{row}*C{row}"],
                    ["Sucre (kg)", 15, 700, "=B{row}*C{row}"],
                    ["Transport", 4, 2500, "=B{row}*C{row}"],
                ],
                "totals": ["Total"],
                "chart": {"type": "column", "x": "Poste", "y": "Total"},
            }
        ]
    },
    "slides.pptx": {
        "title": "Transformer le cajou sur place",
        "slides": [
            {
                "title": "Pourquoi maintenant",
                "bullets": [
                    "Quatre noix sur cinq partent brutes",
                    "L'amande se vend dix fois plus cher que la noix",
                    "Cinquante emplois dès la première année",
                ],
                "notes": "Commencer par la question du prix.",
            },
            {
                "title": "Brut ou transformé",
                "columns": [
                    ["**Noix brute**", "Vendue au poids", "Prix fixé ailleurs", "Aucun emploi"],
                    ["**Amande**", "Vendue par qualité", "Contrats annuels", "Cinquante emplois"],
                ],
            },
            {
                "title": "Ce que rapporte un kilo",
                "bullets": [
                    "Le taux de marge :",
                    r"$m = \frac{P_{\text{vente}} - P_{\text{achat}}}{P_{\text{achat}}}$",
                ],
                "chart": {
                    "type": "bar",
                    "categories": ["Noix", "Amande", "Amande grillée"],
                    "series": [{"name": "F CFA par kilo", "values": [400, 3600, 5200]}],
                },
            },
            {
                "title": "Le calendrier",
                "table": [
                    ["Étape", "Mois"],
                    ["Contrats avec les coopératives", "janvier"],
                    ["Montage de l'unité", "mars"],
                    ["Première livraison", "mai"],
                ],
            },
        ],
    },
}
"""Arguments of `generate_*` by the file that they make, without its name."""
