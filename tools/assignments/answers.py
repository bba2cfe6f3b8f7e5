"""Grades every answer of an assignment by stock nbgrader's rules, and says what is amiss.

Usage: python -m tools.assignments.answers [NAME]   (none: all whose last grading is out of date)

In exercises/answers/NAME, right/ has right answers, a file each, and wrong.yaml the wrong ones, an
entry each. A right answer must get every point, a wrong one must lose the cell that it `fails`, and
no other. The reference must get every point too, and what students start from none.

When all is as it should be, exercises/answers/graded.yaml notes what was graded, as a key, and how
long it took.
"""

import ast
import copy
import hashlib
import json
import re
import sys
import textwrap
import time
from collections import Counter
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import yaml
from nbformat import NotebookNode
from nbgrader.preprocessors import ClearSolutions
from nbgrader.utils import is_locked, is_solution
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
from lockstep.questions import _Loader as NoKeyTwice
from lockstep.questions import near
from tools import EXERCISES, ROOT
from tools.assignments import releases
from tools.notebooks import setup_cell

REFERENCE, UNTOUCHED = "reference", "untouched release"
WRONG, GRADED = "wrong.yaml", "answers/graded.yaml"
WHAT_IT_IS = "# `make answers` writes this: what it graded last, and how many seconds that took.\n"
RIGHT_ANSWERS = 3
ALWAYS = {"id", "why", "fails"}
EDIT, WHOLE, SEVERAL = {"cell", "replace", "by"}, {"cell", "source"}, {"edits"}
SECTION = re.compile(r"^# %% *(.*)$", re.MULTILINE)
HIDDEN = re.compile(r"BEGIN HIDDEN TESTS.*?(?:END HIDDEN TESTS|\Z)", re.DOTALL)


class Answer(NamedTuple):
    """Other text for some of the solution cells."""

    label: str
    fails: str | None  # the test cell that a wrong answer must lose
    cells: dict[str, str]


class Graded(NamedTuple):
    """An answer that was graded, with the test cells that it must lose."""

    label: str
    loses: frozenset[str]
    score: Score


def solutions(notebook: NotebookNode) -> dict[str, NotebookNode]:
    """Return the solution cells of a notebook by grade_id."""
    return {cell.metadata.nbgrader.grade_id: cell for cell in notebook.cells if is_solution(cell)}


def code(text: str) -> str:
    """Return the syntax tree of a cell, without its docstrings, as text."""
    tree = ast.parse(text)
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and ast.get_docstring(node) is not None:
            del node.body[0]
    return ast.dump(tree)


def right_answer(path: Path) -> Answer:
    """Read the file of a right answer.

    Raises:
        ValueError: it breaks a rule of such files.
    """
    text = path.read_text(encoding="utf-8")
    try:
        reason = ast.get_docstring(ast.parse(text))
    except SyntaxError as error:
        raise ValueError(f"line {error.lineno} is not Python: {error.msg}.") from None
    head, *parts = SECTION.split(text)
    names = [part.strip() for part in parts[::2]]
    if not reason or not names or len(ast.parse(head).body) > 1:
        raise ValueError(
            "it must begin with a docstring that says what is different about it, and then have "
            "`# %% ID` above the text of each solution cell that differs from the reference."
        )
    if twice := [name for name, times in Counter(names).items() if times > 1]:
        raise ValueError(f"`# %% {twice[0]}` stands there twice; write a cell's text once.")
    return Answer(f"right/{path.stem}", None, dict(zip(names, parts[1::2], strict=True)))


def wrong_answer(entry: dict[str, Any], reference: dict[str, str]) -> Answer:
    """Read an entry of wrong.yaml.

    Args:
        entry: the keys id, why and fails, and an edit; or `edits`, a list of them. An edit has the
            keys cell, replace and by, or cell and source.
        reference: the text of each solution cell, by its id.

    Raises:
        ValueError: it breaks a rule of such entries.
    """
    _check(entry, [ALWAYS | EDIT, ALWAYS | WHOLE, ALWAYS | SEVERAL])
    cells: dict[str, str] = {}
    for edit in entry.get("edits", [entry]):
        if edit is not entry:
            _check(edit, [EDIT, WHOLE])
        name = edit["cell"]
        _must_be_one_of(name, reference, "solution cell")
        text = cells.get(name, reference[name])
        try:
            cells[name] = edit["source"] if "source" in edit else replaced(text, edit)
        except ValueError as error:
            raise ValueError(f"cell {name!r}: {error}") from None
    return Answer(f"wrong/{entry['id']}", entry["fails"], cells)


def _check(entry: Any, shapes: list[set[str]]) -> None:
    """Raise ValueError if an entry or an edit has other keys than one of the shapes, or no text."""
    possible = set().union(*shapes)
    given = {str(key) for key in entry} if isinstance(entry, dict) else set()
    if unknown := sorted(given - possible):
        raise ValueError(f"unknown key {unknown[0]!r}{near(unknown[0], possible)}.")
    if given not in shapes:
        raise ValueError(
            f"it has the keys {', '.join(sorted(given)) or '(none)'}. Write id, why and fails, and "
            "then cell, replace and by; or cell and source; or edits, a list of these."
        )
    for key, value in entry.items():
        if not isinstance(value, list if key in SEVERAL else str) or not (value or key == "by"):
            wanted = "a list of edits" if key in SEVERAL else f"text: a block, `{key}: |`"
            raise ValueError(f"{key!r} is {value!r}. Write {wanted}.")


