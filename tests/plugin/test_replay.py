"""A case is asked again by the command that the session printed."""

from __future__ import annotations

import json
import re
import shlex
import shutil
from pathlib import Path

import pytest
from PIL import Image

from pytest_vqamt.cli import main
from pytest_vqamt.imaging import inpainters, inpainting
from pytest_vqamt.relations import catalogue
from tests.integration.half_bad import half_bad
from tests.plugin.conftest import Run
from tests.reporting.reported import cases_in

COCO = Path(__file__).parents[2] / "../shared/data/coco"
REVERSION = "--vqamt-relations=metavqa.reversion[object]"
MIRROR = """
    import pytest_vqamt as vqamt

    @vqamt.relation("ours.mirror", expect=vqamt.opposite_answer)
    def mirror(scene, corpus, choose):
        question = vqamt.ask.exists(choose.one(scene.objects))
        return vqamt.case(scene.picture, question, follow_up=(scene.picture.mirror(), question))
"""


def command(result: pytest.RunResult) -> list[str]:
    """The command that the session printed, as a shell would read it, without "pytest"."""
    (line,) = [line for line in result.outlines if "  replay:   " in line]
    first, *arguments = shlex.split(line.partition("replay:")[2])
    assert first == "pytest"
    return arguments


def shown_violation(result: pytest.RunResult) -> list[str]:
    """The questions with their answers, as the session printed them."""
    return [" ".join(line.split()) for line in result.outlines if re.match(r"    .*  ->  '", line)]


def assert_replayed(result: pytest.RunResult, first: pytest.RunResult) -> None:
    result.assert_outcomes(passed=1)
    assert result.ret == pytest.ExitCode.OK
    told = [re.sub(r"  \(.*\)$", "", line) for line in result.outlines]
    assert [" ".join(line.split()) for line in told if re.match(r"    .*  ->  '", line)] == shown_violation(first)
    assert any(line.startswith("  violated: ") for line in told)


@pytest.mark.parametrize(
    "also",
    [
        ("--vqamt-fail-under=0.9",),
        ("--vqamt-report=out",),
        ("--vqamt-no-cache", "--vqamt-seed=5"),
        *(
            pytest.param(more, marks=pytest.mark.full)
            for more in ((), ("--vqamt-sampler=random",), ("--vqamt-cache=kept here",), ("-p", "no:cacheprovider"))
        ),
    ],
    ids=" ".join,
)
def test_the_command_that_was_printed(pytester: pytest.Pytester, run: Run, also: tuple[str, ...]) -> None:
    first = run(REVERSION, *also, model="fault:always-yes", shrink=30)
    assert len(shown_violation(first)) == 2
    assert_replayed(pytester.runpytest_inprocess(*command(first)), first)


@pytest.mark.full
def test_on_a_worker(pytester: pytest.Pytester, run: Run) -> None:
    first = run(REVERSION, "--vqamt-fail-under=0.9", "-n", "1", model="fault:always-yes", shrink=30)
    assert_replayed(pytester.runpytest_inprocess(*command(first), "-n", "1"), first)


