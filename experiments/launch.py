"""Seconds of a launch, with ranks that are forked and with an ordinary start, and memory held.

Usage: python -m experiments.launch

Both ways take turns, five times, and the median counts. The first launch after the set-up cell is
measured in a process of its own each time: right after `start`, and after ten seconds of reading.
"""

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import psutil

from lockstep import ahead, runtime
from lockstep.launch import launch, launch_cluster

ROUNDS = 5
TORCH = """
import torch
import torch.distributed as dist

dist.init_process_group("gloo")
total = torch.ones(1)
dist.all_reduce(total)
assert total.item() == dist.get_world_size()
dist.destroy_process_group()
"""
WORKERS = """
import tensorflow as tf

strategy = tf.distribute.MultiWorkerMirroredStrategy()
with strategy.scope():
    one = tf.Variable(1.0)


@tf.function
def count():
    reduce = lambda: tf.distribute.get_replica_context().all_reduce("SUM", one.read_value())
    return strategy.run(reduce)


assert count().numpy() == strategy.num_replicas_in_sync
"""
SERVERS = """
import json
import os

import tensorflow as tf

resolver = tf.distribute.cluster_resolver.TFConfigClusterResolver()
if resolver.task_type != "chief":
    spec = resolver.cluster_spec()
    tf.distribute.Server(spec, resolver.task_type, resolver.task_id, protocol="grpc").join()
strategy = tf.distribute.ParameterServerStrategy(resolver)
coordinator = tf.distribute.coordinator.ClusterCoordinator(strategy)
with strategy.scope():
    total = tf.Variable(0.0)


@tf.function
def step():
    total.assign_add(1.0)


for _ in range(4):
    coordinator.schedule(step)
coordinator.join()
assert total.read_value().numpy() == 4
"""
FIRST = """
import sys, time
from lockstep.runtime import start
begin = time.perf_counter()
start({name!r}, launches={name!r})
ready = time.perf_counter()
time.sleep({reading})
from lockstep.launch import launch, launch_cluster
for _ in range(2):
    again = time.perf_counter()
    {call}
    print("seconds", time.perf_counter() - again)
print("seconds", ready - begin)
"""
CASES: dict[str, Callable[[bool], object]] = {
    "2 torch ranks": lambda fresh: launch("torch_.py", 2, fresh=fresh),
    "4 torch ranks": lambda fresh: launch("torch_.py", 4, fresh=fresh),
    "8 torch ranks": lambda fresh: launch("torch_.py", 8, fresh=fresh),
    "3 TensorFlow workers": lambda fresh: launch_cluster("workers.py", {"worker": 3}, fresh=fresh),
    "chief, 2 workers, 2 servers": lambda fresh: launch_cluster(
        "servers.py", {"chief": 1, "worker": 2, "ps": 2}, fresh=fresh
    ),
}
AFTER_START = {
    "torch": 'launch("{folder}/torch_.py", 2)',
    "tensorflow": 'launch_cluster("{folder}/workers.py", {{"worker": 3}})',
}


def seconds(call: Callable[[bool], object], fresh: bool) -> float:
    """Return how long a launch takes."""
    begin = time.perf_counter()
    call(fresh)
    return time.perf_counter() - begin


def pairs() -> None:
    """Print seconds of both ways, the server being there."""
    print(f"{'':30}{'forked':>8}{'fresh':>8}{'ratio':>8}")
    for name, call in CASES.items():
        call(False)
        rounds = [(seconds(call, False), seconds(call, True)) for _ in range(ROUNDS)]
        forked, fresh = (statistics.median(column) for column in zip(*rounds, strict=True))
        print(f"{name:30}{forked:8.2f}{fresh:8.2f}{fresh / forked:8.1f}", flush=True)


def first_launches(folder: str) -> None:
    """Print seconds of the first and second launch after the set-up cell, and of that cell."""
    print(f"\n{'':30}{'first':>8}{'second':>8}{'cell':>8}")
    for name, text in AFTER_START.items():
        call = text.format(folder=folder)
        for reading in (0, 10):
            for fork in ("1", "0"):
                code = FIRST.format(name=name, reading=reading, call=call)
                told = subprocess.run(
                    [sys.executable, "-c", code],
                    env={**os.environ, ahead.SWITCH: fork},
                    capture_output=True,
                    text=True,
                    check=True,
                ).stdout
                times = [float(x.split()[1]) for x in told.splitlines() if x.startswith("seconds")]
                how = f"{name}, {reading} s later, {'forked' if fork == '1' else 'fresh'}"
                print(f"{how:30}" + "".join(f"{value:8.2f}" for value in times), flush=True)


def memory() -> None:
    """Print what each server holds."""
    print(f"\n{'':30}{'own MB':>8}{'in all':>8}")
    for key, server in ahead._servers.items():
        held = psutil.Process(server.process.pid).memory_full_info()
        print(f"{f'server of {key}':30}{held.uss / 1e6:8.0f}{held.rss / 1e6:8.0f}")


def main() -> None:
    """Print three tables."""
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for name, code in (("torch_", TORCH), ("workers", WORKERS), ("servers", SERVERS)):
            Path(f"{name}.py").write_text(code)
        for key, value in runtime.ENVIRONMENT.items():
            os.environ.setdefault(key, value)
        pairs()
        memory()
        first_launches(folder)
        ahead.end_servers()
        os.chdir("/")


if __name__ == "__main__":
    main()
