"""ViLT and BLIP through pytest: each head on the relations of its task, the same however the run is shared out."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pytest_vqamt.models.base import ModelOptions
from pytest_vqamt.models.blip.load import load as load_blip
from pytest_vqamt.models.vilt.load import load as load_vilt
from tests.models.small.blip import blip_captions, blip_matches, blip_vqa
from tests.models.small.damage import TOKENIZER, without
from tests.models.small.vilt import vilt_nlvr, vilt_vqa

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

RELATIONS = "--vqamt-relations=ours.*,metavqa.reorder,metavqa.reversion[object],control.*"
CHOSEN = ("--vqamt-data=pictures:20", "--vqamt-max-cases=5", "--vqamt-sampler=random", "--vqamt-shrink=0", RELATIONS)


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


def told(pytester: pytest.Pytester, specs: tuple[str, ...], name: str, *more: str) -> list[dict[str, Any]]:
    """The relations of the report of one session, and that it passed."""
    models = (f"--vqamt-model={spec}" for spec in specs)
    result = pytester.runpytest_inprocess(*models, *CHOSEN, f"--vqamt-report={name}", "--vqamt-device=cpu", *more)
    assert result.ret == pytest.ExitCode.OK, result.stdout.str()
    found: list[dict[str, Any]] = json.loads((pytester.path / name / "report.json").read_text())["relations"]
    return found


def test_two_runs_and_two_workers_give_the_same_rates(pytester: pytest.Pytester, specs: tuple[str, ...]) -> None:
    pytester.makeconftest(OWN)
    first = told(pytester, specs, "first", "-p", "no:xdist.plugin")
    of_model = {spec: [row for row in first if row["model"] == spec] for spec in specs}
    asked = {Path(spec).name: [row["id"] for row in of_model[spec]] for spec in specs}
    assert asked["vilt_nlvr"] == asked["blip_matches"] == ["ours.judged"]
    assert asked["blip_captions"] == ["ours.described"]
    assert asked["vilt_vqa"] == asked["blip_vqa"]
    assert len(asked["vilt_vqa"]) >= 4
    assert all(row["errors"] == 0 and row["cases"] for row in first)
    repeated = [row for row in first if row["id"].startswith("control.")]
    assert repeated
    assert all(row["pass_rate"] == 1 for row in repeated), "the same query and the same pixels give the same answer"
    assert any(row["violated"] + row["unparsed"] for row in first), "random weights keep no relation"
    again = told(pytester, specs, "again", "-p", "no:xdist.plugin", "--vqamt-no-cache", "--vqamt-batch-size=3")
    assert again == first
    assert told(pytester, specs, "shared", "-n", "2", "--vqamt-no-cache") == first


def test_a_broken_checkpoint_is_told_before_anything_runs(pytester: pytest.Pytester) -> None:
    pytester.makeconftest(OWN)
    folder = vilt_vqa(pytester.path / "broken")
    without(*TOKENIZER)(folder)
    result = pytester.runpytest_inprocess(f"--vqamt-model=vilt:{folder}", *CHOSEN, "-p", "no:xdist.plugin")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    (line,) = result.stderr.str().strip().splitlines()
    assert line.startswith(f"ERROR: Expected a tokenizer beside the weights, but {folder} has none of tokenizer.json")
