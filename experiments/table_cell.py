"""Runs one cell of a table, in the process (or the cluster) that it has for itself.

Usage: python experiments/table_cell.py RESULT CELL
(CELL: what to run, as JSON, see experiments/tables.py; RESULT: where its outcome goes, as JSON)

Every cell trains a small model on the same batch for a few steps and compares the weights with the
same training in NumPy, or, where it has an option, on one device. Full batches, because then each
step has one right answer whoever computes it: two replicas with half each, or one of two workers
with all of it.
"""

import json
import os
import signal
import sys
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np

from lockstep.same import difference, rounding_tolerance

EXAMPLES, INPUTS, STEPS = 8, 4, 6
BETA_1, BETA_2 = float(np.float32(0.9)), float(np.float32(0.999))
RATE = {"SGD": 0.05, "Adam": 0.05}
OPERATIONS = 4 * (INPUTS + EXAMPLES)  # on the way to an entry of the gradient, generously
KILLED_AFTER = 3  # steps, of STEPS
TF_CONFIG = json.loads(os.environ.get("TF_CONFIG", "{}"))
TASK = TF_CONFIG.get("task", {"type": "", "index": 0})

rng = np.random.default_rng(0)
x = np.sort(rng.normal(size=(EXAMPLES, INPUTS)), axis=0)  # replicas get parts with other means
y = np.sin(x.sum(axis=1, keepdims=True)) + x[:, :1]
initial = [rng.normal(size=(INPUTS, 1)), np.zeros(1)]


def one_device(optimizer: str) -> tuple[list[np.ndarray], float]:
    """Train with NumPy; return the weights, and by how much two correct trainings may differ.

    A gradient's tolerance is that of its sum, see `rounding_tolerance`. A step of SGD passes an
    error on times the rate. A step of Adam divides by sqrt(v) and its numerator and denominator
    both carry the error, as the chapter on data parallelism derives; the steps' errors add up.
    """
    weights = [w.copy() for w in initial]
    first = [np.zeros_like(w) for w in weights]
    second = [np.zeros_like(w) for w in weights]
    rate, tolerance = RATE[optimizer], 0.0
    for step in range(1, STEPS + 1):
        residual = x @ weights[0] + weights[1] - y
        gradients = [2 * x.T @ residual / EXAMPLES, 2 * residual.sum(axis=0) / EXAMPLES]
        terms = np.abs(x) @ np.abs(weights[0]) + np.abs(weights[1]) + np.abs(y)
        magnitude = (2 * np.maximum(np.abs(x), 1) * terms / EXAMPLES).sum(axis=0).max()
        error = rounding_tolerance(OPERATIONS, magnitude)
        if optimizer == "SGD":
            weights = [w - rate * g for w, g in zip(weights, gradients, strict=True)]
            tolerance += rate * error
            continue
        # Keras's form of Adam: epsilon, 1e-7, is beside the uncorrected root, and the powers are
        # of betas that were rounded to float32 before they became float64.
        first = [0.9 * m + 0.1 * g for m, g in zip(first, gradients, strict=True)]
        second = [0.999 * v + 0.001 * g**2 for v, g in zip(second, gradients, strict=True)]
        corrected = rate * np.sqrt(1 - BETA_2**step) / (1 - BETA_1**step)
        weights = [
            w - corrected * m / (np.sqrt(v) + 1e-7)
            for w, m, v in zip(weights, first, second, strict=True)
        ]
        roots = [np.sqrt(v / (1 - BETA_2**step)).min() for v in second]
        tolerance += 2 * rate * error / min(roots)
    return weights, tolerance


def compared(weights: Iterable[Any], optimizer: str) -> dict[str, Any]:
    """What to report of a training that came to its end."""
    expected, tolerance = one_device(optimizer)
    gap = difference(weights, expected)
    outcome = "equals" if gap <= tolerance else "differs"
    return {"outcome": outcome, "difference": gap, "tolerance": tolerance}


def import_keras(name: str) -> Any:
    """Return Keras 3 or tf_keras, computing in float64."""
    if name == "Keras 3":
        import keras  # type: ignore[import-untyped]

        keras.config.set_floatx("float64")
        return keras
    import tf_keras  # type: ignore[import-untyped]

    tf_keras.backend.set_floatx("float64")
    return tf_keras


def build_model(keras: Any) -> Any:
    """Build the model, with the weights that every training begins with."""
    model = keras.Sequential([keras.layers.InputLayer((INPUTS,)), keras.layers.Dense(1)])
    model.set_weights(initial)
    return model


def two_cpus() -> None:
    """Divide the CPU into two logical devices."""
    import tensorflow as tf

    cpu = tf.config.list_physical_devices("CPU")[0]
    tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * 2)


# What must be in the scope


