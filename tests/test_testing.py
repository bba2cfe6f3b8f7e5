"""How tests are run in phases and counted, and what the whole course would cost."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tools import projection, testing
from tools.notebooks import ROOT

REPORT = """<testsuites><testsuite>
<testcase name="good"/>
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
        path for path in (*testing.ALONE.values(), *testing.GRADING) if not (ROOT / path).is_file()
    ] == []


def test_projection_adds_up() -> None:
    phases = {"environment": 60.0, "unit": 30.0, "colab": 90.0, "book": 8.0, "browser": 40.0}
    executed = {"a": 50.0, "b": 70.0, "exercises/a": 15.0}
    parts = projection.project(phases | {"exercises": 75.0}, executed, pages_s=32)
    assert list(parts.values()) == [60 + 2 * 30 + 90 + 8, 20 * (60 + 20), 60, 16 * (15 + 75)]
    said = projection.report(phases, {"a": 600.0}, pages_s=32)
    assert "would not fit" in said


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
