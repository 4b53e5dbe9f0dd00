"""List goods for the exercises, with prices of a West African market."""

from __future__ import annotations

from typing import Final, NamedTuple

from bot.practice.notation import Pair


class Goods(NamedTuple):
    """A thing sold by the piece; all French plurals begin with a consonant sound."""

    one: Pair
    """With its article: `une mangue`, `a mango`."""
    many: Pair
    prices: tuple[int, ...]
    """Usual prices of one piece, in FCFA."""


FRUIT: Final = (
    Goods(("une mangue", "a mango"), ("mangues", "mangoes"), (75, 100, 125, 150, 200)),
    Goods(("une banane", "a banana"), ("bananes", "bananas"), (25, 50, 75)),
    Goods(("une papaye", "a papaya"), ("papayes", "papayas"), (250, 300, 350, 500)),
    Goods(("une noix de coco", "a coconut"), ("noix de coco", "coconuts"), (150, 200, 250)),
    Goods(("un citron", "a lemon"), ("citrons", "lemons"), (25, 50)),
)
SCHOOL_THINGS: Final = (
    Goods(("un crayon", "a pencil"), ("crayons", "pencils"), (50, 75, 100)),
    Goods(("un stylo", "a pen"), ("stylos", "pens"), (100, 125, 150)),
    Goods(
        ("un cahier", "an exercise book"), ("cahiers", "exercise books"), (175, 200, 225, 250, 300)
    ),
    Goods(("une gomme", "a rubber"), ("gommes", "rubbers"), (50, 75, 100)),
    Goods(("une règle", "a ruler"), ("règles", "rulers"), (100, 150, 200)),
)
FOOD: Final = (
    Goods(("un beignet", "a doughnut"), ("beignets", "doughnuts"), (25, 50)),
    Goods(("un pain", "a loaf of bread"), ("pains", "loaves of bread"), (150, 175, 200)),
    Goods(
        ("une boule d'attiéké", "a ball of attiéké"),
        ("boules d'attiéké", "balls of attiéké"),
        (100, 150, 200),
    ),
    Goods(
        ("un sachet d'arachides", "a bag of groundnuts"),
        ("sachets d'arachides", "bags of groundnuts"),
        (50, 100, 150),
    ),
    Goods(("un savon", "a bar of soap"), ("savons", "bars of soap"), (250, 300, 350, 400)),
)
