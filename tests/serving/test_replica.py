"""What a replica shows the model at once."""

from __future__ import annotations

import asyncio
import io
from importlib.util import find_spec
from pathlib import Path

import pytest
from PIL import Image

from pytest_vqamt.core.query import Answer, Failure, Task
from pytest_vqamt.models.served.answer_requests import PngRow, QueryRow
from pytest_vqamt.serving import replica
from pytest_vqamt.serving.config import ServeConfig
from pytest_vqamt.serving.replica import Chunk

MODEL = """
from pytest_vqamt import Answer

class Seeing:
    batch_size = 8
    fingerprint = "seeing-1"

    def answer(self, batch):
        return [Answer(f"{each.text} {each.image.size[0]} {len(batch)}") for each in batch]
"""


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of what Ray Serve imports
@pytest.mark.skipif(find_spec("ray") is None, reason="needs the extra ray")
def test_large_pictures_are_shown_a_few_at_a_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "seeing_models.py").write_text(MODEL)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(replica.fitting_count, "__defaults__", (100 * 100 * 2,))
    pictures = (_png(100), _png(100), PngRow(_png(300).png[:-100]), _png(10), _png(300))
    queries = tuple(
        QueryRow(task=Task.VQA, text=f"q{number}", picture=picture)
        for number, picture in enumerate([0, 0, 0, 1, 2, 3, 3, 4])
    )
    model = replica.Replica(
        ServeConfig(model="python:seeing_models:Seeing", data=("pictures:2",), cluster="10.0.0.1:6379")
    )

    # Not ``run``, whose batching wants to be within a replica of Ray Serve.
    (result,) = asyncio.run(model._run_chunks([Chunk(task=Task.VQA, pictures=pictures, queries=queries)]))
    *answers, broken = (result.answers[place] for place in (0, 1, 2, 3, 5, 6, 7, 4))
    assert answers == [
        Answer("q0 100 2"),
        Answer("q1 100 2"),
        Answer("q2 100 2"),
        Answer("q3 100 2"),
        Answer("q5 10 2"),
        Answer("q6 10 2"),
        Answer("q7 300 1"),
    ]
    assert isinstance(broken, Failure)
    assert broken.reason.startswith("DataError: Expected a PNG file that can be read")


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.skipif(find_spec("ray") is None, reason="needs the extra ray")
def test_a_replica_without_a_device_ends_so_that_another_takes_its_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    class EndedError(BaseException): ...

    def end(_status: int) -> None:
        raise EndedError

    (tmp_path / "lost_models.py").write_text(
        "class AcceleratorError(RuntimeError): ...\n"
        "class Lost:\n    def answer(self, batch): raise AcceleratorError('CUDA error: unspecified launch failure')\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr("os._exit", end)
    model = replica.Replica(ServeConfig(model="python:lost_models:Lost", data=("pictures:2",), cluster="10.0.0.1:6379"))
    queries = (QueryRow(task=Task.VQA, text="q", picture=0),)
    with pytest.raises(EndedError):
        asyncio.run(model._run_chunks([Chunk(task=Task.VQA, pictures=(_png(10),), queries=queries)]))
    assert "has lost its device: AcceleratorError: CUDA error: unspecified launch failure" in capfd.readouterr().err


def _png(side: int) -> PngRow:
    file = io.BytesIO()
    Image.effect_noise((side, side), 50).convert("RGB").save(file, format="PNG")
    return PngRow(file.getvalue())
