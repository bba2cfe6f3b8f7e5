"""Grades every answer of an assignment, fast, by stock nbgrader's rules, and says what is amiss.

Usage: python -m tools.assignments.answers NAME [SLUG...]   (SLUG: only these answers)

An assignment's answers are files in exercises/answers/NAME/right and wrong. A right answer must get
every point, a wrong one must lose the cell that its line `Loses:` names and no other. The reference
must get every point too, and what students start from none. nbgrader's own preprocessors execute
and score the notebooks; their kernels are forked (lockstep.grading.kernels).

When all is as it should be with all answers, exercises/answers/NAME/table.md says what each scores.
A run of the tests then grades a sample and compares it with that table (tools/sample.py).
"""

import ast
import copy
import hashlib
import json
import os
import re
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from typing import NamedTuple
from unittest import mock

import nbformat
from nbformat import NotebookNode
from nbgrader.preprocessors import ClearSolutions, Execute, IgnorePattern, LimitOutput
from nbgrader.utils import determine_grade, is_grade, is_solution
from nbgrader.validator import Validator
from traitlets.config import Config
from traitlets.config.loader import PyFileConfigLoader

from lockstep import runtime
from lockstep.grading import kernels
from tools import EXERCISES, PARALLEL, ROOT
from tools.assignments import releases
from tools.notebooks import setup_cell

REFERENCE, UNTOUCHED = "reference", "untouched release"
TABLE = "table.md"
MEANING = (
    "Points of each answer, by test cell. Brackets mark the cell that a wrong answer is aimed at."
)
SECTION = re.compile(r"^# %% *(.*)$", re.MULTILINE)
LOSES = re.compile(r"^Loses:(.*)$", re.MULTILINE)
HIDDEN = re.compile(r"BEGIN HIDDEN TESTS.*?(?:END HIDDEN TESTS|\Z)", re.DOTALL)
ANSI = re.compile(r"\x1b\[[0-9;]*m")
# With these the grading of a notebook needs nothing but the notebook; nbgrader's list has others
# that write to its database.
GRADING = (Execute, IgnorePattern, LimitOutput)


class Answer(NamedTuple):
    """Other text for some of the solution cells; `loses` is the test cell that must fail."""

    path: Path
    reason: str
    loses: str | None
    cells: dict[str, str]


class Graded(NamedTuple):
    """What became of one answer. `points` is None where it could not be graded."""

    label: str
    loses: frozenset[str]
    points: dict[str, float] | None
    failed_at: dict[str, int]  # test cell: its line that was executed when it failed
    cut: dict[str, str]  # test cell: a line of its message of which students see a part only
    problem: str
    seconds: float


def read(path: Path) -> Answer:
    """Read an answer's file.

    Raises:
        ValueError: it breaks a rule of such files.
    """

    def wrong(rule: str) -> ValueError:
        shown = path.relative_to(ROOT) if path.is_relative_to(ROOT) else path
        return ValueError(f"{shown}: {rule}")

    text = path.read_text(encoding="utf-8")
    try:
        reason = ast.get_docstring(ast.parse(text))
    except SyntaxError as error:
        raise wrong(f"line {error.lineno} is not Python: {error.msg}.") from None
    if not reason:
        raise wrong("it must begin with a docstring that says why the answer is right or wrong.")
    head, *parts = SECTION.split(text)
    ids, sources = [part.strip() for part in parts[::2]], parts[1::2]
    if not ids or len(ast.parse(head).body) > 1:
        raise wrong(
            "after the docstring, `# %% ID` must begin the text of each solution cell that differs "
            "from the reference, and no code may stand before the first."
        )
    if repeated := {name for name in ids if ids.count(name) > 1}:
        raise wrong(f"`# %% {min(repeated)}` stands there twice; write a cell's text once.")
    named = [name.strip() for name in LOSES.findall(reason)]
    if path.parent.name == "right" and named:
        raise wrong("a right answer loses nothing: take `Loses:` out, or move it to wrong/.")
    if path.parent.name == "wrong" and (len(named) != 1 or not named[0]):
        raise wrong("the docstring needs one line `Loses: ID` that names the test cell that fails.")
    cells = {name: source.strip("\n") for name, source in zip(ids, sources, strict=True)}
    return Answer(path, reason, named[0] if named else None, cells)


