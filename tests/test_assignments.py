"""Every assignment keeps the rules; each rule names the mistake that it is for."""

import copy
import functools
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import nbformat
import pytest
import test_notebooks
import yaml
from nbformat import NotebookNode
from rules import leaks, mistakes, source_mistakes

from tools import EXERCISES, ROOT, edits
from tools.assignments import answers, grade, releases
from tools.assignments.releases import SKELETON, Files
from tools.notebooks import setup_cell
from tools.site import address

Change = Callable[[NotebookNode], Any]
STUB = "raise NotImplementedError("


@functools.cache
def generated() -> dict[str, Files]:
    """Return what nbgrader makes of the assignments; at once, because it takes seconds."""
    try:
        return releases.generate(releases.names())
    except ValueError as error:  # the rules name the cell, and the assignment
        print(error)
        return {}


@pytest.mark.parametrize("name", releases.names())
def test_the_assignment_keeps_the_rules(name: str) -> None:
    assert mistakes(name, generated().get(name)) == []


def test_what_changes_points_changes_the_key(course: Path) -> None:
    path, folder = releases.source("sample", course), releases.answers("sample", course)
    wrong = folder / answers.WRONG
    first = grade.key("sample", course)
    for file, old, new in (
        (path, "PLACEHOLDER: when is", "When is"),
        (path, "https://github.com/", "https://github.com/another-"),
        (wrong, "PLACEHOLDER", "A reason"),
    ):
        edit(file, old, new)
        assert grade.key("sample", course) == first
    keys = {first}
    for file, old, new in (
        (path, "== 4.0", "== 4"),
        (path, '"points": 3', '"points": 4'),
        (path, "start(", 'start(\\"torch\\", '),
        (wrong, "by: return", "by: return 1 +"),
        (wrong, "id: empty-shard", "id: another"),
    ):
        edit(file, old, new)
        keys.add(grade.key("sample", course))
    path.with_name("data.csv").write_text("1")
    keys.add(grade.key("sample", course))
    assert len(keys) == 7


