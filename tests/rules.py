"""What every assignment must be, before anybody runs it. Each mistake is a line with the way out.

Nothing here executes a cell: `tools.assignments.answers` does.
"""

import ast
import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from nbformat import NotebookNode

from tools import EXERCISES
from tools.assignments import releases
from tools.assignments.answers import WRONG, answers
from tools.assignments.releases import Files
from tools.notebooks.chapter import PLACEHOLDER

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
REGION = r"(?s)[^\n]*BEGIN {what}.*?END {what}[^\n]*\n?"
GRADED = {"test", "task"}

PREPARES = re.compile(r"^prepare\(\)$", re.MULTILINE)
HEADING = re.compile(r"^## (\d+)\. \S", re.MULTILINE)
MINUTES_AND_POINTS = re.compile(r"^\*\*(\d+) minutes? · (\d+) points?\*\*", re.MULTILINE)
MINUTES = re.compile(r"(\d+) minutes")
MOST_MINUTES = 110
TOTAL = re.compile(r"\*\*(?:[^*\n]* )?(\d+) points?\*\*")
RUBRIC = re.compile(r"^- (\d+) points?: ", re.MULTILINE)
MODEL_ANSWER = re.compile(r"^\W*Model answer\W+\w", re.MULTILINE | re.IGNORECASE)


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
    return (nbgrader(cell).get("points") or 0) if kind(cell) in GRADED else 0


def split(text: str) -> tuple[str, list[str]]:
    """Return what students see of a cell's text, and the lines that they do not see."""
    hidden: list[str] = []
    for what in REGIONS:
        for region in re.findall(REGION.format(what=what), text):
            text = text.replace(region, "")
            hidden += region.splitlines()[1:-1]
    return text, hidden


def _of_any_cell(cell: NotebookNode) -> Iterator[str]:
    meta = nbgrader(cell)
    if meta and meta.get("grade_id") != cell.id:
        yield f"its grade_id is {meta.get('grade_id')!r}. Make them the same"
    if not kind(cell):
        flags = ", ".join(f"{flag} {str(meta.get(flag, False)).lower()}" for flag in FLAGS)
        yield (
            f"a {cell.cell_type} cell with {flags} is neither given, solution, test nor task. "
            "Choose its type as CONTRIBUTING.md says"
        )
    worth = meta.get("points")
    if kind(cell) in GRADED:
        if not isinstance(worth, int) or worth < 1:
            yield f"its points are {worth}. Give it a whole number from 1"
    elif worth is not None:
        yield "it has points, and is not graded. Take them out"
    if kind(cell) == "test" and not cell.id.endswith("-test"):
        yield "the id of a test ends in '-test'. Rename it"
    for what, where in REGIONS.items():
        begins, ends = (cell.source.count(f"{side} {what}") for side in ("BEGIN", "END"))
        if begins != ends:
            yield f"{begins} times BEGIN {what}, {ends} times END {what}. Each needs its partner"
        elif kind(cell) == where and what != "HIDDEN TESTS" and begins != 1:
            yield f"it has {begins} regions {what}. Give it exactly one"


def _of_a_solution(cell: NotebookNode) -> Iterator[str]:
    try:
        tree = ast.parse(cell.source)
    except SyntaxError as error:
        yield f"it is not plain Python: {error}. Mend or move that line"
        return
    begin = cell.source.partition("BEGIN SOLUTION")[0].count("\n") + 1
    if not any(
        isinstance(node, ast.FunctionDef)
        and ast.get_docstring(node)
        and (node.body[0].end_lineno or 0) < begin < (node.end_lineno or 0)
        for node in ast.walk(tree)
    ):
        yield (
            "its solution is not the body of a function with a docstring. Begin the region below "
            "the docstring, which says what comes in and what goes out"
        )


