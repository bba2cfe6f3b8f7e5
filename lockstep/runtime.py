"""The start of every notebook: a scratch folder, quiet frameworks, one line on what is here."""

import contextlib
import importlib
import importlib.util
import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

from lockstep import __version__, ahead

BOOK = "https://OWNER-NOT-SET.github.io/lockstep/"

# What start() can be asked for: the modules that it imports for it, with the names that it prints,
# in the order in which they are imported.
FRAMEWORKS = {
    "torch": {"torch": "torch"},
    "tensorflow": {"tensorflow": "TensorFlow", "keras": "Keras"},
    "tpu": {},  # not imported: TensorFlow is to be the build that can use the TPU of this machine
}
# Colab's TPU runtime has no TensorFlow, and start() installs it: the version that Colab's other
# runtimes have. The build for TPUs is only for a notebook that asks for it. Importing it loads
# libtpu, which belongs to one process at a time, and most chapters start several.
ON_COLAB_TPU = {False: "tensorflow-cpu==2.20.0", True: "tensorflow-tpu==2.20.0"}
PCI = Path("/sys/bus/pci/devices")
INSTALL = {
    "tensorflow": "https://www.tensorflow.org/install",
    "torch": "https://pytorch.org/get-started/locally/",
}

# Read by the frameworks when they are imported, and inherited by the processes that a chapter
# starts. oneDNN picks kernels by CPU model, and with them the order of additions.
ENVIRONMENT = {
    "TF_CPP_MIN_LOG_LEVEL": "3",
    "TF_ENABLE_ONEDNN_OPTS": "0",
    "KERAS_BACKEND": "tensorflow",
    # AutoGraph writes code to the temporary folder and would leave its compiled form there.
    "PYTHONDONTWRITEBYTECODE": "1",
}

# PCI vendor Google, and the device ids of its TPUs, as in jax/_src/hardware_utils.py.
TPU_VENDOR = "0x1ae0"
TPU_DEVICES = {"0x0027", "0x0056", "0x005e", "0x0062", "0x0063", "0x006f", "0x0076"}

# Waits for the end of its standard input, which comes when the kernel ends, however it ends.
REMOVE_WHEN_KERNEL_ENDS = """
import shutil, sys
sys.stdin.read()
shutil.rmtree(sys.argv[1], ignore_errors=True)
"""

_scratch: Path | None = None
_remover: subprocess.Popen[bytes] | None = None  # a reference, because its pipe is the signal


def start(*frameworks: str, launches: str = "", course: str | None = None) -> None:
    """Make the kernel ready for a notebook, and print what it runs on in one line.

    Works in a scratch folder that is removed when the kernel ends, and imports `frameworks` with
    their logging off, in the order that works (`modules`), whatever the order of the arguments.
    TensorFlow's runtime is not started, so logical devices can still be set.
    Running it again changes nothing. Colab's TPU runtime has no TensorFlow: there it is installed
    first, which takes a minute or two, and a torch notebook runs as it is.

    Args:
        frameworks: any of "tensorflow" and "torch"; and "tpu" beside "tensorflow" for a notebook
            that uses the TPU itself.
        launches: which of them the scripts import that the notebook launches, such as "torch" or
            "tensorflow, torch". They are imported once more in the background, in a process that
            ranks are forked from (`lockstep.ahead`), so that the first launch is quick too. It
            holds 0.3 GB for torch, 0.7 GB for TensorFlow, until the notebook's kernel ends.
        course: the version of the package that the notebook was written for, such as "0.1".
            Old copies of notebooks call this function in the newest package: it must go on
            accepting what their set-up cells pass.

    Raises:
        ValueError: a framework that start() does not know.
        ImportError: a framework that is not installed here, and cannot be.
        RuntimeError: a notebook written for another version of the package.
    """
    check_course(course)
    if not isinstance(launches, str):
        raise ValueError(f'launches is {launches!r}: give text, as in "tensorflow, torch".')
    launched = launches.split(", ") if launches else []
    for name in launched:  # a script that lacks one says so itself
        if name not in ahead.FRAMEWORKS:
            known = ", ".join(ahead.FRAMEWORKS)
            raise ValueError(
                f"launches is {launches!r}, with an unknown framework {name!r}: it knows {known}, "
                'with a comma and a space between two of them, as in "tensorflow, torch".'
            )
    for name in frameworks:
        _check_framework(name, to_install=name == "tensorflow" and _on_colab())
    if "tensorflow" in frameworks and importlib.util.find_spec("tensorflow") is None:
        _install_tensorflow(ON_COLAB_TPU["tpu" in frameworks and tpu_chips(PCI) > 0])
    _enter_scratch_folder()
    for key, value in ENVIRONMENT.items():
        os.environ.setdefault(key, value)

    # The line grows during the imports, so that it shows what the reader is waiting for.
    print(f"Python {platform.python_version()}", end="", flush=True)
    titles = {module: title for named in FRAMEWORKS.values() for module, title in named.items()}
    for module in modules(frameworks):
        if module in titles:
            print(f" · {titles[module]}", end="", flush=True)
        with _quiet():
            imported = importlib.import_module(module)
        if module in titles:
            print(f" {imported.__version__}", end="", flush=True)
    sys.dont_write_bytecode = True  # what the variable says, for the process that runs already
    with _quiet():
        found = _devices()
    print(f" · {found}")
    if "tpu" not in frameworks or tpu_chips(PCI) == 0:  # importing would claim the chips
        for name in launched:
            ahead.get_ready([name])


