"""How tests are run in phases and counted, what is left out, and what the course would cost."""

import shutil
import subprocess
import sys
from itertools import chain
from pathlib import Path

import pytest

from tools import notebooks, projection, sample, testing
from tools.notebooks import ROOT

REPORT = """<testsuites><testsuite>
<testcase name="good"><properties><property name="graded" value="sample: reference"/></properties>
</testcase>
<testcase name="bad"><failure message="no"/></testcase>
<testcase name="broken"><error message="no"/></testcase>
<testcase name="left out"><skipped message="no Chromium"/></testcase>
</testsuite></testsuites>"""
WORKS = testing.Phase("works", "", ["json.tool", "--help"])
FAILS = testing.Phase("fails", "", ["json.tool", "--no-such-option"])


def test_a_report_is_counted(tmp_path: Path) -> None:
    path = tmp_path / "report.xml"
    path.write_text(REPORT)
    assert testing.count(path) == (1, 2, ["left out: no Chromium"])
    assert testing.properties(path) == ["graded: sample: reference"]
    assert testing.properties(tmp_path / "none.xml") == []


def test_a_phase_that_needs_a_failed_one_is_not_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(testing, "REPORTS", tmp_path)
    needs = [WORKS._replace(name="after", needs=name) for name in ("works", "fails")]
    outcomes = testing.run_all([WORKS, FAILS, *needs])
    assert [(outcome.passed, outcome.failed) for outcome in outcomes] == [
        (1, 0),
        (0, 1),
        (1, 0),
        (0, 1),
    ]
    assert outcomes[-1].seconds == 0


def test_files_that_run_alone_exist() -> None:
    assert [
        path
        for path in [*chain(*testing.ALONE.values()), *testing.GRADING]
        if not (ROOT / path).is_file()
    ] == []


def test_a_sample_is_the_commits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("LOCKSTEP_ALL", raising=False)
    names = [f"answer-{number}" for number in range(20)]
    chosen = set()
    for commit in range(200):
        monkeypatch.setattr(sample, "commit", lambda commit=commit: f"{commit:040x}")
        some = sample.sample(names, 6)
        assert some == sample.sample(names, 6) == sorted(some, key=names.index)
        assert len(some) == 6
        chosen.update(some)
    assert chosen == set(names)
    assert sample.sample(names[:3], 6) == names[:3]
    monkeypatch.setenv("LOCKSTEP_ALL", "1")
    assert sample.sample(names, 6) == names
    assert len(sample.choose(names, 6)) == 6


def test_the_newest_notebooks_are_not_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("LOCKSTEP_ALL", raising=False)
    log = "gone.ipynb\n\nd.ipynb\nb.ipynb\n\nd.ipynb\na.ipynb\n"
    monkeypatch.setattr(sample, "git", lambda *arguments: log)
    monkeypatch.setattr(sample, "commit", lambda: "0")
    exist = [f"{letter}.ipynb" for letter in "abcde"]
    chosen = sample.newest_and_others(exist)
    assert {"b.ipynb", "d.ipynb"} < set(chosen) and len(chosen) == 3
    assert sample.newest_and_others(["c.ipynb"]) == ["c.ipynb"]
    monkeypatch.setenv("LOCKSTEP_ALL", "1")
    assert sample.newest_and_others(exist) == exist


SHARES = """<testsuites><testsuite>
<testcase name="test_small" time="60"/>
<testcase name="test_answers_score_what_their_table_says[a]" time="30"/>
<testcase name="test_answers_score_what_their_table_says[b]" time="10"/>
</testsuite></testsuites>"""


def test_what_tests_take_is_their_share_of_the_phase(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(testing, "REPORTS", tmp_path)
    assert testing.shares("exercises", 50, ["their_table"]) == []
    (tmp_path / "exercises.xml").write_text(SHARES)
    assert testing.shares("exercises", 50, ["their_table"]) == [15, 5]
    assert testing.shares("exercises", 200, ["[a]"]) == [30]

    chapter, solved = (notebooks.ROOT / path for path in ("book/p/a.ipynb", "exercises/a.ipynb"))
    runs = [notebooks.Run(chapter, 40, True), notebooks.Run(solved, 30, True)]
    assert testing.wall(24, runs) == 1
    (tmp_path / "notebooks.xml").write_text('<testcase classname="book.p.a.ipynb"/>')
    assert testing.wall(24, runs) == 0.6


MEASURED = projection.Measured(
    phases={"environment": 60, "unit": 30, "colab": 90, "book": 8, "browser": 40, "exercises": 75},
    notebooks={"a": 50, "b": 70, "exercises/a": 15},
    wall=0.8,
    pages=32,
    answers=[20],
    stock=[40],
    colab=[50, 20, 20, 15],
)


def test_projection_adds_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("LOCKSTEP_ALL", raising=False)
    fixed, one = 60 + 2 * 30 + 90 + 8 + 15, 2 * 20
    chapters, assignments = 20 * (0.8 * 60 + 20), 16 * (0.8 * 15 + 20)
    parts = projection.project(MEASURED)
    assert list(parts.values()) == [fixed, chapters, assignments, 40, one]
    slow = MEASURED._replace(notebooks={"a": 600})
    assert "would not fit" in projection.report(slow)
    monkeypatch.setenv("LOCKSTEP_ALL", "1")
    parts = projection.project(MEASURED)
    assert list(parts.values()) == [fixed, chapters, assignments, 16 * 40, 34 * one]
    assert "would not fit" not in projection.report(slow)


@pytest.mark.parametrize(
    ("ci", "reason", "outcome"),
    [
        ("", "no Chromium", "1 skipped"),
        ("true", "no Chromium", "1 failed"),
        ("true", "Python 3.13 was not found", "1 skipped"),
    ],
)
@pytest.mark.parametrize("where", ["test", "module"])
def test_in_ci_a_skip_is_a_failure(
    tmp_path: Path, ci: str, reason: str, outcome: str, where: str
) -> None:
    shutil.copy(ROOT / "tests" / "conftest.py", tmp_path)
    skip = f"pytest.skip({reason!r}, allow_module_level=True)"
    body = {"test": f"def test_it():\n    {skip}", "module": f"{skip}\ndef test_it(): pass"}
    (tmp_path / "test_it.py").write_text(f"import pytest\n\n{body[where]}\n")
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-rs", "--rootdir", tmp_path, tmp_path],
        env={"CI": ci, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        capture_output=True,
        text=True,
    )
    expected = outcome.replace("failed", "error") if where == "module" else outcome
    assert expected in done.stdout.splitlines()[-1]
    assert reason in done.stdout
