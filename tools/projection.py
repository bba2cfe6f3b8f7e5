"""What the whole course would cost in CI, computed from what is there now.

fixed        system packages, environment, lint, unit tests, deadlines of launch, small books, what
             is done on one page in the browser, and the Colab environments with one notebook
per chapter  its cells under nbval, building its page, looking at its page in the browser
per change   its cells on Colab's versions; a submission is taken to change two notebooks
per assignment  its solved notebook under nbval, its answers, its way through stock nbgrader
"""

CHAPTERS, ASSIGNMENTS, CHANGED, LIMIT_MIN = 20, 16, 2, 60
# Unit tests grow with the package, of which about half is written.
UNIT_GROWTH = 2.0
FIXED = ("system", "environment", "lint", "unit", "launch", "machinery", "colab")


def project(
    phases: dict[str, float], notebooks: dict[str, float], pages_s: float
) -> dict[str, float]:
    """Return the seconds that each part of the whole course would take.

    Two notebooks run at a time, but each keeps both cores busy with processes of its own, so no
    gain is counted. Two cores, nothing stored from an earlier run.

    Args:
        phases: seconds by phase of `make test`.
        notebooks: seconds by notebook, as executed; those of assignments begin with "exercises/".
        pages_s: the part of the phase `browser` that grows with the number of notebooks.
    """
    solved = {name: s for name, s in notebooks.items() if name.startswith("exercises/")}
    chapters = {name: s for name, s in notebooks.items() if name not in solved}
    cells = sum(chapters.values()) / len(chapters)
    page = (phases.get("book", 0) + pages_s) / len(chapters)
    grading = (sum(solved.values()) + phases.get("exercises", 0)) / max(1, len(solved))
    fixed = {name: phases.get(name, 0) for name in FIXED}
    fixed["unit"] *= UNIT_GROWTH
    fixed["browser"] = phases.get("browser", 0) - pages_s
    return {
        "fixed": sum(fixed.values()),
        f"{CHAPTERS} chapters, {cells:.0f} s of cells and {page:.0f} s for its page each": CHAPTERS
        * (cells + page),
        f"{CHANGED - 1} more changed notebook on Colab's versions": (CHANGED - 1) * cells,
        f"{ASSIGNMENTS} assignments, {grading:.0f} s each": ASSIGNMENTS * grading,
    }


def report(phases: dict[str, float], notebooks: dict[str, float], pages_s: float) -> str:
    """Say what `project` computes."""
    parts = project(phases, notebooks, pages_s)
    total = sum(parts.values()) / 60
    lines = ["Projection to the whole course on two cores, nothing stored (tools/projection.py):"]
    lines += [f"{seconds / 60:7.1f} min  {part}" for part, seconds in parts.items()]
    lines.append(f"{total:7.1f} min  in all, of {LIMIT_MIN}")
    if total > LIMIT_MIN:
        lines.append(f"The course would not fit: {total - LIMIT_MIN:.1f} min too much.")
    return "\n".join(lines)
