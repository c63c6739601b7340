"""The cases that were blessed, and how they came out then: read from the file of ``vqamt bless``, an item at a time."""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from typing import BinaryIO, NamedTuple, cast

from pytest_vqamt.core.case import Case, Outcome
from pytest_vqamt.core.codec import Json, decode
from pytest_vqamt.core.errors import DataError
from pytest_vqamt.core.identity import matches
from pytest_vqamt.core.query import Answer, Failure
from pytest_vqamt.core.report_json import BASELINE_SCHEMA, case_from_row, head_from_row
from pytest_vqamt.core.results import BaselineEntry, BaselineHead, BaselineUse, RelationResult
from pytest_vqamt.core.scene import Scene
from pytest_vqamt.data.base import SceneSource

_AGAIN = "`vqamt bless` a report anew, or get the file as it was written"
_CHUNK_BYTES = 1 << 16
_NOT_GZIP = (OSError, EOFError, zlib.error)

Row = dict[str, Json]


class BaselineKey(NamedTuple):
    """What tells blessed items apart."""

    item: str
    model: str
    data: str


class BaselineCase(NamedTuple):
    """A case, what it was answered when it was blessed, and its verdict then."""

    case: Case
    answers: tuple[Answer | Failure, ...]
    outcome: Outcome


class Baseline:
    """A file that ``vqamt bless`` wrote; its head is in memory, and no more of it than the item at hand.

    Raises:
        DataError: the file cannot be read, or is none.
    """

    def __init__(self, file: Path) -> None:
        self.file = file
        with _opened(file) as packed:
            first, starts_at = _first_piece(packed, file)
            self.head = _head(first, file)
            ends_at = packed.seek(0, 2)
        self._places: dict[BaselineEntry, tuple[int, int]] = {}
        line, place = 2, starts_at
        for each in self.head.items:
            self._places[each] = place, line
            line += each.tally.cases
            place += each.size_bytes
        if place != ends_at:
            raise DataError(
                f"Expected a baseline of {place} bytes, as its first line says, but {file} has {ends_at}: {_AGAIN}"
            )

    @cached_property
    def digest(self) -> str:
        """Of all that the file holds."""
        with _opened(self.file) as packed:
            return sha256(packed.read()).hexdigest()[:16]

    def check(self) -> None:
        """Reads all of it, so that a broken line is told before anything is asked.

        Raises:
            DataError: a line is broken; file and line are named.
        """
        for item in self.head.items:
            for _ in self._rows(item):
                pass

    def item(
        self, item: str, model: str, spec: str, digest: str, *, models_run: Collection[str] = ()
    ) -> BaselineItem | None:
        """What was blessed of a relation variant, for a model and data of today; None where nothing was.

        A model is found by its name where several were blessed, or where the one that was is among ``models_run``, all
        models of the run. It is else that one: a new version of it may have another name. Data is found by its
        ``spec``, or else by its ``digest``: on another machine it lies elsewhere.
        """
        models = [name for name, _ in self.head.models]
        specs = [spec for spec, _ in self.head.data]
        same = [known for known, its_digest in self.head.data if its_digest == digest]
        of_model = model if len(models) > 1 or models[0] in models_run else models[0]
        of_data = spec if spec in specs else next(iter(same), None)
        wanted = (item, of_model, of_data)
        found = (each for each in self.head.items if (each.item, each.model, each.data) == wanted)
        return next((BaselineItem(self, each) for each in found), None)

    def cases(self, item: BaselineEntry, source: SceneSource) -> Iterator[BaselineCase]:
        """The cases of one of its items, in the order of their ids, on the scenes of ``source``.

        Raises:
            DataError: a line is broken, or ``source`` has not the photos that the cases were made of.
        """

        def scene_of(photo_id: str) -> Scene:
            return source.scene(source.place(photo_id))

        for where, row in self._rows(item):
            try:
                blessed = _case(row, scene_of)
            except (DataError, ValueError) as error:
                raise DataError(
                    f"{where}: Expected the pictures that were blessed on {item.data}, but {source.spec} does not give "
                    f"them ({error}): name the data of the baseline, or bless a report of this data"
                ) from error
            yield blessed

    def answers_to(self, item: BaselineEntry, case_id: str) -> tuple[str | None, ...]:
        """What was answered when the case was blessed; nothing where it was not.

        Raises:
            DataError: a line is broken.
        """
        found = (row for _, row in self._rows(item) if row["case_id"] == case_id)
        return next((tuple(cast("list[str | None]", row["answers"])) for row in found), ())

    def _rows(self, item: BaselineEntry) -> Iterator[tuple[str, Row]]:
        """Where each line of an item stands, and what it says."""
        place, line = self._places[item]
        before = ""
        with _opened(self.file) as packed:
            packed.seek(place)
            piece = packed.read(item.size_bytes)
        try:
            with gzip.open(BytesIO(piece)) as lines:
                count = 0
                for count, text in enumerate(lines, start=1):
                    where = f"{self.file}, line {line + count - 1}"
                    row = _row(text, item, before, where)
                    before = str(row["case_id"])
                    yield where, row
        except _NOT_GZIP as error:
            raise DataError(
                f"Expected a whole baseline, but the cases of {item.id} cannot be unpacked from line {line} of "
                f"{self.file} on ({error}): {_AGAIN}"
            ) from error
        if count != item.tally.cases:
            raise DataError(
                f"Expected {item.tally.cases} cases of {item.id} from line {line} of {self.file} on, but got {count}: "
                f"{_AGAIN}"
            )


