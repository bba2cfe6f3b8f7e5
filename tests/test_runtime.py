"""What start() promises a notebook, in processes and kernels of their own."""

import importlib.util
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from importlib.machinery import ModuleSpec
from importlib.metadata import version
from pathlib import Path

import pytest
from jupyter_client.blocking.client import BlockingKernelClient
from jupyter_client.manager import KernelManager, start_new_kernel

from lockstep import __version__, ahead, runtime


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of this test's own for temporary files, its processes' included."""
    folder = tmp_path / "tmp"
    folder.mkdir()
    monkeypatch.setenv("TMPDIR", str(folder))
    monkeypatch.setattr(tempfile, "tempdir", None)
    return folder


@pytest.fixture
def no_start(temporary: Path) -> Iterator[Path]:
    """Where a call in this process must fail before it has changed anything."""
    before = Path.cwd(), {key: os.environ.get(key) for key in runtime.ENVIRONMENT}
    yield temporary
    assert (Path.cwd(), {key: os.environ.get(key) for key in runtime.ENVIRONMENT}) == before
    assert list(temporary.iterdir()) == []


def python(
    code: str, temporary: Path, env: dict[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    script = temporary.parent / "script.py"  # a file, because AutoGraph reads the source
    script.write_text(code)
    command = [sys.executable, str(script)]
    return subprocess.run(command, capture_output=True, text=True, env=env)


def is_empty_soon(folder: Path) -> bool:
    deadline = time.monotonic() + 60
    while list(folder.iterdir()) and time.monotonic() < deadline:
        time.sleep(0.05)
    return not list(folder.iterdir())


def test_frameworks_in_one_quiet_line_and_devices_still_to_be_set(temporary: Path) -> None:
    code = f"""
import os
from lockstep.runtime import start

start("tensorflow", "torch", course="{__version__}")
import tensorflow as tf

# Inherited by the workers that a chapter starts.
assert os.environ["TF_CPP_MIN_LOG_LEVEL"] == "3"
assert os.environ["TF_ENABLE_ONEDNN_OPTS"] == "0"

cpu = tf.config.list_physical_devices("CPU")[0]
tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * 2)
assert len(tf.config.list_logical_devices("CPU")) == 2

@tf.function
def converted(x):
    if x > 0:  # so that AutoGraph writes a module
        x = x + 1
    return x

converted(tf.constant(1))
tf.get_logger().error("a later error")
os.write(2, b"a later line of native code")
"""
    environment = {key: os.environ[key] for key in os.environ if not key.startswith("TF_")}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    done = python(code, temporary, environment)
    assert done.returncode == 0, done.stderr
    # The torch with CUDA says "2.13.0+cu130" of itself, and its metadata say "2.13.0".
    line = (
        f"Python {re.escape(sys.version.split()[0])} · "
        rf"torch {re.escape(version('torch'))}(\+\w+)? · TensorFlow {version('tensorflow')} · "
        rf"Keras {version('keras')} · \d+ CPU cores?, .*GPU.*\n"
    )
    assert re.fullmatch(line, done.stdout)
    # Only what came after start(): stderr works again, and framework loggers kept it.
    assert done.stderr.splitlines() == [
        "ERROR:tensorflow:a later error",
        "a later line of native code",
    ]
    assert is_empty_soon(temporary)


def test_without_a_file_descriptor_for_stderr(temporary: Path) -> None:
    code = "import os; os.close(2); from lockstep.runtime import start; start('torch')"
    done = python(code, temporary)
    assert done.returncode == 0
    assert "torch" in done.stdout


def test_running_it_twice_stays_in_the_same_folder(temporary: Path) -> None:
    code = """
import os
from lockstep.runtime import start

