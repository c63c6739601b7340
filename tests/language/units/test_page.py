"""What docs/reference/relations/entailment.md shows is what comes out."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

import pytest

from pytest_vqamt.cli import main

PAGE = Path(__file__).parents[3] / "docs/reference/relations/entailment.md"


def test_the_command_prints_what_the_page_shows(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = PAGE.read_text(encoding="utf-8")
    [(file, printed)] = re.findall(
        r"\$ cat hypotheses.txt\n(.*?)\n\n\$ vqamt units hypotheses.txt\n(.*?)```", text, re.S
    )
    hypotheses = tmp_path / "hypotheses.txt"
    hypotheses.write_text(file)
    assert main(["units", str(hypotheses)]) == 0
    assert capsys.readouterr().out == printed


def test_the_examples_in_python_hold() -> None:
    outcome = doctest.testfile(str(PAGE), module_relative=False)
    assert outcome.attempted >= 4
    assert outcome.failed == 0