@dataclass(frozen=True, slots=True)
class BaselineItem:
    """What a baseline has of one item of a run."""

    baseline: Baseline
    item: BaselineEntry

    def cases(self, source: SceneSource) -> Iterator[BaselineCase]:
        """Its cases, in the order of their ids, on the scenes of ``source``.

        Raises:
            DataError: a line is broken, or ``source`` has not the photos that the cases were made of.
        """
        return self.baseline.cases(self.item, source)

    def answers_to(self, case_id: str) -> tuple[str | None, ...]:
        """What was answered when the case was blessed; nothing where it was not.

        Raises:
            DataError: a line is broken.
        """
        return self.baseline.answers_to(self.item, case_id)


def _opened(file: Path) -> BinaryIO:
    try:
        return file.open("rb")
    except OSError as error:
        raise DataError(
            f"Expected a baseline that can be read, but got {str(file)!r} ({error.strerror or error}): name the file "
            "that `vqamt bless` wrote"
        ) from error


def _first_piece(packed: BinaryIO, file: Path) -> tuple[bytes, int]:
    """What the file begins with, unpacked, and where in the file that ends."""
    unpack = zlib.decompressobj(wbits=31)  # gzip
    first = bytearray()
    try:
        while not unpack.eof and (chunk := packed.read(_CHUNK_BYTES)):
            first += unpack.decompress(chunk)
    except _NOT_GZIP as error:
        raise DataError(
            f"{file}, line 1: Expected a file that `vqamt bless` wrote, which is gzip, but got {error}: {_AGAIN}"
        ) from error
    if not unpack.eof:
        raise DataError(f"{file}, line 1: Expected a file that `vqamt bless` wrote, but it was cut off: {_AGAIN}")
    return bytes(first), packed.tell() - len(unpack.unused_data)


def _head(text: bytes, file: Path) -> BaselineHead:
    try:
        row: object = json.loads(text)
        if not isinstance(row, dict) or "baseline" not in row:
            raise ValueError(f"it is {text[:40]!r}")
        if row["baseline"] != BASELINE_SCHEMA:
            raise DataError(
                f"{file}, line 1: Expected a baseline of schema {BASELINE_SCHEMA}, but got "
                f"baseline={row['baseline']!r}: `vqamt bless` a report with this version of pytest-vqamt"
            )
        head = head_from_row(row)
        if not head.models or len({each.id for each in head.items}) < len(head.items):
            raise ValueError("it names no model, or an item twice")
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise DataError(
            f"{file}, line 1: Expected what `vqamt bless` writes first, but {_told(error)}: {_AGAIN}"
        ) from error
    return head


def _row(text: bytes, item: BaselineEntry, before: str, where: str) -> Row:
    """A line of an item, whose case comes after that of the id ``before``."""
    try:
        row: Row = json.loads(text)
        told = BaselineKey(str(row["relation"]), str(row["model"]), str(row["data"]))
        queries, answers = cast("list[Row]", row["queries"]), cast("list[Json]", row["answers"])
        Outcome(str(row["verdict"]))
        if told != (item.item, item.model, item.data):
            raise ValueError(f"it is a case of {'-'.join(told)} among those of {item.id}")
        if not queries or len(queries) != len(answers):
            raise ValueError(f"it has {len(answers)} answers to {len(queries)} queries")
        if not all(isinstance(each, str | None) for each in answers):
            raise ValueError(f"it has answers that are no texts: {answers!r}")
        if str(row["case_id"]) <= before:
            raise ValueError(f"case_id={row['case_id']!r} comes after {before!r}")
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise DataError(f"{where}: Expected a blessed case, but {_told(error)}: {_AGAIN}") from error
    return row


def _told(error: Exception) -> str:
    return f"it lacks {error}" if isinstance(error, KeyError) else str(error)


def _case(row: Row, scene_of: Callable[[str], Scene]) -> BaselineCase:
    case = case_from_row(row, scene_of)
    if case.id != row["case_id"]:
        raise DataError(f"case_id={row['case_id']!r} is {case.id!r} by its content")
    return BaselineCase(case, tuple(_answers(row)), Outcome(str(row["verdict"])))


def _answers(row: Row) -> Iterator[Answer | Failure]:
    texts = cast("list[str | None]", row["answers"])
    scores = cast("list[Json]", row.get("scores") or [None] * len(texts))
    truncated = cast("list[bool]", row.get("truncated") or [False] * len(texts))
    for text, given, cut in zip(texts, scores, truncated, strict=True):
        if text is None:
            yield Failure(reason="it had no answer when it was blessed")
        else:
            yield Answer(text, cast("tuple[tuple[str, float], ...] | None", decode(given)), bool(cut))


def baseline_use(
    baseline: Baseline,
    results: Sequence[RelationResult],
    asked: Collection[str],
    wanted: Sequence[str],
    excluded: Sequence[str],
) -> BaselineUse:
    """What the run was held against; ``asked`` are the ids of the blessed items that it has asked, or tried to.

    Those that the user's own globs leave out, ``wanted`` (all, where there is none) and ``excluded``, are not missed.
    """

    def is_missed(item: str) -> bool:
        taken = not wanted or any(matches(pattern, item) for pattern in wanted)
        return taken and not any(matches(pattern, item) for pattern in excluded)

    return BaselineUse(
        file=baseline.file.name,
        digest=baseline.digest,
        models=baseline.head.models,
        missing=tuple(each.id for each in baseline.head.items if each.id not in asked and is_missed(each.item)),
        new=tuple(
            f"{result.item}-{result.model.name}-{result.data.spec}"
            for result in results
            if result.all_cases and result.change is None
        ),
    )
