"""What is the same up to rounding, and what is not."""

import math

import numpy as np
import pytest

from lockstep.same import UNIT_ROUNDOFF, assert_same, difference, rounding_tolerance


def test_the_largest_difference_of_all_arrays() -> None:
    assert difference([np.zeros(2), [[1.0, 2.0]]], [np.ones(2), [[1.0, 4.5]]]) == 2.5
    assert difference([np.zeros((0, 3))], [np.zeros((0, 3))]) == 0


def test_what_numpy_would_stretch_is_refused() -> None:
    with pytest.raises(ValueError, match=r"array 1 has the shape \(3,\) left and \(3, 1\) right"):
        difference([1.0, np.zeros(3)], [1.0, np.zeros((3, 1))])
    with pytest.raises(ValueError, match="shorter"):
        difference([1.0, 2.0], [1.0])


def test_not_a_number_is_not_the_same() -> None:
    value = difference([[1.0, math.nan]], [[1.0, 1.0]])
    with pytest.raises(AssertionError, match="weights nan"):
        assert_same("weights", value, 1.0)


def test_the_tolerance_covers_rounding_and_not_a_mistake() -> None:
    terms = np.random.default_rng(0).normal(size=1000)
    forwards, backwards = sum(terms), sum(terms[::-1])
    tolerance = rounding_tolerance(len(terms), np.abs(terms).sum())
    assert 0 < abs(forwards - backwards) <= tolerance < 1e-9
    assert_same("sums:", difference([forwards], [backwards]), tolerance)
    with pytest.raises(AssertionError, match=r"sums: 1e-06 is more than"):
        assert_same("sums:", 1e-6, tolerance)
    assert rounding_tolerance(10, 3) == 60 * UNIT_ROUNDOFF
