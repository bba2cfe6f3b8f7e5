"""What ran where and when: events, what follows from them, and a picture of them.

A real run and a simulator both give a list of `Event`; everything here works on that list.
"""

import json
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import chain
from math import inf
from numbers import Integral
from os import PathLike
from pathlib import Path
from time import monotonic
from typing import Literal

from matplotlib.figure import Figure
from matplotlib.patches import Patch

from lockstep import arguments

# Each carries white letters at 4.5:1, keeps 3:1 on white and on the book's dark page, and is told
# from the others by the colour-blind.
COLOURS = ("#135ce9", "#c4500a", "#068853", "#ad3d87")
SCALES = {"ms": 1e3, "s": 1.0}  # the units of a drawing, in each second


@dataclass(frozen=True)
class Event:
    """Something that one rank did from `start` to `end` (seconds on one clock, whatever its 0).

    `kind` groups events that exclude one another on a rank, such as "compute" or "all-reduce".
    """

    name: str
    rank: int
    start: float
    end: float
    kind: str = "compute"

    def __post_init__(self) -> None:
        try:
            in_order = -inf < self.start <= self.end < inf
        except TypeError:
            in_order = False
        if not in_order:
            raise ValueError(
                f"event {self.name!r} of rank {self.rank}: start={self.start!r}, end={self.end!r}. "
                "Give two numbers, in order, of seconds from one clock, such as time.monotonic()"
            )
        if not isinstance(self.rank, Integral) or self.rank < 0:
            raise ValueError(
                f"event {self.name!r}: rank={self.rank!r}. Give a whole number, 0 or more"
            )
        if not isinstance(self.name, str) or not isinstance(self.kind, str):
            raise ValueError(
                f"an event of rank {self.rank}: name={self.name!r}, kind={self.kind!r}. Give text "
                'for both, such as name="step 3", kind="compute"'
            )


@contextmanager
def record(events: list[Event], name: str, rank: int, kind: str = "compute") -> Iterator[None]:
    """Append an event to `events` for the body of a `with` statement.

    `time.monotonic` is one clock for all processes of one Linux or macOS machine, so the events
    of several ranks can be put side by side. Across machines it is not.

    Raises:
        ValueError: there is no such event, or `events` is no list. The body has not run yet.
    """
    event = Event(name, rank, 0.0, 0.0, kind)
    if not hasattr(events, "append"):
        raise ValueError(f"events={events!r}: give a list, such as events=[], to append to")
    start = monotonic()
    try:
        yield
    finally:
        events.append(replace(event, start=start, end=monotonic()))


def save(events: Iterable[Event], path: str | Path) -> None:
    """Write events as JSON, for instance from a rank for the notebook that launched it."""
    rows = [
        # NumPy's numbers cannot be written.
        {**vars(e), "rank": int(e.rank), "start": float(e.start), "end": float(e.end)}
        for e in _list(events)
    ]
    Path(path).write_text(json.dumps(rows))


def load(*paths: str | Path) -> list[Event]:
    """Read events written by `save`, of all `paths` together, in order of their start.

    Raises:
        ValueError: if no path is given, or a file has no events as `save` writes them.
        FileNotFoundError: if a file is not there: the rank that should write it did not.
    """
    if not paths:
        raise ValueError("load() needs the path of at least one file that save() wrote")
    return sorted(chain.from_iterable(map(_read, paths)), key=lambda event: event.start)


def _read(path: str | Path) -> list[Event]:
    if not isinstance(path, str | PathLike):
        raise ValueError(f"{path!r} is no path: give each one by itself, as in load(*paths)")
    try:
        return [Event(**fields) for fields in json.loads(Path(path).read_text())]
    except (ValueError, TypeError) as error:
        raise ValueError(
            f"{path} has no events that save() wrote: {error}. If a rank has written it, let that "
            "rank end first; if write_chrome() has, save the events as well"
        ) from None


def makespan(events: Iterable[Event]) -> float:
    """Seconds from the first start to the last end.

    Raises:
        ValueError: if there are no events.
    """
    events = _some(events)
    return max(event.end for event in events) - min(event.start for event in events)


