"""The schedule explorer: choose a pipeline, see its timeline, its bubble and what its ranks hold.

It needs no kernel: everything that can be chosen is simulated here, and the HTML carries what the
simulator found. Its script only draws that.
"""

import html
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, partial
from pathlib import Path
from typing import Any, NamedTuple

from lockstep import arguments, schedules
from lockstep import costs as formulas
from lockstep.schedules import BACKWARD, FORWARD, INPUTS, WEIGHTS, Costs, Schedule
from lockstep.trace import COLOURS, Event

# A name, what makes it of so many ranks and micro-batches, and the stages that a rank has.
SCHEDULES: dict[str, tuple[str, Callable[[int, int], Schedule], int]] = {
    "gpipe": ("GPipe", schedules.gpipe, 1),
    "1f1b": ("1F1B", schedules.one_f_one_b, 1),
    "eager": ("Eager 1F1B", schedules.eager_one_f_one_b, 1),
    "interleaved": ("Interleaved 1F1B", partial(schedules.interleaved, chunks=2), 2),
    "zb-h1": ("ZB-H1", schedules.zb_h1, 1),
    "zb-h2": ("ZB-H2", schedules.zb_h2, 1),
}
STAGES = (2, 3, 4, 6, 8)
MICRO_BATCHES = (1, 2, 4, 6, 8, 12, 16, 32)
COSTS: tuple[tuple[float, ...], ...] = (
    (1, 1, 1),
    (2, 2, 1),
    (1, 1, 2),
)
MESSAGES = {0: "free", 0.5: "half a forward pass"}
RECOMPUTED = {False: "none", True: "all but a tenth"}
BOUNDARY = 0.1  # that tenth
TICKS = 2  # of a time unit; whatever is chosen, operations begin and end on one
SKEW = " Ranks begin one after the other, which the makespan counts, too."
HEADS = ("Schedule", "Makespan", "Bubble of all time", "over the ideal time", "Most held")


