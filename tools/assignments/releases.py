"""The assignments in exercises/: where each is, its release, and the start of a new one.

Usage: python -m tools.assignments.releases release [NAME]   (none: all of them)
       python -m tools.assignments.releases new NAME

A release is what nbgrader's own command makes of the source. It is never edited.
"""

import json
import re
import shutil
import subprocess
import sys
import tempfile
from itertools import zip_longest
from pathlib import Path

import nbformat
from nbformat import NotebookNode

from tools import EXERCISES, ROOT
from tools.notebooks import setup_cell
from tools.site import address

SKELETON = Path(__file__).with_name("skeleton")
SLUG = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
TEST_HEADING = re.compile(r"\A# Test, \d+ points?\n")
NOT_COPIED = shutil.ignore_patterns(".ipynb_checkpoints", "__pycache__")

Files = dict[str, bytes]  # by path, relative to the folder that holds them


def names(exercises: Path = EXERCISES) -> list[str]:
    """Return the name of every assignment."""
    return sorted({path.parent.name for path in exercises.glob("source/[a-z0-9]*/*.ipynb")})


def source(name: str, exercises: Path = EXERCISES) -> Path:
    """Return the notebook in which an assignment is written."""
    return exercises / "source" / name / f"{name}.ipynb"


def release(name: str, exercises: Path = EXERCISES) -> Path:
    """Return the notebook that students get."""
    return exercises / "release" / name / f"{name}.ipynb"


def answers(name: str, exercises: Path = EXERCISES) -> Path:
    """Return the folder of the answers that an assignment's grader is tested with."""
    return exercises / "answers" / name


def load(notebook: Path) -> NotebookNode:
    """Read a notebook as it is; `nbformat.read` changes an id that is there twice.

    Raises:
        ValueError: the file is no notebook.
    """
    try:
        read = nbformat.reader.reads(notebook.read_text(encoding="utf-8"))
        if read.get("cells"):
            return read
        why = "it has no cells"
    except (OSError, ValueError, AttributeError, nbformat.ValidationError) as error:
        why = " ".join(str(error).split())[:100]
    raise ValueError(
        f"{notebook} is no notebook, or it is not named as its folder: {why}. Mend it, or take it "
        "from git again."
    )


def files(folder: Path) -> Files:
    """Return every file below `folder`, which need not exist."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and ".ipynb_checkpoints" not in path.parts
    }


def generate(chosen: list[str], exercises: Path = EXERCISES) -> dict[str, Files]:
    """Return what `nbgrader generate_assignment` makes of assignments, by their names.

    Raises:
        ValueError: nbgrader refuses one.
    """
    with tempfile.TemporaryDirectory(prefix="lockstep-release-") as scratch:
        course = Path(scratch)
        shutil.copy(exercises / "nbgrader_config.py", course)
        for name in chosen:
            folder = source(name, exercises).parent
            shutil.copytree(folder, course / "source" / name, ignore=NOT_COPIED)
        # nbgrader takes a pattern, so that its start is paid for once.
        command = [sys.executable, "-m", "nbgrader", "generate_assignment", "*", "--no-db"]
        done = subprocess.run(
            [*command, f"--course-dir={course}"], cwd=course, capture_output=True, text=True
        )
        if done.returncode != 0:
            refused = [name for name in chosen if not files(course / "release" / name)]
            reasons = dict.fromkeys(re.findall(r"(?m)^ +[\w.]*Error: (.*)", done.stderr))
            raise ValueError(
                f"nbgrader makes no release of {', '.join(refused)}: "
                f"{' '.join(reasons) or done.stderr}\n"
                "Mend the source, of which `make check` says more, and run `make release` again."
            )
        return {name: files(course / "release" / name) for name in chosen}


def differences(old: Files, new: Files) -> list[str]:
    """Say, file by file, where `old` first differs from `new`."""
    return [
        f"{path} {_difference(old.get(path), new.get(path))}"
        for path in sorted({*old, *new})
        if old.get(path) != new.get(path)
    ]


def _difference(old: bytes | None, new: bytes | None) -> str:
    if old is None:
        return "is missing"
    if new is None:
        return "is not made from anything in the source"
    try:
        cells = [json.loads(content)["cells"] for content in (old, new)]
    except (ValueError, KeyError):
        return "differs"
    for one, other in zip_longest(*cells):
        if one != other:
            return f"differs, first in cell {(other or one).get('id')!r}"
    return "differs in the notebook's metadata or layout"


def headed(cell: NotebookNode) -> str:
    """Return the text of a test cell below a line that says its points; of another, its text."""
    meta = cell.metadata.get("nbgrader", {})
    if cell.cell_type != "code" or not meta.get("grade") or meta.get("solution"):
        return cell.source
    points = meta.get("points")
    heading = f"# Test, {points} point{'' if points == 1 else 's'}\n"
    return heading + without_heading(cell.source)


def without_heading(source: str) -> str:
    """Return the text of a test cell without the line that says its points."""
    return TEST_HEADING.sub("", source)


def tidy(notebook: Path) -> None:
    """Write what JupyterLab lets nobody set: the ids that nbgrader knows, and the tests' points."""
    read = load(notebook)
    changed = []
    for cell in read.cells:
        name, text = cell.metadata.get("nbgrader", {}).get("grade_id", cell.id), headed(cell)
        if (cell.id, cell.source) != (name, text):
            cell.id, cell.source = name, text
            changed.append(name)
    if changed:
        nbformat.write(read, notebook)
        print(f"{notebook.name}: ids and headings of tests are set: {', '.join(changed)}")


