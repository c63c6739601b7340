"""The same run gives the same report, however it is shared out."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pytest_vqamt.cli import main
from tests.costs import without_costs
from tests.plugin.conftest import Run
from tests.reporting.reported import report_in

# A perfect model, and one whose answers hang on every pixel and every letter, and are kept for later runs.
MODELS = ("oracle", "python:kept:Model")
KEPT_MODEL = """
    from zlib import crc32

    class Model:
        fingerprint = "answers by the pixels and the question"
        def answer(self, batch):
            return [("yes", "no", "2", "1")[crc32(each.image.tobytes() + each.text.encode()) % 4] for each in batch]
"""
EARLIER_MODEL = """
    from pytest_vqamt.core.meaning import truth

    class Model:
        fingerprint = "perfect"
        def answer(self, batch):
            right = [truth(each.query.meaning, each.query.picture.scene) for each in batch]
            return [{True: "yes", False: "no"}[each] if isinstance(each, bool) else str(each) for each in right]
"""
OPTIONS = ("--vqamt-data=pictures:20", "--vqamt-max-cases=8", "--vqamt-fail-under=0.9", "--vqamt-shrink=5")


def run_into(folder: Path, run: Callable[..., pytest.RunResult], *more: str) -> Path:
    """Runs a session; gates are missed in it, so its status is 1, but for a shard, which misses none."""
    models = (f"--vqamt-model={model}" for model in MODELS)
    result = run(*models, *OPTIONS, f"--vqamt-report={folder}", *more)
    is_shard = any(option.startswith("--vqamt-shard") for option in more)
    assert result.ret == (pytest.ExitCode.OK if is_shard else pytest.ExitCode.TESTS_FAILED), result.stdout.str()
    return folder


def told(folder: Path) -> dict[str, Any]:
    """The report in the folder without times and the counts of queries asked and cached."""
    report: dict[str, Any] = report_in(folder)
    return without_costs(report)


def merge(*folders: Path, out: Path, images: str = "violations") -> Path:
    """Merges by the command, which writes the pages, too; gates are missed."""
    assert main(["merge", *map(str, folders), "-o", str(out), "--report-images", images]) == 1
    return out


_VARIES = re.compile(r'<(\w+) class="varies">.*?</\1>', re.DOTALL)


def page(folder: Path) -> str:
    """The page in the folder without the elements that tell times and counts of queries."""
    stripped, found = _VARIES.subn("", (folder / "report.html").read_text(encoding="utf-8"))
    assert found > 1
    return stripped


def summary_of(folder: Path) -> list[str]:
    """The lines of the summary but the last ones, which tell times and counts of queries."""
    lines = (folder / "summary.md").read_text(encoding="utf-8").splitlines()
    (place,) = [place for place, line in enumerate(lines) if "started" in line]
    return lines[:place]


def assert_same(folder: Path, expected: Path) -> None:
    """The four files of both are equal, but for times and counts of queries."""
    assert told(folder) == told(expected), folder.name
    assert (folder / "cases.jsonl").read_bytes() == (expected / "cases.jsonl").read_bytes(), folder.name
    assert page(folder) == page(expected), folder.name
    assert summary_of(folder) == summary_of(expected), folder.name


@pytest.mark.parametrize(
    ("relations", "cases", "sampler"),
    [
        # Hypothesis draws a hundred at a time; that its draws are shared out alike is a matter of the full tier.
        ("metavqa.insertion[count],corruption[snow-object],control.repeat", 4, "random"),
        pytest.param("*", 8, "hypothesis", marks=pytest.mark.slow),
    ],
)
def test_the_same_report_however_the_run_is_shared_out(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, relations: str, cases: int, sampler: str
) -> None:
    drawn = f"--vqamt-relations={relations}", f"--vqamt-max-cases={cases}", f"--vqamt-sampler={sampler}"

    def run(folder: str, *more: str) -> Path:
        return run_into(pytester.path / folder, pytester.runpytest_inprocess, *drawn, *more)

    pytester.makepyfile(kept=KEPT_MODEL)
    # Strings hash otherwise in the workers than in this process.
    monkeypatch.setenv("PYTHONHASHSEED", "2")
    first = run("first", "-p", "no:xdist.plugin")
    workers = run("n2", "-n", "2", "--vqamt-no-cache")
    shards = run("shard1", "-n", "0", "--vqamt-shard=1/2"), run("shard2", "-p", "no:xdist.plugin", "--vqamt-shard=2/2")
    merged = merge(*shards, out=pytester.path / "merged")

    expected = told(first)
    assert {each["model"] for each in expected["relations"]} == set(MODELS)
    assert [each["cases"] for each in expected["relations"]] == [cases] * len(expected["relations"])
    assert {(each["gate"] or {"met": None})["met"] for each in expected["relations"]} == {True, False, None}
    assert [len(ranking["models"]) for ranking in expected["ranking"]] == [2] * len(expected["ranking"])
    assert {each["shared"] for each in expected["differences"]} >= {cases}
    for folder in (workers, merged):
        assert_same(folder, first)


@pytest.mark.full
def test_shards_of_blessed_cases_merged_are_the_whole_run(
    pytester: pytest.Pytester,
) -> None:
    def run(folder: str, *more: str) -> Path:
        return run_into(pytester.path / folder, pytester.runpytest_inprocess, *held, "--vqamt-no-cache", *more)

    base = str(pytester.path / "base.gz")
    named = ("--vqamt-relations=metavqa.reorder[object],control.repeat,carets.negation", "--vqamt-max-cases=12")
    pytester.makepyfile(kept=EARLIER_MODEL)
    models = (f"--vqamt-model={model}" for model in MODELS)
    pytester.runpytest_inprocess(*models, *OPTIONS[:1], *named, "--vqamt-report=drawn", "--vqamt-no-cache")
    assert main(["bless", "drawn", "-o", base, "--relations", "carets.*,control.*"]) == 0
    pytester.makepyfile(kept=KEPT_MODEL)
    held = (*named, f"--vqamt-baseline={base}", "--vqamt-max-drop=0.1", "--vqamt-seed=5", "--vqamt-report-images=none")
    first = run("first", "-p", "no:xdist.plugin")
    shards = [run(f"shard{number}", "-p", "no:xdist.plugin", f"--vqamt-shard={number}/2") for number in (1, 2)]
    merged = merge(*shards, out=pytester.path / "merged", images="none")
    expected = told(first)
    changes = [each["change"] for each in expected["relations"]]
    assert [change and change["shared"] for change in changes] == [None, 12, 12] * 2
    assert {change["gate"]["met"] for change in changes if change and change["gate"]} == {True, False}
    assert expected["baseline"]["new"] == [f"metavqa.reorder[object]-{model}-pictures:20" for model in MODELS]
    assert_same(merged, first)


@pytest.mark.full
def test_models_that_do_not_look_answer_the_same_however_the_run_is_shared_out(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    blind = ("fixed-scene", "text-keyed-cache", "image-hash-8", "prior-only", "half-blind", "half-blind@0.5")
    named = "--vqamt-relations=spatial.mirror,spatial.inverse,metavqa.reversion[object],metavqa.removal[count]"
    # Some pictures are of both sources.
    data = ("--vqamt-data=pictures:20", "--vqamt-data=pictures:30")

    def run(folder: str, *more: str) -> Path:
        models = (f"--vqamt-model=fault:{fault}" for fault in blind)
        report = f"--vqamt-report={folder}"
        pytester.runpytest_inprocess(*models, *data, named, *OPTIONS[1:], report, "--vqamt-report-images=none", *more)
        return pytester.path / folder

    monkeypatch.setenv("PYTHONHASHSEED", "2")
    first = run("first", "-p", "no:xdist.plugin")
    workers = run("n2", "-n", "2")
    shards = [run(f"shard{number}", "-p", "no:xdist.plugin", f"--vqamt-shard={number}/2") for number in (1, 2)]
    merged = merge(*shards, out=pytester.path / "merged", images="none")
    assert len(told(first)["relations"]) == 5 * len(blind) * len(data)
    for folder in (workers, merged):
        assert told(folder) == told(first), folder.name
        assert (folder / "cases.jsonl").read_bytes() == (first / "cases.jsonl").read_bytes(), folder.name


@pytest.mark.full
def test_an_answer_that_is_a_string_of_its_own_kind_comes_back_from_a_worker(
    pytester: pytest.Pytester, run: Run
) -> None:
    pytester.makepyfile(
        own="""
        class Text(str):
            pass

        def model(image, text):
            return Text("perhaps")
    """
    )
    result = run("--vqamt-relations=metavqa.reorder[object],control.repeat", "-n", "2", model="python:own:model")
    result.assert_outcomes(passed=2)
    result.stdout.fnmatch_lines(["*->  'perhaps'"])
