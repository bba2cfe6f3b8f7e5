"""Executes notebooks with nbval, only those that need it, and keeps their outputs.

Usage: python -m tools.notebooks [NAME] [--report FILE]
(NAME: that notebook, whether it needs it or not; FILE: for pytest's JUnit report)

The chapters of the book go by their slug, solved assignments by exercises/SLUG. The outputs of a
notebook lie in .cache/executed/NAME/KEY.json. KEY says what they came from: the
notebook's code, the files beside it, lockstep/, what is pinned, the Python version and the
installed versions. `tools/nbval_store.py` writes them, `tools/sphinx_book.py` reads them.
"""

import argparse
import functools
import hashlib
import importlib.metadata
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from lockstep import ahead
from tools import forked_kernel, setup_cell
from tools.environment import PINS

ROOT = Path(__file__).resolve().parent.parent
CACHE = ROOT / ".cache"
HTML = ROOT / "_build" / "html"
PARALLEL = 2
CELL_LIMIT_S = 240  # a chapter takes less than 60 s in all; the rest is for slow machines


class Run(NamedTuple):
    """What is known about the execution of one notebook."""

    notebook: Path
    seconds: float
    executed_now: bool


def below(folder: str) -> list[Path]:
    """Return every notebook below a folder of the course."""
    return sorted(
        path for path in (ROOT / folder).rglob("*.ipynb") if ".ipynb_checkpoints" not in path.parts
    )


def notebooks() -> list[Path]:
    """Return every notebook of the book."""
    return below("book")


def solved() -> list[Path]:
    """Return every assignment with its solutions."""
    return below("exercises/source")


