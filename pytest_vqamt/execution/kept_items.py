"""What an item found is kept beside the answers, for a later run that would find the same.

Planning and judging take as long with cached answers as with a model. An item is recalled only where everything is as
it was: the code of this package, the model, the data, the relation and all options. An item with a query that has no
answer is run as ever, and so is one with code of the user's in it, a setting, a baseline or waivers.
"""

from __future__ import annotations

import sys
import time
import zlib
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import is_dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, Protocol

import msgspec

from pytest_vqamt.core.codec import from_row, replace, to_row
from pytest_vqamt.core.errors import VqamtError
from pytest_vqamt.core.events import Event, Finished, Listener, Planned, Simplified
from pytest_vqamt.core.identity import digest
from pytest_vqamt.core.results import ModelUse, RelationResult
from pytest_vqamt.execution.answer_cache import AnswerStore, AnswerStores
from pytest_vqamt.execution.plan import Job, RunOptions
from pytest_vqamt.execution.prefetch import SharedPipeline
from pytest_vqamt.execution.run_item import run_item
from pytest_vqamt.relations.catalogue import get

_ID_DIGITS = 16
_PIECE = 1 << 20
"""Bytes of lines in memory."""


class CaseLines(Protocol):
    """The file of an item's cases, which listens to its events."""

    def pieces(self) -> Iterator[bytes]:
        """The lines that were written so far, in pieces."""

    def write(self, pieces: Iterable[bytes]) -> None:
        """Writes the lines of an earlier run."""


class _KeptItem(msgspec.Struct):
    result: dict[str, Any]
    queries: str
    """The ids of the queries that it needed, one after the other."""
    simplified: str
    """The line of the simplified violation; empty without one."""
    shown: dict[str, str]
    """The lines of the cases that reports preview, by id."""


class _Recorder:
    """A listener that records what is kept besides the result."""

    def __init__(self) -> None:
        self.queries: tuple[str, ...] | None = None
        self.simplified = ""

    def __call__(self, event: Event) -> None:
        if isinstance(event, Finished):
            self.queries = event.queries
        elif isinstance(event, Simplified):
            self.simplified = event.line


def run_or_recall(
    job: Job,
    options: RunOptions,
    stores: AnswerStores,
    listen: Listener,
    lines: CaseLines | None = None,
    pipeline: SharedPipeline | None = None,
    upcoming: Job | None = None,
) -> RelationResult:
    """Runs an item as ``run_item`` does, or recalls it from an earlier run; then no ``Judged`` event is sent.

    ``lines`` is one of those that ``listen`` calls; without it no lines of cases are wanted.

    Raises:
        ModelError: the model cannot be used, or lacks written answers.
        DataError: a scene cannot be read.
    """
    store = stores.kept(job.model)
    key = _key(job, options) if store else ""  # it looks at all files of the data, so only where it is of use
    if store is None or not key:
        return run_item(job, options, stores, listen, pipeline, upcoming)
    if recalled := _recalled(key, job, store, listen, lines):
        return recalled
    recorder = _Recorder()

    def listen_too(event: Event) -> None:
        recorder(event)
        listen(event)

    result = run_item(job, options, stores, listen_too, pipeline, upcoming)
    if recorder.queries is not None and not result.errors:
        kept = _KeptItem(
            result=to_row(result),
            queries="".join(recorder.queries),
            simplified=recorder.simplified,
            shown=_shown(result, stores),
        )
        written = b"".join(_compressed(lines.pieces())) if lines else None
        # The result is there: a full disk, or another process that writes for a minute, only costs the next run time.
        with suppress(VqamtError):
            store.keep_item(key, b"".join(_compressed([msgspec.json.encode(kept)])), written)
    return result


def _shown(result: RelationResult, stores: AnswerStores) -> dict[str, str]:
    """The lines by which the cases that a report previews can be replayed without it."""
    previews = (result.violation, result.ungrounded)
    return {name: line for each in previews if each for name, line in stores.of_shown_cases.cases(each.id).items()}


