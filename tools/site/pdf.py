"""Prints the built book into one PDF, and links to it from the start page.

Usage: python -m tools.site.pdf

Chromium prints a page that has the articles of all pages. Folds stay closed: what they hold is in
the notebooks.
"""

import os
import shutil
import sys
import time

from playwright.sync_api import PdfMargins, sync_playwright

from tools import HTML
from tools.notebooks.files import pages_in_toc
from tools.site import start_page
from tools.site.serve import server

FILE = "lockstep.pdf"
NO_CHROMIUM = "Chromium is missing: run 'apt-get install chromium', or set CHROMIUM to its path"
LINK = f'<a class="button" href="../{FILE}" download>The book as a PDF</a>'
MARGIN: PdfMargins = {"top": "18mm", "bottom": "18mm", "left": "16mm", "right": "16mm"}
NUMBERS = (
    '<p style="width: 100%; font: 8px sans-serif; text-align: center">'
    '<span class="pageNumber"></span></p>'
)
# Puts the articles of all pages into this one. Anchors get the name of their page, so that links
# from page to page stay links within the document.
JOIN = """async (pages) => {
  const base = new URL("..", location.href).href;
  const key = (page) => page.replaceAll("/", "-");
  const parts = [];
  for (const page of pages) {
    const address = `${base}${page}.html`;
    const text = await (await fetch(address)).text();
    const article = new DOMParser().parseFromString(text, "text/html").querySelector("article");
    article.querySelectorAll("script, .lockstep-explorer .how").forEach((node) => node.remove());
    for (const node of article.querySelectorAll("[id]")) {
      if (!node.closest("svg")) node.id = `${key(page)}--${node.id}`;
    }
    for (const link of article.querySelectorAll("a[href]")) {
      const url = new URL(link.getAttribute("href"), address);
      const inside = pages.find((other) => url.href.startsWith(`${base}${other}.html`));
      const hash = url.hash && `--${url.hash.slice(1)}`;
      if (inside) link.setAttribute("href", `#${key(inside)}${hash}`);
      else if (url.href.startsWith(base)) link.removeAttribute("href");
    }
    for (const image of article.querySelectorAll("img")) {
      image.src = new URL(image.getAttribute("src"), address).href;
    }
    const part = document.createElement("div");
    part.id = key(page);
    part.style.breakBefore = parts.length ? "page" : "auto";
    part.append(...article.childNodes);
    parts.push(part);
  }
  document.querySelector("article").replaceChildren(...parts);
  document.querySelectorAll(".prev-next-footer, .bd-footer").forEach((node) => node.remove());
}"""


def chromium() -> str | None:
    """Return the path of Chromium, or Chrome: $CHROMIUM, or the first one found on PATH."""
    names = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
    return os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, names)), None)


def main() -> None:
    """Print the book, and link to what was made."""
    started = time.monotonic()
    pages = pages_in_toc()
    start = HTML / f"{start_page.PAGE}.html"
    if not start.exists():
        sys.exit("There is no built book. Run: make book")
    if (program := chromium()) is None:
        sys.exit(NO_CHROMIUM)
    print("Printing the book", flush=True)
    with server(HTML) as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        page = browser.new_page(color_scheme="light")
        page.goto(f"{address}{pages[0]}.html")
        page.wait_for_load_state("networkidle")
        page.evaluate(JOIN, pages)
        page.wait_for_load_state("networkidle")
        page.pdf(
            path=HTML / FILE,
            format="A4",
            margin=MARGIN,
            scale=0.85,
            outline=True,
            tagged=True,
            print_background=True,
            display_header_footer=True,
            header_template="<p></p>",
            footer_template=NUMBERS,
        )
        browser.close()
    text = start.read_text(encoding="utf-8")
    start.write_text(text.replace(start_page.PLACE_OF_PDF, LINK), encoding="utf-8")
    size = (HTML / FILE).stat().st_size
    print(f"{HTML / FILE}, {size / 1e6:.1f} MB, after {time.monotonic() - started:.0f} s")


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        (HTML / FILE).unlink(missing_ok=True)
        sys.exit("Stopped. There is no PDF.")
