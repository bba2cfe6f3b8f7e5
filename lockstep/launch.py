"""Start a script as several processes on this machine, and leave none of them alive.

`launch` starts the ranks of a PyTorch job, `launch_cluster` the tasks of a TensorFlow cluster. Both
run `python script args...` once per process, with the environment variables that the framework
reads, so a script that runs here runs under torchrun, Slurm or Kubernetes as well.

- **In a moment.** On Linux, processes are forked from one that has imported what the script imports
  (`lockstep.ahead`), and a script cannot tell: `lockstep.ranks` says how, and what it could notice.
  With `fresh=True`, with LOCKSTEP_FORK=0 in the environment, where a module starts threads when it
  is imported, and on macOS each process starts and imports by itself, with the same results.
- **Output.** What rank 0 prints is shown at once, what the others print when all have ended, in
  rank order; from the third second on, what all print as they print it. Standard error goes with
  standard output. It is returned too. Of an output over 200 kB the beginning and the end are shown,
  and all of it is left in the working folder. Lines that TensorFlow logs about itself when it is
  imported are left out.
- **Failure.** A rank that ends with an error ends all others a second later. A rank that does not
  end is ended at the hard limit, `timeout`. Either raises `LaunchError` with the last lines of the
  rank in question.
- **Nothing stays** when the run is over, the cell interrupted or the kernel killed: no process,
  and no temporary file, as each run has a TMPDIR of its own.
- **Beside each other, or alone.** Launches of one machine run beside each other. One that counts
  bytes or seconds says `alone=True`: it waits for the others, and they for it, for three minutes at
  most. The wait is not part of `timeout`.

Linux and macOS. On macOS a process that a rank starts in a session of its own is not ended.
"""

import codecs
import contextlib
import fcntl
import json
import os
import re
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from numbers import Real
from pathlib import Path
from typing import IO, Any

from lockstep import ahead, arguments, ranks, supervisor

JOBS = ("chief", "worker", "ps")
LOOK_S = 0.1  # how often the output is looked at
LIVE_AFTER_S = 2.0  # from when on the output of all processes is
WAIT_S = 180.0  # for other launches
WAITING = "[launch] Waiting for another launch on this machine to end."
# Bytes of an output that are shown of its beginning, and as many of its end.
SHOWN = 100_000
TRIES = 3
# TensorFlow logs this about itself before its level of logging is set; with times and process ids,
# so that no two runs print the same.
NOISE = re.compile(r"WARNING: All log messages before absl|[IW]0000 00:00:")
# A folder can be locked like a file. These are the same for every user and every TMPDIR, anyone may
# open them, and a lock on them leaves no file behind.
LOCK, GATE = "/tmp", "/"
RANKS = f'File "{ranks.__file__}"'  # the frames below a forked script's own


class LaunchError(RuntimeError):
    """A launch whose processes failed, hung or were ended; says which, and shows their last lines.

    Its message is all that a notebook shows: the frames between belong to `launch`, not to the
    script.
    """

    def _render_traceback_(self) -> list[str]:  # IPython asks for this
        return f"LaunchError: {self}".splitlines()


