"""How far the pictures of a page are, for people at a terminal."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

_SAMPLING_DELAY_S = 1.0
"""What takes less shows no bar."""


@contextmanager
def drawing(pictures: int) -> Iterator[Callable[[], object]]:
    """A bar on standard error, where that is a terminal that somebody watches; gives what counts one more picture."""
    if "CI" in os.environ or not sys.stderr.isatty():
        yield lambda: None
        return
    from tqdm import tqdm

    with tqdm(
        total=pictures, desc="pictures of the report", unit="picture", leave=False, delay=_SAMPLING_DELAY_S
    ) as bar:
        yield bar.update