@pytest.mark.full
def test_pasted_into_a_shell(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    # As a user has it: plugins are found by their entry points, and the tests are not where the shell is.
    monkeypatch.delenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD")
    monkeypatch.delenv("PYTEST_PLUGINS")
    project = pytester.mkdir("a project")
    (project / "conftest.py").write_text("\n".join(line[4:] for line in MIRROR.splitlines()))
    (project / "pytest.ini").write_text(
        "[pytest]\nvqamt_model = oracle\nvqamt_data = pictures:20\nvqamt_relations = ours.mirror\nvqamt_max_cases = 4\n"
    )
    (project / "test_own.py").write_text("def test_own(vqamt_consistency): vqamt_consistency.check()\n")
    first = pytester.runpytest_subprocess("a project", "--vqamt-fail-under=0.9")
    first.assert_outcomes(failed=1)
    assert command(first)[0] == "a project"
    assert_replayed(pytester.runpytest_subprocess(*command(first)), first)


def test_a_case_of_the_report(pytester: pytest.Pytester, run: Run) -> None:
    run(REVERSION, "--vqamt-report=out", "--vqamt-seed=9").assert_outcomes(passed=1)
    shutil.rmtree(pytester.path / ".pytest_cache")
    row = json.loads((pytester.path / "out" / "cases.jsonl").read_text().splitlines()[2])
    result = run("--vqamt-report=out", f"--vqamt-replay={row['case_id']}", model="fault:always-yes")
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(
        [
            "*= vqamt: replay =*",
            f"case {row['case_id']}: metavqa.reversion?object?, scene {row['scene']}, on fault:always-yes",
            f"    {row['queries'][0]['text'].replace('?', '[?]')} *->  'yes'  (*1.png)",
            f"    {row['queries'][1]['text'].replace('?', '[?]')} *->  'yes'  (*1.png)",
            "  expected: one yes, one no",
            "  violated: one answer must be yes and the other no, but got yes, yes",
            "  side by side: *sheet.png",
        ]
    )


def test_a_case_of_a_report_that_another_program_has_written_again(pytester: pytest.Pytester, run: Run) -> None:
    run("--vqamt-relations=carets.negation", "--vqamt-report=out", max_cases=3)
    file = pytester.path / "out" / "cases.jsonl"
    rows = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    file.write_text("".join(json.dumps(row, indent=None) + "\n" for row in rows), encoding="utf-8")
    assert main(["replay", rows[-1]["case_id"], "--report=out"]) == 0


def test_the_pictures_are_written_out(pytester: pytest.Pytester, run: Run) -> None:
    pytester.makeconftest(MIRROR)
    first = run("--vqamt-relations=ours.mirror", "--vqamt-report=out")
    result = pytester.runpytest_inprocess(*command(first), "--vqamt-report=out")
    assert_replayed(result, first)
    assert [line.count("[mirrored]") for line in shown_violation(first)] == [0, 1]
    (folder,) = (pytester.path / "out" / "replay").iterdir()
    assert sorted(each.name for each in folder.iterdir()) == ["1.png", "2.png", "sheet.png"]
    assert f"({folder / '2.png'})" in result.stdout.str()
    assert f"  side by side: {folder / 'sheet.png'}\n" in result.stdout.str()
    with Image.open(folder / "sheet.png") as side_by_side:
        assert side_by_side.width == 1200
    one, other = Image.open(folder / "1.png"), Image.open(folder / "2.png")
    assert one.transpose(Image.Transpose.FLIP_LEFT_RIGHT).tobytes() == other.tobytes()
    assert (pytester.path / "out" / "report.json").exists(), "that of the first run"


def test_the_model_is_asked_past_the_cache(pytester: pytest.Pytester, run: Run, counted: str) -> None:
    first = run(REVERSION, model=counted)
    (pytester.path / "asked.txt").unlink()
    pytester.runpytest_inprocess(*command(first)).assert_outcomes(passed=1)
    assert len((pytester.path / "asked.txt").read_text().split()) == 2


@pytest.mark.parametrize("case_id", ["0123456789abcdef", "nonsense"])
def test_an_unknown_id(run: Run, case_id: str) -> None:
    result = run(REVERSION, f"--vqamt-replay={case_id}")
    result.assert_outcomes(failed=1)
    assert (
        f"\nExpected the id of a case that a run has shown or would have, but got --vqamt-replay='{case_id}': "
        "name the report that has it (--vqamt-report=DIR), or the model, the data and the seed of that run\n"
    ) in result.stdout.str()


def test_a_case_of_other_data(pytester: pytest.Pytester, run: Run) -> None:
    run(REVERSION, "--vqamt-report=out")
    rows = cases_in(pytester.path / "out")
    case_id = next(row["case_id"] for row in rows if row["scene"] != "pictures-0-0")
    result = run("--vqamt-report=out", f"--vqamt-replay={case_id}", data=("pictures:1",))
    result.assert_outcomes(failed=1)
    assert "\nExpected a photo of pictures:1, but got photo=" in result.stdout.str()
    assert "replay.py" not in result.stdout.str()


def test_a_run_that_allowed_bad_records_is_replayed_with_them(pytester: pytest.Pytester, run: Run) -> None:
    data = half_bad(pytester.path)
    first = run(
        "--vqamt-relations=metavqa.reversion[object]",
        "--vqamt-allow-bad-records",
        model="fault:always-yes",
        data=(data,),
    )
    assert "--vqamt-allow-bad-records" in command(first)
    assert_replayed(pytester.runpytest_inprocess(*command(first)), first)


def test_a_case_of_the_second_data_asked_of_the_second_model(pytester: pytest.Pytester, run: Run) -> None:
    run(REVERSION, "--vqamt-report=out", model="fault:always-yes", data=("pictures:20",))
    shutil.rmtree(pytester.path / ".pytest_cache")
    rows = cases_in(pytester.path / "out")
    case_id = next(row["case_id"] for row in rows if row["scene"] != "pictures-0-0")
    again = ("--vqamt-report=out", f"--vqamt-replay={case_id}", "--vqamt-model=fault:always-yes")
    result = run(REVERSION, *again, model="oracle", data=("pictures:1", "pictures:20"))
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines([f"case {case_id}: *, on fault:always-yes"])
    # What the session does not name falls back on the first that it does.
    other = run(REVERSION, *again[:2], model="oracle", data=("pictures:21", "pictures:22"))
    other.stdout.fnmatch_lines([f"case {case_id}: *, on oracle"])


def case_of(pytester: pytest.Pytester, folder: str = "out") -> str:
    """The id of the first case of the report in the folder."""
    line = (pytester.path / folder / "cases.jsonl").read_text().splitlines()[0]
    return str(json.loads(line)["case_id"])


def test_every_model_of_the_session_is_asked(pytester: pytest.Pytester, run: Run) -> None:
    run(REVERSION, "--vqamt-report=out", model="fault:always-yes")
    pytester.makepyfile(captioner="class Model:\n    def caption(self, batch): return ['a dog' for each in batch]\n")
    case_id = case_of(pytester)
    others = ("--vqamt-model=python:captioner:Model", "--vqamt-model=oracle")
    result = run("--vqamt-report=out", f"--vqamt-replay={case_id[:12]}", *others, model="fault:always-yes")
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(
        [
            f"case {case_id}: *, on fault:always-yes",
            "*  ->  'yes'  (was 'yes')  (*1.png)",
            "*  ->  'yes'  (was 'yes')  (*1.png)",
            "  violated: *, but got yes, yes  (was violated)",
            f"case {case_id}: *, on oracle",
            "  holds",
            "  not asked: 'python:captioner:Model' (captioning)",
        ]
    )
    unable = run("--vqamt-report=out", f"--vqamt-replay={case_id}", model="python:captioner:Model")
    unable.assert_outcomes(failed=1)
    unable.stdout.fnmatch_lines(
        [f"Expected a model that does vqa, as case {case_id} asks for, but got 'python:captioner:Model' (captioning)"]
    )


def test_the_beginning_of_an_id_that_is_that_of_several(pytester: pytest.Pytester, run: Run) -> None:
    run(REVERSION, "--vqamt-report=out")
    ids = [json.loads(line)["case_id"] for line in (pytester.path / "out" / "cases.jsonl").read_text().splitlines()]
    (pytester.path / "out" / "cases.jsonl").write_text(
        "".join(f'{{"case_id":"abc{number}{case_id[4:]}"}}\n' for number, case_id in enumerate(ids))
    )
    result = run("--vqamt-report=out", "--vqamt-replay=abc")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["Expected the id of one case, but got 'abc', with which 4 begin (abc0*): type more*"])


