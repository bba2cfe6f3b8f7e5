"""The built book in a real browser, below a path of its own as on GitHub Pages."""

import os
import re
import subprocess
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Literal
from urllib.parse import unquote, urldefrag, urlsplit

import nbformat
import pytest
from browser import axe, watch
from playwright.sync_api import Browser, Page, Response, ViewportSize, expect

from lockstep import questions
from tools import HTML, ROOT
from tools.assignments import releases
from tools.notebooks.files import chapters, pages_in_toc
from tools.site import address, assignments_page, start_page
from tools.site.serve import server
from tools.testing import REPORTS

pytestmark = pytest.mark.browser
CHAPTERS = [path.relative_to(ROOT).with_suffix("").as_posix() for path in chapters()]
PAGES = [*pages_in_toc(), "search"]
CHAPTER = "book/data-parallelism/data-parallel"  # what is done on one chapter is done here
VIEWS: dict[str, tuple[int, Literal["light", "dark"]]] = {
    "wide": (1400, "light"),
    "narrow": (375, "light"),
    "dark": (1400, "dark"),
}
SITE = f"/{address.current(ROOT).partition('/')[2]}/"
MOST_BYTES = 250 * 1024
SCREENSHOTS = ROOT / "_build" / "screenshots"
# Each line: what is let pass, whose fault it is, and why it stays.
ACCEPTED = [
    # pydata-sphinx-theme logs what it does, the theme it took for one; there is no setting for it.
    "console log: [PST]: ",
]
# Elements that stick out of the window, or whose content is cut off, with no way to scroll there.
CUT_OFF = """() => {
  const style = (node) => getComputedStyle(node);
  const hidden = (node) => /hidden|clip/.test(style(node).overflowX);
  const scrolls = (node) => /auto|scroll/.test(style(node).overflowX);
  const name = (node) => `${node.tagName} ${node.getAttribute("class") ?? ""}: ` +
    node.textContent.trim().slice(0, 60);
  const found = [];
  if (document.documentElement.scrollWidth > innerWidth) found.push("the page scrolls sideways");
  for (const node of document.querySelectorAll("main *")) {
    const box = node.getBoundingClientRect();
    if (!box.width || !box.height || !node.checkVisibility()) continue;
    // Hidden text, drawings, and the drawer that waits beside a narrow window.
    if (node.closest(".katex-mathml, .visually-hidden, svg, .bd-sidebar-secondary")) continue;
    if (hidden(node) && node.scrollWidth > node.clientWidth + 1 && node.clientWidth)
      found.push(`cut off: ${name(node)}`);
    let clip = node.parentElement;
    while (clip && !hidden(clip) && !scrolls(clip)) clip = clip.parentElement;
    if (clip && box.left < clip.getBoundingClientRect().left - 1)
      found.push(`cut off on the left: ${name(node)}`);
    if (box.right <= innerWidth + 1 && box.left >= -1) continue;
    let parent = node.parentElement;
    while (parent && !scrolls(parent)) parent = parent.parentElement;
    if (!parent || parent === document.documentElement) found.push(`sticks out: ${name(node)}`);
  }
  return found;
}"""
# Text in figures whose contrast to what lies behind it is below 4.5.
FAINT = """() => {
  const channels = (colour) => colour.match(/[\\d.]+/g)
    .map((c) => c * (colour.startsWith("color(srgb") ? 255 : 1));
  const luminance = (colour) => channels(colour).slice(0, 3)
    .map((c) => (c /= 255) <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)
    .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
  const opaque = (colour) => /^rgb/.test(colour) && (channels(colour)[3] ?? 1) > 0.5;
  const ground = (text) => {
    const box = text.getBoundingClientRect();
    const stack = document.elementsFromPoint(box.x + box.width / 2, box.y + box.height / 2);
    for (const node of stack) {
      if (text.contains(node) || node.tagName === "text" || node.tagName === "tspan") continue;
      const style = getComputedStyle(node);
      const colour = node.ownerSVGElement ? style.fill : style.backgroundColor;
      if (opaque(colour)) return colour;
    }
    return getComputedStyle(document.body).backgroundColor;
  };
  const found = [];
  for (const fold of document.querySelectorAll("details:has(.lockstep-figure)")) fold.open = true;
  for (const text of document.querySelectorAll(".lockstep-figure svg text")) {
    if (!text.checkVisibility()) continue;
    text.scrollIntoView({ block: "center" });
    const [high, low] = [getComputedStyle(text).fill, ground(text)].map(luminance)
      .sort((a, b) => b - a);
    const contrast = (high + 0.05) / (low + 0.05);
    if (contrast < 4.5) found.push(`${text.textContent.trim()}: ${contrast.toFixed(1)}`);
  }
  return found;
}"""


