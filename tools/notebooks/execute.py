"""Executes notebooks with nbval, only those that need it, and keeps their outputs.

Usage: python -m tools.notebooks.execute NAME [--report FILE]
       python -m tools.notebooks.execute --all [--report FILE]
(NAME: that notebook, whether it needs it or not; FILE: for pytest's JUnit report)

The chapters of the book go by their slug, solved assignments by exercises/SLUG. The outputs of a
notebook lie in .cache/executed/NAME/KEY.json, where KEY says what they came from (`keys`).
`nbval_store` writes them, `tools.site.outputs` reads them.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, NamedTuple

from lockstep import ahead
from tools import CACHE, HTML, PARALLEL, ROOT
from tools.notebooks import assets, files, servers
from tools.notebooks.keys import stored_at

CELL_LIMIT_S = 240  # a chapter takes less than 60 s in all; the rest is for slow machines


class Run(NamedTuple):
    """What is known about the execution of one notebook."""

    notebook: Path
    seconds: float
    executed_now: bool


def expected_seconds(notebook: Path) -> float:
    """Return the seconds of the last execution; of a notebook never executed, its code cells."""
    runs = sorted((CACHE / "executed" / files.name(notebook)).glob("*.json"), key=os.path.getmtime)
    return json.loads(runs[-1].read_text())["seconds"] if runs else len(files.sources(notebook))


def stored(notebook: Path) -> dict[str, Any] | None:
    """Return the record of `store` for a notebook as it is now; None if it was not executed."""
    path = stored_at(notebook, files.sources(notebook))
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else None


def store(path: Path, seconds: float, outputs: list[list[Any]]) -> None:
    """Store an execution, in one step, so that an interrupt leaves nothing half written."""
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_suffix(".unfinished")
    run = {
        "seconds": seconds,
        "cores": os.cpu_count(),
        "date": time.strftime("%Y-%m-%d", time.gmtime()),
        "outputs": assets.taken_out(outputs),
    }
    unfinished.write_text(json.dumps(run), encoding="utf-8")
    unfinished.replace(path)


def nbval(stale: list[Path], report: Path | None) -> int:
    """Execute notebooks with nbval, the longest first, and return pytest's exit code."""
    stale = sorted(stale, key=expected_seconds, reverse=True)
    command = [sys.executable, "-m", "pytest", "--nbval-lax"]
    command += [] if ahead.possible() else ["--nbval-current-env"]
    command += [f"--nbval-cell-timeout={CELL_LIMIT_S}", "-p", "tools.notebooks.nbval_store"]
    command += ["-p", "no:cacheprovider", "-q", "--no-header", "-rN"]
    if len(stale) > 1:
        command += ["-n", str(PARALLEL), "--dist", "loadscope", "--no-loadscope-reorder"]
    if report is not None:
        command += [f"--junitxml={report}"]
    # Removed here, because an interrupt ends pytest's workers before they could do it.
    with (
        tempfile.TemporaryDirectory(prefix="lockstep-", ignore_cleanup_errors=True) as scratch,
        servers.shared(*zip(*map(files.begins_with, stale), strict=True)) as forked,
    ):
        environment = {**os.environ, **forked, "LOCKSTEP_SCRATCH": scratch}
        return subprocess.run([*command, *map(str, stale)], cwd=ROOT, env=environment).returncode


def execute(chosen: list[Path], again: bool = False, report: Path | None = None) -> list[Run]:
    """Execute those of the chosen notebooks that need it; exit if one fails.

    Args:
        chosen: notebooks of different names.
        again: execute them whether they need it or not.
        report: where pytest writes a JUnit report, if anything was executed.
    """
    if len({files.name(path) for path in chosen}) < len(chosen):
        sys.exit("Two notebooks in book/ have the same file name; each needs a slug of its own.")
    for path in chosen if again else []:
        stored_at(path, files.sources(path)).unlink(missing_ok=True)
    stale = [path for path in chosen if stored(path) is None]
    if set(stale) & set(files.chapters()):
        shutil.rmtree(HTML, ignore_errors=True)  # it does not show what is there now
    if stale:
        names = ", ".join(map(files.name, stale))
        print(f"Executing {len(stale)} of {len(chosen)} notebooks: {names}", flush=True)
        if code := nbval(stale, report):
            sys.exit(f"A notebook failed (above). pytest exit code {code}.")
    runs = []
    for path in chosen:
        execution = stored(path)
        if execution is None:
            sys.exit(f"{path.relative_to(ROOT)} changed while it was executed. Start again.")
        runs.append(Run(path, execution["seconds"], path in stale))
    return runs


def table(runs: list[Run]) -> str:
    """Say how long each notebook took."""
    return "\n".join(
        f"  {run.seconds:6.1f} s  {run.notebook.relative_to(ROOT)}"
        + ("" if run.executed_now else "  (executed earlier, nothing changed)")
        for run in runs
    )


def main(arguments: list[str]) -> None:
    """Execute what the command line names."""
    parser = argparse.ArgumentParser(prog="python -m tools.notebooks.execute")
    parser.add_argument("name", nargs="?", default="")
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--report", type=Path)
    given = parser.parse_args(arguments)
    everything = files.chapters() + files.solved()
    if not given.name and not given.all:
        names = ", ".join(map(files.name, everything))
        sys.exit(f"Which notebook? Name it, make notebook NAME=slug, with one of: {names}")
    started = time.monotonic()
    chosen = everything if given.all else [files.find(given.name)]
    done = execute(chosen, again=not given.all, report=given.report)
    print(f"Notebooks executed, {time.monotonic() - started:.1f} s in all:\n{table(done)}")


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except KeyboardInterrupt:
        sys.exit("Stopped. Notebooks that were done are not executed again.")
