"""Gives cells that have the random id of an editor one in words, from the heading above them.

Usage: python -m tools.notebooks.ids   (all chapters; `make format` does it)

JupyterLab does not show ids. Cells of assignments have the one that nbgrader knows them by.
"""

import html
import itertools
import re
import unicodedata

import nbformat
from nbformat import NotebookNode

from tools.notebooks import files

# As JupyterLab, VS Code, Colab and nbformat make them.
RANDOM = re.compile(r"[0-9a-f]{8}-?(?:[0-9a-f]{4}-?){3}[0-9a-f]{12}|(?=.*\d)[0-9a-f]{8}|.*[A-Z_].*")
HEADING = re.compile(r"^#+ +(.+)$", re.MULTILINE)


def anchor(heading: str) -> str:
    """The id that the book gives to a heading, from its Markdown text.

    The rule is docutils' `nodes.make_id` (docutils 0.21), for text in Latin letters.
    """
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", html.unescape(heading)).lower()
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode()
    return re.sub(r"^[-0-9]+|-+$", "", re.sub(r"[^a-z0-9]+", "-", " ".join(plain.split())))


def rename(notebook: NotebookNode) -> dict[str, str]:
    """Give cells with a random id one in words; return the new ids by the old ones."""
    taken = {cell.id for cell in notebook.cells}
    renamed = {}
    section = "start"
    for cell in notebook.cells:
        if cell.cell_type == "markdown" and (heading := HEADING.search(cell.source)):
            section = anchor(heading[1]) or section
        if RANDOM.fullmatch(cell.id):
            names = (f"{section}-{number}" for number in itertools.count(2))
            new = next(name for name in itertools.chain([section], names) if name not in taken)
            taken.add(new)
            renamed[cell.id] = new
            cell.id = new
    return renamed


if __name__ == "__main__":
    for path in files.chapters():
        notebook = nbformat.read(path, as_version=nbformat.NO_CONVERT)
        for old, new in rename(notebook).items():
            print(f"{path.name}: the cell {old} is called {new} now")
            nbformat.write(notebook, path)
