"""The Colab path: a notebook alone in an empty folder, on Colab's versions, without the package.

The set-up cell installs the package from the public address, which git is told to take from a clone
of the current commit. The environments are kept in .cache/colab; each run works in a copy of one.
"""

import contextlib
import fcntl
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import nbformat
import pytest
from newest import newest
from packaging.requirements import Requirement

from tools.environment.install import cpu_build, torch_index
from tools.notebooks import setup_cell
from tools.notebooks.nbval_store import FRAMEWORKS_LEAVE
from tools.site import address

ROOT = Path(__file__).resolve().parent.parent
CACHE = ROOT / ".cache" / "colab"
STAND_IN = "torch==2.13.0"  # for Colab's, where only of this one a build without CUDA is found
INSTALL_LIMIT, CELL_LIMIT, NOTEBOOK_LIMIT = 1500, 300, 900  # seconds

# Imported once after an install, so that every copy of the environment has them compiled.
WARM_UP = (
    "tensorflow",
    "torch",
    "torch._dynamo",  # DistributedDataParallel imports it
    "matplotlib.pyplot",
    "nbclient",
    "ipykernel.kernelapp",
)
EXECUTE = """
import sys
import nbformat
from nbclient import NotebookClient
path = sys.argv[1]
notebook = nbformat.read(path, as_version=4)
def say(cell, cell_index):
    print(f"cell {cell_index + 1} of {len(notebook.cells)}, {cell.id}", flush=True)
try:
    NotebookClient(
        notebook, kernel_name="python3", timeout=int(sys.argv[2]), on_cell_start=say
    ).execute()
except Exception:
    shown = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    print("The last that was shown:", *[output.get("text", "") for output in shown[-5:]], sep="\\n")
    raise
finally:
    nbformat.write(notebook, path)
"""

pytestmark = [pytest.mark.colab, pytest.mark.timeout(INSTALL_LIMIT + NOTEBOOK_LIMIT)]
NOTEBOOKS = 3  # those that changed last
Say = Callable[[str], None]


def git(folder: Path, *arguments: str) -> str:
    command = ["git", "-c", "user.name=test", "-c", "user.email=test@localhost", *arguments]
    return subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True).stdout


def notebooks() -> list[str]:
    """Return the notebooks to run: those that changed last."""
    every = [
        path.relative_to(ROOT).as_posix()
        for path in setup_cell.notebooks(ROOT)
        if "release" not in path.relative_to(ROOT).parts
    ]
    return newest(every, NOTEBOOKS)


@cache
def find_python(version: str) -> str | None:
    """Return a Python of this version: the running one, one on PATH, or one of pyenv's."""
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    on_path = shutil.which(f"python{version}")
    pythons = [*([on_path] if on_path else []), *sorted(pyenv.glob(f"{version}.*/bin/python"))]
    if sys.version_info[:2] == tuple(map(int, version.split("."))):
        pythons.insert(0, sys.executable)
    for python in pythons:
        # Its own word, because a pyenv shim can be there without the Python behind it.
        asked = [str(python), "-c", "import sys; print(sys.base_prefix)"]
        answer = subprocess.run(asked, capture_output=True, text=True)
        if answer.returncode == 0:
            return str(Path(answer.stdout.strip()) / "bin" / f"python{version}")
    return None


def requirements(name: str) -> list[str]:
    lines = (ROOT / "tests" / "colab" / f"{name}.txt").read_text().splitlines()
    return [line for line in lines if line and not line.startswith("#")]


@pytest.fixture(scope="session")
def say(request: pytest.FixtureRequest) -> Say:
    """Print to the terminal at once, also from a worker of pytest-xdist."""
    capture = request.config.pluginmanager.getplugin("capturemanager")

    def say(line: str) -> None:
        with capture.global_and_fixture_disabled():
            print(f"\n[colab] {line}", file=sys.stderr, end="", flush=True)

    return say


