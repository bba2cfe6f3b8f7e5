"""A forked rank against `python script`: what a script finds, does, leaves, and how it ends."""

import contextlib
import json
import os
import re
import resource
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest
from newest import everything

from lockstep import ahead, imports
from lockstep.launch import LaunchError, launch

pytestmark = pytest.mark.skipif(not ahead.possible(), reason="ranks are forked on Linux only")
SCRIPTS = Path(__file__).with_name("launch_scripts")


@pytest.fixture(autouse=True)
def own_servers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Work in an empty folder, with servers of the test's own, on a machine that may be busy."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(launch.__kwdefaults__ or {}, "timeout", 250.0)
    ahead.end_servers()
    ahead.refusals.clear()
    yield
    ahead.end_servers()


def write(code: str, name: str = "script.py") -> str:
    Path(name).write_text(f"{code}\n")
    return name


def wait(until: Callable[[], object], seconds: float = 60) -> bool:
    """Whether it came true in that time."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if until():
            return True
        time.sleep(0.01)
    return False


def both(script: str | Path, *, args: list[object] | None = None) -> list[str]:
    """What a rank prints, or how it fails, forked and fresh."""
    told = []
    for fresh in (False, True):
        try:
            told.append(launch(script, 1, args=args or [], fresh=fresh)[0])
        except LaunchError as error:
            told.append(str(error))
    assert ahead.refusals == [], "it was not forked"
    return told


# What it finds


def test_a_script_finds_what_it_would_find_otherwise(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also what has changed in this process since the server was started."""
    launch(write("print('so that there is a server')"), 1)
    cores, limits = os.sched_getaffinity(0), resource.getrlimit(resource.RLIMIT_NOFILE)
    os.sched_setaffinity(0, {min(cores)})
    umask = os.umask(0o027)
    resource.setrlimit(resource.RLIMIT_NOFILE, (limits[0] - 1, limits[1]))
    Path("elsewhere").mkdir()
    monkeypatch.chdir("elsewhere")
    found = []
    try:
        for fresh in (False, True):
            launch(SCRIPTS / "surroundings.py", 1, args=["found.json"], fresh=fresh)
            found.append(json.loads(Path("found.json").read_text()))
    finally:
        os.sched_setaffinity(0, cores)
        os.umask(umask)
        resource.setrlimit(resource.RLIMIT_NOFILE, limits)
    assert ahead.refusals == []
    for one in found:
        assert Path(one["environment"].pop("TMPDIR")).name.startswith("lockstep-")
        assert int(one["environment"].pop("MASTER_PORT")) > 1024
    forked, fresh = found
    assert forked == fresh
    assert forked["cores"] == [min(cores)]
    assert forked["umask and niceness"][0] == 0o027


def test_the_servers_environment_follows_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """A variable may be read by an import, so the imports are made again."""
    script = write("import os\nprint(os.environ.get('COLOUR'))")
    assert launch(script, 1) == ["None\n"]
    monkeypatch.setenv("COLOUR", "red")
    assert launch(script, 1) == ["red\n"]
    assert launch(script, 1, env={"COLOUR": "blue"}) == ["blue\n"]
    assert ahead.refusals == ["environment: COLOUR"] * 2


def test_a_variable_that_a_framework_reads_when_it_is_imported() -> None:
    """Set for the launch, or by the script itself before its import."""
    pytest.importorskip("tensorflow")
    shows = "import keras\nprint(keras.backend.backend(), keras.config.floatx())"
    by_script = "import os\nos.environ['KERAS_FLOATX'] = 'float64'\n"
    assert launch(write(shows), 1) == ["tensorflow float32\n"]
    assert launch(write(by_script + shows), 1) == launch(write(by_script + shows), 1, fresh=True)
    assert launch(write(shows), 1, env={"KERAS_BACKEND": "torch"}) == ["torch float32\n"]


def test_what_is_imported_ahead_is_what_the_script_imports() -> None:
    write("import json.decoder\nfrom scipy import linalg", "helper.py")
    script = write(
        "import os, helper\n"
        "try:\n    import torch.nn\nexcept ImportError:\n    pass\n"
        "print(os.environ['HOME'], os.environ.get('USER'))\n"
        "def later():\n    import secrets\n"
        "from math import pi\n"
        "os.environ['X'] = '1'\n"
        "import tensorflow"
    )
    first = ["os", "json.decoder", "scipy", "scipy.linalg", "torch.nn", "math", "math.pi"]
    assert imports.scan(Path(script)) == (first, ["tensorflow"])