def answers(name: str, exercises: Path = EXERCISES) -> list[Answer]:
    """Return the answers of an assignment, the right ones first.

    Raises:
        ValueError: a file breaks a rule.
    """
    folder = releases.answers(name, exercises)
    return [
        read(path) for kind in ("right", "wrong") for path in sorted(folder.glob(f"{kind}/*.py"))
    ]


def label(answer: Answer) -> str:
    """Return what an answer is called in tables."""
    return f"{answer.path.parent.name}/{answer.path.stem}"


def with_answer(notebook: NotebookNode, answer: Answer) -> NotebookNode:
    """Return a copy of a notebook with the answer's solution cells.

    Raises:
        ValueError: the answer has a cell that is no solution cell of the notebook.
    """
    notebook = copy.deepcopy(notebook)
    cells = {cell.metadata.nbgrader.grade_id: cell for cell in notebook.cells if is_solution(cell)}
    for name, source in answer.cells.items():
        if name not in cells:
            raise ValueError(
                f"{label(answer)}: the assignment has no solution cell {name!r}, "
                f"only {', '.join(cells)}."
            )
        cells[name].source = source
    return notebook


def untouched(notebook: NotebookNode, config: Config) -> NotebookNode:
    """Return a copy of a notebook as students get it, but with the hidden tests."""
    return ClearSolutions(config=config).preprocess(copy.deepcopy(notebook), {})[0]


def course_config(exercises: Path = EXERCISES) -> Config:
    """Return the course's configuration of nbgrader."""
    return PyFileConfigLoader("nbgrader_config.py", str(exercises)).load_config()


def autograded(notebook: NotebookNode) -> dict[str, NotebookNode]:
    """Return the cells of a notebook that are graded by their outcome, by id."""
    return {
        cell.metadata.nbgrader.grade_id: cell
        for cell in notebook.cells
        if cell.cell_type == "code" and is_grade(cell) and not is_solution(cell)
    }


def frameworks(notebook: NotebookNode) -> list[str]:
    """Return the frameworks that the set-up cell of a notebook asks for."""
    try:
        return setup_cell.frameworks(setup_cell.first_code_cell(notebook).source)
    except ValueError:  # it has no such cell
        return []


def modules(notebook: NotebookNode) -> list[str]:
    """Return the modules that the set-up cell of a notebook imports, in its order."""
    return runtime.modules(frameworks(notebook))


def failing_line(cell: NotebookNode) -> int | None:
    """Return the line of a cell that was being executed when it raised."""
    for output in cell.outputs:
        if output.output_type == "error":
            trace = ANSI.sub("", "\n".join(output.traceback))
            found = re.search(rf"Cell In\[{cell.execution_count}\], line (\d+)", trace)
            return int(found[1]) if found else None
    return None


def cut_line(cell: NotebookNode) -> str | None:
    """Return the first line of a failed assertion's message that `nbgrader validate` cuts."""
    validator = Validator()
    for output in cell.outputs:
        if output.output_type == "error" and output.ename == "AssertionError":
            for line in ANSI.sub("", f"{output.ename}: {output.evalue}").split("\n"):
                if validator._indent(line) != validator.indent + line:
                    return line
    return None


