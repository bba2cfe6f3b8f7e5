"""Lints and formats the scripts that notebooks write, as ruff does all other code.

Usage: python -m tools.notebooks.scripts check|format

ruff leaves out cells that begin with `%%writefile [-a] NAME.py`. Here it gets their text as a file
beside the notebook, so that the settings of that folder hold. A script is linted as a whole.
`format` sorts the imports of each cell and lays it out on its own.
"""

import json
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import chain
from pathlib import Path
from typing import NamedTuple

import nbformat
from nbformat import NotebookNode
from ruff import find_ruff_bin

from tools import ROOT
from tools.notebooks import files

HEAD = re.compile(r"%%writefile[ \t]+(-a[ \t]+|--append[ \t]+)?(\S+\.py)[ \t]*\n")
BLANK = "\n\n"  # above what is appended: two lines, as between functions


class Script(NamedTuple):
    """The cells that write a script, in order, and the names of all scripts of their notebook."""

    path: Path
    cells: list[NotebookNode]
    siblings: list[str]


def scripts_of(path: Path, notebook: NotebookNode) -> list[Script]:
    """Return the scripts of the notebook at `path`. A cell without -a begins a new one."""
    found: dict[str, list[list[NotebookNode]]] = {}
    for cell in notebook.cells:
        if cell.cell_type == "code" and (head := HEAD.match(cell.source)):
            written = found.setdefault(head[2], [])
            if written and head[1]:
                written[-1].append(cell)
            else:
                written.append([cell])
    names = [Path(name).stem for name in found]
    return [Script(path.with_name(n), cells, names) for n in found for cells in found[n]]


def text_of(cells: list[NotebookNode]) -> str:
    """Return what cells write."""
    return "".join(HEAD.sub("", cell.source, count=1) + "\n" for cell in cells)


def ruff(script: Script, text: str, *command: str) -> subprocess.CompletedProcess[str]:
    """Run ruff on `text` as the file of `script`."""
    ours = f"lint.isort.known-first-party={json.dumps(['lockstep', *script.siblings])}"
    options = ["--quiet", "--config", ours, "--stdin-filename", str(script.path), "-"]
    return subprocess.run(
        [find_ruff_bin(), *command, *options], input=text, capture_output=True, text=True, cwd=ROOT
    )


def lint(script: Script, cells: list[NotebookNode], *options: str) -> list[tuple[str, int, str]]:
    """Return what ruff finds in the text of cells: a cell's id, the line in it, and what it is.

    Raises:
        RuntimeError: ruff did not run, with what it said.
    """
    done = ruff(script, text_of(cells), "check", "--output-format", "json", *options)
    if done.returncode not in (0, 1):
        raise RuntimeError(f"ruff check of {script.path}: {done.stderr}")
    places = [
        (cell.id, line)
        for cell in cells
        for line in range(2, 2 + text_of([cell]).count("\n"))  # line 1 is %%writefile
    ]
    found = []
    for one in json.loads(done.stdout):
        row = min(one["location"]["row"], len(places))  # an unexpected end is after the last line
        found.append((*places[row - 1], f"{one['code']} {one['message']}"))
    return found


def laid_out(script: Script, cell: NotebookNode) -> str | None:
    """Return the source of a cell as it should be, or None if its text has a syntax error."""
    ordered = ruff(script, text_of([cell]), "check", "--select", "I", "--fix-only").stdout
    done = ruff(script, ordered, "format")
    head = HEAD.match(cell.source)
    if done.returncode or head is None:
        return None
    return head[0] + (BLANK if head[1] else "") + done.stdout.rstrip("\n")


def findings(script: Script, lay_out: bool) -> list[tuple[str, int, str]]:
    """Return what is wrong with a script, as `lint` does; lay out its cells before, if asked."""
    found = []
    for cell in script.cells:
        source = laid_out(script, cell)
        if source is None:
            found += lint(script, [cell], "--select", "I")
        elif lay_out:
            cell.source = source
        elif source != cell.source:
            found.append((cell.id, 1, "not laid out as ruff does: run `make format`"))
    # A syntax error is found twice. The order of imports belongs to the layout of a cell.
    return list(dict.fromkeys(lint(script, script.cells, "--ignore", "I") + found))


def run(paths: list[Path], lay_out: bool) -> list[str]:
    """Check the scripts of notebooks, laid out before if asked; return a line for each finding."""
    lines = []
    with ThreadPoolExecutor() as pool:
        for path in paths:
            notebook = nbformat.read(path, as_version=4)
            before = nbformat.writes(notebook)
            name = os.path.relpath(path, ROOT)
            work = partial(findings, lay_out=lay_out)
            for cell, line, what in chain(*pool.map(work, scripts_of(path, notebook))):
                lines.append(f"{name}, cell {cell}, line {line}: {what}")
            if nbformat.writes(notebook) != before:
                nbformat.write(notebook, path)
                print(f"{name}: laid out")
    return lines


def main(arguments: list[str]) -> int:
    """Do what is asked for, in all notebooks of the course; return the exit code."""
    if arguments not in (["check"], ["format"]):
        sys.exit(
            f"python -m tools.notebooks.scripts takes check or format, not {' '.join(arguments)!r}."
        )
    found = run(files.chapters() + files.solved(), lay_out=arguments == ["format"])
    print("\n".join(found) or "All scripts in notebooks passed.")
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
