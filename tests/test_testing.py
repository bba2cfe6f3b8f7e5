"""How tests are run in phases and counted, and what is left out."""

import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import newest
import pytest

from tools import ROOT, testing

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


def test_every_phase_of_pytest_has_a_mark_that_some_test_has() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    marks = [mark.partition(":")[0] for mark in project["tool"]["pytest"]["ini_options"]["markers"]]
    assert set(marks) == set(testing.MARKED)
    code = "".join(path.read_text() for path in (ROOT / "tests").glob("test_*.py"))
    assert {mark for mark in marks if f"pytest.mark.{mark}" not in code} == set()
    run = [phase.name for phase in testing.PHASES if "pytest" in phase.command]
    assert sorted(run) == sorted([*marks, "unit"])


def test_what_changed_last_is_not_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("LOCKSTEP_ALL", raising=False)
    changed = ["gone.ipynb", "d.ipynb", "b.ipynb", "d.ipynb", "a.ipynb"]
    monkeypatch.setattr(newest, "history", lambda: changed)
    exist = [f"{letter}.ipynb" for letter in "abcde"]
    assert newest.newest(exist, 2) == ["d.ipynb", "b.ipynb"]
    assert newest.newest(["c.ipynb"], 2) == ["c.ipynb"]
    monkeypatch.setenv("LOCKSTEP_ALL", "1")
    assert newest.newest(exist, 2) == exist


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
