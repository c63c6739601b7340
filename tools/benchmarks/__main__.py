"""``python -m tools.benchmarks [NAME...]``: prints rates and ratios, and asserts nothing."""

from __future__ import annotations

import sys
from importlib import import_module

from tools.benchmarks.measuring import machine

# Those that measure other processes come first: a child's memory is counted as at least this process's.
NAMES = (
    "plugin_overhead",
    "end_to_end",
    "sweep",
    "served",
    "pace",
    "http_pictures",
    "scene_index",
    "planning",
    "picture_world",
    "edits",
    "render_ahead",
    "idle",
    "adapters",
    "shared_prefix",
    "trace",
    "tiny_ratio",
    "basic_questions",
    "reading",
    "report_page",
)


def main(wanted: list[str]) -> None:
    """Runs the named benchmarks, or all."""
    for name in wanted:
        if name not in NAMES:
            raise SystemExit(f"Expected names of benchmarks ({', '.join(NAMES)}), but got {name!r}")
    print(machine())
    for name in wanted or NAMES:
        import_module(f"tools.benchmarks.{name}").main()


if __name__ == "__main__":
    main(sys.argv[1:])
