"""ViLT and BLIP through pytest: each head on the relations of its task, the same however the run is shared out."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch

from pytest_vqamt.models.protocol import ModelOptions
from pytest_vqamt.models.transformers.blip import load as load_blip
from pytest_vqamt.models.transformers.vilt import load as load_vilt
from tests.models.small.blip import blip_captions, blip_matches, blip_vqa
from tests.models.small.damage import TOKENIZER, without
from tests.models.small.vilt import vilt_nlvr, vilt_vqa
from tests.reporting.reported import report_in

pytestmark = pytest.mark.full

OWN = """
    import pytest_vqamt as vqamt

    def same_words(case, answers):
        '''The answers are the same, word for word.'''
        texts = {answer.text for answer in answers}
        outcome = vqamt.Outcome.HOLDS if len(texts) == 1 else vqamt.Outcome.VIOLATED
        return vqamt.Verdict(outcome=outcome, reason=" / ".join(sorted(texts)))

    def mirrored(scene, corpus, choose):
        question = vqamt.ask.exists(choose.one(scene.objects))
        return vqamt.case(scene.picture, question, follow_up=(scene.picture.mirror(), question))

    vqamt.relation("ours.judged", task="entailment", expect=same_words)(mirrored)
    vqamt.relation("ours.described", task="captioning", expect=same_words)(mirrored)
"""

CHOSEN = ("--vqamt-data=pictures:12", "--vqamt-max-cases=6", "--vqamt-sampler=random", "--vqamt-shrink=0")
RELATIONS = "ours.*,metavqa.reorder,metavqa.reversion[object],control.*"
FEW = "metavqa.reorder,metavqa.reversion[object]"


@pytest.fixture(autouse=True)
def _one_thread() -> Iterator[None]:
    """Threads of small models wait for each other more than they compute."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(scope="module")
def specs(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, ...]:
    """A model of each head; loaded once here, since pytester unloads what a session inside this process loads first."""
    home = tmp_path_factory.mktemp("models")
    vilts = (vilt_vqa(home / "vilt_vqa"), vilt_nlvr(home / "vilt_nlvr"))
    blips = (blip_vqa(home / "blip_vqa"), blip_captions(home / "blip_captions"), blip_matches(home / "blip_matches"))
    for folder in vilts:
        load_vilt(str(folder), ModelOptions(device="cpu"))
    for folder in blips:
        load_blip(str(folder), ModelOptions(device="cpu"))
    return (*(f"vilt:{folder}" for folder in vilts), *(f"blip:{folder}" for folder in blips))


def told(pytester: pytest.Pytester, specs: tuple[str, ...], relations: str, *more: str) -> list[dict[str, Any]]:
    """The relations of the report of one session, and that it passed."""
    models = (f"--vqamt-model={spec}" for spec in specs)
    chosen = (f"--vqamt-relations={relations}", "--vqamt-report=told", "--vqamt-no-cache", "--vqamt-device=cpu")
    result = pytester.runpytest_inprocess(*models, *CHOSEN, *chosen, *more)
    assert result.ret == pytest.ExitCode.OK, result.stdout.str()
    found: list[dict[str, Any]] = report_in(pytester.path / "told")["relations"]
    return found


def test_each_head_is_asked_what_it_can_answer(pytester: pytest.Pytester, specs: tuple[str, ...]) -> None:
    pytester.makeconftest(OWN)
    rows = told(pytester, specs, RELATIONS, "-p", "no:xdist.plugin")
    asked = {Path(spec).name: [row["id"] for row in rows if row["model"] == spec] for spec in specs}
    assert asked["vilt_nlvr"] == asked["blip_matches"] == ["ours.judged"]
    assert asked["blip_captions"] == ["ours.described"]
    assert asked["vilt_vqa"] == asked["blip_vqa"]
    assert len(asked["vilt_vqa"]) >= 4
    assert all(row["errors"] == 0 and row["cases"] for row in rows)
    repeated = [row for row in rows if row["id"].startswith("control.")]
    assert repeated
    assert all(row["pass_rate"] == 1 for row in repeated), "the same query and the same pixels give the same answer"


@pytest.mark.full
def test_two_workers_and_other_batches_give_the_same_rates(pytester: pytest.Pytester, specs: tuple[str, ...]) -> None:
    pytester.makeconftest(OWN)
    captions = tuple(spec for spec in specs if spec.endswith("blip_captions"))
    alone = told(pytester, captions, "ours.described", "-p", "no:xdist.plugin")
    assert any(row["violated"] + row["unparsed"] for row in alone), "random weights keep no relation"
    assert told(pytester, captions, "ours.described", "-n", "2", "--vqamt-batch-size=3") == alone


def test_a_broken_checkpoint_is_told_before_anything_runs(pytester: pytest.Pytester) -> None:
    pytester.makeconftest(OWN)
    folder = vilt_vqa(pytester.path / "broken")
    without(*TOKENIZER)(folder)
    result = pytester.runpytest_inprocess(f"--vqamt-model=vilt:{folder}", *CHOSEN, "-p", "no:xdist.plugin")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    (line,) = result.stderr.str().strip().splitlines()
    assert line.startswith(f"ERROR: Expected a tokenizer beside the weights, but {folder} has none of tokenizer.json")
