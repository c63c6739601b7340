"""How the process of the door ends: with all below it, and whatever has become of the one that started it."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from threading import Thread
from typing import TextIO

from pytest_vqamt.execution.serving.processes import end_all
from pytest_vqamt.serving.config import Offer

LEAVE = "leave"
"""The line that says so; where none comes before the end, nobody is there who could have said it."""

_REMOVE = 'read -r nothing; n=0; while rm -rf -- "$1"; [ -e "$1" ] && [ $n -lt 50 ]; do sleep 0.2; n=$((n+1)); done'
"""For a shell, whose standard input ends with the process to wait for, and which is given the folder.

What is ended at that moment may still write to it, so it is taken away until it stays away.
"""


class Leaving:
    """Ends the process and all below it when whoever started it says so, or is no more.

    Args:
        told_by: where that is heard: a pipe that ends with the process at its other end.
    """

    def __init__(self, offer: Offer, told_by: TextIO) -> None:
        self.take_down: Callable[[], None] | None = None
        self.last_words: Callable[[], None] | None = None
        self.has_begun = False
        self._shell: subprocess.Popen[bytes] | None = None
        self._offer = offer
        self._told_by = told_by
        Thread(target=self._wait, name="vqamt-leave", daemon=True).start()

    def _wait(self) -> None:
        self.leave(0, is_last=self._told_by.readline().strip() != LEAVE)

    def leave(self, status: int, *, is_last: bool = False) -> None:
        """Does not return. A Ray of our own is ended as it is: nothing in it is to be kept.

        ``is_last`` says that who would take the folder away is no more.
        """
        self.has_begun = True
        if self.last_words is not None:
            self.last_words()
        if self._offer.cluster and self.take_down is not None:
            try:
                self.take_down()
            except Exception as error:  # Ray raises whatever its parts do, and there is nobody left to mend it
                print(f"taking down: {error!r}", file=sys.stderr, flush=True)
        if is_last:
            self._shell = _removing(self._offer.folder)  # kept, or its standard input would end now
        end_all(2.0 if self._offer.cluster else 0.0, spared=[] if self._shell is None else [self._shell.pid])
        os._exit(status)


def _removing(folder: str) -> subprocess.Popen[bytes]:
    """A process that takes the folder away as soon as this one is no more.

    This one cannot: it writes to the folder until it ends, and Ray ends it as soon as others of its processes have.
    """
    arguments = ["/bin/sh", "-c", _REMOVE, "sh", folder]
    return subprocess.Popen(arguments, start_new_session=True, stdin=subprocess.PIPE, cwd="/")
