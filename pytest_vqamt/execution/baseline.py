"""Reads baselines, the files of ``vqamt bless``, one item at a time."""

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

_REPAIR = "`vqamt bless` a report anew, or get the file as it was written"
_CHUNK_BYTES = 1 << 16
_NOT_GZIP = (OSError, EOFError, zlib.error)

Row = dict[str, Json]


class BaselineKey(NamedTuple):
    """Identifies an item of a baseline."""

    item: str
    model: str
    data: str


class BaselineCase(NamedTuple):
    """A case of a baseline with its answers and its outcome there."""

    case: Case
    answers: tuple[Answer | Failure, ...]
    outcome: Outcome


class Baseline:
    """A file that ``vqamt bless`` wrote. Its head is in memory, and at most one item.

    Raises:
        DataError: the file cannot be read, or is no baseline.
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
                f"Expected a baseline of {place} bytes, as its first line says, but {file} has {ends_at}: {_REPAIR}"
            )

    @cached_property
    def digest(self) -> str:
        """The digest of the whole file."""
        with _opened(self.file) as packed:
            return sha256(packed.read()).hexdigest()[:16]

    def check(self) -> None:
        """Reads the whole file, so that a broken line is reported before the run.

        Raises:
            DataError: a line is broken.
        """
        for item in self.head.items:
            for _ in self._rows(item):
                pass

    def item(
        self, item: str, model: str, spec: str, digest: str, *, models_run: Collection[str] = ()
    ) -> BaselineItem | None:
        """The baseline's item for a relation variant on a model and data of this run; None if it has none.

        The model is found by name if the baseline has several, or if its only model is among ``models_run``, all models
        of this run. Otherwise it is that only model: a new version may have another name. Data is found by its ``spec``
        or its ``digest``: its path differs between machines.
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
        """The cases of an item in the order of their ids, on the scenes of ``source``.

        Raises:
            DataError: a line is broken, or ``source`` lacks a photo of a case.
        """

        def scene_of(photo_id: str) -> Scene:
            return source.scene(source.place(photo_id))

        for where, row in self._rows(item):
            try:
                case = _case(row, scene_of)
            except (DataError, ValueError) as error:
                raise DataError(
                    f"{where}: Expected the pictures that were blessed on {item.data}, but {source.spec} does not give "
                    f"them ({error}): name the data of the baseline, or bless a report of this data"
                ) from error
            yield case

    def answers_to(self, item: BaselineEntry, case_id: str) -> tuple[str | None, ...]:
        """The answers to a case in the baseline; empty if it has no such case.

        Raises:
            DataError: a line is broken.
        """
        found = (row for _, row in self._rows(item) if row["case_id"] == case_id)
        return next((tuple(cast("list[str | None]", row["answers"])) for row in found), ())

    def _rows(self, item: BaselineEntry) -> Iterator[tuple[str, Row]]:
        """Yields the place and the row of each line of an item."""
        place, line = self._places[item]
        previous = ""
        with _opened(self.file) as packed:
            packed.seek(place)
            piece = packed.read(item.size_bytes)
        try:
            with gzip.open(BytesIO(piece)) as lines:
                count = 0
                for count, text in enumerate(lines, start=1):
                    where = f"{self.file}, line {line + count - 1}"
                    row = _row(text, item, previous, where)
                    previous = str(row["case_id"])
                    yield where, row
        except _NOT_GZIP as error:
            raise DataError(
                f"Expected a whole baseline, but the cases of {item.id} cannot be unpacked from line {line} of "
                f"{self.file} on ({error}): {_REPAIR}"
            ) from error
        if count != item.tally.cases:
            raise DataError(
                f"Expected {item.tally.cases} cases of {item.id} from line {line} of {self.file} on, but got {count}: "
                f"{_REPAIR}"
            )


@dataclass(frozen=True, slots=True)
class BaselineItem:
    """One item of a baseline, for an item of this run."""

    baseline: Baseline
    item: BaselineEntry

    def cases(self, source: SceneSource) -> Iterator[BaselineCase]:
        """As ``Baseline.cases``."""
        return self.baseline.cases(self.item, source)

    def answers_to(self, case_id: str) -> tuple[str | None, ...]:
        """As ``Baseline.answers_to``."""
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
    """The first gzip member of the file, unpacked, and its end in the file."""
    unpack = zlib.decompressobj(wbits=31)  # gzip
    first = bytearray()
    try:
        while not unpack.eof and (chunk := packed.read(_CHUNK_BYTES)):
            first += unpack.decompress(chunk)
    except _NOT_GZIP as error:
        raise DataError(
            f"{file}, line 1: Expected a file that `vqamt bless` wrote, which is gzip, but got {error}: {_REPAIR}"
        ) from error
    if not unpack.eof:
        raise DataError(f"{file}, line 1: Expected a file that `vqamt bless` wrote, but it was cut off: {_REPAIR}")
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
            f"{file}, line 1: Expected what `vqamt bless` writes first, but {_reason(error)}: {_REPAIR}"
        ) from error
    return head


def _row(text: bytes, item: BaselineEntry, previous: str, where: str) -> Row:
    """Parses a line of an item, whose case id comes after ``previous``."""
    try:
        row: Row = json.loads(text)
        key = BaselineKey(str(row["relation"]), str(row["model"]), str(row["data"]))
        queries, answers = cast("list[Row]", row["queries"]), cast("list[Json]", row["answers"])
        Outcome(str(row["verdict"]))
        if key != (item.item, item.model, item.data):
            raise ValueError(f"it is a case of {'-'.join(key)} among those of {item.id}")
        if not queries or len(queries) != len(answers):
            raise ValueError(f"it has {len(answers)} answers to {len(queries)} queries")
        if not all(isinstance(each, str | None) for each in answers):
            raise ValueError(f"it has answers that are no texts: {answers!r}")
        if str(row["case_id"]) <= previous:
            raise ValueError(f"case_id={row['case_id']!r} comes after {previous!r}")
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise DataError(f"{where}: Expected a blessed case, but {_reason(error)}: {_REPAIR}") from error
    return row


def _reason(error: Exception) -> str:
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
    run: Collection[str],
    wanted: Sequence[str],
    excluded: Sequence[str],
) -> BaselineUse:
    """The use that a run made of its baseline; ``run`` are the ids of the baseline's items that it ran, or tried to.

    Items that the user's globs ``wanted`` and ``excluded`` leave out are not missing.
    """

    def is_missed(item: str) -> bool:
        taken = not wanted or any(matches(pattern, item) for pattern in wanted)
        return taken and not any(matches(pattern, item) for pattern in excluded)

    return BaselineUse(
        file=baseline.file.name,
        digest=baseline.digest,
        models=baseline.head.models,
        missing=tuple(each.id for each in baseline.head.items if each.id not in run and is_missed(each.item)),
        new=tuple(
            f"{result.item}-{result.model.name}-{result.data.spec}"
            for result in results
            if result.all_cases and result.change is None
        ),
    )
