"""Reports and baselines with the relations ``serving.*`` of earlier versions, which ``vqamt probe`` replaced."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

import pytest_vqamt as vqamt
from pytest_vqamt.commands.main import ExitStatus, run_command
from pytest_vqamt.core.errors import OptionError
from pytest_vqamt.integration.replaying import relation_of
from pytest_vqamt.relations import catalogue


@pytest.fixture
def earlier(tmp_path: Path) -> Path:
    folder = tmp_path / "earlier"
    vqamt.run(model="oracle", data="pictures:20", relations="control.repeat", max_cases=5, report=folder)
    for file in (folder / "report.json", folder / "cases.jsonl"):
        file.write_text(file.read_text("utf-8").replace("control.repeat", "serving.colours"), "utf-8")
    return folder


def test_a_report_is_shown_and_merged(earlier: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_command(["report", str(earlier)]) == ExitStatus.OK
    assert "serving.colours" in (earlier / "report.html").read_text("utf-8")
    assert run_command(["merge", str(earlier), "--out", str(earlier.parent / "merged")]) == ExitStatus.OK
    assert capsys.readouterr().err == ""


def test_a_baseline_made_of_it_is_read(earlier: Path) -> None:
    baseline = earlier.parent / "baseline.json"
    assert run_command(["bless", str(earlier), "--out", str(baseline)]) == ExitStatus.OK
    assert b"serving.colours" in gzip.decompress(baseline.read_bytes())
    report = vqamt.run(model="oracle", data="pictures:20", relations="control.repeat", max_cases=5, baseline=baseline)
    assert [each.tally.cases for each in report.relations] == [5]


@pytest.mark.parametrize("name", ["serving.*", "serving.size[enlarged]", "serving"])
def test_who_names_them_is_sent_to_the_probe(name: str) -> None:
    with pytest.raises(OptionError, match=r"vqamt probe MODEL --data SPEC checks a deployment") as raised:
        catalogue.check((name,))
    assert "\n" not in str(raised.value)


def test_so_is_who_replays_a_case() -> None:
    with pytest.raises(OptionError, match=r"vqamt probe MODEL --data SPEC"):
        relation_of("abc", "serving.size[enlarged]", {})
