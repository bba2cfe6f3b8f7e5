"""`make chapter` writes a chapter that runs, and that says where its author has to write."""

import json
import shutil
from pathlib import Path

import nbformat
import proofs
import pytest
import test_notebooks
from test_build import Book, book, built  # noqa: F401, fixtures

from lockstep import questions
from tools import ROOT
from tools.notebooks import chapter

TOC = (ROOT / "_toc.yml").read_text(encoding="utf-8")


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A folder with what a new chapter goes into."""
    for folder in ("book/model-parallelism", "book/refresher", "lockstep/bank"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "_toc.yml").write_text(TOC, encoding="utf-8")
    (tmp_path / "_config.yml").write_bytes((ROOT / "_config.yml").read_bytes())
    return tmp_path


def test_it_has_no_mistakes_but_its_placeholders(
    tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    notebook, bank, toc = chapter.create("two-ranks", "model-parallelism", tree)
    read = nbformat.read(notebook, as_version=4)
    found = test_notebooks.mistakes(read)
    assert found and all("nothing to say yet" in line for line in found)
    assert notebook.read_text() == nbformat.writes(read) + "\n"
    monkeypatch.setattr(questions, "BANK", bank.parent)
    assert proofs.problems({"two-ranks": json.loads(notebook.read_text())}) == []
    before, after = TOC.splitlines(), toc.read_text().splitlines()
    line = "      - file: book/model-parallelism/two-ranks"
    assert after[after.index(line) - 1] == "      - file: book/model-parallelism/papers"
    assert [other for other in after if other != line] == before
    assert chapter.create("other", root=tree)[0].parent.name == "refresher"


@pytest.mark.parametrize(
    ("slug", "part", "said"),
    [
        ("Two Ranks", "", "lower-case words or numbers with single hyphens"),
        ("", "", "as in `make chapter NAME="),
        ("../up", "", "cannot be the name of a chapter"),
        ("ranks", "nowhere", "PART can be one of: one-device, data-parallelism, strategies"),
        ("there", "", "there.ipynb is there already. Choose another NAME"),
        ("asked", "", "asked.yaml is there already"),
    ],
)
def test_a_name_that_cannot_be_is_refused(tree: Path, slug: str, part: str, said: str) -> None:
    (tree / "book/model-parallelism/there.ipynb").touch()
    (tree / "lockstep/bank/asked.yaml").touch()
    before = sorted(tree.rglob("*"))
    with pytest.raises(ValueError, match=said):
        chapter.create(slug, part, tree)
    assert sorted(tree.rglob("*")) == before
    assert (tree / "_toc.yml").read_text() == TOC


@pytest.mark.machinery
def test_it_runs_and_the_book_shows_it(book: Book) -> None:  # noqa: F811
    (book.root / "book/part").mkdir()
    shutil.copy(book.root / "book/small.ipynb", book.root / "book/part/first.ipynb")
    with (book.root / "_toc.yml").open("a") as toc:
        toc.write("  - file: book/part/first\n")
    chapter.create("two-ranks", "part", book.root)
    said = book.build()
    assert "two-ranks" in said
    page = book.page("part/two-ranks")
    assert "[2.0, 3.0, 5.5]" in page and "Measured: <b>5.5" in page
    assert "PLACEHOLDER: a title" in page
