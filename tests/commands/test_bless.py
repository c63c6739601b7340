"""``vqamt bless`` keeps a report as what later runs are held against, and refuses what is no such report."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pytest_vqamt.cli import main
from pytest_vqamt.commands.bless import _about_drops, _small_drop, proposed_drops
from pytest_vqamt.commands.power import SmallestDrop
from pytest_vqamt.core.case import Case, NotApplicable, Outcome, RelationInfo
from pytest_vqamt.core.codec import replace
from pytest_vqamt.core.events import Event, Judged
from pytest_vqamt.execution.baseline import Baseline
from pytest_vqamt.relations.draw import Draw
from pytest_vqamt.stats.power import Prospect
from pytest_vqamt.stats.thresholds import TotalKind
from tests.execution.blessing import run, write
from tests.execution.worlds import Model, Rule, Scenes
from tests.reporting.running import run_into

Row = dict[str, Any]


class Second(Rule):
    """Another relation of the same kind."""

    @property
    def info(self) -> RelationInfo:
        return replace(Rule().info, name="ours.second", version=3)

    def derive(self, draw: Draw) -> Case | NotApplicable:
        case = Rule.derive(self, draw)
        return replace(case, relation="ours.second") if isinstance(case, Case) else case


def report_in(folder: Path, *, fails: int = 0, waived: int = 0, **fields: object) -> Path:
    """The report of two relations with ten cases each; of the first so many have no answer, and so many are waived."""
    heard: list[Event] = []
    first = run(Model(), rule=Rule(numbers=10), source=Scenes(1), heard=heard)
    ids = [each.case.id for each in heard if isinstance(each, Judged)]
    heard.clear()
    failing = {f"first {number}" for number in range(fails)}

    def reply(text: str) -> str:
        if text in failing:
            raise ConnectionError("reset")
        return "same"

    model = Model(reply=reply)
    first = run(model, rule=Rule(numbers=10), source=Scenes(1), waived=dict.fromkeys(ids[:waived], "bad"), heard=heard)
    second = run(Model(), rule=Second(), heard=heard)
    return write(folder, [first, replace(second, position=1)], heard, **fields)


def lines_of(file: Path) -> list[Row]:
    with gzip.open(file, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def test_what_was_blessed_and_how_it_is_used_are_printed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder, file = report_in(tmp_path / "out"), tmp_path / "kept" / "ours.gz"
    assert main(["bless", str(folder), "-o", str(file)]) == 0
    first, second, *rest = capsys.readouterr().out.splitlines()
    assert first == "blessed 2 items, 20 cases, of made on made:1, made:5"
    assert second == f"{file}: {file.stat().st_size:,} bytes"
    # Few scenes detect nothing.
    assert [line.split() for line in rest[3:5]] == [
        ["ours.rule-made-made:1", "10", "100", "%", "none"],
        ["ours.second-made-made:5", "10", "100", "%", "none"],
    ]
    assert rest[5].startswith("none: even if all of its cases fell, so few would not show it")
    assert rest[-4:] == [
        "to compare every run with it, add to [tool.pytest.ini_options] in pyproject.toml:",
        f'    vqamt_baseline = "{file.as_posix()}"',
        '    vqamt_max_drop = "0.1"',
        "With so few cases no drop fails, whatever the limit: bless a report with more.",
    ]


def test_the_smallest_drops_are_those_of_power(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    relations = ["metavqa.reorder[object]", "metavqa.reversion[object]"]
    run_into(tmp_path / "out", model="oracle", relations=[*relations, "control.repeat"], max_cases=40)
    assert main(["bless", str(tmp_path / "out"), "-o", str(tmp_path / "base.gz")]) == 0
    out = capsys.readouterr().out
    told = re.findall(r"^    (\S+) +40 +100 % +(\d+) points$", out, re.MULTILINE)
    together = re.findall(r"^    all relations together +80 +100 % +(\d+) points$", out, re.MULTILINE)
    halves = int(told[0][1]) // 2 / 100, int(together[0]) // 2 / 100
    assert f'vqamt_max_drop = ["{halves[0]:g}", "all-relations={halves[1]:g}"]\n' in out
    assert "Where nothing changes, 3 of 3 gates are met." in " ".join(out.split())
    assert main(["power", "--report", str(tmp_path / "out")]) == 0
    items = re.findall(r"^(\S+) +40 .* ([0-9.]+) points +[0-9,]+$", capsys.readouterr().out, re.MULTILINE)
    assert sorted(told) == [(name, f"{float(drop):.0f}") for name, drop in items]
    assert [name for name, _ in sorted(told)] == relations, "and not the control"


def rated(*drops: float | None, rate: float = 0.9, ruled_out: float = 0.01, **fields: Any) -> list[SmallestDrop]:
    given: dict[str, Any] = {"cases": 100, "pictures": 70, "rate": rate, "ruled_out": ruled_out, **fields}
    return [SmallestDrop(name="ours.rule", drop=drop, **given) for drop in drops]


@pytest.mark.parametrize(
    ("drops", "proposed"), [((0.181, 0.25, 0.3), 0.12), ((0.05, None), 0.02), ((None, None), 0.1), ((), 0.1)]
)
def test_the_proposed_limit_is_half_of_what_can_be_seen(drops: tuple[float | None, ...], proposed: float) -> None:
    assert proposed_drops(rated(*drops)) == {"*": proposed}


def test_the_proposed_limit_can_be_met_by_most_and_is_below_most_rates() -> None:
    # 30 pictures on which nothing changes rule out a drop of more than 11.4 points, so 11 could never be met.
    assert proposed_drops(rated(0.2, ruled_out=0.114)) == {"*": 0.12}
    # A rate of 6 % cannot fall by 6 points or more.
    assert proposed_drops([*rated(0.25), *rated(None, None, rate=0.06)]) == {"*": 0.05}


def test_what_is_compared_over_all_relations_has_limits_of_its_own_where_they_are_less() -> None:
    together, accuracy = rated(0.09, kind=TotalKind.RELATIONS), rated(0.5, kind=TotalKind.ACCURACY)
    assert proposed_drops(rated(0.25), [*together, *accuracy]) == {"*": 0.12, "all-relations": 0.04}
    assert proposed_drops(rated(None), together) == {"*": 0.1, "all-relations": 0.04}


def test_what_the_limit_can_show_is_told() -> None:
    told = _about_drops({"*": 0.06}, [*rated(0.12, ruled_out=0.05), *rated(0.2, ruled_out=0.06)], [])
    # What is ruled out is z^2 / (n + z^2): 6 points of 70 pictures, and less than 6 of one more.
    assert told == (
        "Half of the smallest drop of the median relation: a larger drop fails where it is significant. Where nothing "
        "changes, 1 of 2 gates is met and 1 cannot tell: ours.rule has cases on 70 pictures, and takes about 71."
    )


def test_what_a_small_drop_takes_is_told_where_the_cases_are_too_few() -> None:
    few, enough = (
        rated(0.05, kind=TotalKind.ACCURACY, prospect=Prospect(0.05, 0.03, needed))[0] for needed in (310, 100)
    )
    assert _small_drop(few) == "A drop of 3 points of ours.rule takes about 310 questions. "
    assert _small_drop(enough) == ""


BLIND = """
def answer(image, text):
    return "no" if " no " in text else "yes"