def _of_a_test(cell: NotebookNode) -> Iterator[str]:
    if cell.source != releases.headed(cell):
        yield f"it does not begin with its points, {points(cell)}. `make release` writes them"
    try:
        tree, seen = ast.parse(cell.source), ast.parse(split(cell.source)[0])
    except SyntaxError as error:
        yield f"it is not plain Python, with or without its hidden tests: {error}. Mend that line"
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield f"line {node.lineno} imports. Import in a given cell, where students see it"
    asserts = [node for node in ast.walk(seen) if isinstance(node, ast.Assert)]
    if not asserts:
        yield "students see no assertion of it. Show one that teaches; hide only what varies it"
    if silent := [ast.unparse(node) for node in asserts if node.msg is None]:
        yield (
            f"`{silent[0]}` fails without a message. Say what was expected, what came, and what "
            "to read again"
        )
    if top := re.search(REGION.format(what="HIDDEN TESTS"), cell.source):
        first, last = (cell.source.count("\n", 0, at) + 1 for at in top.span())
        asserts = [node for node in ast.walk(tree) if isinstance(node, ast.Assert)]
        if tree.body[0].lineno > first and any(node.lineno < last for node in asserts):
            yield (
                "the hidden region at its top asserts; that one gives other tasks' functions "
                "their right versions. Put hidden assertions below the visible ones"
            )


def _of_a_task(cell: NotebookNode) -> Iterator[str]:
    visible, secret = split(cell.source)
    scheme = "\n".join(secret)
    if (total := sum(map(int, RUBRIC.findall(scheme)))) != points(cell):
        yield (
            f"its rubric, lines like '- 1 point: what for', gives {total} points, and the cell "
            f"has {points(cell)}. Make them the same"
        )
    if not MODEL_ANSWER.search(scheme):
        yield "its mark scheme has no model answer. Write one, after 'Model answer:'"
    if not visible.strip():
        yield "it asks nothing. Write the question above the mark scheme"


def _numbers(tree: ast.Module) -> set[str]:
    """Return the names to which the text of a cell gives a number."""
    numeric = ast.Constant | ast.BinOp | ast.UnaryOp | ast.operator | ast.unaryop

    def is_number(part: ast.AST) -> bool:
        of_text = isinstance(part, ast.Constant) and isinstance(part.value, str)
        return isinstance(part, numeric) and not of_text

    return {
        target.id
        for node in tree.body
        if isinstance(node, ast.Assign) and all(map(is_number, ast.walk(node.value)))
        for target in node.targets
        if isinstance(target, ast.Name)
    }