def grade(
    name: str, notebook: NotebookNode, loses: frozenset[str], folder: Path, config: Config
) -> Graded:
    """Execute and score a notebook in a copy of `folder`, as `nbgrader autograde` does."""
    started = time.monotonic()
    scratch = tempfile.mkdtemp(dir=os.environ["TMPDIR"])
    config = copy.deepcopy(config)
    config.Execute.shutdown_kernel = "immediate"
    config.KernelManager.transport = "ipc"  # two kernels that start at once cannot want one port
    config.KernelManager.connection_file = f"{scratch}/kernel.json"
    resources = {"metadata": {"path": shutil.copytree(folder, f"{scratch}/work")}}
    points: dict[str, float] | None = None
    failed_at: dict[str, int] = {}
    cut: dict[str, str] = {}
    problem = ""
    try:
        for step in GRADING:
            notebook, resources = step(config=config)(notebook, resources)
        tests = autograded(notebook)
        points = {key: determine_grade(cell)[0] for key, cell in tests.items()}
        failed_at = {key: line for key, cell in tests.items() if (line := failing_line(cell))}
        cut = {key: part for key, cell in tests.items() if (part := cut_line(cell))}
    except Exception as error:  # whatever it is, stock nbgrader would not grade this either
        problem = f"{type(error).__name__}: {error}"
    return Graded(name, loses, points, failed_at, cut, problem, time.monotonic() - started)


def submissions(
    notebook: NotebookNode, chosen: list[Answer], config: Config
) -> Iterator[tuple[str, NotebookNode, frozenset[str]]]:
    """Yield label, notebook and the cells that must be lost, of all that is to be graded.

    Raises:
        ValueError: an answer names a cell that the assignment does not have.
    """
    cells = autograded(notebook)
    yield REFERENCE, copy.deepcopy(notebook), frozenset()
    yield UNTOUCHED, untouched(notebook, config), frozenset(cells)
    for answer in chosen:
        if answer.loses is not None and answer.loses not in cells:
            raise ValueError(
                f"{label(answer)}: the assignment has no autograded cell {answer.loses!r} to lose, "
                f"only {', '.join(cells)}."
            )
        loses = frozenset() if answer.loses is None else frozenset([answer.loses])
        yield label(answer), with_answer(notebook, answer), loses


def grade_all(
    notebook: NotebookNode, chosen: list[Answer], folder: Path, config: Config
) -> list[Graded]:
    """Grade the reference, the untouched release and these answers, two at a time."""
    work = list(submissions(notebook, chosen, config))
    done: dict[str, Graded] = {}
    print(f"Importing {' and '.join(modules(notebook)) or 'no framework'}, once", flush=True)
    with (
        ThreadPoolExecutor(PARALLEL) as pool,
        kernels.kernels(modules(notebook)) as variables,
        mock.patch.dict(os.environ, variables),
    ):
        try:
            futures = [pool.submit(grade, *item, folder, config) for item in work]
            for future in as_completed(futures):
                result = future.result()
                done[result.label] = result
                amiss = "; ".join(differences(result, notebook)) or "as it should"
                print(
                    f"[{len(done):2}/{len(work)}] {result.seconds:5.1f} s  {result.label}: {amiss}",
                    flush=True,
                )
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    return [done[name] for name, _, _ in work]


def differences(result: Graded, notebook: NotebookNode) -> list[str]:
    """Say where an answer's points are not what they should be."""
    if result.points is None:
        return [f"could not be graded: {result.problem}"]
    found = []
    for name, cell in autograded(notebook).items():
        points, most = result.points[name], float(cell.metadata.nbgrader.points)
        if result.label == UNTOUCHED and points > 0:
            found.append(f"{name} gives {points:g} points to what students start from")
        elif name in result.loses and points >= most:
            found.append(f"{name} is not lost: {points:g} of {most:g} points")
        elif name not in result.loses and points < most:
            line = f", at line {result.failed_at[name]}" if name in result.failed_at else ""
            found.append(f"{name} is lost: {points:g} of {most:g} points{line}")
        if name in result.cut:
            found.append(
                f"{name}: a line of its message is cut by nbgrader validate, break the line: "
                f"{result.cut[name]}"
            )
    return found


