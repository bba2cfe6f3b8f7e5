"""Builds the HTML book in _build/html: executes what changed, then Jupyter Book, then checks.

Sphinx works in .cache/site, so that an unchanged page is not built again. _build/html is removed
first and comes into being last, in one step: a build that fails or is stopped leaves none.
"""

import json
import re
import shutil
import sys
import time
from pathlib import Path

import yaml
from jupyter_book.sphinx import build_sphinx

from tools import CACHE, HTML, ROOT
from tools.notebooks import assets, execute
from tools.notebooks.files import chapters, pages_in_toc
from tools.site import address, assignments_page, flashcards, search
from tools.site.finish import finish

SITE = CACHE / "site"
WHAT_IT_IS = "A course on distributed training that you can run, with every number proved."
# GitHub Pages opens index.html, whose start page is below book/, and shows 404.html at any address.
PLAIN = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="description" content="{about}">
<meta property="og:title" content="{title}">
<meta property="og:description" content="{about}">
<meta name="color-scheme" content="light dark">
<title>{title}</title>
<link rel="icon" href="{root}_static/favicon.svg">{head}
<style>
body {{ max-width: 40rem; margin: 4rem auto; padding: 0 1rem; font: 1.1rem/1.5 sans-serif }}
</style>
</head>
<body><main><h1>{title}</h1><p>{words}<a href="{page}">Go to the book</a>.</p></main></body>
</html>
"""


def problems(html: Path, pages: list[str]) -> list[str]:
    """Return the mistakes in built pages that Sphinx itself does not report."""
    found = []
    for page in pages:
        path = html / f"{page}.html"
        text = path.read_text(encoding="utf-8") if path.exists() else ""
        article = text.partition("<article")[2].partition("</article>")[0]
        if len(re.sub(r"<[^>]*>|\s", "", article)) < 20:
            found.append(f"{page}.html is missing or empty, though _toc.yml names the page")
        if "katex-error" in text:
            formula = re.search(r'katex-error" title="([^"]*)', text)
            found.append(f"{page}: KaTeX cannot draw a formula: {formula and formula[1]}")
        if 'class="traceback"' in text or "output traceback" in text:
            found.append(f"{page}.html shows a traceback")
    return found


def jupyter_book(html: Path) -> None:
    """Have Jupyter Book write HTML; exit if it or Sphinx has anything to complain about.

    This is what `jupyter-book build . -W -n --keep-going -q` calls, without its second traceback.
    """
    result = build_sphinx(
        ROOT,
        html,
        noconfig=True,
        path_config=ROOT / "_config.yml",
        confoverrides={
            "external_toc_path": str(ROOT / "_toc.yml"),
            "latex_individualpages": False,
            "nitpicky": True,
        },
        warningiserror=True,
        keep_going=True,
        quiet=True,
    )
    if isinstance(result, KeyboardInterrupt):
        raise result
    if result:
        sys.exit("The book was not built; Sphinx says why above. There is no _build/html.")


def write_plain_pages(html: Path) -> None:
    """Write the page of the bare address, which leads on, and the one for all that is not there."""
    title = yaml.safe_load((ROOT / "_config.yml").read_text(encoding="utf-8"))["title"]
    start = f"{pages_in_toc()[0]}.html"
    on = f'\n<meta http-equiv="refresh" content="0; url={start}">'
    site = address.current(ROOT).partition("/")[2]  # the first part of every page's path
    for name, filled in {
        "index.html": {"title": title, "head": on, "words": "", "root": "", "page": start},
        "404.html": {
            "title": "There is no such page",
            "head": "",
            "words": "Perhaps it has moved; the book has a search. ",
            "root": f"/{site}/",
            "page": f"/{site}/{start}",
        },
    }.items():
        page = PLAIN.format(about=WHAT_IT_IS, **filled)
        (html / name).write_text(page, encoding="utf-8")


def write_notebooks(html: Path) -> None:
    """Give the download of each chapter the outputs that its page shows."""
    for path in chapters():
        notebook = json.loads(path.read_text(encoding="utf-8"))
        run = execute.stored(path)
        assert run is not None
        code = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
        for number, (cell, outputs) in enumerate(
            zip(code, assets.put_in(run["outputs"]), strict=True), start=1
        ):
            cell.update(outputs=outputs, execution_count=number)
        target = html / "_sources" / path.relative_to(ROOT)
        if target.exists():
            target.write_text(json.dumps(notebook, indent=1), encoding="utf-8")


def publish(built: Path) -> None:
    """Put finished HTML into _build/html, in one step."""
    unfinished = SITE / "unfinished"
    shutil.rmtree(unfinished, ignore_errors=True)
    shutil.copytree(built, unfinished, ignore=shutil.ignore_patterns(".buildinfo*"))
    write_plain_pages(unfinished)
    (unfinished / ".nojekyll").touch()  # GitHub Pages would leave out _static
    if assignments_page.PAGE in pages_in_toc():
        assignments_page.write_downloads(unfinished / "book" / assignments_page.FOLDER)
    if flashcards.PAGE in pages_in_toc():
        flashcards.write_deck(flashcards.load(), unfinished / flashcards.DECK)
    write_notebooks(unfinished)
    finish(unfinished)
    search.write_index(unfinished, pages_in_toc())
    if found := problems(unfinished, pages_in_toc()):
        shutil.rmtree(unfinished)
        sys.exit("The book is not usable, so there is no _build/html:\n  " + "\n  ".join(found))
    unfinished.replace(HTML)


def pages_of_site() -> set[str]:
    """Return the pages that Sphinx has written so far, without suffix."""
    html = SITE / "html"
    pages = {path.relative_to(html).with_suffix("") for path in html.rglob("*.html")}
    return {page.as_posix() for page in pages if page.parts[0] != "_static"}


def build() -> None:
    """Build the book from notebooks that have been executed."""
    HTML.parent.mkdir(exist_ok=True)
    shutil.rmtree(HTML, ignore_errors=True)
    if pages_of_site() - {*pages_in_toc(), "index", "search"}:
        shutil.rmtree(SITE)  # Sphinx leaves the page of a removed chapter where it is
    jupyter_book(SITE / "html")
    publish(SITE / "html")


def main() -> None:
    """Execute what changed, build, and say what was made."""
    started = time.monotonic()
    shutil.rmtree(HTML, ignore_errors=True)
    runs = execute.execute(chapters())
    print("Building the HTML pages", flush=True)
    build()
    print(f"Notebooks:\n{execute.table(runs)}")
    size = sum(path.stat().st_size for path in HTML.rglob("*") if path.is_file())
    print(f"The book has {len(pages_in_toc())} pages, {size / 1e6:.1f} MB: {HTML / 'index.html'}")
    print(f"{time.monotonic() - started:.1f} s in all. To read it: make serve")


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        shutil.rmtree(HTML, ignore_errors=True)
        sys.exit("Stopped. Notebooks that were done are not executed again.")
