"""A TensorFlow worker that waits for a peer that never comes, and ignores SIGTERM meanwhile."""

import json
import os
import subprocess
import sys

import tensorflow as tf

peers = [f"127.0.0.1:{int(os.environ['MASTER_PORT']) + i}" for i in range(2)]
os.environ["TF_CONFIG"] = json.dumps(
    {"cluster": {"worker": peers}, "task": {"type": "worker", "index": 0}}
)
# It waits without letting other threads run, so that another process must say so. By then it has a
# handler for SIGTERM, which Linux shows as a bit, the 15th from the right.
has_handler = "until grep -q 'SigCgt:.*[4-7c-f]...$' /proc/$PPID/status; do sleep 0.1; done"
since = has_handler if sys.platform == "linux" else "sleep 1"
subprocess.Popen(["sh", "-c", f"{since}; touch ready-0"])
tf.distribute.MultiWorkerMirroredStrategy()