def launch(
    script: str | os.PathLike[str],
    world_size: int,
    *,
    args: Sequence[object] = (),
    env: Mapping[str, object] | None = None,
    timeout: float = 60.0,
    alone: bool = False,
    fresh: bool = False,
) -> list[str]:
    """Run `python script args...` as `world_size` ranks; return what each printed, in rank order.

    Each rank finds RANK, LOCAL_RANK, WORLD_SIZE, LOCAL_WORLD_SIZE, MASTER_ADDR, MASTER_PORT (a free
    port) and OMP_NUM_THREADS=1 in its environment, as under `torchrun`; `env` adds further
    variables, and may change OMP_NUM_THREADS. `timeout` is in seconds, from the start of the ranks.
    `alone`: no other launch runs on this machine meanwhile. `fresh`: each rank imports by itself.

    If another program takes the port before rank 0 does, the run is started again with another
    port, at most twice, and says so.

    Raises `LaunchError` if a rank ends with anything but exit code 0, or has not ended in time;
    FileNotFoundError, TypeError or ValueError for an input that cannot be right.

    Example: `launch("train.py", 2, args=["--steps", 10])`.
    """
    world_size = arguments.plain(world_size)
    if not isinstance(world_size, int) or world_size < 1:
        raise ValueError(
            f"world_size is {world_size!r}, but must be an int, 1 or more: "
            f'launch("train.py", 2) starts two ranks.'
        )

    def variables(ports: list[int]) -> list[dict[str, str]]:
        size = str(world_size)
        shared = {"WORLD_SIZE": size, "LOCAL_WORLD_SIZE": size}
        shared |= {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(ports[0])}
        return [shared | {"RANK": str(i), "LOCAL_RANK": str(i)} for i in range(world_size)]

    names = [f"rank {rank}" for rank in range(world_size)]
    how = (args, env, timeout, alone, fresh)
    return list(_run(script, *how, names, names, (), 1, variables).values())


def launch_cluster(
    script: str | os.PathLike[str],
    cluster: Mapping[str, int],
    *,
    may_fail: Sequence[str] = (),
    args: Sequence[object] = (),
    env: Mapping[str, object] | None = None,
    timeout: float = 60.0,
    alone: bool = False,
    fresh: bool = False,
) -> dict[str, str]:
    """Run `python script args...` once per task of a TensorFlow cluster; return what each printed.

    `cluster` says how many tasks each job has: `{"worker": 2}`, or `{"chief": 1, "worker": 2,
    "ps": 1}`. Each task finds its TF_CONFIG, with free ports, and OMP_NUM_THREADS=1 in its
    environment. The result, and what is shown, is in the order chief, workers, parameter servers,
    under names such as "worker 0".

    With a "ps" job the run is over when the chief has ended, since servers wait for ever; without
    one, when every task has. The tasks named in `may_fail`, such as "worker 1", may end with an
    error: that ends no other task, is no failure of the launch, and is printed in one line. Such a
    task must end all the same where the run waits for every task. For the rest see `launch`.

    Example: `launch_cluster("train.py", {"worker": 2}, may_fail=["worker 1"])["worker 0"]`.
    """
    if isinstance(cluster, Mapping):
        cluster = {job: arguments.plain(count) for job, count in cluster.items()}
    if (
        not isinstance(cluster, Mapping)
        or not cluster
        or any(job not in JOBS or not isinstance(n, int) or n < 1 for job, n in cluster.items())
        or cluster.get("chief", 1) != 1
        or ("ps" in cluster and "chief" not in cluster)
    ):
        raise ValueError(
            f"cluster is {cluster!r}, but must give the number of tasks, 1 or more, of one or more "
            f"of the jobs {', '.join(JOBS)}; at most one chief, and one where there is a ps: "
            f'{{"worker": 2}} or {{"chief": 1, "worker": 2, "ps": 1}}.'
        )
    tasks = [(job, index) for job in JOBS for index in range(cluster.get(job, 0))]
    names = [f"{job} {index}" for job, index in tasks]
    if (
        isinstance(may_fail, str)
        or not isinstance(may_fail, Iterable)
        or any(name not in names for name in may_fail)
    ):
        raise ValueError(
            f"may_fail is {may_fail!r}, but must be a list of tasks of this cluster, which are "
            f'{", ".join(names)}: may_fail=["{names[-1]}"].'
        )

    def variables(ports: list[int]) -> list[dict[str, str]]:
        addresses: dict[str, list[str]] = {}
        for (job, _), port in zip(tasks, ports, strict=True):
            addresses.setdefault(job, []).append(f"127.0.0.1:{port}")
        return [
            {"TF_CONFIG": json.dumps({"cluster": addresses, "task": {"type": job, "index": index}})}
            for job, index in tasks
        ]

    needed = ["chief 0"] if "ps" in cluster else names
    how = (args, env, timeout, alone, fresh)
    return _run(script, *how, names, needed, may_fail, len(tasks), variables)


