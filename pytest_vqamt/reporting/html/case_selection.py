"""Selection of the cases that have a card on the HTML page.

Regressions come first, then other violations, and cases that hold but whose contrast is violated, then errors and
waived cases, and last other cases that hold: a few of each item, or on request all. Each group is shared fairly among
the items; cases that hold count as an item of their own. Of an item the cases with the smallest ids are taken: ids are
digests, so this is as good as random, and the same for any ``-n`` and any shards.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum, StrEnum
from pathlib import Path
from typing import BinaryIO, cast

from pytest_vqamt.core.case import CONFIDENT, Outcome
from pytest_vqamt.core.case_store import find_cases_file, open_cases, parse_case
from pytest_vqamt.core.report_json import Row

WRONG = (Outcome.VIOLATED, Outcome.UNPARSED)
"""The verdicts that count as violations; an unread answer is one of them."""

_VERDICT = b',"verdict":"'
"""Its first occurrence in a line is the verdict: quotes within texts are escaped, and facts come later."""
_CONTRAST = b',"contrast":{'
_MISSED = (b'violated",', b'unparsed",')

_ID_BEGINS = len('{"case_id":"')
_ID_ENDS = _ID_BEGINS + 16
"""The place of the case id in a line: 16 hexadecimal digits of the first field."""

_AFTER_ITEM = b',"scene":"'
"""Between it and the case id are relation, model and data, which name the item."""

_HOLDING_OF_AN_ITEM = 2
_HOLDING_AT_MOST = 60
"""Cases that hold are examples only: two of an item, and so many in all."""

OF_AN_ITEM_AT_MOST = 200
"""Cases of an item that fail alike: nobody looks through more, and their pictures would take longer than the run."""


class CardPriority(IntEnum):
    """The order in which groups of cases get cards."""

    REGRESSION = 0
    VIOLATED = 1
    OTHER = 2
    HOLDS = 3


@dataclass(slots=True)
class _Group:
    """The cases of one item with the same priority: their number, and the file positions of the first ones."""

    is_violation: bool
    """True if its cases count as left out where they get no card."""
    count: int = 0
    """All its cases, with those whose positions are not in memory."""
    confident: list[int] = field(default_factory=list)
    """The positions of confident violations, which come first."""
    rest: list[int] = field(default_factory=list)
    """The positions of other cases, which come between the two."""
    unread: list[int] = field(default_factory=list)
    """The positions of cases with an answer that could not be read, which come last."""

    @property
    def places(self) -> list[int]:
        return self.confident + self.rest + self.unread


@dataclass(frozen=True, slots=True, kw_only=True)
class SelectedCases:
    """The rows of the cards, confident violations first, then in file order."""

    rows: tuple[Row, ...]
    """As parsed from the file of cases."""
    left_out: int
    """The number of violated and unread cases without a card."""


class CaseSelector:
    """Indexes the cases of a folder once, and selects up to ``most`` of them for cards.

    Only file positions are in memory, at most ``OF_AN_ITEM_AT_MOST`` of each item unless all are wanted. Cases that
    hold are indexed with ``holding``.

    Attributes:
        lines: the number of lines of the file.

    Raises:
        DataError: the file cannot be read, or a line of it is broken.
    """

    def __init__(self, folder: Path, most: int, *, holding: bool) -> None:
        self._file = find_cases_file(folder)
        self._turns: dict[CardPriority, dict[str, _Group]] = {turn: {} for turn in CardPriority}
        self._holding: dict[bytes, list[int]] = {}
        # Who asks for all cases gets them.
        self._of_an_item = most if holding else min(most, OF_AN_ITEM_AT_MOST)
        with open_cases(self._file) as lines:
            self.lines = self._gather(lines, holding=holding)

    def chosen(self, most: int) -> SelectedCases:
        """Selects at most ``most`` cases, which must not exceed the number given to the constructor.

        Raises:
            DataError: a line of the file is broken.
        """
        taken, left_out = _taken(self._turns, most, self._of_an_item)
        # A stable sort: all others stay in file order.
        rows = sorted(self._rows(taken), key=lambda row: not _is_confident(row))
        return SelectedCases(rows=tuple(rows), left_out=left_out)

    def holding_sample(self, most: int) -> tuple[Row, ...]:
        """Selects a few cases of each item that hold, at most ``most`` and 60; none if all were indexed.

        Raises:
            DataError: a line of the file is broken.
        """
        shares = fair_shares([len(places) for places in self._holding.values()], min(most, _HOLDING_AT_MOST))
        taken = (
            place for places, share in zip(self._holding.values(), shares, strict=True) for place in places[:share]
        )
        # Waived cases are indexed too, since a line is not parsed to see if it holds.
        return tuple(row for row in self._rows(sorted(taken)) if not row.get("waived"))

    def answers_of_others(self, rows: Sequence[Row]) -> Mapping[tuple[str, str], Sequence[Row]]:
        """All models' rows of the given cases, by case id and data.

        Raises:
            DataError: a line of the file is broken.
        """
        wanted = {str(row["case_id"]).encode() for row in rows}
        found: dict[tuple[str, str], list[Row]] = {}
        with open_cases(self._file) as lines:
            for number, line in enumerate(lines, start=1):
                # By the bytes: only the wanted lines are parsed.
                if line[_ID_BEGINS:_ID_ENDS] in wanted:
                    row = parse_case(line, f"{lines.name}:{number}")
                    found.setdefault((str(row["case_id"]), str(row["data"])), []).append(row)
        return found

    def _rows(self, places: Iterable[int]) -> Iterator[Row]:
        with open_cases(self._file) as lines:
            for place in places:
                lines.seek(place)
                yield parse_case(lines.readline(), f"{lines.name}, at byte {place}")

    def _gather(self, lines: BinaryIO, *, holding: bool) -> int:
        """Indexes the file and returns its number of lines."""
        place = number = 0
        for number, line in enumerate(lines, start=1):
            # Most lines hold, and are not parsed.
            if holding or not _holds(line) or _misses_contrast(line):
                row = parse_case(line, f"{lines.name}:{number}")
                turn = _turn(row)
                if holding or turn is not CardPriority.HOLDS:
                    item = "\n".join((str(row["relation"]), str(row["model"]), str(row["data"]), str(_holds(line))))
                    is_violation = turn in (CardPriority.REGRESSION, CardPriority.VIOLATED) and not _holds(line)
                    group = self._turns[turn].setdefault(item, _Group(is_violation))
                    group.count += 1
                    is_sure = is_violation and _is_confident(row)
                    places = group.unread if row.get("unread") else group.confident if is_sure else group.rest
                    if len(places) < self._of_an_item:
                        places.append(place)
            else:
                places = self._holding.setdefault(line[_ID_ENDS : line.find(_AFTER_ITEM)], [])
                if len(places) < _HOLDING_OF_AN_ITEM:
                    places.append(place)
            place += len(line)
        return number


def _holds(line: bytes) -> bool:
    """True if the case of a line holds, without parsing the line."""
    return line.startswith(b'holds",', line.find(_VERDICT) + len(_VERDICT))


def _misses_contrast(line: bytes) -> bool:
    """True if a case has a violated contrast, without parsing the line."""
    # From the right, as the contrast is one of the last fields of a line.
    begins = line.rfind(_CONTRAST)
    return begins >= 0 and line.startswith(_MISSED, line.find(_VERDICT, begins) + len(_VERDICT))


def _turn(row: Row) -> CardPriority:
    outcome = Outcome(str(row["verdict"]))
    if outcome is Outcome.HOLDS and not row.get("waived"):
        contrast = cast("Row | None", row.get("contrast")) or {}
        is_missed = contrast.get("verdict") in WRONG
        return CardPriority.VIOLATED if is_missed else CardPriority.HOLDS
    if outcome is Outcome.HOLDS:
        return CardPriority.HOLDS
    if not outcome.is_judged or row.get("waived"):
        return CardPriority.OTHER
    return CardPriority.REGRESSION if row.get("before") == Outcome.HOLDS.value else CardPriority.VIOLATED


def _is_confident(row: Row) -> bool:
    """True if the case is a violation of which the model was sure."""
    margin = row.get("margin")
    is_violation = row["verdict"] in WRONG
    return is_violation and isinstance(margin, int | float) and margin >= CONFIDENT


def _taken(turns: dict[CardPriority, dict[str, _Group]], most: int, of_an_item: int) -> tuple[list[int], int]:
    """The file positions of the selected cases, and the number of violations left out."""
    taken: list[int] = []
    violations = 0
    for groups in turns.values():
        shares = fair_shares([min(group.count, of_an_item) for group in groups.values()], most - len(taken))
        for group, share in zip(groups.values(), shares, strict=True):
            taken += group.places[:share]
            if group.is_violation:
                violations += group.count - share
    return sorted(taken), violations


def fair_shares(counts: Sequence[int], most: int) -> list[int]:
    """Shares of at most ``most`` in all, as equal as the counts allow; a remainder goes to the first ones.

    >>> fair_shares([2, 100, 100, 3], 20)
    [2, 8, 7, 3]
    """
    shares = [0] * len(counts)
    left = min(most, sum(counts))
    while left:
        wanting = [place for place, count in enumerate(counts) if shares[place] < count]
        each = left // len(wanting)
        # With less than one for each, one for the first ones.
        for place in wanting if each else wanting[:left]:
            share = min(counts[place] - shares[place], max(each, 1))
            shares[place] += share
            left -= share
    return shares


class Images(StrEnum):
    """``--vqamt-report-images``."""

    VIOLATIONS = "violations"
    ALL = "all"
    NONE = "none"
