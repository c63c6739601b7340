"""What is odd in photos is told of in a run, once."""

from __future__ import annotations

import json

import pytest
from PIL import Image

from tests.plugin.conftest import Run


@pytest.mark.parametrize("workers", [(), pytest.param(("-n", "2"), marks=pytest.mark.full)], ids=["here", "workers"])
def test_a_run_tells_of_odd_photos_once(run: Run, pytester: pytest.Pytester, workers: tuple[str, ...]) -> None:
    Image.new("RGB", (24, 16), (9, 3, 1)).save(pytester.path / "a.png")
    row = {"image": "a.png", "question": "Is there a dog?"}
    (pytester.path / "questions.jsonl").write_text(json.dumps(row))
    arguments = ("--vqamt-relations=carets.rephrase", "-W", "default", *workers)
    said = run(*arguments, data=["questions:questions.jsonl"]).stdout.str()
    assert said.count("1 photo of questions:questions.jsonl is dark: the brightest pixel of 'a.png': 9 of 255") == 1
