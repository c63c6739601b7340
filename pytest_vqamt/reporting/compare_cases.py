"""The cases of an item in two runs, found for each other by their ids while both are read."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple, cast

from pytest_vqamt.core.case import Outcome
from pytest_vqamt.core.errors import DataError
from pytest_vqamt.core.report_json import Row
from pytest_vqamt.core.tallies import Spread
from pytest_vqamt.reporting.compared import MovedCase, SeenTwice
from pytest_vqamt.reporting.html.cards import edits_in_words
from pytest_vqamt.reporting.item_lines import CaseLine


class Both(NamedTuple):
    """What two runs say of one case; None where a run has it not."""

    before: CaseLine | None
    after: CaseLine | None


def joined(before: Iterator[CaseLine], after: Iterator[CaseLine]) -> Iterator[Both]:
    """Every case once, in the order of the ids, which is that of both; a line of each is in memory at a time."""
    old, new = next(before, None), next(after, None)
    while old is not None or new is not None:
        if new is None or (old is not None and old.case_id < new.case_id):
            yield Both(old, None)
            old = next(before, None)
        elif old is None or new.case_id < old.case_id:
            yield Both(None, new)
            new = next(after, None)
        else:
            yield Both(old, new)
            old, new = next(before, None), next(after, None)


@dataclass(slots=True)
class Gathered:
    """What is counted of the cases of an item that two runs have; at most ``show`` of each sort are kept whole.

    Attributes:
        spread: those that both have judged, by scene.
        broke, mended: the ids of those that held before alone, or hold now alone.
        shown: some of these.
    """

    show: int
    spread: Spread = field(default_factory=Spread)
    only_before: int = 0
    only_after: int = 0
    unjudged: int = 0
    other_verdict: int = 0
    broke: list[str] = field(default_factory=list)
    mended: list[str] = field(default_factory=list)
    shown: list[MovedCase] = field(default_factory=list)

    @property
    def is_empty(self) -> bool:
        return not (self.spread.paired.shared or self.only_before or self.only_after or self.unjudged)

    def add(self, both: Both) -> None:
        """Counts a case.

        Raises:
            DataError: a line of it is not whole.
        """
        before, after = both
        if before is None or after is None:
            self.only_before += after is None
            self.only_after += before is None
            return
        then, now = _outcome(before.row), _outcome(after.row)
        if then is None or now is None:
            self.unjudged += 1
            return
        self.spread.add(str(after.row["scene"]), now, then)
        held, holds = then is Outcome.HOLDS, now is Outcome.HOLDS
        self.other_verdict += held != holds and before.row.get("answers") == after.row.get("answers")
        if held != holds:
            moved = self.mended if holds else self.broke
            if len(moved) < self.show:
                self.shown.append(_moved(before.row, after.whole, mended=holds))
            moved.append(after.case_id)


def is_presumed(both: Both) -> bool:
    """Whether the case rests on an absence that the annotations do not guarantee, as they are now."""
    line = both.before if both.after is None else both.after
    return line is not None and "presumed" in cast("list[str]", line.row.get("tags") or [])


def _outcome(row: Row) -> Outcome | None:
    """The verdict; None where there is none that counts."""
    outcome = Outcome(str(row["verdict"]))
    return None if outcome is Outcome.ERROR or row.get("waived") else outcome


def _moved(before: Row, after: Row, *, mended: bool) -> MovedCase:
    try:
        queries = cast("list[Row]", after["queries"])
        then, now = (cast("list[str | None]", row["answers"]) for row in (before, after))
        return MovedCase(
            case_id=str(after["case_id"]),
            item=str(after["relation"]),
            model=str(after["model"]),
            data=str(after["data"]),
            scene=str(after["scene"]),
            mended=mended,
            queries=tuple(
                SeenTwice(
                    text=str(query["text"]) or f"({query['task']})",
                    edits=edits_in_words(query),
                    before=told,
                    after=tells,
                )
                for query, told, tells in zip(queries, then, now, strict=True)
            ),
            expected=str(after["expected"]),
            reason=str((before if mended else after)["reason"]),
        )
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise DataError(
            f"Expected a whole case, but got case_id={after.get('case_id')!r} of {after.get('relation')}: {error!r}: "
            "make the report anew"
        ) from error