@pytest.mark.parametrize(
    "line",
    [
        "os.environ['X'] = '1'",
        "del os.environ['X']",
        "os.environ.setdefault('X', '1')",
        "os.environ |= {'X': '1'}",
        "os.putenv('X', '1')",
        "environ.update(X='1')",
        "with mock.patch.dict(os.environ, X='1'): pass",
        "def change(): os.environ['X'] = '1'",
        "from os import environ as e",
        "os.environb[b'X'] = b'1'",
        "import helper",
        "sys.path.insert(0, 'lib')",
        "sys.modules['torch'] = None",
        "exec(open('env.txt').read())",
        "importlib.import_module('helper')",
    ],
)
def test_a_change_of_what_an_import_reads_is_seen(line: str) -> None:
    write("import os\nos.environ['X'] = '1'", "helper.py")
    found = imports.scan(Path(write(f"import ast\n{line}\nimport torch")))
    assert "torch" not in found.first
    assert found.later == ["torch"]


@pytest.mark.parametrize(
    "line",
    [
        "import local.part",
        "import elsewhere_on_the_path",
        "setup()",
        "settings['a'] = 1",
        "@registered\ndef f(): pass",
        "class C:\n    x = setup()",
    ],
)
def test_after_something_unknown_nothing_is_imported_ahead(line: str) -> None:
    Path("local").mkdir()
    found = imports.scan(Path(write(f"import ast\n{line}\nimport torch")))
    assert "torch" not in found.first
    assert found.later == []


def test_what_only_defines_something_changes_nothing() -> None:
    harmless = (
        "N = int(os.environ['RANK']) + len(sys.argv)\n"
        "WHERE = Path('x') / os.environ.get('HOME', '')\n"
        "def f():\n    call()\n"
        "class C:\n    x: int = 3\n    def g(self):\n        self.x = 4"
    )
    found = imports.scan(Path(write(f"import ast\n{harmless}\nimport torch")))
    assert found == (["ast", "torch"], [])


def test_a_module_beside_the_script_is_not_hidden_by_one_that_is_there() -> None:
    """Not even by one that other scripts have had imported."""
    launch(write("import fractions"), 1)
    write("MINE = True", "fractions.py")
    assert launch(write("import fractions\nprint(fractions.MINE)"), 1) == ["True\n"]
    assert ahead.refusals == ["hidden: fractions"]


def test_a_module_that_is_edited_is_imported_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """One beside the script, and one that the server has imported, as it does with lockstep."""
    monkeypatch.setattr(imports, "is_installed", lambda module: True)
    Path("elsewhere").mkdir()
    monkeypatch.setenv("PYTHONPATH", str(Path("elsewhere").absolute()))
    script = write("import far, near\nprint(far.VALUE, near.VALUE)")
    for value in (1, 2):
        write(f"VALUE = {value}", "near.py")
        write(f"VALUE = {value}", "elsewhere/far.py")
        assert launch(script, 1) == [f"{value} {value}\n"]
    assert [refusal.partition(":")[0] for refusal in ahead.refusals] == ["changed"]


def test_after_an_installation_imports_are_made_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONUSERBASE", str(Path("packages").absolute()))
    user = subprocess.run(
        [sys.executable, "-c", "import site; print(site.getusersitepackages())"],
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    ).stdout.strip()
    Path(user).mkdir(parents=True)
    script = write("print('fine')")
    launch(script, 1)
    (Path(user) / "new.dist-info").mkdir()
    launch(script, 1)
    assert ahead.refusals == [f"changed: {user}"]


def test_a_module_that_starts_threads_is_left_to_the_ranks(monkeypatch: pytest.MonkeyPatch) -> None:
    Path("elsewhere").mkdir()
    monkeypatch.setenv("PYTHONPATH", str(Path("elsewhere").absolute()))
    code = (
        "import threading, time\nthreading.Thread(target=time.sleep, args=[9], daemon=True).start()"
    )
    write(code, "elsewhere/busy.py")
    monkeypatch.setattr(ahead, "_threaded", set())
    monkeypatch.setattr(imports, "is_installed", lambda module: True)
    script = write("import busy, threading\nprint(threading.active_count())")
    for _ in range(2):
        assert launch(script, 1) == ["2\n"]
    assert ahead.refusals == ["threads: busy"]


