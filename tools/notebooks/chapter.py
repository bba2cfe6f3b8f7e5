"""Starts a new chapter: a small notebook that runs, with a question and its proof.

Usage: python -m tools.notebooks.chapter SLUG [PART]   (PART: a folder of book/)
"""

import re
import sys
from pathlib import Path

import nbformat

from tools import ROOT
from tools.notebooks import setup_cell
from tools.site import address

SKELETON = Path(__file__).with_name("skeleton")
SLUG = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
PLACEHOLDER = "PLACEHOLDER"  # is in the skeleton wherever its author has something to say


def parts(toc: str) -> list[str]:
    """Return the folders of the book's parts, in order."""
    numbered, *_ = toc.split("numbered: false")  # the appendix has pages, not chapters
    return list(dict.fromkeys(re.findall(r"(?m)^ +- file: book/([^/\s]+)/\S+$", numbered)))


def with_chapter(toc: str, part: str, slug: str) -> str:
    """Return the table of contents with a chapter at the end of a part."""
    *_, last = re.finditer(rf"(?m)^( +- file: book/{part}/)\S+$", toc)
    return f"{toc[: last.end()]}\n{last[1]}{slug}{toc[last.end() :]}"


def create(slug: str, part: str = "", root: Path = ROOT) -> list[Path]:
    """Write a chapter, its questions and its line in _toc.yml; return these files.

    Raises:
        ValueError: `slug` is no slug or is taken, or there is no such part.
    """
    if not SLUG.fullmatch(slug):
        raise ValueError(
            f"{slug!r} cannot be the name of a chapter. Give lower-case words or numbers with "
            "single hyphens between them, as in `make chapter NAME=data-parallel`."
        )
    toc = root / "_toc.yml"
    text = toc.read_text(encoding="utf-8")
    known = parts(text)
    part = part or known[-1]
    if part not in known:
        raise ValueError(f"The book has no part {part!r}. PART can be one of: {', '.join(known)}")
    notebook = root / "book" / part / f"{slug}.ipynb"
    bank = root / "lockstep" / "bank" / f"{slug}.yaml"
    taken = [*(root / "book").rglob(f"{slug}.ipynb"), *([bank] if bank.exists() else [])]
    if taken:
        raise ValueError(f"{taken[0].relative_to(root)} is there already. Choose another NAME.")
    for file, target in (("chapter.ipynb", notebook), ("questions.yaml", bank)):
        content = (SKELETON / file).read_text(encoding="utf-8").replace("SLUG", slug)
        target.write_text(content, encoding="utf-8")
    chapter = nbformat.read(notebook, as_version=4)
    setup = setup_cell.first_code_cell(chapter)
    setup.source = setup_cell.expected(chapter, address.current(root))
    nbformat.write(chapter, notebook)
    toc.write_text(with_chapter(text, part, slug), encoding="utf-8")
    return [notebook, bank, toc]


if __name__ == "__main__":
    slug, part = [*sys.argv[1:], "", ""][:2]
    try:
        written = create(slug, part)
    except ValueError as error:
        sys.exit(str(error))
    print("Written:", ", ".join(str(path.relative_to(ROOT)) for path in written))
    print(f"`make notebook NAME={slug}` executes it, `make book` and `make serve` show it. Write")
    print(f"where it says {PLACEHOLDER}. The way from here: CONTRIBUTING.md, Add a chapter.")