@pytest.fixture(scope="session")
def base() -> Iterator[str]:
    """The address of the built book."""
    if not (HTML / "index.html").exists():
        pytest.fail("There is no built book. Run: make book", pytrace=False)
    SCREENSHOTS.mkdir(parents=True, exist_ok=True)
    with server(HTML) as address:
        yield address


@pytest.fixture
def view() -> str:
    return "wide"


@pytest.fixture
def page(browser: Browser, view: str) -> Iterator[Page]:
    """A page in a context of its own: nothing cached, nothing remembered."""
    width, scheme = VIEWS[view]
    viewport: ViewportSize = {"width": width, "height": 900}
    with browser.new_context(viewport=viewport, color_scheme=scheme) as context:
        yield context.new_page()


def problems(page: Page, address: str) -> list[str]:
    """Open a page; return what it does that it should not, and what axe finds outside of code.

    Looking at each word of code takes seconds a page, and its colours are the same on all of them.
    """
    seen = watch(page)
    page.goto(address)
    page.wait_for_load_state("networkidle")
    found = [*seen, *axe(page, {"exclude": [".highlight"]})]
    return [line for line in found if not line.startswith(tuple(ACCEPTED))]


def open_chapter(page: Page, base: str, section: str = "") -> None:
    page.goto(f"{base}{CHAPTER}.html{section}")
    page.wait_for_load_state("networkidle")


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("name", PAGES)
def test_page_is_clean(page: Page, base: str, name: str, view: str) -> None:
    assert problems(page, f"{base}{name}.html") == []
    assert page.evaluate(CUT_OFF) == []
    path = SCREENSHOTS / f"{name.replace('/', '-')}-{view}.jpeg"
    page.screenshot(path=path, full_page=True, type="jpeg", quality=70)


@pytest.mark.parametrize("view", ["wide", "dark"])
def test_code_is_accessible(page: Page, base: str, view: str) -> None:
    open_chapter(page, base)
    assert axe(page, {"include": [".highlight"]}) == []


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("name", CHAPTERS)
def test_text_in_figures_is_legible(page: Page, base: str, name: str, view: str) -> None:
    page.goto(f"{base}{name}.html")
    assert page.locator(".lockstep-figure svg text").count() > 0
    assert page.evaluate(FAINT) == []


def test_the_bare_address_leads_to_the_start_page(page: Page, base: str) -> None:
    page.goto(base)
    page.wait_for_url(f"{base}{PAGES[0]}.html")
    expect(page.locator("article h1")).to_contain_text("Lockstep")


@pytest.mark.parametrize("name", CHAPTERS)
def test_chapter_is_light(page: Page, base: str, name: str) -> None:
    answers: list[Response] = []
    page.on("response", lambda answer: answers.append(answer))
    page.goto(f"{base}{name}.html")
    page.wait_for_load_state("networkidle")
    sizes = [
        (answer.request.sizes()["responseBodySize"], urlsplit(answer.url).path)
        for answer in answers
        if answer.request.resource_type != "image"
    ]
    total = sum(size for size, _ in sizes)
    lines = [f"{name} with gzip, images aside: {total / 1024:.1f} KB of {MOST_BYTES // 1024}"]
    lines += [f"{size / 1024:8.1f} KB  {path}" for size, path in sorted(sizes, reverse=True)]
    report = "\n".join(lines)
    REPORTS.mkdir(parents=True, exist_ok=True)
    (REPORTS / f"weight-{Path(name).name}.txt").write_text(report)  # printed after the tests
    assert total <= MOST_BYTES, report


