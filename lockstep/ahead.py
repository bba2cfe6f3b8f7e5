"""Imports made ahead: the servers that have imported what scripts import (`lockstep.imports`).

There is a server (`lockstep.ranks`) for each set of frameworks that scripts import, so that a torch
rank has no TensorFlow in it. `lockstep.runtime.start` starts those that a notebook will need; any
other, and one in the place of a server that no longer fits, is started by the launch that needs it.
They end with this process, however it ends.
"""

import contextlib
import json
import os
import resource
import secrets
import select
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from lockstep import forkserver, imports, ranks, supervisor

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
# Why a server did not answer: it has ended, or it does not come to it.
GONE, STUCK = "gone", "stuck"
PATIENCE_S = 20.0  # for a server to import, at least


class Server(NamedTuple):
    """A server of this process."""

    process: subprocess.Popen[bytes]
    address: str
    folder: str  # for temporary files


_servers: dict[str, Server] = {}
_changing = threading.RLock()  # of them
# Modules that start threads when they are imported, and the OMP_NUM_THREADS with which they do.
_threaded: set[tuple[str, str | None]] = set()
refusals: list[str] = []  # why servers did not take jobs, for who wants to know what was slow


def possible() -> bool:
    """Say whether processes are forked here: Linux can watch them, and hand over their orphans."""
    return sys.platform == "linux" and os.environ.get(SWITCH) != "0"


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
    folder = tempfile.mkdtemp(prefix="lockstep-")
    settings = {"modules": modules, "may vary": list(may_vary), "folder": folder}
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
    return Server(process, address, folder)


def stop(server: Server, kill: bool = False) -> None:
    """End a server; at once, or when what it has forked has ended."""
    if kill:
        server.process.kill()
    assert server.process.stdin is not None
    server.process.stdin.close()
    with contextlib.suppress(subprocess.TimeoutExpired):
        server.process.wait(1)
    shutil.rmtree(server.folder, ignore_errors=True)


def get_ready(names: Sequence[str]) -> None:
    """Have frameworks imported in the background, for the launches to come."""
    if possible() and SHARED not in os.environ:
        server_of(names, {**os.environ, **ENVIRONMENT})


def server_of(names: Sequence[str], environment: Mapping[str, str]) -> Server:
    """Return the server of these frameworks, started now unless it runs."""
    key = "+".join(names)
    with _changing:
        server = _servers.get(key)
        if server and server.process.poll() is not None:
            stop(server)
            server = None
        if server is None:
            address = f"lockstep-{secrets.token_hex(16)}"
            server = start_server(names, environment, address)
            _servers[key] = server
        return server


def end_server(server: Server, kill: bool = False) -> None:
    """End a server that no longer fits, unless another launch has done so."""
    with _changing:
        for key in [key for key, other in _servers.items() if other is server]:
            del _servers[key]
            stop(server, kill)


def end_servers() -> None:
    """End all servers of this process, and give their memory back."""
    for server in list(_servers.values()):
        end_server(server)


def surroundings() -> dict[str, Any]:
    """Return the working folder, umask, CPUs and limits, which a process inherits."""
    limits = [getattr(resource, name) for name in dir(resource) if name.startswith("RLIMIT_")]
    os.umask(umask := os.umask(0))
    return {
        "cwd": os.getcwd(),
        "umask": umask,
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
    script = Path(job["script"])
    if not possible() or b"\0" in script.read_bytes():  # compiled, or an archive
        return None
    try:
        around = surroundings()
    except OSError:  # the working folder is gone
        return None
    read = imports.scan(script)
    threads = job["environment"].get("OMP_NUM_THREADS")
    shared = os.environ.get(SHARED)
    gone = False
    for _ in range(TRIES):
        modules = [name for name in read.first if not starts_threads(name, threads)]
        names = frameworks(modules, job["environment"])
        first = {module.partition(".")[0] for module in modules}
        request = {
            **job,
            **around,
            "modules": [module for name in names for module in FRAMEWORKS[name]] + modules,
            "later": sorted({module.partition(".")[0] for module in read.later} - first),
        }
        server = None if shared else server_of(names, job["environment"])
        address = server.address if server else f"{shared}{'+'.join(names)}"
        channel, answer = ask(request, address, descriptors, max(PATIENCE_S, job["timeout"]))
        if "started" in answer:
            return channel
        if channel:
            channel.close()
        refusals.append(answer["refused"])
        reason, _, what = refusals[-1].partition(": ")
        if server is None:
            shared = None  # one of its own may do
        elif reason == GONE and not gone:
            gone = True
            end_server(server)  # for another launch, or somebody killed it
        elif reason in {GONE, STUCK}:
            end_server(server, kill=True)
            return None
        elif reason in {"environment", "changed", "threads"}:
            end_server(server)
            if reason == "threads":
                _threaded.add((what, threads))
        else:
            return None
    return None


def starts_threads(module: str, threads: str | None) -> bool:
    """Say whether importing a module is known to start threads, with this OMP_NUM_THREADS."""
    known = [name for name, number in _threaded if number == threads]
    return any(f"{module}.".startswith(f"{name}.") for name in known)


def ask(
    request: Mapping[str, Any], address: str, descriptors: Sequence[int], patience: float
) -> tuple[socket.socket | None, dict[str, Any]]:
    """Send a request to a server; return the connection and the first answer, if there is one."""
    channel = None
    with tempfile.TemporaryFile() as file:
        file.write(json.dumps(request).encode())
        file.flush()
        try:
            channel = forkserver.ask(address, [file.fileno(), *descriptors])
            if not select.select([channel], [], [], patience)[0]:
                return channel, {"refused": STUCK}
            if answer := channel.recv(supervisor.ANSWER_BYTES):
                return channel, json.loads(answer)
        except OSError:  # there is no such server, or no more
            pass
        except BaseException:  # an interrupt, while the server imports
            if channel:
                channel.close()
            raise
    return channel, {"refused": GONE}
