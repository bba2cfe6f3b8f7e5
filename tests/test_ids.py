"""Cells that an editor has made get an id in words."""

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from tools.notebooks.ids import RANDOM, rename

UUID = "8f14e45f-ceea-467f-9575-21d7d4e2c9a1"


def test_random_ids_become_words_and_others_stay() -> None:
    cells = [
        new_markdown_cell("# A *title*", id="title"),
        new_code_cell("1", id="setup"),
        new_code_cell("2", id="0a1b2c3d"),
        new_markdown_cell("Words.\n\n## How many bytes?", id=UUID),
        new_code_cell("# no heading", id="Xy_9"),
    ]
    notebook = new_notebook(cells=cells)
    assert list(rename(notebook)) == ["0a1b2c3d", UUID, "Xy_9"]
    ids = [cell.id for cell in notebook.cells]
    assert ids == ["title", "setup", "a-title", "how-many-bytes", "how-many-bytes-2"]
    assert rename(notebook) == {}
    nbformat.validate(notebook)


@pytest.mark.parametrize("_", range(5))
def test_what_nbformat_makes_is_random(_: int) -> None:
    made = new_code_cell().id
    assert RANDOM.fullmatch(made) or made.isdecimal() or made.isalpha()


@pytest.mark.parametrize("name", ["deadlock", "step-2", "1f1b", "facade", "2-ranks", "all-reduce"])
def test_words_are_not_random(name: str) -> None:
    assert not RANDOM.fullmatch(name)
