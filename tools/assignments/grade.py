"""Grades every answer of an assignment by stock nbgrader's rules, and says what is amiss.

Usage: python -m tools.assignments.grade [NAME [ANSWER...]]
(no NAME: all whose last grading is out of date; ANSWER: as in wrong/mean-of-means)

A right answer must get every point, a wrong one must lose the cell that it `fails`, and no other.
The reference must get every point too, and what students start from none. When all is as it should
be, exercises/answers/graded.yaml notes what was graded, as a key, and how long it took.
"""

import ast
import copy
import hashlib
import json
import re
import sys
import time
from pathlib import Path
from typing import Any, NamedTuple

import yaml
from nbformat import NotebookNode
from nbgrader.preprocessors import ClearSolutions
from nbgrader.utils import is_locked
from nbgrader.validator import Validator
from traitlets.config import Config

from lockstep import runtime
from lockstep.grading.score import (
    ANSI,
    Score,
    Submission,
    autograded,
    course_config,
    score_all,
)
from tools import EXERCISES, ROOT, edits
from tools.assignments import releases
from tools.assignments.answers import Answer, answers, with_answer
from tools.notebooks import setup_cell

REFERENCE, UNTOUCHED = "reference", "untouched release"
GRADED = "answers/graded.yaml"
WHAT_IT_IS = "# `make answers` writes this: what it graded last, and how many seconds that took.\n"
RIGHT_ANSWERS = 3
HIDDEN = re.compile(r"BEGIN HIDDEN TESTS.*?(?:END HIDDEN TESTS|\Z)", re.DOTALL)


class Graded(NamedTuple):
    """An answer that was graded, with the test cells that it must lose."""

    label: str
    loses: frozenset[str]
    score: Score


def untouched(notebook: NotebookNode, config: Config) -> NotebookNode:
    """Return a copy of a notebook as students get it, but with the hidden tests."""
    return ClearSolutions(config=config).preprocess(copy.deepcopy(notebook), {})[0]


def frameworks(notebook: NotebookNode) -> list[str]:
    """Return the frameworks that the set-up cell of a notebook asks for, none without one."""
    try:
        return setup_cell.frameworks(setup_cell.first_code_cell(notebook).source)
    except ValueError:
        return []


def grade(
    notebook: NotebookNode, chosen: list[Answer], folder: Path, config: Config
) -> list[Graded]:
    """Grade the reference, the untouched release and these answers."""
    tests = frozenset(autograded(notebook))
    loses = {REFERENCE: frozenset[str](), UNTOUCHED: tests}
    notebooks = {REFERENCE: notebook, UNTOUCHED: untouched(notebook, config)}
    for answer in chosen:
        loses[answer.label] = frozenset([answer.fails] if answer.fails else [])
        notebooks[answer.label] = with_answer(notebook, answer)

    def tell(submission: Submission, score: Score) -> str:
        found = differences(Graded(submission.label, loses[submission.label], score))
        return "; ".join(found) or "as it should"

    submissions = [Submission(label, one, folder) for label, one in notebooks.items()]
    scores = score_all(submissions, runtime.modules(frameworks(notebook)), config, tell)
    return [
        Graded(one.label, loses[one.label], score)
        for one, score in zip(submissions, scores, strict=True)
    ]


def cut_line(cell: NotebookNode) -> str | None:
    """Return the first line of a failed assertion's message that `nbgrader validate` cuts."""
    validator = Validator()
    for output in cell.outputs:
        if output.output_type == "error" and output.ename == "AssertionError":
            for line in ANSI.sub("", f"{output.ename}: {output.evalue}").split("\n"):
                if validator._indent(line) != validator.indent + line:
                    return line
    return None


def value_of(cell: NotebookNode) -> str | None:
    """Return the value of a cell's last line that nbgrader does not take for points, if any."""
    for output in cell.outputs:
        if output.output_type == "execute_result":
            try:
                float(output.data["text/plain"])
            except ValueError:
                return output.data["text/plain"]
    return None


