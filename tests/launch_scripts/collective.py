"""PyTorch ranks that average with each other: `collective.py MODE`."""

import os
import sys
import time
from pathlib import Path

import torch
import torch.distributed as dist

mode, rank = sys.argv[1], int(os.environ["RANK"])
print(f"rank {rank} starts", file=sys.stderr)
dist.init_process_group("gloo")
total = torch.ones(1)
dist.all_reduce(total)
print(f"rank {rank} counts {total.item():g} ranks")
if mode == "raise" and rank == 1:
    Path("failed-at").write_text(str(time.time()))
    raise ValueError("this rank breaks")
while mode == "raise" and rank == 2:  # busy on its own, so that it does not notice
    total += 1
if mode == "hang" and rank == 1:
    Path("hanging-at").write_text(str(time.time()))
    time.sleep(1000)
Path(f"ready-{rank}").touch()
while mode != "train":
    dist.all_reduce(total)
dist.destroy_process_group()
