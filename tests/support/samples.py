"""Draw some of many cases at random, others in each run, as hypothesis does.

For large corpora that pass as a whole: what fails is named by the test, and its case stands in the
corpus. `GRIOT_TEST_ALL=1` takes all cases, and ten times as many of hypothesis.
"""

from __future__ import annotations

import os
import random
from collections.abc import Iterable
from math import ceil
from typing import Final, TypeVar

T = TypeVar("T")
TAKES_ALL: Final = bool(os.environ.get("GRIOT_TEST_ALL"))
_random: Final = random.Random()


def draw_some(cases: Iterable[T], *, share: float) -> list[T]:
    """Return a share of the cases, at least one if there are any, in their order."""
    every = list(cases)
    if TAKES_ALL or not every:
        return every
    places = _random.sample(range(len(every)), ceil(share * len(every)))
    return [every[place] for place in sorted(places)]
