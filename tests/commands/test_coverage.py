"""``vqamt list --data`` counts the cases of each relation variant on a data source."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
from PIL import Image

from pytest_vqamt.cli import main
from pytest_vqamt.commands.coverage import Coverage, coverage_lines
from pytest_vqamt.commands.main import ExitStatus
from pytest_vqamt.relations.catalogue import select
from pytest_vqamt.relations.presets import preset
from tests.data.own_graphs import plain, write
from tests.integration.half_bad import half_bad


def listed(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main(["list", *arguments]) == ExitStatus.OK
    return capsys.readouterr().out


def test_cases_are_counted_up_to_the_number_that_is_looked_for(capsys: pytest.CaptureFixture[str]) -> None:
    head, _, *rows, empty, last = listed(
        capsys, "--data", "pictures:40", "--relations=metavqa.reorder,carets.published", "--max-cases=5"
    ).splitlines()
    assert head == "relation variant           cases  presumed  pictures"
    told = [re.fullmatch(r"(\S+) +5\+ +0 +(\d)\+ of 40", row) for row in rows]
    assert [each and each[1] for each in told] == ["metavqa.reorder[object]", "metavqa.reorder[property]"]
    assert all(each and 1 <= int(each[2]) <= 5 for each in told), "five cases are of five pictures at most"
    assert not empty
    summary = r"2 of 2 relation variants have cases on pictures:40 \(looked for 5 of each\), on \d+ of its 40 pictures"
    assert re.fullmatch(summary, last)


def test_what_has_no_case_is_named_with_the_reason(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """Of a scene without attributes no property can be asked. That no other dog is there rests on an absence."""
    objects = [
        {"id": "1", "name": "dog", "box": [10, 20, 40, 40]}, {"id": "2", "name": "car", "box": [90, 20, 60, 40]},
    ]  # fmt: skip
    lonely = plain("b", width=200, height=100, objects=objects[:1])
    file = write(tmp_path, [plain("a", width=200, height=100, objects=objects), lonely])
    lines = listed(capsys, f"--data=graphs:{file}", "--relations=metavqa.partition", "--max-cases=3").splitlines()
    assert re.fullmatch(r"metavqa.partition\[object\] .* [12]\+? of 2", lines[2])
    assert "  metavqa.partition[property]  the data knows too few other attributes of such things" in lines
    assert lines[-1].startswith("1 of 2 relation variants has cases on graphs:")


def test_bad_records_are_left_out_on_request(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    spec = half_bad(tmp_path)
    typed = ("list", "--data", spec, "--relations=control.repeat")
    assert main(typed) == ExitStatus.USAGE
    assert "leave them out with --allow-bad-records" in capsys.readouterr().err
    assert (
        listed(capsys, *typed[1:], "--allow-bad-records")
        .splitlines()[-1]
        .startswith(f"1 of 1 relation variant has cases on {spec} (looked for 20 of each), on ")
    )


def test_the_rows_of_json(capsys: pytest.CaptureFixture[str]) -> None:
    found = json.loads(listed(capsys, "--data=pictures:20", "--relations=metavqa.reorder[object]", "--json"))
    pictures = found["coverage"][0].pop("pictures")
    assert 1 <= pictures <= 20
    assert found == {
        "data": "pictures:20",
        "max_cases": 20,
        "coverage": [{"id": "metavqa.reorder[object]", "cases": 20, "presumed": 0, "of_pictures": 20, "reason": None}],
    }


def test_pictures_are_counted_once_however_many_cases_they_have() -> None:
    row = Coverage(
        item="ours.a", cases=3, presumed=0, pictures=frozenset({"a", "b"}), of_pictures=4, reason="too small"
    )
    other = replace(row, item="ours.b", cases=9, pictures=frozenset({"b", "c"}))
    whole = replace(row, item="ours.c", cases=9, pictures=frozenset({"a", "b", "c", "d"}))
    none = replace(row, item="ours.d", cases=0, pictures=frozenset())
    assert list(coverage_lines("photos:DIR", [row, other, none], 9))[2:] == [
        "ours.a                3         0    2 of 4",
        "ours.b               9+         0   2+ of 4",
        "",
        "without a case:",
        "  ours.d  too small",
        "",
        "2 of 3 relation variants have cases on photos:DIR (looked for 9 of each), on 3 of its 4 pictures",
    ]
    assert list(coverage_lines("photos:DIR", [whole], 9))[2].endswith("  4 of 4"), "there are no others"


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