def test_more_threads_than_one_are_left_to_the_ranks() -> None:
    pytest.importorskip("torch")
    script = write("import torch\nprint(torch.get_num_threads())")
    for _ in range(2):
        assert launch(script, 1, env={"OMP_NUM_THREADS": 2}) == ["2\n"]
    assert launch(script, 1) == ["1\n"]


def test_a_rank_has_the_frameworks_of_its_script_only() -> None:
    pytest.importorskip("torch")
    pytest.importorskip("tensorflow")
    there = "import sys\nprint([name for name in ('torch', 'tensorflow') if name in sys.modules])"
    assert launch(write(there), 1) == ["[]\n"]
    assert launch(write(f"import torch\n{there}"), 1) == ["['torch']\n"]


def test_random_numbers_are_each_ranks_own() -> None:
    """Between ranks and between launches."""
    script = write(
        "import random, secrets, tempfile, uuid\n"
        "import numpy.random as np\n"
        "import multiprocessing\n"
        "key = bytes(multiprocessing.current_process().authkey).hex()\n"
        "print(random.random(), np.rand(), uuid.uuid4(), secrets.token_hex(), key)\n"
        "print(tempfile.mktemp())"
    )
    outputs = [output.split() for _ in range(2) for output in launch(script, 3)]
    for column in zip(*outputs, strict=True):
        assert len(set(column)) == 6, column


def test_frameworks_draw_the_numbers_that_they_would_draw_otherwise() -> None:
    """Others in each process, since neither has a fixed seed."""
    pytest.importorskip("torch")
    pytest.importorskip("tensorflow")
    torch = "import torch\nprint(torch.rand(1).item(), torch.initial_seed())"
    tensorflow = (
        "import tensorflow as tf\n"
        "import keras\n"
        "print(tf.random.normal([]).numpy(), keras.random.normal([]).numpy())"
    )
    for code in (torch, tensorflow):
        outputs = [output for _ in range(2) for output in launch(write(code), 2)]
        for column in zip(*(output.splitlines()[-1].split() for output in outputs), strict=True):
            assert len(set(column)) == 4, column


# What it does


@pytest.mark.parametrize("how", ["fork", "spawn", "forkserver"])
def test_a_script_starts_processes_of_its_own(how: str, monkeypatch: pytest.MonkeyPatch) -> None:
    launch(write("import multiprocessing"), 1)
    Path("elsewhere").mkdir()
    monkeypatch.chdir("elsewhere")  # where the server is not
    script = write(
        "import multiprocessing\n"
        "class Mine:\n    value = 3\n"
        "def work(x):\n    return x.value * 2, __name__\n"
        "if __name__ == '__main__':\n"
        f"    with multiprocessing.get_context({how!r}).Pool(2) as pool:\n"
        "        print(pool.map(work, [Mine(), Mine()]))"
    )
    forked, fresh = both(script)
    assert forked == fresh
    assert "6" in forked


def test_a_loader_with_workers() -> None:
    pytest.importorskip("torch")
    script = write(
        "import torch\n"
        "class Squares(torch.utils.data.Dataset):\n"
        "    def __len__(self): return 8\n"
        "    def __getitem__(self, index): return index**2\n"
        "for how in ('fork', 'spawn'):\n"
        "    if __name__ == '__main__':\n"
        "        data = torch.utils.data.DataLoader(\n"
        "            Squares(), batch_size=4, num_workers=2, multiprocessing_context=how\n"
        "        )\n"
        "        print([batch.sum().item() for batch in data])"
    )
    assert both(script) == ["[14, 126]\n[14, 126]\n"] * 2


# How it ends