def test_the_sidebar_can_be_put_away(page: Page, base: str) -> None:
    open_chapter(page, base)
    sidebar = page.locator("#pst-primary-sidebar")
    toggle = page.locator("button.primary-toggle:visible")
    expect(sidebar).to_be_visible()
    toggle.click()
    expect(sidebar).not_to_be_visible()
    toggle.click()
    expect(sidebar).to_be_visible()


@pytest.mark.parametrize("view", ["narrow"])
def test_the_sidebar_opens_on_a_phone(page: Page, base: str, view: str) -> None:
    open_chapter(page, base)
    dialog = page.locator("#pst-primary-sidebar-modal")
    expect(dialog).not_to_be_visible()
    page.locator("button.primary-toggle:visible").click()
    expect(dialog).to_be_visible()
    dialog.get_by_role("link", name="Lockstep").last.click()
    expect(page).to_have_url(re.compile(r"/book/index\.html"))


def search(page: Page, base: str, words: str) -> list[str]:
    """Search as a reader does; return where the results lead, as paths below the book."""
    open_chapter(page, base)
    page.keyboard.press("Control+k")
    page.locator("#pst-search-dialog input[type=search]").fill(words)
    page.keyboard.press("Enter")
    expect(page.locator("#search-results [role=status]")).to_contain_text(words)
    links = page.locator("#search-results a")
    return [str(page.evaluate("(link) => link.href", link)) for link in links.element_handles()]


def test_search_leads_to_the_section(page: Page, base: str) -> None:
    chapter = "book/data-parallelism/ddp"
    found = search(page, base, "bucket")
    (place, section) = found[1].split("#")  # after the page itself
    assert place == f"{base}{chapter}.html" == found[0]
    excerpt = page.locator("#search-results li p").first
    expect(excerpt.locator("mark").first).to_contain_text("bucket", ignore_case=True)
    page.locator("#search-results li a").first.click()
    page.wait_for_url(re.compile(f"{re.escape(chapter)}.html#{section}"))
    expect(page.locator(f"[id='{section}']")).to_be_in_viewport()


@pytest.mark.parametrize(
    ("words", "chapter"),
    [
        ("ZeRO", "sharded"),  # and not each page that has np.zeros
        ("all-reduce ring", "collectives"),
        ("staleness", "async"),
        ("TF_CONFIG", "multi-worker"),
    ],
)
def test_search_has_the_right_chapter_first(
    page: Page, base: str, words: str, chapter: str
) -> None:
    assert Path(urlsplit(search(page, base, words)[0]).path).stem == chapter


def test_the_theme_can_be_switched(page: Page, base: str) -> None:
    open_chapter(page, base)
    seen = {}
    for _ in range(3):
        page.locator("button.theme-switch-button:visible").click()
        mode = page.evaluate("document.documentElement.dataset.mode")
        seen[mode] = page.evaluate("getComputedStyle(document.body).backgroundColor")
        expect(
            page.locator(
                "button.theme-switch-button:visible svg:visible, "
                "button.theme-switch-button:visible i:visible"
            )
        ).to_have_count(1)
    assert set(seen) == {"light", "dark", "auto"}
    assert seen["light"] == seen["auto"] != seen["dark"]


def first(kind: type[questions.Question]) -> tuple[int, questions.Question]:
    """Return a question of the chapter's quiz that has one right answer, and its place."""
    bank = questions.load(Path(CHAPTER).name)
    for place, question in enumerate(bank):
        if isinstance(question, kind):
            options = question.options if isinstance(question, questions.Choice) else ()
            if sum(option.right for option in options) <= 1:
                return place, question
    pytest.fail(f"the chapter's quiz has no {kind.__name__}")


