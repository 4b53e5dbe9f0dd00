"""Tests over many seeds of a generator, quickly: hypothesis chooses where runs of seeds begin."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping, Sequence
from math import ceil
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from bot.practice.generator import LEVELS
from tests.support.samples import TAKES_ALL

_RUN = 25
_CHOICES: Mapping[str, Sequence[Any]] = {"difficulty": LEVELS, "language": ("fr", "en")}


def over_seeds(count: int) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Call a test with values of `seed`, and each with the next `difficulty` and `language`, if it
    takes them.

    Args:
        count: of values; one run draws a third of them.
    """

    def decorate(test: Callable[..., None]) -> Callable[..., None]:
        parameters = inspect.signature(test).parameters
        choices = {name: _CHOICES[name] for name in parameters if name in _CHOICES}

        def run(*, first: int, **others: Any) -> None:
            for seed in range(first, first + _RUN):
                values, place = {"seed": seed}, seed
                for name, options in choices.items():
                    values[name] = options[place % len(options)]
                    place //= len(options)
                test(**others, **values)

        functools.update_wrapper(run, test)
        del run.__dict__["__wrapped__"]
        names = ["first", *(name for name in parameters if name not in {"seed", *choices})]
        run.__dict__["__signature__"] = inspect.Signature(
            [inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY) for name in names]
        )
        chosen = given(first=st.integers(0, 2**32))(run)
        runs = ceil(count / _RUN / (1 if TAKES_ALL else 3))
        return settings(max_examples=max(runs, 2))(chosen)

    return decorate
