"""The shape of a chapter, as its page shows it: what is seen first, and how much of it is code."""

from collections.abc import Iterator
from typing import Any

import pytest
from browser import chromium
from playwright.sync_api import Browser

from tools import HTML, ROOT
from tools.notebooks.files import chapters
from tools.site.serve import server
from tools.testing import REPORTS

pytestmark = pytest.mark.browser
CHAPTERS = {p.stem: p.relative_to(ROOT).with_suffix("").as_posix() for p in chapters()}
DESK = (1440, 900)
PHONE = (390, 844)
MEASURE = """() => {
  const shown = (node) => node.checkVisibility();
  const box = (node) => node.getBoundingClientRect();
  const end = (node) => node ? box(node).bottom + scrollY : Infinity;
  const article = document.querySelector("article");
  const figures = [...article.querySelectorAll(".lockstep-figure")]
    .filter((node) => !node.closest(".frame[hidden]")); // what a reader has not chosen yet
  const code = [...article.querySelectorAll(".cell_input")].filter(shown);
  const text = (node) => node.querySelector("pre").textContent;
  const lines = (node) => text(node).split("\\n").filter((line) => line.trim()).length;
  const scale = (svg) => box(svg).width / svg.viewBox.baseVal.width;
  const labels = figures.filter(shown).flatMap((figure) =>
    [...figure.querySelectorAll("svg text")].map((label) =>
      parseFloat(getComputedStyle(label).fontSize) * scale(label.ownerSVGElement)));
  return {
    height: box(article).height,
    pictureEnds: end(figures[0]?.querySelector("svg")),
    programEnds: end(article.querySelector("#what-you-type .cell_output")),
    figures: figures.length,
    captions: figures.filter((figure) => figure.querySelector(".caption")?.textContent).length,
    codeShare: code.reduce((sum, node) => sum + box(node).height, 0) / box(article).height,
    longest: Math.max(0, ...code.map(lines)),
    proofs: code.filter((node) => /\\bprove\\(/.test(text(node))).length,
    told: /^(Writing|Appending to|Overwriting) \\S+$/m.test(article.innerText),
    smallest: Math.min(Infinity, ...labels),
  };
}"""


@pytest.fixture(scope="module")
def pages() -> Iterator[tuple[Browser, str]]:
    if not (HTML / "index.html").exists():
        pytest.fail("There is no built book. Run: make book", pytrace=False)
    with chromium() as browser, server(HTML) as address:
        yield browser, address


def measures(pages: tuple[Browser, str], chapter: str, size: tuple[int, int]) -> dict[str, Any]:
    browser, address = pages
    with browser.new_context(viewport={"width": size[0], "height": size[1]}) as context:
        page = context.new_page()
        page.goto(f"{address}{CHAPTERS[chapter]}.html")
        page.wait_for_load_state("networkidle")
        measured: dict[str, Any] = page.evaluate(MEASURE)
        return measured


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_a_chapter_shows_before_it_explains(pages: tuple[Browser, str], chapter: str) -> None:
    desk = measures(pages, chapter, DESK)
    phone = measures(pages, chapter, PHONE)
    rules = {
        "the first picture is on the first screen of a desk": desk["pictureEnds"] <= DESK[1],
        "and of a phone": phone["pictureEnds"] <= PHONE[1],
        "the program's output is on the second screen": desk["programEnds"] <= 2 * DESK[1],
        "four pictures or more": desk["figures"] >= 4,
        "each with a caption": desk["captions"] == desk["figures"],
        "labels of 10 px or more on a phone": phone["smallest"] >= 10,
        "code takes at most 30 % of the page": desk["codeShare"] <= 0.3,
        "a cell that is not folded has at most 25 lines": desk["longest"] <= 25,
        "proofs, which tell the quiz's answers, are folded": desk["proofs"] == 0,
        "nothing says that a file was written": not desk["told"],
        "at most 14,000 px high": desk["height"] <= 14_000,
    }
    report = (
        f"{chapter}: {desk['height']:,.0f} px, picture ends at {desk['pictureEnds']:,.0f} px, "
        f"program at {desk['programEnds']:,.0f}, {desk['figures']} pictures, "
        f"{desk['codeShare']:.0%} code, longest cell {desk['longest']}, "
        f"smallest label on a phone {phone['smallest']:.1f} px\n"
    )
    REPORTS.mkdir(parents=True, exist_ok=True)
    (REPORTS / f"shape-{chapter}.txt").write_text(report)  # printed after the tests
    broken = [rule for rule, kept in rules.items() if not kept]
    assert not broken, f"{report}\nNot kept: {'; '.join(broken)}"
