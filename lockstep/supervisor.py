"""The process that starts the processes of one launch, watches them, and leaves none alive.

It runs apart from the notebook's kernel, with the standard library alone, and starts each process
with `python script`; or it is forked from a process that has done the imports
(`lockstep.forkserver`), and forks them. Its channel is a socket from the kernel: end of file means
that the kernel no longer wants the run, or is dead. On Linux it is the "subreaper" of all its
descendants: a process whose parent dies becomes a child of the supervisor, however many sessions
and forks lie between, so the supervisor can end it. Elsewhere it ends the process group of each
process that it started.
"""

import contextlib
import ctypes
import glob
import json
import os
import resource
import select
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Collection
from typing import Any

# Seconds that the other processes have, once one has failed, to report what they saw of it.
GRACE = 1.0
# Seconds from SIGABRT, at which Python prints where it is, to SIGKILL.
LAST_WORDS = 1.0
# Seconds for helpers of processes that have ended, when all have.
FAREWELL = 0.3
TICK = 0.02
ANSWER_BYTES = 100_000  # more than an answer to the kernel has

LINUX = sys.platform == "linux"
PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER = 1, 36  # <linux/prctl.h>


def prctl(option: int, value: int) -> None:
    """Call Linux's prctl."""
    ctypes.CDLL(None).prctl(option, value, 0, 0, 0)


def die_with(parent: int) -> None:
    """Have this process killed when its parent ends."""
    prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:  # it ended before the line above
        os.kill(os.getpid(), signal.SIGKILL)


def children() -> list[int]:
    """Process ids of this process's own children, from /proc."""
    found = []
    for path in glob.glob("/proc/[0-9]*/stat"):
        with contextlib.suppress(OSError), open(path, "rb") as file:
            # "pid (name) state parent ...", and the name may hold spaces and brackets.
            if int(file.read().rpartition(b")")[2].split()[1]) == os.getpid():
                found.append(int(path.split("/")[2]))
    return found


def kill_descendants(spared: Collection[int] = ()) -> None:
    """Kill every descendant of this subreaper but some children and theirs; wait for each."""
    while doomed := [pid for pid in children() if pid not in spared]:
        for pid in doomed:
            os.kill(pid, signal.SIGKILL)
        for pid in doomed:
            os.waitpid(pid, 0)  # then its children are this process's


def kill_groups(processes: list[int]) -> None:
    """Kill the process group of each process, and wait for the process."""
    for pid in processes:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(pid, signal.SIGKILL)
        with contextlib.suppress(ChildProcessError):  # it has been waited for
            os.waitpid(pid, 0)


def start_fresh(job: dict[str, Any], index: int) -> int:
    """Start a process of the job as a shell would; return its id."""
    supervisor = os.getpid()
    log = job["logs"][index]
    process = subprocess.Popen(
        [sys.executable, job["script"], *job["args"]],
        env=job["environment"] | job["variables"][index],
        stdin=subprocess.DEVNULL,
        stdout=log,
        stderr=log,
        start_new_session=True,
        # Safe here, as this process has one thread.
        preexec_fn=(lambda: die_with(supervisor)) if LINUX else None,
    )
    process.returncode = 0  # `supervise` waits for it, not this object
    return process.pid


def supervise(
    job: dict[str, Any], channel: socket.socket, start: Callable[[dict[str, Any], int], int]
) -> dict[int, int] | None:
    """Run the job; return the exit codes of the processes that ended by themselves, first to last.

    Returns None in a process that `start` has forked.

    Args:
        job: "logs", the file descriptor for the output of each process; "needed", the indices of
            those that must end for the run to be over; "may_fail", the indices of those whose error
            ends no other; "timeout" in seconds; "folder", for temporary files, which goes with the
            processes; and what `start` needs.
        channel: the socket from the kernel.
        start: starts the process of an index, and returns its id; 0 in that process itself.
    """
    supervisor = os.getpid()
    if LINUX:
        prctl(PR_SET_CHILD_SUBREAPER, 1)
    _, most = resource.getrlimit(resource.RLIMIT_CORE)
    resource.setrlimit(resource.RLIMIT_CORE, (0, most))  # SIGABRT below would write core files
    processes: list[int] = []
    ends: dict[int, int] = {}  # on Linux: of each that runs, a descriptor that tells of its end
    exits: dict[int, int] = {}

    def unfinished() -> bool:
        return any(index not in exits for index in job["needed"])

    def is_failure(index: int) -> bool:
        return bool(exits[index]) and index not in job["may_fail"]

    try:
        for index in range(len(job["logs"])):
            pid = start(job, index)
            if pid == 0:
                for end in ends.values():
                    os.close(end)
                return None
            processes.append(pid)
            if LINUX:
                ends[index] = os.pidfd_open(pid)
        limit = time.monotonic() + job["timeout"]
        while unfinished() and time.monotonic() < limit:
            told = channel.fileno()
            if told in select.select([told, *ends.values()], [], [], TICK)[0]:
                return exits  # the kernel is gone, or was interrupted
            for index, pid in enumerate(processes):
                if index not in exits and (ended := os.waitpid(pid, os.WNOHANG))[0]:
                    exits[index] = os.waitstatus_to_exitcode(ended[1])
                    if index in ends:
                        os.close(ends.pop(index))
                    if is_failure(index):
                        limit = min(limit, time.monotonic() + GRACE)
        if unfinished() and not any(map(is_failure, exits)):
            hanging = [pid for index, pid in enumerate(processes) if index not in exits]
            for pid in hanging:
                os.kill(pid, signal.SIGABRT)
            limit = time.monotonic() + LAST_WORDS
            while hanging and time.monotonic() < limit:
                time.sleep(TICK)
                hanging = [pid for pid in hanging if os.waitpid(pid, os.WNOHANG) == (0, 0)]
        return exits
    finally:
        if os.getpid() == supervisor:
            if LINUX:
                # Helpers of a process that has ended may be about to end: one of multiprocessing's
                # removes what it has left in shared memory.
                limit = time.monotonic() + FAREWELL
                while len(exits) == len(processes) and children() and time.monotonic() < limit:
                    time.sleep(TICK / 4)
                    os.waitpid(-1, os.WNOHANG)
                kill_descendants()
            else:
                kill_groups(processes)
            shutil.rmtree(job["folder"], ignore_errors=True)


def read_job(descriptors: list[int]) -> dict[str, Any]:
    """Read the job from the first descriptor, and add the descriptors of the logs to it.

    The second is the lock of the machine, which is free when nobody has it open any more.
    """
    size = os.fstat(descriptors[0]).st_size
    return json.loads(os.pread(descriptors[0], size, 0)) | {"logs": descriptors[2:]}


def report(exits: dict[int, int], channel: socket.socket) -> None:
    """Tell the kernel the exit codes."""
    with contextlib.suppress(OSError):  # it is gone
        channel.sendall(f"{json.dumps({'exits': list(exits.items())})}\n".encode())


def main() -> None:
    """Supervise a job whose processes have an ordinary start."""
    channel = socket.socket(fileno=0)
    exits = supervise(read_job(list(map(int, sys.argv[1:]))), channel, start_fresh)
    assert exits is not None, "only a fork comes back without"
    report(exits, channel)


if __name__ == "__main__":
    main()
