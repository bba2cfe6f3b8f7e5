"""Tries mutants of a chapter: plausible mistakes in its code, each with the cell that must notice.

Usage: python -m tools.notebooks.mutants [CHAPTER [ID...]]
(no CHAPTER: all mutants that have changed since, with LOCKSTEP_ALL=1 all; with CI=true those of
them that fit into CI_S)

A mutant is an entry of tests/mutants/CHAPTER.yaml, which `tools.edits` describes. Beside its edit
it has an id, `why` people make this mistake, the cell that `fails`, and what it is `aimed` at: a
"check", or the "prose". The chapter is executed up to that cell, which must raise an
AssertionError, and no cell before it. tests/mutants/tried.yaml notes of each mutant that was
noticed what was executed, as a key, and how long it took.
"""

import copy
import hashlib
import json
import os
import re
import shutil
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from typing import Any, NamedTuple
from unittest import mock

import nbformat
import yaml
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError
from nbformat import NotebookNode

from lockstep.grading.kernels import MARK
from lockstep.grading.score import ANSI
from tools import CACHE, PARALLEL, ROOT, edits
from tools.notebooks import files, servers

MUTANTS = ROOT / "tests" / "mutants"
TRIED = "tried.yaml"
WHAT_IT_IS = "# `make mutants` writes this: a key of what each mutant executed, and its seconds.\n"
NAMED = {"id", "why", "fails", "aimed"}
AIMS = ("check", "prose")
IMPORT = re.compile(r"(import|from) \w|$")  # and blank lines
CELL_LIMIT_S = 120
CI_S = 720  # for all mutants that changed
MUTANT_S = 40  # for one that was never tried


class Mutant(NamedTuple):
    """Other text for some of the code cells."""

    id: str
    fails: str  # the cell that must raise an AssertionError
    aimed: str
    cells: dict[str, str]
    chapter: str


class Trial(NamedTuple):
    """What a mutant did."""

    mutant: Mutant
    problem: str  # empty if the right cell noticed
    said: str  # the last line of what the cell that raised said
    seconds: float


def chapters() -> list[str]:
    """Return the chapters that have mutants."""
    return sorted(path.stem for path in MUTANTS.glob("*.yaml") if path.name != TRIED)


def code_cells(notebook: Path) -> dict[str, str]:
    """Return the text of each code cell of a chapter but the set-up cell, by its id."""
    cells = [cell for cell in files.cells(notebook) if cell["cell_type"] == "code"]
    return {cell["id"]: "".join(cell["source"]) for cell in cells[1:]}


def mutants(chapter: str) -> list[Mutant]:
    """Return the mutants of a chapter.

    Raises:
        ValueError: a line for each mistake names the file, the mutant, and the way out.
    """
    sources = code_cells(files.find(chapter))
    order = list(sources)
    file = MUTANTS / f"{chapter}.yaml"
    found: dict[str, Mutant] = {}  # by what they do
    mistakes = []
    try:
        entries = edits.entries(file)
    except ValueError as error:
        raise ValueError(f"{file.name}: {error}") from None
    for entry in entries:
        try:
            cells = edits.edited(entry, NAMED, sources, "code cell")
            mutant = Mutant(entry["id"], entry["fails"], entry["aimed"], cells, chapter)
            edits.must_be_one_of(mutant.fails, sources, "code cell")
            edits.must_be_one_of(mutant.aimed, AIMS, "aim")
            if unchanged := [name for name, text in cells.items() if text == sources[name]]:
                raise ValueError(f"cell {unchanged[0]!r}: nothing is changed.")
            if min(map(order.index, cells)) > order.index(mutant.fails):
                raise ValueError(f"{mutant.fails!r} stands before the cells that it edits.")
            does = repr(sorted(cells.items()))
            if does in found:
                raise ValueError(f"the same code as {found[does].id!r}. Keep one of them.")
            found[does] = mutant
        except ValueError as error:
            mistakes.append(f"{file.name}, {entry.get('id')!r}: {error}")
    if mistakes:
        raise ValueError("\n".join(mistakes))
    return list(found.values())