def pages_in_toc() -> list[str]:
    """Return every page that _toc.yml names, without suffix."""

    def walk(entry: Any) -> Iterator[str]:
        if isinstance(entry, list):
            for item in entry:
                yield from walk(item)
        elif isinstance(entry, dict):
            for key, value in entry.items():
                if key in {"root", "file"}:
                    yield re.sub(r"\.(ipynb|md)$", "", value)
                else:
                    yield from walk(value)

    return list(walk(yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8"))))


def name(notebook: Path) -> str:
    """Return what a notebook is called: a chapter by its slug, an assignment by exercises/SLUG."""
    return notebook.stem if notebook in notebooks() else f"exercises/{notebook.stem}"


def sources(notebook: Path) -> list[str]:
    """Return the source of each code cell of a notebook."""
    cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    return ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]


def begins_with(notebook: Path) -> tuple[list[str], list[str]]:
    """Return the frameworks that a notebook begins with, and those of the scripts that it launches.

    Among the latter is "", of a script that imports none.
    """
    cell = "".join(sources(notebook)[:1])
    try:
        names = setup_cell.frameworks(cell)
    except ValueError:  # it has no set-up cell
        return [], []
    return names, [*([""] if setup_cell.launches(cell) else []), *setup_cell.launches(cell)]


def spins(notebook: Path) -> bool:
    """Say whether a notebook keeps all cores busy: mirrored replicas wait for each other so."""
    code = [source for source in sources(notebook) if not source.startswith("%%writefile")]
    return any(re.search(r"distribute\.(Mirrored|CentralStorage)Strategy\(", text) for text in code)


def expected_seconds(notebook: Path) -> float:
    """Return what the last execution took; of a notebook never executed, its code cells."""
    runs = sorted((CACHE / "executed" / name(notebook)).glob("*.json"), key=os.path.getmtime)
    return json.loads(runs[-1].read_text())["seconds"] if runs else len(sources(notebook))


def script(notebook: Path, name: str) -> str:
    """Return a script as the notebook's cells `%%writefile [-a] NAME` write it."""
    cells = [source.partition("\n") for source in sources(notebook)]
    heads = (f"%%writefile {name}", f"%%writefile -a {name}")
    if not (parts := [f"{text}\n" for head, _, text in cells if head in heads]):
        raise LookupError(f"no cell of {notebook.name} writes {name}")
    return "".join(parts)


def requirement_names() -> list[str]:
    """Return the names that the requirements pin."""
    pins = "".join((ROOT / name).read_text() for name in PINS)
    return re.findall(r"(?m)^([A-Za-z0-9._-]+)==", pins)


def installed(name: str) -> str:
    """Return the installed version of a distribution, or "none"."""
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return "none"


def digest_of_files(paths: list[Path]) -> list[str]:
    """Return names and digests of files, in a fixed order."""
    return [
        f"{path.relative_to(ROOT)} {hashlib.sha256(path.read_bytes()).hexdigest()}"
        for path in sorted(paths)
        if path.is_file() and "__pycache__" not in path.parts
    ]


@functools.cache
def pinned() -> tuple[str, ...]:
    """Return the versions of Python and of everything that is pinned."""
    versions = (f"{name} {installed(name)}" for name in requirement_names())
    return (platform.python_version(), *versions, *digest_of_files([ROOT / pin for pin in PINS]))


@functools.cache
def surroundings() -> tuple[str, ...]:
    """Return what the outputs of every chapter depend on."""
    return pinned() + tuple(digest_of_files(list((ROOT / "lockstep").rglob("*"))))


def stored_at(notebook: Path, cells: list[str]) -> Path:
    """Return where the outputs of a notebook with these code cells are stored, or will be."""
    beside = [p for p in notebook.parent.iterdir() if p.suffix not in {".ipynb", ".md"}]
    # A solved assignment is graded in every run of the tests, whatever has changed.
    around = surroundings() if notebook in notebooks() else pinned()
    parts = json.dumps([around, digest_of_files(beside), cells])
    key = hashlib.sha256(parts.encode()).hexdigest()[:20]
    return CACHE / "executed" / name(notebook) / f"{key}.json"


def stored(notebook: Path) -> dict[str, Any] | None:
    """Return what `store` wrote about a notebook as it is now; None if it was not executed."""
    path = stored_at(notebook, sources(notebook))
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else None


def store(path: Path, seconds: float, outputs: list[list[Any]]) -> None:
    """Store an execution, in one step, so that an interrupt leaves nothing half written."""
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_suffix(".unfinished")
    run = {
        "seconds": seconds,
        "cores": os.cpu_count(),
        "date": time.strftime("%Y-%m-%d", time.gmtime()),
        "outputs": outputs,
    }
    unfinished.write_text(json.dumps(run), encoding="utf-8")
    unfinished.replace(path)


def find(wanted: str) -> Path:
    """Return the notebook of this name."""
    known = {name(path): path for path in notebooks() + solved()}
    if wanted not in known:
        names = ", ".join(known) or "none"
        sys.exit(f"There is no notebook named {wanted!r}. NAME can be one of: {names}")
    return known[wanted]


def nbval(stale: list[Path], report: Path | None) -> int:
    """Execute notebooks with nbval, the longest first, and return pytest's exit code."""
    stale = sorted(stale, key=expected_seconds, reverse=True)
    command = [sys.executable, "-m", "pytest", "--nbval-lax"]
    command += [] if ahead.possible() else ["--nbval-current-env"]
    command += [f"--nbval-cell-timeout={CELL_LIMIT_S}", "-p", "tools.nbval_store"]
    command += ["-p", "no:cacheprovider", "-q", "--no-header", "-rN"]
    if len(stale) > 1:
        command += ["-n", str(PARALLEL), "--dist", "loadscope", "--no-loadscope-reorder"]
    if report is not None:
        command += [f"--junitxml={report}"]
    # Removed here, because an interrupt ends pytest's workers before they could do it.
    with (
        tempfile.TemporaryDirectory(prefix="lockstep-", ignore_cleanup_errors=True) as scratch,
        forked_kernel.shared(*zip(*map(begins_with, stale), strict=True)) as forked,
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
    if len({name(path) for path in chosen}) < len(chosen):
        sys.exit("Two notebooks in book/ have the same file name; each needs a slug of its own.")
    for path in chosen if again else []:
        stored_at(path, sources(path)).unlink(missing_ok=True)
    stale = [path for path in chosen if stored(path) is None]
    if set(stale) & set(notebooks()):
        shutil.rmtree(HTML, ignore_errors=True)  # it does not show what is there now
    if stale:
        names = ", ".join(map(name, stale))
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


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m tools.notebooks")
    parser.add_argument("name", nargs="?", default="")
    parser.add_argument("--report", type=Path)
    arguments = parser.parse_args()
    started = time.monotonic()
    try:
        chosen = [find(arguments.name)] if arguments.name else notebooks() + solved()
        done = execute(chosen, again=bool(arguments.name), report=arguments.report)
    except KeyboardInterrupt:
        sys.exit("Stopped. Notebooks that were done are not executed again.")
    print(f"Notebooks executed, {time.monotonic() - started:.1f} s in all:\n{table(done)}")
