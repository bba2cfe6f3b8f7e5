"""Pictures that a reader changes, with sliders and lists; no kernel is needed once they are there.

Every choice is drawn beforehand, so each picture is made of numbers that the package or the chapter
computed. A script only shows the one that is chosen. Without it there is one picture, like others.
"""

import html
import inspect
import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lockstep import arguments

MOST = 100


@dataclass(frozen=True)
class Touch:
    """All pictures, in the order of the choices, of which the last one changes fastest."""

    choices: Mapping[str, tuple[Any, ...]]
    start: tuple[int, ...]  # the place of each choice to begin with
    frames: tuple[Any, ...]

    def __repr__(self) -> str:
        return repr(self.frames[self._first()])

    def _first(self) -> int:
        """Return which picture is shown at first."""
        first = 0
        for place, values in zip(self.start, self.choices.values(), strict=True):
            first = first * len(values) + place
        return first

    def _repr_html_(self) -> str:
        folder = Path(__file__).parent
        style = (folder / "touch.css").read_text(encoding="utf-8")
        script = (folder / "touch.js").read_text(encoding="utf-8")
        controls = "".join(
            _control(name, values, place)
            for place, (name, values) in zip(self.start, self.choices.items(), strict=True)
        )
        frames = "".join(
            f'<div class="frame"{"" if at == self._first() else " hidden"}>'
            f"{frame._repr_html_()}</div>"
            for at, frame in enumerate(self.frames)
        )
        return (
            f'<div class="lockstep-touch"><style>{style}</style>'
            f'<div class="choices" hidden>{controls}</div><div class="frames">{frames}</div>'
            f'<p class="said" role="status"></p><script>{script}</script></div>'
        )


def _control(name: str, values: tuple[Any, ...], place: int) -> str:
    """Return a slider for numbers, a list for words."""
    label = html.escape(name.replace("_", " ").capitalize())
    shown = [html.escape(f"{value:g}" if _is_number(value) else str(value)) for value in values]
    if all(map(_is_number, values)):
        given = html.escape(" ".join(shown))
        return (
            f"<label><span>{label}: <b>{shown[place]}</b></span>"
            f'<input type="range" min="0" max="{len(values) - 1}" value="{place}"'
            f' data-values="{given}" aria-valuetext="{shown[place]}"></label>'
        )
    options = "".join(
        f"<option{' selected' if at == place else ''}>{text}</option>"
        for at, text in enumerate(shown)
    )
    return f"<label><span>{label}</span><select>{options}</select></label>"


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def touch(draw: Callable[..., Any], **choices: Sequence[Any]) -> Touch:
    """Draw every combination of some choices, for a reader to go through.

    Args:
        draw: is called with one value of each choice, by name, and returns what
            `lockstep.show.figure` does. Its default arguments are what is shown at first; without a
            default it is the first value.
        choices: the values of each choice: numbers get a slider, others a list. Underscores in its
            name become spaces.

    Raises:
        ValueError: there is no choice, one has less than two values, a default is none of the
            values, or there are more than 100 combinations.
    """
    if not choices:
        raise ValueError("touch() has nothing to choose: give values, such as step=range(7)")
    given = {name: tuple(arguments.plain(values)) for name, values in choices.items()}
    parameters = inspect.signature(draw).parameters
    start = []
    count = 1
    for name, values in given.items():
        if len(values) < 2:
            raise ValueError(f"{name}={values}: give two values or more to choose from")
        default = parameters[name].default if name in parameters else inspect.Parameter.empty
        if default is inspect.Parameter.empty:
            default = values[0]
        if default not in values:
            raise ValueError(f"{name}: the default {default!r} of draw is none of {values}")
        start.append(values.index(default))
        count *= len(values)
    if count > MOST:
        raise ValueError(f"touch: {count} pictures are more than {MOST}. Give fewer values.")
    frames = tuple(
        draw(**dict(zip(given, combination, strict=True)))
        for combination in itertools.product(*given.values())
    )
    return Touch(given, tuple(start), frames)
