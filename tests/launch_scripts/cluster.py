"""TensorFlow workers of a MultiWorkerMirroredStrategy: `cluster.py MODE`."""

import json
import os
import sys
import time
from pathlib import Path

import tensorflow as tf

mode, index = sys.argv[1], json.loads(os.environ["TF_CONFIG"])["task"]["index"]
strategy = tf.distribute.MultiWorkerMirroredStrategy()


@tf.function
def count():
    def one():
        return tf.distribute.get_replica_context().all_reduce("SUM", tf.constant(1.0))

    return strategy.run(one)


print(f"worker {index} counts {count().numpy():g} workers")
if mode == "raise" and index == 1:
    Path("failed-at").write_text(str(time.time()))
    raise ValueError("this worker breaks")
Path(f"ready-{index}").touch()
while mode != "train":
    count()
