"""Mistakes kept as edits of cells: in YAML, an entry each with what it replaces by what, and why.

Wrong answers to assignments (`tools.assignments.answers`) and mutants of chapters
(`tools.notebooks.mutants`) are read by this.
"""

import textwrap
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import yaml

from lockstep.questions import NoKeyTwice, near

EDIT, WHOLE, SEVERAL = {"cell", "replace", "by"}, {"cell", "source"}, {"edits"}


def entries(file: Path) -> list[dict[str, Any]]:
    """Return the entries of a file, which need not exist.

    Raises:
        ValueError: it is no list of mappings, or an id is there twice.
    """
    try:
        found = yaml.load(file.read_text(encoding="utf-8"), NoKeyTwice) if file.exists() else []
    except yaml.YAMLError as error:
        raise ValueError(f"not valid YAML: {' '.join(str(error).split())}") from None
    if not isinstance(found, list) or not all(isinstance(entry, dict) for entry in found):
        raise ValueError("it must be a list, in which each entry begins with `- id: ...`.")
    for name, times in Counter(str(entry.get("id")) for entry in found).items():
        if times > 1:
            raise ValueError(f"the id {name!r} is there {times} times. Rename all but one.")
    return found


def edited(
    entry: dict[str, Any], named: set[str], sources: dict[str, str], kind: str
) -> dict[str, str]:
    """Return the new text of each cell that an entry edits, by its id.

    Args:
        entry: the keys `named`, and an edit; or `edits`, a list of them. An edit has the keys
            cell, replace and by, or cell and source.
        named: the keys of an entry beside its edit.
        sources: the text of each cell that it may edit, by its id.
        kind: what such a cell is called.

    Raises:
        ValueError: it breaks a rule of such entries.
    """
    _check(entry, [named | EDIT, named | WHOLE, named | SEVERAL], named)
    cells: dict[str, str] = {}
    for edit in entry.get("edits", [entry]):
        if edit is not entry:
            _check(edit, [EDIT, WHOLE], named)
        name = edit["cell"]
        must_be_one_of(name, sources, kind)
        text = cells.get(name, sources[name])
        try:
            cells[name] = edit["source"] if "source" in edit else replaced(text, edit)
        except ValueError as error:
            raise ValueError(f"cell {name!r}: {error}") from None
    return cells


def _check(entry: Any, shapes: list[set[str]], named: set[str]) -> None:
    """Raise ValueError if an entry or an edit has other keys than one of the shapes, or no text."""
    possible = set().union(*shapes)
    given = {str(key) for key in entry} if isinstance(entry, dict) else set()
    if unknown := sorted(given - possible):
        raise ValueError(f"unknown key {unknown[0]!r}{near(unknown[0], possible)}.")
    if given not in shapes:
        raise ValueError(
            f"it has the keys {', '.join(sorted(given)) or '(none)'}. Write "
            f"{', '.join(sorted(named))}, and then cell, replace and by; or cell and source; or "
            "edits, a list of these."
        )
    for key, value in entry.items():
        if not isinstance(value, list if key in SEVERAL else str) or not (value or key == "by"):
            wanted = "a list of edits" if key in SEVERAL else f"text: a block, `{key}: |`"
            raise ValueError(f"{key!r} is {value!r}. Write {wanted}.")


def must_be_one_of(name: str, known: Iterable[str], what: str) -> None:
    """Raise ValueError if a name is not known."""
    if name not in known:
        raise ValueError(f"no {what} is called {name!r}, only: {', '.join(known)}.")


def replaced(text: str, edit: dict[str, str]) -> str:
    """Return the text of a cell after an edit.

    Raises:
        ValueError: the lines that it replaces are not there, or are there more than once.
    """
    lines, old = text.split("\n"), edit["replace"].rstrip("\n").split("\n")
    found = [
        at
        for at in range(len(lines) - len(old) + 1)
        if textwrap.dedent("\n".join(lines[at : at + len(old)])) == "\n".join(old)
    ]
    if len(found) != 1:
        raise ValueError(
            f"the lines of `replace`, from {old[0]!r}, are {len(found)} times in the cell. "
            "Write lines that are there once, one after the other, without their common "
            "indentation; or the whole cell, as `source`."
        )
    begin, end = found[0], found[0] + len(old)
    indent = lines[begin].removesuffix(old[0])
    by = textwrap.indent(edit["by"].rstrip("\n"), indent)
    return "\n".join([*lines[:begin], *([by] if by else []), *lines[end:]])
