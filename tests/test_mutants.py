"""Mutants of chapters: what a file of them may hold, and what counts as noticed."""

import ast
from pathlib import Path
from typing import Any

import nbformat
import proofs
import pytest
import yaml
from nbclient.exceptions import CellExecutionError, CellTimeoutError
from nbformat.v4 import new_code_cell, new_notebook

from tools.notebooks import files, mutants

LEAST = 12
SETUP = new_code_cell("start()", id="setup")
CODE = {"work": "x = 1\ny = 2", "check": "assert x == 1", "after": "assert False"}
EDIT = {"cell": "work", "replace": "x = 1", "by": "x = 2"}
ONE: dict[str, Any] = {"id": "one", "why": "So.", "fails": "check", "aimed": "prose"} | EDIT


@pytest.fixture
def chapter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A chapter of three cells."""
    notebook = tmp_path / "small.ipynb"
    cells = [SETUP, *(new_code_cell(text, id=name) for name, text in CODE.items())]
    nbformat.write(new_notebook(cells=cells), notebook)
    monkeypatch.setattr(files, "find", {"small": notebook}.__getitem__)
    return notebook


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        (ONE | {"replace": "x = 3"}, "cell 'work': the lines of `replace`, from 'x = 3', are 0"),
        (ONE | {"by": "x = 1"}, "cell 'work': nothing is changed"),
        (ONE | {"cell": "setup"}, "no code cell is called 'setup', only: work, check, after"),
        (ONE | {"fails": "there"}, "no code cell is called 'there'"),
        (ONE | {"aimed": "text"}, "no aim is called 'text', only: check, prose"),
        (ONE | {"cell": "after", "replace": "assert False"}, "'check' stands before the cells"),
        ({"id": "one"}, "it has the keys id. Write aimed, fails, id, why, and then cell"),
    ],
)
def test_a_mistake_in_a_mutant_is_named(
    entry: dict[str, Any], said: str, chapter: Path, tmp_path: Path
) -> None:
    entries = [entry, ONE | {"id": "two"}, ONE | {"id": "three"}]
    (tmp_path / "small.yaml").write_text(yaml.safe_dump(entries))
    with pytest.raises(ValueError) as error:
        mutants.mutants("small", tmp_path)
    first, second = str(error.value).splitlines()
    assert first.startswith("small.yaml, 'one': ") and said in first
    assert second == "small.yaml, 'three': the same code as 'two'. Keep one of them."


def test_a_mutant_is_the_chapter_up_to_the_cell_that_must_notice(
    chapter: Path, tmp_path: Path
) -> None:
    (tmp_path / "small.yaml").write_text(yaml.safe_dump([ONE]))
    (mutant,) = mutants.mutants("small", tmp_path)
    cells = mutants.mutated(chapter, mutant).cells
    assert [cell.source for cell in cells] == ["start()", "x = 2\ny = 2", "assert x == 1"]


def test_only_the_right_cell_and_an_assertion_count() -> None:
    mutant = mutants.Mutant("one", "check", "prose", {})

    def raised(name: str, value: str = "") -> CellExecutionError:
        return CellExecutionError(traceback="", ename=name, evalue=value)

    assert mutants.problem(mutant, raised("AssertionError"), "check") == ""
    assert mutants.problem(mutant, raised("LaunchError", "rank 1: AssertionError"), "check") == ""
    assert "nobody noticed" in mutants.problem(mutant, None, "")
    assert "'work' noticed" in mutants.problem(mutant, raised("AssertionError"), "work")
    assert "it raised NameError" in mutants.problem(mutant, raised("NameError"), "check")
    assert "took over" in mutants.problem(mutant, CellTimeoutError(), "check")


def test_what_was_tried_is_noted_and_what_has_changed_is_tried_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("LOCKSTEP_ALL", raising=False)
    monkeypatch.setattr(mutants, "MUTANTS", tmp_path)
    monkeypatch.setattr(mutants, "key", {"one": "a", "two": "b", "three": "c"}.__getitem__)
    for name in ("one", "two"):
        (tmp_path / f"{name}.yaml").touch()
    mutants.note("two", "b", 3.4)
    assert mutants.noted() == {"two": {"key": "b", "seconds": 3}}
    assert mutants.changed() == ["one"]
    mutants.note("one", "before", 1)
    assert mutants.changed() == ["one"]
    monkeypatch.setenv("LOCKSTEP_ALL", "1")
    assert mutants.changed() == ["one", "two"]


def test_ci_tries_the_quickest_that_fit_and_names_the_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(mutants, "MUTANTS", tmp_path)
    monkeypatch.setattr(mutants, "key", lambda name: "now")
    monkeypatch.setattr(mutants, "mutants", lambda name: [name] * 10)
    tried: list[str] = []

    def try_chapter(name: str, ids: list[str]) -> list[str]:
        tried.append(name)
        return []

    monkeypatch.setattr(mutants, "try_chapter", try_chapter)
    for name in ("long", "never", "short"):
        (tmp_path / f"{name}.yaml").touch()
    mutants.note("long", "before", mutants.CI_S - 100)
    mutants.note("short", "before", 100)
    monkeypatch.delenv("LOCKSTEP_ALL", raising=False)
    monkeypatch.setenv("CI", "true")
    assert mutants.main() == 0
    assert tried == ["short", "never"]
    assert "Not tried, as they would take more than 720 s in all: long." in capsys.readouterr().out
    tried.clear()
    monkeypatch.delenv("CI")
    assert mutants.main() == 0
    assert tried == ["long", "never", "short"]


@pytest.mark.machinery
def test_mutants_of_a_chapter_are_tried(chapter: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tried = [
        mutants.Mutant(name, "check", "prose", {"work": text})
        for name, text in [("seen", "x = 2"), ("unseen", "x = 1.0"), ("broken", "x = z")]
    ]
    notebook = nbformat.read(chapter, as_version=4)
    notebook.cells[0].source = "import os"
    nbformat.write(notebook, chapter)
    found = {one.mutant.id: one.problem for one in mutants.attempt_all(chapter, tried)}
    assert found == {"seen": "", "unseen": "nobody noticed", "broken": "'work' noticed"}
    assert "unseen: NOBODY NOTICED" in capsys.readouterr().out


@pytest.mark.parametrize("name", mutants.chapters())
def test_a_chapter_has_mutants_for_its_checks_and_its_prose(name: str) -> None:
    known = mutants.mutants(name)
    assert len(known) >= LEAST
    assert sum(mutant.aimed == "prose" for mutant in known) * 2 >= len(known)
    aimed_at = {mutant.fails for mutant in known}
    cells = [cell for cell in files.cells(files.find(name)) if cell["cell_type"] == "code"]
    for cell in cells:
        assert cell["id"] in aimed_at or not compares(cell), f"no mutant is aimed at {cell['id']!r}"


def compares(cell: dict[str, Any]) -> bool:
    """Say whether a cell proves an answer or asserts that two things are the same.

    What it tries does not count: there a mistake is shown on purpose.
    """
    tried = [node for node in ast.walk(proofs.tree(cell)) if isinstance(node, ast.Try)]
    shown = {ast.unparse(call) for one in tried for call in ast.walk(one)}
    calls = [call for name in ("prove", "assert_same") for call in proofs.calls(cell, name)]
    return any(ast.unparse(call) not in shown for call in calls)


@pytest.mark.parametrize("name", sorted(path.stem for path in files.chapters()))
def test_an_assertion_of_a_chapter_says_what_it_found(name: str) -> None:
    for cell in files.cells(files.find(name)):
        if cell["cell_type"] == "code" and not "".join(cell["source"]).startswith("%%writefile"):
            for node in ast.walk(proofs.tree(cell)):
                assert not isinstance(node, ast.Assert) or node.msg, (
                    f"{cell['id']!r}: {ast.unparse(node)} has no message. Say what was measured, "
                    "how much, and what it should be."
                )
