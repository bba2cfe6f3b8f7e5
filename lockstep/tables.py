"""Tables that a script has measured, because running every cell of them takes many minutes.

`measured/*.yaml` is written by `make tables` in a clone of the course, each cell by a process of
its own, with the versions that it ran on. Never edited; checked every week.
"""

import html
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

MEASURED = Path(__file__).parent / "measured"
SIGNS = {
    "equals": "✓ equals",
    "alone": "✗ one replica",
    "differs": "≠",
    "error": "✗",
    "not run": "–",
}


@dataclass(frozen=True)
class Table:
    """Cells, each a mapping that says what was run, and its outcome.

    `outcome` is one of "equals" (one device's weights, up to rounding), "alone" (they are, because
    one replica did all the work), "differs" (`by` how much), "error" and "not run" (`message`: the
    first line of the error). The other keys say what was run: those in `rows` head a row, those in
    `columns` a column.
    """

    name: str
    about: str
    versions: dict[str, str]
    largest_difference: float
    tolerance: float
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    cells: tuple[dict[str, Any], ...]

    def select(self, **keys: str) -> list[dict[str, Any]]:
        """The cells with these values, such as `select(strategy="Mirrored")`.

        Raises:
            ValueError: there is none, or the table has no such key.
        """
        axes = (*self.rows, *self.columns)
        if unknown := [key for key in keys if key not in (*axes, "outcome", "by", "message")]:
            raise ValueError(
                f"the table {self.name} has no {unknown[0]!r}: choose by {', '.join(axes)}."
            )
        found = [cell for cell in self.cells if keys.items() <= cell.items()]
        if not found:
            known = {key: list(dict.fromkeys(c.get(key) for c in self.cells)) for key in keys}
            raise ValueError(f"no cell of the table {self.name} is {keys}. There are: {known}.")
        return found

    def cell(self, **keys: str) -> dict[str, Any]:
        """The one cell with these values.

        Raises:
            ValueError: there is none, or several.
        """
        found = self.select(**keys)
        if len(found) > 1:
            keys_left = [key for key in (*self.rows, *self.columns) if key not in keys]
            raise ValueError(f"{len(found)} cells are {keys}: say {', '.join(keys_left)} too.")
        return found[0]

    def __repr__(self) -> str:
        head, body, notes = self._grid()
        lines = [[*self.rows, *(" ".join(names) for names in head)], *body]
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        text = [
            "  ".join(f"{entry:{width}}" for entry, width in zip(line, widths, strict=True))
            for line in lines
        ]
        return "\n".join([line.rstrip() for line in text] + ["", *notes, "", self._caption()])

    def _repr_html_(self) -> str:
        head, body, notes = self._grid()
        # The first rule undoes the light ground that the book's dark theme gives to HTML outputs.
        style = (
            ".text_html:has(>.lockstep-table)"
            "{padding:0!important;background:none!important;color:inherit!important}"
            ".lockstep-table>div{overflow-x:auto}"
            ".lockstep-table table{border-collapse:collapse;margin:0;color:inherit;font-size:.9em}"
            ".lockstep-table tr{background:none!important;color:inherit}"
            ".lockstep-table :is(th,td){text-align:left;vertical-align:top;padding:.3em .7em;"
            "border-bottom:1px solid rgb(128 128 128/.45);white-space:nowrap;color:inherit}"
            ".lockstep-table thead th{white-space:normal;vertical-align:bottom}"
            ".lockstep-table :is(p,ol){font-size:.875em;margin:.8em 0}"
            ".lockstep-table li{overflow-wrap:anywhere}"
        )
        first = "".join(f'<th scope="col">{html.escape(key)}</th>' for key in self.rows)
        first += "".join(
            f'<th scope="col">{"<br>".join(map(html.escape, names))}</th>' for names in head
        )
        lines = []
        for entries in body:
            names, values = entries[: len(self.rows)], entries[len(self.rows) :]
            line = "".join(f'<th scope="row">{html.escape(name)}</th>' for name in names)
            line += "".join(f"<td>{html.escape(value)}</td>" for value in values)
            lines.append(f"<tr>{line}</tr>")
        items = "".join(f"<p>{html.escape(note)}</p>" for note in notes)
        return (
            f'<div class="lockstep-table"><style>{style}</style>'
            f'<div tabindex="0" role="region" aria-label="Table: {html.escape(self.name)}">'
            f"<table><thead><tr>{first}</tr></thead><tbody>{''.join(lines)}</tbody></table></div>"
            f"{items}<p>{html.escape(self._caption())}</p></div>"
        )

    def _grid(self) -> tuple[list[Sequence[str]], list[list[str]], list[str]]:
        """The heads of the columns, the rows with their heads, and the messages, numbered."""
        head = list(dict.fromkeys(tuple(cell[key] for key in self.columns) for cell in self.cells))
        rows = list(dict.fromkeys(tuple(cell[key] for key in self.rows) for cell in self.cells))
        messages = list(dict.fromkeys(c["message"] for c in self.cells if "message" in c))
        entries = {}
        for cell in self.cells:
            place = tuple(cell[key] for key in (*self.rows, *self.columns))
            entry = SIGNS[cell["outcome"]]
            if "by" in cell:
                entry += f" by {cell['by']:g}"
            if "message" in cell:
                entry += f" [{messages.index(cell['message']) + 1}]"
            entries[place] = entry
        body = [[*row, *(entries.get((*row, *names), "") for names in head)] for row in rows]
        notes = [f"[{number}] {message}" for number, message in enumerate(messages, start=1)]
        return list(head), body, notes

    def _caption(self) -> str:
        versions = ", ".join(f"{name} {version}" for name, version in self.versions.items())
        return (
            f"{self.about} ✓ equals: off by at most {self.largest_difference:.1g}, and may be by "
            f"{self.tolerance:.1g}. Measured with {versions}."
        )


def load(name: str) -> Table:
    """Read one of the measured tables.

    Raises:
        ValueError: there is no table of this name.
    """
    names = sorted(path.stem for path in MEASURED.glob("*.yaml"))
    if name not in names:
        raise ValueError(f"no table is called {name!r}. There are: {', '.join(names)}.")
    return read(MEASURED / f"{name}.yaml")


def read(path: str | Path) -> Table:
    """Read a table from its file.

    Raises:
        ValueError: the file holds no table.
    """
    path = Path(path)
    try:
        given = yaml.safe_load(path.read_text(encoding="utf-8"))
        for key in ("rows", "columns", "cells"):
            given[key] = tuple(given[key])
        return Table(path.stem, **given)
    except (TypeError, KeyError, yaml.YAMLError) as error:
        raise ValueError(
            f"{path} holds no measured table: {error!r}. Read one that `make tables` wrote."
        ) from None
