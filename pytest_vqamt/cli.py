"""The ``vqamt`` command, which delegates.

Importing this module imports nothing heavy; each command imports what it needs.
"""

from __future__ import annotations

from collections.abc import Sequence


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the command that the arguments name and returns its exit status."""
    from pytest_vqamt.integration.commands.main import run_command

    return run_command(argv)
