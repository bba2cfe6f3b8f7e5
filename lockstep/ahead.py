"""Imports made ahead: which modules a script imports, and servers that have imported them.

There is a server (`lockstep.ranks`) for each set of frameworks that scripts import, so that a torch
rank has no TensorFlow in it. `lockstep.runtime.start` starts those that a notebook will need; any
other, and one in the place of a server that no longer fits, is started by the launch that needs it.
They end with this process, however it ends.
"""

import ast
import contextlib
import json
import os
import resource
import secrets
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from lockstep import forkserver, ranks, supervisor

# The frameworks, and what else their first operations import. In this order: triton, which
# torch._dynamo imports, can crash where TensorFlow is there before it.
FRAMEWORKS = {
    "torch": ("torch", "torch._dynamo"),
    "tensorflow": ("tensorflow", "keras"),
    "jax": ("jax",),
}
# Of all processes that a launch starts. Unbuffered, so that output is live and a killed rank's is
# complete; the fault handler makes Python print where it is when it is ended at the time limit.
ENVIRONMENT = {"OMP_NUM_THREADS": "1", "PYTHONUNBUFFERED": "1", "PYTHONFAULTHANDLER": "1"}
# The beginning of the names of servers that many notebooks share, as in a build of the book.
SHARED = "LOCKSTEP_SERVERS"
# Set to 0, it gives every process an ordinary start.
SWITCH = "LOCKSTEP_FORK"
TRIES = 5


class Server(NamedTuple):
    """A server of this process."""

    process: subprocess.Popen[bytes]
    address: str


_servers: dict[str, Server] = {}
_threaded: set[str] = set()  # modules that start threads when they are imported
refusals: list[str] = []  # why servers did not take jobs, for who wants to know what was slow


def possible() -> bool:
    """Say whether processes are forked here: Linux can watch them, and hand over their orphans."""
    return sys.platform == "linux" and os.environ.get(SWITCH) != "0"


def imports(script: Path) -> list[str]:
    """Return the modules that a script imports when it begins, and those of modules beside it.

    Up to where it changes an environment variable: what it imports after that may read the new
    value. What a function imports is left out; `from a import b` gives "a" and "a.b", which may be
    no module.
    """
    found: list[str] = []
    for name in _imports(script, set()):
        if name is None:
            break
        found.append(name)
    return list(dict.fromkeys(found))


def _imports(script: Path, seen: set[Path]) -> Iterator[str | None]:
    """Yield modules in the order of a script's text, None where it changes the environment."""
    seen.add(script)
    try:
        tree = ast.parse(script.read_bytes())
    except (OSError, SyntaxError, ValueError):  # Python will say it when it runs the script
        return
    waiting: list[ast.AST] = [tree]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.stmt) and changes_environment(node):
            yield None
        for name in imported(node):
            top = script.parent / name.partition(".")[0]
            files = (top / "__init__.py", top.with_suffix(".py"))  # in Python's order
            beside = [file for file in files if file.exists()]
            if not beside:
                yield name
            elif beside[0] not in seen:
                yield from _imports(beside[0], seen)
        if isinstance(node, ast.Module | ast.If | ast.Try | ast.With):
            inner = [child for child in ast.iter_child_nodes(node) if isinstance(child, ast.stmt)]
            waiting.extend(reversed(inner))


def imported(node: ast.AST) -> list[str]:
    """Return the modules that a statement imports."""
    match node:
        case ast.Import():
            return [alias.name for alias in node.names]
        case ast.ImportFrom(module=str(module), level=0):
            return [module, *(f"{module}.{alias.name}" for alias in node.names)]
    return []


def changes_environment(statement: ast.stmt) -> bool:
    """Say whether a statement, or one within it, does more with `environ` than look it up."""
    looked_up: set[int] = set()
    for node in ast.walk(statement):  # what contains a node comes before it
        match node:
            case ast.Subscript(value=target, ctx=ast.Load()):
                looked_up.add(id(target))
            case ast.Attribute(value=target, attr="get" | "copy"):
                looked_up.add(id(target))
            case ast.Attribute(attr="putenv" | "unsetenv"):
                return True
            case ast.Attribute(attr="environ") | ast.Name(id="environ"):
                if id(node) not in looked_up:
                    return True
    return False