def hidden_tests(cell: NotebookNode, helpers: set[str]) -> list[ast.stmt]:
    """Return the statements in a test cell's hidden regions that can fail by an assertion.

    Args:
        helpers: functions that assert, by name; calling one counts.
    """
    lines: set[int] = set()
    for region in HIDDEN.finditer(cell.source):
        first = cell.source.count("\n", 0, region.start()) + 1
        lines |= set(range(first, first + region[0].count("\n") + 1))
    tree = ast.parse(cell.source)
    helpers = helpers | asserting_functions(tree)
    return [
        statement
        for statement in tree.body
        if statement.lineno in lines
        and not isinstance(statement, ast.FunctionDef | ast.ClassDef)
        and asserts(statement, helpers)
    ]


def asserts(tree: ast.AST, helpers: set[str]) -> bool:
    """Say whether code asserts, itself or by a call."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Assert):
            return True
        if isinstance(node, ast.Call):
            name = ast.unparse(node.func).rpartition(".")[2]
            if name.startswith("assert") or name in helpers:
                return True
    return False


def asserting_functions(tree: ast.Module) -> set[str]:
    """Return the names of functions that assert."""
    return {
        node.name
        for node in tree.body
        if isinstance(node, ast.FunctionDef) and asserts(node, set())
    }


def idle_tests(notebook: NotebookNode, graded: list[Graded]) -> list[str]:
    """Say which hidden tests no wrong answer fails, and which test cells none is aimed at."""
    wrong = [result for result in graded if result.label.startswith("wrong/")]
    tests = autograded(notebook)
    given = [
        cell.source
        for cell in notebook.cells
        if cell.cell_type == "code"
        and cell.get("metadata", {}).get("nbgrader", {}).get("locked")
        and cell.metadata.nbgrader.grade_id not in tests
        and not cell.source.startswith("%")
    ]
    helpers = set().union(*(asserting_functions(ast.parse(source)) for source in given))
    found = []
    for name, cell in tests.items():
        if not any(name in result.loses for result in wrong):
            found.append(f"{name}: no wrong answer is aimed at it")
        failures = {result.failed_at[name] for result in wrong if name in result.failed_at}
        for test in hidden_tests(cell, helpers):
            span = range(test.lineno, (test.end_lineno or test.lineno) + 1)
            if not failures & set(span):
                line = cell.source.splitlines()[test.lineno - 1].strip()
                found.append(f"{name}, line {test.lineno}: no wrong answer fails it: {line}")
    return found


def amiss(notebook: NotebookNode, graded: list[Graded], whole: bool) -> list[str]:
    """Say what is not as it should be.

    Args:
        notebook: the source of the assignment.
        graded: what became of its answers.
        whole: they are all of its answers, so that a hidden test that nobody failed tests nothing.
    """
    found = [
        f"{result.label}: {text}" for result in graded for text in differences(result, notebook)
    ]
    return found + (idle_tests(notebook, graded) if whole else [])


def table(notebook: NotebookNode, graded: list[Graded]) -> str:
    """Return the points of each answer in each cell, as a Markdown table.

    Brackets mark the cell that a wrong answer is aimed at, `!` what is not as it should be.
    """
    tests = autograded(notebook)
    rows = [["answer", *(name.removesuffix("-test") for name in tests)]]
    rows.append(["points", *(f"{cell.metadata.nbgrader.points:g}" for cell in tests.values())])
    for result in graded:
        row = [result.label]
        for name, cell in tests.items():
            if result.points is None:
                row.append("!")
                continue
            points = result.points[name]
            aimed = name in result.loses and result.label != UNTOUCHED
            shown = f"[{points:g}]" if aimed else f"{points:g}"
            amiss = (points < cell.metadata.nbgrader.points) != (name in result.loses)
            row.append(shown + "!" * amiss)
        rows.append(row)
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = [
        "| " + " | ".join(text.ljust(w) for text, w in zip(row, widths, strict=True)) + " |"
        for row in rows
    ]
    lines.insert(1, "|" + "|".join("-" * (width + 2) for width in widths) + "|")
    return "\n".join(lines)


def scores(text: str) -> dict[str, dict[str, str]]:
    """Return what a table says of each answer, by cell."""
    rows = [line.strip("| ").split("|") for line in text.splitlines() if line.startswith("| ")]
    head, *rest = [[part.strip() for part in row] for row in rows]
    return {row[0]: dict(zip(head[1:], row[1:], strict=True)) for row in rest}


def mismatches(shown: str, kept: str) -> list[str]:
    """Say where a table of some answers differs from the one that is kept."""
    rows = scores(kept)
    return [
        f"{answer}: {cell} is {now}, and {rows.get(answer, {}).get(cell)} in {TABLE}"
        for answer, row in scores(shown).items()
        for cell, now in row.items()
        if rows.get(answer, {}).get(cell) != now
    ]


def key(name: str, exercises: Path = EXERCISES) -> str:
    """Return a digest of what the points depend on: the assignment's code, and its answers.

    Text is left out, and the set-up cell less its frameworks, so that the course's address and
    version can change. So are lockstep/ and the libraries, as every change would then mean to grade
    everything: a run of the tests always grades the reference, and everything once a week.
    """
    path = releases.source(name, exercises)
    notebook = nbformat.read(path, as_version=4)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    beside = releases.files(path.parent)
    del beside[path.name]
    parts = [
        [module for name in frameworks(notebook) for module in runtime.FRAMEWORKS[name]],
        [(cell.source, cell.metadata.get("nbgrader")) for cell in code if cell.id != "setup"],
        [(file, hashlib.sha256(data).hexdigest()) for file, data in beside.items()],
        [(label(answer), answer.loses, answer.cells) for answer in answers(name, exercises)],
    ]
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:16]


def first_line(name: str, exercises: Path = EXERCISES) -> str:
    """Return what the table of an assignment's answers must begin with."""
    return f"Made by `make answers NAME={name}`, never edited. Key: {key(name, exercises)}"


