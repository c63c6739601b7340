"""Which cases of a report have a card on its page, where there are more than a page can hold.

First what held in the blessed run and does not now, then the other violations, then cases without a verdict and waived
ones, and last, where they are asked for, those that hold; each of these shared out fairly over the items. Of an item
the first in the order of their ids are taken, which are digests: as good as drawn at random, and the same whatever
``-n`` and the shards were.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from pathlib import Path
from typing import BinaryIO

from pytest_vqamt.core.case import Outcome
from pytest_vqamt.core.case_store import GzipIndex, find_cases_file, open_cases
from pytest_vqamt.core.report_json import Row
from pytest_vqamt.reporting.cases import parse_case

_VERDICT = b',"verdict":"'
"""Its first place in a line is the verdict's: within a text quotes are escaped, and facts come later."""


class CardPriority(IntEnum):
    """When a case gets its card."""

    BROKEN = 0
    VIOLATED = 1
    OTHER = 2
    HOLDS = 3


@dataclass(slots=True)
class _Group:
    """The cases of one item that have the same turn: how many there are, and where the first of them stand."""

    count: int = 0
    places: list[int] = field(default_factory=list)


@dataclass(frozen=True, slots=True, kw_only=True)
class SelectedCases:
    """The rows that have cards, in the order of the file; ``left_out`` violations have none."""

    rows: tuple[Row, ...]
    left_out: int


class CaseSelector:
    """The cases of a folder that there are to choose from, ``holding`` ones only where these are asked for.

    The file is read once. In memory are places in it: of each item so many as could be chosen, were it the only one.

    Attributes:
        lines: how many the file has in all.

    Raises:
        DataError: the file cannot be read, or a line of it is broken.
    """

    def __init__(self, folder: Path, most: int, *, holding: bool) -> None:
        self._file = find_cases_file(folder)
        self._members = GzipIndex()
        self._turns: dict[CardPriority, dict[str, _Group]] = {turn: {} for turn in CardPriority}
        with open_cases(self._file, self._members) as lines:
            self.lines = self._gather(lines, most, holding=holding)

    def chosen(self, most: int) -> SelectedCases:
        """At most ``most`` of them, which are no more than it was made for.

        Raises:
            DataError: a line of the file is broken.
        """
        taken, left_out = _taken(self._turns, most)
        with open_cases(self._file, self._members) as lines:
            return SelectedCases(rows=tuple(_rows(lines, taken)), left_out=left_out)

    def _gather(self, lines: BinaryIO, most: int, *, holding: bool) -> int:
        """Notes the places, and gives how many lines there are."""
        place = number = 0
        for number, line in enumerate(lines, start=1):
            if holding or not _holds(line):
                row = parse_case(line, f"{lines.name}:{number}")
                turn = _turn(row)
                if holding or turn is not CardPriority.HOLDS:
                    item = "\n".join((str(row["relation"]), str(row["model"]), str(row["data"])))
                    group = self._turns[turn].setdefault(item, _Group())
                    group.count += 1
                    if len(group.places) < most:
                        group.places.append(place)
            place += len(line)
        return number


def _holds(line: bytes) -> bool:
    """Whether a line of ours is on a case that holds, told without reading all of it."""
    return line.startswith(b'holds",', line.find(_VERDICT) + len(_VERDICT))


def _turn(row: Row) -> CardPriority:
    outcome = Outcome(str(row["verdict"]))
    if outcome is Outcome.HOLDS:
        return CardPriority.HOLDS
    if outcome is Outcome.ERROR or row.get("waived"):
        return CardPriority.OTHER
    return CardPriority.BROKEN if row.get("before") == Outcome.HOLDS.value else CardPriority.VIOLATED


def _taken(turns: dict[CardPriority, dict[str, _Group]], most: int) -> tuple[list[int], int]:
    """The places of those that are taken, and how many violations are not."""
    taken: list[int] = []
    violations = 0
    for turn, groups in turns.items():
        shares = fair_shares([group.count for group in groups.values()], most - len(taken))
        for group, share in zip(groups.values(), shares, strict=True):
            taken += group.places[:share]
            if turn in (CardPriority.BROKEN, CardPriority.VIOLATED):
                violations += group.count - share
    return sorted(taken), violations


def fair_shares(counts: Sequence[int], most: int) -> list[int]:
    """How many of each are taken where at most ``most`` are: nobody gets more while another lacks some.

    What does not come out even goes to those that stand first.

    >>> fair_shares([2, 100, 100, 3], 20)
    [2, 8, 7, 3]
    """
    shares = [0] * len(counts)
    left = min(most, sum(counts))
    while left:
        wanting = [place for place, count in enumerate(counts) if shares[place] < count]
        each = left // len(wanting)
        for place in wanting if each else wanting[:left]:
            share = min(counts[place] - shares[place], max(each, 1))
            shares[place] += share
            left -= share
    return shares


def _rows(lines: BinaryIO, places: Sequence[int]) -> Iterator[Row]:
    for place in places:
        lines.seek(place)
        yield parse_case(lines.readline(), f"{lines.name}, at byte {place}")
