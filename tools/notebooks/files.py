"""Which notebooks there are, and what is in them."""

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

from tools import ROOT
from tools.notebooks import setup_cell


def below(folder: str) -> list[Path]:
    """Return every notebook below a folder of the course."""
    return sorted(
        path for path in (ROOT / folder).rglob("*.ipynb") if ".ipynb_checkpoints" not in path.parts
    )


def chapters() -> list[Path]:
    """Return every notebook of the book."""
    return below("book")


def solved() -> list[Path]:
    """Return every assignment with its solutions."""
    return below("exercises/source")


def pages_in_toc() -> list[str]:
    """Return every page that _toc.yml names, without suffix."""

    def walk(entry: Any) -> Iterator[str]:
        if isinstance(entry, list):
            for item in entry:
                yield from walk(item)
        elif isinstance(entry, dict):
            for key, value in entry.items():
                if key in {"root", "file"}:
                    yield re.sub(r"\.(ipynb|md)$", "", value)
                else:
                    yield from walk(value)

    return list(walk(yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8"))))


def parts_in_toc() -> list[tuple[str, list[str]]]:
    """Return the caption of each part of the book, and its pages, without suffix."""
    toc = yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8"))
    return [
        (part["caption"], [chapter["file"] for chapter in part["chapters"]])
        for part in toc.get("parts", [])
    ]


def name(notebook: Path) -> str:
    """Return the name of a notebook: a chapter's is its slug, an assignment's exercises/SLUG."""
    return notebook.stem if notebook in chapters() else f"exercises/{notebook.stem}"


def find(wanted: str) -> Path:
    """Return the notebook of this name; exit if there is none."""
    known = {name(path): path for path in chapters() + solved()}
    if wanted not in known:
        names = ", ".join(known) or "none"
        sys.exit(f"There is no notebook named {wanted!r}. NAME can be one of: {names}")
    return known[wanted]


def cells(notebook: Path) -> list[dict[str, Any]]:
    """Return the cells of a notebook; exit if the file is none."""
    try:
        found: list[dict[str, Any]] = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    except (ValueError, KeyError, TypeError) as error:
        sys.exit(
            f"{notebook.relative_to(ROOT)} is no notebook ({type(error).__name__}: {error}). "
            "Mend it, or take it from git again."
        )
    return found


def sources(notebook: Path) -> list[str]:
    """Return the source of each code cell of a notebook."""
    code = [cell for cell in cells(notebook) if cell["cell_type"] == "code"]
    return ["".join(cell["source"]) for cell in code]


def script(notebook: Path, name: str) -> str:
    """Return a script as the notebook's cells `%%writefile [-a] NAME` write it."""
    parts = [source.partition("\n") for source in sources(notebook)]
    heads = (f"%%writefile {name}", f"%%writefile -a {name}")
    if not (found := [f"{text}\n" for head, _, text in parts if head in heads]):
        raise LookupError(f"no cell of {notebook.name} writes {name}")
    return "".join(found)


def begins_with(notebook: Path) -> tuple[list[str], list[str]]:
    """Return the frameworks that a notebook begins with, and those of the scripts that it launches.

    Among the latter is "", of a script that imports none.
    """
    cell = "".join(sources(notebook)[:1])
    try:
        names = setup_cell.frameworks(cell)
    except ValueError:  # it has no set-up cell
        return [], []
    return names, [*([""] if setup_cell.launches(cell) else []), *setup_cell.launches(cell)]


def spins(notebook: Path) -> bool:
    """Say whether a notebook keeps all cores busy: mirrored replicas wait for each other so."""
    code = [source for source in sources(notebook) if not source.startswith("%%writefile")]
    return any(re.search(r"distribute\.(Mirrored|CentralStorage)Strategy\(", text) for text in code)
