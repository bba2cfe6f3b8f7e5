"""What the page book/versions.md shows below its words: versions, and how long notebooks took.

Usage: python -m tools.site.versions_page   (prints it)

Both come from the build itself: the installed versions, and what was stored with each execution.
"""

import json
import os
import platform
import re
from pathlib import Path

from tools import ROOT
from tools.notebooks import execute, files, keys

PAGE = "book/versions"
COLAB = {"Colab, CPU and GPU": "cpu.txt", "Colab, TPU": "tpu.txt"}


def table(head: list[str], rows: list[list[str]], right: int = 0) -> str:
    """Lay out a Markdown table whose last `right` columns are numbers."""
    rule = ["---"] * (len(head) - right) + ["---:"] * right
    return "\n".join(f"| {' | '.join(row)} |" for row in [head, rule, *rows])


def on_colab(listing: str) -> dict[str, str]:
    """Return the versions that a Colab runtime has, by normalised name."""
    text = (ROOT / "tests" / "colab" / listing).read_text(encoding="utf-8")
    pins = re.findall(r"(?m)^([A-Za-z0-9._-]+)==(\S+)", text)
    python = re.findall(r"^# .*(Python) ([0-9.]*[0-9])", text)
    return {normalised(name): version for name, version in pins + python}


def normalised(name: str) -> str:
    """Return a distribution's name as package indexes compare it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def versions() -> str:
    """Return the table of what is pinned: the version in this build, and those on Colab."""
    colab = [on_colab(listing) for listing in COLAB.values()]
    here = {"Python": platform.python_version()}
    here |= {name: keys.installed(name) for name in keys.requirement_names()}
    rows = [
        [name, version, *(listing.get(normalised(name), "none") for listing in colab)]
        for name, version in here.items()
    ]
    return table(["package", "this build", *COLAB], rows)


def title(notebook: Path) -> str:
    """Return the first heading of a notebook."""
    cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    return "".join(cells[0]["source"]).partition("\n")[0].removeprefix("# ")


def run_times(paths: list[Path]) -> str:
    """Return the table of notebooks: code cells, seconds, and when they were executed."""
    rows = []
    for path in paths:
        run = execute.stored(path)
        if run is None:
            raise LookupError(f"{path.relative_to(ROOT)} has not been executed as it is now")
        page = os.path.relpath(path, (ROOT / PAGE).parent)
        name = f"[{title(path)}]({page})"
        cells = len(files.sources(path))
        rows.append([name, str(cells), f"{run['seconds']:.0f}", str(run["cores"]), run["date"]])
    head = ["notebook", "code cells", "seconds", "CPU cores", "executed on"]
    return table(head, rows, right=4)


def tables() -> str:
    """Return everything below the page's words.

    Raises:
        LookupError: a notebook that has not been executed as it is now.
    """
    chapters = [ROOT / f"{page}.ipynb" for page in files.pages_in_toc()]
    return "\n\n".join(
        [
            "## Versions",
            versions(),
            "## Run times of the chapters",
            run_times([path for path in chapters if path.exists()]),
        ]
    )


if __name__ == "__main__":
    print(tables())
