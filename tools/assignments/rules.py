"""What every assignment must be, before anybody runs it. Each mistake is a line with the way out.

Nothing here executes a cell: `tools.assignments.answers` does.
"""

import ast
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from nbformat import NotebookNode

from tools import EXERCISES
from tools.assignments import releases
from tools.assignments.answers import Answer, read
from tools.assignments.releases import Files

# Kinds of cells: the types they can have, and nbgrader's flags.
FLAGS = ("grade", "solution", "task", "locked")
KINDS: dict[str, tuple[set[str], tuple[bool, ...]]] = {
    "given": ({"code", "markdown"}, (False, False, False, True)),
    "solution": ({"code"}, (False, True, False, False)),
    "test": ({"code"}, (True, False, False, True)),
    "task": ({"markdown"}, (False, False, True, True)),
}
# What students do not see, and in which kind of cell it can stand.
REGIONS = {"SOLUTION": "solution", "HIDDEN TESTS": "test", "MARK SCHEME": "task"}
PLACEHOLDER = "PLACEHOLDER"  # stands in the skeleton wherever its author has something to say
RIGHT_ANSWERS = 3

HEADING = re.compile(r"^## (\d+)\. \S", re.MULTILINE)
MINUTES_AND_POINTS = re.compile(r"^\*\*\d+ minutes? · (\d+) points?\*\*", re.MULTILINE)
TOTAL = re.compile(r"\*\*(?:[^*\n]* )?(\d+) points?\*\*")
RUBRIC = re.compile(r"^- (\d+) points?: ", re.MULTILINE)
MODEL_ANSWER = re.compile(r"^\W*Model answer\W+\w", re.MULTILINE | re.IGNORECASE)
WARNS = re.compile(
    r"(^|\.)warnings\.(warn|warn_explicit|showwarning)$|(^|\.)(warn|warning)$|^logging\."
    r"|^traceback\.print_"
)
IMPORTS = re.compile(r"^(__import__|(importlib\.)?import_module)$")


def kind(cell: NotebookNode) -> str:
    """Return the kind of a cell; "plain" without nbgrader's metadata, "" if it is none of them."""
    meta = nbgrader(cell)
    if not meta:
        return "plain"
    flags = tuple(meta.get(flag, False) for flag in FLAGS)
    found = [name for name, (types, wanted) in KINDS.items() if flags == wanted]
    return found[0] if found and cell.cell_type in KINDS[found[0]][0] else ""


def nbgrader(cell: NotebookNode) -> dict[str, Any]:
    """Return nbgrader's metadata of a cell, empty if it has none."""
    return cell.metadata.get("nbgrader", {})


def points(cell: NotebookNode) -> int:
    """Return the points of a cell, 0 if it is not graded."""
    return (nbgrader(cell).get("points") or 0) if kind(cell) in {"test", "task"} else 0


def regions(text: str, what: str) -> list[tuple[int, int]]:
    """Return the first and the last line, from 1, of each region `what`, its markers included.

    Raises:
        ValueError: a marker has no partner. nbgrader would show what stands behind a lone END.
    """
    found: list[tuple[int, int]] = []
    begin = 0
    for number, line in enumerate(text.splitlines(), 1):
        is_begin, is_end = f"BEGIN {what}" in line, f"END {what}" in line
        if (is_begin and begin) or (is_end and not begin):
            raise ValueError(f"line {number}, {line.strip()!r}, has no partner")
        if is_begin:
            begin = number
        elif is_end:
            found.append((begin, number))
            begin = 0
    if begin:
        raise ValueError(f"line {begin}, BEGIN {what}, has no partner")
    return found


def split(cell: NotebookNode) -> tuple[str, list[str]]:
    """Return what students see of a cell, and the lines that they do not see."""
    lines = cell.source.splitlines()
    hidden: set[int] = set()
    for what in REGIONS:
        try:
            for first, last in regions(cell.source, what):
                hidden.update(range(first, last + 1))
        except ValueError:  # _regions names it
            continue
    visible = [line for number, line in enumerate(lines, 1) if number not in hidden]
    secret = [line for number, line in enumerate(lines, 1) if number in hidden]
    return "\n".join(visible), [line for line in secret if not _marker(line)]


