"""What is bought and sold in the exercises, at prices of a West African market."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from bot.practice.generator import Draw


@dataclass(frozen=True, slots=True)
class Goods:
    """Something sold by the piece; all French plurals begin with a consonant sound."""

    french: str
    """One, with its article: `une mangue`."""
    french_many: str
    english: str
    english_many: str
    prices: tuple[int, ...]
    """Usual prices of one, in FCFA."""

    def one(self, draw: Draw) -> str:
        return draw.say(self.french, self.english)

    def many(self, draw: Draw) -> str:
        return draw.say(self.french_many, self.english_many)


FRUIT: Final = (
    Goods("une mangue", "mangues", "a mango", "mangoes", (75, 100, 125, 150, 200)),
    Goods("une banane", "bananes", "a banana", "bananas", (25, 50, 75)),
    Goods("une papaye", "papayes", "a papaya", "papayas", (250, 300, 350, 500)),
    Goods("une noix de coco", "noix de coco", "a coconut", "coconuts", (150, 200, 250)),
    Goods("un citron", "citrons", "a lemon", "lemons", (25, 50)),
)
SCHOOL_THINGS: Final = (
    Goods("un crayon", "crayons", "a pencil", "pencils", (50, 75, 100)),
    Goods("un stylo", "stylos", "a pen", "pens", (100, 125, 150)),
    Goods("un cahier", "cahiers", "an exercise book", "exercise books", (175, 200, 225, 250, 300)),
    Goods("une gomme", "gommes", "a rubber", "rubbers", (50, 75, 100)),
    Goods("une règle", "règles", "a ruler", "rulers", (100, 150, 200)),
)
FOOD: Final = (
    Goods("un beignet", "beignets", "a doughnut", "doughnuts", (25, 50)),
    Goods("un pain", "pains", "a loaf of bread", "loaves of bread", (150, 175, 200)),
    Goods(
        "une boule d'attiéké",
        "boules d'attiéké",
        "a ball of attiéké",
        "balls of attiéké",
        (100, 150, 200),
    ),
    Goods(
        "un sachet d'arachides",
        "sachets d'arachides",
        "a bag of groundnuts",
        "bags of groundnuts",
        (50, 100, 150),
    ),
    Goods("un savon", "savons", "a bar of soap", "bars of soap", (250, 300, 350, 400)),
)
GOODS: Final = FRUIT + SCHOOL_THINGS + FOOD


def write_price(draw: Draw, amount: int) -> str:
    """An amount of money: `1250 FCFA`."""
    return f"{draw.write(amount)} FCFA"
