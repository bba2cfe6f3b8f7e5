"""What the start page shows of the chapters, and of what this build measured."""

import os
import re
from pathlib import Path

from lockstep.questions import METADATA_KEY, Number, find
from tools import ROOT
from tools.notebooks import execute, files
from tools.site import address, entries

PAGE = "book/index"
PLACE_OF_PDF = '<span id="pdf"></span>'  # `make pdf` puts a link there
QUESTION = re.compile(r"^\*\*(.+\?)\*\*$", re.MULTILINE)
TIME = re.compile(r"^\*\*Time:\*\* ([^;]+);", re.MULTILINE)
# Questions of the bank whose answer follows from a formula and is measured by processes, and what
# the start page calls them.
SHOWN = {
    "bytes-of-three-workers": "On the network when 3 workers all-reduce 8 MB in a ring",
    "bytes-of-a-step": "Between a worker and its parameter servers in a step, 8 MB of weights",
    "held-under-stage-2": "Held for a parameter under ZeRO-2 on 4 ranks",
    "mean-of-six": "Mean staleness with 6 asynchronous workers",
    "bytes-a-rank-sends": "Sent by a rank in a step of tensor parallelism",
    "prefetch-at-the-end": "An element of an input pipeline with a prefetch at its end",
}


def words(notebook: Path) -> tuple[str, str, str]:
    """Return the title of a chapter, the question it begins with, and how long it takes to read.

    Raises:
        ValueError: the chapter does not say one of them where readers expect it.
    """
    cells = [cell for cell in files.cells(notebook) if cell["cell_type"] == "markdown"]
    text = "\n\n".join("".join(cell["source"]) for cell in cells)
    title = re.match(r"# (.+)", text)
    question, time = QUESTION.search(text), TIME.search(text)
    if title is None or question is None or time is None:
        raise ValueError(
            f"{notebook.name}: begin with `# Title`, then the question in a paragraph of its own, "
            "**Is it?**, and write **Time:** 40 minutes; and so on, in a line of its own."
        )
    return title[1], question[1], time[1].removeprefix("about ")


def begin() -> str:
    """Return the buttons of the start page: the first chapter, in the book and in Colab."""
    first = files.parts_in_toc()[0][1][0]
    title = words(ROOT / f"{first}.ipynb")[0]
    page = os.path.relpath(f"{first}.ipynb", Path(PAGE).parent)
    buttons = [f"[Begin: {title}]({page}){{.button}}"]
    if address.is_set(ROOT):
        buttons.append(f"[Run it in Colab]({address.colab(ROOT, f'{first}.ipynb')}){{.button}}")
    return " ".join([*buttons, "[Assignments](assignments.md){.button}", PLACE_OF_PDF])


def chapters() -> str:
    """Return a card for each chapter, part by part."""
    lines = []
    for caption, pages in files.parts_in_toc():
        cards = []
        for page in pages:
            path = ROOT / f"{page}.ipynb"
            if path.exists():
                title, question, time = map(entries.marked, words(path))
                link = os.path.relpath(f"{page}.html", Path(PAGE).parent)
                cards.append(
                    f'<li><a href="{link}"><b>{title}</b> <span class="time">{time}</span></a>'
                    f"<p>{question}</p></li>"
                )
        if cards:
            part = f'<h3>{entries.marked(caption)}</h3>\n<ul class="cards">'
            lines += [part, *cards, "</ul>"]
    return "\n".join(lines)


def found(question_id: str) -> float:
    """Return what the stored execution of a chapter handed to `prove` for a question.

    Raises:
        LookupError: the chapter has not been executed as it is now, or did not prove it.
    """
    question = find(question_id)
    run = execute.stored(files.find(question.chapter))
    for outputs in run["outputs"] if run else ():
        for output in outputs:
            record = output.get("metadata", {}).get(METADATA_KEY)
            if record and record["question"] == question_id:
                return float(record["truth"])
    raise LookupError(f"{question.chapter} has not been executed as it is now")


def measured() -> str:
    """Return the table of what was predicted and what this build measured."""
    rows = ["| | predicted | measured | ratio |", "| --- | ---: | ---: | ---: |"]
    for name, what in SHOWN.items():
        question = find(name)
        assert isinstance(question, Number) and question.origin == "measured"
        page = files.find(question.chapter).with_suffix(".html")
        page_from_here = os.path.relpath(page, (ROOT / PAGE).parent)
        link = f'<a href="{page_from_here}#{question.section}">{what}</a>, in {question.unit}'
        value = found(name)
        cells = [f"{number:.4g}" for number in (question.answer, value)]
        rows.append(f"| {link} | {' | '.join(cells)} | {value / question.answer:.3f} |")
    return "\n".join(rows)
