"""What the whole course would cost in CI, computed from what is there now.

fixed        system packages, environment, lint, unit tests, deadlines of launch, small books, what
             is done on one page in the browser, small assignments, and the Colab environments
per chapter  its cells under nbval, building its page, looking at its page in the browser
per assignment  its solved notebook under nbval, and the answers that are graded
sampled      assignments through stock nbgrader, notebooks on Colab's versions: tools/sample.py
"""

import statistics
from collections.abc import Mapping
from typing import NamedTuple

from tools import sample

CHAPTERS, ASSIGNMENTS, LIMIT_MIN = 20, 16, 60
# Unit tests grow with the package, of which about half is written.
UNIT_GROWTH = 2.0
FIXED = ("system", "environment", "lint", "unit", "launch", "machinery", "exercises", "colab")
PYTHONS = 2  # a notebook on Colab's versions is a test for each


class Measured(NamedTuple):
    """Seconds of a run of all tests. Those of tests are their parts of their phase's wall time."""

    phases: Mapping[str, float]
    notebooks: Mapping[str, float]  # as executed; an assignment's begins with "exercises/"
    wall: float  # of a phase in which two notebooks run at a time, for each second of one notebook
    pages: float  # the part of the phase `browser` that grows with the number of notebooks
    answers: list[float]  # of each assignment
    stock: list[float]  # of each assignment that went through it
    colab: list[float]  # of each notebook and Python; the first of a Python installs it


def project(run: Measured) -> dict[str, float]:
    """Return the seconds that each part of the whole course would take."""
    solved = {name: s for name, s in run.notebooks.items() if name.startswith("exercises/")}
    chapters = [s for name, s in run.notebooks.items() if name not in solved]
    page = (run.phases.get("book", 0) + run.pages) / len(chapters)
    cells = run.wall * sum(chapters) / len(chapters)
    solution = run.wall * sum(solved.values()) / max(1, len(solved))
    answers, stock = (sum(some) / max(1, len(some)) for some in (run.answers, run.stock))
    through_stock = ASSIGNMENTS if sample.everything() else sample.STOCK
    on_colab = CHAPTERS + ASSIGNMENTS if sample.everything() else sample.NEWEST + sample.OTHERS
    more = max(0, on_colab - len(run.colab) // PYTHONS)
    one = PYTHONS * statistics.median_low(run.colab or [0])
    fixed = {name: run.phases.get(name, 0) for name in FIXED}
    fixed["unit"] *= UNIT_GROWTH
    fixed["browser"] = run.phases.get("browser", 0) - run.pages
    fixed["exercises"] -= sum(run.answers) + sum(run.stock)
    return {
        "fixed": sum(fixed.values()),
        f"{CHAPTERS} chapters, {cells:.0f} s of cells and {page:.0f} s for its page each": CHAPTERS
        * (cells + page),
        f"{ASSIGNMENTS} assignments, {solution:.0f} s solved and {answers:.0f} s of answers "
        "each": ASSIGNMENTS * (solution + answers),
        f"{through_stock} through stock nbgrader, {stock:.0f} s each": through_stock * stock,
        f"{more} more notebooks on Colab's versions, {one:.0f} s each": more * one,
    }


def report(run: Measured) -> str:
    """Say what `project` computes, and from what."""
    parts = project(run)
    total = sum(parts.values()) / 60
    lines = ["Projection to the whole course (tools/projection.py). It takes for granted:"]
    lines += [
        "  two cores, nothing stored from an earlier run, other chapters like those there are;",
        f"  unit tests that take {UNIT_GROWTH:g} times as long;",
        f"  {run.wall:.2f} s of wall time for each second of a notebook, two at a time;",
    ]
    if sample.everything():
        lines.append("  nothing left out, as once a week.")
    else:
        lines.append(
            f"  of each assignment {sample.ANSWERS} answers, the reference and the untouched "
            f"release; {sample.NEWEST + sample.OTHERS} notebooks on Colab's versions."
        )
    lines += [f"{seconds / 60:7.1f} min  {part}" for part, seconds in parts.items()]
    lines.append(f"{total:7.1f} min  in all, of {LIMIT_MIN}")
    if total > LIMIT_MIN and not sample.everything():
        lines.append(f"The course would not fit: {total - LIMIT_MIN:.1f} min too much.")
    return "\n".join(lines)
