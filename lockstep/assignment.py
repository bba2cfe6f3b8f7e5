"""What every assignment does before its first task."""

import linecache
import signal
import sys
from collections.abc import Iterator
from types import FrameType
from typing import Any

from IPython.core.getipython import get_ipython

LIMIT_S = 90.0  # for a cell with an assertion; nbgrader ends the whole notebook after 120
AGAIN_S = 0.5


def prepare() -> None:
    """Send stderr to stdout, and end tests that do not end.

    nbgrader gives no points to a test that writes to stderr, be it a warning. And where a cell
    takes too long, it grades nothing at all: here such a test gets an AssertionError that names the
    lines at which it was. A loop may catch that one: so it comes again, every half second, until
    one hits a line outside of `try`.
    """
    sys.stderr = sys.stdout
    if shell := get_ipython():
        shell.events.register("pre_run_cell", _begin)
        shell.events.register("post_run_cell", _end)


def _begin(info: Any) -> None:
    if "assert " in info.raw_cell:
        signal.signal(signal.SIGALRM, _late)
        signal.setitimer(signal.ITIMER_REAL, LIMIT_S, AGAIN_S)


def _end(result: Any) -> None:
    signal.setitimer(signal.ITIMER_REAL, 0)


def _late(number: int, frame: FrameType | None) -> None:
    where = list(_in_the_notebook(frame))[::-1]
    if where:  # else the cell has ended a moment ago
        raise AssertionError(
            "\n".join([f"Not done after {LIMIT_S:g} s. It was here:", *where[-4:]])
        )


def _in_the_notebook(frame: FrameType | None) -> Iterator[str]:
    """Yield the lines of cells that are being executed, the innermost first."""
    shell = get_ipython()
    while frame is not None:
        if shell is not None and frame.f_globals is shell.user_ns:
            code = frame.f_code
            text = linecache.getline(code.co_filename, frame.f_lineno).strip()
            name = "the cell" if code.co_name == "<module>" else code.co_name
            yield f"{name}, line {frame.f_lineno}: {text:.60}"
        frame = frame.f_back