ENDS = {
    "the end": "print('done')",
    "a number": "raise SystemExit(3)",
    "a large number": "raise SystemExit(258)",
    "a negative number": "raise SystemExit(-1)",
    "nothing": "raise SystemExit",
    "true": "raise SystemExit(True)",
    "a text": "raise SystemExit('enough')",
    "an error": "def f():\n    1 / 0\nf()",
    "errors": "try:\n    1 / 0\nexcept Exception as error:\n    raise KeyError('k') from error",
    "a syntax error": "x = 1\nprint(x\ny = 2",
    "an encoding": "# -*- coding: latin-1 -*-\nprint('ok')",
    "an interrupt": "raise KeyboardInterrupt",
    "a signal": "import os\nprint('half', end='')\nos.kill(os.getpid(), 15)",
    "an abort": "import os\nos.abort()",
    "at once": "import os\nprint('all')\nos._exit(7)",
    "a hook": "import sys\nsys.excepthook = lambda *a: print('hooked', a[0])\n1 / 0",
    "exit functions": (
        "import atexit, weakref\n"
        "class C:\n    def __del__(self): print('deleted')\n"
        "c = C()\n"
        "weakref.finalize(c, print, 'finalized')\n"
        "atexit.register(print, 'exit function')\n"
        "raise SystemExit(4)"
    ),
    "globals in __del__": (
        "import os\n"
        "class File:\n"
        "    def __init__(self, name): self.name = name; open(name, 'w').close()\n"
        "    def __del__(self): os.remove(self.name); print('removed', File.__name__)\n"
        "file = File('temporary')"
    ),
    "busy daemon threads": (
        "import threading, time\n"
        "def busy():\n    while True: time.sleep(0.001); time.time()\n"
        "keep = [[] for _ in range(200_000)]\n"
        "for one in keep: one.append(keep)\n"
        "for _ in range(4): threading.Thread(target=busy, daemon=True).start()\n"
        "print('done')"
    ),
    "files": (
        "open('kept', 'w').write('text')\n"
        "f = open('open', 'w')\nf.write('more text')\n"
        "def g(file=open('default', 'w')): file.write('and more')\ng()\n"
        "import ctypes\nc = ctypes.CDLL(None)\nc.puts(b'by C')\n"
        "c.fopen.restype = ctypes.c_void_p\n"
        "c.fputs(b'by C', ctypes.c_void_p(c.fopen(b'of C', b'w')))\n"
        "import os, atexit\n"
        "@atexit.register\ndef show(): print(sorted(os.listdir()))"
    ),
    "threads": (
        "import threading, time\n"
        "def late():\n    time.sleep(0.3)\n    print('late')\n"
        "threading.Thread(target=late).start()\n"
        "threading.Thread(target=time.sleep, args=[100], daemon=True).start()\n"
        "print('main ends')"
    ),
    "an error in a thread": "import threading\nthreading.Thread(target=lambda: 1 / 0).start()",
    "an error in an exit function": "import atexit\natexit.register(lambda: 1 / 0)",
    "stdout closed": "import sys\nsys.stdout.close()",
    "main gone": "import sys\nsys.modules['__main__'] = None\nprint('ok')",
}


@pytest.mark.parametrize("code", ENDS.values(), ids=ENDS)
def test_a_script_ends_as_it_would_otherwise(code: str) -> None:
    """The same output, the same exit code, the same lines of a traceback, the same files."""
    launch(write("import weakref"), 1)
    told, left = [], []
    for fresh in (False, True):
        for path in Path.cwd().iterdir():
            path.unlink()
        try:
            told.append(launch(write(code), 1, fresh=fresh)[0])
        except LaunchError as error:
            told.append(str(error))
        left.append({path.name: path.read_bytes() for path in Path.cwd().iterdir()})
    # Where an object or a thread lies in memory is chance.
    shown = [re.sub("0x[0-9a-f]+", "ADDRESS", text) for text in told]
    assert shown[0] == shown[1]
    assert left[0] == left[1]
    assert ahead.refusals == []


# What stays


def test_a_server_that_does_not_answer_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ahead, "PATIENCE_S", 0.5)
    script = write("print('fine')")
    launch(script, 1)
    (server,) = servers()
    server.suspend()
    assert launch(script, 1, timeout=5) == ["fine\n"]
    assert ahead.refusals == ["stuck"]
    server.wait(60)


