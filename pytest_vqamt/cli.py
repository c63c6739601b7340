"""The ``vqamt`` command, which delegates.

Importing this module imports nothing heavy; each command imports what it needs.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

_INTERRUPTED = 130
"""As shells have it: 128 and the number of the signal."""


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the command that the arguments name and returns its exit status."""
    try:
        from pytest_vqamt.commands.main import run_command

        return run_command(argv)
    except KeyboardInterrupt:
        print("vqamt: interrupted", file=sys.stderr)
        return _INTERRUPTED