def _must_be_one_of(name: str, known: Iterable[str], what: str) -> None:
    if name not in known:
        raise ValueError(f"no {what} is called {name!r}, only: {', '.join(known)}.")


def replaced(text: str, edit: dict[str, str]) -> str:
    """Return the text of a cell after an edit.

    Raises:
        ValueError: the lines that it replaces are not there, or are there more than once.
    """
    lines, old = text.split("\n"), edit["replace"].rstrip("\n").split("\n")
    found = [
        at
        for at in range(len(lines) - len(old) + 1)
        if textwrap.dedent("\n".join(lines[at : at + len(old)])) == "\n".join(old)
    ]
    if len(found) != 1:
        raise ValueError(
            f"the lines of `replace`, from {old[0]!r}, stand {len(found)} times in the reference. "
            "Write lines that stand there once, one after the other, without their common "
            "indentation; or the whole cell, as `source`."
        )
    begin, end = found[0], found[0] + len(old)
    indent = lines[begin].removesuffix(old[0])
    by = textwrap.indent(edit["by"].rstrip("\n"), indent)
    return "\n".join([*lines[:begin], *([by] if by else []), *lines[end:]])


def _entries(file: Path) -> list[dict[str, Any]]:
    """Return the entries of wrong.yaml, which need not exist.

    Raises:
        ValueError: it is no list of mappings, or an id stands twice.
    """
    try:
        found = yaml.load(file.read_text(encoding="utf-8"), NoKeyTwice) if file.exists() else []
    except yaml.YAMLError as error:
        raise ValueError(f"not valid YAML: {' '.join(str(error).split())}") from None
    if not isinstance(found, list) or not all(isinstance(entry, dict) for entry in found):
        raise ValueError("it must be a list, in which each entry begins with `- id: ...`.")
    for name, times in Counter(str(entry.get("id")) for entry in found).items():
        if times > 1:
            raise ValueError(f"the id {name!r} stands {times} times. Rename all but one.")
    return found


def _check_cells(answer: Answer, reference: dict[str, str]) -> None:
    """Raise ValueError if a cell of an answer is no Python, or does what the reference's does."""
    for name, text in answer.cells.items():
        _must_be_one_of(name, reference, "solution cell")
        try:
            same = code(text) == code(reference[name])
        except SyntaxError as error:
            raise ValueError(
                f"cell {name!r} is no Python, line {error.lineno}: {error.msg}."
            ) from None
        if same:
            raise ValueError(f"cell {name!r}: nothing is changed. Change it, or leave it out.")


def answers(name: str, exercises: Path = EXERCISES) -> list[Answer]:
    """Return the answers to an assignment, the right ones first.

    Raises:
        ValueError: a line for each mistake names the file, the answer, and the way out.
    """
    notebook = releases.load(releases.source(name, exercises))
    reference = {name: cell.source for name, cell in solutions(notebook).items()}
    folder = releases.answers(name, exercises)
    found: dict[str, Answer] = {}  # by what they do
    mistakes = []
    readers: list[tuple[str, Callable[[], Answer]]] = [
        (f"right/{path.name}", partial(right_answer, path))
        for path in sorted(folder.glob("right/*.py"))
    ]
    try:
        for entry in _entries(folder / WRONG):
            where = f"{WRONG}, {entry.get('id')!r}"
            readers.append((where, partial(wrong_answer, entry, reference)))
    except ValueError as error:
        mistakes.append(f"{WRONG}: {error}")
    for where, read in readers:
        try:
            answer = read()
            _check_cells(answer, reference)
            if answer.fails is not None:
                _must_be_one_of(answer.fails, autograded(notebook), "test cell")
            does = repr(sorted((name, code(text)) for name, text in answer.cells.items()))
            if does in found:
                raise ValueError(f"the same code as {found[does].label}. Keep one of them.")
            found[does] = answer
        except ValueError as error:
            mistakes.append(f"{where}: {error}")
    if mistakes:
        shown = folder.relative_to(exercises.parent)
        raise ValueError("\n".join(f"{shown}/{mistake}" for mistake in mistakes))
    return list(found.values())


def untouched(notebook: NotebookNode, config: Config) -> NotebookNode:
    """Return a copy of a notebook as students get it, but with the hidden tests."""
    return ClearSolutions(config=config).preprocess(copy.deepcopy(notebook), {})[0]


def with_answer(notebook: NotebookNode, answer: Answer) -> NotebookNode:
    """Return a copy of a notebook with the solution cells of an answer."""
    notebook = copy.deepcopy(notebook)
    cells = solutions(notebook)
    for name, source in answer.cells.items():
        cells[name].source = source
    return notebook


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
        for path in [Path(__file__), *(ROOT / "lockstep" / "grading").glob("*.py")]
        if path.name != "feedback.py"  # it comes after the points
    }
    parts = [
        [module for name in frameworks(notebook) for module in runtime.FRAMEWORKS[name]],
        [(cell.source, cell.metadata.get("nbgrader")) for cell in cells],
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


def main(name: str, exercises: Path = EXERCISES) -> int:
    """Grade one assignment, or all whose key is not the noted one; return the exit code."""
    names = releases.names(exercises)
    if name and name not in names:
        sys.exit(f"There is no assignment {name!r}, only: {', '.join(names)}")
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
        sys.exit(main(" ".join(sys.argv[1:])))
    except KeyboardInterrupt:
        sys.exit("Stopped.")
