"""Runs the tests in phases, the fast ones first, and says at the end what happened and where.

Usage: python -m tools.testing [PHASE...]   (none: all of them)

A phase of pytest runs the tests with its mark, the phase `unit` those without one. Every phase runs
even if another failed, unless it needs what that one makes.
"""

import os
import subprocess
import sys
import time
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import NamedTuple

from tools import PARALLEL, ROOT
from tools.notebooks import execute, files

REPORTS = ROOT / "_build" / "reports"
PYTEST = ["pytest", "-p", "no:cacheprovider", "-q", "--no-header"]
TWO = ["-n", str(PARALLEL)]
# Tests of these phases have a mark of the same name; pyproject.toml says what each is for.
MARKED = ("launch", "proofs", "exercises", "browser", "machinery", "colab")


class Phase(NamedTuple):
    """Something to run. A phase of pytest writes a JUnit report, whose tests are counted."""

    name: str
    what: str
    command: list[str]  # after `python -m`
    needs: str = ""


def marked(phase: str, *options: str) -> list[str]:
    """Return the command that runs the tests of a phase."""
    expression = f"not ({' or '.join(MARKED)})" if phase == "unit" else phase
    return [*PYTEST, *options, "-m", expression]


PHASES = [
    Phase("lint", "ruff check", ["ruff", "check", "."]),
    Phase("lint", "ruff format", ["ruff", "format", "--check", "."]),
    Phase("lint", "scripts in notebooks", ["tools.notebooks.scripts", "check"]),
    Phase("lint", "mypy", ["mypy"]),
    Phase("unit", "the package, the tools", marked("unit", *TWO, "--dist", "loadfile")),
    Phase("launch", "processes and their ends", marked("launch")),
    Phase("notebooks", "what changed", ["tools.notebooks.execute", "--all", "--report"]),
    Phase("proofs", "what they measured", marked("proofs"), needs="notebooks"),
    Phase("mutants", "of chapters that changed", ["tools.notebooks.mutants"], needs="notebooks"),
    Phase("exercises", "answers", marked("exercises", *TWO, "--dist", "worksteal")),
    Phase("book", "the HTML pages", ["tools.site.build"], needs="notebooks"),
    Phase("browser", "the pages in Chromium", marked("browser", *TWO), needs="book"),
    Phase("machinery", "small books, broken on purpose", marked("machinery", *TWO)),
    Phase("colab", "Colab's versions, and triton beside TensorFlow", marked("colab")),
]


class Outcome(NamedTuple):
    """What became of a phase."""

    phase: Phase
    seconds: float
    passed: int
    failed: int
    skipped: list[str]  # with the reason


def properties(report: Path) -> list[str]:
    """Return the properties that tests recorded in a JUnit report."""
    recorded = ElementTree.parse(report).getroot().iter("property") if report.exists() else ()
    return [f"{one.get('name')}: {one.get('value')}" for one in recorded]


def count(report: Path) -> tuple[int, int, list[str]]:
    """Return passed, failed and skipped tests of a JUnit report."""
    cases = list(ElementTree.parse(report).getroot().iter("testcase"))
    failed = sum(bool(case.findall("failure") or case.findall("error")) for case in cases)
    skips = [(case, found) for case in cases for found in case.findall("skipped")]
    skipped = [f"{case.get('name')}: {found.get('message')}" for case, found in skips]
    return len(cases) - failed - len(skipped), failed, skipped


def run(phase: Phase) -> Outcome:
    """Run a phase, its output shown as it comes."""
    print(f"\n=== {phase.name}: {phase.what}", flush=True)
    report = REPORTS / f"{phase.name}.xml"
    command = [sys.executable, "-m", *phase.command]
    if "pytest" in command:
        command.append(f"--junitxml={report}")
    elif phase.command[-1] == "--report":
        command.append(str(report))
    report.unlink(missing_ok=True)
    started = time.monotonic()
    code = subprocess.run(command, cwd=ROOT).returncode
    seconds = time.monotonic() - started
    passed, failed, skipped = count(report) if report.exists() else (int(code == 0), 0, [])
    return Outcome(phase, seconds, passed, max(failed, int(code != 0)), skipped)


def run_all(phases: list[Phase]) -> list[Outcome]:
    """Run phases in order, except those that need one that failed."""
    outcomes: list[Outcome] = []
    for phase in phases:
        broken = {outcome.phase.name for outcome in outcomes if outcome.failed}
        if phase.needs in broken:
            print(f"\n=== {phase.name}: not run, because the phase {phase.needs} failed")
            outcomes.append(Outcome(phase, 0, 0, 1, []))
        else:
            outcomes.append(run(phase))
    return outcomes


def executions() -> list[execute.Run]:
    """Return how long each notebook took when it was executed."""
    stored = [(path, execute.stored(path)) for path in files.chapters() + files.solved()]
    return [execute.Run(path, found["seconds"], True) for path, found in stored if found]


def summary(outcomes: list[Outcome]) -> str:
    """Return the report at the end: results, seconds, what was left out, and what was made."""
    lines = [path.read_text() for path in sorted(REPORTS.glob("*.txt"))]
    lines += ["", "=== summary"]
    for outcome in outcomes:
        counts = f"{outcome.passed:4} passed {outcome.failed:3} failed"
        lines.append(
            f"{outcome.seconds:7.1f} s {counts}  {outcome.phase.name}: {outcome.phase.what}"
        )
    lines.append(f"{sum(outcome.seconds for outcome in outcomes):7.1f} s in all")
    runs = executions()
    if runs:
        lines += ["Notebooks, when they were executed:", execute.table(runs)]
    for made in ("html/index.html", "screenshots", "reports"):
        if (ROOT / "_build" / made).exists():
            lines.append(f"Made: {ROOT / '_build' / made}")
    ran = dict.fromkeys(REPORTS / f"{outcome.phase.name}.xml" for outcome in outcomes)
    if recorded := [line for report in ran for line in properties(report)]:
        lines += ["Of what grows with the course:", *(f"  {line}" for line in recorded)]
    skipped = [reason for outcome in outcomes for reason in outcome.skipped]
    lines += [f"Skipped: {reason}" for reason in skipped]
    failed = [outcome.phase.name for outcome in outcomes if outcome.failed]
    lines += [f"FAILED: {name} (see above)" for name in dict.fromkeys(failed)]
    return "\n".join(lines)


def main(names: list[str]) -> int:
    """Run the named phases, or all; return the exit code."""
    known = list(dict.fromkeys(phase.name for phase in PHASES))
    if unknown := set(names) - set(known):
        sys.exit(f"There is no phase {', '.join(sorted(unknown))}. Phases: {', '.join(known)}")
    REPORTS.mkdir(parents=True, exist_ok=True)
    os.environ["PYTHONPATH"] = str(ROOT)  # `import tools` from wherever a test works
    outcomes = run_all([phase for phase in PHASES if not names or phase.name in names])
    print(summary(outcomes))
    passed = sum(outcome.passed for outcome in outcomes)
    failed = sum(outcome.failed for outcome in outcomes)
    skipped = sum(len(outcome.skipped) for outcome in outcomes)
    print(f"\n{passed} passed, {failed} failed" + (f", {skipped} skipped" if skipped else ""))
    return int(failed > 0)


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit("Stopped. Notebooks that were done are not executed again.")
