"""What learners see, in any front end: quizzes and figures, as HTML that needs no network."""

import hashlib
import html
import io
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote
from xml.etree import ElementTree

import matplotlib as mpl
import matplotlib.pyplot as plt
from matplotlib.colors import TABLEAU_COLORS, to_hex
from matplotlib.figure import Figure
from matplotlib.legend import Legend
from matplotlib.patches import Patch
from matplotlib.text import Text

from lockstep.questions import Choice, Number, Question, find, load
from lockstep.trace import COLOURS, Event, chrome_trace

# Quizzes


@dataclass(frozen=True)
class Quiz:
    """Questions that a front end shows as forms, or, where it runs no script, as folds."""

    chapter: str
    questions: tuple[Question, ...]

    def __repr__(self) -> str:
        lines = [f"{i}. {question.stem}" for i, question in enumerate(self.questions, start=1)]
        return "\n".join(["Quiz (open it in a notebook to answer)", *lines])

    def _repr_html_(self) -> str:
        folder = Path(__file__).parent
        style = (folder / "quiz.css").read_text(encoding="utf-8")
        script = (folder / "quiz.js").read_text(encoding="utf-8")
        return "\n".join(
            [
                f'<div class="lockstep-quiz"><style>{style}</style>',
                '<p class="how">Open an answer to see whether it is right, and why.</p>',
                *(self._question(i, q) for i, q in enumerate(self.questions, start=1)),
                f"<script>{script}</script></div>",
            ]
        )

    def _question(self, index: int, question: Question) -> str:
        # The script reads class="right", data-value, data-tolerance and data-unit.
        hint = "One answer is right."
        data = ""
        if isinstance(question, Choice):
            if sum(option.right for option in question.options) > 1:
                hint = "Several answers are right."
            folds = [_fold(o.right, _inline(o.text), o.feedback) for o in question.options]
        else:
            assert isinstance(question, Number)
            unit = html.escape(question.unit)
            data = f' data-tolerance="{question.tolerance!r}" data-unit="{unit}"'
            numbers = [(question.answer, True, question.feedback)]
            numbers += [(wrong.value, False, wrong.feedback) for wrong in question.wrong]
            folds = [
                _fold(right, f"{value:g} {unit}".rstrip(), feedback, f' data-value="{value!r}"')
                for value, right, feedback in sorted(numbers)
            ]
            folds.append(_fold(False, "Another number", question.otherwise))
        stem = f'<b class="number">Question {index}.</b> {_inline(question.stem)}'
        return "\n".join(
            [
                f'<div class="question"{data}>',
                f'<p class="stem">{stem} <i class="hint">{hint}</i></p>',
                *folds,
                f'<p class="proof">{html.escape(question.told)}: {_proof(question)}</p>',
                "</div>",
            ]
        )


def _fold(right: bool, text: str, feedback: str, data: str = "") -> str:
    kind = "right" if right else "wrong"
    return (
        f'<details class="{kind}"{data}><summary>{text}</summary>'
        f"<p><b>{kind.capitalize()}.</b> {_inline(feedback)}</p></details>"
    )


def _proof(question: Question) -> str:
    # Whoever strips styles, as JupyterLab does in a notebook it does not trust, hides the link
    # and shows the words: its anchors are not the book's.
    words = f"section “{question.section.replace('-', ' ')}”"
    return f'<a hidden="hidden" href="#{question.section}">{words}</a><span>{words}</span>'


def _inline(text: str) -> str:
    """HTML of text with `code` and *emphasis*."""
    parts = re.split(r"`([^`]+)`", html.escape(text, quote=False))
    for i, part in enumerate(parts):
        if i % 2:
            parts[i] = f"<code>{part}</code>"
        else:
            parts[i] = re.sub(r"\*(\S(?:[^*]*\S)?)\*", r"<em>\1</em>", part)
    return "".join(parts)


def quiz(chapter: str, *ids: str) -> Quiz:
    """The questions of a chapter's bank, or those with the given ids, in the given order.

    Raises:
        ValueError: no such bank or question.
    """
    if not ids:
        return Quiz(chapter, load(chapter))
    return Quiz(chapter, tuple(find(id) for id in ids))


