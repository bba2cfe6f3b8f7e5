"""The first promise, asserted: what is parallel gives the answer of one device, up to rounding."""

from collections.abc import Iterable, Mapping
from math import isnan
from numbers import Real
from typing import Any

import numpy as np

from lockstep import arguments

UNIT_ROUNDOFF = float(np.finfo(np.float64).eps / 2)


def difference(left: Iterable[Any], right: Iterable[Any]) -> float:
    """Return the largest absolute difference between two lists of arrays.

    Args:
        left: arrays, or what NumPy makes arrays of, such as TensorFlow's variables.
        right: as many arrays of the same shapes.

    Raises:
        ValueError: another number of arrays, or other shapes; NumPy would stretch them to fit. No
            list of arrays, no numbers in one, or nothing in any of them.
    """
    lefts, rights = _arrays("left", left), _arrays("right", right)
    if len(lefts) != len(rights):
        raise ValueError(
            f"left has {len(lefts)} arrays and right {len(rights)}: give the same number of both"
        )
    pairs = list(zip(lefts, rights, strict=True))
    for number, (a, b) in enumerate(pairs):
        if a.shape != b.shape:
            raise ValueError(f"array {number} has the shape {a.shape} left and {b.shape} right")
        if a.dtype.kind in "biu" and b.dtype.kind in "biu":
            pairs[number] = a.astype(object), b.astype(object)  # Python's integers do not overflow
    if not any(a.size for a in lefts):
        raise ValueError(
            f"left and right, {len(lefts)} arrays each, have no entry, so there is nothing to "
            "compare: give at least one array that has some"
        )
    return float(np.max([np.max(np.abs(a - b), initial=0) for a, b in pairs], initial=0))


def _arrays(side: str, given: Iterable[Any]) -> list[np.ndarray]:
    try:
        items = None if isinstance(given, Mapping | str) else list(given)
    except TypeError:
        items = None
    if items is None:
        raise ValueError(
            f"{side} is a {type(given).__name__}: give a list of arrays, such as [a, b]; of a "
            "mapping its values, in the same order on both sides"
        )
    arrays = [np.asarray(item) for item in items]
    for number, array in enumerate(arrays):
        if array.dtype.kind in "OSUMm":
            raise ValueError(
                f"array {number} of {side} has the dtype {array.dtype}, such as in "
                f"{items[number]!r:.60}: give numbers"
            )
    return arrays


def rounding_tolerance(operations: float, magnitude: float) -> float:
    """Return by how much two correct computations in float64 can differ.

    Each operation is off by at most the unit roundoff, so each of the two is off by at most
    `operations` times that, to first order (Higham, Accuracy and Stability of Numerical
    Algorithms, 2002, section 3.1).

    Args:
        operations: additions and multiplications on the way to one entry of the result.
        magnitude: the largest sum of absolute values that is added up for an entry.

    Raises:
        ValueError: one of them is negative or not finite.
    """
    operations = arguments.number("operations", operations)
    magnitude = arguments.number("magnitude", magnitude)
    return 2 * operations * UNIT_ROUNDOFF * magnitude


def assert_same(what: str, value: float, tolerance: float) -> None:
    """Print a difference and what it may be.

    Args:
        what: what was compared, for the line that is printed.
        value: the difference, as `difference` returns it.
        tolerance: the largest that it may be.

    Raises:
        AssertionError: it is larger, or NaN.
        ValueError: one of them is negative or no number at all, or the tolerance is not finite.
    """
    value = arguments.plain(value)
    way = "rounding_tolerance(operations, magnitude)"
    tolerance = arguments.number("tolerance", tolerance, such_as=way)
    if not isinstance(value, Real) or value < 0:
        raise ValueError(
            f"value={value!r:.60}: give one difference, 0 or more, such as "
            "value=difference(left, right)"
        )
    print(f"{what:36} {value:.1e}, may be {tolerance:.1e}")
    wrong = "not a number" if isnan(value) else f"more than {tolerance:.3g}"
    assert value <= tolerance, f"{what} {value:.3g} is {wrong}"