def busy(events: Iterable[Event], *kinds: str) -> dict[int, float]:
    """Seconds in which each rank does any of `kinds`, by default "compute".

    Raises:
        ValueError: if there are no events, or none of any of `kinds`.
    """
    events, kinds = _some(events), kinds or ("compute",)
    _check_known(events, *kinds)
    intervals = _busy(events, *kinds)
    return {rank: sum(end - start for start, end in intervals[rank]) for rank in sorted(intervals)}


def utilisation(events: Iterable[Event], *kinds: str) -> float:
    """Share of the ranks' time, from 0 to 1, in which they do any of `kinds`, by default "compute".

    The ranks' time is the makespan times the number of ranks that have an event.

    Raises:
        ValueError: if there are no events, or none of any of `kinds`, or they take no time.
    """
    events = _some(events)
    seconds = busy(events, *kinds)
    span = makespan(events)
    if span == 0:
        raise ValueError("all events start and end at the same moment: there is no time to share")
    return sum(seconds.values()) / (span * len(seconds))


def bubble(events: Iterable[Event], *kinds: str) -> float:
    """The rest: share of the ranks' time, from 0 to 1, in which they do none of `kinds`.

    Errors as for `utilisation`.
    """
    return 1 - utilisation(events, *kinds)


def overlap(events: Iterable[Event], first: str, second: str) -> float:
    """Seconds, summed over ranks, in which a rank does `first` and `second` at once.

    Raises:
        ValueError: if there are no events, or none of one of the kinds.
    """
    events = _some(events)
    _check_known(events, first)
    _check_known(events, second)
    seconds = 0.0
    others = _busy(events, second)
    for rank, intervals in _busy(events, first).items():
        left, right = deque(intervals), deque(others[rank])
        while left and right:
            (start, end), (other_start, other_end) = left[0], right[0]
            seconds += max(0.0, min(end, other_end) - max(start, other_start))
            # What ends first meets nothing that comes later on the other side.
            (left if end < other_end else right).popleft()
    return seconds


def draw(
    timelines: Mapping[str, Iterable[Event]],
    *,
    lanes: Literal["kind", "rank"] = "kind",
    unit: Literal["ms", "s"] = "ms",
    width: float = 5.6,
) -> Figure:
    """Timelines under one time axis: a panel for each title, in each a lane for each rank and kind.

    With `lanes="rank"`, a rank's kinds share one lane, as in pictures of pipelines, and a line
    above names their colours. A bar that is wide enough carries its event's name. Each panel's time
    starts at its first event. Show the figure with `lockstep.show.figure`.

    Raises:
        ValueError: if there is no timeline, or one without events; if there are no such `lanes` or
            `unit`; if `width` is below 2 inches.
    """
    timelines = _titled(timelines)
    arguments.one_of("lanes", lanes, ("kind", "rank"))
    arguments.one_of("unit", unit, SCALES)
    width = arguments.number("width", width, least=2, such_as=5.6)
    kinds = list(dict.fromkeys(event.kind for events in timelines.values() for event in events))
    colours = {kind: COLOURS[i % len(COLOURS)] for i, kind in enumerate(kinds)}

    def lane(event: Event) -> tuple[int, str]:
        return event.rank, event.kind if lanes == "kind" else ""

    rows_of = [
        sorted({lane(e) for e in events}, key=lambda row: (row[0], [*kinds, ""].index(row[1])))
        for events in timelines.values()
    ]
    figure = Figure(figsize=(width, 0.6 + sum(0.6 + 0.36 * len(rows) for rows in rows_of)))
    figure.set_layout_engine("constrained")
    panels = figure.subplots(
        len(rows_of), sharex=True, squeeze=False, height_ratios=[len(rows) for rows in rows_of]
    )[:, 0]
    scale = SCALES[unit]
    longest = max(makespan(events) for events in timelines.values()) or 1.0
    # A letter of size 8 is about 4.6 points wide, and the lanes' names take so many points.
    letter = longest * 4.6 / (72 * width - (90 if lanes == "kind" else 50))
    for axes, (title, events), rows in zip(panels, timelines.items(), rows_of, strict=True):
        origin = min(event.start for event in events)
        for event in events:
            row = rows.index(lane(event))
            left = event.start - origin
            length = event.end - event.start
            axes.barh(
                row,
                scale * length,
                left=scale * left,
                height=0.76,
                color=colours[event.kind],
                # In a lane of its own, a kind's bars are apart; in a rank's they touch.
                edgecolor="w",
                linewidth=0.5 if lanes == "rank" else 0,
            )
            if length > letter * (len(event.name) + 0.7):
                middle = scale * (left + length / 2)
                axes.text(middle, row, event.name, color="w", size=8, ha="center", va="center")
        names_of_lanes = [f"rank {rank}, {kind}".removesuffix(", ") for rank, kind in rows]
        axes.set_yticks(range(len(rows)), names_of_lanes)
        axes.invert_yaxis()
        axes.set_title(title, loc="left", size=10)
        axes.spines[["top", "right", "left"]].set_visible(False)
        axes.tick_params(axis="y", length=0)
    if lanes == "rank":
        names = [Patch(color=colour, label=kind) for kind, colour in colours.items()]
        figure.legend(
            handles=names,
            loc="outside upper left",
            ncols=len(names),
            frameon=False,
            fontsize=8,
            handlelength=1,
        )
    panels[-1].set_xlim(0, 1.04 * scale * longest)
    panels[-1].set_xlabel(f"time ({unit})")
    return figure


