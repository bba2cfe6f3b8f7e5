"""What is the same up to rounding, and what is not."""

# Wrong arguments are given on purpose.
# mypy: disable-error-code="arg-type, list-item"

import math
from collections.abc import Callable

import numpy as np
import pytest

from lockstep.same import UNIT_ROUNDOFF, assert_same, difference, rounding_tolerance


def test_the_largest_difference_of_all_arrays() -> None:
    assert difference([np.zeros(2), [[1.0, 2.0]]], [np.ones(2), [[1.0, 4.5]]]) == 2.5
    assert difference([np.zeros((0, 3)), [1.0]], [np.zeros((0, 3)), [1.0]]) == 0


def test_small_integers_do_not_overflow() -> None:
    assert difference([np.uint8(1)], [np.uint8(2)]) == 1
    assert difference([np.int8(-128)], [np.int8(127)]) == 255
    assert difference([np.array([True, False])], [np.array([True, True])]) == 1
    assert difference([2**53], [2**53 + 1]) == 1


def test_what_numpy_would_stretch_is_refused() -> None:
    with pytest.raises(ValueError, match=r"array 1 has the shape \(3,\) left and \(3, 1\) right"):
        difference([1.0, np.zeros(3)], [1.0, np.zeros((3, 1))])
    with pytest.raises(ValueError, match="left has 2 arrays and right 1: give the same number"):
        difference([1.0, 2.0], [1.0])


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda: difference([], []), "0 arrays each, have no entry, .* give at least one array"),
        (
            lambda: difference([np.zeros((0, 3))], [np.zeros((0, 3))]),
            "1 arrays each, have no entry",
        ),
        (lambda: difference(1.0, 1.0), r"left is a float: give a list of arrays, such as \[a, b\]"),
        (lambda: difference([1.0], np.float64(1)), "right is a float64: give a list of arrays"),
        (lambda: difference({"w": 1.0}, {"w": 1.0}), "left is a dict: .* of a mapping its values"),
        (lambda: difference("abc", "abc"), "left is a str: give a list of arrays"),
        (lambda: difference([1.0], [None]), "array 0 of right .* object, .* None: give numbers"),
        (lambda: difference(["a"], ["a"]), "array 0 of left .*: give numbers"),
        (
            lambda: rounding_tolerance(math.nan, 1),
            "operations=nan: give a finite number, 0 or more",
        ),
        (lambda: rounding_tolerance(1, math.inf), "magnitude=inf: give a finite number, 0 or more"),
        (
            lambda: assert_same("w", -5.0, 1.0),
            r"value=-5.0: .* 0 or more, .*difference\(left, righ",
        ),
        (lambda: assert_same("w", [1.0], 1.0), r"value=\[1.0\]: give one difference"),
        (lambda: assert_same("w", np.ones(2), 1.0), r"value=\[1.0, 1.0\]: give one difference"),
        (lambda: assert_same("w", 0.0, math.inf), "tolerance=inf: .* such as .*rounding_tolerance"),
        (lambda: assert_same("w", 0.0, math.nan), "tolerance=nan: give a finite number, 0 or more"),
        (lambda: assert_same("w", 0.0, -1.0), "tolerance=-1.0: give a finite number, 0 or more"),
    ],
)
def test_bad_input_is_refused_with_the_rule_and_the_way_out(
    wrong: Callable[[], object], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        wrong()


def test_not_a_number_is_not_the_same() -> None:
    value = difference([[1.0, math.nan]], [[1.0, 1.0]])
    with pytest.raises(AssertionError, match="weights nan is not a number"):
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