def modules(frameworks: Iterable[str]) -> list[str]:
    """Return the modules to import for `frameworks`, in the order that works.

    triton must come before TensorFlow. From version 3.7 on it shows all of its LLVM to the linker,
    as TensorFlow does with another version of LLVM. Imported after TensorFlow, it is bound to that
    one, and ends the process with a segmentation fault. Where torch has CUDA it brings triton
    along, and imports it late, at an optimizer's first step. So triton comes first wherever
    TensorFlow comes, also for a torch that a later cell imports.
    """
    names = set(frameworks)
    asked = [module for name in FRAMEWORKS if name in names for module in FRAMEWORKS[name]]
    if "tensorflow" not in asked or "tensorflow" in sys.modules:
        return asked
    return (["triton"] if importlib.util.find_spec("triton") else []) + asked


def check_course(course: str | None) -> None:
    """Check that a notebook written for version `course` fits the installed package.

    "0.1" fits 0.1.0 and 0.1.7, not 0.2.0; "1" fits 1.4.2. `None` fits all.

    Raises:
        RuntimeError: it does not fit.
    """
    if course is not None and not f"{__version__}.".startswith(f"{course}."):
        raise RuntimeError(
            f"This copy of the notebook was written for version {course} of the course's package, "
            f"and version {__version__} is installed. Open the notebook again from the book, "
            f"{BOOK} , where the two fit together; in a clone, run `git pull` and `pip install .`."
        )


def _on_colab() -> bool:
    return "COLAB_RELEASE_TAG" in os.environ


def _check_framework(name: str, to_install: bool) -> None:
    if name not in list(FRAMEWORKS):
        known = ", ".join(f'"{known}"' for known in FRAMEWORKS)
        raise ValueError(f"unknown framework {name!r}: start() knows {known}.")
    for module in FRAMEWORKS[name]:
        if importlib.util.find_spec(module) is None and not to_install:
            raise ImportError(f"{module} is not installed in {_way_out(name)}")


def _way_out(framework: str) -> str:
    if not _on_colab():
        return (
            f"this Python, {sys.executable} . In a clone of the course, run `make book` once and "
            f"choose its environment as the kernel; elsewhere, install it: {INSTALL[framework]} ."
        )
    return (
        "this Colab runtime. Choose Runtime > Change runtime type > CPU, and run the "
        "notebook again from the top."
    )


def _install_tensorflow(package: str) -> None:
    """Install the distribution `package`, printing a dot every 5 seconds.

    Raises:
        ImportError: pip could not, with the end of what it said.
    """
    print(f"This runtime has no TensorFlow. Installing {package}, 260 MB: a minute or two ", end="")
    begin = time.monotonic()
    with tempfile.TemporaryFile("w+") as said:
        pip = subprocess.Popen(
            [sys.executable, "-m", "pip", "install", "-q", package],
            stdin=subprocess.DEVNULL,
            stdout=said,
            stderr=subprocess.STDOUT,
        )
        try:
            while pip.poll() is None:
                print(".", end="", flush=True)
                with contextlib.suppress(subprocess.TimeoutExpired):
                    pip.wait(5)
        finally:
            pip.kill()  # of an interrupted cell; one that has ended is left alone
            pip.wait()
        said.seek(0)
        last = said.read()[-2000:]
    print(f" {time.monotonic() - begin:.0f} s")
    if pip.returncode != 0:
        raise ImportError(f"tensorflow could not be installed in {_way_out('tensorflow')}\n{last}")
    importlib.invalidate_caches()


def _enter_scratch_folder() -> None:
    global _scratch, _remover
    if _scratch is None:
        _scratch = Path(tempfile.mkdtemp(prefix="lockstep-"))
        # A process and not atexit, which a kernel ended with SIGKILL never reaches. A session of
        # its own, so that an interrupted cell does not end it.
        _remover = subprocess.Popen(
            [sys.executable, "-I", "-S", "-c", REMOVE_WHEN_KERNEL_ENDS, str(_scratch)],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd=_scratch.parent,
            start_new_session=True,
        )
    os.chdir(_scratch)


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Send what native code and the interpreter write to file descriptor 2 nowhere.

    `sys.stderr` stays what it is: a framework's logger keeps the one it finds at import.
    """
    try:
        saved = os.dup(2)
    except OSError:  # the process has no file descriptor 2: nothing can be written to it
        yield
        return
    null = os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(null, 2)
        yield
    finally:
        os.dup2(saved, 2)
        os.close(saved)
        os.close(null)


def _devices() -> str:
    """Name the CPU cores this process may use, and the accelerators that an import has shown."""
    cores = (
        len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    )
    gpus = 0
    if "tensorflow" in sys.modules:
        # Physical devices only: listing logical ones would start the runtime.
        gpus = len(sys.modules["tensorflow"].config.list_physical_devices("GPU"))
    if "torch" in sys.modules:
        gpus = max(gpus, sys.modules["torch"].cuda.device_count())
    tpus = tpu_chips(PCI)
    found = [_count(cores, "CPU core"), _count(gpus, "GPU")]
    if tpus:
        found.append(_count(tpus, "TPU chip"))
    return ", ".join(found)


def _count(number: int, noun: str) -> str:
    return f"no {noun}" if number == 0 else f"{number} {noun}{'s' if number > 1 else ''}"


def tpu_chips(pci: Path) -> int:
    """Count TPU chips on the PCI bus, because asking a framework would claim them."""
    try:
        return sum(
            (device / "device").read_text().strip() in TPU_DEVICES
            for device in pci.glob("*")
            if (device / "vendor").read_text().strip() == TPU_VENDOR
        )
    except OSError:  # a bus that may not be read
        return 0