def main(name: str, slugs: list[str], exercises: Path = EXERCISES) -> int:
    """Grade an assignment's answers; return the exit code."""
    started = time.monotonic()
    if name not in (known := releases.names(exercises)):
        sys.exit(f"There is no assignment {name!r}, only: {', '.join(known)}")
    path = releases.source(name, exercises)
    notebook = nbformat.read(path, as_version=4)
    try:
        begin = first_line(name, exercises)
        chosen = answers(name, exercises)
        if unknown := set(slugs) - {answer.path.stem for answer in chosen}:
            there = ", ".join(answer.path.stem for answer in chosen)
            sys.exit(f"{name} has no answer {', '.join(sorted(unknown))}, only: {there}")
        chosen = [answer for answer in chosen if not slugs or answer.path.stem in slugs]
        graded = grade_all(notebook, chosen, path.parent, course_config(exercises))
    except ValueError as error:
        sys.exit(str(error))
    shown = table(notebook, graded)
    print(f"\n{shown}\n")
    found = amiss(notebook, graded, whole=not slugs)
    for text in found:
        print(text)
    if slugs:
        print("Hidden tests that nobody fails are only looked for when all answers are graded.")
    kept = releases.answers(name, exercises) / TABLE
    if not slugs and not found:
        kept.parent.mkdir(exist_ok=True)
        kept.write_text(f"{begin}\n\n{MEANING}\n\n{shown}\n", encoding="utf-8")
        print(f"Written: {kept.relative_to(exercises.parent)}. Commit it with the answers.")
    print(
        f"{len(graded)} graded in {time.monotonic() - started:.1f} s, "
        + (f"{len(found)} not as it should be" if found else "all as it should be")
    )
    return int(bool(found))


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit("Usage: python -m tools.assignments.answers NAME [SLUG...]")
    try:
        sys.exit(main(sys.argv[1], sys.argv[2:]))
    except KeyboardInterrupt:
        sys.exit("Stopped.")