def _compared(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Yield the line and each name of the comparisons in a cell."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Compare):
            for part in ast.walk(node):
                if isinstance(part, ast.Name):
                    yield node.lineno, part.id


def _set_anew(cells: list[NotebookNode]) -> Iterator[tuple[NotebookNode, str]]:
    """Yield where a test compares with a number that a solution cell can set anew."""
    trees = []
    for cell in cells:
        if kind(cell) in {"given", "test"} and cell.cell_type == "code":
            with suppress(SyntaxError):  # a magic, or what another rule names
                trees.append((cell, ast.parse(cell.source)))
    given = set().union(*(_numbers(tree) for cell, tree in trees if kind(cell) == "given"))
    for cell, tree in trees:
        own = _numbers(tree) if kind(cell) == "test" else set()
        for line, name in _compared(tree):
            if name in given - own:
                yield (
                    cell,
                    f"line {line} compares with {name}, which a solution can set anew. Write the "
                    "number there",
                )


RULES = {"solution": _of_a_solution, "test": _of_a_test, "task": _of_a_task}


def _of_a_part(cells: list[NotebookNode], number: int) -> Iterator[str]:
    """Yield the mistakes of a task: of its heading, `cells[0]`, and what is below it."""
    if _heading(cells[0]) != str(number):
        yield f"the task's number is {_heading(cells[0])}. Make it {number}"
    worth, said = sum(map(points, cells)), MINUTES_AND_POINTS.search(cells[0].source)
    if said is None:
        yield (
            "it does not say how long the task takes and what it is worth. Write a line "
            f"'**10 minutes · {worth} points**'"
        )
    elif int(said[2]) != worth:
        yield f"it says {said[2]} points, and the cells of the task have {worth}. Mend one of them"
    kinds = {kind(cell) for cell in cells}
    if not kinds & GRADED:
        yield "nothing below it is graded. Add a test or a written task"
    if "test" in kinds and "solution" not in kinds:
        yield (
            "the task has a test and no solution cell, so students would be given the answer. Set "
            "solution to true, and locked to false, where they write"
        )


def _heading(cell: NotebookNode) -> str:
    found = HEADING.search(cell.source) if cell.cell_type == "markdown" else None
    return found[1] if found else ""


def _named(notebook: NotebookNode) -> Iterator[tuple[NotebookNode, str]]:
    """Yield the mistakes in the source of an assignment, each with its cell."""
    cells = notebook.cells
    for cell, after in zip(cells, [*cells[1:], None], strict=True):
        of_any = list(_of_any_cell(cell))
        more = RULES.get(kind(cell)) if not of_any else None
        yield from ((cell, mistake) for mistake in [*of_any, *(more(cell) if more else ())])
        if kind(cell) == "task" and (
            after is None or after.cell_type != "markdown" or kind(after) != "plain"
        ):
            yield (
                cell,
                "students have no place for their answer. Put a Markdown cell without nbgrader's "
                "metadata below it",
            )
    yield from _set_anew(cells)
    starts = [i for i, cell in enumerate(cells) if _heading(cell)]
    if not starts:
        yield cells[0], "no cell begins a task. Begin each with '## 1. What it is about'"
    if not any(kind(cell) == "given" and PREPARES.search(cell.source) for cell in cells):
        yield (
            cells[0],
            "no given cell calls `prepare()` of `lockstep.assignment`: a warning costs points, and "
            "a test can hang. Call it below the imports",
        )
    for cell in cells[: min(starts, default=0)]:
        if kind(cell) in {"solution", *GRADED}:
            yield cell, "it is above the first task. Move it below its heading"
    for number, (start, end) in enumerate(zip(starts, [*starts[1:], None], strict=False), 1):
        yield from ((cells[start], text) for text in _of_a_part(cells[start:end], number))
    minutes = sum(
        int(found[1]) for one in cells if (found := MINUTES_AND_POINTS.search(one.source))
    )
    told = MINUTES.search(cells[0].source)
    if told is None or int(told[1]) != minutes or minutes > MOST_MINUTES:
        yield (
            cells[0],
            f"it says {told and told[1]} minutes, and its tasks take {minutes}. Say the sum, of at "
            f"most {MOST_MINUTES}; cut what other assignments ask as well",
        )
    worth, said = sum(map(points, cells)), TOTAL.search(cells[0].source)
    if said is None or int(said[1]) != worth:
        yield (
            cells[0],
            f"it says {said and said[1]} points, and all tasks together have {worth}. Write "
            f"'**{worth} points**'",
        )


def source_mistakes(notebook: NotebookNode) -> list[str]:
    """Return what is wrong with the source of an assignment."""
    return [f"cell {cell.id!r}: {mistake}" for cell, mistake in _named(notebook)]


def leaks(notebook: NotebookNode, released: NotebookNode) -> list[str]:
    """Return what a release shows of its source's solutions, hidden tests and mark schemes."""
    found = []
    parts = {cell.id: split(cell.source) for cell in notebook.cells}
    visible = "\n".join(text for text, _ in parts.values())
    secrets = {
        line.strip(): name
        for name, (_, lines) in parts.items()
        for line in lines
        if len(line.strip()) > 5 and line.strip() not in visible
    }
    for cell in released.cells:
        shown = [(line, name) for line, name in secrets.items() if line in cell.source]
        for line, name in shown[:1]:
            found.append(
                f"cell {cell.id!r}: shows {line!r}, which is hidden in {name!r} of the source"
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

    try:
        notebook = releases.load(path)
    except ValueError as error:
        return [str(error)]
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

    for file in [*sorted(answered.glob("right/*.py")), answered / WRONG]:
        if file.exists():
            lines += found(file, nothing_to_say({"it": file.read_text(encoding="utf-8")}))
    try:
        answers(name, exercises)
    except ValueError as error:
        lines += str(error).splitlines()
    return lines
