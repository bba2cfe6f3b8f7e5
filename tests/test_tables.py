"""The measured tables: complete, of the pinned versions, and a few of their cells run again."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from experiments import tables
from lockstep import tables as shown
from tools import ROOT


def label(cell: dict[str, str]) -> str:
    return " / ".join(cell.values())


# One cell of one process for each outcome; `make tables` runs all.
AGAIN = {
    shown.load(table).cell(**cell)["outcome"]: (table, cell)
    for table in tables.AXES
    for cell in tables.cells(table)
    if cell.get("strategy") not in tables.CLUSTERS
}


@pytest.mark.parametrize(("table", "cell"), AGAIN.values(), ids=AGAIN)
def test_a_cell_comes_out_as_committed(table: str, cell: dict[str, str]) -> None:
    measured = tables.entry(cell, tables.run(table, cell))
    assert measured == shown.load(table).cell(**cell), "run `make tables` and look at the changes"


@pytest.mark.parametrize("table", tables.AXES)
def test_a_table_has_every_cell_once_with_the_pinned_versions(table: str) -> None:
    committed = shown.load(table)
    axes = tables.AXES[table]
    assert [{axis: cell[axis] for axis in axes} for cell in committed.cells] == tables.cells(table)
    pinned = dict(re.findall(r"(?m)^(\w+)==(\S+)", (ROOT / "requirements.txt").read_text()))
    for title, version in committed.versions.items():
        if title != "Python":
            assert version == pinned[title.lower()], (
                f"run `make tables`: {title} is {version} in it"
            )
    assert 0 < committed.largest_difference < committed.tolerance < 1e-10


@pytest.mark.parametrize("table", tables.AXES)
def test_a_cell_that_failed_says_how_and_one_that_worked_says_nothing(table: str) -> None:
    for cell in shown.load(table).cells:
        assert cell["outcome"] in shown.SIGNS
        assert ("message" in cell) == (cell["outcome"] in ("error", "not run")), cell
        assert ("by" in cell) == (cell["outcome"] == "differs"), cell
        if "message" in cell:
            assert "\n" not in cell["message"] and len(cell["message"]) > 20, cell


@pytest.mark.parametrize(
    ("error", "line"),
    [
        ("ValueError: no\nmore", "ValueError: no"),
        ("AssertionError", "AssertionError (with no message)"),
        ("AssertionError: ", "AssertionError (with no message)"),
        ("E: <a.b.C object at 0x7f12ab34cd> and 0x7f12ab34cd", "E: <C> and 0x..."),
        ("ValueError: in user code:\n\n  File a.py, line 3\n\n  KeyError: b\n", "KeyError: b"),
        ("E: 127.0.0.1:40123 and localhost:80", "E: 127.0.0.1:PORT and localhost:PORT"),
        ("E: in /usr/lib/python3.11/keras/a.py, line 3", "E: in a.py, line 3"),
        ("E: " + "word " * 100, "E: " + "word " * 39 + "..."),
    ],
)
def test_what_differs_from_run_to_run_is_left_out_of_a_message(error: str, line: str) -> None:
    assert tables.first_line(error) == line


def small(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, outcomes: dict[str, Any]) -> list[str]:
    """Make tables of two cells, measured by looking them up; return the list of those measured."""
    ran: list[str] = []

    def run(table: str, cell: dict[str, str]) -> dict[str, Any]:
        ran.append(cell["strategy"])
        outcome = outcomes[cell["strategy"]]
        if isinstance(outcome, BaseException):
            raise outcome
        return outcome

    monkeypatch.setattr(tables, "AXES", {"catalogue": {"strategy": ("A", "B"), "way": ("fit",)}})
    monkeypatch.setattr(tables, "CACHE", tmp_path / "cache")
    monkeypatch.setattr(shown, "MEASURED", tmp_path / "measured")
    monkeypatch.setattr(tables, "run", run)
    return ran


GOOD = {"outcome": "equals", "difference": 1e-16, "tolerance": 1e-13}
BAD = {"outcome": "error", "error": "ValueError: no"}


def test_an_interrupted_run_goes_on_where_it_stopped(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    outcomes: dict[str, Any] = {"A": GOOD, "B": KeyboardInterrupt()}
    ran = small(monkeypatch, tmp_path, outcomes)
    with pytest.raises(KeyboardInterrupt):
        tables.main(["catalogue"], shown.MEASURED)
    outcomes["B"] = BAD
    tables.main(["catalogue"], shown.MEASURED)
    assert ran == ["A", "B", "B"]
    table = shown.load("catalogue")
    assert table.cell(strategy="B")["message"] == "ValueError: no"
    assert (table.largest_difference, table.tolerance) == (1e-16, 1e-13)


def test_a_cell_that_changed_is_shown_and_fails(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    outcomes: dict[str, Any] = {"A": GOOD, "B": BAD}
    small(monkeypatch, tmp_path, outcomes)
    tables.main(["catalogue"], shown.MEASURED)
    outcomes["A"] = GOOD | {"difference": 2e-16}  # another machine, or another version
    monkeypatch.setattr(tables, "versions", lambda: {"TensorFlow": "9.9.9"})
    capsys.readouterr()
    assert tables.main(["catalogue"], shown.MEASURED) == 0
    outcomes["B"] = {"outcome": "differs", "difference": 0.123, "tolerance": 1e-13}
    monkeypatch.setattr(tables, "versions", lambda: {"TensorFlow": "9.9.10"})
    assert tables.main(["catalogue"], shown.MEASURED) == 1
    out = capsys.readouterr().out
    assert '-- {"strategy": "B", "way": "fit", "outcome": "error", "message": "Va' in out
    assert '+- {"strategy": "B", "way": "fit", "outcome": "differs", "by": 0.12}' in out
    assert '"strategy": "A"' not in out.partition("@@")[2]


def test_of_a_cluster_the_process_that_did_worst_counts(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def cluster(_: dict[str, int], arguments: list[str], __: str) -> str:
        for index, result in enumerate([GOOD, BAD]):
            Path(f"{arguments[0]}.{index}").write_text(json.dumps(result))
        return ""

    monkeypatch.setattr(tables, "run_cluster", cluster)
    cell = {"strategy": "MultiWorkerMirrored", "way": "Keras 3 fit"}
    assert tables.run("catalogue", cell) == BAD


def test_a_process_that_hangs_is_ended_and_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    program = tmp_path / "hangs.py"
    program.write_text("import time\ntime.sleep(60)")
    monkeypatch.setattr(tables, "PROGRAM", program)
    monkeypatch.setattr(tables, "LIMIT_S", 0.5)
    cell = {"strategy": "Default", "way": "Keras 3 fit"}
    result = tables.run("catalogue", cell)
    assert tables.entry(cell, result)["message"] == "The process: did not end within 0.5 s"


# What the chapters show


@pytest.fixture
def table(tmp_path: Path) -> shown.Table:
    cells = [
        {"who": "A", "how": "fit", "outcome": "equals"},
        {"who": "A", "how": "loop", "outcome": "error", "message": "ValueError: <no>"},
        {"who": "B", "how": "fit", "outcome": "differs", "by": 0.25},
        {"who": "B", "how": "loop", "outcome": "error", "message": "ValueError: <no>"},
    ]
    head = {"about": "What it is.", "versions": {"TensorFlow": "2"}, "tolerance": 1e-13}
    head |= {"largest_difference": 1e-16, "rows": ["who"], "columns": ["how"], "cells": cells}
    path = tmp_path / "sample.yaml"
    path.write_text(yaml.safe_dump(head))
    return shown.read(path)


def test_a_table_is_text(table: shown.Table) -> None:
    assert repr(table).splitlines()[:6] == [
        "who  fit        loop",
        "A    ✓ equals   ✗ [1]",
        "B    ≠ by 0.25  ✗ [1]",
        "",
        "[1] ValueError: <no>",
        "",
    ]
    assert "What it is." in repr(table) and "TensorFlow 2" in repr(table)


def test_a_table_is_html_with_heads_and_without_foreign_markup(table: shown.Table) -> None:
    html = table._repr_html_()
    assert '<th scope="row">A</th><td>✓ equals</td><td>✗ [1]</td>' in html
    assert "ValueError: &lt;no&gt;" in html and "<no>" not in html


def test_cells_are_found_by_what_was_run(table: shown.Table) -> None:
    assert table.cell(who="B", how="fit")["by"] == 0.25
    assert len(table.select(how="loop")) == 2
    with pytest.raises(ValueError, match=r"2 cells are .* say how too"):
        table.cell(who="A")
    with pytest.raises(ValueError, match=r"no cell of the table sample .*'who': \['A', 'B'\]"):
        table.cell(who="C")
    with pytest.raises(ValueError, match="the table sample has no 'whom': choose by who, how"):
        table.cell(whom="A")
    with pytest.raises(ValueError, match=r"no table is called 'scop'\. There are: .*scope"):
        shown.load("scop")


@pytest.mark.parametrize("text", ["", "- a list", "rows: [who]", "{"])
def test_a_file_that_is_no_table_is_named(text: str, tmp_path: Path) -> None:
    path = tmp_path / "other.yaml"
    path.write_text(text)
    with pytest.raises(
        ValueError, match=r"other.yaml holds no measured table: .* `make tables` wr"
    ):
        shown.read(str(path))