def test_a_case_of_the_baseline(pytester: pytest.Pytester, run: Run) -> None:
    run(REVERSION, "--vqamt-report=out", "--vqamt-seed=9", model="fault:always-yes")
    case_id = case_of(pytester)
    assert main(["bless", str(pytester.path / "out"), "-o", str(pytester.path / "base.vqamt")]) == 0
    shutil.rmtree(pytester.path / "out")
    shutil.rmtree(pytester.path / ".pytest_cache")
    result = run("--vqamt-baseline=base.vqamt", f"--vqamt-replay={case_id}", REVERSION, model="fault:always-yes")
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines([f"case {case_id}: *, on fault:always-yes", "*->  'yes'  (was 'yes')*"])


@pytest.mark.skipif(not COCO.is_dir(), reason="the sample of COCO in ../shared/data is not here")
def test_the_report_of_a_colleague(pytester: pytest.Pytester, run: Run) -> None:
    """It was copied from another machine, where the data lay elsewhere and conftest.py had a relation of its own."""
    pytester.makeconftest(MIRROR)
    shutil.copytree(COCO, pytester.path / "their photos", copy_function=shutil.copyfile)
    relations = "--vqamt-relations=metavqa.reversion[object],ours.mirror"
    run(relations, "--vqamt-report=there", model="fault:always-yes", data=("coco:their photos",))
    shutil.move(pytester.path / "there", pytester.path / "copied")
    shutil.move(pytester.path / "their photos", pytester.path / "photos")
    shutil.rmtree(pytester.path / ".pytest_cache")
    (pytester.path / "conftest.py").unlink()
    catalogue._registered.clear()
    rows = cases_in(pytester.path / "copied")
    ours, theirs = (
        next(row["case_id"] for row in rows if row["relation"].startswith(name)) for name in ("metavqa", "ours")
    )
    again = ("--vqamt-report=copied", f"--vqamt-replay={ours}")
    lost = run(*again)
    lost.assert_outcomes(failed=1)
    lost.stdout.fnmatch_lines(
        [
            "Expected a photo of pictures:20, but got photo=*; the case is of data 'coco:their photos' "
            "(*cases.jsonl:*): name them, where they are now, with --vqamt-data"
        ]
    )
    found = run(*again, data=("pictures:1", "coco:photos"))
    found.assert_outcomes(passed=1)
    found.stdout.fnmatch_lines([f"case {ours}: metavqa.reversion?object?, *, on oracle", "  holds"])
    unknown = run("--vqamt-report=copied", f"--vqamt-replay={theirs}", data=("coco:photos",))
    unknown.assert_outcomes(failed=1)
    unknown.stdout.fnmatch_lines([f"Expected a relation that is known here, but case {theirs} is of 'ours.mirror'*"])


