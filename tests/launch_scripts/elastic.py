"""torchrun, which gives each of its ranks a session of its own."""

import subprocess
import sys
from pathlib import Path

collective = Path(__file__).with_name("collective.py")
torchrun = [sys.executable, "-m", "torch.distributed.run", "--nproc-per-node=2", "--standalone"]
subprocess.run([*torchrun, collective, "forever"], check=True)