# Figures

PERFETTO = '<a href="https://ui.perfetto.dev">Perfetto</a>'


@dataclass(frozen=True)
class Drawing:
    """A figure as inline SVG, with the text for those who cannot see it, and a caption.

    A timeline also has its events, as a Chrome trace to download.
    """

    svg: str
    alt: str
    caption: str = ""
    trace: str = ""

    def __repr__(self) -> str:
        return f"Figure: {self.alt}"

    def _repr_html_(self) -> str:
        # A front end that strips SVG, as JupyterLab does in a notebook it does not trust, leaves
        # the letters in it behind. It strips the style, too: they stay hidden, and the text shows.
        # The first rule undoes the light ground that the book's dark theme gives to HTML outputs.
        style = (
            ".text_html:has(>.lockstep-figure)"
            "{padding:0!important;background:none!important;color:inherit!important}"
            ".lockstep-figure>p{display:none}"
            ".lockstep-figure>div{display:block!important}"
            ".lockstep-figure svg{display:block;max-width:100%;height:auto;overflow:visible}"
            ".lockstep-figure>.caption{max-width:44em;margin-top:.5em;font-size:.9em;opacity:.85}"
        )
        under = [_inline(self.caption)] if self.caption else []
        if self.trace:
            link = f'download="timeline.json" href="data:application/json,{quote(self.trace)}"'
            under.append(f"<a {link}>Download the events</a> and open them in {PERFETTO}.")
        caption = f'<div class="caption">{" ".join(under)}</div>' if under else ""
        return (
            f'<div class="lockstep-figure"><style>{style}</style><p>{html.escape(repr(self))}</p>'
            f'<div hidden="hidden">{self.svg}</div>{caption}</div>'
        )


def figure(
    fig: Figure,
    alt: str,
    caption: str = "",
    timelines: Mapping[str, Iterable[Event]] | None = None,
) -> Drawing:
    """A matplotlib figure that follows the page: its width, its font, and its light or dark theme.

    Draw as usual. Black and greys become the page's ink, the default colours C0 to C3 become
    `COLOURS`, white backgrounds become transparent. Draw for a width of 4 to 5 inches: on a phone,
    the text of a wider figure gets too small. The figure is closed, so that it shows only once.

    Args:
        fig: the figure.
        alt: what it shows, for those who cannot see it: a sentence or two, with the numbers.
        caption: what to see in it, in a sentence; `code` and *emphasis* are marked up.
        timelines: the events that it draws, by title, for readers to download.

    Raises:
        ValueError: `fig` is no figure, `alt` is empty, or the figure uses a default colour from C4
            on (but grey C7).
    """
    if not isinstance(fig, Figure):
        raise ValueError(
            f"figure: fig is {fig!r:.60}. Give matplotlib's figure, such as axes.figure or the "
            "first of the two that plt.subplots() returns."
        )
    if not isinstance(alt, str) or not alt.strip():
        raise ValueError(
            f"figure: alt={alt!r} is empty. Say in a sentence or two what the figure shows."
        )
    # A legend or a text box has a white ground of its own, which savefig leaves as it is.
    boxes: list[Patch | None] = []
    boxes += [legend.get_frame() for legend in fig.findobj(Legend)]  # type: ignore[attr-defined]
    boxes += [text.get_bbox_patch() for text in fig.findobj(Text)]  # type: ignore[attr-defined]
    for box in boxes:
        if box is not None and to_hex(box.get_facecolor()) == "#ffffff":
            box.set_facecolor("none")
    file = io.StringIO()
    with mpl.rc_context({"svg.fonttype": "none", "svg.hashsalt": "lockstep"}):
        fig.savefig(
            file,
            format="svg",
            transparent=True,
            bbox_inches="tight",
            metadata={"Date": None, "Creator": None, "Format": None, "Type": None},
        )
    plt.close(fig)
    svg = _inline_svg(file.getvalue(), alt.strip())
    trace = "" if timelines is None else chrome_trace(timelines)
    return Drawing(svg, alt.strip(), caption.strip(), trace)


