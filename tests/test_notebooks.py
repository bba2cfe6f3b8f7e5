"""What every chapter and every assignment must be, before anybody executes it.

What only an assignment must be: test_assignments.py.
"""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from tools import ROOT
from tools.assignments import releases
from tools.notebooks import files, folds
from tools.notebooks.chapter import PLACEHOLDER
from tools.notebooks.ids import RANDOM

MOST_WORDS = 3300  # "about 3,000"
MOST_LINES = 30  # "about 25", blank ones not counted, nor those that students do not get
MOST_SCRIPT_LINES = 40  # a script that readers take with them stays whole
MOST_FOLDED_LINES = 60  # what is folded is looked at by few
# They would let a cell fail or go unexecuted. A mistake on purpose is caught and asserted on.
SILENCERS = re.compile(r"raises-exception|nbval-|#\s*NBVAL_", re.IGNORECASE)
NOT_FOR_STUDENTS = re.compile(
    r"^ *### BEGIN (SOLUTION|HIDDEN TESTS)$.*?^ *### END \1$", re.DOTALL | re.MULTILINE
)
MYST = re.compile(r"^(?:```|:::+)\s*\{|\{[a-z:]+\}`", re.MULTILINE)
EMPTY_ALT = re.compile(r"!\[\s*\]\(")


def mistakes(notebook: nbformat.NotebookNode) -> list[str]:
    """Return what is wrong with a notebook, a line for each mistake."""
    found = []
    if notebook.metadata.get("kernelspec", {}).get("name") != "python3":
        found.append("its kernel must be python3, which Colab has too")
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    text = [cell for cell in notebook.cells if cell.cell_type == "markdown"]
    if not code or code[0].id != "setup":
        found.append("its first code cell must be the set-up cell, with the id 'setup'")
    if not text or not text[0].source.startswith("# "):
        found.append("its first cell must be Markdown that starts with the title, '# ...'")
    ids = [cell.id for cell in notebook.cells]
    found += [
        f"cell id {name!r} is there twice" for name in sorted({i for i in ids if ids.count(i) > 1})
    ]
    for cell in notebook.cells:
        if RANDOM.fullmatch(cell.id) or not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", cell.id):
            found.append(f"cell id {cell.id!r} must be words with hyphens: `make format`")
        if SILENCERS.search(cell.source) or SILENCERS.search(
            " ".join(cell.metadata.get("tags", []))
        ):
            found.append(f"cell {cell.id!r} hides a failure from nbval: catch it and assert on it")
    for cell in code:
        if cell.outputs or cell.execution_count is not None:
            found.append(f"cell {cell.id!r} has stored output: clear all outputs and save")
        seen = NOT_FOR_STUDENTS.sub("", releases.without_heading(cell.source))
        lines = sum(bool(line.strip()) for line in seen.splitlines())
        most = MOST_FOLDED_LINES if folds.title(cell.source) else MOST_LINES
        if cell.source.startswith("%%writefile"):
            most = MOST_SCRIPT_LINES
        if lines > most:
            found.append(
                f"cell {cell.id!r} has {lines} lines of code, of at most {most}: one idea a cell"
            )
    for cell in code:
        if cell.id.startswith("program"):
            script = re.sub(r"\A%%.*\n", "", cell.source)
            imported = set(re.findall(r"^import .*?(\w+)$", script, re.MULTILINE))
            used = set(re.findall(r"\b(keras|np|tf|torch)\.", script))
            if missing := sorted(used - imported):
                found.append(f"cell {cell.id!r} does not import {', '.join(missing)}: it is copied")
    for cell in text:
        if MYST.search(cell.source):
            found.append(f"cell {cell.id!r} has MyST markup, which Colab and GitHub show raw")
        if PLACEHOLDER in cell.source:
            found.append(f"cell {cell.id!r} has nothing to say yet where it says {PLACEHOLDER}")
        if EMPTY_ALT.search(cell.source):
            found.append(f"cell {cell.id!r} has an image without a text alternative")
    if (words := sum(len(cell.source.split()) for cell in text)) > MOST_WORDS:
        found.append(f"it has {words} words, of at most about 3,000")
    return found


@pytest.mark.parametrize("path", files.chapters() + files.solved(), ids=files.name)
def test_notebook_is_as_it_must_be(path: Path) -> None:
    notebook = releases.load(path)
    assert (notebook.nbformat, notebook.nbformat_minor) >= (4, 5), "older formats have no cell ids"
    assert mistakes(notebook) == []
    nbformat.validate(notebook)


@pytest.mark.parametrize("path", files.chapters() + files.solved(), ids=files.name)
def test_a_notebook_lies_there_as_jupyter_writes_it(path: Path) -> None:
    """Another layout makes whole cells one line, and the next diff of anybody's the whole file."""
    text = path.read_text(encoding="utf-8")
    same = text == nbformat.writes(nbformat.reads(text, 4)) + "\n"
    assert same, f"open {path.name} in Jupyter and save it, without outputs"