def test_a_model_that_raises_is_told_with_its_traceback(pytester: pytest.Pytester, run: Run) -> None:
    run(REVERSION, "--vqamt-report=out")
    pytester.makepyfile(broken="def model(image, text): raise RuntimeError('no such layer')\n")
    result = run("--vqamt-report=out", f"--vqamt-replay={case_of(pytester)}", model="python:broken:model")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        [
            "E   RuntimeError: no such layer",
            "E   Expected model 'python:broken:model' to answer *, but it raised *: no such layer",
            "broken.py:1: RuntimeError",
        ]
    )
    assert "replay.py" not in result.stdout.str()


def test_a_case_of_the_plan_is_asked_of_the_model_of_its_entry(pytester: pytest.Pytester, run: Run) -> None:
    run(REVERSION, "--vqamt-report=out", data=("pictures:20",))
    row = json.loads((pytester.path / "out" / "cases.jsonl").read_text().splitlines()[0])
    shutil.rmtree(pytester.path / "out")
    result = run("--vqamt-no-cache", REVERSION, f"--vqamt-replay={row['case_id']}", data=("pictures:1", "pictures:20"))
    result.stdout.fnmatch_lines([f"case {row['case_id']}: *, scene {row['scene']}, on oracle"])


@pytest.fixture(scope="module")
def lama(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The setting of a small network. Before pytester, which unloads what is loaded after it: torch loads only once."""
    pytest.importorskip("torch")
    from tests.integration.small_lama import checkpoint

    return checkpoint(tmp_path_factory.mktemp("lama") / "small.pt")


def test_pictures_that_a_checkpoint_made(
    lama: str, pytester: pytest.Pytester, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    options = ("--vqamt-option=erase=inpaint", f"--vqamt-option=inpaint={lama}")
    first = run("--vqamt-relations=metavqa.removal_plus", *options, model="fault:always-zero")
    assert any("erased (inpainted" in line for line in shown_violation(first))
    inpainters._loaded.cache_clear()  # as in another process
    monkeypatch.setattr(inpainting, "_checkpoints", {})
    assert_replayed(pytester.runpytest_inprocess(*command(first)), first)


def test_the_short_command_works_from_the_report_alone(
    pytester: pytest.Pytester, run: Run, capsys: pytest.CaptureFixture[str]
) -> None:
    """A simplified violation is no case of the run, and CI keeps the report without the cache."""
    result = run(
        "--vqamt-relations=metavqa.reversion[object]", "--vqamt-report=out", model="fault:ignores-negation", shrink=30,
        summary="short",
    )  # fmt: skip
    found = re.search(r"vqamt replay ([0-9a-f]{8})\n", result.stdout.str())
    assert found is not None
    shutil.rmtree(pytester.path / ".pytest_cache")
    assert found[1] in (pytester.path / "out" / "simplified.jsonl").read_text(encoding="utf-8")
    capsys.readouterr()
    assert main(["replay", found[1], "--report", "out"]) == 0
    assert capsys.readouterr().out.startswith("from out/simplified.jsonl\n")
