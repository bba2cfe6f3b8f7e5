"""Bytes between the processes of one machine, as its operating system counts them."""

import psutil

NAMES = ("lo", "lo0")  # of the loopback interface on Linux, on macOS


def sent_bytes() -> int:
    """Return the bytes sent on this machine's loopback interface since the machine started.

    It counts what all programs send, and the headers of packets too. So the difference between two
    calls is at least what was sent in between.

    Raises:
        RuntimeError: there is no such interface, with the names of those that there are.
    """
    counters = psutil.net_io_counters(pernic=True)
    for name in NAMES:
        if name in counters:
            return int(counters[name].bytes_sent)
    raise RuntimeError(
        f"This machine has no loopback interface named {' or '.join(NAMES)}, where bytes "
        f"could be counted on Linux and macOS. It has {', '.join(sorted(counters)) or 'none'}."
    )