def mutated(notebook: Path, mutant: Mutant) -> NotebookNode:
    """Return a chapter with a mutant's cells, up to the one that must notice."""
    result = copy.deepcopy(nbformat.read(notebook, as_version=4))
    (end,) = (at for at, cell in enumerate(result.cells) if cell.id == mutant.fails)
    result.cells = [cell for cell in result.cells[: end + 1] if cell.cell_type == "code"]
    for cell in result.cells:
        cell.source = mutant.cells.get(cell.id, cell.source)
        cell.outputs = []
    return result


def problem(mutant: Mutant, raised: Exception | None, at: str) -> str:
    """Say what is not as it should be, empty if the right cell raised an AssertionError."""
    if raised is None:
        return "nobody noticed"
    if isinstance(raised, CellTimeoutError):
        return f"a cell took over {CELL_LIMIT_S} s"
    if not isinstance(raised, CellExecutionError):
        return f"{type(raised).__name__}: {raised}"
    if at != mutant.fails:
        return f"{at!r} noticed"
    # A script's assertion is in the report of `launch`.
    if "AssertionError" not in f"{raised.ename} {raised.evalue}":
        return f"it raised {raised.ename}, and asserted nothing"
    return ""


def attempt(notebook: Path, mutant: Mutant) -> Trial:
    """Execute a mutant of a chapter up to the cell that must notice."""
    started = time.monotonic()
    scratch = Path(tempfile.mkdtemp(dir=os.environ["TMPDIR"]))  # goes when the kernels do
    (scratch / "tmp").mkdir()
    environment = {
        **os.environ,
        MARK: str(scratch),
        "TMPDIR": str(scratch / "tmp"),
        "HOME": str(scratch),
        "MPLCONFIGDIR": str(CACHE / "matplotlib"),
        **servers.kernel_for(files.begins_with(notebook)[0]),
    }
    beside = shutil.copytree(
        notebook.parent, scratch / "work", ignore=shutil.ignore_patterns("*.ipynb")
    )
    executed = mutated(notebook, mutant)
    client = NotebookClient(executed, timeout=CELL_LIMIT_S, shutdown_kernel="immediate")
    client.resources = {"metadata": {"path": str(beside)}}
    raised: Exception | None = None
    try:
        client.execute(env=environment)
    except (CellExecutionError, CellTimeoutError, DeadKernelError) as error:
        raised = error
    failed = [
        cell.id
        for cell in executed.cells
        if any(output.output_type == "error" for output in cell.outputs)
    ]
    said = ANSI.sub("", getattr(raised, "evalue", "") or "").strip().split("\n")[-1]
    found = problem(mutant, raised, failed[-1] if failed else "")
    return Trial(mutant, found, said, time.monotonic() - started)


def attempt_all(
    notebook: Path, chosen: list[Mutant], tell: Callable[[Trial, str], object]
) -> list[Trial]:
    """Execute mutants of a chapter, a few at a time, and say of each what it did."""
    imported, launched = files.begins_with(notebook)
    trials = []
    with (
        servers.shared([imported], [launched]) as variables,
        mock.patch.dict(os.environ, variables),
        ThreadPoolExecutor(PARALLEL) as pool,
    ):
        try:
            futures = [pool.submit(attempt, notebook, mutant) for mutant in chosen]
            for done, future in enumerate(as_completed(futures), start=1):
                trial = future.result()
                trials.append(trial)
                told = f"{trial.problem.upper() or 'noticed'}: {trial.said}"
                line = f"[{done:2}/{len(chosen)}] {trial.seconds:5.1f} s  {trial.mutant.id}: {told}"
                tell(trial, line)
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    return trials


def key(mutant: Mutant) -> str:
    """Return a digest of the code that a mutant executes, less the set-up cell and imports."""
    cells = code_cells(files.find(mutant.chapter))
    end = list(cells).index(mutant.fails) + 1
    executed = [mutant.cells.get(name, text) for name, text in list(cells.items())[:end]]
    lines = [line for text in executed for line in text.split("\n") if not IMPORT.match(line)]
    return hashlib.sha256(json.dumps(lines).encode()).hexdigest()[:8]


def noted() -> dict[str, dict[str, dict[str, Any]]]:
    """Return the key and the seconds of the last trial, by chapter and mutant."""
    file = MUTANTS / TRIED
    return yaml.safe_load(file.read_text(encoding="utf-8")) or {} if file.exists() else {}