def scope(cell: dict[str, str]) -> dict[str, Any]:
    """Create, compile and fit a model, each inside or outside of the scope."""
    import contextlib

    import tensorflow as tf

    two_cpus()
    keras = import_keras(cell["keras"])
    strategy = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])

    def place(what: str) -> Any:
        return strategy.scope() if cell[what] == "inside" else contextlib.nullcontext()

    name = cell["with"].strip('"').partition("(")[0].capitalize()
    optimizer = "Adam" if name == "Adam" else "SGD"
    with place("create"):
        model = build_model(keras)
    with place("compile"):
        if cell["with"] == '"adam"':
            model.compile("adam", "mse")
            RATE["Adam"] = 0.001  # what "adam" means
        else:
            metrics = [keras.metrics.MeanSquaredError()] if "metric" in cell["with"] else None
            made = getattr(keras.optimizers, optimizer)(RATE[optimizer])
            model.compile(made, "mse", metrics=metrics)
    with place("fit"):
        model.fit(x, y, batch_size=EXAMPLES, epochs=STEPS, shuffle=False, verbose=0)
        replicas = model.distribute_strategy.num_replicas_in_sync
    found = compared(model.get_weights(), optimizer)
    if replicas == 1 and found["outcome"] == "equals":
        found["outcome"] = "alone"  # no error, the right weights, and the second device idle
    return found


# The catalogue


def build_strategy(name: str) -> Any:
    """Build a strategy on what this machine has."""
    import tensorflow as tf

    if name == "MultiWorkerMirrored":
        return tf.distribute.MultiWorkerMirroredStrategy()
    if name == "ParameterServer":
        resolver = tf.distribute.cluster_resolver.TFConfigClusterResolver()
        return tf.distribute.ParameterServerStrategy(resolver)
    if name == "TPU":
        tpu = tf.distribute.cluster_resolver.TPUClusterResolver("local")
        tf.config.experimental_connect_to_cluster(tpu)
        tf.tpu.experimental.initialize_tpu_system(tpu)
        return tf.distribute.TPUStrategy(tpu)
    two_cpus()
    both = ["CPU:0", "CPU:1"]
    if name == "OneDevice":
        return tf.distribute.OneDeviceStrategy("CPU:1")
    if name == "Mirrored":
        return tf.distribute.MirroredStrategy(both)
    if name == "CentralStorage":
        return tf.distribute.experimental.CentralStorageStrategy(both, "CPU:0")
    return tf.distribute.get_strategy()


def data_set(repeat: int | None = None) -> Any:
    """The batch, again and again; several workers split it by examples."""
    import tensorflow as tf

    options = tf.data.Options()
    options.experimental_distribute.auto_shard_policy = tf.data.experimental.AutoShardPolicy.DATA
    data = tf.data.Dataset.from_tensor_slices((x, y)).batch(EXAMPLES)
    return data.repeat(repeat).with_options(options)


def fit(keras: Any, strategy: Any) -> list[Any]:
    """Train with Model.fit; an epoch is one step, after which fit waits for all that it started."""
    with strategy.scope():
        model = build_model(keras)
        model.compile(keras.optimizers.Adam(RATE["Adam"]), "mse")
    model.fit(data_set(), epochs=STEPS, steps_per_epoch=1, verbose=0)
    return list(model.get_weights())


def plain(keras: Any) -> tuple[Any, Any]:
    """Build the model, and Adam."""
    return build_model(keras), keras.optimizers.Adam(RATE["Adam"])


def loop(
    strategy: Any,
    graph: bool,
    after_step: Callable[[int], None] = lambda number: None,
    build: Callable[[Any], tuple[Any, Any]] = plain,
) -> list[Any]:
    """Train with a custom loop, in a graph or eagerly."""
    import tensorflow as tf

    keras = import_keras("Keras 3")
    with strategy.scope():
        model, optimizer = build(keras)
        optimizer.build(model.trainable_variables)

    def replica_step(part_x: Any, part_y: Any) -> None:
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum((model(part_x, training=True) - part_y) ** 2) / EXAMPLES
        gradients = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(gradients, model.trainable_variables, strict=True))

    def step(iterator: Any) -> None:
        strategy.run(replica_step, args=next(iterator))

    run = tf.function(step) if graph else step
    if isinstance(strategy, tf.distribute.ParameterServerStrategy):
        coordinator = tf.distribute.coordinator.ClusterCoordinator(strategy)
        iterator = iter(coordinator.create_per_worker_dataset(data_set))
        for number in range(1, STEPS + 1):
            coordinator.schedule(run, args=(iterator,))
            coordinator.join()
            after_step(number)
    else:
        iterator = iter(strategy.experimental_distribute_dataset(data_set()))
        for number in range(1, STEPS + 1):
            run(iterator)
            after_step(number)
    with strategy.scope():
        optimizer.finalize_variable_values(model.trainable_variables)  # for an average
    return [w.numpy() for w in model.trainable_variables]