def tab_to(page: Page, selector: str) -> None:
    """Press Tab until an element that matches has the focus."""
    for _ in range(200):
        page.keyboard.press("Tab")
        if page.evaluate("(selector) => document.activeElement.matches(selector)", selector):
            return
    pytest.fail(f"Tab does not lead to {selector}")


def enter_quiz(page: Page, base: str, place: int) -> str:
    """Open the chapter where its quiz stands; return a selector for one question."""
    open_chapter(page, base)
    section = page.evaluate(
        "document.querySelector('.lockstep-quiz').closest('section').getAttribute('id')"
    )
    open_chapter(page, base, f"#{section}")
    page.evaluate(
        "(place) => document.querySelectorAll('.lockstep-quiz .question')[place].id = 'tried'",
        place,
    )
    if not page.evaluate("document.querySelector('#tried details').open"):
        tab_to(page, "#tried summary")
        page.keyboard.press("Enter")
    return "#tried"


def test_a_choice_by_keyboard_alone(page: Page, base: str) -> None:
    place, question = first(questions.Choice)
    assert isinstance(question, questions.Choice)
    tried = enter_quiz(page, base, place)
    status = page.locator(f"{tried} [role=status]")
    right = next(i for i, option in enumerate(question.options) if option.right)
    wrong = (right + 1) % len(question.options)

    tab_to(page, f"{tried} input")
    page.keyboard.press("Space")
    for _ in range(wrong):
        page.keyboard.press("ArrowDown")
    tab_to(page, f"{tried} button")
    page.keyboard.press("Enter")
    expect(status).to_contain_text("Wrong.")
    page.locator(tried).screenshot(path=SCREENSHOTS / "quiz-wrong.png")

    tab_to(page, f"{tried} button:not(:focus ~ *)")  # the next button: Try again
    page.keyboard.press("Enter")
    page.keyboard.press("Space")
    for _ in range(right):
        page.keyboard.press("ArrowDown")
    tab_to(page, f"{tried} button")
    page.keyboard.press("Enter")
    expect(status).to_contain_text("Right.")
    page.locator(tried).screenshot(path=SCREENSHOTS / "quiz-right.png")

    tab_to(page, f"{tried} .proof a")
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(rf"{question.chapter}\.html#{question.section}$"))
    expect(page.locator(f"[id='{question.section}']")).to_be_in_viewport()


def test_a_number_by_keyboard_alone(page: Page, base: str) -> None:
    place, question = first(questions.Number)
    assert isinstance(question, questions.Number)
    tried = enter_quiz(page, base, place)
    status = page.locator(f"{tried} [role=status]")
    tab_to(page, f"{tried} input")
    page.keyboard.type(f"{question.answer * 3 + 1}")
    page.keyboard.press("Enter")
    expect(status).to_contain_text("Wrong.")
    page.keyboard.press("Control+a")
    page.keyboard.type(f"{question.answer}")
    page.keyboard.press("Enter")
    expect(status).to_contain_text("Right.")


