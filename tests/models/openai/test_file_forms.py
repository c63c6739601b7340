"""Files as they are: a server gets the very bytes, and one that decodes some of them wrong is found by ``form.*``."""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Callable, Generator, Sequence
from hashlib import sha256
from io import BytesIO

import pytest
from PIL import Image, ImageOps

import pytest_vqamt as vqamt
from pytest_vqamt.core.query import Answer, ModelInput, Task
from pytest_vqamt.imaging.file_forms import stored_file
from pytest_vqamt.models.openai.chat_model import OpenAIModel
from pytest_vqamt.models.reference.oracle import right_answer
from tests.models.openai.stub import Reply, Request, Stub, said
from tests.rows import each_row

Decode = Callable[[Image.Image], Image.Image]


def upright(image: Image.Image) -> Image.Image:
    return ImageOps.exif_transpose(image)


def as_stored(image: Image.Image) -> Image.Image:
    return image


def without(is_wrong: Callable[[Image.Image], bool]) -> Decode:
    """A decoder that shows nothing of some files."""
    return lambda image: Image.new("RGB", image.size) if is_wrong(image) else upright(image)


def swapped(image: Image.Image) -> Image.Image:
    """BGR for RGB of JPEG."""
    shown = upright(image).convert("RGB")
    return Image.merge("RGB", shown.split()[::-1]) if image.format == "JPEG" else shown


JPEGS = {"form.jpeg[baseline]", "form.jpeg[progressive]", "form.jpeg[cmyk]"}


@each_row(
    "decode, found",
    [
        (upright, set()),
        (as_stored, {"form.exif[jpeg]", "form.exif[png]"}),
        # The channels of a gray picture are one.
        (swapped, {*JPEGS, "form.exif[jpeg]"}),
        (without(lambda image: image.format == "WEBP"), {"form.webp[lossless]", "form.webp[lossy]"}),
        (without(lambda image: image.mode == "CMYK"), {"form.jpeg[cmyk]"}),
        (without(lambda image: bool(image.info.get("progressive"))), {"form.jpeg[progressive]"}),
        (without(lambda image: image.format == "JPEG" and image.mode == "L"), {"form.jpeg[grayscale]"}),
        (without(lambda image: image.mode == "P"), {"form.png[palette]"}),
        (without(lambda image: image.mode == "RGBA"), {"form.png[alpha]"}),
        (without(lambda image: bool(image.info.get("interlace"))), {"form.png[interlaced]"}),
    ],
)
def test_a_server_that_decodes_some_files_wrong_is_found_by_their_relation(
    monkeypatch: pytest.MonkeyPatch, decode: Decode, found: set[str]
) -> None:
    answers: dict[tuple[str, str], str] = {}
    stream = OpenAIModel.stream_answers

    def note(
        self: OpenAIModel, task: Task, batch: Sequence[ModelInput]
    ) -> Generator[tuple[int, Answer | Exception], None, None]:
        """Notes what is right of each text and pixels before they are sent."""
        for item in batch:
            answers[self._prompts.text(item), sha256(item.pixels.tobytes()).hexdigest()] = right_answer(item.query)
            made = stored_file(item.pixels)
            sent = item.file(self._encoder)
            if made is not None:
                assert (sent.media_type, b64decode(sent.base64)) == made
        return stream(self, task, batch)

    def reply(request: Request) -> Reply:
        head, _, base64 = request.picture.partition(",")
        image = Image.open(BytesIO(b64decode(base64, validate=True)))
        assert head == f"data:image/{(image.format or '').lower()};base64"
        pixels = decode(image).convert("RGB").tobytes()
        return said(answers.get((request.prompt, sha256(pixels).hexdigest()), "Another text or picture"))

    monkeypatch.setattr(OpenAIModel, "stream_answers", note)
    with Stub(reply) as server:
        report = vqamt.run(model=f"openai:m@{server.url}", data="pictures:30", relations="form.*", max_cases=4)
    tallies = {result.item: result.tally for result in report.relations}
    assert len(tallies) == 13
    assert not any(each.errors for each in tallies.values())
    assert {item for item, each in tallies.items() if each.violated or each.unparsed} == found