def run(
    title: str, command: list[str], log: Path, limit: float, say: Say, env: dict[str, str]
) -> None:
    """Run a command, its output in `log`, and say every 15 s how far it is."""
    begin = told = time.monotonic()
    with log.open("a") as output:
        process = subprocess.Popen(
            command, cwd=log.parent, stdin=subprocess.DEVNULL, stdout=output, stderr=output, env=env
        )
    try:
        while process.poll() is None:
            time.sleep(0.1)
            now = time.monotonic()
            if now - begin > limit:
                pytest.fail(f"{title}: not done after {limit:.0f} s\n{log.read_text()[-4000:]}")
            if now - told > 15:
                told = now
                last = (log.read_text().splitlines() or [""])[-1]
                say(f"{title}: {now - begin:.0f} s, {last[:80]}")
    finally:
        if process.poll() is None:
            process.terminate()  # nbclient then ends the kernel
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(15)
            process.kill()
            process.wait()
    if process.returncode != 0:
        text = re.sub(r"\x1b\[[0-9;]*m", "", log.read_text())
        pytest.fail(f"{title}: exit status {process.returncode}\n{text[-8000:]}", pytrace=False)


def plain_environment() -> dict[str, str]:
    """Return the environment variables less those that would make Python behave otherwise."""
    other = {"MPLBACKEND", "VIRTUAL_ENV"}
    return {k: v for k, v in os.environ.items() if k not in other and not k.startswith("PYTHON")}


def freeze(environment: Path) -> set[str]:
    command = [str(environment / "bin" / "python"), "-m", "pip", "freeze", "--all"]
    return set(
        subprocess.run(command, check=True, capture_output=True, text=True).stdout.split("\n")
    )


def names(frozen: set[str]) -> set[str]:
    return {re.split(r"==| @ ", line)[0] for line in frozen}


def torch_for(pin: str, python: str, say: Say) -> list[str]:
    """Return pip's arguments for Colab's torch, without CUDA if that can be had."""
    for one in (pin, STAND_IN):
        if cpu := cpu_build(Path(python), one):
            say(f"torch {cpu} is taken for Colab's {pin}")
            return ["--no-deps", f"torch=={cpu}", *torch_index()]
    say(f"{pin} was found with CUDA only: 2.7 GB to download, 4.8 GB on disk")
    return [pin]