def _marker(line: str) -> bool:
    return any(f"{side} {what}" in line for side in ("BEGIN", "END") for what in REGIONS)


def _ids(notebook: NotebookNode) -> Iterator[str]:
    for name, times in Counter(cell.id for cell in notebook.cells).items():
        if times > 1:
            yield f"cell {name!r}: {times} cells have this id. Give each an id of its own"
    grade_ids = [nbgrader(cell).get("grade_id") for cell in notebook.cells if nbgrader(cell)]
    for name, times in Counter(grade_ids).items():
        if times > 1:
            yield f"cell {name!r}: {times} cells have this grade_id. Give each one of its own"
    for cell in notebook.cells:
        meta = nbgrader(cell)
        if meta and meta.get("grade_id") != cell.id:
            yield f"cell {cell.id!r}: its grade_id is {meta.get('grade_id')!r}. Make them the same"
        if meta and meta.get("schema_version") != 3:
            yield (
                f"cell {cell.id!r}: its schema_version is {meta.get('schema_version')}. Make it 3"
            )


def _kinds(notebook: NotebookNode) -> Iterator[str]:
    for cell in notebook.cells:
        meta = nbgrader(cell)
        if not kind(cell):
            flags = ", ".join(f"{flag} {str(meta.get(flag, False)).lower()}" for flag in FLAGS)
            if (meta.get("grade") or meta.get("task")) and not meta.get("locked"):
                yield (
                    f"cell {cell.id!r}: a test or task that is not locked, so that a student can "
                    "change it, and nbgrader may fail to grade it. Set locked to true"
                )
            else:
                yield (
                    f"cell {cell.id!r}: a {cell.cell_type} cell with {flags} is neither given, "
                    "solution, test nor task. Choose its type as CONTRIBUTING.md says"
                )
        worth = meta.get("points")
        if kind(cell) in {"test", "task"}:
            if not isinstance(worth, int) or worth < 1:
                yield f"cell {cell.id!r}: its points are {worth}. Give it a whole number from 1"
        elif kind(cell) and worth is not None:
            yield f"cell {cell.id!r}: it has points, and is not graded. Take them out"
        if kind(cell) == "test" and not cell.id.endswith("-test"):
            yield f"cell {cell.id!r}: the id of a test ends in '-test'. Rename it"
        if cell.get("outputs") or cell.get("execution_count") is not None:
            yield f"cell {cell.id!r}: it has stored output. Clear all outputs and save"


def _regions(notebook: NotebookNode) -> Iterator[str]:
    for cell in notebook.cells:
        for what, where in REGIONS.items():
            try:
                count = len(regions(cell.source, what))
            except ValueError as error:
                yield f"cell {cell.id!r}: {error}. Write BEGIN {what} and END {what} around it"
                continue
            if count and kind(cell) != where:
                yield (
                    f"cell {cell.id!r}: BEGIN {what} stands in a cell that is no {where} cell, "
                    f"so students would see what follows. Make it a {where} cell, or take it out"
                )
            elif kind(cell) == where and what != "HIDDEN TESTS" and count != 1:
                yield f"cell {cell.id!r}: it has {count} regions {what}. Give it exactly one"


def _cells(notebook: NotebookNode, wanted: str) -> Iterator[NotebookNode]:
    """Yield the cells of a kind, less those whose regions are named as wrong already."""
    for cell in notebook.cells:
        if kind(cell) == wanted and not any(_regions(NotebookNode(cells=[cell]))):
            yield cell


