"""The records of a list within a large JSON object, one after another."""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

import ijson  # type: ignore[import-untyped]  # it has neither types nor stubs

from pytest_vqamt.data.record_stream import RecordStream


class ListedStream(RecordStream):
    """A JSON object that holds lists, such as ``{"annotations": [...]}``: one list is read and never held."""

    def listed(self, key: str) -> Iterator[object]:
        """Each item of the list under ``key``; none where there is no such list.

        Raises:
            DataError: the file is no JSON object, or it is damaged.
        """
        with self._opened("{") as (on_disk, plain):
            yield from self._told(on_disk, cast("Iterator[object]", ijson.items(plain, f"{key}.item", use_float=True)))
