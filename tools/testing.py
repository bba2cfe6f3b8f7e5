"""Runs the tests in phases, the fast ones first, and says at the end what happened and where.

Usage: python -m tools.testing [PHASE...]   (none: all of them)

A phase that measures deadlines has the machine to itself. Every phase runs even if another failed,
unless it needs what that one makes.
"""

import json
import os
import subprocess
import sys
import time
import xml.etree.ElementTree as ElementTree
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from tools import notebooks, projection, sample
from tools.notebooks import ROOT

REPORTS = ROOT / "_build" / "reports"
ALONE = {
    "launch": ["tests/test_launch.py", "tests/test_resume.py"],
    "proofs": ["tests/test_proofs.py"],
    "browser": ["tests/test_book.py"],
    "machinery": ["tests/test_build.py"],
    "colab": ["tests/test_colab.py", "tests/test_import_order.py"],
}
GRADING = ["tests/test_answers.py", "tests/test_nbgrader.py"]
TWO = ["-n", str(notebooks.PARALLEL)]
PYTEST = ["pytest", "-p", "no:cacheprovider", "-q", "--no-header"]


class Phase(NamedTuple):
    """Something to run. A phase of pytest writes a JUnit report, whose tests are counted."""

    name: str
    what: str
    command: list[str]  # after `python -m`
    needs: str = ""


PHASES = [
    Phase("lint", "ruff check", ["ruff", "check", "."]),
    Phase("lint", "ruff format", ["ruff", "format", "--check", "."]),
    Phase("lint", "scripts in notebooks", ["tools.scripts", "check"]),
    Phase("lint", "mypy", ["mypy"]),
    Phase(
        "unit",
        "the package, the tools, the notebooks' structure",
        [*PYTEST, *TWO, "--dist", "loadfile", "tests"]
        + [f"--ignore={path}" for path in [*chain(*ALONE.values()), *GRADING]],
    ),
    Phase("launch", "processes and their deadlines", [*PYTEST, *ALONE["launch"]]),
    Phase("notebooks", "nbval, where something changed", ["tools.notebooks", "--report"]),
    Phase("proofs", "what they measured", [*PYTEST, *ALONE["proofs"]], needs="notebooks"),
    Phase(
        "exercises",
        "answers, stock nbgrader",
        [*PYTEST, *TWO, "--dist", "worksteal", *GRADING],
    ),
    Phase("book", "the HTML pages", ["tools.book"], needs="notebooks"),
    Phase("browser", "the pages in Chromium", [*PYTEST, *TWO, *ALONE["browser"]], needs="book"),
    Phase("machinery", "small books, broken on purpose", [*PYTEST, *TWO, *ALONE["machinery"]]),
    Phase("colab", "Colab's versions, and triton beside TensorFlow", [*PYTEST, *ALONE["colab"]]),
]


class Outcome(NamedTuple):
    """What became of a phase."""

    phase: Phase
    seconds: float
    passed: int
    failed: int
    skipped: list[str]  # with the reason


def properties(report: Path) -> list[str]:
    """Return what tests recorded in a JUnit report, such as what they left out."""
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
    """Run phases in order, less those that need one that failed."""
    outcomes: list[Outcome] = []
    for phase in phases:
        broken = {outcome.phase.name for outcome in outcomes if outcome.failed}
        if phase.needs in broken:
            print(f"\n=== {phase.name}: not run, because the phase {phase.needs} failed")
            outcomes.append(Outcome(phase, 0, 0, 1, []))
        else:
            outcomes.append(run(phase))
    return outcomes


def installed_seconds() -> dict[str, float]:
    """Return the seconds that .ci/run took for system packages, and make for the environment."""
    stamp = Path(sys.prefix) / "lockstep-installed.json"
    return {
        "system": float(os.environ.get("LOCKSTEP_SYSTEM_SECONDS", 0)),
        "environment": json.loads(stamp.read_text())["seconds"] if stamp.exists() else 0.0,
    }


def seconds_of(outcomes: list[Outcome]) -> dict[str, float]:
    """Return the seconds of each phase, and of what came before them."""
    seconds = installed_seconds()
    for outcome in outcomes:
        name = outcome.phase.name
        seconds[name] = round(seconds.get(name, 0) + outcome.seconds, 1)
    return seconds


