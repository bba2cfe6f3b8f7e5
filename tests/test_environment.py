"""The environment that make creates, and the torch that it finds there."""

import json
import re
import shutil
import subprocess
import sys
import venv
from pathlib import Path

import pytest

from tools import environment, notebooks
from tools.notebooks import ROOT

PINNED = "numpy==2.4.6\ntorch==2.13.0\nnbval==0.11.0\n"


@pytest.mark.parametrize("installed", ["2.9.0", "2.11.0+cpu", "2.13.0+cpu", "2.13.1"])
def test_a_torch_that_the_course_supports_is_kept(installed: str) -> None:
    kept = environment.keep_torch(PINNED, installed)
    assert kept == PINNED.replace("torch==2.13.0", f"torch=={installed}")


@pytest.mark.parametrize("installed", [None, "2.8.0", "2.14.0", "3.0.0", "1.13.1"])
def test_any_other_torch_gives_way(installed: str | None) -> None:
    assert environment.keep_torch(PINNED, installed) == PINNED


@pytest.mark.parametrize("version", [(3, 10, 14), (3, 14, 0), (2, 7, 18)])
def test_an_unsupported_python_is_one_line(version: tuple[int, ...]) -> None:
    with pytest.raises(SystemExit, match=r"needs Python 3\.11, 3\.12 or 3\.13") as stopped:
        environment.check_python(version, "this one")
    assert "\n" not in str(stopped.value)


@pytest.mark.parametrize("version", [(3, 11, 0), (3, 12, 4), (3, 13, 1)])
def test_a_supported_python_is_taken(version: tuple[int, ...]) -> None:
    environment.check_python(version, "this one")


def test_everything_is_pinned() -> None:
    requirements = [ROOT / name for name in environment.PINS if name.startswith("requirements")]
    texts = [line.partition("#")[0].strip() for file in requirements for line in file.open()]
    assert [text for text in texts if text and "==" not in text] == ["-e ."]
    packages = json.loads((ROOT / "package.json").read_text())["dependencies"]
    assert all(re.fullmatch(r"[0-9.]+", version) for version in packages.values())


def test_what_a_notebook_installs_itself_is_what_is_pinned() -> None:
    pins = "".join((ROOT / name).read_text() for name in environment.PINS)
    cells = "".join("".join(notebooks.sources(path)) for path in notebooks.notebooks())
    asked = re.findall(r'"([@/a-z0-9-]+)(?:==|@)([0-9.]+)"', cells)
    assert {name for name, _ in asked} >= {"tensorflowjs", "@tensorflow/tfjs"}
    for name, version in asked:
        assert f"{name}=={version}" in pins or f'"{name}": "{version}"' in pins


class Tree:
    """A tree with a Makefile and nothing to install but a torch, which is not on any index."""

    def __init__(self, root: Path) -> None:
        self.root = root
        (root / "tools").mkdir(parents=True)
        shutil.copy(ROOT / "tools" / "environment.py", root / "tools")
        shutil.copy(ROOT / "Makefile", root)
        (root / "pyproject.toml").touch()
        (root / "requirements.txt").write_text("torch==2.13.0\n")

    def make(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["make", "env", *arguments],
            cwd=self.root,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            # pip asks no index: what is not there already cannot be installed.
            env={"PATH": "/usr/bin:/bin", "PIP_NO_INDEX": "1", "PIP_CONFIG_FILE": "/dev/null"},
        )

    def put_torch(self, version: str) -> None:
        """Create .venv, as a user does, with something that pip takes for torch."""
        venv.create(self.root / ".venv", with_pip=True)
        site = next((self.root / ".venv" / "lib").glob("python3.*")) / "site-packages"
        info = site / f"torch-{version}.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: torch\nVersion: {version}\n")
        (info / "RECORD").touch()


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    return Tree(tmp_path / "tree with a space")


PYTHON = f"PYTHON={sys.executable}"


def test_a_torch_that_is_there_first_is_kept(tree: Tree) -> None:
    tree.put_torch("2.11.0+cpu")
    done = tree.make(PYTHON)
    assert done.returncode == 0, done.stdout
    assert "torch 2.11.0+cpu, already in" in done.stdout
    assert "Requirement already satisfied: torch==2.11.0+cpu" in done.stdout
    again = tree.make(PYTHON)
    assert (again.returncode, again.stdout) == (0, ""), "a finished install was done again"

    (tree.root / "requirements.txt").write_text("torch==2.13.0\nnot-on-any-index==1.0\n")
    changed = tree.make(PYTHON)
    assert changed.returncode != 0, "changed requirements were not installed"
    assert "The same command takes it up again" in changed.stdout


def test_an_install_that_failed_is_taken_up_again(tree: Tree) -> None:
    for _ in range(2):
        done = tree.make(PYTHON)
        assert done.returncode != 0
        assert "No matching distribution found for torch==2.13.0" in done.stdout
    (tree.root / "requirements.txt").write_text("")
    done = tree.make(PYTHON)
    assert done.returncode == 0, done.stdout
    assert json.loads((tree.root / ".venv" / "lockstep-installed.json").read_text())["seconds"] > 0


def test_a_python_that_is_missing_is_one_line(tree: Tree) -> None:
    done = tree.make("PYTHON=no-such-python")
    assert done.returncode != 0
    assert "no-such-python was not found: install Python 3.11" in done.stdout


def test_a_missing_venv_module_is_one_line(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "ensurepip", None)
    with pytest.raises(SystemExit, match="apt install python3-venv"):
        environment.create(tmp_path / ".venv")


def test_a_broken_environment_is_named(tree: Tree) -> None:
    (tree.root / ".venv" / "bin").mkdir(parents=True)
    (tree.root / ".venv" / "bin" / "python").symlink_to("/bin/false")
    done = tree.make(PYTHON)
    assert "does not run. Remove the folder" in done.stdout
