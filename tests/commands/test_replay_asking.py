"""``vqamt replay CASE-ID --model SPEC`` asks a case again and holds the answers against those of the report."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from pytest_vqamt.cli import main
from pytest_vqamt.integration.run import run
from pytest_vqamt.models.catalogue import ModelCatalogue
from pytest_vqamt.reporting.case_writer import CasePartWriter, start_parts
from tests.reporting.reported import cases_in, join_parts
from tests.reporting.running import run_into

COCO = Path(__file__).parents[2] / "../shared/data/coco"


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report of a model that miscounts by the order of the groups."""
    folder = tmp_path_factory.mktemp("made")
    run_into(folder, relations=("metavqa.partition[object]",), max_cases=8)
    return folder


@pytest.fixture
def violated(made: Path) -> dict[str, Any]:
    """A violation as the report in "out" has it."""
    shutil.copytree(made, "out")
    return next(row for row in cases_in(Path("out")) if row["verdict"] == "violated")


def reported(folder: str, data: str, relation: str, model: str, max_cases: int = 3) -> None:
    """Runs the model and writes ``cases.jsonl`` into the folder."""
    start_parts(Path(folder))
    with CasePartWriter(Path(folder), 0) as part:
        run(
            model=model,
            data=data,
            relations=relation,
            max_cases=max_cases,
            sampler="random",
            shrink=0,
            contrast=0,
            listen=part,
        )
    join_parts(Path(folder), [0])


def rewrite(folder: Path, row: dict[str, Any], **changes: object) -> None:
    """Changes the row in its report; the fields keep their order."""
    changed = [each | changes if each["case_id"] == row["case_id"] else each for each in cases_in(folder)]
    text = "".join(json.dumps(each, separators=(",", ":")) + "\n" for each in changed)
    (folder / "cases.jsonl").write_text(text, encoding="utf-8")


def told(capsys: pytest.CaptureFixture[str], status: int, *typed: str) -> list[str]:
    assert main(["replay", *typed]) == status
    return capsys.readouterr().out.splitlines()


def refusal(capsys: pytest.CaptureFixture[str], *typed: str) -> str:
    assert main(["replay", *typed]) == 2
    printed = capsys.readouterr()
    assert (printed.out, printed.err.count("\n")) == ("", 1)
    return printed.err.removeprefix("vqamt: ").rstrip()


def said(lines: list[str]) -> list[str]:
    """What follows the arrows, without the files."""
    return [line.partition("->  ")[2].rpartition("  (")[0] for line in lines if "  ->  " in line]