def test_notes_that_a_merge_has_broken_are_named(
    course: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = course / grade.GRADED
    file.write_text("<<<<<<< HEAD\nsample: {key: one, seconds: 1}\n")
    assert grade.main("", exercises=course) == 1
    assert f"{file} is no YAML. Delete the lines" in capsys.readouterr().out


def edit(file: Path, old: str, new: str) -> None:
    assert old in file.read_text()
    file.write_text(file.read_text().replace(old, new))


@pytest.fixture(scope="module")
def exercises(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder like exercises/ with one assignment in it, `sample`, as the skeleton is."""
    folder = tmp_path_factory.mktemp("course") / "exercises"
    folder.mkdir()
    shutil.copy(EXERCISES / "nbgrader_config.py", folder)
    releases.create("sample", folder)
    return folder


@pytest.fixture
def source(exercises: Path) -> NotebookNode:
    return nbformat.read(releases.source("sample", exercises), as_version=4)


@pytest.fixture
def release(exercises: Path) -> NotebookNode:
    return nbformat.read(releases.release("sample", exercises), as_version=4)


def cell(notebook: NotebookNode, name: str) -> NotebookNode:
    return next(cell for cell in notebook.cells if cell.id == name)


def replace(name: str, old: str, new: str) -> Change:
    """Return a function that replaces text in a cell."""

    def change(notebook: NotebookNode) -> None:
        assert old in cell(notebook, name).source
        cell(notebook, name).source = cell(notebook, name).source.replace(old, new)

    return change


def append(name: str, text: str) -> Change:
    """Return a function that adds a line to a cell."""

    def change(notebook: NotebookNode) -> None:
        cell(notebook, name).source += f"\n{text}"

    return change


def flag(name: str, **values: Any) -> Change:
    """Return a function that changes nbgrader's metadata of a cell."""
    return lambda notebook: cell(notebook, name).metadata.nbgrader.update(values)


def put(name: str, **values: Any) -> Change:
    """Return a function that changes what a cell is."""
    return lambda notebook: cell(notebook, name).update(values)


def every(old: str, new: str) -> Change:
    """Return a function that replaces text in any cell."""
    return lambda notebook: [
        replace(one.id, old, new)(notebook) for one in notebook.cells if old in one.source
    ]


def remove(name: str) -> Change:
    return lambda notebook: notebook.cells.remove(cell(notebook, name))


def to_front(name: str) -> Change:
    def change(notebook: NotebookNode) -> None:
        moved = cell(notebook, name)
        notebook.cells.remove(moved)
        notebook.cells.insert(1, moved)

    return change


SOLUTION, TEST, TASK = "mean-of-shards", "mean-of-shards-test", "say-why"
ASKED = (
    "PLACEHOLDER: when is the mean of the shards' means the mean of all? Two sentences are enough."
)
# The cell that a mistake is in, what is said of it, and how to make it.
IN_SOURCE: list[tuple[str, str, Change]] = [
    ("given", "its grade_id is 'gone'", flag("given", grade_id="gone")),
    (TEST, "grade true, solution false, task false, locked false is", flag(TEST, locked=False)),
    (TASK, "task true, locked false is neither", flag(TASK, locked=False)),
    (SOLUTION, "solution true, task false, locked true is neither", flag(SOLUTION, locked=True)),
    (TEST, "its points are 0", flag(TEST, points=0)),
    ("given", "it has points", flag("given", points=1)),
    ("mean", "the id of a test", put(TEST, id="mean")),
    (SOLUTION, "1 times BEGIN SOLUTION, 2 times END", append(SOLUTION, "### END SOLUTION")),
    (TEST, "0 times BEGIN HIDDEN TESTS, 1", replace(TEST, "### BEGIN HIDDEN TESTS\n", "")),
    (TEST, "1 times BEGIN HIDDEN TESTS, 0", replace(TEST, "### END HIDDEN TESTS", "")),
    (SOLUTION, "it has 0 regions SOLUTION", put(SOLUTION, source="def f():\n    return 1")),
    (
        SOLUTION,
        "it has 2 regions SOLUTION",
        append(SOLUTION, "    ### BEGIN SOLUTION\n    ### END SOLUTION"),
    ),
    (TASK, "it has 0 regions MARK SCHEME", put(TASK, source="Why?")),
    (SOLUTION, "it is not plain Python", append(SOLUTION, "%time")),
    (SOLUTION, "with a docstring", replace(SOLUTION, '"""PLACE', 'f"""PLACE')),
    (
        SOLUTION,
        "with a docstring",
        put(SOLUTION, source="### BEGIN SOLUTION\nmean = np.mean\n### END SOLUTION"),
    ),
    (TEST, "it does not begin with its points, 3", replace(TEST, "3 points\n", "2 points\n")),
    (TEST, "it is not plain Python", append(TEST, "if True:")),
    (
        TEST,
        "it is not plain Python",
        replace(TEST, "### BEGIN HIDDEN TESTS", "if True:\n    ### BEGIN HIDDEN TESTS\n    pass"),
    ),
    (TEST, "line 13 imports", append(TEST, "import torch")),
    (
        TEST,
        "students see no assertion",
        put(TEST, source="### BEGIN HIDDEN TESTS\nassert True, 'is true'\n### END HIDDEN TESTS"),
    ),
    (TEST, "fails without a message", replace(TEST, "\nassert", "\nassert mean > 0\nassert")),
    (
        TEST,
        "the hidden region at its top asserts",
        replace(
            TEST,
            "unequal =",
            "### BEGIN HIDDEN TESTS\nassert True\n### END HIDDEN TESTS\nunequal =",
        ),
    ),
    (
        TASK,
        "gives 3 points, and the cell has 2",
        replace(TASK, "- 1 point: why", "- 2 points: why"),
    ),
    (TASK, "no model answer", replace(TASK, "Model answer:", "Well:")),
    (TASK, "it asks nothing", replace(TASK, ASKED, "")),
    (TASK, "no place for their answer", remove("say-why-answer")),
    ("title", "no given cell calls `prepare()`", replace("given", "prepare()", "")),
    (
        TEST,
        "compares with LIMIT, which a solution can set anew",
        lambda notebook: [
            append("given", "LIMIT = 2 * 1e-9")(notebook),
            append(TEST, "assert abs(mean) < LIMIT, 'no'")(notebook),
        ],
    ),
    ("title", "no cell begins a task", every("## ", "### ")),
    (SOLUTION, "it is above the first task", to_front(SOLUTION)),
    ("task-2", "the task's number is 3. Make it 2", replace("task-2", "## 2.", "## 3.")),
    ("task-1", "does not say how long the task takes", replace("task-1", "minutes", "min")),
    ("task-1", "3 points, and the cells of the task have 4", flag(TEST, points=4)),
    ("task-2", "nothing below it is graded", remove(TASK)),
    ("task-1", "a test and no solution cell", remove(SOLUTION)),
    ("title", "it says 6 points, and all tasks together have 5", replace("title", "5 po", "6 po")),
    ("title", "it says 20 minutes, and its tasks take 10", replace("title", "10 min", "20 min")),
    ("title", "its tasks take 155. Say the sum", replace("task-1", "5 minutes", "150 minutes")),
    ("title", "it says None points", replace("title", "**5 points**", "5 points")),
]


def test_the_skeleton_has_no_mistakes(source: NotebookNode) -> None:
    assert source_mistakes(source) == []
    assert all(map(unfinished, test_notebooks.mistakes(source)))


@pytest.mark.parametrize(("where", "said", "change"), IN_SOURCE)
def test_each_mistake_in_a_source_is_named(
    where: str, said: str, change: Change, source: NotebookNode
) -> None:
    change(source)
    assert any(
        line.startswith(f"cell {where!r}: ") and said in line for line in source_mistakes(source)
    )


def test_a_test_may_set_its_numbers_itself(source: NotebookNode) -> None:
    append("given", "LIMIT = 1e-9")(source)
    append(TEST, "LIMIT = 1e-9\nassert abs(mean - 5) < LIMIT, 'no'")(source)
    assert source_mistakes(source) == []


def test_right_versions_of_other_functions_may_stand_on_top(source: NotebookNode) -> None:
    top = "### BEGIN HIDDEN TESTS\ndef other():\n    return 1\n\n\n### END HIDDEN TESTS\n"
    replace(TEST, "unequal =", f"{top}unequal =")(source)
    assert source_mistakes(source) == []


LINE = "return float(np.concatenate(shards).mean())"
HIDDEN = "with_empty = [np.array([]), np.array([2.0]), np.array([4.0, 9.0])]"
RUBRIC = "- 1 point: when all shards have the same length."
IN_RELEASE: list[tuple[str, str, Change]] = [
    (SOLUTION, f"shows '{LINE}', which is hidden", replace(SOLUTION, STUB, f"{LINE}\n    {STUB}")),
    ("given", "shows 'with_empty = [np.array", append("given", HIDDEN)),
    (TASK, "shows '- 1 point: when all", append(TASK, RUBRIC)),
]


def test_the_release_of_the_skeleton_shows_nothing(
    source: NotebookNode, release: NotebookNode
) -> None:
    assert leaks(source, release) == []


@pytest.mark.parametrize(("where", "said", "change"), IN_RELEASE)
def test_each_leak_is_named(
    where: str, said: str, change: Change, source: NotebookNode, release: NotebookNode
) -> None:
    change(release)
    assert any(
        line.startswith(f"cell {where!r}: ") and said in line for line in leaks(source, release)
    )


def test_the_source_itself_is_no_release(source: NotebookNode) -> None:
    assert {line.split("'")[1] for line in leaks(source, source)} == {SOLUTION, TEST, TASK}


@pytest.fixture
def course(exercises: Path, tmp_path: Path) -> Path:
    """A copy of the folder, to change."""
    return shutil.copytree(exercises, tmp_path / "exercises")


@pytest.fixture(scope="module")
def made(exercises: Path) -> Files:
    """What nbgrader made of `sample`."""
    return releases.files(releases.release("sample", exercises).parent)


def unfinished(line: str) -> bool:
    return "has nothing to say yet" in line


def test_a_release_out_of_date_is_named_with_its_cell(course: Path) -> None:
    path = releases.source("sample", course)
    path.write_text(path.read_text().replace("== 4.0", "== 4"))
    made = releases.generate(["sample"], course)["sample"]
    found = [line for line in mistakes("sample", made, course) if not unfinished(line)]
    assert found == [
        f"exercises/release/sample: sample.ipynb differs, first in cell '{TEST}'. It must be what "
        "nbgrader makes of the source: `make release`, and commit it"
    ]


def test_a_release_that_was_touched_is_named(made: Files) -> None:
    assert releases.differences(made, made) == []
    (content,) = made.values()
    cases: list[tuple[str, Files]] = [
        ("sample.ipynb is missing", {}),
        ("sample.ipynb differs in the notebook's metadata", {"sample.ipynb": content + b"\n"}),
        ("sample.ipynb differs", {"sample.ipynb": b"{}"}),
        ("notes.md is not made from anything", made | {"notes.md": b"by hand"}),
    ]
    for said, touched in cases:
        (found,) = releases.differences(touched, made)
        assert found.startswith(said)


def test_a_leak_is_named_with_its_file(course: Path, made: Files) -> None:
    released = releases.release("sample", course)
    edit(released, STUB, f"{LINE} # {STUB}")
    at = f"exercises/release/sample/sample.ipynb: cell '{SOLUTION}': shows '{LINE}'"
    assert any(line.startswith(at) for line in mistakes("sample", made, course))


STANDS, DOES = "return float(np.concatenate(shards).mean())", "return 0.0"
EDIT = {"cell": SOLUTION, "replace": STANDS, "by": DOES}
NAMED = {"id": "one", "why": "So.", "fails": TEST}
ONE: dict[str, Any] = NAMED | EDIT
IN_ENTRY: list[tuple[dict[str, Any], str]] = [
    (ONE | {"replace": "return 0"}, f"cell '{SOLUTION}': the lines of `replace`, from 'return 0'"),
    (ONE | {"replace": f"    {STANDS}"}, "are 0 times in the cell"),
    (ONE | {"by": f"{STANDS}  # as before"}, f"cell '{SOLUTION}': nothing is changed"),
    (ONE | {"by": "return 1 +"}, f"cell '{SOLUTION}' is no Python, line"),
    (ONE | {"by": 0.5}, "'by' is 0.5. Write text: a block, `by: |`"),
    (ONE | {"why": ""}, "'why' is ''. Write text"),
    (ONE | {"cell": "given"}, f"no solution cell is called 'given', only: {SOLUTION}."),
    (ONE | {"fails": "given"}, f"no test cell is called 'given', only: {TEST}."),
    (ONE | {"fail": TEST}, "unknown key 'fail' (did you mean 'fails'?)"),
    (ONE | {"source": "x = 1"}, "it has the keys by, cell, fails, id, replace, source, why. Write"),
    (NAMED | {"edits": "none"}, "'edits' is 'none'. Write a list of edits"),
    (NAMED | {"edits": [EDIT, {"cell": SOLUTION}]}, "it has the keys cell. Write"),
    (NAMED | {"edits": [EDIT, EDIT]}, "are 0 times in the cell"),
]


def mistakes_in_answers(course: Path) -> list[str]:
    with pytest.raises(ValueError) as error:
        answers.answers("sample", course)
    return str(error.value).splitlines()


@pytest.mark.parametrize(("entry", "said"), IN_ENTRY)
def test_a_mistake_in_a_wrong_answer_is_named(
    entry: dict[str, Any], said: str, course: Path
) -> None:
    file = releases.answers("sample", course) / answers.WRONG
    file.write_text(yaml.safe_dump([ONE | {"id": "good"}, entry, {"id": "empty"}]))
    found, other = mistakes_in_answers(course)  # all of them at once
    assert found.startswith("exercises/answers/sample/wrong.yaml, 'one': ") and said in found
    assert "wrong.yaml, 'empty': it has the keys id. Write" in other


@pytest.mark.parametrize(
    ("file", "text", "said"),
    [
        ("wrong.yaml", yaml.safe_dump([ONE, ONE]), "the id 'one' is there 2 times"),
        ("wrong.yaml", yaml.safe_dump([ONE, ONE | {"id": "two"}]), "the same code as wrong/one"),
        ("wrong.yaml", "- {id: one, id: two}", "the key 'id' is there twice"),
        ("wrong.yaml", "id: one", "it must be a list, in which each entry begins with `- id:"),
        ("right/a.py", "1 +", "line 1 is not Python"),
        ("right/a.py", f"# %% {SOLUTION}\nx = 1", "must begin with a docstring"),
        ("right/a.py", '"""Why."""\nx = 1', "`# %% ID` above the text of each solution cell"),
        ("right/a.py", f'"""Why."""\nx = 1\n# %% {SOLUTION}\nx = 1', "`# %% ID` above the text"),
        ("right/a.py", f'"""Why."""\n# %% {SOLUTION}\n# %% {SOLUTION}', "is there twice"),
        ("right/a.py", '"""Why."""\n# %% given\nx = 1', "no solution cell is called 'given'"),
    ],
)
def test_a_mistake_in_a_file_of_answers_is_named(
    file: str, text: str, said: str, course: Path
) -> None:
    (releases.answers("sample", course) / file).write_text(text)
    (found,) = mistakes_in_answers(course)
    assert found.startswith(f"exercises/answers/sample/{file}") and said in found
    assert found in mistakes("sample", None, course)


def test_an_edit_replaces_whole_lines_with_their_indentation() -> None:
    text = "def f(x):\n    if x:\n        x = 1\n\n    return x"
    edit = {"replace": "if x:\n    x = 1\n", "by": "while x:\n    x = 2\n\n    x = 3\n"}
    assert edits.replaced(text, edit) == (
        "def f(x):\n    while x:\n        x = 2\n\n        x = 3\n\n    return x"
    )
    assert edits.replaced("x\ny", {"replace": "x", "by": ""}) == "y"
    with pytest.raises(ValueError, match="are 2 times"):
        edits.replaced("x\ny\nx", {"replace": "x", "by": "z"})


@pytest.mark.parametrize("text", [None, "{", "{}", "[]", '{"nbformat": 4, "cells": []}'])
def test_what_is_no_notebook_is_named(
    text: str | None, course: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = releases.source("sample", course)
    path.rename(path.with_name("other.ipynb"))  # the folder keeps a notebook
    if text is not None:
        path.write_text(text)
    (found,) = mistakes("sample", None, course)
    assert found.startswith(f"{path} is no notebook, or it is not named as its folder: ")
    assert grade.main("sample", exercises=course) == 1
    assert found in capsys.readouterr().out
    with pytest.raises(ValueError) as error:
        releases.write_releases(["sample"], course)
    assert str(error.value) == found


REFUSED: dict[str, Change] = {
    f"Duplicate grade id: {TEST}": lambda notebook: notebook.cells.append(cell(notebook, TEST)),
    "Solution region detected in a non-solution cell": flag(SOLUTION, solution=False, locked=True),
    "Hidden test region detected in a non-grade cell": append(
        "given", "### BEGIN HIDDEN TESTS\n### END HIDDEN TESTS"
    ),
    "Mark scheme region detected in a non-grade cell": append(
        "title", "=== BEGIN MARK SCHEME ===\n=== END MARK SCHEME ==="
    ),
}


def test_nbgrader_refuses_what_no_rule_is_for(source: NotebookNode, course: Path) -> None:
    for number, change in enumerate(REFUSED.values()):
        notebook = copy.deepcopy(source)
        change(notebook)
        path = releases.source(f"refused-{number}", course)
        path.parent.mkdir()
        path.write_text(json.dumps(notebook))
    with pytest.raises(ValueError) as error:
        releases.generate([f"refused-{number}" for number in range(len(REFUSED))], course)
    assert "no release of refused-0, refused-1, refused-2, refused-3: " in str(error.value)
    assert all(reason in str(error.value) for reason in REFUSED)
    assert "nbgrader makes no release" in "".join(mistakes("refused-0", None, course))


def test_making_a_release_says_what_changed_and_leaves_nothing_else(
    course: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = releases.files(course)
    (releases.release("sample", course).parent / "notes.md").write_text("by hand")
    for said in ("notes.md is not made from anything", "exercises/release/sample: was up to date"):
        releases.write_releases(["sample"], course)
        assert said in capsys.readouterr().out
        assert releases.files(course) == before


@pytest.mark.parametrize(
    ("name", "change"),
    [
        (SOLUTION, put(SOLUTION, id="0a1b2c3d")),
        (TEST, replace(TEST, "# Test, 3 points\n", "")),
        (TEST, replace(TEST, "# Test, 3 points", "# Test, 1 point")),
    ],
)
def test_making_a_release_writes_ids_and_the_points_of_tests(
    name: str,
    change: Change,
    course: Path,
    source: NotebookNode,
    capsys: pytest.CaptureFixture[str],
) -> None:
    path = releases.source("sample", course)
    changed = copy.deepcopy(source)
    change(changed)
    nbformat.write(changed, path)
    releases.tidy(path)
    assert nbformat.read(path, as_version=4) == source
    assert f"ids and headings of tests are set: {name}\n" in capsys.readouterr().out
    before = path.stat().st_mtime_ns
    releases.tidy(path)
    assert path.stat().st_mtime_ns == before


def test_a_new_assignment_lacks_only_something_to_say(exercises: Path, made: Files) -> None:
    found = mistakes("sample", made, exercises)
    assert len(found) > 5
    assert all(map(unfinished, found)), found
    said = {line.partition(": ")[0] for line in found}
    assert said == {"exercises/source/sample/sample.ipynb"} | {
        f"exercises/answers/sample/{path.relative_to(SKELETON / 'answers').as_posix()}"
        for path in (SKELETON / "answers").rglob("*.*")
    }


def test_a_new_assignment_has_the_set_up_cell(source: NotebookNode) -> None:
    setup = setup_cell.first_code_cell(source)
    assert setup.source == setup_cell.expected(source, address.current(ROOT))
    assert setup.metadata.nbgrader.locked


@pytest.mark.parametrize("name", ["", "Two Words", "two_words", "-a", "a-", "../a", "Ä"])
def test_what_is_no_name_is_refused_with_the_way_out(name: str, course: Path) -> None:
    before = releases.files(course)
    with pytest.raises(ValueError, match="make assignment NAME=data-parallel"):
        releases.create(name, course)
    assert releases.files(course) == before


@pytest.mark.parametrize("where", ["source", "answers", "release"])
def test_what_is_there_is_not_overwritten(where: str, course: Path) -> None:
    (course / where / "taken").mkdir()
    before = releases.files(course)
    with pytest.raises(ValueError, match=f"exercises/{where}/taken is there already"):
        releases.create("taken", course)
    assert releases.files(course) == before


def test_an_unknown_name_is_refused_with_the_known_ones(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert releases.main("release", "no-such-assignment") == 2
    said = capsys.readouterr().err
    assert "'no-such-assignment'" in said
    assert all(name in said for name in releases.names())
    with pytest.raises(SystemExit, match=r"no assignment 'no-such-one', only: .*gpipe"):
        grade.main("no-such-one")
