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
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_output

from tools import EXERCISES, ROOT
from tools.assignments import answers, releases
from tools.assignments.releases import SKELETON, Files
from tools.assignments.rules import answer_mistakes, leaks, mistakes, source_mistakes
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


@pytest.mark.parametrize("name", releases.names())
def test_the_table_of_answers_is_of_what_is_there(name: str) -> None:
    table = releases.answers(name) / answers.TABLE
    first = table.read_text(encoding="utf-8").partition("\n")[0] if table.exists() else "nothing"
    assert first == answers.first_line(name), (
        f"{table.relative_to(ROOT)} is not of the assignment and its answers as they are now: "
        f"`make answers NAME={name}`, and commit it"
    )


def test_what_changes_points_changes_the_key_of_a_table(course: Path) -> None:
    path, folder = releases.source("sample", course), releases.answers("sample", course)
    wrong = folder / "wrong" / "mean-of-means.py"
    first = answers.key("sample", course)
    (folder / answers.TABLE).write_text("a table")
    for file, old, new in (
        (path, "PLACEHOLDER: when is", "When is"),
        (path, "https://github.com/", "https://github.com/another-"),
        (wrong, "PLACEHOLDER", "A reason"),
    ):
        edit(file, old, new)
        assert answers.key("sample", course) == first
    keys = {first}
    for file, old, new in (
        (path, "== 4.0", "== 4"),
        (path, '"points": 3', '"points": 4'),
        (path, "start(", 'start(\\"torch\\", '),
        (wrong, "return", "return 1 +"),
    ):
        edit(file, old, new)
        keys.add(answers.key("sample", course))
    path.with_name("data.csv").write_text("1")
    keys.add(answers.key("sample", course))
    wrong.rename(wrong.with_name("other.py"))
    keys.add(answers.key("sample", course))
    assert len(keys) == 7


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


@pytest.fixture
def given(exercises: Path) -> list[answers.Answer]:
    paths = sorted(releases.answers("sample", exercises).glob("*/*.py"))
    return [answers.read(path) for path in paths]


def cell(notebook: NotebookNode, name: str) -> NotebookNode:
    return next(cell for cell in notebook.cells if cell.id == name)


def replace(name: str, old: str, new: str) -> Change:
    """Return a function that replaces what stands in a cell."""

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
    """Return a function that replaces what stands in any cell."""
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


def twice(name: str) -> Change:
    return lambda notebook: notebook.cells.append(copy.deepcopy(cell(notebook, name)))