def _run(
    script: str | os.PathLike[str],
    args: Sequence[object],
    env: Mapping[str, object] | None,
    timeout: float,
    alone: bool,
    fresh: bool,
    names: list[str],
    needed: list[str],
    may_fail: Sequence[str],
    n_ports: int,
    variables: Callable[[list[int]], list[dict[str, str]]],
) -> dict[str, str]:
    """Check the inputs that both kinds of launch share, and run: again if a port was taken."""
    if not isinstance(script, str | os.PathLike):
        raise TypeError(f'script is {script!r}, but must be the path of a file: "train.py".')
    path = Path(script)
    if not path.is_file():
        raise FileNotFoundError(
            f"script is {str(script)!r}, but there is no such file in {Path.cwd()}. "
            f"Write it first: a cell that begins with `%%writefile {path.name}` does."
        )
    args = arguments.plain(args)
    if isinstance(args, str | bytes) or not isinstance(args, Sequence):
        raise TypeError(
            f"args is {args!r}, but must be a list with one item for each argument: "
            f'args=["--steps", 10].'
        )
    if not isinstance(env, Mapping | None):
        raise TypeError(
            f"env is {env!r}, but must be a mapping from the names of variables to their values: "
            'env={"COLOUR": "red"}.'
        )
    for key, value in (env or {}).items():
        if not isinstance(key, str) or not key or "=" in key or value is None:
            raise ValueError(
                f'env has {key!r}: {value!r}, but a name must be text without "=", and there must '
                'be a value: env={"COLOUR": "red"}. Leave out what is not to be set.'
            )
    timeout = arguments.plain(timeout)
    if not isinstance(timeout, Real) or not 0 < timeout < float("inf"):
        raise ValueError(
            f"timeout is {timeout!r}, but must be a finite number of seconds above 0: timeout=60."
        )
    given = {key: str(value) for key, value in (env or {}).items()}
    job = {
        "script": str(path),
        "args": [*map(str, args)],
        "environment": {**os.environ, **ahead.ENVIRONMENT, **given},
        "needed": [names.index(name) for name in needed],
        "may_fail": [names.index(name) for name in may_fail],
        "timeout": timeout,
    }
    with _machine_lock(alone) as lock:
        for left in reversed(range(TRIES)):
            ports = _free_ports(n_ports)
            with contextlib.ExitStack() as stack:
                files = [stack.enter_context(tempfile.TemporaryFile()) for _ in names]
                screen = _Screen()
                logs = [
                    _Log(name, path.stem, file, screen)
                    for name, file in zip(names, files, strict=True)
                ]
                # A process that is killed cannot remove its temporary files (AutoGraph's, for one).
                folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="lockstep-"))
                shared = {"TMPDIR": given.get("TMPDIR", folder)}
                job["variables"] = [shared | own for own in variables(ports)]
                job["folder"] = folder
                problem = _once(job, logs, lock, fresh)
            if not problem:
                return {log.name: log.text for log in logs}
            taken = [port for port in ports if not _is_free(port)]
            if not taken or not left:
                break
            print(
                f"[launch] Another program took port {taken[0]} before {path.name} could. Starting "
                f"again with another port; tries left after this one: {left - 1}."
            )
    raise LaunchError(problem)