def frameworks(modules: Iterable[str], environment: Mapping[str, str]) -> list[str]:
    """Return which frameworks modules belong to, Keras to its backend."""
    tops = {name.partition(".")[0] for name in modules}
    if tops & {"keras", "tf_keras"}:
        tops.add(environment.get("KERAS_BACKEND", "tensorflow"))
    return [name for name in FRAMEWORKS if name in tops]


def start_server(
    names: Sequence[str], environment: Mapping[str, str], address: str, may_vary: Sequence[str] = ()
) -> Server:
    """Start a server that imports frameworks, and then waits for jobs."""
    modules = [module for name in names for module in FRAMEWORKS[name]]
    settings = {"modules": modules, "may vary": list(may_vary)}
    with forkserver.listen(address) as listener:
        command = [sys.executable, ranks.__file__, str(listener.fileno()), json.dumps(settings)]
        process = subprocess.Popen(
            [*command, " " * ranks.COMMAND_BYTES],
            env=dict(environment),
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            pass_fds=[listener.fileno()],
            start_new_session=True,  # out of reach of the signals that Jupyter sends to a kernel
        )
    return Server(process, address)


def get_ready(names: Sequence[str]) -> None:
    """Have frameworks imported in the background, for the launches to come."""
    if possible() and SHARED not in os.environ:
        server_of(names, {**os.environ, **ENVIRONMENT})


def server_of(names: Sequence[str], environment: Mapping[str, str]) -> Server:
    """Return the server of these frameworks, started now unless it runs."""
    key = "+".join(names)
    if key not in _servers or _servers[key].process.poll() is not None:
        _servers[key] = start_server(names, environment, f"lockstep-{secrets.token_hex(16)}")
    return _servers[key]


def end_server(names: Sequence[str]) -> None:
    """End the server of these frameworks, as it no longer fits."""
    if server := _servers.pop("+".join(names), None):
        assert server.process.stdin is not None
        server.process.stdin.close()
        with contextlib.suppress(subprocess.TimeoutExpired):  # another launch still runs on it
            server.process.wait(5)


def end_servers() -> None:
    """End all servers of this process, and give their memory back."""
    for key in list(_servers):
        end_server(key.split("+"))


def surroundings() -> dict[str, Any]:
    """Return what a process inherits beside its environment variables."""
    limits = [getattr(resource, name) for name in dir(resource) if name.startswith("RLIMIT_")]
    return {
        "cwd": os.getcwd(),
        "affinity": sorted(os.sched_getaffinity(0)),
        "limits": {limit: resource.getrlimit(limit) for limit in limits},
    }


def fork_job(job: Mapping[str, Any], descriptors: Sequence[int]) -> socket.socket | None:
    """Have the supervisor of a job forked, and return the connection to it.

    None where its processes need an ordinary start.

    Args:
        job: what `lockstep.supervisor` and `lockstep.ranks` read.
        descriptors: the machine's lock and the logs.
    """
    if not possible():
        return None
    found = imports(Path(job["script"]))
    shared = os.environ.get(SHARED)
    for _ in range(TRIES):
        modules = [name for name in found if not starts_threads(name)]
        names = frameworks(modules, job["environment"])
        modules = [module for name in names for module in FRAMEWORKS[name]] + modules
        if shared:
            address = shared + "+".join(names)
        else:
            address = server_of(names, job["environment"]).address
        channel, answer = ask({**job, **surroundings(), "modules": modules}, address, descriptors)
        if "started" in answer:
            return channel
        if channel:
            channel.close()
        refusals.append(answer.get("refused", "no server"))
        reason, _, what = refusals[-1].partition(": ")
        if shared:
            shared = None  # one of its own may do
        elif reason in {"environment", "changed", "threads"}:
            end_server(names)
            if reason == "threads":
                _threaded.add(what)
        else:
            return None
    return None


def starts_threads(module: str) -> bool:
    """Say whether importing a module is known to start threads."""
    return any(f"{module}.".startswith(f"{name}.") for name in _threaded)


def ask(
    request: Mapping[str, Any], address: str, descriptors: Sequence[int]
) -> tuple[socket.socket | None, dict[str, Any]]:
    """Send a request to a server; return the connection and the first answer, if there is one."""
    with tempfile.TemporaryFile() as file:
        file.write(json.dumps(request).encode())
        file.flush()
        try:
            channel = forkserver.ask(address, [file.fileno(), *descriptors])
        except OSError:  # no such server
            return None, {}
    try:
        return channel, json.loads(channel.recv(supervisor.ANSWER_BYTES) or b"{}")
    except BaseException:  # an interrupt, while the server imports
        channel.close()
        raise
