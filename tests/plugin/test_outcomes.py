"""What becomes of an item: passed, failed, skipped or error, on workers as without them."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from pytest_vqamt.cli import main
from pytest_vqamt.commands.main import ExitStatus
from pytest_vqamt.execution import plan
from tests.plugin.conftest import Run
from tests.reporting.reported import report_in
from tests.reporting.running import run_into

NEVER = """
    import pytest_vqamt as vqamt

    @vqamt.relation("ours.never", expect=vqamt.same_answer)
    def never(scene, corpus, choose):
        return vqamt.NotApplicable(reason="no mirror on the wall")
"""
FEW = """
    class Few:
        def answer(self, batch):
            return ["2"] * (len(batch) - 1)
"""
RELATIONS = "--vqamt-relations=metavqa.reorder[object],metavqa.reversion[object],ours.never"
MORE_WAYS = {
    "-n 2": ("-n", "2"),
    "-n 0": ("-n", "0"),
    "loadgroup": ("-n", "2", "--dist", "loadgroup"),
    "loadfile": ("-n", "2", "--dist", "loadfile"),
    "worksteal": ("-n", "2", "--dist", "worksteal"),
}


@pytest.fixture(autouse=True)
def _few_fruitless_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    """So many draws meet all twenty scenes; a user's relation that never applies is else asked a thousand times."""
    monkeypatch.setattr(plan, "_MAX_FRUITLESS_DRAWS", 200)


@pytest.mark.parametrize("how", ["alone", *(pytest.param(how, marks=pytest.mark.full) for how in MORE_WAYS)])
def test_every_outcome(pytester: pytest.Pytester, run: Run, how: str) -> None:
    pytester.makeconftest(NEVER)
    pytester.makepyfile(few=FEW, test_own="def test_own(): pass")
    result = run(
        RELATIONS,
        "--vqamt-model=python:few:Few",
        "--vqamt-fail-under=0.9",
        "--vqamt-report=out",
        "-rs",
        *MORE_WAYS.get(how, ()),
        model="fault:ignores-negation",
    )
    result.assert_outcomes(passed=2, failed=1, skipped=2, errors=2)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    shown = result.stdout.str()
    # The four cases are of three scenes, of which one has two: worth (1 + 1 + 2)^2 / (1 + 1 + 4) = 2.667 scenes. The
    # Wilson interval of none of n ends at z^2 / (n + z^2) = 0.590.
    assert (
        "\nmetavqa.reversion[object] on fault:ignores-negation: "
        "pass rate 0 % is below 90 % (95 % interval 0 to 59 %, 4 cases)\n"
    ) in shown
    assert "not applicable to pictures:20: no mirror on the wall (20 scenes)" in shown
    # Eight texts, and one answer too few: four cases of two questions each.
    assert "\nExpected Few.answer() of model 'python:few:Few' (few.py:" in shown
    assert "Traceback" not in shown
    report: dict[str, Any] = report_in(pytester.path / "out")
    assert [(each["id"], each["model"], each["cases"], each["holds"]) for each in report["relations"]] == [
        ("metavqa.reorder[object]", "fault:ignores-negation", 4, 4),
        ("metavqa.reversion[object]", "fault:ignores-negation", 4, 0),
        ("ours.never", "fault:ignores-negation", 0, 0),
        ("ours.never", "python:few:Few", 0, 0),
    ]
    assert report["relations"][2]["not_applicable"] == {"no mirror on the wall": 20}
    assert len((pytester.path / "out" / "cases.jsonl").read_text().splitlines()) == 8


def test_without_a_gate_nothing_fails(run: Run) -> None:
    result = run("--vqamt-relations=metavqa.reversion", model="fault:ignores-negation")
    result.assert_outcomes(passed=2)
    assert "no gate was set, so no pass rate can fail the run: set one with --vqamt-fail-under=" in result.stdout.str()


