"""Status lines and a progress bar for the annotation of photos, on standard error."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

SHOW_AFTER_S = 2.0


def print_status(text: str) -> None:
    """Prints a status line, which also logs show."""
    print(f"vqamt: {text}", file=sys.stderr, flush=True)


@contextmanager
def progress_bar(photos: int) -> Iterator[Callable[[], object]]:
    """A progress bar on a terminal; nothing in CI."""
    if "CI" in os.environ or not sys.stderr.isatty():
        yield lambda: None
        return
    from tqdm import tqdm

    with tqdm(
        total=photos, desc="looking at photos", unit="photo", leave=False, delay=SHOW_AFTER_S, file=sys.stderr
    ) as bar:
        yield bar.update
