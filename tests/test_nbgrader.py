"""Stock nbgrader with the course's settings: a whole round trip, and what feedback shows of tests.

Its commands are those of exercises/README.md, run in temporary folders. Two students go all the
way. Three answers are handed in beside them, and `lockstep.grading.score` must score them alike.
"""

import csv
import html
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import nbformat
import newest
import pytest
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output
from nbgrader.api import Gradebook, SubmittedNotebook
from nbgrader.utils import is_grade, is_solution, is_task

from lockstep import runtime
from lockstep.grading.feedback import HIDDEN, NO_POINTS, NOT_SHOWN, HideHiddenTests
from lockstep.grading.score import Submission, course_config, score_all
from tools import EXERCISES, ROOT
from tools.assignments import answers, grade, releases

pytestmark = pytest.mark.exercises
CONFIG = EXERCISES / "nbgrader_config.py"
README = EXERCISES / "README.md"
COURSE = "lockstep"
COMMENT = "Well argued."
LIMIT_S = 600  # of one command


class User(NamedTuple):
    """Somebody with a home, a folder to work in, and a list of the commands that they ran."""

    home: Path
    folder: Path
    ran: list[str]

    def nbgrader(self, command: str, code: int = 0) -> str:
        """Run a command of nbgrader as this user; return what it printed, on one line."""
        self.ran.append(f"nbgrader {command}")
        clean = ("JUPYTER", "IPYTHON", "NBGRADER", "XDG_")  # settings of whoever runs the tests
        environment = {key: value for key, value in os.environ.items() if not key.startswith(clean)}
        environment |= {"HOME": str(self.home), "TMPDIR": str(self.home / "tmp")}
        # nbgrader runs `alembic`, as if its environment were always an activated one.
        environment["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        started = time.monotonic()
        done = subprocess.run(
            [sys.executable, "-m", "nbgrader", *command.split()],
            cwd=self.folder,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=LIMIT_S,
        )
        print(f"{time.monotonic() - started:5.1f} s  {self.home.name}: nbgrader {command}")
        assert done.returncode == code, f"nbgrader {command}: {done.returncode}\n{done.stdout}"
        return " ".join(done.stdout.split())


def new_user(root: Path, name: str) -> User:
    user = User(root / name, root / name / "work", [])
    for folder in (user.folder, user.home / "tmp", user.home / ".jupyter", root / "exchange"):
        folder.mkdir(parents=True, exist_ok=True)
    settings = ["c = get_config()", f"c.Exchange.root = {str(root / 'exchange')!r}"]
    if name != "instructor":
        settings.append(f"c.CourseDirectory.student_id = {name!r}")  # one account plays them all
    (user.home / ".jupyter" / "nbgrader_config.py").write_text("\n".join(settings))
    return user


def copy_course(instructor: User) -> None:
    """Give an instructor the course folder, without what using it leaves there."""
    left = shutil.ignore_patterns("gradebook.db", "submitted", "autograded", "feedback")
    shutil.copytree(EXERCISES, instructor.folder, ignore=left, dirs_exist_ok=True)


def read(path: Path) -> NotebookNode:
    return nbformat.read(path, as_version=4)


@contextmanager
def gradebook(instructor: User) -> Iterator[Gradebook]:
    with Gradebook(f"sqlite:///{instructor.folder / 'gradebook.db'}", COURSE) as book:
        yield book


def graded(notebook: SubmittedNotebook) -> bool:
    """Did nbgrader grade every test cell? Where it could not, the exported score is 0 as well."""
    return all(
        grade.auto_score is not None for grade in notebook.grades if grade.cell.type == "GradeCell"
    )


def grade_by_hand(book: Gradebook, task: str, name: str, student: str, score: float) -> None:
    """Do what formgrader does with a score and a comment that somebody types in."""
    grade = book.find_grade(task, name, name, student)
    grade.manual_score, grade.needs_manual_grade = score, False
    book.find_comment(task, name, name, student).manual_comment = COMMENT
    book.db.commit()


def exported(instructor: User) -> dict[str, float]:
    """Return the score of each student in grades.csv."""
    with (instructor.folder / "grades.csv").open() as file:
        return {row["student_id"]: float(row["score"]) for row in csv.DictReader(file)}


def fill_in(path: Path, source: NotebookNode) -> None:
    """Put the solutions of the source into a fetched notebook."""
    solutions = {
        cell.metadata.nbgrader.grade_id: cell.source for cell in source.cells if is_solution(cell)
    }
    notebook = read(path)
    for cell in notebook.cells:
        if is_solution(cell):
            cell.source = solutions[cell.metadata.nbgrader.grade_id]
    nbformat.write(notebook, path)


def lines(text: str) -> list[str]:
    """Return the letters and digits of each line, without the number that IPython gives it."""
    return [re.sub(r"^\d+|\W", "", re.sub(r"^[->\s]+", "", line)) for line in text.split("\n")]


def leaks(page: str, source: NotebookNode, submitted: NotebookNode) -> list[str]:
    """Return the lines of the source that a page of feedback shows and the student did not have."""
    had = {line for cell in submitted.cells for line in lines(cell.source)}
    secret = {line for cell in source.cells for line in lines(cell.source)} - had
    shown = set(lines(html.unescape(re.sub(r"<[^>]+>", "", page)))) - had
    # No part of a line that the student had, such as a cell of a table, which the page shows as a
    # line. Within a line, only what is long.
    new = {line for line in secret if not any(line in own for own in had)}
    parts = {line for line in new if line[8:]}
    return sorted((new & shown) | {part for part in parts if any(part in s for s in shown)})


def commands(of: str) -> list[str]:
    """Return the commands of nbgrader in the section of README.md for instructors or students."""
    section = README.read_text(encoding="utf-8").split(f"\n## For {of}")[1].split("\n## ")[0]
    return re.findall(r"(?m)^nbgrader [^#\n]*[^#\s]", section)


def hand_in_beside(first: Path, source: NotebookNode) -> dict[str, dict[str, float] | None]:
    """Hand in three answers to an assignment, as students named like them.

    Args:
        first: the folder of a submission that was collected.
        source: of the assignment.

    Returns:
        The points that the project's own engine gives to each, by test cell.
    """
    name = first.name
    given = answers.answers(name)
    wrong = [answer for answer in given if answer.fails]
    submissions = []
    for answer in (given[0], wrong[0], wrong[-1]):
        student = answer.label.replace("/", "-")
        folder = shutil.copytree(first, first.parent.parent / student / name)
        (folder / "submission_secret.txt").write_text(student)  # feedback is filed under its hash
        filled_in = answers.with_answer(source, answer)
        fill_in(folder / f"{name}.ipynb", filled_in)
        submissions.append(Submission(student, filled_in, releases.source(name).parent))
    modules = runtime.modules(grade.frameworks(source))
    scores = score_all(submissions, modules, course_config(EXERCISES))
    return {one.label: score.points for one, score in zip(submissions, scores, strict=True)}


SOURCES = {str(releases.source(name).relative_to(ROOT)): name for name in releases.names()}


@pytest.mark.parametrize("name", [SOURCES[path] for path in newest.newest(list(SOURCES), 1)])
@pytest.mark.timeout(1200)
def test_two_students_go_through_stock_nbgrader(
    name: str, tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    source = read(releases.source(name))
    tests = {cell.metadata.nbgrader.grade_id: cell for cell in source.cells if is_grade(cell)}
    tasks = {cell.metadata.nbgrader.grade_id: cell for cell in source.cells if is_task(cell)}
    points = {id: cell.metadata.nbgrader.points for id, cell in (tests | tasks).items()}

    instructor, reference, untouched = (
        new_user(tmp_path, who) for who in ("instructor", "reference", "untouched")
    )
    copy_course(instructor)
    instructor.nbgrader(f"generate_assignment {name} --force")
    instructor.nbgrader(f"release_assignment {name}")
    released = read(instructor.folder / "release" / name / f"{name}.ipynb")

    assert f"{COURSE} {name}" in reference.nbgrader(f"list --course {COURSE}")
    for student in (reference, untouched):
        student.nbgrader(f"fetch_assignment {name} --course {COURSE}")
        assert read(student.folder / name / f"{name}.ipynb") == released
    fill_in(reference.folder / name / f"{name}.ipynb", source)
    said = reference.nbgrader(f"validate {name}/{name}.ipynb")
    assert "Success! Your notebook passes all the tests." in said
    said = untouched.nbgrader(f"validate {name}/{name}.ipynb")
    assert f"VALIDATION FAILED ON {len(tests)} CELL(S)!" in said
    for cell in filter(is_grade, released.cells):
        first = next(line for line in cell.source.splitlines() if line.strip())
        assert f"The following cell failed: {' '.join(first.split())}"[:80] in said
    for student in (reference, untouched):
        student.nbgrader(f"submit {name} --course {COURSE}")

    said = instructor.nbgrader(f"list {name} --inbound")
    for student in (reference, untouched):
        assert f"{COURSE} {student.home.name} {name}" in said
    instructor.nbgrader(f"collect {name}")
    best = sum(points.values())
    expected = hand_in_beside(instructor.folder / "submitted" / "reference" / name, source)
    record_property("through stock nbgrader", f"{name}: {', '.join(expected)}")
    expected["reference"] = {id: points[id] for id in tests}
    expected["untouched"] = dict.fromkeys(tests, 0)
    instructor.nbgrader(f"autograde {name}")
    with gradebook(instructor) as book:
        for who, due in expected.items():
            result = book.find_submission_notebook(name, name, who)
            assert graded(result), f"{who} could not be graded"
            scores = {grade.name: grade.auto_score for grade in result.grades}
            assert {id: scores[id] for id in tests} == due, f"{who} has other points"
            waiting = {grade.name for grade in result.grades if grade.needs_manual_grade}
            assert waiting == set(tasks)
            folder = instructor.folder / "autograded" / who
            shown = filter(is_task, read(folder / name / f"{name}.ipynb").cells)
            assert [cell.source for cell in shown] == [cell.source for cell in tasks.values()]
        for task in tasks:
            grade_by_hand(book, task, name, "reference", points[task])

    instructor.nbgrader(f"generate_feedback {name}")
    instructor.nbgrader(f"release_feedback {name}")
    for student, score in ((reference, best), (untouched, 0)):
        student.nbgrader(f"fetch_feedback {name} --course {COURSE}")
        (page,) = (student.folder / name / "feedback").glob(f"*/{name}.html")
        text = page.read_text(encoding="utf-8")
        assert f"(Score: {score:.1f} / {best:.1f})" in text
        assert (COMMENT in text) == (student is reference and len(tasks) > 0)
        assert leaks(text, source, read(student.folder / name / f"{name}.ipynb")) == []
    instructor.nbgrader("export")
    totals = {who: sum(due.values()) for who, due in expected.items() if due}
    assert exported(instructor) == totals | {"reference": best}

    assert instructor.ran == [line.replace("NAME", name) for line in commands("instructors")]
    assert reference.ran == [line.replace("NAME", name) for line in commands("students")]


DOUBLE = """\
def double(x):
    ### BEGIN SOLUTION
    return x * 2
    ### END SOLUTION"""
DOUBLE_TEST = """\
assert double(1) == 2, "double(1) is 2"
### BEGIN HIDDEN TESTS
secret_input = 20 + 1
n = 5
assert double(1) == 2
assert double(secret_input) == 42, f"Twice 21 was {double(secret_input)}, not 42"
### END HIDDEN TESTS"""
HALVE = """\
def halve(x):
    ### BEGIN SOLUTION
    return x / 2
    ### END SOLUTION"""
HALVE_TEST = """\
### BEGIN HIDDEN TESTS
def double(number_of_reference):
    return number_of_reference + number_of_reference
### END HIDDEN TESTS
assert halve(double(3)) == 3, "Half of twice 3 is 3"
"""
TASK = """\
Why does halving undo doubling?

=== BEGIN MARK SCHEME ===
One point for saying that two is invertible.
=== END MARK SCHEME ==="""
PROBING = {
    "double": "def double(x):\n    print(In[-1])\n    return 2 * x if x == 1 else 7",
    "halve": "def halve(x):\n    return helper(x)",
    "scratch": "print(In)",
}
DEAD = {"double": "import os\nos._exit(1)"}


def marked(cell: NotebookNode, grade_id: str, kind: str, **more: int) -> NotebookNode:
    """Return a cell with the metadata of one kind: solution, grade or task."""
    flags = {flag: flag == kind for flag in ("grade", "solution", "task")}
    flags["locked"] = kind != "solution"
    cell["id"] = grade_id
    cell.metadata["nbgrader"] = {"grade_id": grade_id, "schema_version": 3, **flags, **more}
    return cell


def small() -> NotebookNode:
    """An assignment with a hidden test, a hidden reference, a visible test and a task."""
    cells = [
        marked(new_code_cell(DOUBLE), "double", "solution"),
        marked(new_code_cell(DOUBLE_TEST), "double-test", "grade", points=2),
        marked(new_code_cell(HALVE), "halve", "solution"),
        marked(new_code_cell(HALVE_TEST), "halve-test", "grade", points=1),
        marked(new_markdown_cell(TASK), "why", "task", points=1),
        new_code_cell(id="scratch"),
    ]
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    return new_notebook(cells=cells, metadata={"kernelspec": kernel})


def test_feedback_hides_and_what_could_not_be_graded_is_no_zero(tmp_path: Path) -> None:
    instructor, source = new_user(tmp_path, "instructor"), small()
    shutil.copy(CONFIG, instructor.folder)
    path = instructor.folder / "source" / "small" / "small.ipynb"
    path.parent.mkdir(parents=True)
    nbformat.write(source, path)
    instructor.nbgrader("generate_assignment small")
    for who, answer in {"probing": PROBING, "dead": DEAD}.items():
        submitted = read(instructor.folder / "release" / "small" / "small.ipynb")
        for cell in submitted.cells:
            cell.source = answer.get(cell.id, cell.source)
        path = instructor.folder / "submitted" / who / "small" / "small.ipynb"
        path.parent.mkdir(parents=True)
        nbformat.write(submitted, path)

    said = instructor.nbgrader("autograde small", code=1)
    assert "error processing assignment 'small' for student 'dead'" in said
    with gradebook(instructor) as book:
        assert graded(book.find_submission_notebook("small", "small", "probing"))
        assert not graded(book.find_submission_notebook("small", "small", "dead"))
    instructor.nbgrader("export")
    assert exported(instructor) == {"probing": 0, "dead": 0}

    submitted = read(instructor.folder / "submitted" / "probing" / "small" / "small.ipynb")
    page = instructor.folder / "feedback" / "probing" / "small" / "small.html"
    instructor.nbgrader("generate_feedback small")
    text = page.read_text(encoding="utf-8")
    assert leaks(text, source, submitted) == []
    assert "Twice 21 was 7, not 42" in text
    assert NOT_SHOWN.strip() in text

    with (instructor.folder / CONFIG.name).open("a") as file:
        file.write("\ndel c.GenerateFeedback.preprocessors\n")
    instructor.nbgrader("generate_feedback small --force")
    found = " ".join(leaks(page.read_text(encoding="utf-8"), source, submitted))
    for hidden in ("secret_input = 20 + 1", "return number_of_reference", "two is invertible"):
        assert lines(hidden)[0] in found


def shown_of(*outputs: NotebookNode, of: str = "double-test") -> list[str]:
    """Return the text of the outputs that feedback leaves of those that a cell had."""
    notebook = small()
    (cell,) = (cell for cell in notebook.cells if cell.id == of)
    cell.outputs = list(outputs)
    HideHiddenTests().preprocess(notebook, {})
    return [
        "\n".join(output.get("traceback", [])) or output.get("text") or output.data["text/plain"]
        for output in cell.outputs
    ]


def error(*traceback: str) -> NotebookNode:
    return new_output("error", ename="E", evalue="e", traceback=list(traceback))


def test_a_traceback_keeps_visible_lines_and_the_message() -> None:
    visible = '\x1b[32m----> 1\x1b[39m assert double(1) == 2, "double(1) is 2"'
    frame = (
        f"Cell In[2], line 1\n{visible}\n      2 ### BEGIN HIDDEN TESTS\n\x1b[32m   4\x1b[39m n = 5"
    )
    kept = f"Cell In[2], line 1\n{visible}\n      2 {HIDDEN}\n   4 {HIDDEN}"
    assert shown_of(error(frame, "E: e")) == [f"{kept}\nE: e"]


def test_what_autograph_tells_of_a_hidden_function_is_not_shown() -> None:
    generated = "\x1b[36mFile \x1b[39m/tmp/__autograph_generated_file1.py:9\n----> 9 secret = 2"
    message = "E: in user code:\n\n    secret_input = 20 + 1\n\n    E: no"
    kept = f"E: in user code:\n\n    {HIDDEN}\n\n    E: no"
    assert shown_of(error(generated, message), of="halve-test") == [kept]


def test_what_a_cell_with_hidden_tests_printed_is_not_shown() -> None:
    out, err = new_output("stream", text="21"), new_output("stream", name="stderr", text="21")
    result = new_output("execute_result", data={"text/plain": "21"})
    assert shown_of(out, error("E: e")) == ["E: e", NOT_SHOWN]
    assert shown_of(result) == [NOT_SHOWN]
    assert shown_of(err) == [NOT_SHOWN + NO_POINTS]
    assert shown_of() == []


def test_other_cells_lose_only_hidden_lines() -> None:
    text = "mine\nsecret_input = 20 + 1\n['', 'n = 5\\nsecret_input = 20 + 1']"
    kept = f"mine\n{HIDDEN}\n{HIDDEN}"
    result = new_output("execute_result", data={"text/plain": text, "application/json": {}})
    assert shown_of(new_output("stream", text=text), result, of="scratch") == [kept, kept]