def write_releases(chosen: list[str], exercises: Path = EXERCISES) -> None:
    """Write the releases of assignments, and say what changed."""
    for name in chosen:
        tidy(source(name, exercises))
    print(f"nbgrader makes the release of {', '.join(chosen)}", flush=True)
    for name, made in generate(chosen, exercises).items():
        folder = release(name, exercises).parent
        changes = differences(files(folder), made)
        if changes:
            shutil.rmtree(folder, ignore_errors=True)
        for path, content in made.items() if changes else ():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_bytes(content)
        shown = folder.relative_to(exercises.parent)
        print(
            f"{shown}: " + (f"written, for {'; '.join(changes)}" if changes else "was up to date")
        )


def create(name: str, exercises: Path = EXERCISES) -> None:
    """Write the skeleton of an assignment: its source, its answers, its release.

    Raises:
        ValueError: `name` is no slug, or there is something with this name already.
    """
    if not SLUG.fullmatch(name):
        raise ValueError(
            f"{name!r} cannot be the name of an assignment. Give lower-case words or numbers with "
            "single hyphens between them, as in `make assignment NAME=data-parallel`."
        )
    notebook, answered = source(name, exercises), answers(name, exercises)
    for folder in (notebook.parent, answered, release(name, exercises).parent):
        if folder.exists():
            raise ValueError(
                f"{folder.relative_to(exercises.parent)} is there already. Choose another NAME, "
                "or go on with what is there: CONTRIBUTING.md, Add an assignment."
            )
    shutil.copytree(SKELETON / "answers", answered, ignore=NOT_COPIED)
    started = nbformat.read(SKELETON / "source.ipynb", as_version=nbformat.NO_CONVERT)
    setup = setup_cell.first_code_cell(started)
    setup.source = setup_cell.expected(started, address.current(ROOT))
    notebook.parent.mkdir(parents=True)
    nbformat.write(started, notebook)
    write_releases([name], exercises)


def main(command: str, name: str = "") -> int:
    """Run a command of this module; return the exit code."""
    try:
        if command == "new":
            create(name)
            print(f"Write {source(name).relative_to(ROOT)} in JupyterLab, wherever it says")
            print("PLACEHOLDER. The path from here: CONTRIBUTING.md, Add an assignment.")
        elif name and name not in names():
            raise ValueError(
                f"There is no assignment {name!r} in exercises/source. NAME can be one of: "
                f"{', '.join(names())}. `make assignment NAME=slug` starts a new one."
            )
        else:
            write_releases([name] if name else names())
    except ValueError as error:
        print(error, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    if sys.argv[1:2] not in (["release"], ["new"]):
        sys.exit("Usage: python -m tools.assignments.releases release|new [NAME]")
    sys.exit(main(*sys.argv[1:3]))
