"""How the user is told of work on photos that takes its time: a line for a log, and a bar for a person."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

SHOW_AFTER_S = 2.0


def print_status(text: str) -> None:
    """Tells the user, also one who reads a log, where no bar is."""
    print(f"vqamt: {text}", file=sys.stderr, flush=True)


@contextmanager
def progress_bar(photos: int) -> Iterator[Callable[[], object]]:
    """A bar on standard error, where a person looks at it and it takes its time."""
    if "CI" in os.environ or not sys.stderr.isatty():
        yield lambda: None
        return
    from tqdm import tqdm

    with tqdm(
        total=photos, desc="looking at photos", unit="photo", leave=False, delay=SHOW_AFTER_S, file=sys.stderr
    ) as bar:
        yield bar.update
