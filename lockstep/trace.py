"""What ran where and when: events, what follows from them, and a picture of them.

A real run and a simulator both give a list of `Event`; everything here works on that list.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from time import monotonic
from typing import Literal

from matplotlib.figure import Figure
from matplotlib.patches import Patch

# Each carries white letters at 4.5:1, keeps 3:1 on white and on the book's dark page, and is told
# from the others by the colour-blind.
COLOURS = ("#135ce9", "#c4500a", "#068853", "#ad3d87")


@dataclass(frozen=True)
class Event:
    """Something that one rank did from `start` to `end` (seconds on one clock).

    `kind` groups events that exclude one another on a rank, such as "compute" or "all-reduce".
    """

    name: str
    rank: int
    start: float
    end: float
    kind: str = "compute"

    def __post_init__(self) -> None:
        if self.end < self.start:
            raise ValueError(
                f"event {self.name!r} of rank {self.rank} ends at {self.end} s, before its start "
                f"at {self.start} s: take both times from one clock, such as time.monotonic()"
            )


@contextmanager
def record(events: list[Event], name: str, rank: int, kind: str = "compute") -> Iterator[None]:
    """Append an event to `events` for the body of a `with` statement.

    `time.monotonic` is one clock for all processes of one Linux or macOS machine, so the events
    of several ranks can be put side by side. Across machines it is not.
    """
    start = monotonic()
    try:
        yield
    finally:
        events.append(Event(name, rank, start, monotonic(), kind))


def save(events: Iterable[Event], path: str | Path) -> None:
    """Write events as JSON, for instance from a rank for the notebook that launched it."""
    Path(path).write_text(json.dumps([asdict(event) for event in events]))


def load(*paths: str | Path) -> list[Event]:
    """Read events written by `save`, of all `paths` together, in order of their start.

    Raises:
        ValueError: if no path is given.
        FileNotFoundError: if a file is not there: the rank that should write it did not.
    """
    if not paths:
        raise ValueError("load() needs the path of at least one file that save() wrote")
    events = [Event(**fields) for path in paths for fields in json.loads(Path(path).read_text())]
    return sorted(events, key=lambda event: event.start)


def makespan(events: Sequence[Event]) -> float:
    """Seconds from the first start to the last end.

    Raises:
        ValueError: if there are no events.
    """
    _check(events)
    return max(event.end for event in events) - min(event.start for event in events)


def busy(events: Sequence[Event], *kinds: str) -> dict[int, float]:
    """Seconds in which each rank does any of `kinds`, by default "compute".

    Raises:
        ValueError: if there are no events.
    """
    _check(events)
    kinds = kinds or ("compute",)
    return {rank: _length(_busy(events, rank, *kinds)) for rank in sorted({e.rank for e in events})}


def utilisation(events: Sequence[Event], *kinds: str) -> float:
    """Share of the ranks' time, from 0 to 1, in which they do any of `kinds`, by default "compute".

    The ranks' time is the makespan times the number of ranks that have an event.

    Raises:
        ValueError: if there are no events, or they take no time.
    """
    seconds = busy(events, *kinds)
    span = makespan(events)
    if span == 0:
        raise ValueError("all events start and end at the same moment: there is no time to share")
    return sum(seconds.values()) / (span * len(seconds))


def bubble(events: Sequence[Event], *kinds: str) -> float:
    """The rest: share of the ranks' time, from 0 to 1, in which they do none of `kinds`."""
    return 1 - utilisation(events, *kinds)


def overlap(events: Sequence[Event], first: str, second: str) -> float:
    """Seconds, summed over ranks, in which a rank does `first` and `second` at once."""
    _check(events)
    seconds = 0.0
    for rank in {event.rank for event in events}:
        for start, end in _busy(events, rank, first):
            for other_start, other_end in _busy(events, rank, second):
                seconds += max(0.0, min(end, other_end) - max(start, other_start))
    return seconds


def draw(
    timelines: Mapping[str, Sequence[Event]],
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
        ValueError: if there is no timeline, or one without events.
    """
    for events in timelines.values():
        _check(events)
    if not timelines:
        raise ValueError("there are no timelines: give at least one title with its events")
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
    scale = {"ms": 1e3, "s": 1.0}[unit]
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


def write_chrome(events: Sequence[Event], path: str | Path) -> None:
    """Write a Chrome trace, which https://ui.perfetto.dev opens: a process a rank, a thread a kind.

    Raises:
        ValueError: if there are no events.
    """
    _check(events)
    origin = min(event.start for event in events)
    rows: list[dict[str, object]] = [
        {
            "name": event.name,
            "ph": "X",
            "pid": event.rank,
            "tid": event.kind,
            "ts": round(1e6 * (event.start - origin), 3),
            "dur": round(1e6 * (event.end - event.start), 3),
        }
        for event in events
    ]
    rows += [
        {"name": "process_name", "ph": "M", "pid": rank, "args": {"name": f"rank {rank}"}}
        for rank in sorted({event.rank for event in events})
    ]
    Path(path).write_text(json.dumps({"traceEvents": rows}))


def _busy(events: Iterable[Event], rank: int, *kinds: str) -> list[tuple[float, float]]:
    """The intervals in which `rank` does any of `kinds`, merged where they touch."""
    merged: list[tuple[float, float]] = []
    for event in sorted(events, key=lambda event: event.start):
        if event.rank != rank or event.kind not in kinds:
            continue
        if merged and event.start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(merged[-1][1], event.end))
        else:
            merged.append((event.start, event.end))
    return merged


def _length(intervals: Iterable[tuple[float, float]]) -> float:
    return sum(end - start for start, end in intervals)


def _check(events: Sequence[Event]) -> None:
    if not events:
        raise ValueError("there are no events: record at least one")
