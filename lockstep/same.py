"""The first promise, asserted: what is parallel gives the answer of one device, up to rounding."""

from collections.abc import Iterable
from typing import Any

import numpy as np

UNIT_ROUNDOFF = float(np.finfo(np.float64).eps / 2)


def difference(left: Iterable[Any], right: Iterable[Any]) -> float:
    """Return the largest absolute difference between two lists of arrays.

    Args:
        left: arrays, or what NumPy makes arrays of, such as TensorFlow's variables.
        right: as many arrays of the same shapes.

    Raises:
        ValueError: another number of arrays, or other shapes; NumPy would stretch them to fit.
    """
    pairs = [(np.asarray(a), np.asarray(b)) for a, b in zip(left, right, strict=True)]
    for number, (a, b) in enumerate(pairs):
        if a.shape != b.shape:
            raise ValueError(f"array {number} has the shape {a.shape} left and {b.shape} right")
    return float(np.max([np.max(np.abs(a - b), initial=0) for a, b in pairs], initial=0))


def rounding_tolerance(operations: float, magnitude: float) -> float:
    """Return by how much two correct computations in float64 can differ.

    Each operation is off by at most the unit roundoff, so each of the two is off by at most
    `operations` times that, to first order (Higham, Accuracy and Stability of Numerical
    Algorithms, 2002, section 3.1).

    Args:
        operations: additions and multiplications on the way to one entry of the result.
        magnitude: the largest sum of absolute values that is added up for an entry.
    """
    return 2 * operations * UNIT_ROUNDOFF * magnitude


def assert_same(what: str, value: float, tolerance: float) -> None:
    """Print a difference and what it may be.

    Raises:
        AssertionError: it is larger, or it is not a number.
    """
    print(f"{what:36} {value:.1e}, may be {tolerance:.1e}")
    assert value <= tolerance, f"{what} {value:.3g} is more than {tolerance:.3g}"