start(), print(os.getcwd())
os.mkdir("inner"), os.chdir("inner")
start(), print(os.getcwd())
"""
    done = python(code, temporary)
    assert done.returncode == 0, done.stderr
    first, where, second, where_again = done.stdout.splitlines()
    assert (first, where) == (second, where_again)
    assert first.startswith("Python ")
    assert Path(where).parent == temporary
    assert is_empty_soon(temporary)


@pytest.mark.parametrize("asked", [("tensorflow", "torch"), ("torch", "tensorflow")])
def test_triton_and_torch_are_imported_before_tensorflow(
    monkeypatch: pytest.MonkeyPatch, asked: tuple[str, str]
) -> None:
    """test_colab shows what happens otherwise."""
    monkeypatch.delitem(sys.modules, "tensorflow", raising=False)
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: ModuleSpec(name, None))
    assert runtime.modules(asked) == ["triton", "torch", "tensorflow", "keras"]
    assert runtime.modules(["tensorflow"]) == ["triton", "tensorflow", "keras"]
    assert runtime.modules(["torch"]) == ["torch"], "it finds its triton by itself"
    monkeypatch.setitem(sys.modules, "tensorflow", runtime)
    assert runtime.modules(asked) == ["torch", "tensorflow", "keras"], "too late for triton"
    monkeypatch.delitem(sys.modules, "tensorflow")
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    assert runtime.modules(asked) == ["torch", "tensorflow", "keras"]


@pytest.fixture
def kernel(temporary: Path) -> Iterator[tuple[KernelManager, BlockingKernelClient]]:
    manager, client = start_new_kernel(kernel_name="python3")
    yield manager, client
    client.stop_channels()
    if manager.is_alive():
        manager.shutdown_kernel(now=True)


@pytest.mark.parametrize("now", [False, True], ids=["asked", "killed"])
def test_the_scratch_folder_goes_with_the_kernel(
    kernel: tuple[KernelManager, BlockingKernelClient], temporary: Path, now: bool
) -> None:
    manager, client = kernel
    code = "from lockstep.runtime import start; start(); open('left', 'w').close()"
    reply = client.execute_interactive(code, timeout=250, output_hook=lambda message: None)
    assert reply["content"]["status"] == "ok", reply["content"]
    assert list(temporary.glob("lockstep-*/left"))
    manager.interrupt_kernel()
    time.sleep(0.5)
    assert list(temporary.glob("lockstep-*/left")), "an interrupt must not end the folder"
    manager.shutdown_kernel(now=now)  # with now, by SIGKILL
    assert is_empty_soon(temporary)


@pytest.mark.parametrize("name", ["tensorfow", "", "Torch", ["torch"]])
def test_an_unknown_framework_is_named(no_start: Path, name: str) -> None:
    with pytest.raises(ValueError, match='knows "torch", "tensorflow", "tpu"') as caught:
        runtime.start("torch", name)
    assert repr(name) in str(caught.value)


@pytest.mark.parametrize("launches", ["tensorfow", "torch,tensorflow", "tpu"])
def test_an_unknown_framework_of_scripts_is_named(no_start: Path, launches: str) -> None:
    with pytest.raises(ValueError, match=r"unknown framework .* it knows torch, tens"):
        runtime.start("torch", launches=launches)
    with pytest.raises(ValueError, match=r"launches is \[.*\]: give text, as in "):
        runtime.start("torch", launches=[launches])  # type: ignore[arg-type]


@pytest.mark.skipif(not ahead.possible(), reason="ranks are forked on Linux only")
def test_what_is_launched_is_imported_ahead(temporary: Path) -> None:
    """In a process that is there when start() returns, and ends with this one."""
    code = """
from lockstep import ahead
from lockstep.launch import launch
from lockstep.runtime import start

