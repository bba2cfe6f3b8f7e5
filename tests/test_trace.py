# Wrong arguments are given on purpose.
# mypy: disable-error-code="arg-type, list-item"

import json
import math
import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib.patches import Rectangle

from lockstep import trace
from lockstep.trace import Event

# Rank 0 computes for 3 of 4 s, rank 1 for 2 of 4 s; each all-reduces for 1.5 s.
EVENTS = [
    Event("a", 0, 10.0, 12.0),
    Event("b", 0, 11.0, 13.0),
    Event("a", 1, 12.0, 14.0),
    Event("bucket", 0, 12.0, 13.5, "all-reduce"),
    Event("bucket", 1, 12.5, 14.0, "all-reduce"),
]
ROW = '[{"name": "a", "rank": 0, "start": %s, "end": %s}]'


def test_numbers() -> None:
    assert trace.makespan(EVENTS) == 4.0
    assert trace.utilisation(EVENTS) == pytest.approx(5 / 8)
    assert trace.bubble(EVENTS) == pytest.approx(3 / 8)
    assert trace.utilisation(EVENTS, "all-reduce") == pytest.approx(3 / 8)
    assert trace.overlap(EVENTS, "compute", "all-reduce") == pytest.approx(1.0 + 1.5)
    assert trace.busy(EVENTS) == pytest.approx({0: 3.0, 1: 2.0})
    # Both kinds: all of the time, but what they share counts once.
    assert trace.busy(EVENTS, "compute", "all-reduce") == pytest.approx({0: 3.5, 1: 2.0})
    assert trace.bubble(EVENTS, "compute", "all-reduce") == pytest.approx(1 - 5.5 / 8)


def test_numbers_are_those_of_a_count_in_ticks() -> None:
    """On random traces: events that touch, nest, stand there twice, or take no time."""
    dice = random.Random(0)
    for _ in range(300):
        events = []
        for _ in range(dice.randint(1, 12)):
            start = dice.randint(0, 12)
            end = start + dice.choice((0, 1, 2, 5))
            event = Event("a", dice.randint(0, 2), start, end, dice.choice("xyz"))
            events += [event] * dice.choice((1, 1, 2))
        events += [Event("a", 0, 3, 3, kind) for kind in "xy"]  # so that there are both kinds
        ranks = {event.rank for event in events}

        def ticks(rank: int, *kinds: str, events: list[Event] = events) -> set[int]:
            mine = [event for event in events if event.rank == rank and event.kind in kinds]
            return {tick for event in mine for tick in range(int(event.start), int(event.end))}

        assert trace.busy(events, "x") == {rank: len(ticks(rank, "x")) for rank in ranks}
        both = {rank: len(ticks(rank, "x", "y")) for rank in ranks}
        assert trace.busy(events, "x", "y") == both
        if span := trace.makespan(events):
            assert trace.bubble(events, "x", "y") == 1 - sum(both.values()) / (span * len(ranks))
        at_once = sum(len(ticks(rank, "x") & ticks(rank, "y")) for rank in ranks)
        assert trace.overlap(events, "x", "y") == trace.overlap(events, "y", "x") == at_once


class Counted(float):
    """A time that counts how often it is compared."""

    comparisons = 0

    def __lt__(self, other: float) -> bool:
        Counted.comparisons += 1
        return float(self) < float(other)

    def __le__(self, other: float) -> bool:
        Counted.comparisons += 1
        return float(self) <= float(other)

    def __gt__(self, other: float) -> bool:
        Counted.comparisons += 1
        return float(self) > float(other)


