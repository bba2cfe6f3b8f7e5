"""Feedback that shows no hidden test, for `GenerateFeedback.preprocessors` of nbgrader."""

import re
from collections.abc import Callable
from typing import Any

from nbconvert.filters import strip_ansi
from nbformat import NotebookNode
from nbformat.v4 import new_output
from nbgrader.preprocessors import ClearHiddenTests

HIDDEN = "[a line of a hidden test]"
NOT_SHOWN = "What this cell printed is not shown, because it has hidden tests.\n"
NO_POINTS = (
    "Something here wrote to standard error, perhaps a warning. A test cell then gets no points.\n"
)
LONG = 10  # a hidden line of so many characters is looked for inside of others, too
NUMBER = re.compile(r"(?:-+>)?\s*(?:\d+(?=\s|$))?\s*")  # how IPython starts a line of source


class HideHiddenTests(ClearHiddenTests):
    """Removes hidden tests from a graded notebook, and what its outputs tell of them.

    A traceback keeps the frames of cells, without their hidden lines, and the error's name and
    message. A cell with hidden tests keeps nothing else of its outputs: a student's function that
    they call may have printed their data, or their source.
    """

    def preprocess(self, nb: NotebookNode, resources: Any) -> tuple[NotebookNode, Any]:
        """Clear the sources, then the outputs."""
        graded = [cell.source for cell in nb.cells]
        nb, resources = super().preprocess(nb, resources)
        shown = lines([cell.source for cell in nb.cells])
        hidden = lines(graded) - shown
        long = [line for line in hidden if len(line) >= LONG]

        def tells(line: str) -> bool:
            """Is it a hidden line, or does it hold one?"""
            return line in hidden or (line not in shown and any(one in line for one in long))

        for cell, source in zip(nb.cells, graded, strict=True):
            if cell.cell_type == "code":
                if cell.source != source:
                    cell.outputs = errors_only(cell.outputs)
                for output in cell.outputs:
                    hide(output, tells)
        return nb, resources


def lines(sources: list[str]) -> set[str]:
    """Return the lines of some cells, without indentation."""
    return {line.strip() for source in sources for line in source.splitlines()}


def errors_only(outputs: list[NotebookNode]) -> list[NotebookNode]:
    """Return the errors among outputs, and a note on the rest."""
    errors = [output for output in outputs if output.output_type == "error"]
    notes = NOT_SHOWN if len(errors) < len(outputs) else ""
    if any(output.get("name") == "stderr" for output in outputs):
        notes += NO_POINTS
    return [*errors, new_output("stream", text=notes)] if notes else errors


def hide(output: NotebookNode, tells: Callable[[str], bool]) -> None:
    """Replace hidden lines in an output; drop the frames of a traceback that are not of cells."""
    if output.output_type == "error":
        # Frames of files show libraries, or the Python that AutoGraph made of a hidden function.
        cells = [part for part in output.traceback if not strip_ansi(part).startswith("File ")]
        output.traceback = [without(part, tells) for part in cells]
    elif output.output_type == "stream":
        output.text = without(output.text, tells)
    else:
        for kind, value in output.data.items():
            if isinstance(value, str):
                output.data[kind] = without(value, tells)


def without(text: str, tells: Callable[[str], bool]) -> str:
    """Return a text with its hidden lines replaced, after the number that IPython gave them."""
    kept = []
    for line in text.split("\n"):
        plain = strip_ansi(line)
        number = NUMBER.match(plain)
        start = number[0] if number else ""
        source = plain.removeprefix(start).strip()
        kept.append(start + HIDDEN if source and tells(source) else line)
    return "\n".join(kept)