def _inline_svg(source: str, alt: str) -> str:
    """Matplotlib's SVG file as an element that can be beside others in one page."""
    root = ElementTree.fromstring(source)
    prefix = "f" + hashlib.sha256((alt + source).encode()).hexdigest()[:8]
    used = sorted(set(re.findall(r'(?:url\(|href=")#([^)"]+)', source)))
    names = {name: f"{prefix}-{index}" for index, name in enumerate(used)}
    for node in root.iter():
        # The style sheet would apply to the whole page; see stroke-linejoin below.
        for child in list(node):
            if child.tag.endswith(("}metadata", "}style")):
                node.remove(child)
        node.tag = node.tag.partition("}")[2]
        attributes = {key.rpartition("}")[2]: value for key, value in node.attrib.items()}
        node.attrib.clear()
        for key, value in attributes.items():
            if key == "id":
                if value not in names:
                    continue
                value = names[value]
            elif key in ("d", "x", "y"):
                value = re.sub(r"-?\d+\.\d{3,}", lambda m: f"{float(m[0]):.2f}", value)
                value = " ".join(value.split())
            elif key == "transform" and value.startswith("rotate(-0 "):
                continue
            elif key == "style" and node.tag == "text":
                value = _inherit_font(value)
            value = re.sub(r"#[0-9a-f]{6}\b", _themed, value)
            if key == "style" and node.tag == "text":
                value = re.sub("|".join(COLOURS), _legible, value)
            value = re.sub(r"#([\w-]+)", lambda m: "#" + names.get(m[1], m[1]), value)
            node.set(key, value)
        if node.tag not in ("text", "tspan"):
            node.text = None
        node.tail = None
    width, height = (float(number) for number in root.get("viewBox", "").split()[2:])
    root.attrib.clear()
    root.attrib |= {
        "viewBox": f"0 0 {width:.2f} {height:.2f}",
        "width": f"{width * 4 / 3:.0f}",  # CSS pixels of so many points
        "role": "img",
        "aria-label": alt,
        "fill": "currentColor",
        "stroke-linejoin": "round",
    }
    return ElementTree.tostring(root, encoding="unicode")


def _inherit_font(style: str) -> str:
    """The style of a text without matplotlib's fonts, so that it takes the page's."""
    kept = []
    for declaration in style.split("; "):
        key, _, value = declaration.partition(": ")
        if key == "font":  # until matplotlib 3.10: slant, weight, size and families in one
            *words, size = re.split(r"(?<=px) ", value)[0].split()
            kept += [f"font-size: {size}"]
            kept += [f"font-style: {word}" for word in words if word in ("italic", "oblique")]
            kept += [f"font-weight: {word}" for word in words if word == "bold" or word.isdigit()]
        elif key != "font-family":
            kept.append(declaration)
        if key.startswith("font") and "Mono" in value.split(",")[0]:
            kept.append("font-family: monospace")
    return "; ".join(kept)


def _legible(match: re.Match[str]) -> str:
    """A colour for letters: what carries white letters is too dark for letters on a dark page."""
    return f"color-mix(in srgb,{match[0]} 60%,currentColor)"


def _themed(match: re.Match[str]) -> str:
    """The page's ink for black and greys, `COLOURS` for matplotlib's default colours."""
    colour = match[0]
    if colour == "#ffffff":
        return colour
    red, green, blue = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
    if red == green == blue:
        ink = round(100 * (255 - red) / 255)
        return (
            "currentColor" if ink == 100 else f"color-mix(in srgb,currentColor {ink}%,transparent)"
        )
    defaults = list(TABLEAU_COLORS.values())  # C0, C1, ...
    if colour not in defaults:
        return colour
    index = defaults.index(colour)
    if index >= len(COLOURS):
        raise ValueError(
            f"figure: uses matplotlib's colour C{index}. Only C0 to C{len(COLOURS) - 1} have a "
            "tone for light and dark: draw fewer things, or use dashes and markers."
        )
    return COLOURS[index]
