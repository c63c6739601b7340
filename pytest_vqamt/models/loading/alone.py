"""What must not be used by two threads at once is used by one at a time.

A tokenizer of the tokenizers library keeps how it was last told to pad and to truncate, so that two threads that want
it otherwise read each other's settings, or fail with "Already borrowed"
(https://github.com/huggingface/tokenizers/issues/537).
"""

from __future__ import annotations

from contextlib import AbstractContextManager
from threading import Lock, RLock
from weakref import WeakKeyDictionary

_lock = Lock()
_locks: WeakKeyDictionary[object, AbstractContextManager[bool]] = WeakKeyDictionary()


def alone(used: object) -> AbstractContextManager[bool]:
    """For as long as it is entered no other thread enters it for the same object; the same thread may."""
    with _lock:
        if used not in _locks:
            _locks[used] = RLock()
        return _locks[used]
