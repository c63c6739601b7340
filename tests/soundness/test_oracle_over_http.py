"""The oracle behind an HTTP endpoint holds on every relation, whatever file it is sent."""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Generator, Sequence
from io import BytesIO
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import pytest_vqamt as vqamt
from pytest_vqamt.core.query import Answer, ModelInput, PictureFile, Task
from pytest_vqamt.models.openai.chat_model import OpenAIModel
from pytest_vqamt.models.reference.oracle import right_answer
from tests.models.openai.stub import Reply, Request, Stub, said

COCO = Path(__file__).parents[2] / "../shared/data/coco"

_MEAN, _MOST = 4.0, 48
"""How far JPEG 95 may be off, of 255: a channel on average over a picture, and the worst one."""

pytestmark = pytest.mark.full


@pytest.mark.parametrize(
    ("data", "relations"),
    [
        ("pictures:60", "*"),
        pytest.param(
            f"coco:{COCO}",
            "control.*,view.*,metavqa.*,form.png,carets.visual*,question.*",
            marks=pytest.mark.skipif(not COCO.is_dir(), reason="the photos of COCO are not here"),
        ),
    ],
    ids=["drawn", "photos"],
)
def test_the_oracle_over_http_holds(monkeypatch: pytest.MonkeyPatch, data: str, relations: str) -> None:
    answers: dict[tuple[str, str], str] = {}
    forms: set[tuple[str, bool, bool]] = set()
    stream = OpenAIModel.stream_answers

    def note(
        self: OpenAIModel, task: Task, batch: Sequence[ModelInput]
    ) -> Generator[tuple[int, Answer | Exception], None, None]:
        """Notes what is right of each text and file before they are sent."""
        for item in batch:
            file = item.file(self._encoder)
            answers[self._prompts.text(item), file.data_uri] = right_answer(item.query)
            forms.add((file.media_type, bool(item.query.picture.edits), item.lossless))
            check_pixels(file, item)
        return stream(self, task, batch)

    def reply(request: Request) -> Reply:
        return said(answers.get((request.prompt, request.picture), "another text or picture"))

    monkeypatch.setattr(OpenAIModel, "stream_answers", note)
    with Stub(reply) as server:
        report = vqamt.run(model=f"openai:m@{server.url}", data=data, relations=relations, max_cases=3)
        assert len(server.requests) > 150
    tallies = {result.item: result.tally for result in report.relations}
    assert {item: each for item, each in tallies.items() if each.violated or each.unparsed or each.errors} == {}
    exact = {("image/png", is_edited, True) for is_edited in (False, True)}
    form = "png" if data.startswith("pictures") else "jpeg"
    assert forms == exact | {(f"image/{form}", is_edited, False) for is_edited in (False, True)}


def check_pixels(file: PictureFile, item: ModelInput) -> None:
    """Checks that the file shows the picture that was rendered."""
    seen = np.asarray(Image.open(BytesIO(b64decode(file.base64))).convert("RGB")).astype(int)
    off = abs(seen - np.asarray(item.image))
    if file.media_type == "image/jpeg" and item.query.picture.edits:
        assert off.mean() < _MEAN
        assert off.max() < _MOST
    else:
        assert not off.any()
