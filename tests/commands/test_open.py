"""``vqamt open`` opens the page of a report."""

from __future__ import annotations

import os
import sys
import webbrowser
from pathlib import Path

import pytest

from pytest_vqamt.cli import main


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[str]:
    found: list[str] = []

    def take(url: str) -> bool:
        found.append(url)
        return True

    monkeypatch.setattr(webbrowser, "open", take)
    monkeypatch.setattr(sys, "platform", "linux")
    for name in ("WAYLAND_DISPLAY", "BROWSER"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("DISPLAY", ":0")
    monkeypatch.chdir(tmp_path)
    return found


def page(folder: Path, seconds: float = 0) -> Path:
    folder.mkdir(parents=True)
    file = folder / "report.html"
    file.write_text("<html>")
    os.utime(file, (seconds, seconds))
    return file


def test_the_page_of_the_folder_is_opened(
    opened: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = page(tmp_path / "a report")
    assert main(["open", "a report"]) == 0
    assert opened == [file.as_uri()]
    assert capsys.readouterr().out == f"{file}\n"


def test_without_a_folder_the_newest_report_is_opened(opened: list[str], tmp_path: Path) -> None:
    page(tmp_path / "old", 1000)
    new = page(tmp_path / "runs" / "new", 3000)
    page(tmp_path / "other", 2000)
    page(tmp_path / "too" / "deep" / "down", 4000)
    assert main(["open"]) == 0
    assert opened == [new.as_uri()]


def test_without_a_display_the_path_is_printed(
    opened: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("DISPLAY")
    file = page(tmp_path / "out")
    assert main(["open", "out"]) == 0
    assert opened == []
    printed = capsys.readouterr()
    assert printed.out == f"{file}\n"
    assert "no display" in printed.err


@pytest.mark.parametrize(
    ("typed", "told"), [([], "there is no report.html"), (["."], "write the page with `vqamt report")]
)
def test_a_report_without_a_page_is_told_in_one_line(
    typed: list[str], told: str, opened: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["open", *typed]) == 2
    printed = capsys.readouterr().err
    assert told in printed
    assert printed.count("\n") == 1
    assert opened == []
