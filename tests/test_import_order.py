"""triton, torch and TensorFlow in one process, in the order that start() imports them in.

torch brings triton along where it has CUDA. Where it has not, the triton of the pinned torch is
installed beside it, in .cache/triton: 200 MB to download, 700 MB on disk.
"""

import importlib.util
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path

import pytest

from tools import ROOT

TRITON = "3.7.1"  # of torch 2.12.1 and 2.13.0; from 3.7.0 on each collides with TensorFlow
CACHE = ROOT / ".cache" / "triton"
# What brings triton in, and something that TensorFlow compiles with its own LLVM.
USE_BOTH = """
import tensorflow as tf, torch, triton
weight = torch.nn.Parameter(torch.ones(3))
weight.sum().backward()
torch.optim.SGD([weight], lr=0.5).step()
assert weight.tolist() == [0.5] * 3
assert float(tf.function(tf.reduce_sum, jit_compile=True)(tf.ones(3))) == 3
print("triton", triton.__version__)
"""

pytestmark = [
    pytest.mark.colab,  # which may install torch with CUDA too
    pytest.mark.skipif(sys.platform != "linux", reason="triton exists for Linux only"),
    pytest.mark.timeout(1200),
]


@pytest.fixture(scope="module")
def path() -> str:
    """What PYTHONPATH must be, so that triton can be imported."""
    if importlib.util.find_spec("triton"):
        return str(ROOT)
    folder = CACHE / f"{sys.version_info[0]}.{sys.version_info[1]}-{TRITON}"
    if not (folder / "complete").exists():
        shutil.rmtree(CACHE, ignore_errors=True)
        pip = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--no-compile"]
        subprocess.run([*pip, "--target", str(folder), f"triton=={TRITON}"], check=True)
        (folder / "complete").touch()
    return os.pathsep.join([str(ROOT), str(folder)])


def python(code: str, path: str, folder: Path) -> subprocess.CompletedProcess[str]:
    env = os.environ | {"PYTHONPATH": path, "TF_CPP_MIN_LOG_LEVEL": "3", "TMPDIR": str(folder)}
    return subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True)


@pytest.mark.parametrize(
    "asked", ['"tensorflow", "torch"', '"torch", "tensorflow"', '"tensorflow"'], ids=str
)
def test_both_frameworks_work_after_start(path: str, tmp_path: Path, asked: str) -> None:
    done = python(f"from lockstep.runtime import start\nstart({asked})\n{USE_BOTH}", path, tmp_path)
    assert done.returncode == 0, f"{done.returncode}: {done.stderr[-4000:]}"
    assert "\ntriton 3." in done.stdout


def test_a_script_that_imports_triton_first(path: str, tmp_path: Path) -> None:
    """What the chapter on data parallelism tells readers to do in scripts of their own."""
    done = python(f"import torch._dynamo, tensorflow\n{USE_BOTH}", path, tmp_path)
    assert done.returncode == 0, f"{done.returncode}: {done.stderr[-4000:]}"


def test_what_the_other_order_does(
    path: str, tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    """With a triton that does not collide, the tests above would notice nothing."""
    done = python("import tensorflow, triton; print(triton.__version__)", path, tmp_path)
    works = done.returncode == 0
    assert works or done.returncode < 0, f"an error, and no signal: {done.stderr[-4000:]}"
    what = "works" if works else f"is ended by signal {-done.returncode}"
    record_property("Import order", f"triton after TensorFlow {version('tensorflow')} {what}")