def test_a_missed_gate_shows_the_simplest_violation(run: Run) -> None:
    reversion = "--vqamt-relations=metavqa.reversion[object]"
    result = run(reversion, "--vqamt-fail-under=0.9", model="fault:always-yes", shrink=30)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        [
            "*_ metavqa.reversion?object? on fault:always-yes, pictures:20 _*",
            "metavqa.reversion?object? on fault:always-yes: pass rate 0 % is below 90 % (*)",
            "  claim: Asked whether there is any and whether there is none, a model says yes once and no once.",
            "simplest violation found: scene pictures-0-*, case ????????????????",
            "    *[?] * ->  'yes'",
            "    *[?] * ->  'yes'",
            "  expected: one yes, one no",
            "  one answer must be yes and the other no, but got yes, yes",
            "  replay:   pytest * --vqamt-replay=????????????????",
        ],
        consecutive=True,
    )


def test_the_lower_end_of_the_interval_as_a_gate(run: Run) -> None:
    # All of four hold: the interval begins at 4 / (4 + z^2) = 0.510.
    reorder = "--vqamt-relations=metavqa.reorder[object]"
    run(reorder, "--vqamt-gate=lower-bound", "--vqamt-fail-under=0.51").assert_outcomes(passed=1)
    result = run(reorder, "--vqamt-gate=lower-bound", "--vqamt-fail-under=0.52")
    result.assert_outcomes(failed=1)
    assert (
        "lower end 51 % of the pass rate's interval is below 52 % (pass rate 100 %, 95 % interval 51 to 100 %, 4 cases)"
    ) in result.stdout.str()
    assert "MISSED: lower end >= 52 %" in result.stdout.str()


@pytest.mark.parametrize(
    ("gates", "failed"),
    [
        (("metavqa.*=0.5",), {"reversion[object]", "reversion[property]"}),
        (("metavqa.*=0.5", "metavqa.reversion[object]=0"), {"reversion[property]"}),
        (("metavqa.reversion[object]=0", "metavqa.*=0.5"), {"reversion[property]"}),
        (("metavqa.*=0.5", "metavqa.*=0"), set()),
        (("0.5", "metavqa.*=0"), set()),
        (("metavqa.*[object]=0.5",), {"reversion[object]"}),
    ],
)
def test_of_several_gates_the_more_exact_wins_then_the_later(
    run: Run, gates: tuple[str, ...], failed: set[str]
) -> None:
    given = (f"--vqamt-fail-under={gate}" for gate in gates)
    relations = "--vqamt-relations=metavqa.reorder,metavqa.reversion"
    result = run(relations, "-rf", *given, model="fault:ignores-negation")
    lines = [line for line in result.outlines if line.startswith("FAILED vqamt::metavqa.")]
    assert {line.removeprefix("FAILED vqamt::metavqa.").partition("-")[0] for line in lines} == failed
    result.assert_outcomes(passed=4 - len(failed), failed=len(failed))


def test_the_noise_floor_is_never_gated(run: Run) -> None:
    result = run("--vqamt-relations=control.repeat", "--vqamt-fail-under=control.repeat=1", model="fault:inconsistent")
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["control.repeat (control) *4 *0.0 % *"])


# What a session and a command end with: the tables of docs/how-to/gates.md, line by line.

REVERSION = "--vqamt-relations=metavqa.reversion[object]"
FAULTY = "fault:ignores-negation"

LOADS = "def load():\n    raise ValueError('no weights')"
RAISES = """
    class Model:
        def answer(self, batch):
            if any("no" in each.text.split() for each in batch):
                raise ConnectionError("reset")
            return ["2"] * len(batch)
"""
STOPS = """
    class Model:
        def answer(self, batch):
            raise KeyboardInterrupt
"""