SOLUTION, TEST, TASK = "mean-of-shards", "mean-of-shards-test", "say-why"
ASKED = (
    "PLACEHOLDER: when is the mean of the shards' means the mean of all? Two sentences are enough."
)
# The cell that a mistake is in, what is said of it, and how to make it.
IN_SOURCE: list[tuple[str, str, Change]] = [
    ("task-1", "2 cells have this id", twice("task-1")),
    (TEST, "2 cells have this grade_id", twice(TEST)),
    ("given", "its grade_id is 'gone'", flag("given", grade_id="gone")),
    ("given", "its schema_version is 2", flag("given", schema_version=2)),
    (TEST, "a test or task that is not locked", flag(TEST, locked=False)),
    (TASK, "a test or task that is not locked", flag(TASK, locked=False)),
    (SOLUTION, "solution true, task false, locked true is neither", flag(SOLUTION, locked=True)),
    (TEST, "a markdown cell with", put(TEST, cell_type="markdown")),
    (TEST, "its points are 0", flag(TEST, points=0)),
    (TASK, "its points are None", flag(TASK, points=None)),
    ("given", "it has points", flag("given", points=1)),
    ("mean", "the id of a test", put(TEST, id="mean")),
    ("given", "stored output", put("given", execution_count=1)),
    ("setup", "stored output", put("setup", outputs=[new_output("stream", text="Python")])),
    (SOLUTION, "'### END SOLUTION', has no partner", append(SOLUTION, "### END SOLUTION")),
    (TEST, "### END HIDDEN TESTS', has no partner", replace(TEST, "### BEGIN HIDDEN TESTS\n", "")),
    (TEST, "BEGIN HIDDEN TESTS, has no partner", replace(TEST, "### END HIDDEN TESTS", "")),
    (
        TEST,
        "'# BEGIN HIDDEN TESTS', has no partner",
        replace(TEST, "### END HIDDEN", "# BEGIN HIDDEN TESTS\n### END HIDDEN"),
    ),
    (SOLUTION, "in a cell that is no solution", flag(SOLUTION, solution=False, locked=True)),
    (
        "given",
        "BEGIN HIDDEN TESTS stands in",
        append("given", "### BEGIN HIDDEN TESTS\n### END HIDDEN TESTS"),
    ),
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
    (TEST, "it is not plain Python", append(TEST, "if True:")),
    (
        TEST,
        "it is not plain Python",
        replace(TEST, "### BEGIN HIDDEN TESTS", "if True:\n    ### BEGIN HIDDEN TESTS\n    pass"),
    ),
    (TEST, "line 12 imports", append(TEST, "import torch")),
    (TEST, "line 12 imports", append(TEST, "from numpy import mean as mean_of")),
    (TEST, "line 12 imports", append(TEST, "found = __import__('torch')")),
    (TEST, "line 12 writes to stderr", append(TEST, "warnings.warn('slow')")),
    (TEST, "line 12 writes to stderr", append(TEST, "np.warnings.warn('slow')")),
    (TEST, "line 12 writes to stderr", append(TEST, "logging.getLogger('tests').info('slow')")),
    (TEST, "line 12 writes to stderr", append(TEST, "tf.get_logger().warning('slow')")),
    (TEST, "line 12 writes to stderr", append(TEST, "print('slow', file=sys.stderr)")),
    (TEST, "it ends in the value of `mean == 5.0`", append(TEST, "mean == 5.0")),
    (
        TEST,
        "it ends in the value of `mean == 4.0`",
        replace(TEST, "### BEGIN HIDDEN", "mean == 4.0\n### BEGIN HIDDEN"),
    ),
    (
        TEST,
        "it ends in the value of `half()`",
        append(TEST, "def half():\n    if True:\n        return 0.5\n\n\nhalf()"),
    ),
    (TEST, "it ends in the value of `np.float64(1)`", append(TEST, "np.float64(1)")),
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
    (TASK, "no place for their answer", put("say-why-answer", cell_type="code")),
    ("title", "no cell begins a task", every("## ", "### ")),
    (SOLUTION, "it stands above the first task", to_front(SOLUTION)),
    ("task-2", "the task's number is 3. Make it 2", replace("task-2", "## 2.", "## 3.")),
    ("task-1", "does not say how long the task takes", replace("task-1", "minutes", "min")),
    ("task-1", "3 points, and the cells of the task have 4", flag(TEST, points=4)),
    ("task-2", "nothing below it is graded", remove(TASK)),
    ("task-1", "a test and no solution cell", remove(SOLUTION)),
    ("title", "it says 6 points, and all tasks together have 5", replace("title", "5 po", "6 po")),
    ("title", "it says None points", replace("title", "**5 points**", "5 points")),
]


def test_the_skeleton_has_no_mistakes(source: NotebookNode) -> None:
    assert source_mistakes(source) == []
    assert test_notebooks.mistakes(source) == []


@pytest.mark.parametrize(("where", "said", "change"), IN_SOURCE)
def test_each_mistake_in_a_source_is_named(
    where: str, said: str, change: Change, source: NotebookNode
) -> None:
    change(source)
    assert any(
        line.startswith(f"cell {where!r}: ") and said in line for line in source_mistakes(source)
    )


@pytest.mark.parametrize(
    "text",
    [
        "float(min(1.5, 3))",
        "def check():\n    def inner():\n        return 1\n    assert inner(), 'inner'\ncheck()",
        "for n in [1]:\n    mean + n",
        "with warnings.catch_warnings():\n    warnings.simplefilter('ignore')",
    ],
)
def test_a_test_may_end_so(text: str, source: NotebookNode) -> None:
    append(TEST, text)(source)
    assert source_mistakes(source) == []


