"""Cells that are folded, in every front end: those with a title in their first line.

Usage: python -m tools.notebooks.folds   (all notebooks; `make format` does it)

The line is a comment, `# @title What is inside`, below `%%writefile` where a cell has that. Colab
shows it in the place of the code. JupyterLab wants to be told in the metadata, which this writes.
"""

import re

import nbformat
from nbformat import NotebookNode

from tools.notebooks import files

TITLE = re.compile(r"\A(%%[^\n]*\n\s*)?# @title (\S[^\n]*)\n?")
FOLDED = {"cellView": "form", "jupyter": {"source_hidden": True}}  # Colab's, and JupyterLab's


def title(source: str) -> str:
    """Return the title of a cell, "" if it has none."""
    found = TITLE.match(source)
    return found[2].strip() if found else ""


def without_title(source: str) -> str:
    """Return a cell without the line that has its title."""
    return TITLE.sub(lambda found: found[1] or "", source)


def fold(notebook: NotebookNode) -> bool:
    """Fold the cells that have a title, unfold the others; say whether that changed anything."""
    changed = False
    for cell in notebook.cells:
        folded = title(cell.source) != "" if cell.cell_type == "code" else False
        for name, value in FOLDED.items():
            if folded and cell.metadata.get(name) != value:
                cell.metadata[name] = value
                changed = True
            elif not folded and cell.metadata.pop(name, None) is not None:
                changed = True
    return changed


if __name__ == "__main__":
    for path in [*files.chapters(), *files.solved()]:
        notebook = nbformat.read(path, as_version=nbformat.NO_CONVERT)
        if fold(notebook):
            nbformat.write(notebook, path)
            print(f"{path.name}: cells with a title are folded, the others are not")
