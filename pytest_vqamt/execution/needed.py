"""Which queries the cases of an item have needed, in eight bytes each: there may be millions."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Iterable


class Needed:
    """Ids of queries: all are told first, and looked up afterwards.

    >>> needed = Needed()
    >>> needed.add(("00000000000000ff", "0000000000000001"))
    >>> "00000000000000ff" in needed, "00000000000000fe" in needed
    (True, False)
    """

    def __init__(self) -> None:
        self._numbers = array("Q")
        self._is_sorted = True

    def add(self, query_ids: Iterable[str]) -> None:
        """Some have been needed; one that has been before may be told again."""
        self._numbers.extend(int(query_id, 16) for query_id in query_ids)
        self._is_sorted = False

    def __contains__(self, query_id: str) -> bool:
        if not self._is_sorted:
            self._numbers, self._is_sorted = array("Q", sorted(self._numbers)), True
        number = int(query_id, 16)
        place = bisect_left(self._numbers, number)
        return place < len(self._numbers) and self._numbers[place] == number
