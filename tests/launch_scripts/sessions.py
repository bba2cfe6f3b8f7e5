"""Grandchildren that nothing but SIGKILL ends: each in a session of its own, its parent gone."""

import os
import signal
import time
from pathlib import Path

for number in range(2):
    if os.fork() == 0:
        for name in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGABRT):
            signal.signal(name, signal.SIG_IGN)
        os.setsid()
        if os.fork():
            os._exit(0)
        Path(f"ready-{number}").touch()
        break
time.sleep(1000)
