"""What of a probe fails a build, and the files that tell of it."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from pytest_vqamt.probing.asking import Request, SentRequest
from pytest_vqamt.probing.cards import COLOURS, Card
from pytest_vqamt.probing.findings import ProbeFinding
from pytest_vqamt.probing.gate import Gate, ProbeBaseline, gate
from pytest_vqamt.probing.kinds import FindingKind
from pytest_vqamt.probing.probe_files import result_badge, result_junit, result_markdown
from pytest_vqamt.probing.probe_report import probe_row, result_html
from pytest_vqamt.probing.probe_rows import row_text
from pytest_vqamt.probing.probe_terminal import probe_lines
from pytest_vqamt.probing.results import Fact, Figure, ProbeResult
from pytest_vqamt.reporting.markdown import COMMENT_BYTES_AT_MOST

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
    file.write_text(row_text(probe_row(made, gate(made))))
    return ProbeBaseline.of_file(file)


def test_without_a_baseline_each_finding_fails_that_nobody_allows() -> None:
    made = result(FindingKind.EXIF, FindingKind.SIZE)
    assert gate(made, {"exif": ""}) == Gate(new=("size",), known=(), drops=(), allowed={"exif": ""})
    assert not gate(made, {"exif": "", "size": ""}).fails
    assert not gate(result()).fails


def test_findings_of_the_baseline_do_not_fail(tmp_path: Path) -> None:
    before = written(tmp_path, result(FindingKind.EXIF))
    assert gate(result(FindingKind.EXIF), {}, before) == Gate(new=(), known=("exif",), drops=())
    assert gate(result(FindingKind.EXIF, FindingKind.JPEG), {}, before).new == ("jpeg",)


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
    found = gate(result(**changes), {}, written(tmp_path, result()))
    assert found.drops == dropped
    assert found.fails == bool(dropped)
    assert [line for line in probe_lines(result(**changes), found) if line.startswith("dropped")] == [
        f"dropped since the baseline: {each}" for each in dropped
    ]


def test_a_figure_that_is_not_measured_any_more_fails(tmp_path: Path) -> None:
    now = result()
    now.figures.clear()
    assert gate(now, {}, written(tmp_path, result())).drops == (
        f"{SHARP}: not measured, 1024 in the baseline", f"{FAINT}: not measured, 12 in the baseline"
    )  # fmt: skip


def test_the_files_tell_of_it(tmp_path: Path) -> None:
    made = result(FindingKind.EXIF, FindingKind.JPEG, FindingKind.SIZE, sharp=336)
    allowed = {"exif": "all photos | are upright", "webp": ""}
    found = gate(made, allowed, written(tmp_path, result(FindingKind.JPEG)))
    markdown = result_markdown(made, found)
    verdict = "failed, 1 finding, 1 allowed, 1 known from the baseline, 1 figure dropped"
    assert markdown.startswith(f"**vqamt probe: {verdict}**")
    assert "a &#124; b" in markdown
    assert "| `exif` (allowed: all photos &#124; are upright) |" in markdown
    assert f"- dropped since the baseline: {SHARP}" in markdown
    assert "`--allow` names `webp`: not found in this probe." in markdown
    suite = ET.fromstring(result_junit(made, found))[0]
    assert [suite.get(name) for name in ("tests", "failures", "skipped")] == ["8", "2", "4"]
    failed = {case.get("name"): case.find("failure") for case in suite if case.find("failure") is not None}
    assert list(failed) == ["finding: size", "figures against the baseline"]
    size = failed["finding: size"]
    assert size is not None
    assert size.text is not None
    assert all(each in size.text for each in (FindingKind.SIZE.advice, "2 of 3 comparisons", "a | b"))
    skipped = [each.get("message") or "" for each in suite.iter("skipped")]
    assert f"allowed: all photos | are upright: {FindingKind.EXIF.observed}" in skipped
    assert {"name": "numbers read", "value": "18 of 18"} in [each.attrib for each in suite.iter("property")]
    row = json.loads(row_text(probe_row(made, found)))
    assert row["figures"][SHARP] == {"value": 336, "unit": "px", "is_better_high": True, "is_gated": True}
    assert row["read"] == {"numbers": [18, 18]}
    assert [(each["state"], each["reason"]) for each in row["findings"]] == [
        ("allowed", "all photos | are upright"), ("known", ""), ("fails", "")
    ]  # fmt: skip
    assert (row["passed"], row["not_found"], len(row["drops"])) == (False, ["webp"], 1)
    assert json.loads(result_badge(made, found)) == {
        "schemaVersion": 1,
        "label": "vqamt probe",
        "message": verdict,
        "color": "red",
    }
    page = result_html(made, found)
    assert "allowed: all photos | are upright" in page
    assert "--allow webp: not found in this probe" in page


def test_the_badge_is_green_only_where_something_was_checked() -> None:
    made = result()
    assert json.loads(result_badge(made, gate(made)))["color"] == "brightgreen"
    assert json.loads(result_badge(made, gate(made)))["message"] == "passed, 0 findings"
    made.checked.clear()
    badge = json.loads(result_badge(made, gate(made)))
    assert (badge["color"], badge["message"]) == ("red", "nothing was checked, 0 findings")


_WILD = "\x1b[2J::error::x | <b>`$\u202e\x00\ufffe\ud800" + "@user " * 20_000


def test_what_a_model_says_is_bounded_and_acts_on_nobody() -> None:
    made = result(*FindingKind)
    wild = ProbeFinding(
        kind=FindingKind.EXIF, differing=2, compared=3, p_value=1e-6, detail=_WILD, requests=(1,), ruled_out=(_WILD,)
    )
    card = Card(number=417, ground=COLOURS["red"])
    made.log.append(SentRequest(number=1, request=Request(card=card, text=_WILD), answer=_WILD))
    made.findings[:] = [replace(each, requests=(1,), detail=_WILD) for each in made.findings]
    made.findings.append(wild)
    made.model = made.skipped[0][1] * 2_000
    made.skipped.append(("wild", _WILD))
    made.facts.append(Fact(name="wild", value=_WILD))
    found = gate(made, {"jpeg": _WILD})
    markdown = result_markdown(made, found)
    assert len(markdown.encode()) <= COMMENT_BYTES_AT_MOST
    assert "@user" not in markdown
    assert "more findings on the page" in markdown
    junit = result_junit(made, found)
    assert len(ET.fromstring(junit)[0].findall("testcase")) == len(made.findings) + 5
    assert len(junit) < 1_000_000
    lines = probe_lines(made, found)
    for text in (markdown, junit, *lines):
        assert not {"\x1b", "\x00", "\u202e", "\ufffe", "\ud800"} & set(text)
        assert "::error::" not in text
    page = result_html(made, found)
    assert "<b>" not in page
    assert json.loads(row_text(probe_row(made, found)))["log"][0]["answer"] == _WILD
