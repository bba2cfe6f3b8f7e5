"""The set-up cell, the first code cell of every notebook.

Usage: python -m tools.notebooks.setup_cell   (writes it into all of them)

Its text is here and nowhere else. A notebook keeps the frameworks that it starts with. The
release of an assignment gets the cell from its source, by `make release`.
"""

import re
import sys
from pathlib import Path

import nbformat
from nbformat import NotebookNode

from lockstep import __version__, ahead
from tools.site import address

CELL_ID = "setup"
TEXT = """\
# @title Set-up: gets the course's package, prints versions
import importlib.metadata
import subprocess
import sys

ADDRESS = "https://github.com/{slug}"
try:
    importlib.metadata.version("lockstep-course")
except importlib.metadata.PackageNotFoundError:
    if "NOT-SET" in ADDRESS:
        raise RuntimeError(
            "The course's package is not installed, and the course has no public "
            "address yet to install it from. In a clone, run `pip install .` in its "
            "top folder. The maintainer: `make address SLUG=owner/name`."
        ) from None
    print(f"Installing the course's package from {{ADDRESS}}")
    package = f"lockstep-course @ git+{{ADDRESS}}"
    command = [sys.executable, "-m", "pip", "install", "-q", package]
    pip = subprocess.run(command, capture_output=True, text=True)
    if pip.returncode != 0:
        raise RuntimeError(f"pip could not install it:\\n{{pip.stderr}}") from None

from lockstep.runtime import start

start({arguments})"""
START = re.compile(r"^start\((.*)\)$", re.MULTILINE)


def notebooks(root: Path) -> list[Path]:
    """Return the notebooks of the course below `root`, in order of their paths."""
    return sorted(
        path
        for folder in ("book", "exercises")
        for path in (root / folder).rglob("*.ipynb")
        if ".ipynb_checkpoints" not in path.parts
    )


def compatible(version: str) -> str:
    """Return the part of the package's `version` that must not change under a notebook.

    Before 1.0 every minor version may break notebooks, from then on only a major one.
    """
    major, minor, *_ = version.split(".")
    return f"{major}.{minor}" if major == "0" else major


def text(slug: str, names: list[str], launches: list[str] | None = None) -> str:
    """Return the source of the set-up cell of a notebook that uses the frameworks `names`.

    Args:
        slug: the repository, owner/name.
        names: what the kernel imports.
        launches: what the scripts import that it launches.
    """
    arguments = [f'"{name}"' for name in names]
    if launches:
        arguments.append(f'launches="{", ".join(launches)}"')
    arguments.append(f'course="{compatible(__version__)}"')
    return TEXT.format(slug=slug, arguments=", ".join(arguments))


def first_code_cell(notebook: NotebookNode) -> NotebookNode:
    """Return the first code cell of `notebook`.

    Raises:
        ValueError: there is none.
    """
    for cell in notebook.cells:
        if cell.cell_type == "code":
            return cell
    raise ValueError("no code cell")


def frameworks(source: str) -> list[str]:
    """Return the frameworks that a set-up cell starts with.

    Raises:
        ValueError: it has no line `start("a framework", ...)`.
    """
    lines = START.findall(source)
    if len(lines) != 1:
        raise ValueError('the first code cell needs one line `start("tensorflow", "torch")`')
    return re.findall(r'(?:^|, )"([^"]*)"', lines[0])


def launches(source: str) -> list[str]:
    """Return the frameworks that a set-up cell has made ready for what is launched."""
    found = re.search(r'launches="([^"]*)"', source)
    return found[1].split(", ") if found else []


def launched(notebook: NotebookNode) -> list[str]:
    """Return the frameworks that the scripts of a notebook import, if it launches any."""
    code = [cell.source for cell in notebook.cells if cell.cell_type == "code"]
    if not any(re.search(r"^from lockstep.launch import", source, re.MULTILINE) for source in code):
        return []
    scripts = "\n".join(source for source in code if source.startswith("%%writefile"))
    found = set(re.findall(r"^(?:import|from) (\w+)", scripts, re.MULTILINE))
    return ahead.frameworks(found, {})


def expected(notebook: NotebookNode, slug: str) -> str:
    """Return the source that the first code cell of `notebook` must have.

    Raises:
        ValueError: that cell has no line `start("a framework", ...)`.
    """
    return text(slug, frameworks(first_code_cell(notebook).source), launched(notebook))


def main() -> int:
    root = Path.cwd()
    slug = address.current(root)
    status = 0
    for path in notebooks(root):
        if path.is_relative_to(root / "exercises" / "release"):
            continue
        notebook = nbformat.read(path, as_version=4)
        try:
            source = expected(notebook, slug)
        except ValueError as error:
            print(f"{path.relative_to(root)}: {error}", file=sys.stderr)
            status = 1
            continue
        cell = first_code_cell(notebook)
        if (cell.source, cell.get("id")) != (source, CELL_ID):
            cell.source, cell["id"] = source, CELL_ID
            nbformat.write(notebook, path)
            print(path.relative_to(root))
    return status


if __name__ == "__main__":
    sys.exit(main())
