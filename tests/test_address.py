"""One command sets the public address everywhere; one place holds the set-up cell."""

import json
import os
import stat
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest

from tools.notebooks import setup_cell
from tools.site import address

ROOT = Path(__file__).resolve().parent.parent
FIRST, SECOND, THIRD = "ada/first", "grace-hopper/second.course", "alan/third"

MENDS = "`python -m tools.notebooks.setup_cell` mends it"


def git(folder: Path, *arguments: str) -> str:
    command = ["git", "-c", "user.name=test", "-c", "user.email=test@localhost", *arguments]
    return subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True).stdout


def set_address(folder: Path, slug: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "tools.site.address", slug],
        cwd=folder,
        capture_output=True,
        text=True,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
    )


def files(folder: Path) -> dict[str, bytes]:
    paths = git(folder, "ls-files", "-z").split("\0")
    return {path: (folder / path).read_bytes() for path in paths if (folder / path).is_file()}


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A small repository that has the address in every form."""
    contents = {
        "_config.yml": f"title: T\nrepository:\n  # where\n  url: https://github.com/{FIRST}\n",
        "forms.md": f"git+https://github.com/{FIRST}.git, https://ada.github.io/first/ch.html\n"
        f"https://colab.research.google.com/github/{FIRST}/blob/main/a.ipynb\n"
        f"We are at {FIRST}. See github.com/{FIRST}, https://Ada.github.io/first.\n",
        "others.md": "neva"
        + FIRST
        + " "
        + FIRST
        + "-2 x."
        + FIRST
        + " "
        + FIRST
        + ".js ada first\n",
        "windows.txt": f"one\r\n{FIRST}\r\nthree",
        "run.sh": f"echo {FIRST}\n",
        "picture.bin": f"\0{FIRST}\n",
    }
    for name, text in contents.items():
        (tmp_path / name).write_bytes(text.encode())
    (tmp_path / "run.sh").chmod(0o755)
    git(tmp_path, "init", "-q")
    git(tmp_path, "add", ".")
    (tmp_path / "untracked.md").write_text(FIRST)
    return tmp_path


def test_every_form_is_replaced_and_nothing_else(repository: Path) -> None:
    before = files(repository)
    done = set_address(repository, SECOND)
    assert done.returncode == 0, done.stderr
    after = files(repository)
    assert after["forms.md"].decode() == (
        f"git+https://github.com/{SECOND}.git, https://grace-hopper.github.io/second.course/ch.html\n"
        f"https://colab.research.google.com/github/{SECOND}/blob/main/a.ipynb\n"
        f"We are at {SECOND}. See github.com/{SECOND}, https://grace-hopper.github.io/second.course.\n"
    )
    assert after["windows.txt"].decode() == f"one\r\n{SECOND}\r\nthree"
    changed = sorted(path for path in after if after[path] != before[path])
    assert changed == ["_config.yml", "forms.md", "run.sh", "windows.txt"]
    assert done.stdout.splitlines()[:-1] == changed
    assert f"was {FIRST} and is now {SECOND}: 4 files" in done.stdout.splitlines()[-1]
    assert (repository / "untracked.md").read_text() == FIRST
    assert stat.S_IMODE((repository / "run.sh").stat().st_mode) == 0o755


def test_from_one_to_another_to_a_third_and_back(repository: Path) -> None:
    set_address(repository, SECOND)
    back = files(repository)
    for slug in (THIRD, f"https://github.com/{THIRD}.git", SECOND):
        assert set_address(repository, slug).returncode == 0
    assert files(repository) == back
    assert set_address(repository, SECOND).stdout.endswith("0 files changed.\n")


@pytest.mark.parametrize(
    "slug",
    [
        "",
        "ada",
        "ada/",
        "/first",
        "ada/first/tree",
        "-ada/first",
        "a--b/first",
        "ada/fir st",
        "ada/first\n",
        "ada/..",
        "ada/ada.github.io",
        f"{'a' * 40}/first",
        "https://gitlab.com/ada/first",
        "git@github.com:ada/first",
    ],
)
def test_what_is_no_repository_is_refused_with_the_way_out(repository: Path, slug: str) -> None:
    before = files(repository)
    done = set_address(repository, slug)
    assert done.returncode == 2
    assert "owner/name" in done.stderr or "name of its own" in done.stderr
    assert "Traceback" not in done.stderr
    assert files(repository) == before


def test_a_config_without_an_address_is_named(repository: Path) -> None:
    (repository / "_config.yml").write_text("title: T\nrepository:\n  branch: main\n")
    done = set_address(repository, SECOND)
    assert done.returncode == 2
    assert "_config.yml has no `repository.url`" in done.stderr


def test_the_course_itself_takes_a_new_address(tmp_path: Path) -> None:
    clone = tmp_path / "clone"
    git(tmp_path, "clone", "-q", str(ROOT), str(clone))
    for path in git(ROOT, "ls-files", "-zmo", "--exclude-standard").split("\0"):
        if (ROOT / path).is_file():
            (clone / path).parent.mkdir(parents=True, exist_ok=True)
            (clone / path).write_bytes((ROOT / path).read_bytes())
    git(clone, "add", ".")
    git(clone, "commit", "-q", "--allow-empty", "-m", "what is being worked on")
    before, old = files(clone), address.current(clone)
    done = set_address(clone, SECOND)
    assert done.returncode == 0, done.stderr
    after = files(clone)
    traces = [trace.lower().encode() for trace in (old, old.replace("/", ".github.io/"))]
    for path, text in after.items():
        if b"\0" in text:
            continue
        assert not any(trace in text.lower() for trace in traces), f"{path} still has {old}"
        lines = zip(before[path].splitlines(True), text.splitlines(True), strict=True)
        for line, new in lines:
            assert line == new or any(trace in line.lower() for trace in traces), f"{path}: {new!r}"
    assert address.current(clone) == SECOND
    for notebook in setup_cell.notebooks(clone):
        nbformat.validate(json.loads(notebook.read_text()))


def test_every_notebook_has_the_set_up_cell() -> None:
    slug = address.current(ROOT)
    paths = setup_cell.notebooks(ROOT)
    assert paths
    for path in paths:
        name = path.relative_to(ROOT)
        notebook = nbformat.read(path, as_version=4)
        cell = setup_cell.first_code_cell(notebook)
        assert cell.get("id") == setup_cell.CELL_ID, f"{name}: {MENDS}"
        assert cell.source == setup_cell.expected(notebook, slug), f"{name}: {MENDS}"


def test_the_set_up_cell_is_written_where_it_differs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "_config.yml").write_text(f"repository:\n  url: https://github.com/{FIRST}\n")
    notebook = nbformat.v4.new_notebook(
        cells=[
            nbformat.v4.new_markdown_cell("# Title"),
            nbformat.v4.new_code_cell('import old\nstart("torch", course="0.0")'),
            nbformat.v4.new_code_cell("1 + 1"),
        ]
    )
    path = tmp_path / "book" / "part" / "chapter.ipynb"
    path.parent.mkdir(parents=True)
    nbformat.write(notebook, path)
    monkeypatch.chdir(tmp_path)
    assert setup_cell.main() == 0
    assert capsys.readouterr().out == "book/part/chapter.ipynb\n"
    written = nbformat.read(path, as_version=4)
    assert written.cells[1].id == "setup"
    assert f'ADDRESS = "https://github.com/{FIRST}"' in written.cells[1].source
    assert written.cells[1].source.splitlines()[-1].startswith('start("torch", course="')
    assert [written.cells[0], written.cells[2]] == [notebook.cells[0], notebook.cells[2]]
    assert setup_cell.main() == 0
    assert capsys.readouterr().out == ""


def test_the_set_up_cell_of_an_assignment_is_written_in_its_source(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "_config.yml").write_text(f"repository:\n  url: https://github.com/{FIRST}\n")
    locked = {"nbgrader": {"grade_id": "setup", "locked": True}}
    cell = nbformat.v4.new_code_cell('start("torch")', id="setup", metadata=locked)
    source, release = (tmp_path / "exercises" / kind / "a.ipynb" for kind in ("source", "release"))
    for path in (source, release):
        path.parent.mkdir(parents=True)
        nbformat.write(nbformat.v4.new_notebook(cells=[cell]), path)
    before = release.read_bytes()
    monkeypatch.chdir(tmp_path)
    assert setup_cell.main() == 0
    assert release.read_bytes() == before
    (written,) = nbformat.read(source, as_version=4).cells
    assert written.source.startswith(setup_cell.TEXT[:20])
    assert written.metadata == locked


@pytest.mark.parametrize("cells", [[], [nbformat.v4.new_code_cell("1 + 1")]])
def test_a_notebook_without_a_start_is_named(
    cells: list[nbformat.NotebookNode],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (tmp_path / "_config.yml").write_text(f"repository:\n  url: https://github.com/{FIRST}\n")
    (tmp_path / "book").mkdir()
    nbformat.write(nbformat.v4.new_notebook(cells=cells), tmp_path / "book" / "chapter.ipynb")
    monkeypatch.chdir(tmp_path)
    assert setup_cell.main() == 1
    assert "book/chapter.ipynb: " in capsys.readouterr().err


@pytest.mark.parametrize(
    ("version", "prefix"), [("0.1.0", "0.1"), ("0.12.3", "0.12"), ("1.4.2", "1"), ("10.0.0", "10")]
)
def test_what_a_notebook_names_of_a_version(version: str, prefix: str) -> None:
    assert setup_cell.compatible(version) == prefix


@pytest.fixture
def stranger(tmp_path: Path) -> Path:
    """A Python without the package and without pip, but with the other package named lockstep."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", tmp_path / "venv"], check=True)
    (packages,) = (tmp_path / "venv").glob("lib/python3.*/site-packages")
    (packages / "lockstep").mkdir()
    (packages / "lockstep" / "__init__.py").write_text("")
    (packages / "lockstep-0.0.1.dist-info").mkdir()
    (packages / "lockstep-0.0.1.dist-info" / "METADATA").write_text(
        "Metadata-Version: 2.1\nName: lockstep\nVersion: 0.0.1\n"
    )
    return tmp_path / "venv" / "bin" / "python"


def run_set_up_cell(python: Path, slug: str) -> subprocess.CompletedProcess[str]:
    env = {key: os.environ[key] for key in os.environ if key != "PYTHONPATH"}
    command = [str(python), "-c", setup_cell.text(slug, [])]
    return subprocess.run(command, cwd=python.parent, capture_output=True, text=True, env=env)


def test_the_set_up_cell_without_an_address_says_what_to_do(stranger: Path) -> None:
    done = run_set_up_cell(stranger, "NOT-SET/anything")
    last = done.stderr.splitlines()[-1]
    assert last.startswith("RuntimeError: The course's package is not installed")
    assert "`pip install .`" in last
    assert "`make address SLUG=owner/name`" in last
    assert "During handling" not in done.stderr


def test_the_set_up_cell_says_why_pip_failed(stranger: Path) -> None:
    done = run_set_up_cell(stranger, FIRST)
    assert done.stdout == f"Installing the course's package from https://github.com/{FIRST}\n"
    assert "RuntimeError: pip could not install it:" in done.stderr
    assert "No module named pip" in done.stderr
    assert "During handling" not in done.stderr