def _solutions(notebook: NotebookNode) -> Iterator[str]:
    for cell in _cells(notebook, "solution"):
        try:
            tree = ast.parse(cell.source)
        except SyntaxError as error:
            yield f"cell {cell.id!r}: it is not plain Python: {error}. Mend or move that line"
            continue
        ((first, last),) = regions(cell.source, "SOLUTION")
        around = [
            node
            for node in ast.walk(tree)
            if isinstance(node, ast.FunctionDef)
            and ast.get_docstring(node)
            and (node.body[0].end_lineno or 0) < first
            and any(first < inner.lineno < last for inner in node.body)
        ]
        if not around:
            yield (
                f"cell {cell.id!r}: its solution is not the body of a function with a docstring. "
                "Begin the region below the docstring, which says what comes in and what goes out"
            )


def _tests(notebook: NotebookNode) -> Iterator[str]:
    for cell in _cells(notebook, "test"):
        yield from (f"cell {cell.id!r}: {mistake}" for mistake in _test(cell))


def _test(cell: NotebookNode) -> Iterator[str]:
    visible, _ = split(cell)
    try:
        tree, seen = ast.parse(cell.source), ast.parse(visible)
    except SyntaxError as error:
        yield f"it is not plain Python, with or without its hidden tests: {error}. Mend that line"
        return
    for node in ast.walk(tree):
        if not isinstance(node, ast.stmt | ast.expr):
            continue
        called = ast.unparse(node.func) if isinstance(node, ast.Call) else ""
        if isinstance(node, ast.Import | ast.ImportFrom) or IMPORTS.search(called):
            yield (
                f"line {node.lineno} imports, and what an import may write to stderr costs the "
                "points. Import in a given cell"
            )
        standard_error = isinstance(node, ast.Attribute) and node.attr in {"stderr", "__stderr__"}
        if standard_error or WARNS.search(called):
            yield (
                f"line {node.lineno} writes to stderr, for which nbgrader takes all points. Take "
                "it out, or say it in an assertion's message"
            )
    quiet = {"float", *_functions_without_value(tree)}
    endings = {ast.unparse(one.body[-1]): one.body[-1] for one in (tree, seen) if one.body}
    for code, last in endings.items():
        if isinstance(last, ast.Expr) and not (
            isinstance(last.value, ast.Call) and ast.unparse(last.value.func) in quiet
        ):
            yield (
                f"it ends in the value of `{code}`, which nbgrader takes for points. Assert on "
                "it; for partial credit, end in a float(...) from 0 to the cell's points"
            )
    asserts = [node for node in ast.walk(seen) if isinstance(node, ast.Assert)]
    if not asserts:
        yield "students see no assertion of it. Show one that teaches; hide only what varies it"
    if silent := [ast.unparse(node) for node in asserts if node.msg is None]:
        yield (
            f"`{silent[0]}` fails without a message. Say what was expected, what came, and what "
            "to read again"
        )
    for first, last in regions(cell.source, "HIDDEN TESTS")[:1]:
        at_top = all(statement.lineno > first for statement in tree.body)
        if at_top and any(
            isinstance(node, ast.Assert) and node.lineno < last for node in ast.walk(tree)
        ):
            yield (
                "the hidden region at its top asserts; that one gives other tasks' functions their "
                "right versions. Put hidden assertions below the visible ones"
            )


def _functions_without_value(tree: ast.Module) -> list[str]:
    """Return the functions that a cell defines and that return nothing."""
    return [
        function.name
        for function in tree.body
        if isinstance(function, ast.FunctionDef) and not any(map(_gives_value, function.body))
    ]


def _gives_value(node: ast.AST) -> bool:
    if isinstance(node, ast.FunctionDef | ast.ClassDef | ast.Lambda):
        return False  # what stands inside is another function's
    if isinstance(node, ast.Yield | ast.YieldFrom):
        return True
    if isinstance(node, ast.Return):
        return node.value is not None
    return any(map(_gives_value, ast.iter_child_nodes(node)))


