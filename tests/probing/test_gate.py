"""What of a probe fails a build, and the files that tell of it."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from pytest_vqamt.core.errors import DataError
from pytest_vqamt.probing.findings import FindingKind, ProbeFinding
from pytest_vqamt.probing.gate import Gate, ProbeBaseline, gate
from pytest_vqamt.probing.probe_files import result_junit, result_markdown
from pytest_vqamt.probing.probe_report import gate_lines, probe_lines, result_json
from pytest_vqamt.probing.probing import Fact, Figure, ProbeResult

SHARP, FAINT = "effective resolution at 1,024 px", "faintest step that is read"


def finding(kind: FindingKind) -> ProbeFinding:
    return ProbeFinding(
        kind=kind, differing=2, compared=3, p_value=1e-6, detail="a | b", requests=(), ruled_out=("one picture",)
    )


def result(*kinds: FindingKind, read: int = 18, sharp: float = 1024, faint: float = 12) -> ProbeResult:
    return ProbeResult(
        model="openai:m@http://x",
        subject="Which?",
        read={"numbers": (read, 18)},
        findings=[finding(kind) for kind in kinds],
        figures=[
            Figure(name=SHARP, value=sharp, unit="px"),
            Figure(name=FAINT, value=faint, unit="of 255", is_better_high=False),
        ],
        facts=[Fact(name="colours named", value="rightly")],
        checked=["sees at all", "text"],
        skipped=[("turns", "the model takes none"), ("several pictures", "the model takes none")],
    )


def written(folder: Path, made: ProbeResult) -> ProbeBaseline:
    file = folder / "probe.json"
    file.write_text(result_json(made))
    return ProbeBaseline.of_file(file)


def test_without_a_baseline_each_finding_fails_that_nobody_allows() -> None:
    made = result(FindingKind.EXIF, FindingKind.SIZE)
    assert gate(made, ["exif"], None) == Gate(new=("size",), known=(), drops=())
    assert not gate(made, ["exif", "size"], None).fails
    assert not gate(result(), [], None).fails


def test_findings_of_the_baseline_do_not_fail(tmp_path: Path) -> None:
    before = written(tmp_path, result(FindingKind.EXIF))
    assert gate(result(FindingKind.EXIF), [], before) == Gate(new=(), known=("exif",), drops=())
    assert gate(result(FindingKind.EXIF, FindingKind.JPEG), [], before).new == ("jpeg",)


@pytest.mark.parametrize(
    ("changes", "dropped"),
    [
        ({}, ()),
        ({"sharp": 800}, ()),
        ({"sharp": 336}, (f"{SHARP}: 336 px, 1024 in the baseline",)),
        ({"faint": 14}, ()),
        ({"faint": 26}, (f"{FAINT}: 26 of 255, 12 in the baseline",)),
        ({"read": 17}, ()),
        ({"read": 12}, ("numbers read: 12 of 18, 18 of 18 in the baseline",)),
    ],
)
def test_figures_that_drop_fail(tmp_path: Path, changes: dict[str, int], dropped: tuple[str, ...]) -> None:
    found = gate(result(**changes), [], written(tmp_path, result()))
    assert found.drops == dropped
    assert found.fails == bool(dropped)
    assert [line for line in gate_lines(found) if "dropped" in line] == [
        f"dropped since the baseline: {each}" for each in dropped
    ]


def test_a_figure_that_is_not_measured_any_more_fails(tmp_path: Path) -> None:
    now = result()
    now.figures.clear()
    assert gate(now, [], written(tmp_path, result())).drops == (
        f"{SHARP}: not measured, 1024 in the baseline", f"{FAINT}: not measured, 12 in the baseline"
    )  # fmt: skip


@pytest.mark.parametrize(
    "content",
    ["", "[]", "{}", "[" * 9000, "\x00",
     '{"findings": [1], "read": {}, "figures": {}}', '{"findings": [], "read": {"a": [1]}, "figures": {}}',
     '{"findings": [], "read": {"a": ["1", 2]}, "figures": {}}', '{"findings": [], "read": {}, "figures": {"a": 1}}'],
)  # fmt: skip
def test_another_file_is_refused_in_one_line(tmp_path: Path, content: str) -> None:
    file = tmp_path / "probe.json"
    file.write_text(content)
    with pytest.raises(DataError, match=r"probe\.json") as error:
        ProbeBaseline.of_file(file)
    assert "\n" not in str(error.value)
    with pytest.raises(DataError, match=r"none\.json"):
        ProbeBaseline.of_file(tmp_path / "none.json")


def test_the_files_tell_of_it(tmp_path: Path) -> None:
    made = result(FindingKind.EXIF, FindingKind.JPEG, FindingKind.SIZE, sharp=336)
    found = gate(made, ["exif"], written(tmp_path, result(FindingKind.JPEG)))
    markdown = result_markdown(made, found)
    assert markdown.startswith("**vqamt probe: failed** for `openai:m@http://x`, 0 requests")
    assert "a \\| b" in markdown
    assert f"Dropped: {SHARP}" in markdown
    suite = ET.fromstring(result_junit(made, found, ["exif"]))[0]
    assert [suite.get(name) for name in ("tests", "failures", "skipped")] == ["8", "2", "4"]
    failed = [case.get("name") for case in suite if case.find("failure") is not None]
    assert failed == ["finding: size", "figures against the baseline"]
    lines = list(probe_lines(made, ["exif"]))
    assert lines[0] == "probed openai:m@http://x with 0 requests: 2 findings, and 1 allowed"
    assert "reads 18 of 18 numbers" in lines
    assert any("not with one picture" in line for line in lines)
    assert "not checked: turns, several pictures: the model takes none" in lines
    row = json.loads(result_json(made))
    assert row["figures"][SHARP] == {"value": 336, "unit": "px"}
    assert row["read"] == {"numbers": [18, 18]}