def test_what_the_model_says_now_stands_beside_what_it_said(
    violated: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    rewrite(Path("out"), violated, answers=["7", "7", "7"])
    lines = told(capsys, 1, violated["case_id"], "--model", "fault:order-sensitive")
    assert [line for line in lines if line.startswith("case ")] == [
        f"case {violated['case_id']}: metavqa.partition[object], scene {violated['scene']}, on fault:order-sensitive"
    ]
    assert said(lines) == [f"{answer!r}  (was '7')" for answer in violated["answers"]]
    assert f"  violated: {violated['reason']}  (was violated)" in lines


def test_a_model_that_does_better_ends_with_0(violated: dict[str, Any], capsys: pytest.CaptureFixture[str]) -> None:
    lines = told(capsys, 0, violated["case_id"], "--model", "oracle")
    assert [line.rpartition(", on ")[2] for line in lines if line.startswith("case ")] == [
        "fault:order-sensitive in that run",
        "oracle",
    ]
    assert said(lines)[:3] == [repr(answer) for answer in violated["answers"]]
    first, *others = (int(answer.strip("'")) for answer in said(lines)[3:])
    assert first == sum(others)
    assert [line for line in lines if line.startswith(("  violated", "  holds"))][1] == "  holds"


def test_several_models_are_asked_and_each_that_violates_counts(
    violated: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    asked = ("--model", "oracle", "--model", "fault:always-yes", "--model", "fault:order-sensitive")
    lines = told(capsys, 1, violated["case_id"], *asked, "--out", "seen")
    assert [line.rpartition(", on ")[2] for line in lines if line.startswith("case ")] == list(asked[1::2])
    assert [line for line in lines if line.startswith("  unparsed: ")]
    with Image.open(Path("seen/sheet.png")) as sheet:
        assert sheet.height > 3 * 300, "a strip for each"


def test_the_model_is_asked_past_any_cache(
    here: Path, violated: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    (here / "counted_here.py").write_text(
        "def model(image, text):\n    with open('asked.txt', 'a') as log: log.write(text + '\\n')\n    return 'two'\n"
    )
    for _ in range(2):
        told(capsys, 1, violated["case_id"], "--model", "python:counted_here:model")
    assert (here / "asked.txt").read_text().splitlines() == [query["text"] for query in violated["queries"]] * 2


def test_a_model_that_raises_is_told_with_its_traceback(
    here: Path, violated: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    (here / "broken_here.py").write_text("def model(image, text): raise RuntimeError('no\\nsuch layer')\n")
    assert main(["replay", violated["case_id"], "--model", "python:broken_here:model"]) == 2
    told = capsys.readouterr().err
    assert told.count("  File ") == told.count('broken_here.py", line 1') == 1, "the frames of the model alone"
    assert told.splitlines()[-1] == (
        f"vqamt: Expected model 'python:broken_here:model' to answer {violated['queries'][0]['text']!r}, but it raised "
        "RuntimeError: no such layer"
    )


def test_answers_that_are_lacking_are_listed(
    here: Path, violated: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    assert refusal(capsys, violated["case_id"], "--model", "answers:mine.jsonl").startswith(
        f"Expected model 'answers:mine.jsonl' to hold an answer to every query, but it lacks 3: they are listed in "
        f"{here / 'mine.jsonl.todo.jsonl'}; "
    )
    todo = [json.loads(line) for line in (here / "mine.jsonl.todo.jsonl").read_text().splitlines()]
    assert [row["id"] for row in todo] == [query["id"] for query in violated["queries"]]
    given = [{"id": row["id"], "answer": answer} for row, answer in zip(todo, ("2", "1", "1"), strict=True)]
    (here / "mine.jsonl").write_text("".join(json.dumps(row) + "\n" for row in given))
    assert "  holds" in told(capsys, 0, violated["case_id"], "--model", "answers:mine.jsonl")


def test_a_relation_that_is_not_known_here_is_refused_before_any_model_is_loaded(
    violated: dict[str, Any], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    rewrite(Path("out"), violated, relation="theirs.mirror")
    monkeypatch.delattr(ModelCatalogue, "load")
    case_id = violated["case_id"]
    assert refusal(capsys, case_id, "--model", "oracle") == (
        f"Expected a relation that is known here, but case {case_id} is of 'theirs.mirror': run a model with "
        f"`pytest --vqamt-replay={case_id}` where the conftest.py is that has it, or see the pictures with "
        f"`vqamt replay {case_id}`"
    )
    assert f": theirs.mirror, scene {violated['scene']}, on " in told(capsys, 0, case_id)[1]


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        (("--model", "tinny"), "Expected --model to begin with a kind of model, but got 'tinny'; did you"),
        (("--model", "oracle", "--option", "prompt=x"), "Expected --option to name a setting, but got 'prompt=x'"),
        (("--device", "cpu"), "Expected --device and --dtype with --model SPEC, but got no --model"),
    ],
)
def test_what_cannot_be_asked_is_refused(
    typed: tuple[str, ...], expected: str, violated: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    assert refusal(capsys, violated["case_id"], *typed).startswith(expected)


def test_a_case_is_judged_as_it_was_in_that_run_unless_it_is_said(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A puppy is a dog, but not as published."""
    captions = "['a cat and a puppy' if each.query.picture.edits else 'a cat' for each in batch]"
    (here / "puppies.py").write_text(f"class Model:\n    def caption(self, batch): return {captions}\n")
    model = ("--model", "python:puppies:Model")
    reported("out", "pictures:40", "metaic.object_appearance[0]", "oracle", max_cases=60)
    case_id = next(row["case_id"] for row in cases_in(Path("out")) if row["expected"].endswith(" and dog"))
    assert "  holds" in told(capsys, 0, case_id, *model)
    settings = {"metaic": "strict", "inpaint": "lama:/not/here"}
    Path("out/report.json").write_text(json.dumps({"schema": 1, "settings": settings}))
    assert "  violated: omission: dog is not named" in told(capsys, 1, case_id, *model)
    assert "  holds" in told(capsys, 0, case_id, *model, "--option", "metaic=refined")


def test_a_baseline_has_cases_too(violated: dict[str, Any], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bless", "out", "-o", "base.vqamt"]) == 0
    shutil.rmtree("out")
    capsys.readouterr()
    lines = told(capsys, 1, violated["case_id"][:9], "--report", "base.vqamt", "--model", "fault:order-sensitive")
    assert lines[0] == "from base.vqamt"
    assert said(lines) == [f"{answer!r}  (was {answer!r})" for answer in violated["answers"]]
    Path("other").write_bytes(b"{}")
    assert refusal(capsys, violated["case_id"], "--report", "other").startswith("other, line 1: Expected a file that ")


@pytest.mark.skipif(not COCO.is_dir(), reason="the sample of COCO in ../shared/data is not here")
def test_the_report_of_a_colleague_with_the_data_elsewhere(capsys: pytest.CaptureFixture[str]) -> None:
    Path("theirs").mkdir()
    shutil.copytree(COCO, "theirs/coco", copy_function=shutil.copyfile)
    reported("theirs/out", "coco:theirs/coco", "metavqa.removal_plus", "fault:always-zero")
    shutil.copytree("theirs/out", "copied")
    shutil.move("theirs/coco", "photos")
    shutil.rmtree("theirs")
    (row, *_) = cases_in(Path("copied"))
    typed = (row["case_id"], "--report", "copied", "--model", "oracle")
    problem = refusal(capsys, *typed)
    assert problem.startswith("copied/cases.jsonl:1: Expected a folder, but got folder='theirs/coco'")
    assert problem.endswith("name the data of that run with --data")
    lines = told(capsys, 0, *typed, "--data", "coco:photos")
    assert lines[1].endswith(f"scene {row['scene']}, on fault:always-zero in that run")
    assert "  holds" in lines