def shares(phase: str, seconds: float, names: list[str]) -> list[float]:
    """Return how many of a phase's seconds went into each test whose name has one of `names`.

    Where tests run two at a time, a second of a test is less than one of the phase.
    """
    report = REPORTS / f"{phase}.xml"
    if not report.exists():
        return []
    cases = ElementTree.parse(report).getroot().iter("testcase")
    times = [(case.get("name", ""), float(case.get("time", 0))) for case in cases]
    scale = seconds / max(sum(time for _, time in times), seconds, 0.001)
    return [scale * time for case, time in times if any(name in case for name in names)]


def wall(seconds: float, runs: list[notebooks.Run]) -> float:
    """Return the seconds of the phase `notebooks` for each second of a notebook executed in it.

    Two run at a time, each with processes of its own. 1 where none was executed now.
    """
    report = REPORTS / "notebooks.xml"
    told = report.read_text() if report.exists() else ""
    in_report = [".".join(run.notebook.relative_to(ROOT).parts) in told for run in runs]
    now = sum(run.seconds for run, there in zip(runs, in_report, strict=True) if there)
    return seconds / now if now else 1.0


def measured(seconds: dict[str, float], runs: list[notebooks.Run]) -> projection.Measured:
    """Return what the projection is computed from."""
    pages = [path.relative_to(ROOT).with_suffix("").as_posix() for path in notebooks.notebooks()]
    grading = seconds.get("exercises", 0)
    return projection.Measured(
        phases=seconds,
        notebooks={notebooks.name(run.notebook): run.seconds for run in runs},
        wall=wall(seconds.get("notebooks", 0), runs),
        pages=sum(shares("browser", seconds.get("browser", 0), pages)),
        answers=shares("exercises", grading, ["test_answers_score_what_their_table_says"]),
        stock=shares("exercises", grading, ["test_two_students_go_through_stock_nbgrader"]),
        colab=shares("colab", seconds.get("colab", 0), ["test_notebook_on_colab"]),
    )


def executions() -> list[notebooks.Run]:
    """Return how long each notebook took when it was executed."""
    exist = notebooks.notebooks() + notebooks.solved()
    stored = [(path, notebooks.stored(path)) for path in exist]
    return [notebooks.Run(path, found["seconds"], True) for path, found in stored if found]


def summary(outcomes: list[Outcome]) -> str:
    """Say what was tested, how long it took, what was left out, and what was made where."""
    lines = [path.read_text() for path in sorted(REPORTS.glob("weight-*.txt"))]
    lines += ["", "=== summary"]
    for outcome in outcomes:
        counts = f"{outcome.passed:4} passed {outcome.failed:3} failed"
        lines.append(
            f"{outcome.seconds:7.1f} s {counts}  {outcome.phase.name}: {outcome.phase.what}"
        )
    lines.append(f"{sum(outcome.seconds for outcome in outcomes):7.1f} s in all")
    before = [f"{name} {seconds:.0f} s" for name, seconds in installed_seconds().items()]
    lines.append(f"Before that, when it was installed: {', '.join(before)}")
    runs = executions()
    if runs:
        lines += ["Notebooks, when they were executed:", notebooks.table(runs)]
    for made in ("html/index.html", "screenshots", "reports"):
        if (ROOT / "_build" / made).exists():
            lines.append(f"Made: {ROOT / '_build' / made}")
    ran = dict.fromkeys(REPORTS / f"{outcome.phase.name}.xml" for outcome in outcomes)
    if recorded := [line for report in ran for line in properties(report)]:
        chosen = "everything" if sample.everything() else f"chosen by commit {sample.commit()[:10]}"
        lines += [f"Samples, {chosen}:", *(f"  {line}" for line in recorded)]
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
    run = measured(seconds_of(outcomes), executions())
    (REPORTS / "seconds.json").write_text(json.dumps(run._asdict(), indent=1))
    if os.environ.get("CI") and run.notebooks and not names:
        print(f"\n{projection.report(run)}")
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