def chrome_trace(timelines: Mapping[str, Iterable[Event]]) -> str:
    """Timelines as a Chrome trace, the JSON that https://ui.perfetto.dev opens.

    A rank of a timeline is a process there, named after both, and each of its kinds a thread. Each
    timeline begins at 0.

    Raises:
        ValueError: if there is no timeline, or one without events.
    """
    rows: list[dict[str, object]] = []
    process = 0  # Perfetto takes a process 0 for the idle one
    for title, events in _titled(timelines).items():
        origin = min(event.start for event in events)
        for rank in sorted({event.rank for event in events}):
            process += 1
            name = f"{title}, rank {rank}".removeprefix(", ")
            rows.append({"name": "process_name", "ph": "M", "pid": process, "args": {"name": name}})
            rows += [
                {
                    "name": event.name or event.kind,
                    "ph": "X",
                    "pid": process,
                    "tid": event.kind,
                    "ts": round(1e6 * float(event.start - origin), 3),
                    "dur": round(1e6 * float(event.end - event.start), 3),
                }
                for event in events
                if event.rank == rank
            ]
    return json.dumps({"traceEvents": rows}, separators=(",", ":"))


def write_chrome(events: Iterable[Event], path: str | Path) -> None:
    """Write a Chrome trace, which https://ui.perfetto.dev opens: a process a rank, a thread a kind.

    Raises:
        ValueError: if there are no events.
    """
    Path(path).write_text(chrome_trace({"": events}))


def _busy(events: Sequence[Event], *kinds: str) -> dict[int, list[tuple[float, float]]]:
    """The intervals in which each rank does any of `kinds`, in order, merged where they touch."""
    intervals: dict[int, list[tuple[float, float]]] = {event.rank: [] for event in events}
    chosen = [event for event in events if event.kind in kinds]
    for event in sorted(chosen, key=lambda event: event.start):
        merged = intervals[event.rank]
        if merged and event.start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(merged[-1][1], event.end))
        else:
            merged.append((event.start, event.end))
    return intervals


def _list(events: Iterable[Event]) -> list[Event]:
    events = list(events)
    for event in events:
        if not isinstance(event, Event):
            raise ValueError(
                f"events has {event!r:.60}: give what record(), load() and simulate() make"
            )
    return events


def _some(events: Iterable[Event]) -> list[Event]:
    if not (found := _list(events)):
        raise ValueError("there are no events: record at least one")
    return found


def _titled(timelines: Mapping[str, Iterable[Event]]) -> dict[str, list[Event]]:
    if not isinstance(timelines, Mapping) or not timelines:
        raise ValueError(
            f"timelines={timelines!r:.60}: give at least one title with its events, such as "
            'timelines={"two ranks": events}'
        )
    return {str(title): _some(events) for title, events in timelines.items()}


def _check_known(events: Sequence[Event], *kinds: str) -> None:
    known = list(dict.fromkeys(event.kind for event in events))
    if not any(kind in known for kind in kinds):
        raise ValueError(
            f"no event is of the kind {' or '.join(map(repr, kinds))}: "
            f"choose from {', '.join(map(repr, known))}"
        )