"""


def test_a_model_that_hardly_looks_has_nothing_to_lose(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "blind.py").write_text(BLIND, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    run_into(tmp_path / "out", model="python:blind:answer", relations=["carets.negation"], contrast=1.0)
    assert main(["bless", str(tmp_path / "out"), "-o", str(tmp_path / "base.gz")]) == 0
    told = " ".join(capsys.readouterr().out.split())
    assert "python:blind:answer on pictures:20 hardly looks at the pictures: grounded in 0 % of" in told
    assert "This baseline protects nothing that needs them" in told
    run_into(tmp_path / "seen", model="oracle", relations=["carets.negation"], contrast=1.0)
    assert main(["bless", str(tmp_path / "seen"), "-o", str(tmp_path / "base.gz")]) == 0
    assert "hardly looks" not in capsys.readouterr().out


def test_relations_with_too_many_unread_answers_are_counted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run_into(tmp_path / "out", model="fault:always-zero", relations=["metavqa.reversion"], max_cases=10)
    assert main(["bless", str(tmp_path / "out"), "-o", str(tmp_path / "base.gz")]) == 0
    told = capsys.readouterr().out
    told = " ".join(told.split())
    assert (
        "2 relation variants with more than 20 % of the cases unread: a gate on such a relation is missed, whatever"
        in told
    )
    assert "leave them out with --exclude=GLOBS: metavqa.reversion[object] 100 %, metavqa.reversion[prop" in told
    run_into(tmp_path / "seen", model="oracle", relations=["metavqa.reversion"], max_cases=10)
    assert main(["bless", str(tmp_path / "seen"), "-o", str(tmp_path / "base.gz")]) == 0
    assert "unread" not in capsys.readouterr().out


def test_the_file_holds_the_cases_as_they_were_reported(tmp_path: Path) -> None:
    folder, file = report_in(tmp_path / "out"), tmp_path / "ours.gz"
    assert main(["bless", str(folder), "-o", str(file)]) == 0
    head, *cases = lines_of(file)
    assert cases == [json.loads(line) for line in (folder / "cases.jsonl").read_text(encoding="utf-8").splitlines()]
    assert (head["baseline"], head["vqamt_version"], head["seed"]) == (1, "1.2.3", 0)
    assert head["models"] == [{"name": "made", "fingerprint": "undeclared:made"}]
    assert [each["spec"] for each in head["data"]] == ["made:1", "made:5"]
    told = [(each["relation"], each["version"], each["cases"], each["holds"]) for each in head["items"]]
    assert told == [("ours.rule", 1, 10, 10), ("ours.second", 3, 10, 10)]
    Baseline(file).check()


def test_the_same_report_gives_the_same_bytes_under_any_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = report_in(tmp_path / "out")
    monkeypatch.chdir(tmp_path)
    assert main(["bless", "out"]) == 0
    monkeypatch.setattr("time.time", lambda: 1e9)
    assert main(["bless", str(folder), "-o", "another"]) == 0
    assert (tmp_path / "vqamt-baseline.jsonl.gz").read_bytes() == (tmp_path / "another").read_bytes()


def test_only_some_relations(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder, file = report_in(tmp_path / "out"), tmp_path / "ours.gz"
    assert main(["bless", str(folder), "-o", str(file), "--relations", "ours.s*,"]) == 0
    head, *cases = lines_of(file)
    assert [each["relation"] for each in head["items"]] == ["ours.second"]
    assert [each["spec"] for each in head["data"]] == ["made:5"]
    assert {case["relation"] for case in cases} == {"ours.second"}
    assert main(["bless", str(folder), "-o", str(file), "--relations", "ours.secnd"]) == 2
    told = capsys.readouterr().err
    assert (
        "Expected --relations to name relations of the report, but 'ours.secnd' names none; did you mean 'ours." in told
    )
    assert main(["bless", str(folder), "-o", str(file), "--relations", "oours"]) == 2
    assert "did you mean 'ours'?" in capsys.readouterr().err


def test_waived_cases_are_left_out(tmp_path: Path) -> None:
    folder, file = report_in(tmp_path / "out", waived=3), tmp_path / "ours.gz"
    assert main(["bless", str(folder), "-o", str(file)]) == 0
    head, *cases = lines_of(file)
    assert [each["cases"] for each in head["items"]] == [7, 10]
    assert len(cases) == 17
    assert not any(case.get("waived") for case in cases)


def test_an_item_of_which_all_is_waived_is_no_item_of_the_baseline(tmp_path: Path) -> None:
    folder, file = report_in(tmp_path / "out", waived=10), tmp_path / "ours.gz"
    assert main(["bless", str(folder), "-o", str(file)]) == 0
    assert [each["relation"] for each in lines_of(file)[0]["items"]] == ["ours.second"]
    assert main(["bless", str(folder), "-o", str(file), "--relations=ours.rule"]) == 2


def test_a_run_that_was_held_against_a_baseline_can_be_the_next_one(tmp_path: Path) -> None:
    folder = report_in(tmp_path / "out")
    assert main(["bless", str(folder), "-o", str(tmp_path / "first.gz")]) == 0
    lines = (folder / "cases.jsonl").read_text(encoding="utf-8").splitlines()
    before = {"before": Outcome.VIOLATED, "figures_before": {"clean": 1.0}}
    held = [json.dumps({**json.loads(line), **before}) for line in lines]
    (folder / "cases.jsonl").write_text("\n".join(held) + "\n", encoding="utf-8")
    assert main(["bless", str(folder), "-o", str(tmp_path / "next.gz")]) == 0
    assert (tmp_path / "next.gz").read_bytes() == (tmp_path / "first.gz").read_bytes()


def no_cases(folder: Path) -> None:
    (folder / "cases.jsonl").unlink()


def fewer_cases(folder: Path) -> None:
    file = folder / "cases.jsonl"
    file.write_text("".join(file.read_text(encoding="utf-8").splitlines(keepends=True)[:-1]), encoding="utf-8")


def more_cases(folder: Path) -> None:
    file = folder / "cases.jsonl"
    file.write_text(file.read_text(encoding="utf-8") + "{}\n", encoding="utf-8")


def other_cases(folder: Path) -> None:
    file = folder / "cases.jsonl"
    file.write_text(file.read_text(encoding="utf-8").replace("ours.rule", "ours.other", 1), encoding="utf-8")


def nothing(folder: Path) -> None:
    """Leaves the report as it is."""


REFUSED: dict[str, tuple[dict[str, Any], Callable[[Path], object], str]] = {
    "incomplete": (
        {"complete": False},
        nothing,
        r"run that came to its end, but '.*out' is not complete .*run it again",
    ),
    "a shard": ({"shard": "2/3"}, nothing, r"whole run, but '.*out' is shard 2/3: `vqamt merge` the shards"),
    "errors": (
        {"fails": 1},
        nothing,
        r"at most 1% of .*without an answer, but ours.rule for made on made:1 has 1 of 10",
    ),
    "no cases": ({}, no_cases, r"it has no cases.jsonl"),
    "fewer cases": (
        {},
        fewer_cases,
        r"Expected 10 cases of ours.second, as the report counts, but got 9 in .*cases.jsonl",
    ),
    "more cases": ({}, more_cases, r"cases.jsonl: Expected a whole line of a report, but got '{}'"),
    "other cases": (
        {},
        other_cases,
        r"Expected 10 cases of ours.rule, as the report counts, but got 0 in .*cases.jsonl",
    ),
}


@pytest.mark.parametrize("why", REFUSED)
def test_what_is_none_to_hold_a_run_against_is_refused_in_a_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], why: str
) -> None:
    fields, spoil, told = REFUSED[why]
    folder, file = report_in(tmp_path / "out", **fields), tmp_path / "ours.gz"
    file.write_bytes(b"the last one")
    spoil(folder)
    assert main(["bless", str(folder), "-o", str(file)]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert re.fullmatch(f"vqamt: .*{told}.*\n", printed.err), printed.err
    assert file.read_bytes() == b"the last one"
    assert {each.name for each in tmp_path.iterdir()} == {"out", "ours.gz"}


def test_no_report_there(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bless", str(tmp_path), "-o", str(tmp_path / "ours.gz")]) == 2
    assert "Expected a folder that --vqamt-report wrote, but got" in capsys.readouterr().err


def test_errors_can_be_allowed(tmp_path: Path) -> None:
    folder, file = report_in(tmp_path / "out", fails=2), tmp_path / "ours.gz"
    assert main(["bless", str(folder), "-o", str(file), "--allow-errors"]) == 0
    assert [(each["cases"], each["errors"]) for each in lines_of(file)[0]["items"]] == [(10, 2), (10, 0)]


def test_a_file_that_cannot_be_written_is_told_in_a_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder, file = report_in(tmp_path / "out"), tmp_path / "ours.gz"
    file.mkdir()
    assert main(["bless", str(folder), "-o", str(file)]) == 2
    assert re.fullmatch(
        r"vqamt: Expected a file that can be written, but got --out='.*ours\.gz' \(Is a directory\): .*\n",
        capsys.readouterr().err,
    )
    assert {each.name for each in tmp_path.iterdir()} == {"out", "ours.gz"}