def environment(version: str, packages: list[str], say: Say, kind: str) -> Path:
    """Return an environment of these packages, installed now unless one is there.

    One of each `kind` and version is kept. torch, which may bring gigabytes of CUDA along, has one
    of its own, of the kind "torch", and the others begin as a copy of that.
    """
    python = find_python(version)
    if python is None:
        pytest.skip(f"Python {version} was not found on PATH or among pyenv's")
    base = None
    if kind != "torch":
        (pin,) = [line for line in requirements("cpu") if line.startswith("torch==")]
        base = environment(version, [pin], say, "torch")
        (torch,) = [line for line in freeze(base) if line.startswith("torch==")]
        packages = [*(line for line in packages if not line.startswith("torch")), torch]
    listed = "\n".join(packages)
    key = hashlib.sha256(f"{python}\n{listed}\n{WARM_UP}".encode()).hexdigest()[:12]
    folder = CACHE / f"{version}{kind}-{key}"
    CACHE.mkdir(parents=True, exist_ok=True)
    with (CACHE / f"{version}{kind}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if (folder / "complete").exists():
            return folder
        for other in CACHE.glob(f"{version}{kind}-*"):
            # Also one that was stopped midway: it may hold half a package. What pip has
            # downloaded is in pip's own cache, so it goes on from there.
            shutil.rmtree(other)
        begin = time.monotonic()
        say(f"Python {version}: installing Colab's versions ({kind}), a minute or two")
        if base:
            hard_links(base, folder)
        else:
            subprocess.run([python, "-m", "venv", str(folder)], check=True)
        (folder / "packages.txt").write_text(listed)
        log, env = folder / "install.log", plain_environment()
        executable = str(folder / "bin" / "python")
        # --no-compile: most files are never imported.
        pip = [executable, "-m", "pip", "install", "--no-compile", "--progress-bar", "off"]
        title = f"Python {version}, install"
        what = ["-r", "packages.txt"] if base else torch_for(listed, executable, say)
        run(title, [*pip, *what], log, INSTALL_LIMIT, say, env)
        present = names(set(packages)) if base else set()
        for module in WARM_UP:
            if module.partition(".")[0] in present:
                run(title, [executable, "-c", f"import {module}"], log, INSTALL_LIMIT, say, env)
        (folder / "complete").touch()
        say(f"Python {version}: installed ({kind}) in {time.monotonic() - begin:.0f} s")
    return folder


def hard_links(environment: Path, copy: Path) -> None:
    """Copy an environment by hard links: pip and Python replace files, never write into them."""
    own = shutil.ignore_patterns("complete", "install.log", "packages.txt")
    shutil.copytree(environment, copy, symlinks=True, copy_function=os.link, ignore=own)


@contextlib.contextmanager
def copy_of(environment: Path) -> Iterator[Path]:
    """Copy an environment for one run."""
    for left in CACHE.glob("run-*"):  # by a run that was killed
        if time.time() - left.stat().st_mtime > INSTALL_LIMIT + NOTEBOOK_LIMIT:
            shutil.rmtree(left, ignore_errors=True)
    with tempfile.TemporaryDirectory(prefix="run-", dir=CACHE) as folder:
        copy = Path(folder) / "environment"
        hard_links(environment, copy)
        yield copy


@pytest.fixture(scope="session")
def published(tmp_path_factory: pytest.TempPathFactory, say: Say) -> Path:
    """A clone of the current commit, with a public address."""
    clone = tmp_path_factory.mktemp("published") / "clone"
    git(ROOT, "clone", "-q", str(ROOT), str(clone))
    uncommitted = git(ROOT, "status", "--porcelain").splitlines()
    if uncommitted:
        say(f"what is tested is the last commit, without {len(uncommitted)} uncommitted files")
    if "NOT-SET" in address.current(clone):
        command = [sys.executable, "-m", "tools.site.address", "example-owner/course"]
        subprocess.run(command, cwd=clone, check=True, capture_output=True)
        git(clone, "commit", "-q", "-a", "-m", "A public address")
    return clone


def left_in(folder: Path) -> list[str]:
    names = [path.name for path in folder.iterdir()]
    return [name for name in names if not name.startswith(FRAMEWORKS_LEAVE)]


def execute(name: str, version: str, published: Path, folder: Path, say: Say) -> None:
    """Run a notebook as Colab would, and check what it leaves behind.

    Args:
        name: the notebook's path in the repository.
        version: the Python, "3.11" or "3.13".
        published: the clone that stands for the public address.
        folder: an empty folder.
        say: prints a line to the terminal.
    """
    colab = environment(version, requirements("cpu"), say, "cpu")
    notebook = nbformat.read(published / name, as_version=4)
    temporary = folder / "tmp"
    temporary.mkdir()
    work = folder / "work"
    work.mkdir()
    path = work / Path(name).name
    nbformat.write(notebook, path)

    slug = address.current(published)
    env = plain_environment() | {
        "TMPDIR": str(temporary),
        "PYDEVD_DISABLE_FILE_VALIDATION": "1",  # else the debugger writes ten lines into the log
        "IPYTHONDIR": str(folder / "ipython"),
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": f"url.{published.as_uri()}.insteadOf",
        "GIT_CONFIG_VALUE_0": f"https://github.com/{slug}",
    }
    title = f"Python {version}, {name}"
    begin = time.monotonic()
    with copy_of(colab) as copy:
        before = freeze(copy)
        assert "lockstep-course" not in names(before)
        command = [str(copy / "bin" / "python"), "-c", EXECUTE, str(path), str(CELL_LIMIT)]
        run(title, command, folder / "log.txt", NOTEBOOK_LIMIT, say, env)
        after = freeze(copy)

    gone = sorted(before - after)
    assert not gone, f"{name}: its set-up cell changed what Colab has: {gone}"
    source = (
        f"lockstep-course @ git+https://github.com/{slug}@{git(published, 'rev-parse', 'HEAD')}"
    )
    assert source.strip() in after - before
    new = sorted(names(after - before))

    done = nbformat.read(path, as_version=4)
    shown = setup_cell.first_code_cell(done).outputs
    assert {output.get("name") for output in shown} == {"stdout"}, shown
    lines = "".join(output.text for output in shown).splitlines()
    assert lines[0] == f"Installing the course's package from https://github.com/{slug}"
    assert len(lines) == 2 and lines[1].startswith(f"Python {version}."), lines

    # The scratch folder goes when the kernel has gone, a moment later.
    deadline = time.monotonic() + 10
    while (left := left_in(temporary)) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert not left
    assert [path.name for path in work.iterdir()] == [Path(name).name]
    say(f"{title}: {time.monotonic() - begin:.0f} s, new: {', '.join(new)}. {lines[1]}")


@pytest.mark.parametrize("version", ["3.11", "3.13"])
@pytest.mark.parametrize("name", notebooks())
def test_notebook_on_colab(
    name: str, version: str, published: Path, tmp_path: Path, say: Say
) -> None:
    execute(name, version, published, tmp_path, say)


@pytest.mark.parametrize("name", ["cpu", "gpu", "tpu"])
def test_colab_has_what_the_package_needs(name: str) -> None:
    pinned = dict(line.split("==") for line in requirements(name))
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    for needed in map(Requirement, project["dependencies"]):
        assert needed.name in pinned, f"Colab's {name} runtime has no {needed.name}"
        has = pinned[needed.name]
        assert needed.specifier.contains(has), f"{needed} would replace Colab's {has} ({name})"


ON_TPU_RUNTIME = """
import importlib.metadata
import importlib.util

from lockstep.runtime import start

start("torch")
assert importlib.util.find_spec("tensorflow") is None, "a torch notebook needs no TensorFlow"
start("tensorflow", "tpu")
start("tensorflow", "tpu")  # nothing left to install
import tensorflow as tf

assert float(tf.reduce_sum(tf.ones(3))) == 3
assert importlib.metadata.version("tensorflow-cpu") == tf.__version__

import jax  # still works beside it

assert float(jax.numpy.ones(3).sum()) == 3
"""


@pytest.mark.parametrize("version", ["3.11", "3.13"])
def test_start_on_colabs_tpu_runtime(
    version: str, published: Path, tmp_path: Path, say: Say
) -> None:
    """A TensorFlow notebook installs what it needs there, and a torch notebook runs as it is.

    No TPU is here, so the build for TPUs is not installed: test_runtime checks that it is asked for
    where a chip is on the bus. Nor is its torch-xla, and torch is that of the other runtimes.
    """
    colab = environment(version, requirements("tpu"), say, "tpu")
    script = tmp_path / "script.py"
    script.write_text(ON_TPU_RUNTIME)
    env = plain_environment() | {"COLAB_RELEASE_TAG": "release-colab", "JAX_PLATFORMS": "cpu"}
    log, title = tmp_path / "log.txt", f"Python {version}, Colab's TPU list"
    with copy_of(colab) as copy:
        python = str(copy / "bin" / "python")
        course = f"git+{published.as_uri()}"
        run(title, [python, "-m", "pip", "install", "-q", course], log, INSTALL_LIMIT, say, env)
        before = freeze(copy)
        said = len(log.read_text())
        run(title, [python, str(script)], log, NOTEBOOK_LIMIT, say, env)
        after = freeze(copy)
    gone = sorted(before - after)
    assert not gone, f"installing TensorFlow changed what Colab has: {gone}"
    assert "tensorflow_cpu==2.20.0" in {line.replace("-", "_") for line in after}
    text = log.read_text()[said:]
    assert text.count("Installing tensorflow-cpu==2.20.0") == 1, text
    assert text.count(" · TensorFlow 2.20.0 · Keras 3.13.2 · ") == 2, text
    say(f"{title}: {text}")
