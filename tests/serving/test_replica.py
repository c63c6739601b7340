"""What a replica shows the model at once."""

from __future__ import annotations

import asyncio
import io
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
from PIL import Image

from pytest_vqamt.core.conversation import Ability, Role
from pytest_vqamt.core.edits import FileForm, Store
from pytest_vqamt.core.query import Answer, Failure, Task
from pytest_vqamt.imaging.file_forms import store, stored_file
from pytest_vqamt.models.served.answer_requests import PngRow, QueryRow, RecipeRow, TurnRow
from pytest_vqamt.models.served.wire_format import PixelsNeeded
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

class Conversing:
    takes = ("pictures", "turns", "interleaved", "system")
    fingerprint = "conversing-1"

    def answer(self, batch):
        return [Answer("; ".join(f"{turn.role} {[getattr(part, 'size', part) for part in turn.parts]}"
                                 for turn in each.turns)) for each in batch]
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
def test_a_conversation_is_put_to_the_model_with_all_its_pictures(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "seeing_models.py").write_text(MODEL)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "seeing_models", raising=False)
    monkeypatch.setattr(replica, "_MAX_PIXELS_AT_ONCE", 100 * 100 + 20 * 20)
    model = replica.Replica(
        ServeConfig(model="python:seeing_models:Conversing", data=("pictures:2",), cluster="10.0.0.1:6379")
    )
    assert model.info().takes == tuple(Ability)
    other = RecipeRow({"photo": "of another", "digest": "0", "edits": []})
    pictures = (_png(10), _png(20), PngRow(_png(30).png[:20]), other, _png(100))

    def query(*parts: str | int) -> QueryRow:
        turns = (
            TurnRow(role=Role.SYSTEM, parts=("brief",)),
            TurnRow(role=Role.USER, parts=parts),
            TurnRow(role=Role.ASSISTANT, parts=("yes",)),
            TurnRow(role=Role.USER, parts=("why?",)),
        )
        first = next(part for part in parts if isinstance(part, int))
        return QueryRow(task=Task.VQA, text="why?", picture=first, turns=turns)

    queries = tuple(query(*parts) for parts in (("a", 0, 1, "b", 0), (1, 0), (0, 2), (0, 3), (4, 1), (4, 1, 0)))
    queries += (QueryRow(task=Task.VQA, text="plain", picture=1),)
    (result,) = asyncio.run(model._run_chunks([Chunk(task=Task.VQA, pictures=pictures, queries=queries)]))
    told = "system ['brief']; user {}; assistant ['yes']; user ['why?']"
    assert [each.text for each in result.answers if isinstance(each, Answer)] == [
        told.format("['a', (10, 10), (20, 20), 'b', (10, 10)]"),
        told.format("[(20, 20), (10, 10)]"),
        told.format("[(100, 100), (20, 20)]"),
        "user [(20, 20), 'plain']",
    ]
    broken, unknown, large = (result.answers[place] for place in (2, 3, 5))
    assert isinstance(broken, Failure)
    assert "Expected a PNG file that can be read" in broken.reason
    assert isinstance(unknown, PixelsNeeded)
    assert large == Failure(reason="Expected at most 10400 pixels in one query, but got 10500")


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


@pytest.mark.parametrize("orientation", range(1, 9))
def test_a_png_is_turned_as_its_exif_says(orientation: int) -> None:
    image = Image.effect_noise((30, 20), 50).convert("RGB")
    found = store(image, Store(form=FileForm.PNG, orientation=orientation))
    file = stored_file(found)
    assert file is not None
    png = replica.PngPicture(PngRow(file.content))
    assert (png.picture.scene.width, png.picture.scene.height) == image.size
    assert png.image(png.picture).tobytes() == image.tobytes()


def test_a_png_of_16_bits_is_one_of_8() -> None:
    image = Image.effect_noise((30, 20), 50).convert("RGB")
    file = stored_file(store(image, Store(form=FileForm.SIXTEEN_BITS)))
    assert file is not None
    png = replica.PngPicture(PngRow(file.content))
    assert png.image(png.picture).tobytes() == image.tobytes()


def test_broken_exif_turns_nothing() -> None:
    file = io.BytesIO()
    Image.new("RGB", (30, 20)).save(file, "PNG", exif=b"Exif\0\0no header at all")
    png = replica.PngPicture(PngRow(file.getvalue()))
    assert png.image(png.picture).size == (png.picture.scene.width, png.picture.scene.height) == (30, 20)
