"""What a script imports when it begins, as far as reading it can tell.

Read, and not run: `lockstep.ahead` wants to know it before the script starts, to import the same in
a process that ranks are forked from.
"""

import ast
import importlib.util
import site
import sys
import sysconfig
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

# What a statement may do to the imports after it: nobody knows, or it changes what they read.
UNKNOWN, CHANGED = "?", "!"
# What does the latter, by its name; a mere look at `environ` does not.
CHANGES = {"environb", "putenv", "unsetenv", "setenv", "addsitedir", "exec", "eval"}
CHANGES |= {"import_module", "__import__", "meta_path", "path_hooks"}
# Functions that a script may call before it imports something: they change nothing.
HARMLESS = {"bool", "dict", "float", "int", "len", "list", "max", "min", "range", "set", "sorted"}
HARMLESS |= {"str", "sum", "tuple", "zip", "Path", "print"}
# Where modules lie that do not change under a running kernel, but for an installation.
PACKAGES = (*site.getsitepackages(), site.getusersitepackages())
INSTALLED = (*PACKAGES, *(sysconfig.get_paths()[kind] for kind in ("stdlib", "platstdlib")))


class Scan(NamedTuple):
    """The modules that a script imports when it begins, as far as reading it can tell.

    `first`: those that may be imported ahead. `later`: those that come after something that an
    import may read has been changed, the environment or where modules are looked for.
    """

    first: list[str]
    later: list[str]


def scan(script: Path) -> Scan:
    """Read what a script imports, and the modules beside it that it imports.

    Imported ahead is what comes before the first statement that may do more than define something,
    and only what is installed: other modules may themselves do something. What a function imports
    is left out; `from a import b` gives "a" and "a.b", which may be no module.
    """
    found = Scan([], [])
    reached = ""
    for name in _names(script, set()):
        if name in (UNKNOWN, CHANGED):
            reached = CHANGED if CHANGED in (name, reached) else UNKNOWN
        elif not reached:
            found.first.append(name)
        elif reached == CHANGED:
            found.later.append(name)
    return found


def _names(script: Path, seen: set[Path]) -> Iterator[str]:
    """Yield modules in the order of a script's text, and what other statements may do."""
    seen.add(script)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # Python will say it when it runs the script
            tree = ast.parse(script.read_bytes())
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):  # likewise
        return
    waiting: list[ast.AST] = [tree]
    while waiting:
        node = waiting.pop()
        for name in imported(node):
            top = name.partition(".")[0]
            beside = script.parent / f"{top}.py"
            if (script.parent / top).is_dir() or not (beside.exists() or is_installed(top)):
                yield name
                yield UNKNOWN
            elif not beside.exists():
                yield name
            elif beside not in seen:
                yield from _names(beside, seen)
        if isinstance(node, ast.Module | ast.If | ast.Try | ast.With):
            inner = [child for child in ast.iter_child_nodes(node) if isinstance(child, ast.stmt)]
            waiting.extend(reversed(inner))
            rest = [child for child in ast.iter_child_nodes(node) if child not in inner]
        else:
            rest = [node]
        yield from filter(None, map(effect, rest))


def imported(node: ast.AST) -> list[str]:
    """Return the modules that a statement imports."""
    match node:
        case ast.Import():
            return [alias.name for alias in node.names]
        case ast.ImportFrom(module=str(module), level=0):
            return [module, *(f"{module}.{alias.name}" for alias in node.names)]
    return []


def is_installed(module: str) -> bool:
    """Say whether a module is of the standard library, an installed package, or this one."""
    if module == "lockstep" or module in sys.stdlib_module_names:
        return True
    try:
        spec = importlib.util.find_spec(module)
    except (ImportError, ValueError):
        return False
    return spec is not None and bool(spec.origin) and str(spec.origin).startswith(INSTALLED)


def effect(node: ast.AST) -> str:
    """Say what a part of a script may do when it is run: "", UNKNOWN or CHANGED."""
    looked_up: set[int] = set()
    for inner in ast.walk(node):  # what contains a part comes before it
        match inner:
            case ast.Subscript(value=target, ctx=ast.Load()):
                looked_up.add(id(target))
            case ast.Attribute(value=target, attr="get" | "copy"):
                looked_up.add(id(target))
        match inner:
            case ast.alias(name="environ", asname=str()):
                return CHANGED
            case ast.Attribute(attr="environ") | ast.Name(id="environ"):
                if id(inner) not in looked_up:
                    return CHANGED
            case ast.Attribute(attr=name) | ast.Name(id=name) | ast.alias(name=name):
                if name in CHANGES or ast.unparse(inner) in {"sys.path", "sys.modules"}:
                    return CHANGED
    return UNKNOWN if any(map(is_unknown, run_at_once(node))) else ""


def run_at_once(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the parts of a statement that run when it is reached: not the bodies of functions."""
    yield node
    for child in ast.iter_child_nodes(node):
        inside = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
        if not (inside and child not in getattr(node, "decorator_list", [])):
            yield from run_at_once(child)


def is_unknown(part: ast.AST) -> bool:
    """Say whether a part of a statement may do anything but define something."""
    match part:
        case ast.Call(func=ast.Name(id=name)) if name in HARMLESS:
            return False
        case ast.Call(func=ast.Attribute(value=ast.Attribute(attr="environ"), attr="get")):
            return False
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
            return bool(part.decorator_list)
        case ast.Attribute(ctx=ast.Store()) | ast.Subscript(ctx=ast.Store()):
            return True
    return isinstance(part, ast.Call | ast.Delete)