def test_launches_in_threads_share_one_server_or_replace_it() -> None:
    script = write("import os\nprint(os.environ['KIND'])")
    told: dict[int, list[str]] = {}

    def run(number: int) -> None:
        told[number] = launch(script, 1, env={"KIND": number % 3})

    threads = [threading.Thread(target=run, args=[number]) for number in range(9)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert told == {number: [f"{number % 3}\n"] for number in range(9)}
    assert wait(lambda: len(servers()) <= 1)


def test_a_supervisor_that_is_killed_runs_nothing_twice() -> None:
    """Even where something that a rank has left holds the port that the launch had chosen."""
    script = write(
        "import os, signal, socket, time\n"
        "supervisor = os.getppid()\n"
        "held = socket.create_server(('127.0.0.1', int(os.environ['MASTER_PORT'])))\n"
        "if os.fork() == 0:\n    time.sleep(2)\n    os._exit(0)\n"
        "open('count', 'a').write('x')\n"
        "os.kill(supervisor, signal.SIGKILL)\n"
        "time.sleep(100)"
    )
    with pytest.raises(LaunchError, match="supervisor of this launch ended with signal 9"):
        launch(script, 1, fresh=True)
    assert Path("count").read_text() == "x"


def test_what_multiprocessing_leaves_in_shared_memory_is_removed() -> None:
    before = count_shared()
    write_it = "from multiprocessing.shared_memory import SharedMemory\n"
    launch(write(write_it + "SharedMemory(create=True, size=10)"), 2)
    assert count_shared() == before


def test_a_server_that_is_killed_is_replaced() -> None:
    script = write("print('fine')")
    launch(script, 1)
    for server in servers():
        server.kill()
        server.wait()
    assert launch(script, 1) == ["fine\n"]
    assert len(servers()) == 1


@pytest.mark.parametrize("reading", [0, 0.5])
def test_a_server_ends_with_its_owner_in_the_middle_of_an_import(reading: float) -> None:
    pytest.importorskip("tensorflow")
    code = (
        "import os, signal, time\n"
        "from lockstep import ahead\n"
        "ahead.get_ready(['tensorflow'])\n"
        f"time.sleep({reading})\n"
        "(server,) = ahead._servers.values()\n"
        "print(server.process.pid, server.folder, flush=True)\n"
        "os.kill(os.getpid(), signal.SIGKILL)"
    )
    done = subprocess.run([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    pid, folder = done.stdout.split()
    assert wait(lambda: not psutil.pid_exists(int(pid)) and not Path(folder).exists())


def test_a_caller_killed_while_the_server_imports_leaves_no_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("tensorflow")
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setenv("TMPDIR", str(temporary))
    call = f"from lockstep.launch import launch; launch({write('import tensorflow')!r}, 1)"
    with subprocess.Popen([sys.executable, "-c", call]) as caller:
        assert wait(lambda: len(list(temporary.iterdir())) >= 2)
        time.sleep(0.3)  # the request is sent, and the server imports
        assert len(list(temporary.iterdir())) == 2, "the server's folder and the launch's"
        caller.kill()
    assert wait(lambda: list(temporary.iterdir()) == [])


def servers() -> list[psutil.Process]:
    """The servers of this process."""
    found = []
    for process in psutil.Process().children():
        with contextlib.suppress(psutil.NoSuchProcess):  # it has ended
            if "ranks.py" in " ".join(process.cmdline()):
                found.append(process)
    return found


def test_what_a_killed_supervisor_leaves_is_ended() -> None:
    """Processes of ranks too, in sessions of their own."""
    script = write(
        "import os, signal, subprocess\n"
        "child = subprocess.Popen(['sleep', '1000'], start_new_session=True)\n"
        "open('child', 'w').write(str(child.pid))\n"
        "os.kill(os.getppid(), signal.SIGKILL)\n"
        "child.wait()"
    )
    with pytest.raises(LaunchError, match="supervisor of this launch ended with signal 9"):
        launch(script, 1)
    child = int(Path("child").read_text())
    assert wait(lambda: not psutil.pid_exists(child))


def test_many_launches_leave_nothing_and_grow_nothing() -> None:
    """Descriptors and memory of this process and of the server, children, and shared memory.

    Once a week, two hundred of them.
    """
    script = write("import numpy\nx = bytearray(20_000_000)\nprint(len(x))")

    def held() -> tuple[int, int, int, int, int]:
        (server,) = servers()
        processes = [psutil.Process(), server]
        descriptors = [process.num_fds() for process in processes]
        memory = server.memory_full_info().uss
        return (*descriptors, len(processes[0].children(recursive=True)), count_shared(), memory)

    for _ in range(5):
        launch(script, 2)
    before = held()
    for _ in range(200 if everything() else 20):
        launch(script, 2)

    def grown() -> list[int]:
        return [now - then for now, then in zip(held(), before, strict=True)]

    # The server tells of an end before it closes what belonged to it. A launch's job and its answer
    # are some 10 kB; what a rank allocates is 20 MB.
    assert wait(lambda: max(grown()[:4]) <= 0 and grown()[4] < 1_000_000), grown()


def count_shared() -> int:
    return len(list(Path("/dev/shm").iterdir()))


def test_signals_of_the_server_are_not_the_ranks() -> None:
    """SIGIO tells the server of its owner's end; a rank has the default, which ends it."""
    with pytest.raises(LaunchError, match=f"signal {int(signal.SIGIO)}"):
        launch(write("import os, signal\nos.kill(os.getpid(), signal.SIGIO)"), 1)
