"""Scripts that notebooks write with %%writefile are linted and laid out like all other code."""

from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from tools.notebooks import scripts


def write(folder: Path, *cells: str) -> Path:
    """Write a notebook of code cells with the ids cell-1, cell-2 and so on."""
    (folder / "ruff.toml").write_text('line-length = 40\n[lint]\nselect = ["E", "F", "I"]\n')
    made = [new_code_cell(text, id=f"cell-{i}") for i, text in enumerate(cells, start=1)]
    path = folder / "small.ipynb"
    nbformat.write(new_notebook(cells=[new_markdown_cell("# A", id="title"), *made]), path)
    return path


def findings(path: Path) -> list[str]:
    """Return what `check` finds, without the path of the notebook, which each line must name."""
    lines = scripts.run([path], lay_out=False)
    assert all(f"{path.name}, cell " in line for line in lines)
    return [line.split(", ", 1)[1] for line in lines]


def sources(path: Path) -> list[str]:
    return [cell.source for cell in nbformat.read(path, 4).cells[1:]]


def test_a_script_that_is_not_laid_out_is_found_and_mended(tmp_path: Path) -> None:
    head = "%%writefile a.py\n"
    path = write(tmp_path, f"{head}import sys\nimport os\nprint( os,sys )\n", f"{head}x = 1")
    assert [line for line in findings(path) if "cell-1, line 1: not laid out" in line]
    assert scripts.run([path], lay_out=True) == []
    assert sources(path) == [f"{head}import os\nimport sys\n\nprint(os, sys)", f"{head}x = 1"]
    assert findings(path) == []


def test_lines_are_as_long_as_the_folder_says(tmp_path: Path) -> None:
    call = f"print({', '.join(['1000'] * 6)})"  # 41 characters
    path = write(tmp_path, f"%%writefile a.py\n{call}")
    assert any("E501" in line for line in findings(path))
    (tmp_path / "ruff.toml").write_text("line-length = 41\n")
    assert findings(path) == []


def test_a_finding_has_its_cell_and_the_line_in_it(tmp_path: Path) -> None:
    first = "%%writefile a.py\nx = 1"
    second = "%%writefile -a a.py\n\n\nprint(x)\nprint(unknown)"
    path = write(tmp_path, "x = [", first, "print( 1 )", second)
    assert findings(path) == ["cell cell-4, line 5: F821 Undefined name `unknown`"]


def test_appended_cells_are_linted_as_one_script(tmp_path: Path) -> None:
    """The import is used in the second cell only, and the second cell has no other `os`."""
    first, second = "import os", "\n\nprint(os.name)"
    path = write(tmp_path, f"%%writefile a.py\n{first}", f"%%writefile -a a.py\n{second}")
    assert findings(path) == []
    for name in ("a", "b"):  # without -a it is another script, whatever its name
        other = f"%%writefile {name}.py\n{second.strip()}"
        path = write(tmp_path, f"%%writefile a.py\n{first}", other)
        assert [line.split(": ")[1][:4] for line in findings(path)] == ["F401", "F821"]


def test_what_is_appended_stands_below_two_blank_lines(tmp_path: Path) -> None:
    path = write(tmp_path, "%%writefile a.py\nx = 1", "%%writefile -a a.py\nprint(x)")
    assert any("cell-2, line 1: not laid out" in line for line in findings(path))
    scripts.run([path], lay_out=True)
    assert sources(path)[1] == "%%writefile -a a.py\n\n\nprint(x)"


def test_a_syntax_error_is_named_and_stops_nothing(tmp_path: Path) -> None:
    bad, other = "%%writefile a.py\nx = 1\ny = (", "%%writefile b.py\nx=1"
    path = write(tmp_path, bad, other)
    named = "cell cell-1, line 3: invalid-syntax unexpected EOF while parsing"
    assert findings(path)[0] == named
    assert findings(path)[1].startswith("cell cell-2, line 1: not laid out")
    assert [line.split(", ", 1)[1] for line in scripts.run([path], lay_out=True)] == [named]
    assert sources(path) == [bad, "%%writefile b.py\nx = 1"]


def test_a_cell_that_goes_on_inside_a_function_is_named(tmp_path: Path) -> None:
    path = write(tmp_path, "%%writefile a.py\ndef f():\n    x = 1", "%%writefile -a a.py\n    f(x)")
    assert "cell cell-2, line 2: invalid-syntax Unexpected indentation" in findings(path)


def test_scripts_of_the_notebook_are_imported_last(tmp_path: Path) -> None:
    imports = "import numpy as np\n\nimport steps\n\nprint(np, steps)"
    path = write(tmp_path, "%%writefile steps.py\nx = 1", f"%%writefile a.py\n{imports}")
    assert findings(path) == []
    path = write(tmp_path, f"%%writefile a.py\n{imports}")  # now `steps` is somebody else's
    assert any("not laid out" in line for line in findings(path))


def test_nothing_else_in_the_file_changes(tmp_path: Path) -> None:
    path = write(tmp_path, "x=1", "%%writefile a.py\nx=1", "%%writefile a.js\nx=1", "%%time\nx=1")
    notebook = nbformat.read(path, 4)
    notebook.cells[2].metadata["tags"] = ["é"]
    notebook.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3"}
    nbformat.write(notebook, path)
    before = path.read_text(encoding="utf-8")
    assert scripts.run([path], lay_out=True) == []
    head = '"%%writefile a.py\\n",\n    "'
    assert before.count(f"{head}x=1") == 1
    assert path.read_text(encoding="utf-8") == before.replace(f"{head}x=1", f"{head}x = 1")


def test_format_says_what_is_left(tmp_path: Path) -> None:
    path = write(tmp_path, "%%writefile a.py\nx=unknown")
    (line,) = scripts.run([path], lay_out=True)
    assert line.endswith("cell cell-1, line 2: F821 Undefined name `unknown`")
    assert sources(path) == ["%%writefile a.py\nx = unknown"]


def test_only_check_and_format_are_known() -> None:
    with pytest.raises(SystemExit, match="takes check or format, not 'lint'"):
        scripts.main(["lint"])