def test_right_versions_of_other_functions_may_stand_on_top(source: NotebookNode) -> None:
    top = "### BEGIN HIDDEN TESTS\ndef other():\n    return 1\n\n\n### END HIDDEN TESTS\n"
    cell(source, TEST).source = top + cell(source, TEST).source
    assert source_mistakes(source) == []


LINE = "return float(np.concatenate(shards).mean())"
HIDDEN = "with_empty = [np.array([]), np.array([2.0]), np.array([4.0, 9.0])]"
RUBRIC = "- 1 point: when all shards have the same length."
IN_RELEASE: list[tuple[str, str, Change]] = [
    (SOLUTION, f"shows '{LINE}', which is hidden", replace(SOLUTION, STUB, f"{LINE}\n    {STUB}")),
    ("given", "shows 'with_empty = [np.array", append("given", HIDDEN)),
    (TASK, "shows '- 1 point: when all", append(TASK, RUBRIC)),
    (TEST, "the marker of a region is left", append(TEST, "### BEGIN HIDDEN TESTS")),
    (SOLUTION, "students do not find `raise", replace(SOLUTION, STUB, "return # ")),
    (SOLUTION, "students do not find `raise", flag(SOLUTION, solution=False)),
    (SOLUTION, "students do not find `raise", remove(SOLUTION)),
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


def test_the_answers_of_the_skeleton_have_no_mistakes(
    source: NotebookNode, given: list[answers.Answer]
) -> None:
    assert answer_mistakes(source, given) == []


def test_each_mistake_in_the_answers_is_named(
    source: NotebookNode, given: list[answers.Answer]
) -> None:
    right = [answer for answer in given if answer.loses is None]
    wrong = [answer for answer in given if answer.loses is not None]
    same = right[0].path.with_name("same.py")
    elsewhere = [answer._replace(loses="mean-of-shards") for answer in wrong]
    cases = [
        ("right: 2 right answers", right[:2] + wrong),
        (f"wrong: no answer loses '{TEST}'", right),
        ("no test cell is called 'mean-of-shards'. 'Loses:' can be one of: " + TEST, elsewhere),
        ("right/same.py: the same code as right/", [*right, right[0]._replace(path=same)]),
        ("no solution cell is called 'given'", [right[0]._replace(cells={"given": ""})]),
    ]
    for said, some in cases:
        assert any(said in line for line in answer_mistakes(source, some)), said


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


@pytest.mark.parametrize(
    ("said", "spoil"),
    [
        ("sample.ipynb is missing", lambda path: path.unlink()),
        ("sample.ipynb differs in", lambda path: path.write_text(path.read_text() + "\n")),
        ("sample.ipynb differs", lambda path: path.write_text("{}")),
        ("notes.md is not made", lambda path: path.with_name("notes.md").write_text("a")),
    ],
)
def test_a_release_that_was_touched_is_named(
    said: str, spoil: Callable[[Path], Any], course: Path, made: Files
) -> None:
    path = releases.release("sample", course)
    assert releases.differences(releases.files(path.parent), made) == []
    spoil(path)
    (found,) = releases.differences(releases.files(path.parent), made)
    assert found.startswith(said)


def test_a_leak_and_a_missing_answer_are_named_with_their_files(course: Path, made: Files) -> None:
    released = releases.release("sample", course)
    released.write_text(released.read_text().replace(STUB, f"{LINE} # {STUB}"))
    for path in releases.answers("sample", course).glob("wrong/*.py"):
        path.unlink()
    found = mistakes("sample", made, course)
    at = f"exercises/release/sample/sample.ipynb: cell '{SOLUTION}': shows '{LINE}'"
    assert any(line.startswith(at) for line in found)
    assert any(line.startswith("exercises/answers/sample: wrong: no answer") for line in found)


def test_an_answer_that_cannot_be_read_is_named(course: Path, made: Files) -> None:
    broken = releases.answers("sample", course) / "wrong" / "broken.py"
    broken.write_text("x = 1\n")
    (found,) = [line for line in mistakes("sample", made, course) if not unfinished(line)]
    assert "wrong/broken.py: it must begin with a docstring" in found


def test_a_notebook_that_is_not_named_as_its_folder_is_named(course: Path, made: Files) -> None:
    path = releases.source("sample", course)
    path.rename(path.with_name("other.ipynb"))
    (found,) = mistakes("sample", made, course)
    assert found.startswith("exercises/source/sample/sample.ipynb: is missing")


def test_a_duplicated_cell_is_named(course: Path) -> None:
    path = releases.source("sample", course)
    notebook = releases.load(path)
    notebook.cells += [copy.deepcopy(cell(notebook, name)) for name in ("task-2", TEST)]
    path.write_text(json.dumps(notebook))
    with pytest.raises(ValueError, match=f"no release of sample: Duplicate grade id: {TEST}"):
        releases.generate(["sample"], course)
    found = "\n".join(mistakes("sample", None, course))
    assert "sample.ipynb: cell 'task-2': 2 cells have this id" in found
    assert f"sample.ipynb: cell '{TEST}': 2 cells have this grade_id" in found
    assert "sample.ipynb: nbgrader makes no release" in found


def test_making_a_release_says_what_changed_and_leaves_nothing_else(
    course: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = releases.files(course)
    releases.write_releases(["sample"], course)
    assert "exercises/release/sample: was up to date" in capsys.readouterr().out
    assert releases.files(course) == before
    releases.release("sample", course).write_text("{}")
    (releases.release("sample", course).parent / "notes.md").write_text("by hand")
    releases.write_releases(["sample"], course)
    assert "notes.md is not made from anything" in capsys.readouterr().out
    assert releases.files(course) == before


def test_making_a_release_gives_cells_the_ids_that_nbgrader_knows(
    course: Path, source: NotebookNode, capsys: pytest.CaptureFixture[str]
) -> None:
    path = releases.source("sample", course)
    renamed = copy.deepcopy(source)
    cell(renamed, TEST).id = "0a1b2c3d"
    nbformat.write(renamed, path)
    releases.adopt_ids(path)
    assert nbformat.read(path, as_version=4) == source
    assert f"grade_ids now: {TEST}\n" in capsys.readouterr().out
    before = path.stat().st_mtime_ns
    releases.adopt_ids(path)
    assert path.stat().st_mtime_ns == before


def test_what_nbgrader_refuses_is_passed_on(course: Path) -> None:
    path = releases.source("sample", course)
    notebook = nbformat.read(path, as_version=4)
    notebook.cells.append(new_code_cell("### BEGIN SOLUTION\n1\n### END SOLUTION"))
    nbformat.write(notebook, path)
    with pytest.raises(ValueError, match="Solution region detected in a non-solution cell"):
        releases.generate(["sample"], course)


def test_a_new_assignment_lacks_only_something_to_say(exercises: Path, made: Files) -> None:
    found = mistakes("sample", made, exercises)
    assert len(found) > 5
    assert all(map(unfinished, found)), found
    said = {line.partition(": ")[0] for line in found}
    assert said == {"exercises/source/sample/sample.ipynb"} | {
        f"exercises/answers/sample/{path.relative_to(SKELETON / 'answers').as_posix()}"
        for path in (SKELETON / "answers").rglob("*.py")
    }


def test_a_new_assignment_has_the_set_up_cell(source: NotebookNode) -> None:
    setup = setup_cell.first_code_cell(source)
    assert setup.source == setup_cell.expected(source, address.current(ROOT))
    assert setup.metadata.nbgrader.locked


def test_the_answers_of_a_new_assignment_are_graded_as_they_should_be(
    exercises: Path, source: NotebookNode, given: list[answers.Answer]
) -> None:
    folder = releases.source("sample", exercises).parent
    graded = answers.grade_all(source, given, folder, answers.course_config(exercises))
    assert len(graded) == len(given) + 2
    assert answers.amiss(source, graded, whole=True) == []


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
    assert releases.main(["release", "no-such-assignment"]) == 2
    said = capsys.readouterr().err
    assert "'no-such-assignment'" in said
    assert all(name in said for name in releases.names())
