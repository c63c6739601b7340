"""Failures of engines that users reported, imitated behind HTTP: each is found, and the report says what it is."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

import pytest_vqamt as vqamt
from pytest_vqamt.reporting.files import read_report
from tests.models.openai.seeing_server import PublicFailure, SeeingServer, Table
from tests.plugin.conftest import Run

CASES, DATA = 24, "pictures:60"
PRESET = "conversation"

NAMED = {
    PublicFailure.MERGED: ("multi.", "pictures of one size are merged into one"),
    PublicFailure.PERMUTED: ("film.reverse", "several pictures are seen in the opposite order"),
    PublicFailure.FIRST_ONLY: ("multi.", "only the first of several pictures is seen"),
    PublicFailure.LAST_ONLY: ("multi.", "only the last of several pictures is seen"),
    PublicFailure.MARKERS_MOVED: ("turn.last", "pictures of earlier turns are moved to another turn"),
    PublicFailure.REPLACED: ("turn.last", "a later picture replaces those of earlier turns"),
    PublicFailure.DROPPED: (
        "turn.",
        "one of two: pictures of earlier turns are lost, or the model is weak after several turns",
    ),
    PublicFailure.TEXT_LOST: ("multi.interleave", "a text before a picture is lost"),
    PublicFailure.CACHED: ("multi.same", "one of two: a cache ignores the pictures behind the first"),
    PublicFailure.ORDER_FLIPS: ("multi.", "the answer depends on the order of the pictures"),
    PublicFailure.JPEG_CHANNELS: ("form.jpeg", "JPEG is decoded with other colors, as if red and blue were exchanged"),
    PublicFailure.EXIF_IGNORED: ("form.exif", "the orientation in EXIF is ignored"),
    PublicFailure.ALPHA_LOST: ("form.png[alpha]", "PNG with alpha is not decoded as other files are"),
}
"""The item or the family that fails the most, and what the report says."""

OF_DEFAULT_TIER = {PublicFailure.MERGED}


@cache
def table() -> Table:
    """What the pictures and the texts of the run mean, from a run by a model that sees all of it."""
    noted = Table()
    vqamt.run(model=noted, data=DATA, preset=PRESET, max_cases=CASES, sampler="random", contrast=0, shrink=0)
    return noted


def one_line(text: str) -> str:
    return " ".join(text.split())


@pytest.mark.full
def test_a_sane_server_violates_nothing(run: Run) -> None:
    with SeeingServer(table()) as server:
        said = run(
            f"--vqamt-preset={PRESET}", "--vqamt-report=out", model=f"openai:m@{server.url}", data=(DATA,),
            max_cases=CASES,
        )  # fmt: skip
        assert server.unknown == []
        assert server.requests > 200
    report = read_report(Path("out"))
    assert [each.item for each in report.relations if each.total.holds != CASES] == []
    assert "Likely cause" not in said.stdout.str()


@pytest.mark.parametrize(
    "failure",
    [pytest.param(each, marks=() if each in OF_DEFAULT_TIER else pytest.mark.full) for each in PublicFailure],
    ids=lambda failure: failure.name.lower(),
)
def test_a_public_failure_is_found_and_named(run: Run, failure: PublicFailure) -> None:
    worst, cause = NAMED[failure]
    with SeeingServer(table(), failure) as server:
        said = run(
            f"--vqamt-preset={PRESET}", "--vqamt-report=out", model=f"openai:m@{server.url}", data=(DATA,),
            max_cases=CASES, summary="short",
        )  # fmt: skip
        assert server.unknown == []
    report = read_report(Path("out"))
    failed = {each.item: each.total.judged - each.total.holds for each in report.relations}
    assert max(failed, key=failed.__getitem__).startswith(worst)
    for text in (said.stdout.str(), *(Path("out", name).read_text("utf-8") for name in ("summary.md", "report.html"))):
        assert one_line(text).count(f"Likely cause: {cause}") == 1
        # Nothing else is claimed.
        assert one_line(text).count("Likely cause:") == 1