def lose_a_worker(strategy: str, shared: Path) -> Callable[[int], None]:
    """Return a function that, called after each step, kills a process in mid-training."""
    if strategy == "ParameterServer":  # the chief goes on and kills a worker

        def after_step(number: int) -> None:
            if number == KILLED_AFTER:
                os.kill(int((shared / "worker-1.pid").read_text()), signal.SIGKILL)
                time.sleep(1)

    else:  # the last worker, or the only process, kills itself

        def after_step(number: int) -> None:
            last = len(TF_CONFIG.get("cluster", {}).get("worker", [0])) - 1
            if number == KILLED_AFTER and TASK["index"] == last:
                os.kill(os.getpid(), signal.SIGKILL)

    return after_step


def catalogue(cell: dict[str, str], shared: Path) -> dict[str, Any]:
    """Train under a strategy in one of the ways."""
    strategy, way = build_strategy(cell["strategy"]), cell["way"]
    if way.endswith("fit"):
        return compared(fit(import_keras(way.removesuffix(" fit")), strategy), "Adam")
    lost = way == "a worker is killed"
    after_step = lose_a_worker(cell["strategy"], shared) if lost else lambda number: None
    return compared(loop(strategy, way != "loop, eager", after_step), "Adam")


# Options of training


def with_option(name: str) -> Callable[[Any], tuple[Any, Any]]:
    """Return a function that builds the model and SGD, one of them with an option."""
    average = {"use_ema": True, "ema_momentum": 0.75}
    of_optimizer: dict[str, dict[str, Any]] = {
        "clipnorm": {"clipnorm": 0.5},
        "weight_decay": {"weight_decay": 0.25},
        "use_ema": average,
        "ema_overwrite_frequency": average | {"ema_overwrite_frequency": 3},
        "gradient_accumulation_steps": {"gradient_accumulation_steps": 3},
    }

    def build(keras: Any) -> tuple[Any, Any]:
        of_model = {
            "Dropout": [keras.layers.Dropout(0.5, seed=1)],
            "BatchNormalization": [keras.layers.BatchNormalization()],
        }
        layers = [*of_model.get(name, []), keras.layers.Dense(1)]
        model = keras.Sequential([keras.layers.InputLayer((INPUTS,)), *layers])
        model.layers[-1].set_weights(initial)
        return model, keras.optimizers.SGD(RATE["SGD"], **of_optimizer.get(name, {}))

    return build


def options(cell: dict[str, str]) -> dict[str, Any]:
    """Train with an option under a strategy, and on one device.

    An entry goes through some 100 operations a step. Numbers stay below 10, and divisors (a norm,
    the root of a variance) above 0.1.
    """
    import tensorflow as tf

    strategy, build = build_strategy(cell["strategy"]), with_option(cell["option"])
    expected = loop(tf.distribute.get_strategy(), graph=True, build=build)
    gap = difference(loop(strategy, graph=True, build=build), expected)
    tolerance = rounding_tolerance(STEPS * 100, 10) / 0.1
    outcome = "equals" if gap <= tolerance else "differs"
    return {"outcome": outcome, "difference": gap, "tolerance": tolerance}


def serve() -> None:
    """Be a worker or a parameter server: wait for work, for ever."""
    import tensorflow as tf

    server = tf.distribute.Server(
        tf.train.ClusterSpec(TF_CONFIG["cluster"]),
        job_name=TASK["type"],
        task_index=TASK["index"],
        protocol="grpc",
    )
    server.join()


def main(result: str, text: str) -> None:
    """Run a cell, or the part of it that this process has in a cluster."""
    cell = json.loads(text)
    shared = Path(result).parent
    shared.joinpath(f"{TASK['type']}-{TASK['index']}.pid").write_text(str(os.getpid()))
    if cell.get("strategy") == "ParameterServer" and TASK["type"] != "chief":
        serve()
    try:
        if cell["table"] == "catalogue":
            outcome = catalogue(cell, shared)
        else:
            outcome = {"scope": scope, "options": options}[cell["table"]](cell)
    except Exception as error:
        name = type(error).__name__
        outcome = {"outcome": "error", "error": f"{name}: {error}" if str(error) else name}
    part = Path(f"{result}.{TASK['index']}")
    part.with_suffix(".new").write_text(json.dumps(outcome))
    part.with_suffix(".new").replace(part)
    # Not sys.exit: a coordinator that has lost a worker waits for it at the end of the interpreter.
    sys.stdout.flush()
    os._exit(outcome["outcome"] == "error")


if __name__ == "__main__":
    main(*sys.argv[1:])