def _once(job: dict[str, Any], logs: list["_Log"], lock: int, fresh: bool) -> str:
    """Run the job under a supervisor, show its output; return what went wrong, or ""."""
    descriptors = [lock, *(log.file.fileno() for log in logs)]
    process = None
    channel = None if fresh else ahead.fork_job(job, descriptors)
    if channel is None:
        channel, process = _start_supervisor(job, descriptors)
    answers = b""
    with channel:
        begin = time.monotonic()
        try:
            while not select.select([channel], [], [], LOOK_S)[0]:
                logs[0].read(SHOWN)
                if time.monotonic() - begin > LIVE_AFTER_S:
                    for log in logs[1:]:
                        log.read(SHOWN, lines=True)
        finally:
            with contextlib.suppress(OSError):  # it has ended
                channel.shutdown(socket.SHUT_WR)
            with contextlib.suppress(TimeoutError):
                while answer := channel.recv(supervisor.ANSWER_BYTES):
                    answers += answer
                    if b"exits" in answers:  # no process is left, and the end of file is near
                        channel.settimeout(1)
            if process:
                process.wait()
            for log in logs:
                log.finish()
            logs[0].screen.end_line()
    told: dict[str, Any] = {"ended": process.returncode if process else 0}
    said = []
    for line in answers.decode(errors="replace").splitlines():
        try:
            told |= json.loads(line)
        except ValueError:
            said.append(line)
    if "exits" not in told:
        raise LaunchError(
            f"The supervisor of this launch ended with {_meaning(told['ended'])}, and all its "
            "processes with it. Run the cell again. " + "\n".join(said)
        )
    exits = dict(told["exits"])
    failed = [index for index, code in exits.items() if code and index not in job["may_fail"]]
    for index in job["may_fail"]:
        if code := exits.get(index):
            print(f"[launch] {logs[index].name} may fail, and did: {_meaning(code)}.")
    hanging = [index for index in job["needed"] if index not in exits]
    if not failed and not hanging:
        return ""
    name = Path(job["script"]).name
    ended = ", ".join(logs[index].name for index in hanging)
    if failed:
        what = f"{name} failed: " + ", then ".join(
            f"{logs[index].name} ({_meaning(exits[index])})" for index in failed
        )
        what += f". Ended because of it: {ended}." if ended else "."
    else:
        what = (
            f"{name} was ended after {job['timeout']:g} s. Not finished: {ended}. Either they wait "
            f"for one that never comes, or they need more time: set a larger timeout."
        )
    for index in failed or hanging:
        # The first failure is the cause: those after it mostly complain of a lost connection.
        lines = 3 if index in failed[1:] else 20
        what += f"\n\nLast lines of {logs[index].name}:\n{logs[index].tail(lines)}"
    return what


def _start_supervisor(
    job: dict[str, Any], descriptors: list[int]
) -> tuple[socket.socket, subprocess.Popen[bytes]]:
    """Start the supervisor of processes that have an ordinary start; return the channel to it."""
    channel, other_end = socket.socketpair()
    with other_end, tempfile.TemporaryFile() as file:
        file.write(json.dumps(job).encode())
        file.flush()
        passed = [file.fileno(), *descriptors]
        process = subprocess.Popen(
            # -I: the folder of supervisor.py has modules named like the standard library's.
            [sys.executable, "-I", "-S", supervisor.__file__, *map(str, passed)],
            stdin=other_end.fileno(),
            stdout=other_end.fileno(),
            stderr=other_end.fileno(),
            # The lock too: it is not free before the supervisor, and so every rank, has ended.
            pass_fds=passed,
            # Out of reach of the SIGINT and SIGKILL that Jupyter sends to the kernel's group.
            start_new_session=True,
        )
    return channel, process


def _meaning(code: int) -> str:
    """An exit code in words."""
    if code >= 0:
        return f"exit code {code}"
    hint = ", which the system also sends when memory runs out" if code == -signal.SIGKILL else ""
    return f"signal {-code}, {signal.strsignal(-code)}{hint}"


class _Screen:
    """Where all processes of a launch print, each under its name."""

    def __init__(self) -> None:
        self.speaker = ""
        self.in_line = False

    def show(self, name: str, text: str) -> None:
        """Print a piece of a process's output."""
        if name != self.speaker:
            self.end_line()
            print(f"--- {name} ---")
        print(text, end="", flush=True)
        self.speaker = name
        self.in_line = not text.endswith("\n")

    def end_line(self) -> None:
        """Let what follows begin a line."""
        if self.in_line:
            print()
        self.in_line = False


