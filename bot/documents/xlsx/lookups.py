"""Compute the functions that find cells by their values: conditional sums, and lookups."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Final

from bot.documents.xlsx.functions import (
    Area,
    Computed,
    FormulaError,
    FormulaPlace,
    Node,
    Uncomputed,
    Value,
    average,
    matches_pattern,
    meets_condition,
    number,
    order_key,
    read_numbers,
    scalar,
    to_truth,
)


def _read_area(node: Node, place: FormulaPlace) -> Area:
    area = node(place)
    if not isinstance(area, Area):
        raise Uncomputed
    return area


def _read_cells(areas: Sequence[Area], place: FormulaPlace) -> Iterator[tuple[Value, ...]]:
    """Yield the cells that lie at the same place in areas of one size, up to the last content.

    Raises `FormulaError`: the sizes differ.
    """
    if len({(area.bottom - area.top, area.right - area.left) for area in areas}) > 1:
        raise FormulaError("#VALUE!")
    clipped = [place.cells.clip(area) for area in areas]
    for down in range(max(area.bottom - area.top for area in clipped) + 1):
        for across in range(max(area.right - area.left for area in clipped) + 1):
            yield tuple(
                place.cells.value(area.sheet, area.top + down, area.left + across) for area in areas
            )


def _find_matching(
    summed: Node, conditions: Sequence[Node], place: FormulaPlace
) -> Iterator[Value]:
    """Yield the cells of `summed` where all conditions, each a range and what it must be, are
    met."""
    if len(conditions) % 2:
        raise Uncomputed
    areas = [_read_area(node, place) for node in conditions[::2]]
    wanted = [scalar(node, place) for node in conditions[1::2]]
    if any(area != place.cells.clip(area) for area in areas) and all(
        meets_condition(None, each) for each in wanted
    ):
        raise Uncomputed  # the empty cells of a whole column count as well
    for cells in _read_cells([_read_area(summed, place), *areas], place):
        if all(map(meets_condition, cells[1:], wanted)):
            yield cells[0]


def _resize(summed: Node, like: Node) -> Node:
    """Return a node of the area that begins where `summed` does, with the size of `like`: the one
    that SUMIF adds up."""

    def read(place: FormulaPlace) -> Area:
        first, size = _read_area(summed, place), _read_area(like, place)
        bottom, right = first.top + size.bottom - size.top, first.left + size.right - size.left
        return Area(first.sheet, first.top, first.left, bottom, right)

    return read


def _find_by_one(nodes: Sequence[Node], place: FormulaPlace) -> Iterator[Value]:
    """Yield what `SUMIF(range; criterion; [summed])` adds up."""
    summed = _resize(nodes[2], nodes[0]) if len(nodes) > 2 else nodes[0]
    return _find_matching(summed, nodes[:2], place)


def _find_by_all(nodes: Sequence[Node], place: FormulaPlace) -> Iterator[Value]:
    """Yield what `SUMIFS(summed; range; criterion; …)` adds up."""
    return _find_matching(nodes[0], nodes[1:], place)


def _aggregate(
    find: Callable[[Sequence[Node], FormulaPlace], Iterator[Value]],
    compute: Callable[[list[float]], float],
) -> Computed:
    return lambda nodes, place: compute(
        [value for value in find(nodes, place) if isinstance(value, float)]
    )


def _count_all(nodes: Sequence[Node], place: FormulaPlace) -> float:
    return float(sum(1 for _ in _find_matching(nodes[0], nodes, place)))


def _sum_products(nodes: Sequence[Node], place: FormulaPlace) -> float:
    rows = _read_cells([_read_area(node, place) for node in nodes], place)
    return math.fsum(
        math.prod(cell if isinstance(cell, float) else 0.0 for cell in row) for row in rows
    )


def _find(wanted: Value, cells: Iterator[Value], *, is_sorted: bool) -> int:
    """Return the place from 0 of the first cell that is `wanted`; of the last one that is not
    above it where the cells are sorted.

    Raises:
        FormulaError: there is none.
        Uncomputed: the cells are not sorted as they should be.
    """
    key = order_key(wanted)
    found, last = -1, None
    for at, cell in enumerate(cells):
        if cell is None:
            continue
        own = order_key(cell)
        if is_sorted and own[0] == key[0]:
            if last is not None and own < last:
                raise Uncomputed
            last = own
            found = at if own <= key else found
        elif not is_sorted and (own == key or matches_pattern(cell, wanted)):
            return at
    if found < 0:
        raise FormulaError("#N/A")
    return found


def _find_line(area: Area, index: float, *, is_column: bool) -> Area:
    """Return the row or column `index`, from 1, of an area. Raises `FormulaError`."""
    if index < 1:
        raise FormulaError("#VALUE!")
    at = (area.left if is_column else area.top) + int(index) - 1
    if at > (area.right if is_column else area.bottom):
        raise FormulaError("#REF!")
    if is_column:
        return Area(area.sheet, area.top, at, area.bottom, at)
    return Area(area.sheet, at, area.left, at, area.right)


def _read_at(area: Area, at: int, place: FormulaPlace) -> Value:
    """Return the cell `at`, from 0, of an area that is one row or one column."""
    if area.left == area.right:
        return place.cells.value(area.sheet, area.top + at, area.left)
    if area.top == area.bottom:
        return place.cells.value(area.sheet, area.top, area.left + at)
    raise Uncomputed


def _look_up(nodes: Sequence[Node], place: FormulaPlace, *, is_column: bool) -> Value:
    """Compute `VLOOKUP(wanted; table; column; [sorted])`; HLOOKUP where `is_column` is False."""
    area = _read_area(nodes[1], place)
    found = _find_line(area, number(nodes[2], place), is_column=is_column)
    searched = _find_line(area, 1, is_column=is_column)
    is_sorted = to_truth(scalar(nodes[3], place)) if len(nodes) > 3 else True
    at = _find(scalar(nodes[0], place), place.cells.values(searched), is_sorted=is_sorted)
    return _read_at(found, at, place)


def _match(nodes: Sequence[Node], place: FormulaPlace) -> Value:
    kind = number(nodes[2], place) if len(nodes) > 2 else 1.0
    area = _read_area(nodes[1], place)
    if kind < 0 or (area.top != area.bottom and area.left != area.right):
        raise Uncomputed
    wanted, cells = scalar(nodes[0], place), place.cells.values(area)
    return float(_find(wanted, cells, is_sorted=kind > 0) + 1)


def _index(nodes: Sequence[Node], place: FormulaPlace) -> Value:
    area = _read_area(nodes[0], place)
    first = number(nodes[1], place)
    if len(nodes) > 2:
        row = _find_line(area, first, is_column=False)
        area = _find_line(row, number(nodes[2], place), is_column=True)
    else:
        area = _find_line(area, first, is_column=area.top == area.bottom)
    if not area.is_single:
        raise Uncomputed
    return place.cells.value(area.sheet, area.top, area.left)


def _look_up_exactly(nodes: Sequence[Node], place: FormulaPlace) -> Value:
    """Compute `XLOOKUP(wanted; searched; found; [otherwise])`."""
    if len(nodes) > 4:
        raise Uncomputed
    searched, found = _read_area(nodes[1], place), _read_area(nodes[2], place)
    try:
        at = _find(scalar(nodes[0], place), place.cells.values(searched), is_sorted=False)
    except FormulaError as missing:
        if len(nodes) < 4 or missing.code != "#N/A":
            raise
        return scalar(nodes[3], place)
    return _read_at(found, at, place)


def _most(numbers: Sequence[float]) -> float:
    return max(numbers, default=0.0)


def _least(numbers: Sequence[float]) -> float:
    return min(numbers, default=0.0)


_MOST_RANKED: Final = 2_000
"""Most cells among which each of a column's rows may have its rank computed here."""


