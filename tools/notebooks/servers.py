"""Kernels for the notebooks of one run, and servers for what they launch, shared by all of them.

Importing a framework takes seconds, and most notebooks need the same ones.
"""

import contextlib
import os
import secrets
from collections.abc import Iterable, Iterator

from lockstep import ahead, runtime
from lockstep.grading import kernels

# What differs between the notebooks of a run, and is not read by an import: where they work, who
# started them, and what their own imports have set.
MAY_VARY = [
    *("HOME", "PWD", "OLDPWD", "MPL*"),
    *("LOCKSTEP_*", "JPY_*", "JUPYTER_*", "PYTEST_*", "PYDEVD_*"),
    *("TERM", "PAGER", "GIT_PAGER", "CLICOLOR*", "FORCE_COLOR", "COLUMNS", "LINES"),
    *("TF2_BEHAVIOR", "HDF5_PLUGIN_PATH", "TPU_*", "ENABLE_RUNTIME_UPTIME_TELEMETRY"),
    "TORCHINDUCTOR_CACHE_DIR",
]


@contextlib.contextmanager
def shared(
    imported: Iterable[Iterable[str]], launched: Iterable[Iterable[str]]
) -> Iterator[dict[str, str]]:
    """Make forked kernels ready for many notebooks, and servers for what they launch.

    Yields environment variables; a notebook needs those of `kernel_for` too.

    Args:
        imported: the frameworks that each notebook begins with.
        launched: those that the scripts of each notebook import.
    """
    prefix = f"lockstep-{secrets.token_hex(16)}-"
    with contextlib.ExitStack() as stack:
        variables = stack.enter_context(kernels.kernelspec())
        if ahead.possible():
            for key in sorted({key_of(names) for names in imported}):
                modules = runtime.modules(key.split("+"))
                stack.enter_context(
                    kernels.server(modules, f"{prefix}kernel-{key}", variables["JUPYTER_PATH"])
                )
            environment = {**runtime.ENVIRONMENT, **os.environ, **ahead.ENVIRONMENT}
            for name in sorted({name for names in launched for name in names}):
                address = f"{prefix}ranks-{name}"
                ranks = ahead.start_server([name] if name else [], environment, address, MAY_VARY)
                stack.callback(ahead.stop, ranks)
            variables |= {kernels.SERVER: f"{prefix}kernel-", ahead.SHARED: f"{prefix}ranks-"}
        yield variables


def kernel_for(names: Iterable[str]) -> dict[str, str]:
    """Return the environment variable for a notebook that begins with these frameworks."""
    prefix = os.environ.get(kernels.SERVER)
    return {kernels.SERVER: prefix + key_of(names)} if prefix else {}


def key_of(names: Iterable[str]) -> str:
    """Name a set of frameworks, in the order in which they are imported."""
    names = set(names)
    return "+".join(name for name in ahead.FRAMEWORKS if name in names)
