"""A session of pytest on generative checkpoints: every task, the same whatever the batches."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from pytest_vqamt.models.protocol import ModelOptions
from pytest_vqamt.models.transformers.prompted.generative import load
from tests.models.transformers.prompted.small import chat, prompted
from tests.plugin.conftest import Run
from tests.reporting.reported import report_in

pytestmark = pytest.mark.full

RELATIONS = "--vqamt-relations=metavqa.reorder[object],metavqa.reversion[object],control.*,ours.*"

OWN = """
    import pytest_vqamt as vqamt

    def mirrored(scene, corpus, choose):
        question = vqamt.ask.exists(choose.one(scene.objects))
        return vqamt.case(scene.picture, question, follow_up=(scene.picture.mirror(), question))

    vqamt.relation("ours.judged", task="entailment", expect=vqamt.same_answer)(mirrored)
    vqamt.relation("ours.described", task="captioning", expect=vqamt.same_answer)(mirrored)
"""

SHORT = ("--vqamt-option=longest-answer=4", "--vqamt-option=longest-caption=4")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small LLaVA; loaded once here, since pytester unloads what a session inside this process loads first."""
    folder = chat.llava(tmp_path_factory.mktemp("llava"))
    load(str(folder), ModelOptions(device="cpu"))
    return folder


def report(pytester: pytest.Pytester, name: str) -> dict[str, Any]:
    found: dict[str, Any] = report_in(pytester.path / name)
    return found


def test_every_task_is_run_and_answers_do_not_depend_on_batches(
    pytester: pytest.Pytester, run: Run, folder: Path
) -> None:
    pytester.makeconftest(OWN)
    common = (RELATIONS, "--vqamt-device=cpu", *SHORT)
    for name, more in (("first", ()), ("second", ("--vqamt-no-cache", "--vqamt-batch-size=3"))):
        result = run(*common, *more, f"--vqamt-report={name}", model=f"hf:{folder}")
        assert result.ret == pytest.ExitCode.OK, result.stdout.str()
    first, second = report(pytester, "first"), report(pytester, "second")
    assert first["models"][0]["tasks"] == ["vqa", "entailment", "captioning"]
    assert first["models"][0]["fingerprint"].startswith("hf-llava-")
    rows = {row["id"]: row for row in first["relations"]}
    assert {"ours.judged", "ours.described", "metavqa.reorder[object]"} <= set(rows)
    assert all(row["cases"] and not row["errors"] for row in rows.values())
    assert first["relations"] == second["relations"]
    assert rows["control.repeat"]["pass_rate"] == 1


@pytest.mark.parametrize("workers", [(), ("-n2",)])
def test_where_it_computes_is_told_once(run: Run, folder: Path, workers: tuple[str, ...]) -> None:
    relations = "--vqamt-relations=control.repeat,metavqa.reorder[object]"
    result = run(relations, "--vqamt-device=cpu", *SHORT, *workers, model=f"small=hf:{folder}")
    result.assert_outcomes(passed=2)
    told = [line for line in result.stdout.lines if "float32" in line]
    assert told == ["vqamt: small on the CPU, float32, 0 MB"]


def test_another_prompt_asks_anew(pytester: pytest.Pytester, run: Run, folder: Path) -> None:
    common = ("--vqamt-relations=metavqa.reorder[object]", "--vqamt-device=cpu", "--vqamt-cache=kept", *SHORT)
    for name, more in (("first", ()), ("same", ()), ("other", ("--vqamt-option=prompt-yes-no={text} Say it.",))):
        run(*common, *more, f"--vqamt-report={name}", model=f"hf:{folder}").assert_outcomes(passed=1)
    asked = {name: report(pytester, name)["models"][0]["queries_asked"] for name in ("first", "same", "other")}
    assert asked["first"] == asked["other"] > 0
    assert asked["same"] == 0


def test_a_model_that_only_describes_is_asked_only_for_descriptions(
    pytester: pytest.Pytester, run: Run, tmp_path_factory: pytest.TempPathFactory
) -> None:
    pytester.makeconftest(OWN)
    folder = prompted.florence(tmp_path_factory.mktemp("florence"))
    result = run(RELATIONS, "--vqamt-device=cpu", *SHORT, "--vqamt-report=told", model=f"hf:{folder}")
    assert result.ret == pytest.ExitCode.OK, result.stdout.str()
    assert [row["id"] for row in report(pytester, "told")["relations"]] == ["ours.described"]


def test_a_broken_checkpoint_is_told_before_anything_runs(
    pytester: pytest.Pytester, run: Run, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = chat.llava(tmp_path_factory.mktemp("broken"))
    (folder / "tokenizer.json").unlink()
    result = run("--vqamt-device=cpu", model=f"hf:{folder}")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    (line,) = result.stderr.str().strip().splitlines()
    assert line.startswith(f"ERROR: Expected a tokenizer beside the weights, but {folder} has none of tokenizer.json")
