"""The page of assignments: what each asks for, and the notebook that students get, to download."""

import os
import re
import shutil
from pathlib import Path

from tools import ROOT
from tools.assignments import releases
from tools.notebooks import files
from tools.site import address

PAGE = "book/assignments"
FOLDER = "assignments"  # of the downloads, beside the page
HEAD = re.compile(r"\*\*(\d+) points\*\* · about (\d+) minutes")
CHAPTER = re.compile(r"/([a-z-]+)\.html\)")
QUESTION = re.compile(r"^\*\*(.+\?)\*\*$", re.MULTILINE)


def write_downloads(folder: Path) -> None:
    """Write every released assignment into a folder."""
    folder.mkdir()
    for name in releases.names():
        shutil.copy(releases.release(name), folder)


def markdown() -> str:
    """Return the list of assignments, in the order of their chapters."""
    order = [Path(page).name for page in files.pages_in_toc()]
    entries = []
    for name in releases.names():
        text = "".join(files.cells(releases.source(name))[0]["source"])
        head, question = HEAD.search(text), QUESTION.search(text)
        slugs = CHAPTER.findall(text.partition("\n\n**")[2].partition("\n\n")[0])
        if head is None or question is None or not slugs:
            raise ValueError(
                f"{name}: begin with `**30 points** · about 90 minutes · belongs to the chapter`, "
                "a link to it, and the question in a paragraph of its own, **Can you?**"
            )
        title = text.partition("\n")[0].removeprefix("# Assignment: ")
        title = title[0].upper() + title[1:]
        pages = [
            next(page for page in files.pages_in_toc() if page.endswith(f"/{s}")) for s in slugs
        ]
        belongs = " and ".join(
            f"[{Path(page).name}]({os.path.relpath(ROOT / f'{page}.ipynb', (ROOT / PAGE).parent)})"
            for page in pages
        )
        colab = ""
        if address.is_set(ROOT):
            link = address.colab(ROOT, f"exercises/release/{name}/{name}.ipynb")
            colab = f" · [open it in Colab]({link})"
        entry = (
            f"## {title}\n\n{question[1]}\n\n"
            f"{head[1]} points · about {head[2]} minutes · after {belongs} · "
            f'<a href="{FOLDER}/{name}.ipynb" download>{name}.ipynb</a>{colab}'
        )
        entries.append((max(order.index(slug) for slug in slugs), entry))
    return "\n\n".join(entry for _, entry in sorted(entries))