class _Log:
    """What one process prints: a file without a name, so that nothing is left whoever is killed."""

    def __init__(self, name: str, stem: str, file: IO[bytes], screen: _Screen) -> None:
        self.name = name
        self.kept = Path(f"{stem}-{name.replace(' ', '-')}.log")
        self.file = file
        self.screen = screen
        self.decoder = codecs.getincrementaldecoder("utf-8")("backslashreplace")
        self.position = 0
        self.held = ""  # the beginning of a line, which may turn out to be noise
        self.text = ""

    def show(self, text: str) -> None:
        """Print a piece of the output, and keep it."""
        self.screen.show(self.name, text)
        self.text += text

    def read(self, end: int, final: bool = False, lines: bool = False) -> None:
        """Show what was not yet shown of the first `end` bytes; with `lines`, whole lines only."""
        # pread: the position of the file is the one at which the process writes.
        data = os.pread(self.file.fileno(), end - self.position, self.position)
        self.position += len(data)
        parts = (self.held + self.decoder.decode(data, final)).splitlines(keepends=True)
        self.held = ""
        unfinished = bool(parts) and not final and not parts[-1].endswith("\n")
        if unfinished and (lines or parts[-1][0] in "IW"):
            self.held = parts.pop()
        if text := "".join(part for part in parts if not NOISE.match(part)):
            self.show(text)

    def finish(self) -> None:
        """Show the rest; of a long output its end, with all of it copied to the working folder."""
        size = os.fstat(self.file.fileno()).st_size
        if size > 2 * SHOWN:
            self.read(SHOWN, final=True)
            self.file.seek(0)
            with self.kept.open("wb") as kept:
                shutil.copyfileobj(self.file, kept)
            self.show(f"\n[launch] {size:,} bytes in all, see {self.kept}. The end of them:\n")
            self.position = size - SHOWN
        self.read(size, final=True)

    def tail(self, lines: int) -> str:
        """The last lines, indented, without what the fault handler says of other code."""
        text = [
            f"    {line[:300]}"
            for line in self.text[-20_000:].splitlines()
            if line.strip() and not line.startswith("Extension modules:") and RANKS not in line
        ]
        return "\n".join(text[-lines:]) or "    (it printed nothing)"


@contextlib.contextmanager
def _machine_lock(alone: bool) -> Iterator[int]:
    """The lock that launches share, or that one has alone; free again however its holder dies.

    Whoever waits holds the gate, so that others do not pass one that wants to be alone.

    Raises:
        LaunchError: others have held it for too long.
    """
    end = time.monotonic() + WAIT_S
    kind = fcntl.LOCK_EX if alone else fcntl.LOCK_SH
    with contextlib.ExitStack() as stack:
        gate, lock = (os.open(path, os.O_RDONLY) for path in (GATE, LOCK))
        stack.callback(os.close, lock)
        try:
            told = False
            for descriptor in (gate, lock):
                while not _locked(descriptor, kind):
                    if not told:
                        print(WAITING, flush=True)
                        told = True
                    if time.monotonic() > end:
                        raise LaunchError(
                            f"This launch waited for {WAIT_S:g} s for another one on this machine: "
                            "one of the two has `alone=True`. Interrupt the cell that runs the "
                            "other, or shut its kernel down, and run this cell again."
                        )
                    time.sleep(LOOK_S)
        finally:
            os.close(gate)
        yield lock


def _locked(descriptor: int, kind: int) -> bool:
    """Lock a folder if that is possible at once."""
    try:
        fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _listen(port: int) -> socket.socket:
    """A socket that listens on the port at every address of this machine, as the frameworks do."""
    both = socket.has_dualstack_ipv6()
    family = socket.AF_INET6 if both else socket.AF_INET
    return socket.create_server(("", port), family=family, dualstack_ipv6=both)


def _free_ports(count: int) -> list[int]:
    """Ports that were free a moment ago."""
    with contextlib.ExitStack() as held:  # all at once, so that they differ
        return [held.enter_context(_listen(0)).getsockname()[1] for _ in range(count)]


def _is_free(port: int) -> bool:
    """Whether one could listen on the port now."""
    try:
        _listen(port).close()
    except OSError:
        return False
    return True