class Choice(NamedTuple):
    """What schedules are run with. Times are of all layers of a rank; a message's, in F."""

    costs: tuple[float, ...] = COSTS[0]
    message: float = 0
    recompute: bool = False

    def simulated(self, chunks: int) -> Costs:
        """The costs of a stage. What goes from one to the next is as large for a smaller stage."""
        forward, inputs, weights = (cost / chunks for cost in self.costs)
        travel = self.message * self.costs[0]
        again = forward * self.recompute
        return Costs(forward, inputs, weights, recompute=again, message=travel)

    def lengths(self, chunks: int) -> dict[str, int]:
        """Ticks of each kind of operation."""
        forward, inputs, weights = (round(TICKS * cost) // chunks for cost in self.costs)
        inputs += forward * self.recompute
        return {FORWARD: forward, INPUTS: inputs, WEIGHTS: weights, BACKWARD: inputs + weights}


CHOICES = tuple(
    Choice(c, message, again) for c in COSTS for message in MESSAGES for again in RECOMPUTED
)


@dataclass(frozen=True)
class Explorer:
    """What to begin with. A front end that runs no script shows a table of all schedules."""

    schedule: str
    compare: str | None
    stages: int
    micro_batches: int
    choice: Choice
    only_sizes: bool = False

    def __repr__(self) -> str:
        rows = [": ".join([name, ", ".join(cells)]) for name, *cells in self._rows()]
        head = "Schedule explorer (open it in a notebook to choose)"
        return "\n".join([head, self._title(), f"{HEADS[0]}: {', '.join(HEADS[1:])}", *rows])

    def _repr_html_(self) -> str:
        folder = Path(__file__).parent
        style = (folder / "explorer.css").read_text(encoding="utf-8")
        script = (folder / "explorer.js").read_text(encoding="utf-8")
        start = {
            "schedule": self.schedule,
            "compare": self.compare or "",
            "stages": STAGES.index(self.stages),
            "micro_batches": MICRO_BATCHES.index(self.micro_batches),
            "costs": 0 if self.only_sizes else COSTS.index(self.choice.costs),
            "message": 0 if self.only_sizes else list(MESSAGES).index(self.choice.message),
            "recompute": 0 if self.only_sizes else int(self.choice.recompute),
        }
        caption = f"All schedules: {self._title()}"
        heads = "".join(f'<th scope="col">{head}</th>' for head in HEADS)
        rows = "".join(
            f'<tr><th scope="row">{name}</th>{"".join(f"<td>{cell}</td>" for cell in cells)}</tr>'
            for name, *cells in self._rows()
        )
        return "\n".join(
            [
                f'<div class="lockstep-explorer" data-start="{html.escape(json.dumps(start))}">',
                f"<style>{style}</style>",
                '<p class="how">Run this cell to choose schedules and sizes.</p>',
                '<div class="all" tabindex="0" role="group" aria-label="All schedules">',
                f"<table><caption>{caption}</caption>",
                f"<thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table></div>",
                f'<script type="application/json">{grid(*self._offered())}</script>',
                f"<script>{script}</script></div>",
            ]
        )

    def _offered(self) -> tuple[tuple[str, ...], tuple[Choice, ...]]:
        """The schedules and the costs that can be chosen."""
        if not self.only_sizes:
            return tuple(SCHEDULES), CHOICES
        shown = {self.schedule, self.compare}
        return tuple(key for key in SCHEDULES if key in shown), (self.choice,)

    def _title(self) -> str:
        costs, message, recompute = self.choice
        return (
            f"{self.stages} ranks, {self.micro_batches} micro-batches, "
            f"F : I : W = {' : '.join(map(str, costs))}, "
            f"messages: {MESSAGES[message]}, recomputation: {RECOMPUTED[recompute]}"
        )

    def _rows(self) -> list[list[str]]:
        """What there is to say of each schedule. The script puts the same there."""
        rows = []
        keys, choices = self._offered()
        for key in keys:
            name = SCHEDULES[key][0]
            of_key = _simulated(keys, choices)["schedules"][key]
            found = of_key["at"][f"{self.stages} {self.micro_batches}"]
            if isinstance(found, str):
                rows.append([f"{name}, not with {self.micro_batches}", *"––––"])
                continue
            ticks, _, share, over, *_ = found["runs"][choices.index(self.choice)]
            most = max(found["peaks"][_recomputed(choices).index(self.choice.recompute)])
            rows.append([name, f"{ticks / TICKS:g}", share, over, f"{most:g}"])
        return rows


def explorer(
    schedule: str = "gpipe",
    compare: str | None = "1f1b",
    *,
    stages: int = 4,
    micro_batches: int = 8,
    costs: Sequence[float] = (1, 1, 1),
    message: float = 0,
    recompute: bool = False,
    only_sizes: bool = False,
) -> Explorer:
    """Pipeline schedules to choose from and to compare, in any notebook and without its kernel.

    Args:
        schedule: what is drawn at first: "gpipe", "1f1b", "eager", "interleaved", "zb-h1" or
            "zb-h2".
        compare: what is drawn below it on the same time axis; None for nothing.
        stages: number of ranks; the interleaved schedule has two stages on each.
        micro_batches: number of micro-batches.
        costs: times of the forward pass, the backward pass for inputs, and the one for weights.
        message: time that a message between ranks travels, in forward passes.
        recompute: whether all but a tenth of the activations is computed again for backward passes.
        only_sizes: leave ranks and micro-batches to choose, and the rest as it is given here; only
            the timelines and what they come to are shown then.

    Raises:
        ValueError: the explorer has no such choice, or no schedule of this size.
    """
    stages, micro_batches = arguments.plain(stages), arguments.plain(micro_batches)
    costs, message = arguments.plain(costs), arguments.plain(message)
    limits: list[tuple[str, object, Sequence[object]]] = [
        ("schedule", schedule, list(SCHEDULES)),
        ("compare", compare, [*SCHEDULES, None]),
        ("stages", stages, STAGES),
        ("micro_batches", micro_batches, MICRO_BATCHES),
        ("costs", tuple(costs) if isinstance(costs, Sequence) else costs, COSTS),
        ("message", message, list(MESSAGES)),
        ("recompute", recompute, list(RECOMPUTED)),
    ]
    for argument, given, known in limits:
        if given not in known:
            raise ValueError(
                f"{argument}={given!r}: the explorer has {', '.join(map(repr, known))}. "
                "lockstep.schedules.simulate runs anything else, and "
                'lockstep.trace.draw(..., lanes="rank") draws it.'
            )
    for key in filter(None, (schedule, compare)):
        SCHEDULES[key][1](int(stages), int(micro_batches))
    choice = CHOICES[CHOICES.index(Choice(tuple(costs), message, recompute))]
    return Explorer(schedule, compare, int(stages), int(micro_batches), choice, bool(only_sizes))


# What the script draws


@cache
def grid(keys: tuple[str, ...] = tuple(SCHEDULES), choices: tuple[Choice, ...] = CHOICES) -> str:
    """Everything that can be chosen, simulated, as JSON."""
    data = {
        "brief": len(choices) == 1,
        "stages": STAGES,
        "micro_batches": MICRO_BATCHES,
        "costs": list(dict.fromkeys(choice.costs for choice in choices)),
        "message": list(dict.fromkeys(MESSAGES[choice.message] for choice in choices)),
        "recompute": [RECOMPUTED[again] for again in _recomputed(choices)],
        "ticks": TICKS,
        "colours": dict(zip("FBIW", (*COLOURS[:2], *COLOURS[1:3]), strict=True)),
        **_simulated(keys, choices),
    }
    return json.dumps(data, separators=(",", ":"), ensure_ascii=False).replace("</", "<\\/")


def _recomputed(choices: tuple[Choice, ...]) -> list[bool]:
    return list(dict.fromkeys(choice.recompute for choice in choices))


@cache
def _simulated(keys: tuple[str, ...], choices: tuple[Choice, ...]) -> dict[str, Any]:
    texts: dict[str, int] = {}  # with their numbers
    found = {}
    for key in keys:
        name, _, chunks = SCHEDULES[key]
        found[key] = {
            "name": name,
            "lengths": [choice.lengths(chunks) for choice in choices],
            "at": {
                f"{k} {m}": _of_size(key, k, m, choices, texts)
                for k in STAGES
                for m in MICRO_BATCHES
            },
        }
    return {"schedules": found, "texts": list(texts)}


def _of_size(
    key: str, stages: int, micro_batches: int, choices: tuple[Choice, ...], texts: dict[str, int]
) -> Any:
    """A schedule of one size, under every choice; or why there is none.

    The order of a rank is a letter for each operation, a small one for the second chunk. A stage
    takes the micro-batches in turn, so they need not be named.
    """
    _, make, chunks = SCHEDULES[key]
    try:
        schedule = make(stages, micro_batches)
    except ValueError as error:
        return str(error).replace("micro_batches=", "M = ")
    letters = [
        "".join(op.kind if op.stage < stages else op.kind.lower() for op in ops) for ops in schedule
    ]
    held = partial(schedules.peak_activations, schedule, activation=1 / chunks)
    peaks = [
        [round(peak, 2) for peak in held(boundary=BOUNDARY if again else 1)]
        for again in _recomputed(choices)
    ]
    runs = [_run(key, schedule, micro_batches, choice, texts) for choice in choices]
    return {"order": letters, "peaks": peaks, "runs": runs}


def _run(
    key: str, schedule: Schedule, micro_batches: int, choice: Choice, texts: dict[str, int]
) -> list[int | str]:
    """Makespan in ticks, utilisation, bubble by both denominators, closed form, and pauses."""
    lanes: list[list[Event]] = [[] for _ in schedule]
    for event in schedules.simulate(schedule, choice.simulated(SCHEDULES[key][2])):
        if event.kind in schedules.WORK:
            lanes[event.rank].append(event)
    end = round(TICKS * max(lane[-1].end for lane in lanes))
    work = [round(TICKS * sum(event.end - event.start for event in lane)) for lane in lanes]
    own = [round(TICKS * (lane[-1].end - lane[0].start)) for lane in lanes]
    idle = max(mine - busy for mine, busy in zip(own, work, strict=True)) / TICKS
    used = Fraction(sum(work), end * len(lanes))
    text = _closed_form(key, len(lanes), micro_batches, choice, idle)
    return [
        end,
        _percent(used),
        _percent(1 - used),
        _percent(1 / used - 1),
        texts.setdefault(text, len(texts)),
        "|".join(_pauses(lane) for lane in lanes),
    ]


def _pauses(lane: list[Event]) -> str:
    """How many operations run on end, how many ticks the rank idles then, and so on."""
    words = []
    free = 0
    together = 0
    for event in lane:
        if pause := round(TICKS * event.start) - free:
            words += [together, pause]
            together = 0
        together += 1
        free = round(TICKS * event.end)
    return " ".join(map(str, words))


def _percent(share: float | Fraction) -> str:
    return f"{float(100 * share):.1f}\u00a0%"


def _closed_form(key: str, stages: int, micro_batches: int, choice: Choice, idle: float) -> str:
    """What a paper says of the bubble, or why it says nothing here. `idle`: what was counted."""
    if choice.message:
        return "No closed form here: it counts messages as free."
    chunks = SCHEDULES[key][2]
    more = stages - 1
    less = "K\u00a0−\u00a01"
    again = " Recomputing counts as work." if choice.recompute else ""
    if not key.startswith("zb"):
        size = (stages, micro_batches, chunks)
        total = chunks * micro_batches
        work = "M" if chunks == 1 else f"{chunks}M"
        of = "" if chunks == 1 else f", with {chunks} chunks a rank"
        return (
            f"Closed form{of}: ({less}) / ({work} + {less}) = {more}/{total + more} = "
            f"{_percent(formulas.pipeline_bubble(*size))} of all time, ({less}) / {work} = "
            f"{more}/{total} = {_percent(formulas.pipeline_bubble_over_ideal(*size))} over the "
            f"ideal time.{again}"
        )
    forward, inputs, weights = choice.costs
    times = {"forward": forward, "inputs": inputs + forward * choice.recompute, "weights": weights}
    try:
        seconds = formulas.zero_bubble_seconds(key, stages, micro_batches, **times)
    except ValueError as error:
        domain = str(error).partition("holds where ")[2].partition(";")[0]
        for theirs, ours in [("p", "K"), ("B", "I"), ("<=", "≤"), (">=", "≥"), ("-", "−")]:
            domain = domain.replace(theirs, ours)
        return f"No closed form here: it holds where {domain}."
    bubble = "F + I − W" if key == "zb-h1" else "F + I − 2W"
    more_idle = "" if key == "zb-h1" else SKEW
    with_it = ", I with the recomputation" if choice.recompute else ""
    return (
        f"Closed form: from its first start to its last end, a rank idles for at most ({less}) "
        f"({bubble}) = {seconds:g}{with_it}. Counted: {idle:g}.{more_idle}{again}"
    )