def _rank(nodes: Sequence[Node], place: FormulaPlace) -> float:
    """Return the rank of a number in an area, from the largest unless the third argument says
    so; equal numbers have the same rank."""
    area = place.cells.clip(_read_area(nodes[1], place))
    if area.bottom - area.top > _MOST_RANKED:
        raise Uncomputed
    value = number(nodes[0], place)
    others = [cell for cell in place.cells.values(area) if isinstance(cell, float)]
    if value not in others:
        raise FormulaError("#N/A")
    rises = len(nodes) > 2 and number(nodes[2], place) != 0
    return 1.0 + sum((other < value) if rises else (other > value) for other in others)


def _pick(nodes: Sequence[Node], place: FormulaPlace, *, largest: bool) -> float:
    """Return the largest or smallest number of an area but so many."""
    numbers = sorted(read_numbers(nodes[:1], place), reverse=largest)
    at = math.ceil(number(nodes[1], place))
    if not 1 <= at <= len(numbers):
        raise FormulaError("#NUM!")
    return numbers[at - 1]


LOOKUPS: Final[Mapping[str, Computed]] = {
    "SUMIF": _aggregate(_find_by_one, math.fsum),
    "AVERAGEIF": _aggregate(_find_by_one, average),
    "COUNTIF": _count_all,
    "SUMIFS": _aggregate(_find_by_all, math.fsum),
    "AVERAGEIFS": _aggregate(_find_by_all, average),
    "MAXIFS": _aggregate(_find_by_all, _most),
    "MINIFS": _aggregate(_find_by_all, _least),
    "COUNTIFS": _count_all,
    "SUMPRODUCT": _sum_products,
    "VLOOKUP": lambda nodes, place: _look_up(nodes, place, is_column=True),
    "HLOOKUP": lambda nodes, place: _look_up(nodes, place, is_column=False),
    "XLOOKUP": _look_up_exactly,
    "MATCH": _match,
    "INDEX": _index,
    "RANK": _rank,
    "LARGE": partial(_pick, largest=True),
    "SMALL": partial(_pick, largest=False),
}
"""Functions of `functions.ARITY` that are computed here."""
