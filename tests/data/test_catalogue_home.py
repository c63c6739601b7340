"""A source in the home folder is named as people name it."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_vqamt.core.errors import VqamtError
from pytest_vqamt.data import catalogue
from tests.integration.half_bad import half_bad


def test_a_tilde_that_the_argument_begins_with_is_the_home_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    half_bad(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    (tmp_path / "mine.jsonl").write_text((tmp_path / "half.jsonl").read_text().splitlines()[0] + "\n")
    assert catalogue.load("graphs:~/mine.jsonl").scene(0).id == "good"


def test_who_has_no_home_may_be_a_file() -> None:
    with pytest.raises(VqamtError, match="~nobody-of-that-name"):
        catalogue.load("graphs:~nobody-of-that-name.jsonl")