@pytest.mark.parametrize("ranks", [1, 1000])
@pytest.mark.parametrize(
    "measure", [lambda e: trace.overlap(e, "x", "y"), lambda e: trace.bubble(e, "x", "y")]
)
def test_more_events_do_not_cost_more_each(
    measure: Callable[[list[Event]], float], ranks: int
) -> None:
    """Counted, not timed: a sort of n events has n log2 n comparisons at most."""
    dice, count = random.Random(0), 4000
    times = [(Counted(i + dice.random()), dice.random()) for i in range(count)]
    events = [
        Event("a", i % ranks, start, Counted(start + length), "xy"[i // ranks % 2])
        for i, (start, length) in enumerate(times)
    ]
    dice.shuffle(events)
    Counted.comparisons = 0
    measure(events)
    assert count < Counted.comparisons <= (math.log2(count) + 10) * count


def test_save_and_load_keep_everything_and_sort(tmp_path: Path) -> None:
    trace.save(EVENTS[2:], tmp_path / "1.json")
    trace.save(EVENTS[:2], tmp_path / "0.json")
    loaded = trace.load(tmp_path / "1.json", tmp_path / "0.json")
    assert sorted(map(repr, loaded)) == sorted(map(repr, EVENTS))
    assert [event.start for event in loaded] == sorted(event.start for event in EVENTS)


def test_record_keeps_the_event_of_a_body_that_raises() -> None:
    events: list[Event] = []
    with pytest.raises(KeyError), trace.record(events, "step", rank=3, kind="io"):
        raise KeyError
    assert [(e.name, e.rank, e.kind) for e in events] == [("step", 3, "io")]
    assert events[0].end >= events[0].start


def test_chrome_trace_has_microseconds_from_the_first_event(tmp_path: Path) -> None:
    trace.write_chrome(EVENTS, tmp_path / "trace.json")
    rows = json.loads((tmp_path / "trace.json").read_text())["traceEvents"]
    first = next(row for row in rows if row["ph"] == "X")
    assert (first["pid"], first["ts"], first["dur"]) == (1, 0.0, 2e6)
    assert [row["args"]["name"] for row in rows if row["ph"] == "M"] == ["rank 0", "rank 1"]


def test_chrome_trace_of_two_timelines_has_a_process_for_each_rank_of_each() -> None:
    later = [replace(event, start=event.start + 7, end=event.end + 7) for event in EVENTS]
    text = trace.chrome_trace({"now": EVENTS, "later": later})
    rows = json.loads(text)["traceEvents"]
    names = {row["pid"]: row["args"]["name"] for row in rows if row["ph"] == "M"}
    titles = ["now, rank 0", "now, rank 1", "later, rank 0", "later, rank 1"]
    assert list(names.values()) == titles
    bars = [(row["pid"], row["tid"], row["ts"], row["dur"]) for row in rows if row["ph"] == "X"]
    assert len(bars) == 2 * len(EVENTS)
    assert [(pid + 2, *rest) for pid, *rest in bars[: len(EVENTS)]] == bars[len(EVENTS) :]
    with pytest.raises(ValueError, match="give at least one title"):
        trace.chrome_trace({})


def test_drawing_has_a_panel_a_title_and_a_lane_for_each_rank_and_kind() -> None:
    first, second = trace.draw({"Two ranks": EVENTS, "One of them": EVENTS[:1]}).axes
    assert [label.get_text() for label in first.get_yticklabels()] == [
        "rank 0, compute",
        "rank 0, all-reduce",
        "rank 1, compute",
        "rank 1, all-reduce",
    ]
    assert first.get_title(loc="left") == "Two ranks"
    assert second.get_xlabel() == "time (ms)"
    assert first.get_xlim() == second.get_xlim()
    bars = [patch for patch in first.patches if isinstance(patch, Rectangle)]
    widths = sorted(bar.get_width() for bar in bars)
    assert widths == pytest.approx([1500, 1500, 2000, 2000, 2000])


def test_drawing_with_a_lane_for_each_rank_names_the_kinds_above() -> None:
    figure = trace.draw({"Two ranks": EVENTS}, lanes="rank", unit="s")
    (axes,) = figure.axes
    assert [label.get_text() for label in axes.get_yticklabels()] == ["rank 0", "rank 1"]
    assert [text.get_text() for text in figure.legends[0].get_texts()] == ["compute", "all-reduce"]
    assert axes.get_xlabel() == "time (s)"
    bars = [patch for patch in axes.patches if isinstance(patch, Rectangle)]
    assert sorted(bar.get_width() for bar in bars) == pytest.approx([1.5, 1.5, 2, 2, 2])
    assert {round(bar.get_y() + bar.get_height() / 2) for bar in bars} == {0, 1}


def recorded(*arguments: Any) -> None:
    with trace.record(*arguments):
        pytest.fail("the body has run, and what it did would be lost")


def loaded(text: str) -> list[Event]:
    """What a file with this text holds."""
    Path("trace.json").write_text(text)
    return trace.load("trace.json")


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda: Event("late", 1, 2.0, 1.0), "'late' of rank 1: start=2.0, end=1.0. .*in order"),
        (lambda: Event("a", 0, math.nan, 1.0), "start=nan, .* two numbers.* time.monotonic"),
        (lambda: Event("a", 0, 0.0, math.nan), "end=nan. Give two numbers, in order"),
        (lambda: Event("a", 0, 0.0, math.inf), "end=inf. Give two numbers"),
        (lambda: Event("a", 0, "0", "1"), "start='0', end='1'. Give two numbers"),
        (lambda: Event("a", -1, 0, 1), "'a': rank=-1. Give a whole number, 0 or more"),
        (lambda: Event("a", "0", 0, 1), "'a': rank='0'. Give a whole number"),
        (lambda: Event(3, 0, 0, 1), "name=3, kind='compute'. Give text .* such as name=\"step 3\""),
        (lambda: recorded(None, "a", 0), r"events=None: give a list, such as events=\[\]"),
        (lambda: recorded([], "a", "rank 0"), "rank='rank 0'. Give a whole number"),
        (lambda: recorded([], 3, 0), "name=3, .* Give text"),
        (lambda: trace.load(), "at least one file"),
        (lambda: trace.load(["a.json"]), r"\['a.json'\] is no path: .* load\(\*paths\)"),
        (lambda: loaded(""), "trace.json has no events that save.* wrote: .* let that rank end"),
        (lambda: loaded("rank 0 starts"), "trace.json has no events .* let that rank end first"),
        (lambda: loaded('[{"name": "a"'), "trace.json has no events .* let that rank end first"),
        (lambda: loaded('{"traceEvents": []}'), "trace.json has no events .* save the events"),
        (lambda: loaded('[{"name": "a"}]'), "trace.json has no events .* missing .*'rank'"),
        (lambda: loaded("[1, 2]"), "trace.json has no events"),
        (lambda: loaded(ROW % ("NaN", "1")), "trace.json has no events .* start=nan"),
        (lambda: trace.save([1], "trace.json"), r"events has 1: give what record\(\), load"),
        (lambda: trace.makespan([]), "no events: record at least one"),
        (lambda: trace.busy([]), "no events"),
        (lambda: trace.draw({"empty": []}), "no events"),
        (lambda: trace.makespan([(0, 1)]), r"events has \(0, 1\): give what"),
        (lambda: trace.bubble(EVENTS, "computee"), "kind 'computee': .*'compute', 'all-reduce'"),
        (lambda: trace.busy(EVENTS[3:]), "kind 'compute': choose from 'all-reduce'"),
        (lambda: trace.overlap(EVENTS, "compute", "send"), "kind 'send': choose from 'compute'"),
        (lambda: trace.utilisation([Event("a", 0, 1.0, 1.0)]), "same moment"),
        (lambda: trace.draw({}), "timelines={}: give at least one title"),
        (lambda: trace.draw(EVENTS), r"timelines=\[.*: give at least one title .* such as"),
        (lambda: trace.draw({"a": EVENTS}, unit="us"), "unit='us': give one of 'ms', 's'"),
        (lambda: trace.draw({"a": EVENTS}, lanes="ranks"), "lanes='ranks': give one of 'kind', 'r"),
        (lambda: trace.draw({"a": EVENTS}, width=math.nan), "width=nan: .* 2 or more, such as"),
    ],
)
def test_bad_input_is_refused_with_the_rule_and_the_way_out(
    wrong: Callable[[], object], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ValueError, match=message):
        wrong()


def test_what_numpy_counts_and_measures_is_accepted(tmp_path: Path) -> None:
    start, end = np.array([0.5, 2], np.float32)
    events = [Event("a", np.int64(1), start, end)]
    assert trace.makespan(event for event in events) == 1.5
    assert trace.makespan(np.array(events)) == 1.5
    trace.save(events, tmp_path / "trace.json")
    assert trace.load(tmp_path / "trace.json") == events
    trace.write_chrome(events, tmp_path / "chrome.json")
    assert '"dur":1500000.0' in (tmp_path / "chrome.json").read_text()


def test_the_zero_of_the_clock_does_not_matter() -> None:
    early = [replace(event, start=event.start - 100, end=event.end - 100) for event in EVENTS]
    assert trace.bubble(early) == trace.bubble(EVENTS)
    assert trace.overlap(early, "compute", "all-reduce") == 2.5
    assert trace.draw({"early": early}).axes[0].get_xlim()[0] == 0
