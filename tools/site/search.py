"""The search of the built book: Pagefind (https://pagefind.app), in the place of Sphinx's own.

It finds sections, and ranks prose before code. Its index is cut into small parts, of which a
browser loads those that it needs.
"""

import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

INDEX = "pagefind"
OF_SPHINX = r"(?:_static/searchtools|_static/language_data|searchindex)\.js"
SPHINX = re.compile(rf'\s*<script src="[./]*{OF_SPHINX}[^"]*"></script>')
SECTION = re.compile(
    r'<section([^>]*?) id="([^"]+)"([^>]*)>((?:\s*<span id="[^"]+"></span>)*\s*)<(h[1-6])'
)
# What stands beside the words of a page, and the quiz: its answers tell no newcomer anything.
LEFT_OUT = ".headerlink, .section-number, .lockstep-quiz, .lockstep-explorer, .katex-mathml, svg"
WEIGHTS = {'class="cell_input': 0.3, 'class="highlight-': 0.3}  # 1 for text, more for headings


def as_indexed(page: str) -> str:
    """Return a page as Pagefind shall see it: anchors at headings, code of low weight.

    Sphinx gives the anchor of a section to the section, and Pagefind looks for it at the heading.
    """
    page = SECTION.sub(r'<section\1\3>\4<\5 id="\2"', page)
    for mark, weight in WEIGHTS.items():
        page = page.replace(mark, f'data-pagefind-weight="{weight}" {mark}')
    return page


def write_index(html: Path, pages: list[str]) -> None:
    """Index these pages of the built book, and have its search page use that."""
    with tempfile.TemporaryDirectory() as folder:
        for page in pages:
            copy = Path(folder, f"{page}.html")
            copy.parent.mkdir(parents=True, exist_ok=True)
            text = (html / f"{page}.html").read_text(encoding="utf-8")
            copy.write_text(as_indexed(text), encoding="utf-8")
        command = [sys.executable, "-m", "pagefind_bin", "--site", folder, "--silent"]
        command += ["--root-selector", "article", "--exclude-selectors", LEFT_OUT]
        command += ["--include-characters", "_.", "--keep-index-url"]
        subprocess.run([*command, "--output-path", str(html / INDEX)], check=True)
    for path in (html / INDEX).glob("pagefind-*"):  # its own pages; ours calls pagefind.js
        if path.suffix in {".css", ".js"} and "worker" not in path.name:
            path.unlink()
    shutil.rmtree(html / INDEX / "playground", ignore_errors=True)
    for path in html.rglob("*.html"):
        path.write_text(SPHINX.sub("", path.read_text(encoding="utf-8")), encoding="utf-8")
    search = html / "search.html"
    text = search.read_text(encoding="utf-8")
    script = '<script type="module" src="_static/search.js"></script>'
    search.write_text(text.replace("</head>", f"{script}\n</head>"), encoding="utf-8")
    (html / "searchindex.js").unlink()
