"""What the outputs of a notebook depend on, in its key: everything that it uses, and no more."""

import subprocess
import sys
from pathlib import Path

import pytest

from lockstep import ahead
from tools import ROOT
from tools.notebooks import assets, files, keys

# Notes what every Python process opens, of the package.
HOOK = """
import os, sys
def note(event, arguments):
    if event == "open" and str(arguments[0]).startswith({package!r}):
        source = str(arguments[0]).replace("/__pycache__/", "/").split(".cpython")[0]
        file = os.open({log!r}, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        os.write(file, source.encode() + b"\\n")
        os.close(file)
sys.addaudithook(note)
"""
CELLS = [
    "from lockstep.launch import launch\nfrom lockstep import tables",
    "%%writefile rank.py\nfrom lockstep.schedules import gpipe\nprint(len(gpipe(2, 2)))",
    "launch('rank.py', 2)\ntables.load('scope')",
    "from lockstep.explorer import explorer\nfrom lockstep.show import quiz",
    "quiz('gpipe')._repr_html_()\nexplorer()._repr_html_()",
]


@pytest.mark.parametrize("fork", ["0", "1"])
def test_every_file_that_is_read_is_in_the_key(tmp_path: Path, fork: str) -> None:
    log = tmp_path / "opened"
    hook = HOOK.format(package=str(keys.PACKAGE), log=str(log))
    (tmp_path / "sitecustomize.py").write_text(hook)
    (tmp_path / "rank.py").write_text(CELLS[1].partition("\n")[2])
    code = "\n".join(cell for cell in CELLS if not cell.startswith("%%"))
    environment = {"PATH": "/usr/bin:/bin", "PYTHONPATH": f"{tmp_path}:{ROOT}", ahead.SWITCH: fork}
    subprocess.run([sys.executable, "-c", code], cwd=tmp_path, env=environment, check=True)
    opened = {Path(line) for line in log.read_text().splitlines()}
    read = {path if path.suffix else path.with_suffix(".py") for path in opened}
    known = keys.used(CELLS, "gpipe") | set(keys.PACKAGE.glob("*.css"))
    known |= set(keys.PACKAGE.glob("*.js")) | set(keys.PACKAGE.glob("bank/*.yaml"))
    assert {path for path in read if path.is_file()} - known == set()
    scripts = {keys.PACKAGE / name for name in ("supervisor.py", "schedules.py", "explorer.py")}
    assert scripts < read, "the hook does not see everything"


def test_a_notebook_uses_what_it_and_its_scripts_import() -> None:
    def names(*cells: str) -> set[str]:
        always = keys.used([], "gpipe")
        found = keys.used(cells, "gpipe") - always
        return {path.relative_to(keys.PACKAGE).as_posix() for path in found}

    assert names("import numpy", "not python", "%matplotlib inline") == set()
    costs = {"costs.py", "arguments.py"}
    assert names("import lockstep.costs") == costs
    assert names("def f():\n    from lockstep import costs") == costs
    assert names("%%writefile a.py\nfrom lockstep.costs import bubble") == {
        "arguments.py",
        "costs.py",
    }
    assert names("found = !ls\nfrom lockstep import costs") == costs
    assert "trace.py" in names("from lockstep.schedules import gpipe"), "what it imports in turn"
    assert names("from lockstep import questions") == {"questions.py", "bank/gpipe.yaml"}
    assert {"tables.py", "measured/scope.yaml"} < names("from lockstep import tables")
    always = {path.name for path in keys.used([], "gpipe")}
    assert {"kernels.py", "ahead.py", "ranks.py", "supervisor.py", "runtime.py"} < always


def test_one_question_belongs_to_one_notebook() -> None:
    using: dict[Path, list[str]] = {}
    for notebook in files.chapters() + files.solved():
        for path in keys.used(files.sources(notebook), files.name(notebook)):
            using.setdefault(path, []).append(files.name(notebook))
    for chapter in files.chapters():
        bank = keys.PACKAGE / "bank" / f"{chapter.stem}.yaml"
        assert using[bank] == [chapter.stem]
    schedules = using[keys.PACKAGE / "schedules.py"]
    assert {"gpipe", "papers", "schedules"} <= set(schedules) and "tpu" not in schedules


def test_style_sheets_and_scripts_are_stored_by_name() -> None:
    style = (keys.PACKAGE / "quiz.css").read_text()
    page = f"<style>{style}</style><p>words</p>"
    outputs = [[{"output_type": "display_data", "data": {"text/html": page}}], []]
    taken = assets.taken_out(outputs)
    assert taken[0][0]["data"]["text/html"] == "<style>/* lockstep/quiz.css */</style><p>words</p>"
    assert assets.put_in(taken)[0][0]["data"]["text/html"] == page