NONE = ("--vqamt-relations=ours.never,control.repeat",)
DECLINES = "import pytest_vqamt as vqamt\n\ndef model(image, text): return vqamt.Declined('no such questions')"
SESSIONS: dict[str, tuple[str, tuple[str, ...], int]] = {
    "no gate": (FAULTY, (), 0),
    "a gate that is met": ("oracle", ("--vqamt-fail-under=1",), 0),
    "no baseline yet": (FAULTY, ("--vqamt-baseline=absent.gz", "--vqamt-allow-missing-baseline"), 0),
    "a baseline that is missing": (FAULTY, ("--vqamt-baseline=absent.gz",), 4),
    "nothing lost since the baseline": ("oracle", ("--vqamt-baseline=base.gz",), 0),
    "nothing applies": ("oracle", NONE, 0),
    "nothing applies to a shard": ("oracle", (*NONE, "--vqamt-fail-under=1", "--vqamt-shard=1/2"), 0),
    "nothing applies, under a gate": ("oracle", (*NONE, "--vqamt-fail-under=1"), 1),
    "the plan alone": ("oracle", ("--vqamt-plan",), 0),
    "a shard below a threshold": (FAULTY, ("--vqamt-fail-under=1", "--vqamt-shard=1/2"), 0),
    "a shard below its baseline": (FAULTY, ("--vqamt-baseline=base.gz", "--vqamt-shard=1/2"), 0),
    "errors that are tolerated": ("python:raises:Model", ("--vqamt-max-error-rate=0.9",), 0),
    "a threshold that is missed": (FAULTY, ("--vqamt-fail-under=0.5",), 1),
    "a drop since the baseline": (FAULTY, ("--vqamt-baseline=base.gz",), 1),
    "errors": ("python:raises:Model", (), 1),
    "errors, though the rates are good": ("python:raises:Model", ("--vqamt-baseline=base.gz",), 1),
    "stopped at the first failure": (FAULTY, ("--vqamt-fail-under=1", "-x"), 1),
    "no such model": ("tinny", (), 4),
    "no such relation": ("oracle", ("--vqamt-exclude=metavqa.revision",), 4),
    "a threshold that is none": ("oracle", ("--vqamt-fail-under=80%",), 4),
    "a drop without a baseline": ("oracle", ("--vqamt-max-drop=0.1",), 4),
    "a broken baseline": ("oracle", ("--vqamt-baseline=raises.py",), 4),
    "a model that cannot be loaded": ("python:loads:load", (), 4),
    "too many queries": ("oracle", ("--vqamt-max-queries=1",), 4),
}


