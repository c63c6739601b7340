"""The check of the user's photos: the bugs that it finds, and that it accuses no sane server."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from pytest_vqamt.commands.main import ExitStatus, run_command
from pytest_vqamt.core.query import ModelInput
from pytest_vqamt.models.protocol import ModelOptions
from pytest_vqamt.models.wrapped import LoadedModel, wrap_model
from pytest_vqamt.probing.asking import RequestSender
from pytest_vqamt.probing.checks.photos import DESCRIBE, MAIN, MOST_COMMON, REQUESTS, photos
from pytest_vqamt.probing.kinds import FindingKind
from pytest_vqamt.probing.own_photos import OwnPhotos, take_photos
from pytest_vqamt.probing.probe import probe
from pytest_vqamt.probing.probing import Probing
from pytest_vqamt.probing.results import ProbeResult
from tests.probing.direct import direct
from tools.faulty_server import FaultyServer
from tools.faulty_server.perception import without_margin

PICTURES = "pictures:60"

NAMED = {
    "image-dropped": FindingKind.PICTURE_UNUSED,
    "first-image-sticks": FindingKind.PICTURE_UNUSED,  # without cards nobody knows that the first was seen
    "text-keyed-prefix-cache": FindingKind.TEXT_KEYED,
    "image-dropped-above-a-size": FindingKind.LARGE_PICTURE,
    "resize-mismatch": FindingKind.ASPECT_RATIO,
    "context-cut": FindingKind.LONG_TEXT,
    "left-padded-batch": FindingKind.BATCH_PADDING,
    "answers-swapped": FindingKind.SWAPPED_ANSWERS,
    "non-determinism": FindingKind.NON_DETERMINISTIC,
    "16-bit-overflow": FindingKind.FILE_FORM,
    "webp-dropped": FindingKind.WEBP,
    "exif-ignored": FindingKind.EXIF,
    "second-picture-dropped": FindingKind.FIRST_ONLY,
    "only-the-last-picture": FindingKind.LAST_ONLY,
}
"""On photos alone."""

_QUICK = ("image-dropped", "context-cut", "exif-ignored")

OF_RELATIONS = {
    "text-keyed-prefix-cache": FindingKind.TEXT_KEYED,
    "first-image-sticks": FindingKind.FIRST_PICTURE,
    "image-dropped-above-a-size": FindingKind.LARGE_PICTURE,
    "resize-mismatch": FindingKind.ASPECT_RATIO,
    "context-cut": FindingKind.LONG_TEXT,
    "left-padded-batch": FindingKind.BATCH_PADDING,
    "colour-channels-swapped": FindingKind.SWAPPED_CHANNELS,
    "non-determinism": FindingKind.NON_DETERMINISTIC,
}
"""What the relations ``serving.*`` were made for, in a whole probe."""


def checked(model: LoadedModel, data: str = PICTURES, seed: int = 0, own: OwnPhotos | None = None) -> ProbeResult:
    """The result of the check of photos alone."""
    probing = Probing(RequestSender(model, 400), seed)
    photos(probing, own or take_photos([data], seed))
    return probing.result


@pytest.mark.parametrize(
    "bug", [pytest.param(bug, marks=() if bug in _QUICK else pytest.mark.full, id=bug) for bug in NAMED]
)
def test_a_bug_is_found_on_photos(bug: str) -> None:
    result = checked(direct(bug))

    assert [each.kind for each in result.findings] == [NAMED[bug]]
    assert result.findings[0].detail.startswith("on your photos")
    assert len(result.log) <= REQUESTS


@pytest.mark.full
@pytest.mark.parametrize(("bug", "kind"), OF_RELATIONS.items(), ids=OF_RELATIONS)
def test_what_the_relations_of_deployments_found_is_one_finding_of_a_probe(bug: str, kind: FindingKind) -> None:
    result = probe(direct(bug), own=take_photos([PICTURES], 0))

    assert [each.kind for each in result.findings] == [kind]


def test_a_sane_server_has_no_finding_and_the_requests_are_told() -> None:
    result = checked(direct(None))

    assert result.findings == []
    assert result.skipped == []
    (told,) = [fact.value for fact in result.facts if fact.name == "your photos"]
    assert told.startswith(f"12 photos, '{MAIN}': 12 answers stay, of ")
    assert told.endswith(f"{len(result.log)} of at most {REQUESTS} requests")


@pytest.mark.parametrize("flips", [0.0, 0.03, 0.1])
@pytest.mark.parametrize("seeds", [2, pytest.param(30, marks=pytest.mark.full)])
def test_random_answers_of_a_sane_server_are_no_other_finding(flips: float, seeds: int) -> None:
    for seed in range(seeds):
        result = checked(direct(None, flips=flips, seed=seed), seed=seed)
        assert {each.kind for each in result.findings} <= {FindingKind.NON_DETERMINISTIC}, (flips, seed)


class _Model:
    """Answers from the mean colour of what it is sent, and from the question."""

    def answer(self, batch: list[ModelInput]) -> list[str]:
        return [self.about(item) for item in batch]

    def about(self, item: ModelInput) -> str:
        mean = without_margin(np.asarray(item.pixels)).reshape(-1, 3).mean(axis=0)
        return f"{'c' if MOST_COMMON in item.text else 't'}{''.join(f'{int(each) // 4:02}' for each in mean)}"


class _OneWord(_Model):
    def about(self, item: ModelInput) -> str:
        is_blank = len(item.pixels.getcolors(1 << 24) or ()) == 1
        return "nothing" if is_blank else "picture"


class _OfAnyText(_Model):
    def about(self, item: ModelInput) -> str:
        return super().about(item).replace("c", "t")


class _Describes(_Model):
    """Can only describe."""

    def about(self, item: ModelInput) -> str:
        return super().about(item) if item.text.endswith(DESCRIBE) else "sorry"


def wrapped(model: _Model) -> LoadedModel:
    return wrap_model("ours", model, ModelOptions())


def test_photos_leave_the_requests_for_cards_as_they_were() -> None:
    probing = Probing(RequestSender(direct(None), 400), 0)
    before = probing.sender.left
    photos(probing, take_photos([PICTURES], 0))

    assert probing.sender.log
    assert probing.sender.left == before


def test_a_model_that_gets_pixels_has_no_files_to_compare() -> None:
    assert checked(wrapped(_Model())).findings == []


def test_one_word_about_all_photos_is_no_finding_where_blank_pictures_get_another() -> None:
    result = checked(wrapped(_OneWord()))

    assert result.findings == []
    assert ("your photos", "the answers about them are alike") in result.skipped


def test_a_cache_by_picture_is_found() -> None:
    assert [each.kind for each in checked(wrapped(_OfAnyText())).findings] == [FindingKind.TEXT_IGNORED]


def test_another_question_is_taken_where_the_first_tells_no_photos_apart() -> None:
    result = checked(wrapped(_Describes()))

    assert result.findings == []
    assert any(DESCRIBE in fact.value for fact in result.facts)


def test_the_questions_of_the_data_come_first() -> None:
    own = take_photos([PICTURES], 0)
    asked = OwnPhotos(photos=own.photos, questions=(("Which season is it?",),) * len(own.photos))
    result = checked(wrapped(_Model()), own=asked)

    assert {sent.text for sent in result.log[:36]} == {"Which season is it?"}


def test_a_model_that_reads_no_cards_may_tell_photos_apart() -> None:
    class OfPhotos(_Model):
        def about(self, item: ModelInput) -> str:
            # Cards are of a few colours, or noise.
            colours = len(item.pixels.getcolors(1 << 24) or ())
            is_card = colours < 20 or colours > item.pixels.width * item.pixels.height * 0.9
            return "a card" if is_card else super().about(item)

    result = probe(wrapped(OfPhotos()), own=take_photos([PICTURES], 0))

    assert len(result.log) < 2 * REQUESTS
    assert FindingKind.PICTURE_UNUSED not in {each.kind for each in result.findings}
    assert any(fact.name == "cards" for fact in result.facts)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for place in range(12):
        pixels = np.random.default_rng(place).integers(0, 255, (3, 4, 3), dtype=np.uint8)
        Image.fromarray(pixels).resize((320, 240), Image.Resampling.BICUBIC).save(tmp_path / f"{place}.jpg")
    return tmp_path


@pytest.mark.parametrize("bug", [None, "jpeg-channels-exchanged"])
def test_original_files_are_compared_with_their_pixels_over_http(bug: str | None, folder: Path) -> None:
    pytest.importorskip("httpx2")
    from pytest_vqamt.models.catalogue import ModelCatalogue

    with FaultyServer(bug) as server:
        model = ModelCatalogue().load(f"openai:cards@{server.url}", ModelOptions())
        result = checked(model, f"photos:{folder}")

    assert [each.kind for each in result.findings] == ([FindingKind.JPEG] if bug else [])
    assert all("the original files (image/jpeg)" in each.detail for each in result.findings)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["tiny", "--data=photo:DIR"], "got --data="),
        (["tiny", "--data=pictures:9", "--photos=2"], "4 to 16 photos"),
        (["tiny", "--data=pictures:3"], "4 photos or more, but got 3"),
    ],
)
def test_bad_input_gets_one_line(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_command(["probe", *arguments]) == ExitStatus.USAGE

    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1
