"""``vqamt probe`` on the faulty server and on sane ones."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path

import pytest

from pytest_vqamt.commands.main import ExitStatus, run_command
from pytest_vqamt.core.errors import ModelError
from pytest_vqamt.core.query import ModelInput
from pytest_vqamt.models.protocol import ModelOptions
from pytest_vqamt.models.wrapped import LoadedModel, wrap_model
from pytest_vqamt.probing.against.comparison import compare
from pytest_vqamt.probing.findings import MOST_CHANCE
from pytest_vqamt.probing.kinds import FindingKind
from pytest_vqamt.probing.probe import MOST_REQUESTS, probe
from tests.probing.direct import DirectModel, direct
from tests.probing.imitated import IMITATIONS, Imitated
from tests.probing.simulation import FlippingModel, findings
from tools.faulty_server import BUGS, FaultyServer

NAMED = {
    "image-dropped": FindingKind.PICTURE_UNUSED,
    "image-dropped-with-system-message": FindingKind.SYSTEM,
    "system-message-breaks-pictures": FindingKind.SYSTEM,
    "second-picture-dropped": FindingKind.FIRST_ONLY,
    "only-the-last-picture": FindingKind.LAST_ONLY,
    "equal-sizes-merged": FindingKind.MERGED,
    "pictures-permuted": FindingKind.PERMUTED,
    "later-picture-replaces-earlier": FindingKind.LAST_ONLY,
    "markers-in-the-last-turn": FindingKind.MOVED,
    "earlier-pictures-lost": FindingKind.EARLIER_LOST,
    "text-before-picture-lost": FindingKind.TEXT_FIRST,
    "system-message-ignored": FindingKind.SYSTEM_IGNORED,
    "assistant-turns-dropped": FindingKind.ASSISTANT_LOST,
    "non-ascii-mangled": FindingKind.NON_ASCII,
    "non-ascii-dropped": FindingKind.NON_ASCII,
    "context-cut": FindingKind.LONG_TEXT,
    "context-cut-in-the-middle": FindingKind.CUT_IN_THE_MIDDLE,
    "context-cut-at-the-end": FindingKind.CUT_AT_THE_END,
    "webp-dropped": FindingKind.WEBP,
    "jpeg-channels-exchanged": FindingKind.JPEG_COLOURS,
    "progressive-jpeg-first-scan": FindingKind.JPEG,
    "cmyk-inverted": FindingKind.JPEG_COLOURS,
    "gray-jpeg-refused": FindingKind.FILE_REFUSED,
    "palette-indices-as-gray": FindingKind.FILE_FORM,
    "16-bit-overflow": FindingKind.FILE_FORM,
    "alpha-dropped": FindingKind.ALPHA,
    "transparent-on-black": FindingKind.TRANSPARENCY,
    "exif-ignored": FindingKind.EXIF,
    "exif-applied-twice": FindingKind.EXIF,
    "media-type-trusted": FindingKind.MEDIA_TYPE,
    "image-dropped-above-a-size": FindingKind.LARGE_PICTURE,
    "colour-channels-swapped": FindingKind.SWAPPED_CHANNELS,
    "green-and-blue-exchanged": FindingKind.SWAPPED_CHANNELS,
    "colours-lost": FindingKind.COLOURS_LOST,
    "normalisation-missing": FindingKind.COLOURS_WRONG,
    "brightness-halved": FindingKind.COLOURS_WRONG,
    "noise-in-the-encoder": FindingKind.NOISY_DETAIL,
    "quantised-encoder": FindingKind.COARSE_LEVELS,
    "mirrored": FindingKind.MIRRORED,
    "quarter-turn": FindingKind.TURNED,
    "squashed": FindingKind.ASPECT_RATIO,
    "centre-crop": FindingKind.CROPPED,
    "tiles-permuted": FindingKind.TILES,
    "silent-downscale": FindingKind.DETAIL,
    "resize-mismatch": FindingKind.ASPECT_RATIO,
    "aspect-exchanged": FindingKind.ASPECT_RATIO,
    "first-image-sticks": FindingKind.FIRST_PICTURE,
    "text-keyed-prefix-cache": FindingKind.TEXT_KEYED,
    "16-bit-image-hash": FindingKind.SHORT_HASH,
    "length-keyed-cache": FindingKind.LENGTH_KEYED,
    "first-bytes-keyed-cache": FindingKind.BEGINNING_KEYED,
    "average-hash-keyed-cache": FindingKind.LOOK_KEYED,
    "size-keyed-cache": FindingKind.FIRST_PICTURE,
    "state-after-large": FindingKind.LARGE_BEFORE,
    "state-after-idleness": FindingKind.IDLENESS,
    "picture-kept-for-texts": FindingKind.PICTURE_KEPT,
    "left-padded-batch": FindingKind.BATCH_PADDING,
    "batch-above-16-drops-pictures": FindingKind.BATCH,
    "answers-swapped": FindingKind.SWAPPED_ANSWERS,
    "non-determinism": FindingKind.NON_DETERMINISTIC,
    "reasoning-in-the-content": FindingKind.REASONING,
    "stopped-at-newline": FindingKind.CUT_ANSWER,
    "stopped-at-full-stop": FindingKind.CUT_ANSWER,
    "empty-answers": FindingKind.EMPTY_ANSWERS,
    "refusals": FindingKind.REFUSALS,
    "usage-constant": FindingKind.USAGE,
    "another-model": FindingKind.OTHER_MODEL,
    "max-tokens-ignored": FindingKind.LIMIT_IGNORED,
    "max-tokens-one-too-few": FindingKind.LIMIT_EARLY,
    "url-not-fetched": FindingKind.URL_NOT_FETCHED,
    "url-previous-picture": FindingKind.URL_PICTURE,
    "detail-high-as-low": FindingKind.DETAIL_LOST,
}
"""The one finding that each bug must give."""

NOT_FOUND = ("too-many-requests", "server-errors")
"""Retried by the adapter."""

IMITATED = {
    "spliced-kv-chunks": FindingKind.TEXT_KEYED,
    "freed-rotary-workspace": FindingKind.STATE,
    "same-prefix-off-by-one": FindingKind.TEXT_KEYED,
    "one-of-equal-sizes": FindingKind.MERGED,
    "markers-to-latest-turn": FindingKind.MOVED,
    "final-message-media": FindingKind.EARLIER_LOST,
    "text-first-captions": FindingKind.TEXT_FIRST,
    "jpeg-path-ignores-orientation": FindingKind.EXIF,
    "chroma-lost": FindingKind.COLOURS_LOST,
    "overflow-of-some-pictures": FindingKind.ENDLESS_ANSWERS,
    "fragments-of-neighbours": FindingKind.BATCH,
    "context-of-1024": FindingKind.LONG_TEXT,
    "pictures-not-counted": FindingKind.USAGE,
    "thumbnail-before-tiles": FindingKind.TILES,
    # The second set.
    "token-id-chunks": FindingKind.TEXT_KEYED,
    "counted-identities": FindingKind.EARLIER_ANSWER,
    "freed-workspace": FindingKind.STATE,
    "merged-neighbours": FindingKind.MERGED,
    "latest-turn-markers": FindingKind.MOVED,
    "sized-as-first": FindingKind.UNLIKE,
    "typed-marks": FindingKind.MARKS,
    "unequal-planes": FindingKind.UNLIKE,
    "clip-normalised": FindingKind.CONTRAST,
    "shifted-tiles": FindingKind.TILES,
    "causal-patches": FindingKind.DETAIL,
    "restarted-chunk": FindingKind.CHUNKS,
    "full-context": FindingKind.LONG_TEXT,
    "neighbours-fragments": FindingKind.BATCH,
    "uncounted-last-token": FindingKind.LIMIT_EARLY,
    # The third set.
    "equal-sizes-paired": FindingKind.MERGED,
    "marks-in-last-turn": FindingKind.MOVED,
    "expanded-again": FindingKind.USAGE,
    "captions-if-text-first": FindingKind.TEXT_FIRST,
    "gray-jpeg-beside-colour": FindingKind.UNLIKE,
    "luminance-in-steps": FindingKind.COLOURS_LOST,
    "tiles-dropped": FindingKind.PART_LOST,
    "chunk-restarts": FindingKind.CHUNKS,
    "first-pictures-fit": FindingKind.MANY_TOKENS,
    "batch-mixed": FindingKind.BATCH,
    "text-seeds-prefix": FindingKind.AFTER_TEXT,
    "crash-after-text": FindingKind.AFTER_TEXT,
    # The fourth set.
    "kv-store-by-placeholders": FindingKind.TEXT_KEYED,
    "radix-tree-of-placeholders": FindingKind.TEXT_KEYED,
    "later-pictures-ignored": FindingKind.LATER_IGNORED,
    "three-pictures-permuted": FindingKind.PERMUTED,
    "turns-with-pictures-fail": FindingKind.FAILURES,
    "pictures-discarded-answers-made-up": FindingKind.PICTURE_UNUSED,
    "orientation-unread": FindingKind.EXIF,
    "red-and-blue-flipped": FindingKind.SWAPPED_CHANNELS,
    "pictures-make-pads": FindingKind.ENDLESS_ANSWERS,
    "encoder-quantized-by-mistake": FindingKind.PICTURE_UNUSED,
    "strong-large-pictures-overflow": FindingKind.ENDLESS_ANSWERS,
    "patches-in-one-row": FindingKind.TURNED,
    "padded-pictures-displaced": FindingKind.BATCH,
}
"""What imitations of public threads are found as, by someone who did not know the probe."""

IMITATED_OTHERWISE = {
    "short-hash-splices": [FindingKind.JPEG_COLOURS],
    "fixed-tokens": [FindingKind.ASPECT_RATIO, FindingKind.DETAIL],
    "rounded-twice": [FindingKind.FAILURES],
}
"""Found, and not named by its cause: a hash of the pixels, one fixed size, and sizes that are rounded twice."""

IMITATED_UNSEEN = {"attention-across-pictures"}
"""A third of the answers about two pictures, which depends on the pictures."""

IMITATED_MISREADING = {
    "windows-unmasked",
    "picture-tokens-not-causal",
    "text-in-pictures-unrelated",
    "causal-within-pictures",
}
"""No finding, as of a weak model: some or all numbers are misread each time, which is told."""

IMITATED_FATAL = "cached-prefix-kills-runner"

_QUICK = ("first-image-sticks",)


def imitated(name: str) -> LoadedModel:
    server = Imitated(name)
    server.server_close()
    return wrap_model("imitated", DirectModel(server), ModelOptions())


def test_every_bug_that_is_named_is_planted_and_every_finding_has_a_cause() -> None:
    assert NAMED.keys() | set(NOT_FOUND) == BUGS.keys()
    assert not NAMED.keys() & set(NOT_FOUND)
    assert all(each.observed and each.cause and each.advice for each in FindingKind)


@pytest.mark.parametrize(
    "bug", [pytest.param(bug, marks=() if bug in _QUICK else pytest.mark.full, id=bug) for bug in NAMED]
)
def test_a_bug_is_found_and_named(bug: str) -> None:
    result = probe(direct(bug))

    assert [each.kind for each in result.findings] == [NAMED[bug]]
    assert all(each.p_value <= MOST_CHANCE for each in result.findings)
    assert all(each.requests for each in result.findings)
    assert len(result.log) <= MOST_REQUESTS


@pytest.mark.full
@pytest.mark.parametrize("name", [*IMITATED, *IMITATED_OTHERWISE])
def test_an_imitation_of_a_public_thread_is_named(name: str) -> None:
    result = probe(imitated(name))

    expected = IMITATED_OTHERWISE[name] if name in IMITATED_OTHERWISE else [IMITATED[name]]
    assert [each.kind for each in result.findings] == expected


def test_every_imitation_is_in_one_of_the_tables() -> None:
    unnamed = IMITATED_OTHERWISE.keys() | IMITATED_UNSEEN | IMITATED_MISREADING | {IMITATED_FATAL}
    assert IMITATED.keys() | unnamed == IMITATIONS.keys()


@pytest.mark.parametrize("name", sorted(IMITATED_MISREADING))
@pytest.mark.full
def test_misread_numbers_are_told_of(name: str) -> None:
    result = probe(imitated(name))

    right, tries = result.read["numbers"]
    assert right < tries
    assert result.read["colours"][0] == result.read["colours"][1]


def test_a_server_that_ends_names_the_request_it_ended_at() -> None:
    with pytest.raises(ModelError, match=r"20 of 21 requests failed, all from request 2 on \(964 on red, "):
        probe(imitated(IMITATED_FATAL))


@pytest.mark.full
def test_nothing_is_found_on_a_correct_server() -> None:
    result = probe(direct(None))

    assert result.findings == []
    assert result.skipped == []
    assert len(result.log) <= MOST_REQUESTS


@pytest.mark.full
@pytest.mark.parametrize("bug", NOT_FOUND)
def test_what_cannot_be_seen_accuses_of_nothing_else(bug: str) -> None:
    assert probe(direct(bug)).findings == []


@pytest.mark.parametrize("probes", [8, pytest.param(20, marks=pytest.mark.full)])
def test_random_flips_of_two_percent_are_no_finding(probes: int) -> None:
    # 1 in 1,000 is allowed; tests.probing.simulation runs thousands, docs/how-to/probe.md has its figure.
    assert findings(probes, 0.02)["any"] == 0


class _KeepsTheLast(FlippingModel):
    """Answers about the last card with a number, where a picture has none."""

    def __init__(self) -> None:
        super().__init__(0.0, 0)
        self._last = ""

    def answer(self, batch: Sequence[ModelInput]) -> list[str]:
        answers = super().answer(batch)
        self._last = next((each for each in answers if each.isdecimal()), self._last)
        return [self._last if each == "none" else each for each in answers]


def test_a_server_that_answers_about_an_earlier_picture_for_a_blank_one_is_found() -> None:
    result = probe(wrap_model("keeps", _KeepsTheLast(), ModelOptions()))

    assert [(each.kind, each.differing, each.compared) for each in result.findings] == [
        (FindingKind.EMPTY_PICTURE, 4, 4)
    ]


def test_flips_of_a_quarter_are_found_as_non_determinism_and_nothing_else() -> None:
    found = findings(6, 0.25)

    assert found["non-determinism"] >= 5
    assert found.keys() <= {"any", "non-determinism", "noisy-detail"}


@pytest.mark.full
def test_a_probe_stops_at_its_requests_and_says_what_it_left_out() -> None:
    result = probe(direct(None), limit=60)

    assert len(result.log) <= 60
    assert "spent" in dict(result.skipped)["sizes and aspect ratios"]


@pytest.mark.full
@pytest.mark.parametrize(
    ("bug", "stage"),
    [
        (None, ""),
        ("quantised-encoder", "pixels"),
        ("resize-mismatch", "pixels"),
        ("non-determinism", "text"),
    ],
)
def test_two_deployments_part_at_a_stage(bug: str | None, stage: str) -> None:
    result = compare(direct(None), direct(bug, seed=1), limit=MOST_REQUESTS)

    assert result.parted.partition(":")[0] == stage
    assert result.complete


@pytest.mark.full
@pytest.mark.parametrize("bug", [None, "text-keyed-prefix-cache", "left-padded-batch"])
def test_the_command_over_http(bug: str | None, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("httpx2")
    with FaultyServer(bug) as server:
        status = run_command(["probe", f"openai:cards@{server.url}", "--out", str(tmp_path)])
        sent = server.requests

    out = capsys.readouterr().out
    report = json.loads((tmp_path / "probe.json").read_text())
    page = (tmp_path / "probe.html").read_text()
    assert status == (ExitStatus.FINDING if bug else ExitStatus.OK)
    assert sent == report["requests"] == len(report["log"]) <= MOST_REQUESTS
    assert [each["kind"] for each in report["findings"]] == ([NAMED[bug].value] if bug else [])
    causes = [NAMED[bug].cause] if bug else []
    # The terminal wraps it.
    assert all(cause in " ".join(out.split()) and cause in page for cause in causes)
    assert len(out.splitlines()) <= 25
    assert not re.search(r'(src|href)="(?!data:)', page)


def test_the_command_shows_reasons_and_writes_all_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    allow = ["--allow=exif=no = EXIF\nhere", "--allow=picture-unused=tiny reads no digits", "--allow=usage"]
    status = run_command(["probe", "tiny", "--max-requests=60", *allow, "--out", str(tmp_path / "out")])

    lines = capsys.readouterr().out.splitlines()
    row = json.loads((tmp_path / "out" / "probe.json").read_text())
    assert status == (ExitStatus.OK if row["passed"] else ExitStatus.FINDING)
    assert sorted(each.name for each in (tmp_path / "out").iterdir()) == [
        "probe-badge.json", "probe.html", "probe.json", "probe.md", "probe.xml"
    ]  # fmt: skip
    assert len(lines) <= 25
    assert lines[-1].startswith("page: ")
    told = [each for each in lines if each.endswith("not found in this probe")]
    assert told == [f"--allow {', '.join(row['not_found'])}: not found in this probe"]
    assert "exif" in row["not_found"]
    reasons = {each["kind"]: each["reason"] for each in row["findings"]}
    assert reasons.get("picture-unused", "tiny reads no digits") == "tiny reads no digits"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["oracle"], "a model that looks at pixels"),
        (["tiny", "--max-requests=10"], "40 requests or more"),
        (["tiny", "--allow=blind"], "a kind of finding"),
        (["tiny", "--allow=exfi=photos are upright"], "did you mean 'exif'?"),
        (["tiny", "--allow=exif=upright", "--allow=exif=none"], "one reason a kind"),
        (["tiny", "--out=/proc/none"], "a folder that can be written to"),
        (["nothing"], "a kind of model"),
    ],
)
def test_bad_input_gets_one_line(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_command(["probe", *arguments]) == ExitStatus.USAGE

    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1


def test_docs_name_every_kind_of_finding() -> None:
    page = (Path(__file__).parents[2] / "docs" / "how-to" / "probe.md").read_text("utf-8")
    assert [each.value for each in FindingKind if f"`{each.value}`" not in page] == []
