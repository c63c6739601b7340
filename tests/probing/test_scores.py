"""``vqamt probe --scores`` with random weights: sane engines have no finding, and planted faults are named."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random

import pytest

from pytest_vqamt.commands.main import ExitStatus, run_command
from pytest_vqamt.core.query import Answer, ModelInput, Task
from pytest_vqamt.models.catalogue import ModelCatalogue
from pytest_vqamt.models.protocol import ModelOptions
from pytest_vqamt.models.wrapped import LoadedModel, wrap_model
from pytest_vqamt.probing.against.comparison import compare
from pytest_vqamt.probing.findings import MOST_CHANCE
from pytest_vqamt.probing.kinds import FindingKind
from pytest_vqamt.probing.own_photos import take_photos
from pytest_vqamt.probing.probe import MOST_REQUESTS
from pytest_vqamt.probing.scores.photos import requests
from pytest_vqamt.probing.scores.probe import SETTINGS, probe_scores
from tests.models.transformers.prompted.conftest import CHECKPOINTS
from tests.probing.altered import FAULTS, altered, noisy, pixels, sane
from tests.probing.direct import direct

_KINDS = ("llava_next", "idefics3", "gemma3", "qwen2_5_vl", "paligemma")

_NAMED = {
    "cache by text": FindingKind.TEXT_KEYED,
    "cache by picture": FindingKind.TEXT_IGNORED,
    "cache by look": FindingKind.LOOK_KEYED,
    "pictures sorted": FindingKind.PERMUTED,
    "equal sizes merged": FindingKind.MERGED,
    "first picture twice": FindingKind.FIRST_ONLY,
    "last picture twice": FindingKind.LAST_ONLY,
    "without colours": FindingKind.COLOURS_LOST,
    "cropped": FindingKind.CROPPED,
    "picture replaced": FindingKind.PICTURE_UNUSED,
    "system message dropped": FindingKind.SYSTEM_IGNORED,
    "answers of a batch exchanged": FindingKind.SWAPPED_ANSWERS,
    "large picture left behind": FindingKind.LARGE_BEFORE,
}
_SYMMETRIC = ("pictures reversed", "red and blue exchanged", "mirrored")
"""An engine that always does so is as good as another model: only a reference shows it."""

_EXPLAINED = {
    "cache by text": "cache: A gives all pictures with one text the same answer",
    "cache by picture": "cache: A gives all texts about one picture the same answer",
    "last picture twice": "parts: A answers as B does to the last picture, twice",
    "pictures sorted": "parts: A answers as B does to the pictures in reverse order",
    "pictures reversed": "parts: A answers as B does to the pictures in reverse order",
    "red and blue exchanged": "pixels: A answers as B does to the picture red and blue exchanged",
    "mirrored": "pixels: A answers as B does to the picture mirrored",
    "system message dropped": "parts: A answers as B does to the conversation without its system message",
    "cropped": "pixels: A answers as B does to the picture cropped to its centre",
    "without colours": "pixels: A answers as B does to the picture without its colours",
}
_QUICK = ("cache by text", "cache by look")


@pytest.fixture(scope="module")
def checkpoint(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """Writes the random weights of a kind, once."""
    written: dict[str, Path] = {}

    def write(kind: str) -> Path:
        if kind not in written:
            written[kind] = CHECKPOINTS[kind](tmp_path_factory.mktemp(kind))
        return written[kind]

    return write


def loaded(folder: Path) -> LoadedModel:
    """A model of its own: adapters keep encodings."""
    return ModelCatalogue().load(f"hf:{folder}", ModelOptions(device="cpu", settings=dict(SETTINGS)))


def in_tiers(names: dict[str, FindingKind] | dict[str, str]) -> list[object]:
    return [pytest.param(name, marks=() if name in _QUICK else pytest.mark.full) for name in names]


def test_every_fault_has_a_name_or_needs_a_reference() -> None:
    assert _NAMED.keys() | set(_SYMMETRIC) == FAULTS.keys()


@pytest.mark.full
@pytest.mark.parametrize("kind", _KINDS)
def test_a_sane_engine_has_no_finding(checkpoint: Callable[[str], Path], kind: str) -> None:
    result = probe_scores(loaded(checkpoint(kind)), limit=MOST_REQUESTS)

    assert result.findings == []
    assert len(result.log) <= 300
    assert result.facts[0].value.startswith("log-probabilities")


@pytest.mark.parametrize("fault", in_tiers(_NAMED))
def test_a_fault_is_named_without_a_reference(checkpoint: Callable[[str], Path], fault: str) -> None:
    result = probe_scores(altered(loaded(checkpoint("llava_next")), FAULTS[fault]()), limit=MOST_REQUESTS)

    assert [each.kind for each in result.findings] == [_NAMED[fault]]
    assert all(each.p_value <= MOST_CHANCE for each in result.findings)


@pytest.mark.full
@pytest.mark.parametrize("kind", _KINDS[1:])
@pytest.mark.parametrize("fault", ["cache by text", "pictures sorted", "without colours", "cropped"])
def test_faults_are_named_whatever_the_weights(checkpoint: Callable[[str], Path], kind: str, fault: str) -> None:
    if kind == "paligemma" and fault == "pictures sorted":
        pytest.skip("it takes one picture")
    result = probe_scores(altered(loaded(checkpoint(kind)), FAULTS[fault]()), limit=MOST_REQUESTS)

    found = [each.kind for each in result.findings]
    # The letters before its texts move this one's scores as much as pictures do: the detail names both causes.
    is_unclear = (kind, fault) == ("paligemma", "cache by text")
    assert found == ([FindingKind.PICTURE_UNUSED] if is_unclear else [_NAMED[fault]])


@pytest.mark.parametrize("fault", in_tiers(_EXPLAINED))
def test_a_reference_explains_a_fault(checkpoint: Callable[[str], Path], fault: str) -> None:
    folder = checkpoint("llava_next")

    result = compare(altered(loaded(folder), FAULTS[fault]()), loaded(folder), limit=MOST_REQUESTS)

    assert result.parted == _EXPLAINED[fault]
    assert result.has_scores
    assert result.complete


@pytest.mark.full
@pytest.mark.parametrize("kind", ["llava_next", "idefics3", "gemma3", "paligemma"])
def test_sixteen_bits_are_no_other_deployment_and_no_finding(checkpoint: Callable[[str], Path], kind: str) -> None:
    spec = f"hf:{checkpoint(kind)}"
    options = ModelOptions(device="cpu", dtype="bfloat16", settings=dict(SETTINGS))

    result = compare(ModelCatalogue().load(spec, options), loaded(checkpoint(kind)), limit=MOST_REQUESTS)

    assert result.parted == ""
    assert any(each.apart > 0 for each in result.stages)
    assert probe_scores(ModelCatalogue().load(spec, options), limit=MOST_REQUESTS).findings == []


@pytest.mark.full
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("share", [0.03, 0.1])
def test_noise_is_named_as_noise(checkpoint: Callable[[str], Path], share: float, seed: int) -> None:
    model = altered(loaded(checkpoint("llava_next")), noisy(share, seed))

    result = probe_scores(model, limit=MOST_REQUESTS, seed=seed)

    assert {each.kind for each in result.findings} <= {FindingKind.NON_DETERMINISTIC}


@pytest.mark.parametrize("noise", [0.0, 2.5])
def test_an_engine_that_samples_is_not_one_that_sees_nothing(checkpoint: Callable[[str], Path], noise: float) -> None:
    random = Random(0)

    def sampled(model: LoadedModel, batch: Sequence[ModelInput]) -> list[Answer]:
        def moved(answer: Answer) -> Answer:
            steps = tuple(
                tuple((label, score - noise * random.random()) for label, score in step) for step in answer.steps or ()
            )
            return Answer(answer.text, steps=steps, truncated=answer.truncated)

        return [moved(answer) for answer in model.ask(Task.VQA, batch)]

    result = probe_scores(altered(loaded(checkpoint("llava_next")), sampled), limit=MOST_REQUESTS)

    assert [each.kind for each in result.findings] == ([FindingKind.NON_DETERMINISTIC] if noise else [])


@pytest.mark.full
def test_the_smallest_picture_that_separates_is_told(checkpoint: Callable[[str], Path]) -> None:
    folder = checkpoint("llava_next")

    result = compare(altered(loaded(folder), pixels("mirrored")), loaded(folder), limit=MOST_REQUESTS)

    assert result.explanation is not None
    # A picture of one colour is its own mirror image.
    assert result.explanation.smallest == "417 on red, 56 x 56 px"
    assert 0 < result.explanation.requests <= 80


def test_equal_deployments_have_no_difference(checkpoint: Callable[[str], Path]) -> None:
    folder = checkpoint("llava_next")

    result = compare(altered(loaded(folder), sane), loaded(folder), limit=MOST_REQUESTS)

    assert result.parted == ""
    assert result.explanation is None
    assert [each.apart for each in result.stages] == [0.0] * len(result.stages)
    assert [each.flips for each in result.stages] == [0] * len(result.stages)


@pytest.mark.full
def test_photos_are_compared_and_a_photo_is_shrunk_to_what_separates(checkpoint: Callable[[str], Path]) -> None:
    folder = checkpoint("llava_next")
    own = take_photos(["pictures:30"], seed=0, most=6)

    result = probe_scores(loaded(folder), limit=MOST_REQUESTS, own=own)
    compared = compare(loaded(folder), loaded(folder), limit=MOST_REQUESTS, photos=requests(own))

    assert result.findings == []
    assert result.checked[-1] == "your photos"
    assert compared.parted == ""
    assert compared.stages[-1].compared == 6


@pytest.mark.full
def test_a_cache_that_only_photos_meet_is_found(checkpoint: Callable[[str], Path]) -> None:
    own = take_photos(["pictures:30"], seed=0, most=6)
    # Keyed by the words, of pictures that are not square: no card of equal words meets it.
    keep = FAULTS["cache by text"]()

    def fault(model: LoadedModel, batch: Sequence[ModelInput]) -> list[Answer]:
        return [(keep if "main thing" in item.text else sane)(model, [item])[0] for item in batch]

    result = probe_scores(altered(loaded(checkpoint("llava_next")), fault), limit=MOST_REQUESTS, own=own)

    assert [each.kind for each in result.findings] == [FindingKind.PICTURE_UNUSED]


@pytest.mark.full
@pytest.mark.parametrize("arguments", [["--scores"], ["--scores", "--data", "pictures:30"]])
def test_the_command_says_how_scores_were_compared(
    checkpoint: Callable[[str], Path], arguments: list[str], capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    spec = f"hf:{checkpoint('llava_next')}"

    assert run_command(["probe", spec, *arguments, "--out", str(tmp_path)]) == ExitStatus.OK

    out = capsys.readouterr().out
    assert out.startswith("passed, 0 findings")
    assert "log-probabilities: equal requests are apart by up to" in out
    assert len(out.splitlines()) <= 25
    # Nothing is marked as wrong of weights that read nothing.
    assert "wrong" not in (tmp_path / "probe.html").read_text().partition("<body>")[2]


@pytest.mark.full
def test_the_command_compares_two_deployments_by_scores(
    checkpoint: Callable[[str], Path], capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    one, other = f"hf:{checkpoint('llava_next')}", f"hf:{checkpoint('idefics3')}"

    assert run_command(["probe", one, "--against", other, "--out", str(tmp_path)]) == ExitStatus.FINDING

    out = capsys.readouterr().out
    row = json.loads((tmp_path / "probe.json").read_text())
    assert out.startswith("they part at")
    assert all(len(line) <= 100 for line in out.splitlines())
    assert len(out.splitlines()) <= 25
    assert row["stages"][0]["divergence"] > 0


@pytest.mark.full
@pytest.mark.parametrize("flips", [0.0, 0.03])
def test_answers_of_a_sane_server_without_log_probabilities_have_no_finding(flips: float) -> None:
    for seed in range(2):
        result = probe_scores(direct(None, flips=flips, seed=seed), limit=MOST_REQUESTS, seed=seed)

        assert result.findings == []
        assert "probe without --scores" in dict(result.skipped)["letters"]


def test_whole_answers_that_are_always_the_same_are_nothing_that_was_checked() -> None:
    class Mute:
        def answer(self, batch: Sequence[ModelInput]) -> list[str]:
            return ["lamp"] * len(batch)

    result = probe_scores(wrap_model("mute", Mute(), ModelOptions()), limit=MOST_REQUESTS)

    assert (result.findings, result.checked) == ([], [])
    assert "the server gives no log-probabilities" in result.skipped[0][1]