def _recalled(
    key: str, job: Job, store: AnswerStore, listen: Listener, lines: CaseLines | None
) -> RelationResult | None:
    """The result of an earlier run, written and told as if it had been found now; None if there is none."""
    began = time.monotonic()
    data, cases = store.item(key)
    if data is None or (lines and cases is None):
        return None
    try:
        kept = msgspec.json.decode(zlib.decompress(data), type=_KeptItem)
        result = from_row(kept.result, RelationResult)
        for _ in _decompressed(cases or b"") if lines else ():  # before the first line of it is written
            pass
    except Exception:  # a file that something has damaged may hold anything, numbers too: found anew
        return None
    queries = [kept.queries[place : place + _ID_DIGITS] for place in range(0, len(kept.queries), _ID_DIGITS)]
    cached = store.recall(job.model.fingerprint_of(lossless=job.relation.info.exact_pixels), queries)
    if cached is None:  # someone has deleted answers
        return None
    model, health = job.model, job.model.health
    health.cached += cached
    listen(Planned(item=job.item, cases=result.all_cases, queries=len(queries), cached=len(queries)))
    if lines and cases:
        lines.write(_decompressed(cases))
    if kept.simplified:
        listen(Simplified(line=kept.simplified))
    for name, line in kept.shown.items():  # another model may have had the same case since
        store.keep_case(name, line)
    result = replace(
        result,
        position=job.position,
        model=ModelUse(
            name=model.name,
            fingerprint=model.fingerprint,
            tasks=tuple(task.value for task in model.tasks),
            queries_needed=result.model.queries_needed,
            queries_cached=cached,
            items_s=time.monotonic() - began,
            spec=model.spec,
            kind=model.kind,
        ),
    )
    listen(Finished(result=result, queries=tuple(queries)))
    return result


def _key(job: Job, options: RunOptions) -> str:
    """Changes with everything that the result depends on; empty if that cannot be told."""
    model, source = job.model, job.source
    # A setting may name a file, whose content could change.
    if not job.is_ours or not _is_default(job) or job.baseline or options.reader or options.waived or model.deferred:
        return ""
    state: str = getattr(source, "state", "")
    if not state:
        return ""
    of_model = (model.name, model.spec, model.kind, model.fingerprint)
    of_data = (source.spec, source.digest, state, job.short_name, job.given, *source.bad_records)
    return digest(_of_code(), job.item, repr(options), *of_model, "data", *of_data)


def _is_default(job: Job) -> bool:
    usual = _usual(job.relation.info.name)
    return type(job.relation) is type(usual) and (job.relation == usual or not is_dataclass(usual))


@lru_cache(maxsize=256)
def _usual(name: str) -> object:
    return get(name)


@cache
def _of_code() -> str:
    """Changes with the files of this package, and with the packages that are installed.

    Some of these sample and judge, some measure photos, and a relation that lacks one has no cases until it is there.
    """
    folder = Path(__file__).parents[1]
    files = sorted(file for file in folder.rglob("*.*") if file.suffix != ".pyc")
    states = ((file.relative_to(folder).as_posix(), file.stat()) for file in files)
    written = (f"{name} {state.st_size} {state.st_mtime_ns}" for name, state in states)
    return digest(sys.version, *_installed(), "files", *written)


def _installed() -> list[str]:
    """The folders of metadata of all packages, which have the version in their names.

    Reading the metadata takes a hundred times as long.
    """
    found: set[str] = set()
    for folder in sys.path:
        with suppress(OSError):  # an archive, or no folder at all
            found.update(each.name for each in Path(folder or ".").glob("*.*-info"))  # .dist-info and .egg-info
    return sorted(found)


# In pieces: all lines of a long item at once would double the memory of a run.


def _compressed(pieces: Iterable[bytes]) -> Iterator[bytes]:
    packing = zlib.compressobj(1)  # a higher level takes twice the time for a tenth
    yield from map(packing.compress, pieces)
    yield packing.flush()


def _decompressed(data: bytes) -> Iterator[bytes]:
    unpacking = zlib.decompressobj()
    while data:
        yield unpacking.decompress(data, _PIECE)
        data = unpacking.unconsumed_tail
    yield unpacking.flush()
    if not unpacking.eof:
        raise zlib.error("incomplete")