def differences(result: Graded) -> list[str]:
    """Say where an answer's points are not what they should be."""
    if result.score.points is None:
        return [f"could not be graded: {result.score.problem}"]
    found = []
    for name, cell in autograded(result.score.notebook).items():
        points, most = result.score.points[name], float(cell.metadata.nbgrader.points)
        if result.label == UNTOUCHED and points > 0:
            found.append(f"{name} gives {points:g} points to what students start from")
        elif name in result.loses and points >= most:
            found.append(f"{name} is not lost: {points:g} of {most:g} points")
        elif name not in result.loses and points < most:
            at = result.score.failed_at.get(name)
            line = f", at line {at}" if at else ""
            found.append(f"{name} is lost: {points:g} of {most:g} points{line}")
        if result.label == REFERENCE and (value := value_of(cell)) is not None:
            found.append(
                f"{name} ends in the value {value}, which tests nothing. Assert on it; for partial "
                "credit, end in a float(...) from 0 to the cell's points"
            )
        if (cut := cut_line(cell)) is not None:
            found.append(
                f"{name}: a line of its message is cut by nbgrader validate, break the line: {cut}"
            )
    return found


def asserts(tree: ast.AST, helpers: set[str]) -> bool:
    """Say whether code asserts, itself or by a call of one of these functions."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Assert):
            return True
        if isinstance(node, ast.Call):
            name = ast.unparse(node.func).rpartition(".")[2]
            if name.startswith("assert") or name in helpers:
                return True
    return False


def hidden_tests(cell: NotebookNode, helpers: set[str]) -> list[ast.stmt]:
    """Return the statements in a test cell's hidden regions that can fail by an assertion."""
    lines: set[int] = set()
    for region in HIDDEN.finditer(cell.source):
        first, last = (cell.source.count("\n", 0, at) + 1 for at in region.span())
        lines |= set(range(first, last + 1))
    return [
        statement
        for statement in ast.parse(cell.source).body
        if statement.lineno in lines
        and not isinstance(statement, ast.FunctionDef | ast.ClassDef)
        and asserts(statement, helpers)
    ]


def idle_tests(notebook: NotebookNode, graded: list[Graded]) -> list[str]:
    """Say which hidden tests no wrong answer fails, and which test cells none is aimed at."""
    wrong = [result for result in graded if result.label.startswith("wrong/")]
    helpers = {
        node.name
        for cell in notebook.cells
        if cell.cell_type == "code" and is_locked(cell) and not cell.source.startswith("%")
        for node in ast.parse(cell.source).body
        if isinstance(node, ast.FunctionDef) and asserts(node, set())
    }
    found = []
    for name, cell in autograded(notebook).items():
        if not any(name in result.loses for result in wrong):
            found.append(f"{name}: no wrong answer is aimed at it")
        failures = {result.score.failed_at.get(name, 0) for result in wrong}
        for test in hidden_tests(cell, helpers):
            if not failures & set(range(test.lineno, (test.end_lineno or test.lineno) + 1)):
                line = cell.source.splitlines()[test.lineno - 1].strip()
                found.append(f"{name}, line {test.lineno}: no wrong answer fails it: {line}")
    return found


def amiss(notebook: NotebookNode, graded: list[Graded], in_full: bool) -> list[str]:
    """Say what is not as it should be.

    Args:
        notebook: the source of the assignment.
        graded: its answers.
        in_full: they are all of its answers, so that a hidden test that nobody failed tests
            nothing.
    """
    found = [f"{result.label}: {text}" for result in graded for text in differences(result)]
    if in_full:
        right = sum(result.label.startswith("right/") for result in graded)
        if right < RIGHT_ANSWERS:
            found.append(
                f"right/ has {right} answers. Write {RIGHT_ANSWERS} that go about it differently, "
                "so that tests ask for the result and not for your way to it"
            )
        found += idle_tests(notebook, graded)
    return found


def key(name: str, exercises: Path = EXERCISES) -> str:
    """Return a digest of what the points depend on: the assignment's code, answers and graders.

    Text is left out, and the set-up cell less its frameworks, so that the course's address and
    version can change. So are the rest of lockstep/ and the libraries, as every change would then
    mean to grade everything. CI always grades the reference, and everything once a week.

    Raises:
        ValueError: the notebook cannot be read, or an answer breaks a rule.
    """
    path = releases.source(name, exercises)
    notebook = releases.load(path)
    cells = [cell for cell in notebook.cells if cell.cell_type == "code" and cell.id != "setup"]
    beside = releases.files(path.parent)
    del beside[path.name]
    graders = {
        path.name: path.read_bytes()
        for path in (ROOT / "lockstep" / "grading").glob("*.py")
        if path.name != "feedback.py"  # it comes after the points
    }
    parts = [
        [module for name in frameworks(notebook) for module in runtime.FRAMEWORKS[name]],
        [(releases.without_heading(cell.source), cell.metadata.get("nbgrader")) for cell in cells],
        [
            (file, hashlib.sha256(data).hexdigest())
            for files in (beside, graders)
            for file, data in sorted(files.items())
        ],
        sorted(answers(name, exercises)),
    ]
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:16]


