"""A comparison as a table, as markdown and as JSON."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from pytest_vqamt.reporting.compare.comparison import Comparison, compare
from pytest_vqamt.reporting.compare.comparison_text import comparison_json, comparison_lines, comparison_markdown
from pytest_vqamt.reporting.compare.runs import open_report_run
from pytest_vqamt.stats.thresholds import Drops
from tests.reporting.comparing import Made, case_id, write_run

PAGE = (Path(__file__).parents[2] / "docs" / "how-to" / "compare.md").read_text(encoding="utf-8")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def compared(*, max_drop: Drops | None = None, answer: str = "three") -> Comparison:
    """Ten cases with nine regressions, a control, and an item that only the first run has."""
    write_run(
        Path("old"),
        Made(verdicts="+" * 9 + "-", item="ours.rule[count]"),
        Made(verdicts="++", item="control.repeat", tags=("control",)),
        Made(verdicts="+", item="ours.gone"),
    )
    write_run(
        Path("new"),
        Made(verdicts="-" * 9 + "+", item="ours.rule[count]", answers={0: answer}),
        Made(verdicts="++", item="control.repeat", tags=("control",)),
    )
    return compare(open_report_run(Path("old")), open_report_run(Path("new")), max_drop=max_drop, show=1)


@pytest.mark.usefixtures("folder")
def test_the_table_has_a_row_for_each_item_and_says_what_came_of_the_gate() -> None:
    lines = list(comparison_lines(compared(max_drop={"*": 0.1})))
    assert lines[:2] == [
        "before: old, pytest-vqamt 1.2.3, seed 0, tiny (of tiny)",
        "now:    new, pytest-vqamt 1.2.3, seed 0, tiny (of tiny)",
    ]
    at = lines.index("tiny on pictures:9") + 2
    head, _, rule, control = (re.split(r" {2,}", line) for line in lines[at : at + 4])
    assert head == [
        "relation", "shared cases", "before", "now", "points", "95 % interval", "p (Holm)", "standing", "gate"
    ]  # fmt: skip
    assert rule[:5] == ["ours.rule[count]", "10", "90.0 %", "10.0 %", "-80.0"]
    # Nine lost and one won: 11 of the 1,024 changes of sign lose as many, or more.
    assert rule[6:] == ["0.0107", "worse", "MISSED: drop <= 10 points"]
    assert control[:2] + control[6:] == ["control.repeat (control)", "2", "(1.0000)", "unchanged", "-"]
    assert "1 item only in old: ours.gone-tiny-pictures:9" in lines
    assert "9 regressions (held before, not now), 1 fix (the reverse)" in lines
    joined = "\n".join(lines)
    assert f"ours.rule[count]: 9 regressions: {case_id(0)}" in joined
    assert f"{case_id(4)} and 4 more; 1 fix: {case_id(9)}" in joined.replace("\n  ", " ")
    assert lines[-1].endswith("of more than 10 points: ours.rule[count]")
    assert lines[-1].startswith("MISSED: 1 of 1 relation variant has a significant drop of more than 10 points")


@pytest.mark.usefixtures("folder")
def test_ids_are_listed_of_what_got_worse_and_of_the_rest_where_asked_for() -> None:
    for name, worse, other in (("old", "+" * 9, "+-"), ("new", "-" * 9, "-+")):
        write_run(Path(name), Made(verdicts=worse, item="ours.worse"), Made(verdicts=other, item="ours.other"))
    runs = open_report_run(Path("old")), open_report_run(Path("new"))
    lines = list(comparison_lines(compare(*runs, show=0)))
    assert "10 regressions (held before, not now), 1 fix (the reverse)" in lines
    assert any(line.startswith("ours.worse: 9 regressions: ") for line in lines)
    assert not any(line.startswith("ours.other: ") for line in lines)
    assert "-v lists the ids of 1 other relation variant" in lines
    whole = list(comparison_lines(compare(*runs, show=0), in_full=True))
    assert f"ours.other: 1 regression: {case_id(0)}; 1 fix: {case_id(1)}" in whole
    assert not any(line.startswith("-v ") for line in whole)
    back = list(comparison_lines(compare(*reversed(runs), show=0)))
    assert "-v lists the ids of 2 relation variants" in back


@pytest.mark.usefixtures("folder")
def test_items_of_one_relation_are_told_apart_by_their_models() -> None:
    for name, verdicts in (("old", "+" * 9), ("new", "-" * 9)):
        write_run(Path(name), *(Made(verdicts=verdicts, item="ours.rule", model=model) for model in ("one", "two")))
    found = compare(open_report_run(Path("old")), open_report_run(Path("new")), max_drop={"*": 0.1}, show=0)
    lines = list(comparison_lines(found))
    assert any(line.startswith("ours.rule (one): 9 regressions: ") for line in lines)
    assert any(line.startswith("ours.rule (two): 9 regressions: ") for line in lines)
    assert "of more than 10 points: ours.rule (one), ours.rule (two)" in " ".join(lines).replace("   ", " ")
    rows = [" ".join(line.split()) for line in comparison_markdown(found)]
    assert "| `ours.rule` (two) | 9 | 0 |" in rows


@pytest.mark.usefixtures("folder")
def test_two_models_of_one_run_are_not_called_left_out() -> None:
    write_run(Path("run"), *(Made(verdicts="+-", model=model) for model in ("one", "two", "three")))
    run = open_report_run(Path("run"))
    lines = list(comparison_lines(compare(run, run, models=("one", "two"), show=0)))
    assert [line for line in lines if "models that are not" in line] == [
        "note: run has models that are not compared: three"
    ]


@pytest.mark.usefixtures("folder")
def test_a_case_is_shown_with_both_answers() -> None:
    lines = list(comparison_lines(compared()))
    at = lines.index(f"ours.rule[count]: scene scene 0, case {case_id(0)} regressed")
    assert lines[at + 1 : at + 5] == [
        "    question 0  ->  'answer +' before, 'three' now",
        "  expected: as it should be",
        "  now: because it is violated",
        f"  replay:   vqamt replay {case_id(0)} --report new",
    ]
    assert f"ours.rule[count]: scene scene 9, case {case_id(9)} was fixed" in lines
    assert "no gate was set, so the exit status is 0" in " ".join(lines[-2:])


@pytest.mark.usefixtures("folder")
def test_in_python_no_command_and_no_exit_status_is_named() -> None:
    lines = list(comparison_lines(compared(), in_python=True))
    assert lines[-1] == "no gate was set: set one with max_drop=RATE"
    assert f"ours.rule[count]: scene scene 0, case {case_id(0)} regressed" in lines
    assert not re.search(r"exit status|replay|--max|-v lists", "\n".join(lines))


@pytest.mark.usefixtures("folder")
def test_nothing_of_an_answer_is_markup_in_markdown() -> None:
    text = "\n".join(
        comparison_markdown(compared(answer="<img src=x onerror=alert(1)> | **yes**\n# no", max_drop={"*": 0.1}))
    )
    assert "<img" not in text
    assert "**yes**" not in text
    assert "\n# no" not in text
    assert "&#60;img src=x onerror=alert(1)" in text
    assert "&#124; &#42;&#42;yes&#42;&#42;&#92;n&#35; no" in text
    rows = [" ".join(line.split()) for line in text.splitlines() if line.startswith("|")]
    assert all(line.count("|") in (4, 10) for line in rows)
    assert any(line.startswith("| `ours.rule[count]` | 10 | 90.0 % | 10.0 % |") for line in rows)
    assert text.startswith(
        "## vqamt: old and new compared\n\n**MISSED: 1 of 1 relation variant has a significant drop of"
    )


@pytest.mark.usefixtures("folder")
def test_a_command_is_code_in_markdown() -> None:
    for name, verdicts in (("old", "+-"), ("new", "-+")):
        write_run(Path(name), Made(verdicts=verdicts))
    lines = list(comparison_markdown(compare(open_report_run(Path("old")), open_report_run(Path("new")))))
    assert "- uncertain: too few cases to tell; `vqamt power` computes how many are needed" in lines


@pytest.mark.usefixtures("folder")
def test_json_has_all_ids_and_the_fields_that_are_documented() -> None:
    row: dict[str, Any] = json.loads(comparison_json(compared(max_drop={"*": 0.1})))
    rule, control = row["relations"]
    assert rule["broke"] == [case_id(place) for place in range(9)]
    assert (row["met"], rule["standing"], control["change"]["gate"]) == (False, "worse", None)
    assert json.loads(comparison_json(compared()))["met"] is None
    assert documented("JSON") == set(row)
    assert documented("An entry of `relations`") == set(rule)
    assert documented("An entry of `shown`") == set(row["shown"][0])


def documented(heading: str) -> set[str]:
    """The fields in the table below a heading."""
    below = re.search(rf"^#+ {re.escape(heading)}$(.*?)(^#|\Z)", PAGE, re.DOTALL | re.MULTILINE)
    assert below is not None
    firsts = re.findall(r"^\| (`[^|]*`) \|", below[1], re.MULTILINE)
    return {name for first in firsts for name in re.findall(r"`(\w+)`", first)}