@pytest.fixture
def models(pytester: pytest.Pytester) -> None:
    """Models of all kinds."""
    pytester.makepyfile(loads=LOADS, raises=RAISES, stops=STOPS)


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The blessed report of a perfect model."""
    folder = tmp_path_factory.mktemp("blessed")
    run_into(folder, model="oracle", relations=["metavqa.reversion[object]"], max_cases=10)
    assert main(["bless", str(folder), "-o", str(folder / "base.gz")]) == ExitStatus.OK
    return folder / "base.gz"


@pytest.mark.usefixtures("models")
@pytest.mark.parametrize("case", SESSIONS)
def test_sessions(run: Run, pytester: pytest.Pytester, base: Path, case: str, monkeypatch: pytest.MonkeyPatch) -> None:
    model, options, status = SESSIONS[case]
    shutil.copy(base, pytester.path)
    pytester.makeconftest(NEVER)
    for name in ("CI", "BUILD_NUMBER"):
        monkeypatch.delenv(name, raising=False)
    result = run(REVERSION, *options, "--vqamt-cache=kept", model=model, max_cases=10)
    assert result.ret == status, result.stdout.str() + result.stderr.str()


@pytest.mark.parametrize("options", [(), ("-q",), ("-v",), ("--vqamt-summary=none",)])
def test_a_run_in_which_all_is_skipped_says_so_and_fails_on_ci(
    pytester: pytest.Pytester, run: Run, monkeypatch: pytest.MonkeyPatch, options: tuple[str, ...]
) -> None:
    pytester.makeconftest(NEVER)
    pytester.makepyfile(declines=DECLINES)
    named = "--vqamt-relations=ours.never,metavqa.reversion,control.repeat"
    monkeypatch.setenv("CI", "true")
    result = run(named, *options, model="python:declines:model", summary=None)
    result.assert_outcomes(skipped=4)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    assert (
        "NOTHING WAS TESTED: none of 3 relation variants has a judged case (2 declined or refused, 1 not "
        "applicable); the session fails, since it runs on CI"
    ) in result.outlines
    monkeypatch.setenv("CI", "")
    monkeypatch.delenv("BUILD_NUMBER", raising=False)
    result = run(named, *options, model="python:declines:model", summary=None)
    assert result.ret == pytest.ExitCode.OK
    assert result.stdout.str().count("NOTHING WAS TESTED: ") == 1


def test_the_summary_says_once_what_a_model_does_not_take(pytester: pytest.Pytester, run: Run) -> None:
    pytester.makepyfile(one="def answer(image, question):\n    return 'no'\n")
    named = "--vqamt-relations=multi.which,turn.last,turn.later,control.repeat"
    result = run(named, "--vqamt-report=out", model="python:one:answer")
    result.assert_outcomes(passed=1, skipped=3)
    note = (
        " does not take several pictures or earlier turns: 3 relation variants were not asked "
        "(docs/how-to/conversations.md)."
    )
    assert " ".join(result.stdout.str().split()).count(note) == 1
    assert Path("out/summary.md").read_text("utf-8").count(note) == 1


@pytest.mark.parametrize(("options", "status"), [((), ExitStatus.OK), (("--vqamt-fail-under=1",), ExitStatus.FINDING)])
def test_merged_shards_in_which_all_is_skipped(
    pytester: pytest.Pytester, run: Run, monkeypatch: pytest.MonkeyPatch, options: tuple[str, ...], status: ExitStatus
) -> None:
    for name in ("CI", "BUILD_NUMBER"):
        monkeypatch.delenv(name, raising=False)
    pytester.makeconftest(NEVER)
    for number in (1, 2):
        assert run(*NONE, *options, f"--vqamt-shard={number}/2", f"--vqamt-report={number}").ret == pytest.ExitCode.OK
    assert main(["merge", "1", "2", "-o", "whole"]) == status


def test_a_gate_that_names_only_what_was_skipped_fails_the_run(pytester: pytest.Pytester, run: Run) -> None:
    pytester.makeconftest(NEVER)
    named = "--vqamt-relations=ours.never,control.repeat,metavqa.reversion"
    result = run(named, "--vqamt-fail-under=ours=0.9", model="oracle", summary=None)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    told = "NOTHING WAS GATED by ours: no relation with this gate has a judged case; the session fails"
    assert told in result.outlines
    assert run(named, "--vqamt-fail-under=0.9", model="oracle").ret == pytest.ExitCode.OK


def test_merged_shards_with_a_gate_on_only_what_was_skipped(
    pytester: pytest.Pytester, run: Run, capsys: pytest.CaptureFixture[str]
) -> None:
    pytester.makeconftest(NEVER)
    named = "--vqamt-relations=ours.never,control.repeat,metavqa.reversion"
    for number in (1, 2):
        shard = (f"--vqamt-shard={number}/2", f"--vqamt-report={number}")
        assert run(named, "--vqamt-fail-under=ours=0.9", *shard, model="oracle").ret == pytest.ExitCode.OK
    capsys.readouterr()
    assert main(["merge", "1", "2", "-o", "whole"]) == ExitStatus.FINDING
    assert capsys.readouterr().out.startswith("NOTHING WAS GATED: no relation with this gate has a judged case\n")


def test_a_report_that_cannot_be_written_fails_the_run(pytester: pytest.Pytester, run: Run) -> None:
    pytester.makepyfile(
        test_own="""
        from pathlib import Path

        def test_own(vqamt_consistency):
            vqamt_consistency.check()
            Path("spoilt/report.json").mkdir(parents=True)
        """
    )
    assert run(REVERSION, "--vqamt-report=spoilt").ret == pytest.ExitCode.TESTS_FAILED


@pytest.mark.usefixtures("models")
def test_an_interrupted_session_is_pytests_own_2(pytester: pytest.Pytester) -> None:
    options = (REVERSION, "--vqamt-model=python:stops:Model", "--vqamt-data=pictures:20")
    result = pytester.runpytest_inprocess(*options, no_reraise_ctrlc=True)
    assert result.ret == pytest.ExitCode.INTERRUPTED


def test_no_tests_without_a_model_is_pytests_own_5(run: Run) -> None:
    assert run(model=None).ret == pytest.ExitCode.NO_TESTS_COLLECTED


def test_a_command_that_cannot_do_its_work_ends_with_2(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bless", "absent"]) == ExitStatus.USAGE
    assert re.fullmatch(r"vqamt: Expected .*\n", capsys.readouterr().err)


def test_a_merge_that_misses_a_gate_is_a_finding(pytester: pytest.Pytester, run: Run) -> None:
    for number in (1, 2):
        run(REVERSION, "--vqamt-fail-under=1", f"--vqamt-shard={number}/2", f"--vqamt-report={number}", model=FAULTY)
    assert main(["merge", "1", "2", "-o", "whole"]) == ExitStatus.FINDING
