"""What ran where and when: events, what follows from them, and a picture of them.

A real run and a simulator both give a list of `Event`; everything here works on that list.
"""

import json
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from time import monotonic

from matplotlib.figure import Figure

# Okabe and Ito's colours, in the tones that keep 3:1 contrast on white and on a dark page.
COLOURS = ("#0072b2", "#c05600", "#008560", "#b3559a")


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


def utilisation(events: Sequence[Event], kind: str = "compute") -> float:
    """Share of the ranks' time, from 0 to 1, in which they do `kind`; the rest is the bubble.

    The ranks' time is the makespan times the number of ranks that have an event.

    Raises:
        ValueError: if there are no events, or they take no time.
    """
    ranks = {event.rank for event in events}
    busy = sum(_length(_busy(events, rank, kind)) for rank in ranks)
    span = makespan(events)
    if span == 0:
        raise ValueError("all events start and end at the same moment: there is no time to share")
    return busy / (span * len(ranks))


def bubble(events: Sequence[Event], kind: str = "compute") -> float:
    """Share of the ranks' time, from 0 to 1, in which they do not do `kind`."""
    return 1 - utilisation(events, kind)


def overlap(events: Sequence[Event], first: str, second: str) -> float:
    """Seconds, summed over ranks, in which a rank does `first` and `second` at once."""
    _check(events)
    seconds = 0.0
    for rank in {event.rank for event in events}:
        for start, end in _busy(events, rank, first):
            for other_start, other_end in _busy(events, rank, second):
                seconds += max(0.0, min(end, other_end) - max(start, other_start))
    return seconds


def draw(events: Sequence[Event], *, title: str = "", width: float = 7.5) -> Figure:
    """A timeline: a lane for each rank and kind, a bar for each event, time in milliseconds.

    Colours go with kinds, but the lanes' names say the same. A bar that is wide enough carries
    its event's name. Time starts at the first event. Show it with `lockstep.show.figure`.

    Raises:
        ValueError: if there are no events.
    """
    _check(events)
    origin = min(event.start for event in events)
    span = makespan(events) or 1.0
    kinds = list(dict.fromkeys(event.kind for event in sorted(events, key=lambda e: e.start)))
    lanes = sorted(
        {(event.rank, event.kind) for event in events},
        key=lambda lane: (lane[0], kinds.index(lane[1])),
    )
    figure = Figure(figsize=(width, 0.9 + 0.42 * len(lanes)), layout="constrained")
    axes = figure.subplots()
    for event in events:
        lane = lanes.index((event.rank, event.kind))
        left, length = 1e3 * (event.start - origin), 1e3 * (event.end - event.start)
        colour = COLOURS[kinds.index(event.kind) % len(COLOURS)]
        axes.barh(lane, length, left=left, height=0.72, color=colour, edgecolor="white")
        # A letter at this size takes about 1.3 % of the width of the axes.
        if length / (1e3 * span) > 0.013 * (len(event.name) + 1):
            axes.text(
                left + length / 2, lane, event.name, color="white", fontsize=8, ha="center",
                va="center",
            )  # fmt: skip
    axes.set_yticks(range(len(lanes)), [f"rank {rank}, {kind}" for rank, kind in lanes])
    axes.invert_yaxis()
    axes.set_xlabel("time (ms)")
    axes.set_title(title)
    axes.spines[["top", "right", "left"]].set_visible(False)
    axes.tick_params(axis="y", length=0)
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


def _busy(events: Iterable[Event], rank: int, kind: str) -> list[tuple[float, float]]:
    """The intervals in which `rank` does `kind`, merged where they touch."""
    merged: list[tuple[float, float]] = []
    for event in sorted(events, key=lambda event: event.start):
        if event.rank != rank or event.kind != kind:
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
