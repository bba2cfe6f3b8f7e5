"""Quizzes and figures: the HTML they give, and what a browser makes of it outside a notebook.

JupyterLab has a file of its own, test_jupyterlab.py.
"""

import gzip
import html
import itertools
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pytest
from browser import Opened, axe
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from nbclient import NotebookClient
from nbformat.v4 import new_code_cell, new_notebook
from playwright.sync_api import Frame, Locator, Page, expect

from lockstep import questions, show, trace

mpl.use("agg")
BANK = Path(__file__).parent / "bank"
LIGHT, DARK = "#ffffff", "#121212"
INK_ON_DARK = "rgb(206, 214, 221)"


@pytest.fixture(autouse=True)
def bank(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(questions, "BANK", BANK)


# The HTML of a quiz


def test_a_quiz_shows_a_whole_chapter_or_the_named_questions() -> None:
    every = show.quiz("sample")
    assert [q.id for q in every.questions] == [
        "what-is-averaged",
        "true-of-all-reduce",
        "bytes-of-all-reduce",
    ]
    some = show.quiz("sample", "bytes-of-all-reduce", "what-is-averaged")
    assert [q.id for q in some.questions] == ["bytes-of-all-reduce", "what-is-averaged"]
    with pytest.raises(ValueError, match="did you mean 'sample'"):
        show.quiz("sampel")
    with pytest.raises(ValueError, match="did you mean 'what-is-averaged'"):
        show.quiz("sample", "what-is-average")


def test_a_quiz_has_text_for_a_terminal() -> None:
    assert repr(show.quiz("sample", "true-of-all-reduce")).splitlines() == [
        "Quiz (open it in a notebook to answer)",
        "1. Which of these are true of an all-reduce over 4 ranks?",
    ]


def test_text_of_the_bank_is_escaped_and_marked_up() -> None:
    inline = show._inline("`a*b*c < 1` is *not* <b>2 * 3 * 4</b> & *two words*")
    assert inline == (
        "<code>a*b*c &lt; 1</code> is <em>not</em> &lt;b&gt;2 * 3 * 4&lt;/b&gt; &amp; "
        "<em>two words</em>"
    )


def test_a_quiz_is_the_same_every_time_and_names_nothing() -> None:
    code = (
        "from pathlib import Path; from lockstep import questions, show;"
        f"questions.BANK = Path({str(BANK)!r}); print(show.quiz('sample')._repr_html_(), end='')"
    )
    other_process = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    source = show.quiz("sample")._repr_html_()
    assert other_process.stdout == source
    assert not re.search(r'\bid="|https?:|//\w+\.\w|localStorage|cookie', source)


def test_the_quiz_of_the_course_is_light(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    for path in questions.BANK.glob("*.yaml"):
        count = len(questions.load(path.stem))
        size = len(gzip.compress(show.quiz(path.stem)._repr_html_().encode()))
        print(f"{path.stem}: {count} questions, {size} bytes with gzip")
        assert size < 6_000 + 600 * count


# A quiz in a page


def question(page: Page | Frame, index: int, quiz: int = 0) -> Locator:
    """A question of a quiz, opened if it is a closed fold."""
    found = page.locator(".lockstep-quiz").nth(quiz).locator(".question").nth(index)
    for fold in found.locator("details.whole:not([open]) > summary").all():
        fold.click()
    return found


def status(question: Locator) -> Locator:
    return question.get_by_role("status")


def test_one_right_answer_by_keyboard_alone(open_page: Callable[..., Opened]) -> None:
    page, _ = open_page(show.quiz("sample")._repr_html_())
    first = question(page, 0)
    group = first.get_by_role("group", name="Question 1. Two replicas")
    expect(group.get_by_role("radio")).to_have_count(3)
    expect(status(first)).to_have_text("")
    expect(first.get_by_role("link")).to_have_count(0)

    page.keyboard.press("Tab")  # the link in the navigation
    page.keyboard.press("Tab")  # the fold of the question
    page.keyboard.press("Tab")
    expect(first.get_by_role("radio").nth(0)).to_be_focused()
    page.keyboard.press("Tab")
    expect(first.get_by_role("button", name="Check")).to_be_focused()
    page.keyboard.press("Enter")
    expect(status(first)).to_have_text("Choose an answer first.")

    page.keyboard.press("Shift+Tab")
    page.keyboard.press("ArrowUp")  # from the first to the last
    page.keyboard.press("ArrowUp")
    expect(first.get_by_role("radio", name="The weights")).to_be_checked()
    page.keyboard.press("Tab")
    page.keyboard.press("Space")
    expect(status(first)).to_contain_text("Wrong. Adam divides by")
    expect(status(first)).not_to_contain_text("Right.")
    expect(first.get_by_role("button", name="Check")).to_be_focused()

    page.keyboard.press("Tab")
    expect(first.get_by_role("button", name="Try again")).to_be_focused()
    page.keyboard.press("Enter")
    expect(status(first)).to_have_text("")
    expect(first.get_by_role("radio").nth(0)).to_be_focused()
    expect(first.get_by_role("radio", name="The weights")).not_to_be_checked()

    page.keyboard.press("Space")
    page.keyboard.press("Enter")
    expect(status(first)).to_contain_text("Right. The optimizer then sees")
    expect(first.get_by_role("button", name="Try again")).to_be_hidden()

    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    expect(first.get_by_text("Why not the others")).to_be_focused()
    page.keyboard.press("Enter")
    expect(first.get_by_text("An averaged loss only reports.")).to_be_visible()
    page.keyboard.press("Tab")
    expect(first.get_by_role("link", name="section “Gradients or weights?”")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(r"page\.html#gradients-or-weights$"))


def test_one_question_is_open_and_the_others_open_by_keyboard(
    open_page: Callable[..., Opened],
) -> None:
    page, _ = open_page(show.quiz("sample")._repr_html_())
    stems = page.locator(".whole > summary")
    expect(stems).to_have_count(3)
    expect(page.locator(".whole[open]")).to_have_count(1)
    expect(page.get_by_role("checkbox")).to_have_count(0)  # closed: not there for anybody
    stems.nth(1).focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("checkbox")).to_have_count(3)
    page.keyboard.press("Tab")
    expect(page.get_by_role("checkbox").first).to_be_focused()


def test_several_right_answers(open_page: Callable[..., Opened]) -> None:
    page, _ = open_page(show.quiz("sample")._repr_html_())
    second = question(page, 1)
    boxes = second.get_by_role("checkbox")
    check = second.get_by_role("button", name="Check")
    expect(second).to_contain_text("Several answers are right.")

    boxes.nth(0).check()
    check.click()
    expect(status(second)).to_contain_text("Not yet. 1 right answer is missing.")
    expect(status(second)).to_contain_text("Right. That is what all-reduce means.")
    expect(second.get_by_text("Show the answer")).to_be_visible()

    boxes.nth(1).check()
    expect(status(second)).to_have_text("")  # what was said no longer holds
    check.click()
    expect(status(second)).to_contain_text(
        "Not yet. 1 of your choices is wrong. 1 right answer is missing."
    )
    expect(status(second)).to_contain_text("Wrong. That would be a reduce.")

    boxes.nth(2).check()
    check.click()
    expect(status(second)).to_contain_text("Not yet. 1 of your choices is wrong.")
    expect(status(second)).not_to_contain_text("missing")

    boxes.nth(1).uncheck()
    check.click()
    expect(status(second)).to_contain_text("All right.")
    expect(status(second)).to_contain_text("2(N-1)/N is 1.5 for 4 ranks.")


RIGHT, BOTH, TYPE = "Right. 2(N-1)/N is 1", "That is what both ranks", "float64 takes 8 bytes"
OTHER, NONE = "Multiply 2(N-1)/N", "Enter a number such as 6 or 0.5"


@pytest.mark.parametrize(
    ("entered", "said"),
    [
        *[(text, RIGHT) for text in ("6", "6.0", " 6 ", "6,0", "6 MB", "6MB", "+6", "0.6e1")],
        *[(text, RIGHT) for text in ("5.71", "6.29", "6.")],
        ("12", BOTH),
        ("2.9", TYPE),
        ("6.31", OTHER),
        ("-6", OTHER),
        ("\u22126", OTHER),
        ("0", OTHER),
        *[(text, NONE) for text in ("", "six", "6 GB", "1,000", "1.2.3", "NaN", "Infinity", "0x6")],
    ],
)
def test_a_number_to_enter(open_page: Callable[..., Opened], entered: str, said: str) -> None:
    page, _ = open_page(show.quiz("sample", "bytes-of-all-reduce")._repr_html_())
    entry = page.get_by_role("textbox", name="Your answer MB")
    entry.fill(entered)
    entry.press("Enter")
    expect(page.get_by_role("status")).to_contain_text(said)
    solved = said == RIGHT
    expect(page.get_by_text("Show the answer")).to_have_count(0 if solved or said == NONE else 1)
    assert page.url.endswith("page.html")  # nothing was submitted


def test_a_proof_that_is_not_on_the_page_is_named(open_page: Callable[..., Opened]) -> None:
    page, _ = open_page(show.quiz("sample")._repr_html_())
    second = question(page, 1)  # its section is not on this page
    second.get_by_role("checkbox").first.check()
    second.get_by_role("button", name="Check").click()
    expect(second).to_contain_text("Measured here: section “count the bytes”")
    expect(second.get_by_role("link")).to_have_count(0)


def test_two_quizzes_do_not_get_in_each_others_way(open_page: Callable[..., Opened]) -> None:
    source = show.quiz("sample")._repr_html_()
    page, _ = open_page(source + source)
    for quiz, answer in ((0, "The weights"), (1, "The gradients")):
        question(page, 0, quiz).get_by_role("radio", name=answer).check()
        question(page, 0, quiz).get_by_role("button", name="Check").click()
    expect(question(page, 0, 0).get_by_role("radio", name="The weights")).to_be_checked()
    expect(status(question(page, 0, 0))).to_contain_text("Wrong.")
    expect(status(question(page, 0, 1))).to_contain_text("Right.")
    expect(page.locator("form")).to_have_count(6)
    assert page.evaluate("document.querySelectorAll('[id]').length") == 1  # the section


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1200, 375])
def test_the_quiz_is_accessible_and_fits(
    open_page: Callable[..., Opened], scheme: str, width: int
) -> None:
    content = show.quiz("sample")._repr_html_() * 2
    viewport = {"width": width, "height": 800}
    page, _ = open_page(content, color_scheme=scheme, viewport=viewport)
    assert axe(page) == []
    for index, role in enumerate(("radio", "checkbox")):
        question(page, index).get_by_role(role).nth(1).check()  # type: ignore[arg-type]
    question(page, 2).get_by_role("textbox").fill("12")
    question(page, 0, 1).get_by_role("radio").nth(0).check()
    for check in page.get_by_role("button", name="Check").all():
        check.click()
    for rest in page.locator("details.rest:visible summary").all():
        rest.click()
    assert axe(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") == width


def test_without_a_script_each_answer_is_a_fold(open_page: Callable[..., Opened]) -> None:
    page, _ = open_page(show.quiz("sample")._repr_html_(), java_script_enabled=False)
    expect(page.locator("form")).to_have_count(0)
    expect(page.locator("details")).to_have_count(3 + 3 + 4)
    feedback = page.get_by_text("Adam divides by")
    expect(feedback).to_be_hidden()
    page.get_by_text("The weights, after each").click()
    expect(feedback).to_be_visible()
    expect(question(page, 2).locator("summary")).to_have_text(
        ["3 MB", "6 MB", "12 MB", "Another number"]
    )
    expect(page.get_by_role("link", name="section “gradients or weights”")).to_be_visible()
    assert page.locator(".proof").first.inner_text().count("gradients") == 1


def test_in_a_sandboxed_frame_as_in_colab(open_page: Callable[..., Opened]) -> None:
    framed = html.escape(f"<!doctype html><body>{show.quiz('sample')._repr_html_()}</body>")
    page, seen = open_page(
        f'<iframe title="output" sandbox="allow-scripts" srcdoc="{framed}" '
        'style="width: 100%; height: 1500px"></iframe>'
    )
    frame = page.frames[1]
    first = question(frame, 0)
    first.get_by_role("radio").nth(0).focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(status(first)).to_contain_text("Wrong. Adam")
    expect(first).to_contain_text("Measured here: section “gradients or weights”")
    expect(first.get_by_role("link")).to_have_count(0)  # it could lead nowhere
    third = question(frame, 2)
    third.get_by_role("textbox").fill("6")
    page.keyboard.press("Enter")
    expect(status(third)).to_contain_text("Right.")
    assert seen == []


# Figures


def draw(bars: int = 3) -> Figure:
    fig, (left, right) = plt.subplots(1, 2, figsize=(5, 2.5), layout="constrained")
    left.bar([f"replica {i}" for i in range(bars)], range(1, bars + 1), color=["C0", "C1", "C2"])
    left.tick_params(axis="x", rotation=45)
    left.set_ylabel("time, s <&>")
    right.plot([0, 1, 2], [3.14159265, 1.5, 2], label="loss 0.123456", marker="o")
    right.axhline(2, color="0.4", linestyle=":")
    right.text(0, 1.6, "boxed", bbox={"facecolor": "white"})
    right.grid()
    right.legend()
    right.set_title("A title that is about as long as the axes")
    return fig


def test_a_figure_needs_words() -> None:
    for alt in ("", "  \n", None):
        with pytest.raises(ValueError, match=r"alt=.* is empty. Say in a sentence or two"):
            show.figure(draw(), alt=alt)  # type: ignore[arg-type]
    drawing = show.figure(draw(), alt=' Bars "rise" & fall ')
    assert repr(drawing) == 'Figure: Bars "rise" & fall'
    assert 'role="img" aria-label="Bars &quot;rise&quot; &amp; fall"' in drawing.svg


@pytest.mark.parametrize(
    "what", [lambda fig: (fig, fig.axes), lambda fig: fig.axes[0], lambda fig: 0]
)
def test_what_is_no_figure_is_named(what: Callable[[Figure], Any]) -> None:
    fig = draw()
    with pytest.raises(
        ValueError, match=r"fig is .* Give matplotlib's figure, such as axes.figure"
    ):
        show.figure(what(fig), alt="bars")
    plt.close(fig)


def test_a_figure_is_shown_once() -> None:
    fig = draw()
    show.figure(fig, alt="bars")
    assert not plt.fignum_exists(fig.number)


def test_colours_follow_the_page() -> None:
    svg = show.figure(draw(), alt="bars").svg
    colours = set(re.findall(r"(?:fill|stroke): ?([^;\"]+)", svg))
    grey = {f"color-mix(in srgb,currentColor {p}%,transparent)" for p in (60, 31, 20)}
    assert colours == {"none", "currentColor", *grey, *trace.COLOURS[:3]}
    assert re.match(r'<svg [^>]*fill="currentColor"', svg)


def test_a_colour_without_a_tone_for_both_themes_is_refused() -> None:
    fig, ax = plt.subplots()
    ax.plot([1, 2], color="C4")
    with pytest.raises(ValueError, match=r"colour C4\. Only C0 to C3"):
        show.figure(fig, alt="a line")
    plt.close(fig)


def test_text_stays_text_in_the_font_of_the_page() -> None:
    svg = show.figure(draw(), alt="bars").svg
    texts = re.findall(r"<text[^>]*>([^<]*)</text>", svg)
    assert {"replica 0", "time, s &lt;&amp;&gt;", "loss 0.123456", "boxed"} <= set(texts)
    assert "DejaVu" not in svg
    assert "3.14159265" not in svg and not re.search(r' [dxy]="[^"]*\d\.\d{3}', svg)


@pytest.mark.parametrize(
    ("style", "kept"),
    [
        ("font: 10px 'DejaVu Sans', serif; fill: none", "font-size: 10px; fill: none"),
        ("font: italic 9.5px 'DejaVu Sans'", "font-size: 9.5px; font-style: italic"),
        ("font: 700 9.5px 'DejaVu Sans'", "font-size: 9.5px; font-weight: 700"),
        ("font: 8px 'DejaVu Sans Mono', x", "font-size: 8px; font-family: monospace"),
        ("font-size: 10px; font-family: 'DejaVu Sans', serif", "font-size: 10px"),
        (
            "font-size: 8px; font-family: 'DejaVu Sans Mono'",
            "font-size: 8px; font-family: monospace",
        ),
    ],
)
def test_fonts_as_old_and_new_matplotlib_write_them(style: str, kept: str) -> None:
    assert show._inherit_font(style) == kept


def test_a_figure_is_the_same_every_time_and_stands_beside_others() -> None:
    once, again, other = (show.figure(draw(n), alt="bars").svg for n in (3, 3, 2))
    assert once == again != other
    ids = [re.findall(r'\bid="([^"]+)"', svg) for svg in (once, other)]
    assert all(ids) and len(set(ids[0] + ids[1])) == len(ids[0] + ids[1])
    for svg, own in zip((once, other), ids, strict=True):
        assert set(re.findall(r'(?:url\(|href=")#([^)"]+)', svg)) == set(own)
    assert not re.search(r"<style|<metadata|https?:|xmlns", once)


def test_the_events_of_a_timeline_can_be_downloaded(open_page: Callable[..., Opened]) -> None:
    events = [trace.Event('100 % of "A" & <B>', 0, 1.0, 3.0), trace.Event("C", 1, 2.0, 4.0)]
    timelines = {"a title": events}
    drawing = show.figure(trace.draw(timelines), "Bars.", "Two *ranks*.", timelines)
    page, _ = open_page(drawing._repr_html_())
    with page.expect_download() as download:
        page.get_by_role("link", name="Download the events").click()
    assert download.value.suggested_filename == "timeline.json"
    assert download.value.path().read_text() == trace.chrome_trace(timelines)
    expect(page.get_by_text("Two ranks. Download the events and open them in")).to_be_visible()
    assert "download" not in show.figure(draw(), "Bars.")._repr_html_()


def test_a_figure_is_light() -> None:
    assert len(gzip.compress(show.figure(draw(), alt="bars").svg.encode())) < 3_500


def luminance(colour: str) -> float:
    """Relative luminance, as WCAG 2.2 defines it."""
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return sum(weight * p for weight, p in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def contrast(one: str, other: str) -> float:
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


def style_colours() -> list[str]:
    paths = Path(show.__file__).parent.glob("*.css")
    source = "".join(path.read_text(encoding="utf-8") for path in paths)
    return sorted(set(re.findall(r"#[0-9a-f]{6}", source)))


@pytest.mark.parametrize("colour", [*trace.COLOURS, *style_colours()])
def test_colours_are_seen_on_light_and_dark(colour: str) -> None:
    for ground in (LIGHT, DARK, "#14181e"):
        assert contrast(colour, ground) >= 3, ground


@pytest.mark.parametrize("colour", trace.COLOURS)
def test_white_letters_are_read_on_a_colour(colour: str) -> None:
    assert contrast(colour, "#ffffff") >= 4.5


# How people see linear RGB who lack one kind of cone (Machado et al. 2009, severity 1).
BLINDNESS = {
    "none": [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
    "protan": [[0.152, 1.053, -0.205], [0.115, 0.786, 0.099], [-0.004, -0.048, 1.052]],
    "deutan": [[0.367, 0.861, -0.228], [0.280, 0.673, 0.047], [-0.012, 0.043, 0.969]],
    "tritan": [[1.256, -0.077, -0.179], [-0.078, 0.931, 0.148], [0.005, 0.691, 0.304]],
}
TO_XYZ = np.array([[0.4125, 0.3576, 0.1804], [0.2127, 0.7152, 0.0722], [0.0193, 0.1192, 0.9503]])


def lab(colour: str, cones: list[list[float]]) -> np.ndarray:
    """CIELAB coordinates of a colour as somebody with these cones sees it."""
    rgb = np.array(to_rgb(colour))
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    xyz = TO_XYZ @ np.clip(cones @ linear, 0, 1) / TO_XYZ.sum(axis=1)
    f = np.where(xyz > 0.008856, np.cbrt(xyz), 7.787 * xyz + 16 / 116)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


@pytest.mark.parametrize("cones", BLINDNESS.values(), ids=BLINDNESS.keys())
def test_the_colour_blind_tell_colours_apart(cones: list[list[float]]) -> None:
    seen = [lab(colour, cones) for colour in trace.COLOURS]
    assert min(np.linalg.norm(a - b) for a, b in itertools.combinations(seen, 2)) >= 20


@pytest.mark.parametrize("width", [1200, 375])
@pytest.mark.parametrize("font", ["Arial", "DejaVu Sans"])
def test_nothing_of_a_figure_is_cut_off(
    open_page: Callable[..., Opened], font: str, width: int
) -> None:
    drawing = show.figure(draw(), alt="Two charts")._repr_html_()
    page, _ = open_page(
        f'<div style="font-family: {font}">{drawing}</div>',
        viewport={"width": width, "height": 800},
    )
    image = page.get_by_role("img", name="Two charts")
    frame = image.bounding_box()
    assert frame and frame["x"] >= 16 and frame["x"] + frame["width"] <= width - 16
    _, _, width_in_points, height_in_points = str(image.get_attribute("viewBox")).split()
    ratio = float(width_in_points) / float(height_in_points)
    assert frame["width"] / frame["height"] == pytest.approx(ratio, rel=0.01)
    boxes = image.locator("text").evaluate_all(
        "texts => texts.map(text => text.getBoundingClientRect().toJSON())"
    )
    assert len(boxes) > 10
    for box in boxes:
        assert frame["x"] <= box["left"] and box["right"] <= frame["x"] + frame["width"]
        assert frame["y"] <= box["top"] and box["bottom"] <= frame["y"] + frame["height"]
    assert axe(page) == []


@pytest.mark.parametrize(("scheme", "ink"), [("light", "rgb(0, 0, 0)"), ("dark", INK_ON_DARK)])
def test_the_ink_of_a_figure_follows_the_theme(
    open_page: Callable[..., Opened], scheme: str, ink: str
) -> None:
    page, _ = open_page(show.figure(draw(), alt="Two charts")._repr_html_(), color_scheme=scheme)
    colour = "nodes => [...new Set(nodes.map(node => getComputedStyle(node).%s))]"
    assert page.locator("svg text").evaluate_all(colour % "fill") == [ink]
    assert ink in page.locator("svg path").evaluate_all(colour % "stroke")
    assert page.locator(".lockstep-figure > p").is_hidden()


def test_jupyters_own_backend_shows_a_figure_once() -> None:
    source = (
        "import matplotlib.pyplot as plt\nfrom lockstep import show\n"
        "fig, ax = plt.subplots()\nax.plot([1, 2])\nshow.figure(fig, alt='A line')"
    )
    notebook = new_notebook(cells=[new_code_cell("%matplotlib inline"), new_code_cell(source)])
    NotebookClient(notebook, kernel_name="python3").execute()
    (output,) = notebook.cells[1].outputs
    assert output["data"]["text/plain"] == "Figure: A line"
    assert set(output["data"]) == {"text/plain", "text/html"}
