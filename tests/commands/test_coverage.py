"""``vqamt list --data`` counts the cases of each relation variant on a data source."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from PIL import Image

from pytest_vqamt.cli import main
from pytest_vqamt.commands.main import ExitStatus
from pytest_vqamt.relations.catalogue import preset, select
from tests.data.own_graphs import plain, write
from tests.integration.half_bad import half_bad


def listed(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main(["list", *arguments]) == ExitStatus.OK
    return capsys.readouterr().out


def test_cases_are_counted_up_to_the_number_that_is_looked_for(capsys: pytest.CaptureFixture[str]) -> None:
    assert listed(
        capsys, "--data", "pictures:40", "--relations=metavqa.reorder,carets.published", "--max-cases=5"
    ).splitlines() == [
        "relation variant           cases  presumed",
        "-------------------------  -----  --------",
        "metavqa.reorder[object]       5+         0",
        "metavqa.reorder[property]     5+         0",
        "",
        "2 of 2 relation variants have cases on pictures:40 (looked for 5 of each)",
    ]


def test_what_has_no_case_is_named_with_the_reason(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """Of a scene without attributes no property can be asked. That no other dog is there rests on an absence."""
    objects = [
        {"id": "1", "name": "dog", "box": [10, 20, 40, 40]}, {"id": "2", "name": "car", "box": [90, 20, 60, 40]},
    ]  # fmt: skip
    file = write(tmp_path, [plain("a", width=200, height=100, objects=objects)])
    lines = listed(capsys, f"--data=graphs:{file}", "--relations=metavqa.partition", "--max-cases=3").splitlines()
    assert lines[2].split()[0] == "metavqa.partition[object]"
    assert "  metavqa.partition[property]  the data knows too few other attributes of such things" in lines
    assert lines[-1].startswith("1 of 2 relation variants has cases on graphs:")


def test_bad_records_are_left_out_on_request(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    spec = half_bad(tmp_path)
    typed = ("list", "--data", spec, "--relations=control.repeat")
    assert main(typed) == ExitStatus.USAGE
    assert "leave them out with --allow-bad-records" in capsys.readouterr().err
    assert listed(capsys, *typed[1:], "--allow-bad-records").splitlines()[-1] == (
        f"1 of 1 relation variant has cases on {spec} (looked for 20 of each)"
    )


def test_the_rows_of_json(capsys: pytest.CaptureFixture[str]) -> None:
    found = json.loads(listed(capsys, "--data=pictures:20", "--relations=metavqa.reorder[object]", "--json"))
    assert found == {
        "data": "pictures:20",
        "coverage": [{"id": "metavqa.reorder[object]", "cases": 20, "presumed": 0, "reason": None}],
    }


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--relations=metavqa"], "Expected --data=SPEC with --relations"),
        (["--max-cases=3"], "Expected --data=SPEC with --max-cases"),
        (["--max-cases=0"], "Expected --data=SPEC with --max-cases"),
        (["--allow-bad-records"], "Expected --data=SPEC with --allow-bad-records"),
        (["--data=x="], "Expected NAME=SPEC, but got 'x=', with nothing after '=': say what 'x' stands for"),
        (["--data==x"], "Expected NAME=SPEC, with a letter and then letters, digits, '_' and '-' as the name, but got"),
        (["--data="], "Expected a value, but got --data='': give one, or leave --data off"),
        (["--data=pictures", "--max-cases=0"], "Expected --max-cases to be a whole number from 1 up, but got 0"),
        (["--data=pictures", "--relations=metavqa.nothing"], "metavqa.nothing"),
        (["--data=picture"], "picture"),
    ],
)
def test_wrong_arguments(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["list", *arguments]) == ExitStatus.USAGE
    assert message in capsys.readouterr().err


def test_of_questions_those_are_counted_that_a_run_asks(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """Photos with questions have a preset of their own."""
    Image.new("RGB", (60, 40), "blue").save(tmp_path / "a.png")
    file = tmp_path / "asked.jsonl"
    file.write_text(json.dumps({"image": "a.png", "question": "Is it blue?", "answer": "yes"}), encoding="utf-8")
    found = json.loads(listed(capsys, f"--data=questions:{file}", "--max-cases=1", "--json"))["coverage"]
    names = {each["id"].partition("[")[0] for each in found}
    assert any(each["cases"] for each in found)
    assert "metavqa.partition" not in names
    assert names <= {name for pattern in preset("questions").relations for name in named(pattern)}


def named(pattern: str) -> set[str]:
    return {relation.info.name for relation, _ in select((pattern,))}