def _written_answers(notebook: NotebookNode) -> Iterator[str]:
    following = [*notebook.cells[1:], None]
    for cell, after in zip(notebook.cells, following, strict=True):
        if kind(cell) != "task":
            continue
        visible, secret = split(cell)
        scheme = "\n".join(secret)
        if (total := sum(map(int, RUBRIC.findall(scheme)))) != points(cell):
            yield (
                f"cell {cell.id!r}: its rubric, lines like '- 1 point: what for', gives {total} "
                f"points, and the cell has {points(cell)}. Make them the same"
            )
        if not MODEL_ANSWER.search(scheme):
            yield (
                f"cell {cell.id!r}: its mark scheme has no model answer. Write one, after "
                "'Model answer:'"
            )
        if not visible.strip():
            yield f"cell {cell.id!r}: it asks nothing. Write the question above the mark scheme"
        if after is None or after.cell_type != "markdown" or kind(after) != "plain":
            yield (
                f"cell {cell.id!r}: students have no place for their answer. Put a Markdown cell "
                "without nbgrader's metadata below it"
            )


def _points(notebook: NotebookNode) -> Iterator[str]:
    starts = [i for i, cell in enumerate(notebook.cells) if _heading(cell)]
    if not starts:
        yield "cell 'title': no cell begins a task. Begin each with '## 1. What it is about'"
        return
    for cell in notebook.cells[: starts[0]]:
        if kind(cell) in {"solution", "test", "task"}:
            yield f"cell {cell.id!r}: it stands above the first task. Move it below its heading"
    for number, (start, end) in enumerate(zip(starts, [*starts[1:], None], strict=True), 1):
        cells = notebook.cells[start:end]
        head = cells[0]
        if _heading(head) != str(number):
            yield f"cell {head.id!r}: the task's number is {_heading(head)}. Make it {number}"
        worth = sum(map(points, cells))
        said = MINUTES_AND_POINTS.search(head.source)
        if said is None:
            yield (
                f"cell {head.id!r}: it does not say how long the task takes and what it is worth. "
                f"Write a line '**10 minutes · {worth} points**'"
            )
        elif int(said[1]) != worth:
            yield (
                f"cell {head.id!r}: it says {said[1]} points, and the cells of the task have "
                f"{worth}. Make them the same"
            )
        kinds = {kind(cell) for cell in cells}
        if not kinds & {"test", "task"}:
            yield f"cell {head.id!r}: nothing below it is graded. Add a test or a written task"
        if "test" in kinds and "solution" not in kinds:
            yield (
                f"cell {head.id!r}: the task has a test and no solution cell, so students would "
                "be given the answer. Set solution to true, and locked to false, where they write"
            )
    first, worth = notebook.cells[0], sum(map(points, notebook.cells))
    said = TOTAL.search(first.source)
    if said is None or int(said[1]) != worth:
        yield (
            f"cell {first.id!r}: it says {said and said[1]} points, and all tasks together have "
            f"{worth}. Write '**{worth} points**'"
        )


def _heading(cell: NotebookNode) -> str:
    found = HEADING.search(cell.source) if cell.cell_type == "markdown" else None
    return found[1] if found else ""


def source_mistakes(notebook: NotebookNode) -> list[str]:
    """Return what is wrong with the source of an assignment."""
    rules = (_ids, _kinds, _regions, _solutions, _tests, _written_answers, _points)
    return [mistake for rule in rules for mistake in rule(notebook)]


def leaks(notebook: NotebookNode, released: NotebookNode) -> list[str]:
    """Return what a release shows of its source's solutions, hidden tests and mark schemes."""
    found = []
    parts = {cell.id: split(cell) for cell in notebook.cells}
    visible = "\n".join(text for text, _ in parts.values())
    secrets = {
        line.strip(): name
        for name, (_, lines) in parts.items()
        for line in lines
        if len(line.strip()) > 5 and line.strip() not in visible
    }
    again = "It is in the source, too, or `make release` takes it away"
    for cell in released.cells:
        if any(map(_marker, cell.source.splitlines())):
            found.append(f"cell {cell.id!r}: the marker of a region is left. {again}")
        shown = [(line, name) for line, name in secrets.items() if line in cell.source]
        for line, name in shown[:1]:
            found.append(
                f"cell {cell.id!r}: shows {line!r}, which is hidden in {name!r} of the source. "
                f"{again}"
            )
    stubs = {cell.id: cell for cell in released.cells if kind(cell) == "solution"}
    for cell in notebook.cells:
        stub = stubs.get(cell.id)
        if kind(cell) == "solution" and (
            stub is None or "raise NotImplementedError" not in stub.source
        ):
            found.append(
                f"cell {cell.id!r}: students do not find `raise NotImplementedError` there, to "
                f"write in its place. {again}"
            )
    return found