def test_every_chapter_is_in_the_table_of_contents() -> None:
    chapters = {path.relative_to(ROOT).with_suffix("").as_posix() for path in files.chapters()}
    pages = set(files.pages_in_toc())
    assert chapters - pages == set(), "name them in _toc.yml, where readers are to find them"
    assert {page for page in pages if not (ROOT / f"{page}.md").exists()} == chapters


def good() -> nbformat.NotebookNode:
    """Return a small notebook without mistakes."""
    cells = [
        new_markdown_cell("# A chapter\n\n![a bar](bar.svg)", id="title"),
        new_code_cell("1 + 1", id="setup"),
    ]
    return new_notebook(
        cells=cells, metadata={"kernelspec": {"name": "python3", "display_name": "Python 3"}}
    )


def change(cell: int, **values: Any) -> Callable[[nbformat.NotebookNode], None]:
    """Return a function that changes a cell."""
    return lambda notebook: notebook.cells[cell].update(values)


MISTAKES: dict[str, Callable[[nbformat.NotebookNode], None]] = {
    "kernel must be python3": lambda notebook: notebook.metadata.clear(),
    "first code cell": change(1, id="first"),
    "first cell must be Markdown": change(0, source="A chapter"),
    "is there twice": change(0, id="setup"),
    "words with hyphens": change(0, id="A1b2C3"),
    "must be words": change(0, id="0a1b2c3d"),
    "'program' does not import np": lambda notebook: notebook.cells.append(
        new_code_cell("np.ones(3)", id="program")
    ),
    "'setup' hides a failure": change(1, source="# NBVAL_SKIP\n1 / 0"),
    "hides a failure": change(1, metadata={"tags": ["raises-exception"]}),
    "stored output": change(1, outputs=[nbformat.v4.new_output("stream", text="2")]),
    "has stored output": change(1, execution_count=1),
    "of at most 30: one idea a cell": change(1, source="x = 1\n" * (MOST_LINES + 1)),
    "of at most 40": change(1, source="%%writefile a.py\n" + "x = 1\n" * MOST_SCRIPT_LINES),
    "MyST": change(0, source="# A chapter\n\n```{note}\nLook.\n```"),
    "MyST markup": change(0, source="# A chapter\n\n{doc}`other`"),
    "has nothing to say yet": change(0, source="# A chapter\n\nPLACEHOLDER: the question"),
    "without a text alternative": change(0, source="# A chapter\n\n![](bar.svg)"),
    "at most about": change(0, source="# A chapter\n" + "word " * (MOST_WORDS + 1)),
}


def test_a_good_notebook_has_no_mistakes() -> None:
    assert mistakes(good()) == []


@pytest.mark.parametrize("said", MISTAKES)
def test_each_mistake_is_named(said: str) -> None:
    notebook = good()
    MISTAKES[said](notebook)
    assert any(said in line for line in mistakes(notebook))


def test_a_solution_and_hidden_tests_are_no_lines_of_a_cell() -> None:
    notebook = good()
    many = "    x = 1\n" * MOST_LINES
    for what in ("SOLUTION", "HIDDEN TESTS"):
        notebook.cells[1].source = f"def f():\n    ### BEGIN {what}\n{many}    ### END {what}\n"
        assert mistakes(notebook) == []


# Cells that are folded


@pytest.mark.parametrize(
    ("source", "title"),
    [
        ("# @title Check: both\nassert True", "Check: both"),
        ("%%writefile a.py\n# @title a.py: what it does\nimport json", "a.py: what it does"),
        ("%%writefile -a a.py\n\n\n# @title a.py, the end\nrun()", "a.py, the end"),
        ("# @title", ""),
        ("x = 1\n# @title Too late", ""),
        ("print('# @title')", ""),
    ],
)
def test_a_title_folds_a_cell(source: str, title: str) -> None:
    assert folds.title(source) == title
    notebook = new_notebook(cells=[new_code_cell(source), new_markdown_cell("# @title text")])
    assert folds.fold(notebook) == (title != "")
    assert (notebook.cells[0].metadata == folds.FOLDED) == (title != "")
    assert "@title" not in folds.without_title(source) or not title
    notebook.cells[0].source = "x = 1"
    folds.fold(notebook)
    assert notebook.cells[0].metadata == {}


@pytest.mark.parametrize("path", files.chapters() + files.solved(), ids=files.name)
def test_the_cells_with_a_title_are_folded_in_every_front_end(path: Path) -> None:
    notebook = nbformat.read(path, as_version=4)
    assert not folds.fold(notebook), "run `make format`"