def note(chapter: str, tried: dict[str, dict[str, Any]]) -> None:
    """Write down which mutants of a chapter were noticed."""
    known = noted()
    every = known.get(chapter, {}) | tried
    known[chapter] = {one.id: every[one.id] for one in mutants(chapter) if one.id in every}
    blocks = [
        f"{name}:\n"
        + "".join(
            f"  {mutant}: {{key: '{found['key']}', seconds: {found['seconds']}}}\n"
            for mutant, found in known[name].items()
        )
        for name in chapters()
        if known.get(name)
    ]
    (MUTANTS / TRIED).write_text(WHAT_IT_IS + "".join(blocks), encoding="utf-8")


def try_some(chosen: list[Mutant]) -> list[str]:
    """Try mutants of one chapter; return what is not as it should be."""
    chapter, started = chosen[0].chapter, time.monotonic()
    keys = {mutant.id: key(mutant) for mutant in chosen}
    print(f"{chapter}: {len(chosen)} mutants", flush=True)

    def tell(trial: Trial, line: str) -> None:
        print(line, flush=True)
        if not trial.problem:
            name = trial.mutant.id
            note(chapter, {name: {"key": keys[name], "seconds": round(trial.seconds)}})

    trials = attempt_all(files.find(chapter), chosen, tell)
    found = [f"{chapter}, {one.mutant.id}: {one.problem}" for one in trials if one.problem]
    seconds = time.monotonic() - started
    print(f"{chapter}: {len(trials) - len(found)} of {len(trials)} noticed, {seconds:.0f} s")
    return found


def changed(every: list[Mutant]) -> list[Mutant]:
    """Return the mutants that were not tried as they are now; all with LOCKSTEP_ALL=1."""
    if os.environ.get("LOCKSTEP_ALL") == "1":
        return every
    last = noted()
    return [
        one for one in every if last.get(one.chapter, {}).get(one.id, {}).get("key") != key(one)
    ]


def in_time(chosen: list[Mutant]) -> list[Mutant]:
    """Return those of the mutants, the quickest first, that together fit into CI_S."""
    last = noted()
    seconds = {
        (one.chapter, one.id): last.get(one.chapter, {}).get(one.id, {}).get("seconds", MUTANT_S)
        for one in chosen
    }
    fit: list[Mutant] = []
    left = CI_S * PARALLEL
    for one in sorted(chosen, key=lambda one: seconds[one.chapter, one.id]):
        left -= seconds[one.chapter, one.id]
        if left >= 0:
            fit.append(one)
    return fit


def choose(chapter: str, ids: list[str]) -> list[Mutant]:
    """Return the mutants that the command line names.

    Raises:
        ValueError: an entry breaks a rule, or there is no such chapter or mutant.
    """
    if not chapter:
        return changed([one for name in chapters() for one in mutants(name)])
    edits.must_be_one_of(chapter, chapters(), "chapter with mutants")
    known = mutants(chapter)
    for name in ids:
        edits.must_be_one_of(name, [mutant.id for mutant in known], "mutant")
    return [mutant for mutant in known if mutant.id in ids or not ids]


def main(chapter: str = "", *ids: str) -> int:
    """Try the mutants of one chapter, or all that have changed; return the exit code."""
    try:
        chosen = choose(chapter, list(ids))
    except ValueError as error:
        sys.exit(str(error))
    if not chapter and os.environ.get("CI") == "true" and os.environ.get("LOCKSTEP_ALL") != "1":
        fit = in_time(chosen)
        if left := [one.chapter for one in chosen if one not in fit]:
            told = ", ".join(f"{name} {left.count(name)}" for name in dict.fromkeys(left))
            print(
                f"Not tried, as they would take more than {CI_S} s in all: {told}. "
                "`make mutants` tries them, and so does the weekly run.",
                flush=True,
            )
        chosen = fit
    found = []
    for name in dict.fromkeys(one.chapter for one in chosen):
        found += try_some([one for one in chosen if one.chapter == name])
    print("\n".join(found) or f"Tried now: {len(chosen)}. All mutants were noticed.")
    return int(bool(found))


if __name__ == "__main__":
    try:
        sys.exit(main(*sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit("Stopped.")
