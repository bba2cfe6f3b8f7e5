"""A TensorFlow worker that waits for a peer that never comes, and ignores SIGTERM meanwhile."""

import json
import os
import subprocess

import tensorflow as tf

peers = [f"127.0.0.1:{int(os.environ['MASTER_PORT']) + i}" for i in range(2)]
os.environ["TF_CONFIG"] = json.dumps(
    {"cluster": {"worker": peers}, "task": {"type": "worker", "index": 0}}
)
# By then it waits: without letting other threads run, so that another process must say so.
subprocess.Popen(["sh", "-c", "sleep 1; touch ready-0"])
tf.distribute.MultiWorkerMirroredStrategy()
