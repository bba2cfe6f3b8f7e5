"""Predictions: boxes that a reader writes in, and what was measured, set beside them.

What a reader writes stays in the browser. Where no script runs, the questions and the measured
values are there all the same.
"""

import html
from dataclasses import dataclass
from pathlib import Path

from lockstep import arguments
from lockstep.questions import ORIGINS, near

_asked: dict[str, "Question"] = {}


@dataclass(frozen=True)
class Question:
    """A number to predict: its name on the page, the question, and the unit of the answer."""

    name: str
    text: str
    unit: str


@dataclass(frozen=True)
class Boxes:
    """Questions that a front end shows with a box each."""

    questions: tuple[Question, ...]

    def __repr__(self) -> str:
        units = [f" ({q.unit})" if q.unit else "" for q in self.questions]
        asked = zip(self.questions, units, strict=True)
        return "\n".join(f"{i}. {q.text}{unit}" for i, (q, unit) in enumerate(asked, start=1))

    def _repr_html_(self) -> str:
        items = "".join(
            f"<li><label><span>{html.escape(q.text)}</span> <span class='entry'>"
            f'<input type="text" inputmode="decimal" autocomplete="off" data-prediction="{q.name}">'
            f" {html.escape(q.unit)}</span></label></li>"
            for q in self.questions
        )
        how = "<p class='how'>What you write stays in this browser.</p>"
        return _page(f"<ol>{items}</ol>{how}")


@dataclass(frozen=True)
class Measured:
    """A value, beside which a front end shows what the reader predicted."""

    question: Question
    value: float
    origin: str

    def __repr__(self) -> str:
        return f"{self.origin.capitalize()}: {self.value:.4g} {self.question.unit}".rstrip()

    def _repr_html_(self) -> str:
        q = self.question
        data = f'data-prediction="{q.name}" data-value="{self.value!r}"'
        unit = html.escape(q.unit)
        said = self.origin.capitalize()
        return _page(
            f'<p class="measured" {data} data-unit="{unit}"><span class="said"></span>'
            f"{said}: <b>{self.value:.4g} {unit}</b><span class='ratio'></span></p>"
        )


def _page(content: str) -> str:
    folder = Path(__file__).parent
    style = (folder / "predict.css").read_text(encoding="utf-8")
    script = (folder / "predict.js").read_text(encoding="utf-8")
    return (
        f'<div class="lockstep-predict"><style>{style}</style>{content}'
        f"<script>{script}</script></div>"
    )


def predict(chapter: str, **questions: tuple[str, str]) -> Boxes:
    """Ask for numbers before they are measured.

    Args:
        chapter: its slug, which keeps the names of one chapter from those of another.
        questions: by a name for each, the question and the unit of the answer, "" without one.

    Raises:
        ValueError: there is no question, or one that is not two texts.
    """
    if not isinstance(chapter, str) or not chapter:
        raise ValueError(f"chapter={chapter!r}: give the chapter's slug, such as 'one-device'")
    if not questions:
        raise ValueError(
            'predict() has nothing to ask: give a question and its unit, such as weights=("How '
            'large are the weights?", "MB")'
        )
    for name, given in questions.items():
        texts = isinstance(given, tuple) and len(given) == 2
        if not texts or not all(isinstance(part, str) for part in given) or not given[0].strip():
            raise ValueError(
                f'{name}={given!r:.60}: give the question and its unit, such as {name}=("How large '
                'are the weights?", "MB")'
            )
        _asked[name] = Question(f"{chapter}/{name}", *given)
    return Boxes(tuple(_asked[name] for name in questions))


def measured(name: str, value: float, origin: str = "measured") -> Measured:
    """Show a value beside what was predicted under this name.

    Args:
        name: as `predict` was given it.
        value: in the unit that `predict` was given.
        origin: "measured" by a run, or "computed" from a formula or by the course's simulator.

    Raises:
        ValueError: nothing was asked under this name, the value is not finite, or there is no such
            origin.
    """
    if origin not in ORIGINS:
        raise ValueError(f"origin={origin!r}: give one of {', '.join(ORIGINS)}")
    if name not in _asked:
        raise ValueError(
            f"measured: nothing was asked as {name!r}{near(name, _asked)}. Ask first, with "
            f"predict(chapter, {name}=(question, unit))"
        )
    value = arguments.number("value", value, least=float("-inf"))
    return Measured(_asked[name], value, origin)