def noted(exercises: Path = EXERCISES) -> dict[str, dict[str, Any]]:
    """Return the key and the seconds of each assignment's last full grading, by its name.

    Raises:
        ValueError: the file is no YAML.
    """
    file = exercises / GRADED
    try:
        return yaml.safe_load(file.read_text(encoding="utf-8")) or {} if file.exists() else {}
    except yaml.YAMLError:
        raise ValueError(
            f"{file} is no YAML. Delete the lines that are not like `NAME: {{key: ..., seconds: "
            "...}`, and run `make answers`."
        ) from None


def note(name: str, key: str, seconds: float, exercises: Path) -> None:
    """Write down that an assignment was graded in full, and forget assignments that are gone."""
    entries = noted(exercises) | {name: {"key": key, "seconds": round(seconds)}}
    lines = [
        yaml.safe_dump({name: entries[name]}, default_flow_style=None)
        for name in releases.names(exercises)
        if name in entries
    ]
    (exercises / GRADED).write_text(WHAT_IT_IS + "".join(lines), encoding="utf-8")


def grade_in_full(name: str, exercises: Path = EXERCISES) -> list[str]:
    """Grade every answer of an assignment; note it, or say what is not as it should be.

    Raises:
        ValueError: the notebook cannot be read, or an answer breaks a rule.
    """
    started = time.monotonic()
    path = releases.source(name, exercises)
    notebook, begun = releases.load(path), key(name, exercises)
    chosen = answers(name, exercises)
    print(f"{name}: {len(chosen)} answers, the reference and the untouched release", flush=True)
    graded = grade(notebook, chosen, path.parent, course_config(exercises))
    found = amiss(notebook, graded, in_full=True)
    seconds = time.monotonic() - started
    if not found:
        note(name, begun, seconds, exercises)
    told = f"{len(found)} not as it should be:" if found else f"all as it should be; see {GRADED}"
    print("\n".join([f"{name}: {len(graded)} graded in {seconds:.0f} s, {told}", *found]))
    return found


def grade_some(name: str, labels: list[str], exercises: Path = EXERCISES) -> list[str]:
    """Grade some answers of an assignment; say what is not as it should be.

    Raises:
        ValueError: the notebook cannot be read, an answer breaks a rule, or there is no such one.
    """
    path = releases.source(name, exercises)
    notebook, known = releases.load(path), answers(name, exercises)
    for label in labels:
        edits.must_be_one_of(label, [answer.label for answer in known], "answer")
    chosen = [answer for answer in known if answer.label in labels]
    graded = grade(notebook, chosen, path.parent, course_config(exercises))
    found = amiss(notebook, graded, in_full=False)
    print("\n".join(found) or f"{name}: {len(graded)} graded, all as it should be")
    return found


def main(name: str = "", *labels: str, exercises: Path = EXERCISES) -> int:
    """Grade one assignment, or all whose key is not the noted one; return the exit code."""
    names = releases.names(exercises)
    if name and name not in names:
        sys.exit(f"There is no assignment {name!r}, only: {', '.join(names)}")
    if labels:
        try:
            return int(bool(grade_some(name, list(labels), exercises)))
        except ValueError as error:
            sys.exit(str(error))
    failed = []
    for one in [name] if name else names:
        try:
            last = noted(exercises).get(one, {}).get("key")
            if not name and last == key(one, exercises):
                print(f"{one}: was graded as it is now. `make answers NAME={one}` does it again")
            elif grade_in_full(one, exercises):
                failed.append(one)
        except ValueError as error:
            print(error)
            failed.append(one)
    if failed:
        print(f"Not as it should be: {', '.join(failed)}")
    return int(bool(failed))


if __name__ == "__main__":
    try:
        sys.exit(main(*sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit("Stopped.")
