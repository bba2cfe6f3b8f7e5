"""What the outputs of a notebook depend on. Its digest, the key, names the file that holds them.

A notebook depends on its code, the files beside it, what is installed, and of the package on the
modules that it and its scripts import, directly or not, and on the data that these read. So an edit
of a question executes the chapter that asks it, and an edit of a module those that import it.

Style sheets and scripts of the page are in no key: `tools.notebooks.assets` puts the present ones
into a page when it is built.
"""

import ast
import functools
import hashlib
import importlib.metadata
import json
import platform
import re
from collections.abc import Iterable
from pathlib import Path

from IPython.core.inputtransformer2 import TransformerManager

from tools import CACHE, ROOT
from tools.environment.install import PINS
from tools.notebooks import files

PACKAGE = ROOT / "lockstep"
# Every notebook is executed in a kernel of this module.
KERNELS = PACKAGE / "grading" / "kernels.py"
# Data of the package, and the module that reads it. {} is the slug of a chapter.
READ_BY = {"questions": "bank/{}.yaml", "tables": "measured/*.yaml"}


@functools.cache
def imported(code: str) -> frozenset[str]:
    """Return the modules that a cell or script imports anywhere; `from a import b` gives a and a.b.

    What is no Python imports nothing: it fails when it is run.
    """
    if code.startswith("%%writefile"):
        code = code.partition("\n")[2]
    try:
        tree = ast.parse(TransformerManager().transform_cell(code))
    except SyntaxError:
        return frozenset()
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return frozenset(found)


@functools.cache
def files_of(module: str) -> tuple[Path, ...]:
    """Return the files of the package that importing a module runs, empty if it is not in there."""
    parts = module.split(".")
    if parts[0] != PACKAGE.name:
        return ()
    folders = [PACKAGE.joinpath(*parts[1:end], "__init__.py") for end in range(1, len(parts) + 1)]
    paths = [*folders, PACKAGE.joinpath(*parts[1:]).with_suffix(".py")]
    return tuple(path for path in paths if path.is_file())


def used(code: Iterable[str], slug: str) -> set[Path]:
    """Return the files of the package that code uses, directly or not.

    Args:
        code: of cells and scripts.
        slug: the name of the notebook: a chapter asks the questions of this name.
    """
    found = {KERNELS}
    waiting = [KERNELS.read_text(encoding="utf-8"), *code]
    while waiting:
        for module in imported(waiting.pop()):
            new = set(files_of(module)) - found
            found |= new
            waiting += [path.read_text(encoding="utf-8") for path in new]
    for module, pattern in READ_BY.items():
        if PACKAGE / f"{module}.py" in found:
            found |= set(PACKAGE.glob(pattern.format(slug)))
    return found


def installed(name: str) -> str:
    """Return the installed version of a distribution, or "none"."""
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return "none"


def requirement_names() -> list[str]:
    """Return the names that requirements.txt and requirements-no-deps.txt pin."""
    pins = "".join((ROOT / name).read_text() for name in PINS if name.startswith("requirements"))
    return re.findall(r"(?m)^([A-Za-z0-9._-]+)==", pins)


@functools.cache
def versions() -> tuple[str, ...]:
    """Return the versions of Python and of everything that is pinned."""
    pins = "".join((ROOT / name).read_text() for name in PINS if name.endswith(".txt"))
    names = sorted(set(re.findall(r"(?m)^([A-Za-z0-9._-]+)==", pins)))
    npm = (ROOT / "package.json").read_text()
    return (platform.python_version(), *(f"{name} {installed(name)}" for name in names), npm)


def digests(paths: Iterable[Path]) -> list[str]:
    """Return names and digests of files, in a fixed order."""
    return [
        f"{path.relative_to(ROOT)} {hashlib.sha256(path.read_bytes()).hexdigest()}"
        for path in sorted(paths)
        if path.is_file()
    ]


def stored_at(notebook: Path, code: list[str]) -> Path:
    """Return where the outputs of a notebook with these code cells are stored, or will be."""
    beside = [path for path in notebook.parent.iterdir() if path.suffix not in {".ipynb", ".md"}]
    parts = [versions(), digests(beside), digests(used(code, files.name(notebook))), code]
    key = hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:20]
    return CACHE / "executed" / files.name(notebook) / f"{key}.json"