def answer_mistakes(notebook: NotebookNode, given: list[Answer]) -> list[str]:
    """Return what is wrong with the answers to an assignment, without running them."""
    found = []
    tests = [cell.id for cell in notebook.cells if kind(cell) == "test"]
    solutions = [cell.id for cell in notebook.cells if kind(cell) == "solution"]
    for answer in given:
        where = f"{answer.path.parent.name}/{answer.path.name}"
        if answer.loses is not None and answer.loses not in tests:
            found.append(
                f"{where}: no test cell is called {answer.loses!r}. 'Loses:' can be one of: "
                + ", ".join(tests)
            )
        for name in sorted(set(answer.cells) - set(solutions)):
            found.append(
                f"{where}: no solution cell is called {name!r}. '# %%' can be one of: "
                + ", ".join(solutions)
            )
    same: dict[str, list[str]] = {}
    for answer in given:
        code = {name: ast.dump(ast.parse(text)) for name, text in sorted(answer.cells.items())}
        same.setdefault(repr(code), []).append(f"{answer.path.parent.name}/{answer.path.name}")
    for first, *others in same.values():
        found += [f"{other}: the same code as {first}. Keep one of them" for other in others]
    if (count := sum(answer.loses is None for answer in given)) < RIGHT_ANSWERS:
        found.append(
            f"right: {count} right answers. Write {RIGHT_ANSWERS} that go about it differently, so "
            "that tests ask for the result and not for your way to it"
        )
    for name in sorted(set(tests) - {answer.loses for answer in given}):
        found.append(
            f"wrong: no answer loses {name!r}. Write down what a student would really get wrong, "
            f"with the line 'Loses: {name}'"
        )
    return found


def nothing_to_say(cells: dict[str, str]) -> list[str]:
    """Return which of the texts, by name, are still the skeleton's."""
    return [
        f"{name} has nothing to say yet. Write what {PLACEHOLDER} stands for, and take it out"
        for name, text in cells.items()
        if PLACEHOLDER in text
    ]


def mistakes(name: str, generated: Files | None, exercises: Path = EXERCISES) -> list[str]:
    """Return what is wrong with an assignment, each line with the file and the cell.

    Args:
        name: of the assignment.
        generated: what `releases.generate` makes of it; None if it refuses.
        exercises: the folder of all assignments.
    """
    path = releases.source(name, exercises)
    released = releases.release(name, exercises)
    answered = releases.answers(name, exercises)

    def found(at: Path, lines: list[str]) -> list[str]:
        return [f"{at.relative_to(exercises.parent)}: {line}" for line in lines]

    if not path.exists():
        return found(path, ["is missing. The notebook is named as its folder: rename one of them"])
    notebook = releases.load(path)
    texts = {f"cell {cell.id!r}": cell.source for cell in notebook.cells}
    lines = found(path, source_mistakes(notebook) + nothing_to_say(texts))

    if generated is None:
        lines += found(path, ["nbgrader makes no release. `make release` says why"])
    else:
        stale = releases.differences(releases.files(released.parent), generated)
        out = "It must be what nbgrader makes of the source: `make release`, and commit it"
        lines += found(released.parent, [f"{line}. {out}" for line in stale])
    if released.exists():
        lines += found(released, leaks(notebook, releases.load(released)))

    given = []
    for file in sorted(answered.glob("*/*.py")):
        lines += found(file, nothing_to_say({"answer": file.read_text(encoding="utf-8")}))
        try:
            given.append(read(file))
        except ValueError as error:
            lines.append(str(error))
    return lines + found(answered, answer_mistakes(notebook, given))
