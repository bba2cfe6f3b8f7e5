"""Arguments of public functions: NumPy's numbers are accepted, and what cannot be right is refused.

A message names the argument and its value, says the rule, and gives an argument that fits it.
"""

from collections.abc import Iterable
from math import inf
from numbers import Real
from typing import Any


def plain(value: Any) -> Any:
    """Return a value of NumPy or torch as Python's numbers and lists, any other unchanged."""
    return value.tolist() if hasattr(value, "tolist") else value


def count(name: str, value: Any, least: int = 1) -> int:
    """Return a whole number as an int.

    Raises:
        ValueError: it is no whole number, or below `least`.
    """
    given = plain(value)
    if not isinstance(given, int) or given < least:
        raise ValueError(
            f"{name}={value!r}: give a whole number, {least} or more, such as {name}={least + 1}"
        )
    return given


def number(
    name: str, value: Any, least: float = 0, most: float = inf, such_as: object = 1
) -> float:
    """Return a finite number as Python's.

    Args:
        name: the argument's.
        value: what was given.
        least: the least that it may be.
        most: the most that it may be.
        such_as: what would do, for the message.

    Raises:
        ValueError: it is no number, not finite, below `least` or above `most`.
    """
    given = plain(value)
    is_number = isinstance(given, Real)
    if not is_number or not least <= given <= most or given == inf:
        limits = f"{least:g} or more" if most == inf else f"from {least:g} to {most:g}"
        raise ValueError(
            f"{name}={value!r}: give a finite number, {limits}, such as {name}={such_as}"
        )
    return given


def above_zero(name: str, value: Any) -> float:
    """Return a number above 0, which may be infinite, as Python's.

    Raises:
        ValueError: it is no number, or not above 0.
    """
    given = plain(value)
    is_number = isinstance(given, Real)
    if not is_number or not given > 0:
        raise ValueError(f"{name}={value!r}: give a number above 0, such as {name}=1e9")
    return given


def one_of(name: str, value: Any, known: Iterable[Any]) -> None:
    """Check that a value is one of those that are known.

    Raises:
        ValueError: it is not.
    """
    known = list(known)
    if plain(value) not in known:
        raise ValueError(f"{name}={value!r}: give one of {', '.join(map(repr, known))}")
