import json
from pathlib import Path

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
    first = rows[0]
    assert (first["ph"], first["pid"], first["ts"], first["dur"]) == ("X", 0, 0.0, 2e6)
    assert [row["args"]["name"] for row in rows if row["ph"] == "M"] == ["rank 0", "rank 1"]


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


def test_bad_input_is_named() -> None:
    with pytest.raises(ValueError, match="'late' of rank 1 ends at"):
        Event("late", 1, 2.0, 1.0)
    with pytest.raises(ValueError, match="no events"):
        trace.makespan([])
    with pytest.raises(ValueError, match="no events"):
        trace.draw({"empty": []})
    with pytest.raises(ValueError, match="no events"):
        trace.busy([])
    with pytest.raises(ValueError, match="at least one title"):
        trace.draw({})
    with pytest.raises(ValueError, match="at least one file"):
        trace.load()
    with pytest.raises(ValueError, match="same moment"):
        trace.utilisation([Event("a", 0, 1.0, 1.0)])
