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
    """A chapter of three cells, whose mutants are to be written beside it."""
    monkeypatch.setattr(mutants, "MUTANTS", tmp_path)
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
        mutants.mutants("small")
    first, second = str(error.value).splitlines()
    assert first.startswith("small.yaml, 'one': ") and said in first
    assert second == "small.yaml, 'three': the same code as 'two'. Keep one of them."


def test_a_mutant_is_the_chapter_up_to_the_cell_that_must_notice(
    chapter: Path, tmp_path: Path
) -> None:
    (tmp_path / "small.yaml").write_text(yaml.safe_dump([ONE]))
    (mutant,) = mutants.mutants("small")
    cells = mutants.mutated(chapter, mutant).cells
    assert [cell.source for cell in cells] == ["start()", "x = 2\ny = 2", "assert x == 1"]


def test_only_the_right_cell_and_an_assertion_count() -> None:
    mutant = mutants.Mutant("one", "check", "prose", {}, "small")

    def raised(name: str, value: str = "") -> CellExecutionError:
        return CellExecutionError(traceback="", ename=name, evalue=value)

    assert mutants.problem(mutant, raised("AssertionError"), "check") == ""
    assert mutants.problem(mutant, raised("LaunchError", "rank 1: AssertionError"), "check") == ""
    assert "nobody noticed" in mutants.problem(mutant, None, "")
    assert "'work' noticed" in mutants.problem(mutant, raised("AssertionError"), "work")
    assert "it raised NameError" in mutants.problem(mutant, raised("NameError"), "check")
    assert "took over" in mutants.problem(mutant, CellTimeoutError(), "check")


@pytest.fixture
def three(chapter: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file of three mutants, of which two are noticed at `check` and one at `after`."""
    later = {"fails": "after", "cell": "check", "replace": "assert x == 1", "by": "x"}
    entries = [ONE, ONE | {"id": "two", "by": "x = 3"}, ONE | later | {"id": "later"}]
    file = tmp_path / "small.yaml"
    file.write_text(yaml.safe_dump(entries))
    monkeypatch.delenv("LOCKSTEP_ALL", raising=False)
    monkeypatch.delenv("CI", raising=False)
    return file


def ids(chosen: list[mutants.Mutant]) -> list[str]:
    return [mutant.id for mutant in chosen]


def note_all(seconds: int) -> None:
    tried = {
        one.id: {"key": mutants.key(one), "seconds": seconds} for one in mutants.mutants("small")
    }
    mutants.note("small", tried)


def test_what_was_tried_is_noted_and_what_has_changed_is_tried_again(
    three: Path, chapter: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    every = mutants.mutants("small")
    assert ids(mutants.changed(every)) == ["one", "two", "later"]
    note_all(3)
    assert mutants.changed(every) == []

    three.write_text(three.read_text().replace("x = 3", "x = 4"))
    assert ids(mutants.changed(mutants.mutants("small"))) == ["two"]

    notebook = nbformat.read(chapter, as_version=4)
    notebook.cells[3].source = f"import os\n\n{notebook.cells[3].source}"
    nbformat.write(notebook, chapter)
    assert ids(mutants.changed(mutants.mutants("small"))) == ["two"]
    notebook.cells[3].source += "  # never"  # executed by one of them
    nbformat.write(notebook, chapter)
    assert ids(mutants.changed(every)) == ["later"]
    monkeypatch.setenv("LOCKSTEP_ALL", "1")
    assert mutants.changed(every) == every


def test_a_mutant_that_is_gone_is_noted_no_longer(three: Path) -> None:
    note_all(3)
    three.write_text(yaml.safe_dump([ONE]))
    mutants.note("small", {})
    assert list(mutants.noted()["small"]) == ["one"]


def test_ci_tries_the_quickest_that_fit_and_names_the_others(
    three: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    tried: list[str] = []

    def try_some(chosen: list[mutants.Mutant]) -> list[str]:
        tried.extend(ids(chosen))
        return []

    monkeypatch.setattr(mutants, "try_some", try_some)
    most = mutants.CI_S * mutants.PARALLEL
    before = {name: {"key": "before", "seconds": most - 30} for name in ("one", "two")}
    mutants.note("small", before)
    monkeypatch.setenv("CI", "true")
    assert mutants.main() == 0
    assert tried == ["later"]
    assert "Not tried, as they would take more than 720 s in all: small 2." in (
        capsys.readouterr().out
    )
    tried.clear()
    monkeypatch.delenv("CI")
    assert mutants.main() == 0
    assert tried == ["one", "two", "later"]


def test_only_mutants_that_were_noticed_are_noted(
    three: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def attempt(notebook: Path, mutant: mutants.Mutant) -> mutants.Trial:
        return mutants.Trial(mutant, "nobody noticed" if mutant.id == "two" else "", "", 4.4)

    monkeypatch.setattr(mutants, "attempt", attempt)
    monkeypatch.setattr(files, "begins_with", lambda notebook: ([], []))
    assert mutants.main("small") == 1
    noted = mutants.noted()["small"]
    assert list(noted) == ["one", "later"] and noted["one"]["seconds"] == 4
    assert ids(mutants.changed(mutants.mutants("small"))) == ["two"]
    with pytest.raises(SystemExit, match="no mutant is called 'ten', only: one, two, later"):
        mutants.main("small", "ten")


@pytest.mark.machinery
def test_mutants_of_a_chapter_are_tried(chapter: Path) -> None:
    tried = [
        mutants.Mutant(name, "check", "prose", {"work": text}, "small")
        for name, text in [("seen", "x = 2"), ("unseen", "x = 1.0"), ("broken", "x = z")]
    ]
    notebook = nbformat.read(chapter, as_version=4)
    notebook.cells[0].source = "import os"
    nbformat.write(notebook, chapter)
    said: list[str] = []
    trials = mutants.attempt_all(chapter, tried, lambda trial, line: said.append(line))
    found = {one.mutant.id: one.problem for one in trials}
    assert found == {"seen": "", "unseen": "nobody noticed", "broken": "'work' noticed"}
    assert any("unseen: NOBODY NOTICED" in line for line in said)


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
