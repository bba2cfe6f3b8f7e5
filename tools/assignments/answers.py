"""Reads the answers that the tests of an assignment are tried on.

In exercises/answers/NAME, right/ has right answers, a file each, and wrong.yaml the wrong ones, an
entry each: an edit of the reference, and the test cell that must fail.
"""

import ast
import copy
import re
from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from nbformat import NotebookNode
from nbgrader.utils import is_solution

from lockstep.grading.score import autograded
from tools import EXERCISES, edits
from tools.assignments import releases

WRONG = "wrong.yaml"
NAMED = {"id", "why", "fails"}  # the keys of an entry beside its edit
SECTION = re.compile(r"^# %% *(.*)$", re.MULTILINE)


class Answer(NamedTuple):
    """Other text for some of the solution cells."""

    label: str
    fails: str | None  # the test cell that a wrong answer must lose
    cells: dict[str, str]


def solutions(notebook: NotebookNode) -> dict[str, NotebookNode]:
    """Return the solution cells of a notebook by grade_id."""
    return {cell.metadata.nbgrader.grade_id: cell for cell in notebook.cells if is_solution(cell)}


def code(text: str) -> str:
    """Return the syntax tree of a cell, without its docstrings, as text."""
    tree = ast.parse(text)
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and ast.get_docstring(node) is not None:
            del node.body[0]
    return ast.dump(tree)


def right_answer(path: Path) -> Answer:
    """Read the file of a right answer.

    Raises:
        ValueError: it breaks a rule of such files.
    """
    text = path.read_text(encoding="utf-8")
    try:
        reason = ast.get_docstring(ast.parse(text))
    except SyntaxError as error:
        raise ValueError(f"line {error.lineno} is not Python: {error.msg}.") from None
    head, *parts = SECTION.split(text)
    names = [part.strip() for part in parts[::2]]
    if not reason or not names or len(ast.parse(head).body) > 1:
        raise ValueError(
            "it must begin with a docstring that says what is different about it, and then have "
            "`# %% ID` above the text of each solution cell that differs from the reference."
        )
    if twice := [name for name, times in Counter(names).items() if times > 1]:
        raise ValueError(f"`# %% {twice[0]}` is there twice; write a cell's text once.")
    return Answer(f"right/{path.stem}", None, dict(zip(names, parts[1::2], strict=True)))


def wrong_answer(entry: dict[str, Any], reference: dict[str, str]) -> Answer:
    """Read an entry of wrong.yaml, which `tools.edits` describes.

    Args:
        entry: the keys id, why and fails, and an edit or several.
        reference: the text of each solution cell, by its id.

    Raises:
        ValueError: it breaks a rule of such entries.
    """
    cells = edits.edited(entry, NAMED, reference, "solution cell")
    return Answer(f"wrong/{entry['id']}", entry["fails"], cells)


def _check_cells(answer: Answer, reference: dict[str, str]) -> None:
    """Raise ValueError if a cell of an answer is no Python, or does what the reference's does."""
    for name, text in answer.cells.items():
        edits.must_be_one_of(name, reference, "solution cell")
        try:
            same = code(text) == code(reference[name])
        except SyntaxError as error:
            raise ValueError(
                f"cell {name!r} is no Python, line {error.lineno}: {error.msg}."
            ) from None
        if same:
            raise ValueError(f"cell {name!r}: nothing is changed. Change it, or leave it out.")


def answers(name: str, exercises: Path = EXERCISES) -> list[Answer]:
    """Return the answers to an assignment, the right ones first.

    Raises:
        ValueError: a line for each mistake names the file, the answer, and the way out.
    """
    notebook = releases.load(releases.source(name, exercises))
    reference = {name: cell.source for name, cell in solutions(notebook).items()}
    folder = releases.answers(name, exercises)
    found: dict[str, Answer] = {}  # by what they do
    mistakes = []
    readers: list[tuple[str, Callable[[], Answer]]] = [
        (f"right/{path.name}", partial(right_answer, path))
        for path in sorted(folder.glob("right/*.py"))
    ]
    try:
        for entry in edits.entries(folder / WRONG):
            where = f"{WRONG}, {entry.get('id')!r}"
            readers.append((where, partial(wrong_answer, entry, reference)))
    except ValueError as error:
        mistakes.append(f"{WRONG}: {error}")
    for where, read in readers:
        try:
            answer = read()
            _check_cells(answer, reference)
            if answer.fails is not None:
                edits.must_be_one_of(answer.fails, autograded(notebook), "test cell")
            does = repr(sorted((name, code(text)) for name, text in answer.cells.items()))
            if does in found:
                raise ValueError(f"the same code as {found[does].label}. Keep one of them.")
            found[does] = answer
        except ValueError as error:
            mistakes.append(f"{where}: {error}")
    if mistakes:
        shown = folder.relative_to(exercises.parent)
        raise ValueError("\n".join(f"{shown}/{mistake}" for mistake in mistakes))
    return list(found.values())


def with_answer(notebook: NotebookNode, answer: Answer) -> NotebookNode:
    """Return a copy of a notebook with the solution cells of an answer."""
    notebook = copy.deepcopy(notebook)
    cells = solutions(notebook)
    for name, source in answer.cells.items():
        cells[name].source = source
    return notebook
