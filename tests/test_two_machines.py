"""What `ddp` says of two machines: the script of `data-parallel`, another launcher."""

import shutil
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lockstep.launch import launch
from tools.notebooks.files import find, script

# Gradients at equal weights agree to 1e-13 (see the chapter); twelve steps of Adam at most multiply
# that by 12 * 2 * 0.01 / (the smallest root of v, over 1e-3 here).
TOLERANCE = 1e-10


def write_problem() -> None:
    """The arrays that the chapter hands to the script: data, and weights as torch keeps them."""
    rng = np.random.default_rng(1)
    shapes: dict[str, tuple[int, ...]] = {
        "0.weight": (16, 8),
        "0.bias": (16,),
        "2.weight": (1, 16),
        "2.bias": (1,),
    }
    shapes |= {"x": (58, 8), "y": (58, 1)}
    arrays: Any = {name: rng.normal(size=shape) for name, shape in shapes.items()}
    np.savez("problem.npz", **arrays)


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        return int(server.getsockname()[1])


@pytest.mark.timeout(240)
def test_torchrun_on_two_nodes_gives_the_answer_of_one_rank(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("train_ddp.py").write_text(script(find("data-parallel"), "train_ddp.py"))
    write_problem()
    launch("train_ddp.py", 1)
    shutil.move("rank0.npz", "one.npz")

    torchrun = [sys.executable, "-m", "torch.distributed.run", "--nnodes", "2"]
    torchrun += ["--nproc-per-node", "1", "--master-addr", "127.0.0.1"]
    torchrun += ["--master-port", str(free_port())]
    nodes = [
        subprocess.Popen(
            [*torchrun, "--node-rank", str(node), "train_ddp.py"],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        for node in range(2)
    ]
    try:
        said = [node.communicate(timeout=200)[0] for node in nodes]
    finally:
        for node in nodes:
            node.terminate()  # torchrun ends its ranks at SIGTERM
            node.wait()
    assert [node.returncode for node in nodes] == [0, 0], "\n".join(said)
    assert "rank 1: the last shard has 5 examples" in said[1]
    with np.load("one.npz") as one, np.load("rank1.npz") as two:
        for name in one:
            np.testing.assert_allclose(two[name], one[name], rtol=0, atol=TOLERANCE)