class Links(HTMLParser):
    """The links and the anchors of a page."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.links: list[str] = []
        self.anchors: set[str] = set()
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        for name, value in attributes:
            if name == "id" and value:
                self.anchors.add(value)
            elif name in {"href", "src"} and value:
                self.links.append(value)


def broken_links(html: Path) -> list[str]:
    """Return the links of built pages to files and anchors that are not there."""
    pages = {path: Links(path) for path in html.rglob("*.html")}
    broken = []
    for path, parsed in pages.items():
        for link in parsed.links:
            target, fragment = urldefrag(link)
            if target.startswith(SITE):  # of a page that is shown at any address
                target = os.path.relpath(html / target.removeprefix(SITE), path.parent)
            if urlsplit(link).scheme or link.startswith("//"):
                continue
            file = (path.parent / unquote(urlsplit(target).path)).resolve() if target else path
            known = pages[file].anchors if file in pages else None
            if not file.is_file() or (fragment and known is not None and fragment not in known):
                broken.append(f"{path.relative_to(html)}: {link}")
    return broken


def test_links_lead_somewhere() -> None:
    assert broken_links(HTML) == []


def test_the_proof_of_every_question_is_in_the_book() -> None:
    pages = {Path(name).name: Links(HTML / f"{name}.html") for name in pages_in_toc()}
    missing = [
        question.id
        for name in CHAPTERS
        for question in questions.load(Path(name).name)
        if question.section not in pages[question.chapter].anchors
    ]
    assert missing == []


def test_assignments_can_be_downloaded(page: Page, base: str) -> None:
    page.goto(f"{base}{assignments_page.PAGE}.html")
    links = page.locator("a[download]")
    expect(links).to_have_count(len(releases.names()))
    for link in links.all():
        name = link.inner_text().removesuffix(".ipynb")
        got = page.request.get(page.evaluate("(link) => link.href", link.element_handle()))
        assert got.body() == releases.release(name).read_bytes()


@pytest.mark.parametrize("name", CHAPTERS)
def test_a_chapter_is_downloaded_with_its_outputs(name: str) -> None:
    file = HTML / "_sources" / f"{name}.ipynb"
    source = nbformat.read(ROOT / f"{name}.ipynb", as_version=4)
    downloaded = nbformat.read(file, as_version=4)
    nbformat.validate(downloaded)
    assert [cell.source for cell in downloaded.cells] == [cell.source for cell in source.cells]
    assert any("lockstep-figure" in str(cell.get("outputs")) for cell in downloaded.cells)
    link = f"_sources/{name}.ipynb"
    assert any(one.endswith(link) for one in Links(HTML / f"{name}.html").links)


def test_the_start_page_has_a_card_for_each_chapter(page: Page, base: str) -> None:
    page.goto(f"{base}{PAGES[0]}.html")
    cards = page.locator("ul.cards li")
    expect(cards).to_have_count(len(CHAPTERS))
    for card in cards.all():
        assert re.search(r"minutes|an hour", card.locator(".time").inner_text())
    ratios = [float(cell) for cell in page.locator("article td:last-child").all_inner_texts()]
    assert len(ratios) == len(start_page.SHOWN) and all(0.8 < ratio < 1.25 for ratio in ratios)


@pytest.mark.parametrize("view", ["dark"])
def test_what_is_printed_is_light(page: Page, base: str, view: str) -> None:
    open_chapter(page, base)
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"
    ground = "getComputedStyle(document.body).backgroundColor"
    before = page.evaluate(ground)
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert page.evaluate("document.documentElement.dataset.theme") == "light"
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert page.evaluate(ground) == before


def test_an_address_that_is_none_leads_back(page: Page, base: str) -> None:
    assert page.goto(f"{base}404.html")
    page.get_by_role("link", name="Go to the book").click()
    page.wait_for_url(f"{base}{PAGES[0]}.html")


def test_nothing_leads_to_an_address_that_is_not_set() -> None:
    if not address.is_set(ROOT):
        pages = {path: Links(path).links for path in HTML.rglob("*.html")}
        dead = [
            (path.name, one) for path, links in pages.items() for one in links if "NOT-SET" in one
        ]
        assert dead == []


def test_colab_opens_files_of_the_repository() -> None:
    if not address.is_set(ROOT):
        pytest.skip("the course has no public address yet: make address SLUG=owner/name")
    start = address.colab(ROOT, "")
    for name in CHAPTERS:
        links = [link for link in Links(HTML / f"{name}.html").links if "colab.research" in link]
        assert links, f"{name} has no button for Colab"
        for link in links:
            assert link.startswith(start)
            path = link.removeprefix(start)
            tracked = subprocess.run(["git", "ls-files", "--error-unmatch", path], cwd=ROOT)
            assert tracked.returncode == 0, f"git does not track {path}"
