"""Answers of assignments lose what they should, and whatever is amiss is said."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import nbformat
import newest
import pytest
import yaml
from nbformat.v4 import new_code_cell, new_notebook

from tools.assignments import answers, grade, releases

pytestmark = pytest.mark.exercises
CHEAP_S = 30

ASKED = {"grade": False, "solution": True, "locked": False}
TWO_POINTS = {"grade": True, "points": 2, "solution": False, "locked": True}
GIVEN: dict[str, Any] = {"grade": False, "solution": False, "locked": True}

SMALL = {
    "add": (
        "def add(a, b):\n    ### BEGIN SOLUTION\n    return a + b\n    ### END SOLUTION",
        "assert add(1, 2) == 3, 'sum'\n"
        "### BEGIN HIDDEN TESTS\n"
        "for a in (0, 5):\n"
        "    assert add(a, 1) == a + 1\n"
        "assert add(-1, 0) == -1\n"
        "### END HIDDEN TESTS",
    ),
    "double": (
        "def double(a):\n    ### BEGIN SOLUTION\n    return 2 * a\n    ### END SOLUTION",
        "### BEGIN HIDDEN TESTS\n"
        "def add(a, b):\n"
        "    return a + b\n"
        "### END HIDDEN TESTS\n"
        "assert double(2) == 4\n"
        "### BEGIN HIDDEN TESTS\n"
        "close(double(add(1, 3)), 8)\n"
        "### END HIDDEN TESTS",
    ),
}
ADD, DOUBLE = SMALL["add"], SMALL["double"]
RETURN = {"add": "return a + b", "double": "return 2 * a"}


def wrong(name: str, cell: str, by: str, fails: str = "") -> dict[str, str]:
    """Return an entry of wrong.yaml that replaces the one line of a solution."""
    edit = {"cell": cell, "replace": RETURN[cell], "by": by}
    return {"id": name, "why": name, "fails": fails or f"{cell}-test", **edit}


THREE = wrong("three", "add", "return 3")
POSITIVE = wrong("positive", "add", "return abs(a) + b")
SQUARE = wrong("square", "double", "return a * a")
GOOD = [THREE, POSITIVE, SQUARE]
SUMS = {
    "sum": "def double(a):\n    return a + a",
    "shift": "def double(a):\n    return a << 1",
    "minus": "def add(a, b):\n    return a - -b\n\n# %% double\ndef double(a):\n    return a - -a",
}


def course_of(
    folder: Path,
    small: dict[str, tuple[str, str]],
    entries: list[dict[str, str]],
    right: dict[str, str] = SUMS,
) -> Path:
    """Make an exercises folder with the assignment "small"."""
    exercises = folder / "exercises"
    given = "def close(a, b):\n    assert abs(a - b) < 1e-9"
    texts: list[tuple[str, str, dict[str, Any]]] = [
        ("setup", "print('no framework')", GIVEN),
        ("given", given, GIVEN),
    ]
    for name, (solution, test) in small.items():
        texts += [(name, solution, ASKED), (f"{name}-test", test, TWO_POINTS)]
    cells = []
    for name, text, flags in texts:
        of_cell = {"grade_id": name, "schema_version": 3, "task": False, **flags}
        cells.append(new_code_cell(text, id=name, metadata={"nbgrader": of_cell}))
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    notebook = releases.source("small", exercises)
    answered = releases.answers("small", exercises)
    notebook.parent.mkdir(parents=True)
    (answered / "right").mkdir(parents=True)
    nbformat.write(new_notebook(cells=cells, metadata={"kernelspec": kernel}), notebook)
    (exercises / "nbgrader_config.py").write_text("c = get_config()\n")
    (answered / answers.WRONG).write_text(yaml.safe_dump(entries))
    for name, text in right.items():
        cell = text[4 : text.index("(")]
        (answered / "right" / f"{name}.py").write_text(f'"""{name}"""\n\n# %% {cell}\n{text}\n')
    return exercises


def test_what_was_graded_is_noted_and_not_graded_again(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    exercises = course_of(tmp_path, SMALL, GOOD)
    assert grade.main("", exercises=exercises) == 0
    shown = capfd.readouterr().out
    assert "wrong/three: as it should" in shown and "[ 8/8]" in shown
    assert "small: 8 graded" in shown and "all as it should be" in shown
    noted = grade.noted(exercises)
    assert noted["small"]["key"] == grade.key("small", exercises)
    assert grade.main("", exercises=exercises) == 0
    assert "`make answers NAME=small` does it again" in (told := capfd.readouterr().out)
    assert "graded in" not in told

    assert grade.main("small", "wrong/three", exercises=exercises) == 0
    assert "small: 3 graded, all as it should be" in capfd.readouterr().out
    with pytest.raises(SystemExit, match="no answer is called 'wrong/ten', only: right/"):
        grade.main("small", "wrong/ten", exercises=exercises)

    text = (exercises / grade.GRADED).read_text()
    (exercises / grade.GRADED).write_text(text.replace(noted["small"]["key"], "forged"))
    assert grade.main("", exercises=exercises) == 0
    assert grade.noted(exercises)["small"]["key"] == noted["small"]["key"]


@pytest.mark.parametrize(
    ("small", "entries", "right", "said"),
    [
        pytest.param(
            SMALL,
            [THREE, wrong("positive", "add", "return b + a"), SQUARE],
            SUMS | {"sum": "def double(a):\n    return a + 2"},
            [
                "wrong/positive: add-test is not lost: 2 of 2 points",
                "add-test, line 5: no wrong answer fails it: assert add(-1, 0) == -1",
                "right/sum: double-test is lost: 0 of 2 points, at line 7",
            ],
            id="a wrong answer that passes, and a right one that fails",
        ),
        pytest.param(
            SMALL,
            [POSITIVE],
            {"sum": SUMS["sum"]},
            [
                "right/ has 1 answers. Write 3",
                "double-test: no wrong answer is aimed at it",
                "double-test, line 7: no wrong answer fails it: close(double(add(1, 3)), 8)",
                "add-test, line 3: no wrong answer fails it: for a in (0, 5):",
            ],
            id="tests that nobody fails",
        ),
        pytest.param(
            {
                "add": (ADD[0], "warnings = __import__('warnings').warn('x')\n" + ADD[1]),
                "double": (DOUBLE[0], DOUBLE[1] + "\ndouble(1) == 2"),
                "free": ("def free():\n    ...", "assert True"),
            },
            GOOD,
            SUMS,
            [
                "reference: add-test is lost: 0 of 2 points",
                "reference: double-test ends in the value True, which tests nothing",
                "untouched release: free-test gives 2 points",
                "free-test: no wrong answer",
            ],
            id="a test that warns, one that ends in a value, and points for nothing",
        ),
        pytest.param(
            {
                "add": (ADD[0], ADD[1].replace("== a + 1", "== a + 1, 'no\\n' + 84 * '-'")),
                "double": (DOUBLE[0], DOUBLE[1].replace("def add(a, b):", "def other(a, b):")),
            },
            GOOD,
            SUMS,
            [
                "wrong/three: add-test: a line of its message is cut by nbgrader validate",
                "double-test is lost",
            ],
            id="a message that is cut, and one mistake that costs two cells",
        ),
    ],
)
def test_what_is_amiss_is_said(
    tmp_path: Path,
    capfd: pytest.CaptureFixture[str],
    small: dict[str, tuple[str, str]],
    entries: list[dict[str, str]],
    right: dict[str, str],
    said: list[str],
) -> None:
    exercises = course_of(tmp_path, small, entries, right)
    assert grade.main("small", exercises=exercises) == 1
    shown = capfd.readouterr().out
    for text in said:
        assert text in shown
    assert not (exercises / grade.GRADED).exists()


def test_a_new_assignment_is_graded_as_it_should_be(tmp_path: Path) -> None:
    exercises = tmp_path / "exercises"
    exercises.mkdir()
    (exercises / "nbgrader_config.py").write_text("c = get_config()\n")
    releases.create("sample", exercises)
    assert grade.grade_in_full("sample", exercises) == []


def in_full(key: str, noted: dict[str, Any]) -> str:
    """Return why all answers of an assignment are graded; empty if CI grades only the reference."""
    if newest.everything():
        return "everything is, this time"
    if noted.get("key") != key:
        return f"as {grade.GRADED} is not of today"
    return "as that is quick" if noted["seconds"] < CHEAP_S else ""


def test_what_changed_and_what_is_quick_is_graded_in_full(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("LOCKSTEP_ALL", raising=False)
    assert "not of today" in in_full("1", {})
    assert "not of today" in in_full("1", {"key": "2", "seconds": 1})
    assert "quick" in in_full("1", {"key": "1", "seconds": CHEAP_S - 1})
    assert in_full("1", {"key": "1", "seconds": CHEAP_S}) == ""
    monkeypatch.setenv("LOCKSTEP_ALL", "1")
    assert in_full("1", {"key": "1", "seconds": CHEAP_S})


@pytest.mark.parametrize("name", releases.names())
@pytest.mark.timeout(1200)
def test_answers_lose_what_they_should(
    name: str, record_property: Callable[[str, object], None]
) -> None:
    key, noted = grade.key(name), grade.noted().get(name, {})
    why = in_full(key, noted)
    told = f"{name}, {why}" if why else f"{name}: the reference and the untouched release"
    if noted.get("key") != key:
        told += f"; `make answers NAME={name}` writes its line"
    record_property("graded in full" if why else "graded in part", told)
    path = releases.source(name)
    notebook, chosen = releases.load(path), answers.answers(name) if why else []
    graded = grade.grade(notebook, chosen, path.parent, grade.course_config(releases.EXERCISES))
    assert len(graded) == len(chosen) + 2
    found = grade.amiss(notebook, graded, in_full=bool(why))
    assert not found, "\n".join([*found, f"To see all of it: make answers NAME={name}"])