start(launches="torch")
(server,) = ahead._servers.values()
open("script.py", "w").write("import os, torch; print(os.getppid())")
(supervisor,) = launch("script.py", 1)
print(list(ahead._servers.values()) == [server], ahead.refusals, server.process.poll())
"""
    done = python(code, temporary)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == "True [] None"
    assert is_empty_soon(temporary)


def take_away(module: str, monkeypatch: pytest.MonkeyPatch) -> None:
    find_spec = importlib.util.find_spec

    def find(name: str, package: str | None = None) -> ModuleSpec | None:
        return None if name == module else find_spec(name, package)

    monkeypatch.setattr(importlib.util, "find_spec", find)


@pytest.mark.parametrize(
    ("framework", "module"),
    [("tensorflow", "tensorflow"), ("tensorflow", "keras"), ("torch", "torch")],
)
def test_a_missing_framework_is_named_with_the_way_out(
    no_start: Path, monkeypatch: pytest.MonkeyPatch, framework: str, module: str
) -> None:
    monkeypatch.delenv("COLAB_RELEASE_TAG", raising=False)
    take_away(module, monkeypatch)
    with pytest.raises(ImportError, match=f"^{module} is not installed in this Python") as caught:
        runtime.start(framework)
    assert sys.executable in str(caught.value)
    assert "make book" in str(caught.value)


def test_torch_missing_on_colab_leads_to_another_runtime(
    no_start: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLAB_RELEASE_TAG", "release-colab")
    take_away("torch", monkeypatch)
    with pytest.raises(ImportError, match=r"^torch is not installed in this Colab") as caught:
        runtime.start("torch")
    assert "Runtime > Change runtime type > CPU" in str(caught.value)


@pytest.mark.parametrize(
    ("frameworks", "chips", "package"),
    [
        (["tensorflow"], 0, "tensorflow-cpu==2.20.0"),
        (["tensorflow"], 1, "tensorflow-cpu==2.20.0"),
        (["tensorflow", "tpu"], 0, "tensorflow-cpu==2.20.0"),
        (["tensorflow", "tpu"], 8, "tensorflow-tpu==2.20.0"),
    ],
)
def test_colabs_tpu_runtime_is_given_tensorflow(
    no_start: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    frameworks: list[str],
    chips: int,
    package: str,
) -> None:
    """pip fails here, so that the way out is seen; test_colab installs it for real."""
    monkeypatch.setenv("COLAB_RELEASE_TAG", "release-colab")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", "")
    monkeypatch.setattr(runtime, "tpu_chips", lambda pci: chips)
    take_away("tensorflow", monkeypatch)
    with pytest.raises(ImportError, match=r"^tensorflow could not be installed") as caught:
        runtime.start(*frameworks)
    assert "Runtime > Change runtime type > CPU" in str(caught.value)
    assert f"No matching distribution found for {package}" in str(caught.value)
    assert f"This runtime has no TensorFlow. Installing {package}" in capsys.readouterr().out


def test_the_versions_that_a_notebook_may_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runtime, "__version__", "1.12.0")
    for course in (None, "1", "1.12", "1.12.0"):
        runtime.check_course(course)
    for course in ("0.12", "1.1", "2", "12"):
        with pytest.raises(RuntimeError, match=f"version {course} of .* version 1.12.0 is inst"):
            runtime.check_course(course)


def test_a_notebook_for_another_version_is_stopped(no_start: Path) -> None:
    with pytest.raises(RuntimeError, match=runtime.BOOK):
        runtime.start("torch", course="9.9")


def test_tpu_chips_are_counted_on_the_bus(tmp_path: Path) -> None:
    devices = [
        ("0x1ae0", "0x0063"),
        ("0x1ae0", "0x0063"),
        ("0x1ae0", "0x0042"),
        ("0x10de", "0x0063"),
    ]
    for number, (vendor, device) in enumerate(devices):
        (tmp_path / str(number)).mkdir()
        (tmp_path / str(number) / "vendor").write_text(f"{vendor}\n")
        (tmp_path / str(number) / "device").write_text(f"{device}\n")
    assert runtime.tpu_chips(tmp_path) == 2
    assert runtime.tpu_chips(tmp_path / "none") == 0
