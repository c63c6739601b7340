"""Progress bars of long work that is not a test run."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

SHOW_AFTER_S = 2.0
"""The usual delay of a bar: shorter work needs none."""


@contextmanager
def progress_bar(
    description: str, total: int | None, unit: str, *, delay_s: float = 0.0
) -> Iterator[Callable[..., object]]:
    """Yields a function that advances a bar on standard error by its argument, or by 1.

    There is a bar only on a terminal, outside CI, and after ``delay_s`` seconds. Bytes (``unit="B"``) have prefixes.
    """
    if "CI" in os.environ or not sys.stderr.isatty():
        yield lambda _step=1: None
        return
    from tqdm import tqdm

    with tqdm(
        total=total, desc=description, unit=unit, unit_scale=unit == "B", leave=False, delay=delay_s, file=sys.stderr
    ) as bar:
        yield bar.update
